# SPDX-License-Identifier: MIT
"""nc3z beside what else is done with netCDF-3 files: './dev bench compare'.

One file of daily sea temperatures (make_access.py), packed and read in each
way: all of it, one map, the series of one point.  Reading is what a program in
Python does: it opens the file afresh and gets an array.  Files that are packed
as a whole are unpacked for each reading, there is no other way.  Times are
medians by the clock, files are in memory; the table is Markdown.  Where the
original's bytes can be had they are, and are compared.
"""

import filecmp
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

import sheet

HERE = pathlib.Path(__file__).resolve().parent
VARIABLE = "sst"
RUNS = 5
MEASURED = "smaller by", "pack", "read all", "one map", "one point's series"
HEADINGS = *MEASURED, "original restorable", "programs read it"
WIDTHS = (24, *map(len, HEADINGS))


def read_classic(path, where):
    """By scipy, which is fastest; without it by netCDF4."""
    try:
        from scipy.io import netcdf_file
    except ImportError:
        return read_netcdf4(path, where)
    with netcdf_file(path, mmap=True, maskandscale=False) as f:
        return numpy.array(f.variables[VARIABLE][where])


def read_netcdf4(path, where):
    import netCDF4
    with netCDF4.Dataset(path) as f:
        f.set_auto_maskandscale(False)
        return f[VARIABLE][where]


def read_zarr(path, where):
    import zarr
    return zarr.open_array(str(path), mode="r")[where]


def read_archive(path, where):
    import nc3z
    with nc3z.File(path, raw=True) as f:
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
    restore: str        # empty: the original's bytes cannot be had
    programs: str       # how programs read it

    @property
    def plain_name(self):
        """As it is chosen by, and as it is in documents."""
        return self.name.replace("*", "")


def packed_whole(name, pack, restore):
    """A way whose files are unpacked before they are read."""
    return Way(name, pack, unpacked_by(restore), restore, "after unpacking")


def nc3z(name, options):
    """One of ours."""
    return Way(f"**{name}**", f"nc3compress -qfk{options} {{i}} -o {{o}}",
               read_archive, "nc3compress -qdc {i} > {o}", "yes, `nc3run`")


WAYS = [
    Way("netCDF-3", "cp {i} {o}", read_classic, "cp {i} {o}", "yes"),
    packed_whole("gzip -6", "gzip -6 -c {i} > {o}", "gzip -dc {i} > {o}"),
    packed_whole("xz -6", "xz -6 -T1 -c {i} > {o}", "xz -dc {i} > {o}"),
    packed_whole("zstd -19", "zstd -q -19 -f {i} -o {o}",
                 "zstd -q -d -f {i} -o {o}"),
    Way("nccopy -d6 -s", "nccopy -k nc7 -d6 -s {i} {o}", read_netcdf4, "",
        "yes"),
    Way("Zarr, zstd",
        sys.executable + f" {HERE}/access_zarr.py make {{i}} {{o}}"
        " 1,180,360", read_zarr, "", "those that know it"),
    Way("exact netCDF-4", "nc3convert -qf --to=netcdf4 {i} -o {o}",
        read_netcdf4, "nc3convert -q --to=classic {i} -o {o}", "yes"),
    nc3z("nc3z", ""),
    nc3z("nc3z --chunks series", " --chunks series"),
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


def check_restored(way, source, packed, directory):
    """Stops if the original's bytes are not in it."""
    restored = directory / "restored"
    shell(way.restore, packed, restored)
    if not filecmp.cmp(source, restored, shallow=False):
        raise SystemExit(f"bench: {way.plain_name} restores other bytes")
    restored.unlink()


def run_way(way, source, wanted, directory):
    """What was measured: original by packed bytes, and seconds."""
    packed = directory / "packed"
    if packed.is_dir():
        shutil.rmtree(packed)
    else:
        packed.unlink(missing_ok=True)
    begin = time.perf_counter()
    shell(way.pack, source, packed)
    row = [source.stat().st_size / nbytes_of(packed),
           time.perf_counter() - begin]
    if way.restore:
        check_restored(way, source, packed, directory)
    whole_runs = 1 if "after" in way.programs else RUNS
    for (where, values), runs in zip(wanted, (whole_runs, RUNS, whole_runs)):
        seconds, got = median_seconds(lambda w=where: way.read(packed, w), runs)
        if got.astype("=f4").tobytes() != values:
            raise SystemExit(f"bench: {way.plain_name} reads other values")
        row.append(seconds)
    return row


def cell(seconds):
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.1f} ms"


def print_row(*cells):
    """A row of the table."""
    print("|", " | ".join(f"{c:{n}}" for c, n in zip(cells, WIDTHS)), "|",
          flush=True)


def chosen_ways(names):
    """All, or those of the names."""
    ways = [w for w in WAYS if not names or w.plain_name in names.split(",")]
    if not ways:
        sys.exit(f"bench: none of {', '.join(w.plain_name for w in WAYS)}")
    return ways


def measure(options, directory):
    """Prints the table; returns its rows."""
    source = directory / "x.nc"
    subprocess.run([sys.executable, HERE / "make_access.py", source,
                    "--times", str(options.times)], check=True)
    wanted = [(where, read_classic(source, where).astype("=f4").tobytes())
              for where in ((...,), (options.times // 3,),
                            (slice(None), 100, 200))]
    print(f"\n{source.stat().st_size / 1e6:.0f} MB,"
          f" {options.times} maps of 180 x 360; {os.cpu_count()} cores\n")
    print_row("", *HEADINGS)
    print_row(*["-" * n for n in WIDTHS])
    rows = []
    for way in chosen_ways(options.ways):
        ratio, *seconds = run_way(way, source, wanted, directory)
        original = "is it" if way is WAYS[0] else "yes" if way.restore else "no"
        print_row(way.name, f"{ratio:.2f}", *map(cell, seconds), original,
                  way.programs)
        rows.append(dict(zip(("way", *MEASURED),
                             (way.plain_name, ratio, *seconds))))
    return rows


def bench_compare(options):
    sys.path.insert(0, str(HERE.parents[1] / "lib" / "python"))
    directory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="nc3z-"))
    try:
        rows = measure(options, directory)
    finally:
        shutil.rmtree(directory)
    sheet.write(options, rows)
    return 0


def add_options(parser):
    parser.add_argument("--times", type=int, default=250)
    parser.add_argument("--ways", help="names, separated by commas")
    sheet.add_option(parser)
    parser.set_defaults(run=bench_compare)
