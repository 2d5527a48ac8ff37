# SPDX-License-Identifier: MIT
"""nc3farm beside nc3compress -r and nccopy, its status, a second run over
files that are done, and joining parts beside cat; see bench.py farm.

Commands that are compared take turns, and ratios are of medians."""

import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import sheet

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import FLOAT, ClassicWriter, Var  # noqa: E402

NPARTS = 16
MEASURED: list = []


def smooth_file(path, nbytes, rng):
    """A CDF-1 file of floats as a model gives them: waves and some noise."""
    n, wave = nbytes // 4, [rng.gauss(280, 9)]
    for _ in range(1023):
        wave.append(wave[-1] + rng.gauss(0, 0.3))
    with open(path, "wb") as file:
        file.write(ClassicWriter(dims=(("x", n),),
                                 variables=(Var("v", FLOAT, "x"),)).head())
        for at in range(0, n, 1024):
            row = [round(v + rng.gauss(0, 0.02), 2) for v in wave]
            file.write(struct.pack(f">{min(1024, n - at)}f",
                                   *row[:n - at]))


def make_tree(tree, nfiles, nbytes):
    """A few different files, many times, each with noise of its own."""
    rng = random.Random(1)
    for i in range(nfiles):
        path = tree / f"{i // 100:03d}" / f"{i:05d}.nc"
        path.parent.mkdir(parents=True, exist_ok=True)
        if i < 20:
            smooth_file(path, nbytes, rng)
            continue
        data = bytearray((tree / "000" / f"{i % 20:05d}.nc").read_bytes())
        data[-4096:] = rng.randbytes(4096)
        path.write_bytes(data)


class Times:
    """Medians of the runs of a command: seconds, and the processors'."""

    def __init__(self, command):
        self.command, self.runs = command, []

    def run(self):
        begin = time.monotonic()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(self.command, shell=True, check=False,
                              capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"bench: {self.command}: {done.stderr.decode()}")
        self.runs.append((
            time.monotonic() - begin,
            end.ru_utime + end.ru_stime - used.ru_utime - used.ru_stime))

    @property
    def wall(self):
        return statistics.median(run[0] for run in self.runs)

    @property
    def cpu(self):
        return statistics.median(run[1] for run in self.runs)

    def over(self, other):
        """The ratios to another command's."""
        return (f"{self.wall / other.wall:.2f} "
                f"(processors {self.cpu / other.cpu:.3f})")

    def __str__(self):
        return f"{self.wall:8.2f} s, processors {self.cpu:8.2f} s"


def compare(what, commands, runs, before=lambda: None):
    """Times of commands that take turns, by name; prints them."""
    print(f"{what}:", flush=True)
    times = {name: Times(command) for name, command in commands.items()}
    for i in range(runs):
        for one in list(times.values())[::1 if i % 2 == 0 else -1]:
            before()
            one.run()
    for name, one in times.items():
        print(f"  {name:28}{one}", flush=True)
        MEASURED.append({"what": what, "command": name, "clock": one.wall,
                         "processors": one.cpu})
    return list(times.values())


def program(name):
    """A script, run by this Python: starters of others may be slow."""
    return f"{sys.executable} {shutil.which(name)}"


def clean(tree, work):
    shutil.rmtree(work, ignore_errors=True)
    for path in [*tree.rglob("*.nc3z"), *tree.rglob("*.nc4")]:
        path.unlink()


def bench_tree(directory, options):
    """What nc3farm costs beside nc3compress; and nccopy, on fewer files."""
    tree, work = directory / "tree", directory / "work"
    make_tree(tree, options.files, options.kilobytes * 1000)
    farm = program("nc3farm")

    def of(paths):
        return f"{farm} plan {paths} {work} && {farm} run -j2 {work}"

    title = f"{options.files:,} files of {options.kilobytes} kB"
    alone, times = compare(title, {
        "nc3compress -r -T2": f"nc3compress -qr -T2 {tree}",
        "nc3farm plan, run -j2": of(tree),
    }, options.runs, lambda: clean(tree, work))
    print(f"  nc3farm / nc3compress -r: {times.over(alone)}", flush=True)
    few = " ".join(str(tree / f"{i:03d}") for i in range(10))
    times, peer = compare("1,000 of them", {
        "nc3farm plan, run -j2": of(few),
        "parallel -j2 nccopy -d6 -s":
            f"find {few} -name '*.nc' | parallel --will-cite -j2 "
            "nccopy -k nc7 -d6 -s {} {}4",
    }, min(options.runs, 3), lambda: clean(tree, work))
    print(f"  nccopy / nc3farm: {peer.over(times)}", flush=True)
    clean(tree, work)


