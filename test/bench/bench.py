#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Benchmarks, run by './dev bench'.

  bench.py figures [--fill] [--peer NAME=PROGRAM]... [NAME...]
  bench.py compare [--times N] [--ways a,b] [--csv FILE]
  bench.py pack [--runs N] [--csv FILE] [--large] [--peers a,b] [FILE...]
  bench.py ratio [--levels] [--csv FILE] [--points a,b] [FILE|DIR...]
  bench.py floats [--least BYTES] [--peer NAME=PROGRAM]... [--csv FILE]
                  [FILE|DIR...]
  bench.py rounding [--csv FILE]
  bench.py chooser [-l LEVEL] [FILE...]
  bench.py without [-l LEVEL] [FILE|DIR...]
  bench.py steps
  bench.py read [--float MIB] [--short MIB] [--many MIB] [--blocks N] [--runs N]
                [--no-cold] [--dir DIR] [--csv FILE]
  bench.py rechunk [--mib MIB] [--runs N] [--source LAYOUT] [--dir DIR]
                   [--csv FILE]
  bench.py access [--scale X] [--runs N] [--no-cold] [--no-zarr]
                  [--dir DIR] [--csv FILE]
  bench.py plugin [--runs N] [--realtime] [--programs a,b] [--dir DIR]
                  [--csv FILE] [FILE...]
  bench.py python [--runs N] [--dir DIR] [--csv FILE]
  bench.py mount
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

pack: size, time to pack, time to restore and peak memory of nc3compress beside
its peers, medians of N runs, outputs on a memory file system.  Inputs are the
FILEs, by default four of Debian's ferret-datasets; --large adds a file of
1 GiB that is made from them (make_large.py).  Peers that are not installed are
left out by name.

ratio: sizes and speeds over many files, see ratio.py; without FILEs, those of
NC3Z_CORPUS and the four.

floats: the float variables of 200 kB and more of the same files, each beside
fpzip and zfp -R, which are made for floats, and each coder of a --peer; how to
build such a PROGRAM is said in floats.py.

rounding: three variables of floats whose last bits NCO has cut.

chooser: how far the chooser is from the best recipes, see bench_chooser.c;
without FILEs, those of NC3Z_CORPUS/real and the four.

without: by how much archives grow without one filter, splitting step, codec or
search after the other, see without.py; without FILEs, those of NC3Z_CORPUS and
the four.

steps: instructions that each filter and splitting step takes to be undone, see
steps.py.

read: whole variables, records, rows, points, series, boxes and every nth value,
read from archives, from the uncompressed file and from netCDF-4, see
bench_read.c; and opening archives of many blocks and variables.

rechunk: from one layout to another, archive to archive within two budgets of
memory, beside nccopy -c and h5repack on netCDF-4 files of the same chunks:
rate, decodings of a block, peak memory. access: maps, time series, boxes, their
series and strided parts of a variable of three dimensions and of one of four
(make_access.py), linear and in chunks of several shapes, beside netCDF-4 and
zarr with the same chunks, netCDF-4 with its default, HDF5's cache small and
large, and the uncompressed file. plugin: programs with archives, run by nc3run,
beside the originals, see bench_plugin.py.

python: xarray on archives, beside its engines netcdf4, h5netcdf and zarr on
files with the same chunks: opening, a map, series at ten points, the mean over
time with dask, and opening 200 files; each run in a process of its own, in
turns.

mount: files of 250 MB through nc3mount, beside the original itself and the
original passed through the mount; the archive just mounted and then again, so
that the page cache has it.  "ratio" is the time of the archive just mounted by
that of the original, "processor" the same of processor time, nc3mount's
included.

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
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass

import access
import bench_plugin
import bench_python
import mount
import check
import farm
import figures
import floats
import compare
import ratio
import read
import rechunk
import remote
import sheet
import steps
import without

HERE = pathlib.Path(__file__).resolve().parent
DATASETS = ["levitus_climatology.cdf", "etopo5.cdf", "ocean_atlas_subset.nc",
            "monthly_navy_winds.cdf"]


