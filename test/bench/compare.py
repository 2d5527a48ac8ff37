# SPDX-License-Identifier: MIT
"""nc3z beside what else is done with netCDF-3 files: './dev bench compare'.

One file of daily sea temperatures (make_access.py), packed and read in each
way: all of it, one map, the series of one point.  Reading is what a program in
Python does: it opens the file afresh and gets an array.  Files that are packed
as a whole are unpacked for each reading, there is no other way.  Times are
medians by the clock, files are in memory; the table is Markdown.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Callable

import numpy

HERE = pathlib.Path(__file__).resolve().parent
VARIABLE = "sst"
RUNS = 5


def read_classic(path, where):
    from scipy.io import netcdf_file
    with netcdf_file(path, mmap=True, maskandscale=False) as f:
        return numpy.array(f.variables[VARIABLE][where])


def read_netcdf4(path, where):
    import netCDF4
    with netCDF4.Dataset(path) as f:
        f.set_auto_maskandscale(False)
        return f[VARIABLE][where]


def read_zarr(path, where):
    import zarr
    return zarr.open_array(str(path), "r")[where]


def read_archive(path, where):
    import nc3z
    with nc3z.File(path) as f:
        return f.variables[VARIABLE][where]


def unpacked_by(command):
    """Reads a file that has to be unpacked before."""
    def read(path, where):
        plain = path.parent / "plain.nc"
        shell(command, path, plain)
        values = read_classic(plain, where)
        plain.unlink()
        return values
    return read


@dataclass
class Way:
    """How a file is packed ({i} to {o}), read, and what it is afterwards."""
    name: str
    pack: str
    read: Callable
    original: str       # whether the original's bytes can be had
    programs: str       # how programs read it


WAYS = [
    Way("netCDF-3", "cp {i} {o}", read_classic, "is it", "yes"),
    Way("gzip -6", "gzip -6 -c {i} > {o}", unpacked_by("gzip -dc {i} > {o}"),
        "yes", "after unpacking"),
    Way("xz -6", "xz -6 -T1 -c {i} > {o}", unpacked_by("xz -dc {i} > {o}"),
        "yes", "after unpacking"),
    Way("zstd -19", "zstd -q -19 -f {i} -o {o}",
        unpacked_by("zstd -q -d -f {i} -o {o}"), "yes", "after unpacking"),
    Way("nccopy -d6 -s", "nccopy -k nc7 -d6 -s {i} {o}", read_netcdf4, "no",
        "yes"),
    Way("Zarr, zstd", sys.executable + f" {HERE}/access_zarr.py make {{i}} {{o}}"
        " 1,180,360", read_zarr, "no", "those that know it"),
    Way("**nc3z**", "nc3compress -qfk {i} -o {o}", read_archive, "yes",
        "yes, `nc3run`"),
    Way("**nc3z --chunks series**",
        "nc3compress -qfk --chunks series {i} -o {o}", read_archive, "yes",
        "yes, `nc3run`"),
]


def shell(command, source, target):
    subprocess.run(["sh", "-c", command.format(i=f"'{source}'",
                                               o=f"'{target}'")],
                   check=True, stdout=subprocess.DEVNULL)


def nbytes_of(path):
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(f.stat().st_size for f in files if f.is_file())


def median_seconds(action, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = action()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), result


def run_way(way, source, wanted, directory):
    """A row of the table: original by packed bytes, and seconds."""
    packed = directory / "packed"
    if packed.is_dir():
        shutil.rmtree(packed)
    else:
        packed.unlink(missing_ok=True)
    begin = time.perf_counter()
    shell(way.pack, source, packed)
    row = [source.stat().st_size / nbytes_of(packed),
           time.perf_counter() - begin]
    whole_runs = 1 if "after" in way.programs else RUNS
    for (where, values), runs in zip(wanted, (whole_runs, RUNS, whole_runs)):
        seconds, got = median_seconds(lambda w=where: way.read(packed, w), runs)
        if got.astype("=f4").tobytes() != values:
            raise SystemExit(f"bench: {way.name} reads other values")
        row.append(seconds)
    return row


def cell(seconds):
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.1f} ms"


def bench_compare(options):
    sys.path.insert(0, str(HERE.parents[1] / "lib" / "python"))
    directory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="nc3z-"))
    try:
        source = directory / "x.nc"
        subprocess.run([sys.executable, HERE / "make_access.py", source,
                        "--dims", "3", "--times", str(options.times)],
                       check=True)
        wanted = [(where, read_classic(source, where).astype("=f4").tobytes())
                  for where in ((...,), (options.times // 3,),
                                (slice(None), 100, 200))]
        print(f"\n{source.stat().st_size / 1e6:.0f} MB,"
              f" {options.times} maps of 180 x 360; {os.cpu_count()} cores\n")
        print("| | smaller by | pack | read all | one map | one point's series"
              " | original restorable | programs read it |")
        print("|---|---|---|---|---|---|---|---|")
        for way in WAYS:
            ratio, *seconds = run_way(way, source, wanted, directory)
            print(f"| {way.name} | {ratio:.2f} |",
                  " | ".join(map(cell, seconds)),
                  f"| {way.original} | {way.programs} |", flush=True)
    finally:
        shutil.rmtree(directory)
    return 0


def add_options(parser):
    parser.add_argument("--times", type=int, default=500)
    parser.set_defaults(run=bench_compare)
