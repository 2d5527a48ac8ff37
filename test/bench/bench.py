#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Benchmarks, run by './dev bench'.

  bench.py figures [--fill] [--peer NAME=PROGRAM]... [NAME...]
  bench.py compare [--times N] [--ways a,b] [--csv FILE]
  bench.py ratio [--levels] [--csv FILE] [--points a,b] [FILE|DIR...]
  bench.py floats [--least BYTES] [--peer NAME=PROGRAM]... [--csv FILE]
                  [FILE|DIR...]
  bench.py rounding [--csv FILE]
  bench.py without [-l LEVEL] [FILE|DIR...]
  bench.py steps
  bench.py read [--float MIB] [--short MIB] [--runs N] [--no-cold] [--dir DIR]
                [--csv FILE]
  bench.py python [--runs N] [--dir DIR] [--csv FILE]
  bench.py remote [--times N] [--round-trip MS] [--large GB] [--runs N]
                  [--dir DIR] [--csv FILE]
  bench.py check [--records N] [--runs N] [--par2] [--csv FILE] [FILE]
  bench.py farm [--runs N] [--files N] [--kilobytes N] [--megabytes N]
                [--done N] [--dir DIR] [--csv FILE]

figures: measures what documents and charts state, all of it or what has the
NAMEs, writes doc/figures.json and puts the figures in, see figures.py; --fill
only puts them in.

compare: one file: size, packing, reading all, a map and a series, beside what
else is done with netCDF-3 files, see compare.py.

ratio: sizes and speeds over many files, see ratio.py; without FILEs, those of
NC3Z_CORPUS and the four.

floats: the float variables of 200 kB and more of the same files, each beside
fpzip and zfp -R, which are made for floats, and each coder of a --peer; how to
build such a PROGRAM is said in floats.py.

rounding: three variables of floats whose last bits NCO has cut.

without: by how much archives grow without one filter, splitting step, codec or
search after the other, see without.py; without FILEs, those of NC3Z_CORPUS and
the four.

steps: instructions that each filter and splitting step takes to be undone, see
steps.py.

read: whole variables, records, rows, points, series, boxes and every nth value,
read from archives, from the uncompressed file and from netCDF-4, see
bench_read.c.

python: xarray on archives, beside its engines netcdf4, h5netcdf and zarr on
files with the same chunks: opening, a map, series at ten points, the mean over
time with dask, and opening 200 files; each run in a process of its own, in
turns.

remote: header, a map, opening with xarray, a time series and all values by URL,
through a relay that makes every round trip last (relay.py), beside h5netcdf and
zarr over fsspec, GDAL's /vsicurl and the classic original; seconds, requests
and MB; and what an archive of 10 GB takes.

check: how fast an archive is checked, beside gzip -t, xz -t and sha256sum, from
the page cache, in GB of what is stored and of the original, with the processor
time; with --par2 also what par2 takes to protect and repair it.

farm: planning and running nc3farm over a tree of small files, beside
nc3compress -r and nccopy under GNU parallel; the status of a million files; a
second run over files that are done, beside find; joining 16 parts beside cat,
both synced.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import warnings

import bench_python
import check
import farm
import figures
import floats
import compare
import ratio
import read
import remote
import sheet
import steps
import without

HERE = pathlib.Path(__file__).resolve().parent
DATASETS = ["levitus_climatology.cdf", "etopo5.cdf", "ocean_atlas_subset.nc",
            "monthly_navy_winds.cdf"]


def find_datasets():
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"],
                            capture_output=True, text=True, check=False)
    paths = [pathlib.Path(line) for line in listed.stdout.splitlines()]
    found = [p for name in DATASETS for p in paths if p.name == name]
    if not found:
        sys.exit("bench: the package ferret-datasets is not installed")
    return found


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    sizes = commands.add_parser("ratio", help="sizes over many files")
    sheet.add_option(sizes)
    sizes.add_argument("--points", help="names, separated by commas")
    sizes.add_argument("--levels", action="store_true",
                       help="levels of nc3compress, and few others")
    sizes.add_argument("files", nargs="*", type=pathlib.Path)
    sizes.set_defaults(run=lambda o: ratio.bench_ratio(o, find_datasets))
    parts = commands.add_parser("without", help="what each part is worth")
    parts.add_argument("-l", "--level", type=int, default=5)
    parts.add_argument("files", nargs="*", type=pathlib.Path)
    parts.set_defaults(run=lambda o: without.bench(o, find_datasets))
    costs = commands.add_parser("steps", help="instructions of each step")
    costs.set_defaults(run=lambda o: steps.bench(o, find_datasets))
    compare.add_options(commands.add_parser("compare",
                                            help="the table of performance.md"))
    read.add_options(commands.add_parser("read", help="hyperslabs"))
    bench_python.add_options(commands.add_parser(
        "python", help="xarray, beside its other engines"))
    remote.add_options(commands.add_parser("remote", help="by URL"))
    check.add_options(commands.add_parser("check", help="checking files"))
    variables = commands.add_parser("floats", help="beside fpzip and zfp")
    floats.add_options(variables)
    variables.set_defaults(run=lambda o: floats.bench(o, find_datasets))
    rounding = commands.add_parser("rounding", help="before packing, by NCO")
    sheet.add_option(rounding)
    rounding.set_defaults(run=lambda o: floats.bench_rounding(
        o, find_datasets))
    farm.add_options(commands.add_parser("farm", help="nc3farm, and parts"))
    figures.add_options(commands.add_parser(
        "figures", help="doc/figures.json, and what has figures from it"))
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # zarr warns at every array, whose rows would be torn apart.
    os.environ["PYTHONWARNINGS"] = "ignore"
    warnings.simplefilter("ignore")
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
