# SPDX-License-Identifier: MIT
"""How fast hyperslabs are read, side by side; see bench.py read."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import sheet

HERE = pathlib.Path(__file__).resolve().parent

# What is read of one variable.  A stride of 2 is along all dimensions; "thin"
# takes every other row and column of all records.
PATTERNS = ["whole", "record", "row", "series", "stride2", "stride7", "thin2",
            "thin7", "boxes", "points"]
COLD_PATTERNS = ["whole", "record", "series", "points"]

# What a way reads with, on so many threads, and the command that makes its file
# "o" of the classic file "i".
WAYS = {
    "nc3z": ("nc3z", 1, "nc3compress -qfk {i} -o {o}"),
    "nc3z 2 threads": ("nc3z", 2, "nc3compress -qfk {i} -o {o}"),
    "plain, netcdf": ("netcdf", 1, "cp {i} {o}"),
    "nc4 -d6 -s": ("netcdf", 1, "nccopy -k nc7 -d6 -s {i} {o}"),
}


def measure(classic, way, runs, cold):
    """Makes the file, runs bench_read; a row for each pattern."""
    library, threads, make = WAYS[way]
    path = classic.with_suffix(".made")
    subprocess.run([word.format(i=classic, o=path) for word in make.split()],
                   check=True)
    for cache, patterns in (("warm", PATTERNS), ("cold", COLD_PATTERNS)):
        if cache == "cold" and not cold:
            continue
        out = subprocess.run(
            ["bench_read", library, path, str(threads), str(runs),
             str(int(cache == "cold")), *patterns],
            check=True, capture_output=True, text=True).stdout
        for line in out.splitlines():
            pattern, seconds = line.split(",")
            print(f"{classic.name:10} {way:15} {cache:5} {pattern:8} "
                  f"{float(seconds) * 1e3:10.3f} ms", flush=True)
            yield {"file": classic.name, "way": way, "cache": cache,
                   "pattern": pattern, "seconds": float(seconds)}
    path.unlink()


def make_file(directory, kind, mib):
    """A classic file of one variable, of shorts or floats."""
    path = directory / f"{kind}.nc"
    records = max(1, mib * (1 << 20) // ({"float": 4, "short": 2}[kind]
                                         * 90 * 180))
    subprocess.run([sys.executable, HERE / "make_large.py", path, str(records),
                    "--vars", "1", "--rows", "90", "--columns", "180",
                    "--type", kind], check=True)
    return path


def bench_read(options):
    """The command."""
    if not shutil.which("bench_read"):
        sys.exit("bench: bench_read was not built: no libnetcdf")
    rows = []
    with tempfile.TemporaryDirectory(dir=options.dir) as directory:
        for kind in "float", "short":
            if mib := getattr(options, kind):
                classic = make_file(pathlib.Path(directory), kind, mib)
                for way in WAYS:
                    rows += measure(classic, way, options.runs, options.cold)
                classic.unlink()
    sheet.write(options, rows)
    return 0


def add_options(parser):
    """The options of the command."""
    for name, default, what in (
            ("float", 240, "MiB of a float variable"),
            ("short", 120, "MiB of a short variable"),
            ("runs", 3, "the best of so many runs")):
        parser.add_argument("--" + name, type=int, default=default,
                            help=f"{what} ({default}); 0: none")
    parser.add_argument("--no-cold", dest="cold", action="store_false")
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"),
                        help="on a disk, for reading cold")
    sheet.add_option(parser)
    parser.set_defaults(run=bench_read)
