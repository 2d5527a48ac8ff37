# SPDX-License-Identifier: MIT
"""How fast hyperslabs are read, side by side; see bench.py read."""

import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import sheet

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import BYTE, FLOAT, ClassicWriter, Var  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent

# What is read of one variable; "each" is for many of them.  A stride of 2 is
# along all dimensions; "thin" takes every other row and column of all records.
PATTERNS = ["whole", "record", "row", "series", "stride2", "stride7", "thin2",
            "thin7", "boxes", "points"]
COLD_PATTERNS = ["whole", "record", "series", "points"]
COLUMNS = ["file", "way", "cache", "pattern", "handle", "seconds", "nbytes",
           "ncalls", "nblocks", "peak_kib"]


@dataclass
class Way:
    """A file made from the classic one, and how it is read."""
    name: str
    library: str
    threads: int
    make: str       # a shell command; {i} is the classic file, {o} the output
    packed: str     # ways with the same one share the output


WAYS = [
    Way("nc3z", "nc3z", 1, "nc3compress -qfk {i} -o {o}", "nc3z"),
    Way("nc3z 2 threads", "nc3z", 2, "", "nc3z"),
    Way("nc3z 128K", "nc3z", 1, "nc3compress -qfk -b 128K {i} -o {o}",
        "128k.nc3z"),
    Way("plain, nc3z", "nc3z", 1, "", ""),
    Way("plain, netcdf", "netcdf", 1, "", ""),
    Way("nc4 -d1 -s", "netcdf", 1, "nccopy -k nc7 -d1 -s {i} {o}", "d1.nc4"),
    Way("nc4 -d6 -s", "netcdf", 1, "nccopy -k nc7 -d6 -s {i} {o}", "d6.nc4"),
]

# What decodes all or most of a variable, and so runs on all processors unless
# the program forbids it: against netCDF-4, with one thread and with two.
LARGE = [("whole", "whole"), ("stride 2", "stride2"), ("stride 7", "stride7"),
         ("every 2nd row and column", "thin2"),
         ("every 7th row and column", "thin7"), ("series", "series")]

# Rows of the table of targets: what, pattern, handle, way, peer, at most this
# many times the peer's time, in which page cache.
TARGETS = [
    (f"{what}, {way}, against nc4 -d6", pattern, "fresh", way, "nc4 -d6 -s",
     1 / 3, "warm")
    for what, pattern in LARGE for way in ("nc3z", "nc3z 2 threads")] + [
    ("a record against nc4 -d6", "record", "fresh", "nc3z", "nc4 -d6 -s", 3,
     "warm"),
    ("a box against nc4 -d6", "boxes", "fresh", "nc3z", "nc4 -d6 -s", 3,
     "warm"),
    ("a point against nc4 -d6", "points", "fresh", "nc3z", "nc4 -d6 -s", 3,
     "warm"),
    ("a record, -b 128K, against nc4 -d6", "record", "fresh", "nc3z 128K",
     "nc4 -d6 -s", 1, "warm"),
    ("a box, -b 128K, against nc4 -d6", "boxes", "fresh", "nc3z 128K",
     "nc4 -d6 -s", 1, "warm"),
    ("a point, -b 128K, against nc4 -d6", "points", "fresh", "nc3z 128K",
     "nc4 -d6 -s", 1, "warm"),
    ("whole against uncompressed", "whole", "fresh", "nc3z 2 threads",
     "plain, netcdf", 3, "warm"),
    ("whole against uncompressed", "whole", "fresh", "nc3z 2 threads",
     "plain, netcdf", 1, "cold"),
] + [
    (f"{what}, {way}, against uncompressed", pattern, "fresh", way,
     "plain, netcdf", 1 / 3, "warm")
    for what, pattern in LARGE[1:-1] for way in ("nc3z", "nc3z 2 threads")] + [
    ("8 threads against 1", "boxes by 8 threads", "fresh", "nc3z", "nc3z",
     0.65, "warm"),
]


class Rows:
    """What was measured."""

    def __init__(self):
        self.rows = []

    def find(self, file, way, cache, pattern, handle):
        """The seconds of a row; None if it is not there."""
        for row in self.rows:
            if [row[c] for c in COLUMNS[:5]] == [file, way, cache, pattern,
                                                 handle]:
                return row
        return None


