#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares nc3dump with ncdump, byte for byte.

usage: check_dump.py --bin DIR [--all] testdata DIR
       check_dump.py --bin DIR [--all] corpus
       check_dump.py --bin DIR [--all] package NAME

Each file, as it is and packed, is printed by nc3dump with several sets of
options, and by ncdump: without options, the header, and three sets of the
others in turn, or all of them with --all.  What they print is the same, and
where ncdump fails
nc3dump fails, but for what nc3dump.1 lists as differences.  Files without a
classic header are refused.  "corpus" takes $NC3Z_CORPUS, "package" the files
of a Debian package.  Without ncdump or files the test is skipped (77).
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "testdata"))
from classic_writer import FLOAT, ClassicWriter, Var  # noqa: E402
from limits import run_limited  # noqa: E402

# Sets of options that each file is printed with, and those that take turns: of
# the header alone, and of values.
ALWAYS = [["-h"], []]
HEADER_OPTIONS = [["-s", "-h"], ["-k"], ["-K"], ["-v", "no such variable"]]
VALUE_OPTIONS = [["-c", "-t"], ["-i", "-s", "-n", "1 name"],
                 ["-t", "-b", "c", "-l", "60"],
                 ["-f", "f", "-p", "9,17"], ["-f", "c"],
                 ["-b", "f", "-p", "3,4", "-l", "20"]]
TURNS = 3

# More values than these are printed once or not at all: it would take long.
MAX_NVALUES = 4_000_000
MAX_NVALUES_OFTEN = 300_000
PROCESSOR_SECONDS = 300

# What ncdump says where it stops and nc3dump goes on.
STOPS = (b"Attribute not found", b"name begins with space",
         b"netcdf-4 operation on netcdf-3 file")

# Sizes beyond 2^63 wrap around in libnetcdf, which opens or refuses by that.
WRAPS = ("odd-cdf5-dimension-length-negative.nc",
         "odd-cdf5-variable-size-overflow.nc")

# In comments of "-f f", ncdump gives scalars an index from beyond an array.
SCALAR_INDEX = re.compile(rb"^( [^\n]* = [^\n]*;  // [^\n]*)\(\d+\)$",
                          re.MULTILINE)

# Times of fill values that ncdump cannot tell are garbage, of any bytes.
TOLD_FILL = re.compile(rb'(:_FillValue = [^\n]*?; // )(?:".*?"|[^"\n]*)\n',
                       re.DOTALL)