def bench_again(directory, options):
    """Files that are all done, and find, which opens none of them."""
    tree = directory / "again"
    for i in range(options.done):
        path = tree / f"{i // 100:04d}" / f"{i % 100:02d}.nc"
        path.parent.mkdir(parents=True, exist_ok=True)
        if i == 0:
            smooth_file(path, 1000, random.Random(1))
            subprocess.run(["nc3compress", "-q", path], check=True)
            first = (path.read_bytes(),
                     pathlib.Path(f"{path}.nc3z").read_bytes(),
                     path.stat().st_mtime_ns)
            continue
        for name, data in ((path, first[0]), (f"{path}.nc3z", first[1])):
            with open(name, "wb") as file:
                file.write(data)
            os.utime(name, ns=(first[2], first[2]))
    done = f"{options.done:,} files that are done"
    work, farm = directory / "work", program("nc3farm")
    listing, again, _ = compare(done, {
        "find -printf": f"find {tree} -type f -printf '%s %T@ %p\\n'",
        "nc3compress -r --update": f"nc3compress -qr --update {tree}",
        "nc3farm plan, run -j2":
            f"{farm} plan {tree} {work} && {farm} run -j2 {work}",
    }, options.runs, lambda: shutil.rmtree(work, ignore_errors=True))
    compare(done, {"nc3farm run, again": f"{farm} run -j2 {work}",
                   "nc3farm collect": f"{farm} collect --read {work}"}, 1)
    shutil.rmtree(work)
    print(f"  nc3compress / find: {again.over(listing)}", flush=True)
    shutil.rmtree(tree)


def bench_status(directory):
    """A plan of 10^6 files in 1,000 tasks, all done, as a run leaves it."""
    work, tree = directory / "status", directory / "million"
    for kind in "shards", "journal":
        (work / kind).mkdir(parents=True, mode=0o700)
    work.chmod(0o700)
    tasks = []
    for i in range(1000):
        (tree / f"{i:03d}").mkdir(parents=True)
        names = [f"{tree}/{i:03d}/file_{j:06d}.nc" for j in range(1000)]
        shard = "".join(f"{name}\0" for name in names).encode()
        (work / "shards" / f"{i:06d}").write_bytes(shard)
        with open(work / "journal" / f"{i:06d}", "w",
                  encoding="ascii") as journal:
            for name in names:
                with open(f"{name}.nc3z", "wb"):
                    pass
                journal.write(json.dumps({
                    "name": name, "result": "packed", "status": 0,
                    "output": f"{name}.nc3z", "seconds": 0.1,
                    "original_bytes": 10**6, "archive_bytes": 0,
                    "sha256": "0" * 64, "archive_sha256": "1" * 64,
                    "mtime": "1000000000.000000000",
                    "time": "2001-09-09T01:46:40Z", "warnings": [],
                    "error": None}) + "\n")
        tasks.append({"files": 1000, "output": None,
                      "sha256": hashlib.sha256(shard).hexdigest()})
    (work / "plan.json").write_text(json.dumps({
        "format": 2, "action": "pack", "options": [], "suffix": ".nc3z",
        "output_dir": None, "root": None, "tasks": tasks}))
    compare("a plan of 1,000,000 files",
            {"nc3farm status": f"{program('nc3farm')} status {work}"}, 3)
    shutil.rmtree(work)
    shutil.rmtree(tree)


def bench_join(directory, options):
    """Joining, synced, beside cat and sync of the same parts."""
    path = directory / "large.nc"
    make = pathlib.Path(__file__).resolve().parent / "make_large.py"
    nrecords = max(1, options.megabytes * 328 // 1074)
    subprocess.run([sys.executable, make, path, str(nrecords)], check=True,
                   capture_output=True)
    for part in ["sha256", *(f"{i}/{NPARTS}" for i in range(1, NPARTS + 1))]:
        subprocess.run(["nc3compress", "-q0", f"--part={part}", path],
                       check=True)
    parts = f"{path}.nc3z.part-*"
    out = directory / "out"

    def prepare():
        out.unlink(missing_ok=True)
        os.sync()

    title = f"{NPARTS} parts of a file of {options.megabytes:,} MB"
    copy, join = compare(title, {
        "cat, sync": f"cat {parts} >{out} && sync {out}",
        "nc3convert --join": f"nc3convert --join -o {out} {parts}",
    }, options.runs, prepare)
    print(f"  join / cat: {join.over(copy)}", flush=True)
    for path in directory.glob("large*"):
        path.unlink()
    out.unlink()


def bench(options):
    with tempfile.TemporaryDirectory(prefix="nc3z-bench-",
                                     dir=options.dir) as name:
        directory = pathlib.Path(name)
        bench_join(directory, options)
        bench_status(directory)
        bench_again(directory, options)
        bench_tree(directory, options)
    sheet.write(options, MEASURED)


def add_options(parser):
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--kilobytes", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=1000,
                        help="of the file in parts")
    parser.add_argument("--done", type=int, default=100000,
                        help="files of the second run")
    parser.add_argument("--dir", help="where files are made")
    sheet.add_option(parser)
    parser.set_defaults(run=bench)
