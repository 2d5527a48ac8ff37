#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that nc3z_compat.h does what netcdf.h does.

usage: compare.py --netcdf PROGRAM --nc3z PROGRAM --bin DIR
                  [--requests N] [--only-files] SET...

A SET is a directory, or real, edge or malformed for those directories in
$NC3Z_CORPUS.  The two programs are calls*.c, built with one header and with the
other.  For each file they must print the same, and nc3z's also for the archive
of the file.  Where libnetcdf refuses to open a file nc3z must refuse it, too;
files named bad-... or in malformed may be refused by nc3z alone.  Programs that
know no files in memory and no end by netCDF-2 are compared with --only-files.
"""

import argparse
import functools
import os
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from libraries import netcdf_fills  # noqa: E402
from limits import run_limited, took_too_long  # noqa: E402

# What nc3z_compat.h names as differences, by the names of the files that show
# them.
DIFFERENT = {
    "numrecs-indeterminate": "the number of records is open",
    "cdf1-empty-name.nc": "names are compared byte by byte",
    "cdf1-latin1-names.nc": "names are compared byte by byte",
    "cdf1-utf8-name-decomposed.nc": "names are compared byte by byte",
    "cdf1-name-of-1000-bytes.nc": "names end after NC_MAX_NAME bytes",
    "gib-missing.nc": "libnetcdf repeats its buffer beyond the end",
    "odd-cdf1-int64-attribute.nc": "types of another version are refused",
    "odd-cdf1-uint-variable.nc": "types of another version are refused",
    "odd-cdf2-ubyte-record-variable.nc": "types of another version are "
                                         "refused",
    "bad_xtype.nc": "types of another version are refused",
    "odd-cdf5-dimension-length-negative.nc": "lengths over 2^63",
    "odd-cdf5-numrecs-overflow.nc": "lengths over 2^63",
    "odd-cdf5-variable-size-overflow.nc": "lengths over 2^63",
}

# The sum of values where some did not fit (NC_ERANGE).
SUM_UNFIT = re.compile(rb"-60 +[0-9a-f]+$", re.M)
# What libnetcdf says of values beyond the end of a file in memory.
BEYOND_END = re.compile(rb"^(get|open_mem|diskless)[^:\n]*: 1( |$)", re.M)

MAX_NBYTES = 1 << 20


@functools.lru_cache(maxsize=None)
def fills():
    """As netcdf_fills(), which is asked once."""
    return netcdf_fills()


def comparable(output):
    """Without what depends on the version of libnetcdf and how it was built."""
    output = output.replace(b"NetCDF: S3 error", b"NetCDF: AWS S3 error")
    return SUM_UNFIT.sub(b"-60", output) if fills() else output


def run(program, *arguments):
    """What a program prints, and its status; None if it takes too long."""
    done = run_limited(120, [program, *map(str, arguments)])
    return None if took_too_long(done) else (done.returncode,
                                             comparable(done.stdout))


def opens(output):
    """Whether the file could be opened."""
    return b"\nopen: 0 " in output


def first_difference(wanted, got):
    """The first lines that differ."""
    wanted, got = wanted.split(b"\n"), got.split(b"\n")
    for number, (a, b) in enumerate(zip(wanted, got), 1):
        if a != b:
            return f"line {number}: {a[:90]!r}, nc3z {b[:90]!r}"
    return f"{len(wanted)} lines, nc3z {len(got)}"


class Comparison:
    """The files of all sets."""

    def __init__(self, args):
        self.args = args
        self.counts = {}
        self.wrong = []
        self.last_opened = None
        self.archives = {}

    def count(self, what, name=None):
        """Counts a file; names those that are worth it."""
        self.counts.setdefault(what, []).append(name)

    def complain(self, path, text):
        """Adds a finding."""
        self.wrong.append(f"{path.name}: {text}")

    def expect(self, path, what, wanted, got):
        """Compares two runs."""
        if got is None:
            self.complain(path, f"{what}: takes too long")
        elif got[0] != wanted[0]:
            self.complain(path, f"{what}: status {wanted[0]}, nc3z {got[0]}: "
                          f"{got[1][-200:]!r}")
        elif got[1] != wanted[1]:
            self.complain(path, f"{what}: "
                          + first_difference(wanted[1], got[1]))

    def pack(self, files, directory):
        """Packs all files of a set; some cannot be, and need not."""
        links = {path: Path(directory) / f"{number}.nc"
                 for number, path in enumerate(files)}
        for path, link in links.items():
            link.symlink_to(path.resolve())
            self.archives[path] = link.with_suffix(".nc.nc3z")
        subprocess.run(
            [self.args.bin / "nc3compress", "-q", "-k", "-b", "4K",
             "--files0-from=-"], check=False, stderr=subprocess.DEVNULL,
            input=b"".join(bytes(link) + b"\0" for link in links.values()))

    def compare_archive(self, path, arguments, wanted, memory):
        """The same from the archive of the file."""
        archive = self.archives[path]
        if not archive.exists():
            self.complain(path, "cannot be packed")
            return
        self.expect(path, "archive", wanted,
                    run(self.args.nc3z, archive, *arguments))
        if memory:
            self.expect(path, "archive in memory", memory,
                        run(self.args.nc3z, "memory", archive))

    def compare_memory(self, path):
        """From memory, where libnetcdf does not read beyond the end."""
        wanted = run(self.args.netcdf, "memory", path)
        if not wanted or wanted[0] != 0 or BEYOND_END.search(wanted[1]):
            self.count("not from memory")
            return None
        self.expect(path, "memory", wanted,
                    run(self.args.nc3z, "memory", path))
        return wanted

    def compare(self, path, may_refuse):
        """One file."""
        arguments = (zlib.crc32(path.name.encode()), self.args.requests)
        got = run(self.args.nc3z, path, *arguments)
        if not got or got[0] != 0:
            self.complain(path, f"nc3z: {got}")
            return
        if any(name in path.name for name in DIFFERENT):
            if opens(got[1]):
                self.compare_archive(path, arguments, got, None)
            self.count("different as documented")
            return
        if may_refuse and not opens(got[1]):
            self.count("refused, as it may be")
            return
        wanted = run(self.args.netcdf, path, *arguments)
        if not wanted or wanted[0] != 0:
            self.count("libnetcdf crashes or hangs", path.name)
            return
        self.expect(path, "file", wanted, got)
        if opens(wanted[1]):
            memory = None
            if not self.args.only_files:
                memory = self.compare_memory(path)
            self.compare_archive(path, arguments, wanted, memory)
            self.count("compared")
            self.last_opened = path
        else:
            self.count("refused by both")

    def compare_without_file(self):
        """Messages, IDs of no file, missing files."""
        wanted = run(self.args.netcdf, "none")
        if wanted and wanted[0] < 0:
            self.count("libnetcdf crashes or hangs", "none")
            return
        self.expect(Path("none"), "without a file", wanted,
                    run(self.args.nc3z, "none"))

    def compare_end(self, path):
        """How netCDF-2 ends a program."""
        wanted = run(self.args.netcdf, "fatal", path)
        got = run(self.args.nc3z, "fatal", path)
        if not wanted or b"after" in wanted[1] or wanted[0] == 0:
            self.complain(path, f"libnetcdf does not end: {wanted}")
        # the ID is another
        elif not got or got[0] != wanted[0] or \
                got[1].split(b"ncid")[0] != wanted[1].split(b"ncid")[0]:
            self.complain(path, f"ends with {got}, not with {wanted}")


def files_of(name, only_files):
    """The files of a set, None if it is not there."""
    corpus = os.environ.get("NC3Z_CORPUS")
    directory = Path(name)
    if name in ("real", "edge", "malformed"):
        if not corpus:
            return None
        directory = Path(corpus) / name
    if not directory.is_dir():
        return None
    files = sorted(path for path in directory.rglob("*") if path.is_file()
                   and path.stat().st_size <= MAX_NBYTES)
    # Slow there, and each kind of file comes several times.
    if os.environ.get("NC3Z_SANITIZE"):
        return files[::5]
    # Fortran passes calls on, whose results calls_*.c compare for all files.
    return files[::3] if only_files and name == "real" else files


def main():
    """Compares all files of all sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--netcdf", required=True)
    parser.add_argument("--nc3z", required=True)
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--requests", type=int, default=30)
    parser.add_argument("--only-files", action="store_true")
    parser.add_argument("sets", nargs="+")
    comparison = Comparison(parser.parse_args())
    comparison.compare_without_file()
    for name in comparison.args.sets:
        files = files_of(name, comparison.args.only_files)
        if files is None:
            print(f"skipped: no {name}; NC3Z_CORPUS names the corpus")
            sys.exit(77)
        with tempfile.TemporaryDirectory() as directory:
            comparison.pack(files, directory)
            for path in files:
                comparison.compare(path, name == "malformed"
                                   or path.name.startswith("bad-"))
    if comparison.last_opened and not comparison.args.only_files:
        comparison.compare_end(comparison.last_opened)
    for what, names in sorted(comparison.counts.items()):
        named = " ".join(name for name in names if name)
        print(f"{len(names)} {what}{': ' if named else ''}{named}")
    print("\n".join(comparison.wrong + [f"{len(comparison.wrong)} wrong"]))
    sys.exit(bool(comparison.wrong) or "compared" not in comparison.counts)


if __name__ == "__main__":
    main()
