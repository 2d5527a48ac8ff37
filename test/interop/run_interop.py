#!/usr/bin/env python3
"""Compares what programs make of an archive with what they make of the original.

usage: run_interop.py --bin DIR --plugin FILE [--ask FILE] [--table FILE]
                      [--only-ask | --only-threads] FOLDER...

First ask, a program that puts every question of libnetcdf, for each file in the
folders and for some of $NC3Z_CORPUS: with the plug-in called by the program,
and preloaded.  Then programs.py, for a few files of each kind, run by nc3run.
Programs that are not installed are skipped by name; with NC3Z_INTEROP=all that
is a failure.  The table of programs, versions and verdicts goes to the file that
--table names.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import programs

# What is not as with the original, and why.
DIFFERENT = {
    "cdf1-name-of-1000-bytes.nc": "names are cut at 256 bytes",
    "odd-cdf5-numrecs-overflow.nc": "libnetcdf has a negative number",
}
INDETERMINATE = "numrecs-indeterminate"
# What libnetcdf makes of these depends on its version; they may be refused.
ODD = "odd-"

# The programs get these files.
SAMPLE = [
    "cdf1-all-types.nc", "cdf2-all-types.nc", "cdf5-all-types.nc",
    "cdf1-two-record-variables.nc", "cdf1-attribute-types.nc",
    "cdf1-lone-record-variable-unpadded-short3.nc", "cdf1-char-table.nc",
    "cdf1-truncated-inside-record.nc", "cdf1-float-grid-with-holes.nc",
    "cdf1-utf8-names.nc", "cdf2-float-records.nc", "cdf5-int64-times.nc",
    "cdf1-packed-short.nc", "cdf1-zero-records.nc", "cdf1-no-variables.nc",
    "cdf1-fixed-variables-out-of-order.nc",
]
# For programs that read grids alone.
GRIDS = ["cdf1-float-grid-with-holes.nc", "cdf2-float-records.nc",
         "cdf1-packed-short.nc"]
REAL_NBYTES_MAX = 700000
REAL_EVERY = 7


def run(command, folder, **env):
    """A command's exit status and what it printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False,
                          env=dict(os.environ, PYTHONHASHSEED="0", **env))
    return done.returncode, done.stdout, done.stderr