class Checker:
    """Files that were compared, and what was wrong."""

    def __init__(self, directory, directory_of_programs, has_all):
        self.directory = directory
        self.programs = directory_of_programs
        self.has_all = has_all
        self.nfiles, self.nruns, self.wrong = 0, 0, []

    def run(self, name, *words):
        """Runs a program on relative names; its result."""
        path = self.programs / name
        self.nruns += 1
        return run_limited(PROCESSOR_SECONDS, [
            str(path) if path.exists() else name, *words], self.directory, True)

    def fail(self, name, options, why):
        """Notes what is wrong."""
        self.wrong.append(f"{name}: {' '.join(options) or '(no options)'}: "
                          f"{why}")

    def compare(self, name, options):
        """One set of options: ncdump, nc3dump of the archive, and in both
        kinds of printing nc3dump of the file."""
        theirs = self.run("ncdump", *options, name)
        ours = self.run("nc3dump", *options, name + ".nc3z")

        if ours.returncode < 0 or ours.returncode > 4:
            self.fail(name, options, f"status {ours.returncode}: "
                      f"{ours.stderr[-500:].decode(errors='replace')}")
        elif theirs.returncode == 0:
            if ours.returncode != 0:
                self.fail(name, options, "fails: " +
                          ours.stderr.decode(errors="replace"))
            elif not same_text(theirs, ours.stdout, options):
                self.fail(name, options, difference(theirs.stdout,
                                                    ours.stdout))
        elif theirs.returncode > 0:
            goes_on = any(stop in theirs.stderr for stop in STOPS)
            if (ours.returncode == 0) != goes_on:
                self.fail(name, options, f"status {ours.returncode} where "
                          f"ncdump says: {theirs.stderr[-300:].decode()}")
            if ours.returncode != 0 and not ours.stderr:
                self.fail(name, options, "fails without a message")
        # Below the values and the header, everything is the same for both.
        if options in ALWAYS:
            self.compare_plain(name, options, ours)

    def compare_plain(self, name, options, packed):
        """A file that is not packed gives what its archive gives."""
        ours = self.run("nc3dump", *options, name)
        if (packed.returncode, packed.stdout) != (ours.returncode,
                                                  ours.stdout):
            self.fail(name, options, "the archive gives something else: "
                      f"status {packed.returncode} for {ours.returncode} "
                      f"{packed.stderr[:300].decode(errors='replace')}")

    def options_for(self, name):
        """The sets of options, by what nc3dump says of the file."""
        result = self.run("nc3dump", "--json", name)
        if result.returncode != 0:
            return [[]]
        variables = json.loads(result.stdout)["variables"]
        nvalues, names = 0, []
        for variable in variables:
            count = 1
            for length in variable["shape"]:
                count *= length
            nvalues += count
            if re.fullmatch(r"[\w.+-]+", variable["name"], re.ASCII):
                names.append(variable["name"])
        often = VALUE_OPTIONS
        if names:
            often = [*often, ["-v", f"{names[-1]},,{names[0]}"]]
        if nvalues > MAX_NVALUES_OFTEN:
            often = VALUE_OPTIONS[:1] if nvalues <= MAX_NVALUES else []
        return [options for options in ALWAYS
                if options or nvalues <= MAX_NVALUES] + self.in_turn(
            name, HEADER_OPTIONS, often)

    def in_turn(self, name, header, values):
        """One set of those of the header, the others of values."""
        if self.has_all:
            return header + values
        first = sum(name.encode())
        count = min(TURNS - 1, len(values))
        return [header[first % len(header)]] + [
            values[(first + i * len(values) // count) % len(values)]
            for i in range(count)]

    def check(self, path, data=None):
        """A file, whose bytes are 'data' if they are not those of 'path'."""
        name = path.name
        copy = self.directory / name
        if data is None:
            copy.symlink_to(path)
            data = path.open("rb").read(16)
        else:
            copy.write_bytes(data)
        self.nfiles += 1
        try:
            packed = self.run("nc3compress", "-1", "-q", name)
            if packed.returncode not in (0, 3):
                if self.run("nc3dump", name).returncode != 1:
                    self.fail(name, [], "no classic file, but printed")
                return
            if is_open_ended(data) or name in WRAPS:
                self.check_alone(name)
                return
            for options in self.options_for(name):
                self.compare(name, options)
        except subprocess.TimeoutExpired as expired:
            self.fail(name, [], str(expired))
        finally:
            copy.unlink()
            (self.directory / (name + ".nc3z")).unlink(missing_ok=True)

    def check_alone(self, name):
        """Without ncdump, where its answer is none."""
        has_values = [] in self.options_for(name)
        options = [] if has_values else ["-h"]
        ours = self.run("nc3dump", *options, name)
        packed = self.run("nc3dump", *options, name + ".nc3z")
        if ours.returncode not in (0, 1) or (
                packed.returncode, packed.stdout) != (ours.returncode,
                                                      ours.stdout):
            self.fail(name, options, "the archive gives something else")


def is_open_ended(data):
    """Whether the number of records is the one that stands for none."""
    return data[4:(12 if data[3] == 5 else 8)].strip(b"\xff") == b""


def same_text(theirs, ours, options):
    """Whether what both print is the same, but for known differences."""
    text = theirs.stdout
    if text == ours:
        return True
    if options[:2] == ["-f", "f"]:
        return SCALAR_INDEX.sub(rb"\1", text) == SCALAR_INDEX.sub(rb"\1", ours)
    if b"CDMS error" in theirs.stderr:
        return TOLD_FILL.sub(rb"\1", text) == TOLD_FILL.sub(rb"\1", ours)
    return False


def difference(theirs, ours):
    """The first line that differs."""
    one, other = theirs.split(b"\n"), ours.split(b"\n")
    for number, (a, b) in enumerate(zip(one, other), 1):
        if a != b:
            return f"line {number}: {b[:200]!r}, not {a[:200]!r}"
    return f"{len(other)} lines, not {len(one)}"


def corpus_files():
    """(path, bytes or None) of each file of $NC3Z_CORPUS."""
    corpus = os.environ.get("NC3Z_CORPUS")
    for directory in ("real", "edge", "malformed", "large"):
        for path in (sorted(Path(corpus, directory).iterdir())
                     if corpus else []):
            if path.suffix != ".zst":
                yield path, None
                continue
            result = subprocess.run(["zstd", "-dcq", str(path)], check=True,
                                    capture_output=True)
            yield path.with_suffix(""), result.stdout


def package_files(package):
    """The files of a Debian package that look like classic ones."""
    result = subprocess.run(["dpkg", "-L", package], capture_output=True,
                            check=False, text=True)
    for line in result.stdout.splitlines():
        path = Path(line)
        if path.is_file() and path.open("rb").read(3) == b"CDF":
            yield path, None


CALENDARS = ("gregorian", "standard", "proleptic_gregorian", "noleap",
             "365_day", "all_leap", "366_day", "360_day", "julian", "NONE",
             "", "unheard-of", "Gregorian", "no")
UNITS = ("seconds since 1970-01-01T00:00:00Z", "days since 1990-2-28",
         "days since 0000-01-01 00:00:00", "hours since 1582-10-4 12:30:15.5",
         "s since 1-1-1 0:0:0.0", "minutes since 1899-12-31 23:59:60",
         "months since 2000-01-31", "years since 1-1-1", "wk since 2013-1-1",
         "seasons since 1999-12", "days since -100-3-1", "Hr since 2000",
         "days since 2000-02-30 25:61", "days since 1600-13-1",
         "days", "since 2000-1-1", "metres", "dy since 2000-1-1 12",
         "fortnights since 2000-1-1", "days  since  1970-1-1  6:00  UTC")
TIMES = (0, 1, -1, 0.5, 59, 60, 365, 366, 1e-9, -0.25, 1.0 / 3, 1e5, 123456.789,
         86399.9999999, 86399.99999999, 719468, -719529, 7.5e5, 1e6, -1e6,
         2556.5, 1e6 + 0.1, 30, 31, 59.5, 28.999999, 36524, 577736)
FORMATS = ("%d", "%5.1f", "%9.3f", "%g", "%e", "%08.3f", "%-8d|", "%x", "%ld",
           "%hd", "%+.2e", "100%%", "%5.2f%%", "F8.2", "%lf", "%.0f", "%u",
           "%llu", "%lld", "%i", "%c", " % d")
TYPES = ("byte", "char", "short", "int", "float", "double")


def time_cdl():
    """Times in every calendar and unit."""
    lines = ["netcdf times {", "dimensions:", f"n = {len(TIMES)} ;",
             "two = 2 ;", "variables:"]
    data = ["data:"]
    number = 0
    for calendar in CALENDARS:
        for units in UNITS:
            number += 1
            if calendar == "NONE" and units.startswith(("months", "seasons")):
                continue  # ncdump prints what is in memory
            name = f"t{number}"
            lines += [f"double {name}(n) ;", f'{name}:units = "{units}" ;']
            if calendar:
                lines.append(f'{name}:calendar = "{calendar}" ;')
            lines += [f"{name}:actual_range = -1.5, 0.25 ;",
                      f"{name}:some = 1b, 20b, 30b, 40b, 50b, 60b, 70b ;"]
            data.append(f"{name} = {', '.join(map(repr, TIMES))} ;")
    lines += ["int cells(n, two) ;", 'cells:long_name = "bounds of t1" ;',
              't1:bounds = "cells" ;', "float nans(n) ;",
              'nans:units = "days since 2000-1-1" ;']
    data += [f"cells = {', '.join(str(i) for i in range(2 * len(TIMES)))} ;",
             "nans = 1, NaNf, Infinityf, -Infinityf ;"]
    return "\n".join(lines + data + ["}"])


def format_cdl():
    """Values of each type by each format that fits it."""
    lines, data = ["netcdf formats {", "dimensions:", "n = 9 ;",
                   "variables:"], ["data:"]
    for number, text in enumerate(FORMATS):
        for kind in TYPES:
            real = kind in ("float", "double")
            if "%" in text.replace("%%", "") and real != bool(
                    re.search("[feg]", text)):
                continue
            name = f"v{number}_{kind}"
            values = ('"a\\001\\377-z\\n9"' if kind == "char" else
                      "0.5, -1.25, 1e30, 1e-30, 12345.678" if real else
                      "0, -1, 7, 100, -128")
            lines += [f"{kind} {name}(n) ;", f'{name}:C_format = "{text}" ;']
            if kind == "int":
                lines.append(f"{name}:_FillValue = 7 ;")
            data.append(f"{name} = {values} ;")
    return "\n".join(lines + data + ["}"])


def check_generated(checker):
    """Files that ncgen makes of CDL text."""
    for name, text in (("times", time_cdl()), ("formats", format_cdl())):
        (checker.directory / "in.cdl").write_text(text, encoding="ascii")
        made = checker.run("ncgen", "-k", "classic", "-o", f"{name}.made",
                           "in.cdl")
        if made.returncode != 0:
            checker.fail(name, [], made.stderr.decode())
            continue
        data = (checker.directory / f"{name}.made").read_bytes()
        checker.check(checker.directory / f"{name}.nc", data)


def check_memory(checker):
    """Memory stays the same for a variable of 200 MB."""
    name, nbytes = "long.nc", 200_000_000
    header = ClassicWriter(1, (("x", nbytes // 4),), variables=[
        Var("v", FLOAT, "x")]).head()
    path = checker.directory / name
    path.write_bytes(header)
    os.truncate(path, len(header) + nbytes)
    checker.run("nc3compress", name)
    for file in (name, name + ".nc3z"):
        with subprocess.Popen(
                [str(checker.programs / "nc3dump"), "-B", "-v", "v", file],
                cwd=checker.directory, stdout=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
        if status != 0 or usage.ru_maxrss > 100_000:
            checker.fail(file, ["-B"], f"status {status}, "
                         f"{usage.ru_maxrss} kB of memory")


def check_parts(checker, path):
    """Parts of a variable as bytes, against its whole cut in Python."""
    name = path.name
    shutil.copy(path, checker.directory / name)
    checker.run("nc3compress", "-f", name)
    for file in (name, name + ".nc3z"):
        header = json.loads(checker.run("nc3dump", "--json", file).stdout)
        for variable in header["variables"]:
            check_parts_of(checker, file, variable)


def check_parts_of(checker, file, variable):
    """Every part with three starts, stops and strides in each dimension."""
    shape, name = variable["shape"], variable["name"]
    whole = checker.run("nc3dump", "-B", "-v", name, file).stdout
    nvalues = 1
    for length in shape:
        nvalues *= length
    if not shape or nvalues == 0:
        return
    width = len(whole) // nvalues
    values = [whole[i * width:(i + 1) * width] for i in range(nvalues)]
    for first, last, stride in ((0, None, 1), (1, None, 2), (-1, None, 1),
                                (0, 1, 3), (None, -1, 2), (None, None, 7)):
        part = slice(first, last, stride)
        chosen = [range(length)[part] for length in shape]
        if any(not indices for indices in chosen):
            continue
        text = ":".join("" if n is None else str(n)
                        for n in (first, last, stride))
        argument = f"{name}[{', '.join([text] * len(shape))}]"
        expected = values_at(values, shape, chosen)
        got = checker.run("nc3dump", "-B", "-v", argument, file)
        if got.stdout != expected:
            checker.fail(file, ["-v", argument], "other bytes than Python's")
        swapped = checker.run("nc3dump", "-B", "--big-endian", "-v", argument,
                              file)
        little = checker.run("nc3dump", "-B", "--little-endian", "-v",
                             argument, file)
        if swapped.stdout != b"".join(
                little.stdout[i:i + width][::-1]
                for i in range(0, len(little.stdout), width)):
            checker.fail(file, ["-v", argument], "byte orders disagree")


def values_at(values, shape, chosen):
    """The values with these indices, row-major."""
    places = [0]
    for length, indices in zip(shape, chosen):
        places = [place * length + i for place in places for i in indices]
    return b"".join(values[place] for place in places)


def main():
    """Checks what is asked for; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--all", action="store_true",
                        help="all sets of options with each file")
    parser.add_argument("what", choices=["testdata", "corpus", "package"])
    parser.add_argument("where", nargs="?")
    options = parser.parse_args()
    if not shutil.which("ncdump"):
        print("skipped: no ncdump")
        return 77
    os.environ.update(LC_ALL="C", HOME="/nonexistent")

    with tempfile.TemporaryDirectory() as directory:
        checker = Checker(Path(directory), options.bin.resolve(), options.all)
        if options.what == "testdata":
            files = [(path.resolve(), None)
                     for path in sorted(Path(options.where).glob("*.nc"))]
            check_parts(checker, Path(options.where) / "cdf5-all-types.nc")
            check_generated(checker)
            if not os.environ.get("NC3Z_SANITIZE"):
                check_memory(checker)
            for path in checker.directory.iterdir():
                path.unlink()
        elif options.what == "corpus":
            files = corpus_files()
        else:
            files = package_files(options.where)
        if os.environ.get("NC3Z_SANITIZE"):
            # Slow there, and each kind of file comes several times.
            files = list(files)[::5]
        with ThreadPoolExecutor(2) as pool:
            for result in [pool.submit(checker.check, *file)
                           for file in files]:
                result.result()

    for line in checker.wrong:
        print(line)
    print(f"{checker.nfiles} files, {checker.nruns} runs, "
          f"{len(checker.wrong)} wrong")
    if checker.nfiles == 0:
        print("skipped: no files")
        return 77
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