@dataclass
class Peer:
    """Shell commands; {i} is the input, {o} the output."""
    name: str
    program: str
    pack: str
    restore: str


PEERS = [
    Peer("nc3z -1", "nc3compress", "nc3compress -qfk -1 {i} -o {o}",
         "nc3compress -qfd {i} -o {o}"),
    Peer("nc3z", "nc3compress", "nc3compress -qfk {i} -o {o}",
         "nc3compress -qfd {i} -o {o}"),
    Peer("nc3z -9", "nc3compress", "nc3compress -qfk -9 {i} -o {o}",
         "nc3compress -qfd {i} -o {o}"),
    Peer("nccopy -d1 -s", "nccopy", "nccopy -k nc7 -d1 -s {i} {o}",
         "nccopy -k {kind} {i} {o}"),
    Peer("nccopy -d6 -s", "nccopy", "nccopy -k nc7 -d6 -s {i} {o}",
         "nccopy -k {kind} {i} {o}"),
    Peer("nccopy -d9 -s", "nccopy", "nccopy -k nc7 -d9 -s {i} {o}",
         "nccopy -k {kind} {i} {o}"),
    Peer("gzip -6", "gzip", "gzip -6 -c {i} > {o}", "gzip -dc {i} > {o}"),
    Peer("pigz", "pigz", "pigz -c {i} > {o}", "pigz -dc {i} > {o}"),
    Peer("zstd -3 -T2", "zstd", "zstd -q -3 -T2 -f {i} -o {o}",
         "zstd -q -d -f {i} -o {o}"),
    Peer("bgzip", "bgzip", "bgzip -@ 2 -c {i} > {o}",
         "bgzip -@ 2 -dc {i} > {o}"),
    Peer("cp", "cp", "cp {i} {o}", "cp {i} {o}"),
]


def find_datasets():
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"],
                            capture_output=True, text=True, check=False)
    paths = [pathlib.Path(line) for line in listed.stdout.splitlines()]
    found = [p for name in DATASETS for p in paths if p.name == name]
    if not found:
        sys.exit("bench: the package ferret-datasets is not installed")
    return found


def classic_kind(path):
    """nccopy's name for the format of a classic file."""
    with open(path, "rb") as f:
        return {1: "classic", 2: "64-bit offset", 5: "cdf5"}[f.read(4)[3]]


def run_once(command):
    """Seconds and peak memory in KiB of one run; None if it fails."""
    begin = time.perf_counter()
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exec " + command
                                     if ">" not in command else command],
                         os.environ)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        return None
    return seconds, usage.ru_maxrss


def measure(command, output, runs):
    """Medians over the runs, after one run that is not counted."""
    results = []
    for _ in range(runs + 1):
        output.unlink(missing_ok=True)
        results.append(run_once(command))
        if results[-1] is None:
            return None
    seconds, memory = zip(*results[1:])
    return statistics.median(seconds), statistics.median(memory)


def bench_file(peer, path, directory, runs):
    packed, restored = directory / "packed", directory / "restored"
    quote = "'{}'".format
    names = {"kind": quote(classic_kind(path))}
    pack = measure(peer.pack.format(i=quote(path), o=quote(packed), **names),
                   packed, runs)
    if pack is None:
        return None
    size = packed.stat().st_size
    restore = measure(peer.restore.format(i=quote(packed), o=quote(restored),
                                          **names), restored, runs)
    if peer.program == "nc3compress":
        subprocess.run(["cmp", path, restored], check=True)
    for f in packed, restored:
        f.unlink(missing_ok=True)
    if restore is None:
        return None
    return {"file": path.name, "peer": peer.name,
            "original": path.stat().st_size, "archive": size,
            "pack_s": pack[0], "restore_s": restore[0],
            "pack_kib": pack[1], "restore_kib": restore[1]}


