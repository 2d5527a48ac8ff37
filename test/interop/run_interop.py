#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what programs make of an archive with what they make of the
original.

usage: run_interop.py --bin DIR --plugin FILE [--ask FILE] [--table FILE]
                      [--cmake PROGRAM --build DIR --package DIR]
                      [--document FILE [--write]] [--shown DIR]
                      [--only-ask | --only-threads | --only-programs] DIR...

First ask, a program that puts every question of libnetcdf (most are those of
compat/calls.h), for each file in the directories and for some of $NC3Z_CORPUS:
with the plug-in called by the program, and preloaded.  Then programs.py, for
a few files of each kind, run by nc3run.  With --shown, programs read the
files in that directory instead, as they are: the originals under their own
names, shown from archives.

Programs that are not installed are skipped by name; with NC3Z_INTEROP=all that
is a failure, heavy ones run, too, and all run once more on a mount.  The table
of programs, versions and verdicts goes to the file that --table names, and must
be the one in doc/programs.md (--document), or is written there (--write).
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "compat"))
from compare import BEYOND_END, comparable  # noqa: E402
import programs as known  # noqa: E402
from run_programs import Files, ProgramRuns, can_mount, first_difference, \
    mounted, run  # noqa: E402

# What is not as with the original, and why.
DIFFERENT = {
    "cdf1-name-of-1000-bytes.nc": "names are cut at 256 bytes",
    "odd-cdf5-numrecs-overflow.nc": "libnetcdf has a negative number",
}
INDETERMINATE = "numrecs-indeterminate"
# What libnetcdf makes of these depends on its version; they may be refused.
ODD = "odd-"

REAL_NBYTES_MAX = 700000
REAL_EVERY = 7