def run(command, **names):
    """A shell command; its words are in single quotes."""
    quoted = {key: f"'{value}'" for key, value in names.items()}
    subprocess.run(command.format(**quoted), shell=True, check=True)


def path_of(way, classic):
    """The file that a way reads."""
    return pathlib.Path(f"{classic}.{way.packed}") if way.packed else classic


def measure(rows, options, way, classic, cache, patterns):
    """Runs bench_read; appends its rows."""
    out = subprocess.run(
        ["bench_read", way.library, path_of(way, classic), str(way.threads),
         str(options.runs), str(int(cache == "cold"))] + patterns,
        check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        pattern, handle, seconds, nbytes, ncalls, nblocks, peak = \
            line.split(",")
        rows.rows.append(dict(zip(COLUMNS, (
            classic.name, way.name, cache, pattern, handle, float(seconds),
            float(nbytes), int(ncalls), int(nblocks), int(peak)))))


def show_time(row):
    """Milliseconds, three digits."""
    if row is None:
        return "-"
    ms = row["seconds"] * 1e3
    return f"{ms:.{max(0, 2 - math.floor(math.log10(ms)))}f}"


def show_table(rows, classic, cache, patterns):
    """Milliseconds of a call: a line for each pattern, a column for a way."""
    print(f"\n{classic.name}, {cache}: milliseconds of a call")
    print(f"{'':24}" + "".join(f"{way.name:>15}" for way in WAYS))
    handles = ["fresh", "used"] if cache == "warm" else ["fresh"]
    for pattern in patterns:
        for handle in handles:
            found = [rows.find(classic.name, way.name, cache, pattern, handle)
                     for way in WAYS]
            if any(found):
                print(f"{pattern + ', ' + handle:24}" +
                      "".join(f"{show_time(row):>15}" for row in found))
    sys.stdout.flush()


def show_blocks(rows, classic):
    """Blocks that were decoded for all calls of a run, and peak memory."""
    for way in WAYS:
        found = [r for r in rows.rows
                 if r["file"] == classic.name and r["way"] == way.name]
        if not found:
            continue
        print(f"{way.name}: peak memory beside what is read into "
              f"{max(r['peak_kib'] for r in found) / 1024:.0f} MiB")
        blocks = [f"{r['pattern']} {r['handle']} {r['nblocks']} in "
                  f"{r['ncalls']}" for r in found if r["nblocks"]]
        if blocks:
            print("  blocks decoded: " + ", ".join(blocks))


def make_all(classic):
    """The archives and netCDF-4 files; prints their sizes."""
    print(f"\n{classic.name}: {classic.stat().st_size} bytes")
    for way in WAYS:
        if way.make:
            run(way.make, i=classic, o=path_of(way, classic))
            size = path_of(way, classic).stat().st_size
            print(f"  {path_of(way, classic).name}: {size} bytes, ratio "
                  f"{classic.stat().st_size / size:.2f}")


def bench_one_file(rows, options, classic, patterns):
    """One classic file in all ways."""
    make_all(classic)
    for way in WAYS:
        more = ["threads"] if way.name == "nc3z" and "whole" in patterns \
            else []
        measure(rows, options, way, classic, "warm", patterns + more)
    show_table(rows, classic, "warm", patterns + [
        "boxes by 1 threads", "boxes by 8 threads"])
    show_blocks(rows, classic)
    if "whole" in patterns and options.cold:
        for way in WAYS:
            measure(rows, options, way, classic, "cold", COLD_PATTERNS)
        show_table(rows, classic, "cold", COLD_PATTERNS)


def many_variables(path, nvars):
    """A CDF-2 file of small float variables, each of 100 values."""
    head = ClassicWriter(2, (("x", 100),), variables=[
        Var(f"var_{v:04}", FLOAT, "x") for v in range(nvars)]).head()
    with open(path, "wb") as out:
        out.write(head)
        for v in range(nvars):
            out.write(b"".join(struct.pack(">f", v + i / 7)
                               for i in range(100)))


def one_large_variable(path, nbytes):
    """A CDF-5 file of one byte variable, all zero."""
    head = ClassicWriter(5, (("x", nbytes),), variables=[
        Var("x", BYTE, "x")]).head()
    with open(path, "wb") as out:
        out.write(head)
        out.truncate(len(head) + nbytes)


def bench_opening(rows, options, directory):
    """Archives of many blocks, of many variables."""
    blocks, variables = directory / "million.nc", directory / "variables.nc"
    one_large_variable(blocks, options.blocks * 4096)
    many_variables(variables, 6000)
    archive, plain, netcdf, d1 = WAYS[0], WAYS[3], WAYS[4], WAYS[5]
    run("nc3compress -qfk -1 -b 4096 {i} -o {o}", i=blocks,
        o=path_of(archive, blocks))
    for way in archive, d1:
        run(way.make, i=variables, o=path_of(way, variables))
    print("\nopening: milliseconds, warm and cold")
    for way, path in ((archive, blocks), (plain, blocks),
                      (archive, variables), (plain, variables),
                      (netcdf, variables), (d1, variables)):
        for cache in "warm", "cold":
            measure(rows, options, way, path, cache, ["open"])
        warm, cold = (rows.find(path.name, way.name, cache, "open", "fresh")
                      for cache in ("warm", "cold"))
        print(f"  {path.name:14} {way.name:14} {show_time(warm):>8} "
              f"{show_time(cold):>8}   peak {warm['peak_kib'] / 1024:.0f} MiB")


def show_targets(rows, names):
    """Which targets hold, for each file."""
    print("\ntargets: time against the peer's; must be at most")
    for name in names:
        for what, pattern, handle, way, peer, most, cache in TARGETS:
            other = pattern.replace("8", "1") if way == peer else pattern
            a = rows.find(name, way, cache, pattern, handle)
            b = rows.find(name, peer, cache, other, handle)
            if a is None or b is None:
                continue
            ratio = a["seconds"] / b["seconds"]
            print(f"  {name:12} {cache:5} {what:52} {ratio:6.2f} {most:6.2f}"
                  f"  {'holds' if ratio <= most else 'DOES NOT HOLD'}")


def make_files(options, directory):
    """The classic files, each with the patterns for it."""
    def make(name, mib, width, nvars, rows, columns, nctype):
        path = directory / name
        records = max(1, mib * (1 << 20) // (width * nvars * rows * columns))
        subprocess.run([sys.executable, HERE / "make_large.py", path,
                        str(records), "--vars", str(nvars), "--rows",
                        str(rows), "--columns", str(columns), "--type",
                        nctype], check=True)
        return path
    if options.float:
        yield make("float.nc", options.float, 4, 1, 90, 180, "float"), PATTERNS
    if options.short:
        yield make("short.nc", options.short, 2, 1, 90, 180, "short"), PATTERNS
    if options.many:
        yield make("many.nc", options.many, 4, 300, 32, 32, "float"), ["each"]


def bench_read(options):
    """The command."""
    if not shutil.which("bench_read"):
        sys.exit("bench: bench_read was not built: no libnetcdf")
    directory = pathlib.Path(tempfile.mkdtemp(dir=options.dir,
                                           prefix="bench_read_"))
    rows, names = Rows(), []
    try:
        for classic, patterns in make_files(options, directory):
            bench_one_file(rows, options, classic, patterns)
            names.append(classic.name)
            for path in directory.iterdir():
                path.unlink()
        if options.blocks:
            bench_opening(rows, options, directory)
    finally:
        shutil.rmtree(directory)
    show_targets(rows, names)
    sheet.write(options, rows.rows)
    return 0


def add_options(parser):
    """The options of the command."""
    for name, default, what in (
            ("float", 240, "MiB of a float variable"),
            ("short", 120, "MiB of a short variable"),
            ("many", 64, "MiB of 300 record variables"),
            ("blocks", 1000000, "blocks of an archive to open"),
            ("runs", 3, "the best of so many runs")):
        parser.add_argument("--" + name, type=int, default=default,
                            help=f"{what} ({default}); 0: none")
    parser.add_argument("--no-cold", dest="cold", action="store_false")
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"),
                        help="on a disk, for reading cold")
    sheet.add_option(parser)
    parser.set_defaults(run=bench_read)