def print_row(row):
    mb = row["original"] / 1e6
    print(f"{row['file']:26} {row['peer']:14} {row['archive']:12}"
          f" {row['original'] / row['archive']:7.2f}"
          f" {row['pack_s']:8.3f} {mb / row['pack_s']:8.1f}"
          f" {row['restore_s']:8.3f} {mb / row['restore_s']:8.1f}"
          f" {row['pack_kib'] / 1024:7.1f} {row['restore_kib'] / 1024:7.1f}",
          flush=True)


def bench_pack(options):
    """Packing and restoring, beside other compressors."""
    directory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="nc3z-"))
    peers = [p for p in PEERS if not options.peers or p.name in
             options.peers.split(",")]
    rows = []
    try:
        files = options.files or find_datasets()
        if options.large:
            large = directory / "large.nc"
            subprocess.run([sys.executable, HERE / "make_large.py", large],
                           check=True)
            files = files + [large]
        print(f"{'file':26} {'peer':14} {'bytes':>12} {'ratio':>7} "
              f"{'pack s':>8}"
              f" {'MB/s':>8} {'rest. s':>8} {'MB/s':>8} {'pack MiB':>7}"
              f" {'rest.':>7}")
        for path in files:
            for peer in peers:
                row = None
                if shutil.which(peer.program):
                    row = bench_file(peer, path, directory, options.runs)
                if row:
                    rows.append(row)
                    print_row(row)
                else:
                    print(f"{path.name:26} {peer.name:14} does not run here")
    finally:
        shutil.rmtree(directory)
    sheet.write(options, rows)
    return 0


def bench_chooser(options):
    corpus = os.environ.get("NC3Z_CORPUS")
    real = sorted(pathlib.Path(corpus, "real").iterdir()) if corpus else []
    files = options.files or real + find_datasets()
    return subprocess.run(["bench_chooser", "-l", str(options.level), *files],
                          check=False).returncode


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    pack = commands.add_parser("pack", help="pack and restore whole files")
    pack.add_argument("--runs", type=int, default=5)
    sheet.add_option(pack)
    pack.add_argument("--large", action="store_true")
    pack.add_argument("--peers", help="names, separated by commas")
    pack.add_argument("files", nargs="*", type=pathlib.Path)
    pack.set_defaults(run=bench_pack)
    sizes = commands.add_parser("ratio", help="sizes over many files")
    sheet.add_option(sizes)
    sizes.add_argument("--points", help="names, separated by commas")
    sizes.add_argument("--levels", action="store_true",
                       help="levels of nc3compress, and few others")
    sizes.add_argument("files", nargs="*", type=pathlib.Path)
    sizes.set_defaults(run=lambda o: ratio.bench_ratio(o, find_datasets))
    chooser = commands.add_parser("chooser", help="how good the choice is")
    chooser.add_argument("-l", "--level", type=int, default=5)
    chooser.add_argument("files", nargs="*", type=pathlib.Path)
    chooser.set_defaults(run=bench_chooser)
    parts = commands.add_parser("without", help="what each part is worth")
    parts.add_argument("-l", "--level", type=int, default=5)
    parts.add_argument("files", nargs="*", type=pathlib.Path)
    parts.set_defaults(run=lambda o: without.bench(o, find_datasets))
    costs = commands.add_parser("steps", help="instructions of each step")
    costs.set_defaults(run=lambda o: steps.bench(o, find_datasets))
    compare.add_options(commands.add_parser("compare",
                                            help="the table of performance.md"))
    read.add_options(commands.add_parser("read", help="hyperslabs"))
    rechunk.add_options(commands.add_parser("rechunk",
                                            help="archive to archive"))
    access.add_options(commands.add_parser("access", help="chunks"))
    bench_plugin.add_options(commands.add_parser(
        "plugin", help="programs that read archives"))
    bench_python.add_options(commands.add_parser(
        "python", help="xarray, beside its other engines"))
    mount.add_options(commands.add_parser("mount", help="through nc3mount"))
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