class Interop:
    """Where things are, and what was found."""

    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.wrong = []
        self.nasked = 0
        self.rows = []

    def pack(self, original, *options):
        """The archive of a file; None if it cannot be packed."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        # With the same name: some programs show it.
        archive = folder / original.name
        with open(archive, "wb") as out:
            done = subprocess.run(
                [self.args.bin / "nc3compress", "-cq", *options, original],
                stdout=out,
                stderr=subprocess.DEVNULL, check=False)
        return archive if done.returncode in (0, 3) else None

    def ask(self, original, ways):
        """Asks original and archive; returns the lines that say what differs."""
        archive = self.pack(original)
        if not archive or INDETERMINATE in original.name \
                or original.name in DIFFERENT:
            return []
        ask, plugin = self.args.ask, self.args.plugin
        wanted = run([ask, original], self.folder)
        found = []
        for way in ways:
            if way == "registered":
                got = run([ask, "-r", plugin, archive], self.folder)
            elif way == "memory":
                got = run([ask, "-r", plugin, "-m", archive], self.folder)
                wanted = run([ask, "-m", original], self.folder)
                # libnetcdf reads no short file from memory.
                if wanted[0] != 0 or original.name.startswith(ODD):
                    continue
            else:
                got = run([ask, archive], self.folder, LD_PRELOAD=plugin)
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

    def run_words(self, program, words, files, is_archive):
        """Runs a command for some files: what it did, without their names."""
        out = self.folder / "out.nc"
        out.unlink(missing_ok=True)
        spelling = program.spelling if is_archive else "{}"
        if not is_archive and program.version[0].startswith("gdal"):
            spelling = "NETCDF:{}"
        spelled = [spelling.format(file) for file in files]
        command = [str(self.args.bin / "nc3run")] if is_archive else []
        for word in words:
            if word == "{all}":
                command += spelled
            else:
                word = word.replace("{in}", spelled[0])
                command.append(word.replace("{out}", str(out)))
        status, text, _ = run(command, self.folder)
        for file in files:
            text = text.replace(bytes(file), b"FILE")
        return status, text, out.read_bytes() if out.exists() else b""

    def run_case(self, words, program, files):
        """One command for originals and archives.

        Whether it works for the original, and what differs, or None."""
        wanted = self.run_words(program, words, [a for a, _ in files], False)
        got = self.run_words(program, words, [b for _, b in files], True)
        works = wanted[0] == 0
        if wanted == got:
            return works, None
        return works, f"{program.name}: {files[0][0].name}: {' '.join(words[:4])}: " \
            + first_difference(wanted, got)

    def run_program(self, program, files):
        """Runs all cases of a program; adds a row to the table."""
        version = program.find_version()
        if version is None:
            print(f"skipped: {program.name} is not installed")
            self.rows.append((program.name, "", "not installed"))
            if os.environ.get("NC3Z_INTEROP") == "all":
                self.wrong.append(f"{program.name} is not installed")
            return
        found, ncases, nworking = [], 0, 0
        if program.reads_grids:
            files = [pair for pair in files if pair[0].name in GRIDS]
        for words in program.cases:
            # all at once, or one by one
            for pairs in [files] if "{all}" in words else zip(files):
                ncases += 1
                works, difference = self.run_case(words, program,
                                                  list(pairs))
                nworking += works
                if difference:
                    found.append(difference)
        if 3 * nworking < ncases:
            found.append(f"{program.name}: only {nworking} of {ncases} "
                         "commands work with the originals")
        verdict = f"{len(found)} of {ncases} differ" if found else "identical"
        self.rows.append((program.name, version, verdict))
        self.wrong += found

    def run_programs(self, folder):
        """Runs all programs for the sample."""
        files = []
        for name in SAMPLE:
            original = self.folder / name
            shutil.copy(folder / name, original)
            files.append((original, self.pack(original)))
        for program in programs.PROGRAMS:
            self.run_program(program, files)

    def check_copies(self, folder):
        """Two copies of libnetcdf in one process do not disturb each other."""
        loaded = run(["ldd", self.args.ask], self.folder)[1].decode()
        library, = [line.split()[2] for line in loaded.splitlines()
                    if "libnetcdf" in line]
        copy = self.folder / "libcopy.so"
        shutil.copy(os.path.realpath(library), copy)
        archives = [self.pack(folder / name)
                    for name in ("cdf1-all-types.nc", "cdf1-minimal.nc")]
        got = run([self.args.ask.parent / "interop_two_copies", self.args.plugin,
                   library, copy, *archives], self.folder)
        if got[1] != b"ncid 65536: 0, 12 variables\n" \
                     b"ncid 65536: 0, 0 variables\n":
            self.wrong.append(f"two copies of libnetcdf: {got}")

    def check_threads(self, folder):
        """Threads that share a file get what one alone gets."""
        for name in "cdf1-all-types.nc", "cdf2-float-records.nc":
            archive = self.pack(folder / name, "-b", "4K")
            got = run([self.args.ask.parent / "interop_threads",
                       self.args.plugin, archive], self.folder)
            if got[0] != 0:
                self.wrong.append(f"threads: {name}: {got}")


def first_difference(wanted, got):
    """The first line in which two results differ."""
    if wanted[0] != got[0]:
        return f"exit {wanted[0]} and {got[0]}"
    for a, b in zip(wanted[1].splitlines(), got[1].splitlines()):
        if a == b:
            continue
        at = len(os.path.commonprefix([a, b]))
        at = max(0, at - 40)
        return f"{a[at:at + 120]} and {b[at:at + 120]}"
    return f"{len(wanted[1])} and {len(got[1])} bytes, or what was written"


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


def write_table(path, rows):
    """The table as text, in the order of the programs."""
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    lines = ["  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]),
                        row[2]]) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def main():
    """Asks, runs, reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--plugin", required=True, type=pathlib.Path)
    parser.add_argument("--ask", required=True, type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--only-ask", action="store_true")
    parser.add_argument("--only-threads", action="store_true")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="nc3z-interop-") as name:
        interop = Interop(args, pathlib.Path(name).resolve())
        files = [path.resolve() for folder in args.folders
                 for path in sorted(folder.glob("*.nc"))]
        if not args.only_threads:
            interop.ask_all(files + real_files())
            interop.check_copies(args.folders[0].resolve())
        interop.check_threads(args.folders[0].resolve())
        if not args.only_ask and not args.only_threads:
            interop.run_programs(args.folders[0].resolve())
            if args.table:
                write_table(args.table, interop.rows)
    print("\n".join(interop.wrong))
    print(f"{interop.nasked} files asked, {len(interop.wrong)} wrong")
    sys.exit(1 if interop.wrong or not (interop.nasked or args.only_threads)
             else 0)


if __name__ == "__main__":
    main()