class Interop:
    """Where things are, and what was found."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory
        self.wrong = []
        self.nasked = 0

    def pack(self, original, *options):
        """The archive of a file; None if it cannot be packed."""
        directory = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        # With the same name: some programs show it.
        archive = directory / original.name
        with open(archive, "wb") as out:
            done = subprocess.run(
                [self.args.bin / "nc3compress", "-cq", *options, original],
                stdout=out,
                stderr=subprocess.DEVNULL, check=False)
        return archive if done.returncode in (0, 3) else None

    def ask(self, original, ways):
        """Asks original and archive; the lines that say what differs."""
        archive = self.pack(original)
        if not archive or INDETERMINATE in original.name \
                or original.name in DIFFERENT:
            return []
        def ask(*arguments, **environment):
            status, output, errors = run([self.args.ask, *arguments],
                                         self.directory, **environment)
            return status, comparable(output), errors

        plugin = self.args.plugin
        wanted = ask(original)
        found = []
        for way in ways:
            if way == "registered":
                got = ask("-r", plugin, archive)
            elif way == "memory":
                got = ask("-r", plugin, "-m", archive)
                wanted = ask("-m", original)
                # libnetcdf reads no short file from memory, or not its end.
                if wanted[0] != 0 or BEYOND_END.search(wanted[1]) \
                        or original.name.startswith(ODD):
                    continue
            else:
                got = ask(archive, LD_PRELOAD=plugin)
            refused = got[1] == b"cannot be opened\n"
            if refused and b"nc3z: " not in got[2]:
                found.append(f"{original.name}: {way}: refused in silence")
            is_odd = original.name.startswith(ODD) and got[0] in (0, 1)
            if got[:2] != wanted[:2] and not is_odd:
                found.append(f"{original.name}: {way}: " +
                             first_difference(wanted, got))
        shutil.rmtree(archive.parent)
        self.nasked += 1
        return found

    def ask_all(self, files):
        """Asks all files, two at a time."""
        def ask_one(item):
            number, file = item
            ways = ["registered"]
            if not self.args.only_ask and number % 4 == 0:
                ways.append("preloaded")
            if number % 4 == 1:
                ways.append("memory")
            return self.ask(file, ways)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for found in pool.map(ask_one, enumerate(files)):
                self.wrong += found

    def check_copies(self, directory):
        """Two copies of libnetcdf in one process do not disturb each other."""
        loaded = run(["ldd", self.args.ask], self.directory)[1].decode()
        library, = [line.split()[2] for line in loaded.splitlines()
                    if "libnetcdf" in line]
        copy = self.directory / "libcopy.so"
        shutil.copy(os.path.realpath(library), copy)
        archives = [self.pack(directory / name)
                    for name in ("cdf1-all-types.nc", "cdf1-minimal.nc")]
        got = run([self.args.ask.parent / "interop_two_copies",
                   self.args.plugin,
                   library, copy, *archives], self.directory)
        if got[1] != b"ncid 65536: 0, 12 variables\n" \
                     b"ncid 65536: 0, 0 variables\n":
            self.wrong.append(f"two copies of libnetcdf: {got}")

    def check_outputs(self, directory):
        """No program overwrites an archive; what has its name is warned of."""
        archive = self.pack(directory / "cdf2-float-records.nc")
        name = archive.rename(archive.with_suffix(".nc.nc3z")).name
        at, packed = archive.parent, (archive.parent / name).read_bytes()
        (at / "http.nc3z").write_bytes(b"HTTP/1.1 200 OK\r\n" + packed)
        for command, said, made in (
                (["ncks", "-hO", name, name], "is an archive, which", ""),
                (["nccopy", "http.nc3z", "y"], "begins only at offset", ""),
                (["ncatted", "-h", "-a", "a,global,o,c,b", name],
                 "archives can only be read", ""),
                (["nccopy", name, "y.nc3z"], "y.nc3z: becomes a", "y.nc3z"),
                (["cdo", "-O", "copy", name, name], "is an archive, which",
                 ""), (["cdo", "splitname", name, "z"], "", "zsst.nc")):
            if not shutil.which(command[0]):
                continue
            got = run([self.args.bin / "nc3run", *command], at)
            files = {path.name for path in at.iterdir()}
            if any([said.encode() not in got[2],
                    (got[0] == 0) != bool(made),
                    b"nc3z: " in got[2] and not said,
                    (at / name).read_bytes() != packed,
                    files - {made} != {name, "http.nc3z"}]):
                self.wrong.append(f"outputs: {command}: {got}")
            (at / (made or "none")).unlink(missing_ok=True)

    def check_threads(self, directory):
        """Threads that share a file get what one alone gets."""
        for name, *options in (
                ("cdf1-all-types.nc", "-b", "4K"),
                ("cdf2-float-records.nc", "-b", "4K"),
                ("cdf2-float-records.nc", "--chunks", "time/5,lat/7,lon/11")):
            archive = self.pack(directory / name, *options)
            for nthreads in "2", "5":
                got = run([self.args.ask.parent / "interop_threads",
                           self.args.plugin, archive], self.directory,
                          NC3Z_THREADS=nthreads)
                if got[0] != 0:
                    self.wrong.append(f"threads: {name}: {got}")


def real_files():
    """Some of the files in $NC3Z_CORPUS."""
    corpus = os.environ.get("NC3Z_CORPUS")
    if not corpus:
        print("NC3Z_CORPUS is unset: no files of others")
        return []
    small = sorted(path for part in ("real", "edge")
                   for path in (pathlib.Path(corpus) / part).glob("*")
                   if path.is_file() and
                   path.stat().st_size <= REAL_NBYTES_MAX)
    return small[::REAL_EVERY]


def run_programs(args, directory):
    """Runs the programs; what is wrong."""
    programs = ProgramRuns(args, directory)
    programs.run_all()
    table = "\n".join(programs.table()) + "\n"
    print(table)
    if args.table:
        args.table.write_text(table, encoding="utf-8")
    if args.document and not args.shown:
        if args.write:
            programs.write_document(args.document)
        programs.check_document(args.document)
    return programs.wrong


def run_mounted(args, directory):
    """Runs the programs on what a mount shows; what is wrong."""
    if not can_mount(args):
        print("skipped: nothing can be mounted here")
        return []
    for part in "files", "runs", "shown":
        (directory / part).mkdir()
    files = Files(args, directory / "files")
    for name in sorted(set().union(*known.FILES.values())):
        if files.original(name):
            files.archive(name)
    shown = directory / "shown"
    with mounted(args, files.directory / "archives", shown):
        programs = ProgramRuns(argparse.Namespace(
            **dict(vars(args), shown=shown)), directory / "runs")
        programs.run_all()
    print("\n".join(["through a mount"] + programs.table()))
    return [f"mounted: {line}" for line in programs.wrong]


def parse_arguments():
    """The arguments, with paths from the root on."""
    def path(name):
        return pathlib.Path(name).resolve()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in "bin", "plugin":
        parser.add_argument("--" + name, required=True, type=path)
    for name in "ask", "table", "document", "shown", "build":
        parser.add_argument("--" + name, type=path)
    for name in "cmake", "package":
        parser.add_argument("--" + name)
    for name in "only-ask", "only-threads", "only-programs", "write":
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("directories", nargs="+", type=path)
    return parser.parse_args()


def main():
    """Asks, runs, reports."""
    args = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="nc3z-interop-") as name:
        directory = pathlib.Path(name).resolve()
        interop = Interop(args, directory)
        files = [path for part in args.directories
                 for path in sorted(part.glob("*.nc"))]
        asks = not (args.only_threads or args.only_programs)
        if asks:
            interop.ask_all(files + real_files())
            interop.check_copies(args.directories[0])
        if not args.only_programs:
            interop.check_threads(args.directories[0])
        if not args.only_ask and not args.only_threads:
            interop.check_outputs(args.directories[0])
            interop.wrong += run_programs(args, directory)
            if os.environ.get("NC3Z_INTEROP") == "all" and not args.shown:
                (directory / "mount").mkdir()
                interop.wrong += run_mounted(args, directory / "mount")
    print("\n".join(interop.wrong))
    print(f"{interop.nasked} files asked, {len(interop.wrong)} wrong")
    sys.exit(1 if interop.wrong or (asks and not interop.nasked) else 0)


if __name__ == "__main__":
    main()
