# SPDX-License-Identifier: MIT
"""nc3farm beside nc3compress -r and nccopy, its status, and joining parts
beside cat; see bench.py farm."""

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

NPARTS = 16


def smooth_file(path, nbytes, rng):
    """A CDF-1 file of floats as a model gives them: waves and some noise."""
    name = lambda s: struct.pack(">i", len(s)) + s + bytes(-len(s) % 4)
    n, wave = nbytes // 4, [rng.gauss(280, 9)]
    for _ in range(1023):
        wave.append(wave[-1] + rng.gauss(0, 0.3))
    head = b"CDF\1" + struct.pack(">iii", 0, 10, 1) + name(b"x")
    head += struct.pack(">i", n) + bytes(8) + struct.pack(">ii", 11, 1)
    head += name(b"v") + struct.pack(">ii", 1, 0) + bytes(8)
    head += struct.pack(">iii", 5, 4 * n, len(head) + 12)
    with open(path, "wb") as file:
        file.write(head)
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
    """Medians of some runs of a command: seconds, and the processors'."""

    def __init__(self, command, runs, before):
        times = [self.run(command, before) for _ in range(runs)]
        self.wall, self.cpu = (statistics.median(t) for t in zip(*times))

    @staticmethod
    def run(command, before):
        before()
        begin = time.monotonic()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, shell=True, check=False,
                              capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"bench: {command}: {done.stderr.decode()}")
        return (time.monotonic() - begin,
                end.ru_utime + end.ru_stime - used.ru_utime - used.ru_stime)

    def over(self, other):
        """The ratios to another command's."""
        return (f"{self.wall / other.wall:.2f} "
                f"(processors {self.cpu / other.cpu:.2f})")

    def __str__(self):
        return f"{self.wall:8.2f} s, processors {self.cpu:8.2f} s"


def bench_tree(directory, options):
    tree, work = directory / "tree", directory / "work"
    make_tree(tree, options.files, options.kilobytes * 1000)

    def clean():
        shutil.rmtree(work, ignore_errors=True)
        for path in [*tree.rglob("*.nc3z"), *tree.rglob("*.nc4")]:
            path.unlink()

    print(f"{options.files} files of {options.kilobytes} kB:", flush=True)
    commands = {
        "nc3compress -r -T2": f"nc3compress -qr -T2 {tree}",
        "nc3farm plan, run -j2":
            f"nc3farm plan {tree} {work} && nc3farm run -j2 {work}",
        "parallel -j2 nccopy -d6 -s":
            f"find {tree} -name '*.nc' | parallel --will-cite -j2 "
            "nccopy -k nc7 -d6 -s {} {}4",
    }
    times = {}
    for name, command in commands.items():
        times[name] = Times(command, options.runs, clean)
        print(f"  {name:28}{times[name]}", flush=True)
    base, farm, peer = times.values()
    print(f"  nc3farm / nc3compress -r: {farm.over(base)}\n"
          f"  nccopy / nc3farm: {peer.over(farm)}")
    clean()


def bench_status(directory):
    """A plan of 10^6 files in 1,000 tasks, all done, as a run leaves it."""
    work = directory / "status"
    for kind in ("tasks", "claims", "journal", "done", "failed", "full",
                 "parts", "log"):
        (work / kind).mkdir(parents=True)
    entry = {"name": "/archive/some/where/file_000000.nc",
             "archive": "/archive/some/where/file_000000.nc.nc3z",
             "result": "packed", "sha256": "0" * 64,
             "archive_sha256": "1" * 64, "original_bytes": 1000000,
             "archive_bytes": 300000}
    text = (json.dumps(entry) + "\n") * 1000
    for i in range(1000):
        first = {"task": i, "files": 1000, "bytes": 10**9,
                 "archive_bytes": 3 * 10**8, "begin": i, "end": i + 60,
                 "host": "here"}
        (work / "done" / f"{i:06d}").write_text(json.dumps(first) + "\n" +
                                                text)
    (work / "plan.json").write_text(json.dumps({
        "format": 1, "version": "", "action": "pack", "options": [],
        "files": 10**6, "bytes": 10**12, "sizes": [10**9] * 1000, "joins": [],
        "parts": {}, "heartbeat": 20, "made": 0}) + "\n")
    times = Times(f"nc3farm status {work}", 3, lambda: None)
    print(f"status of 1,000,000 files: {times}", flush=True)
    shutil.rmtree(work)


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
    nbytes = sum(p.stat().st_size for p in directory.glob("*.part-*"))
    out = directory / "out"

    def clean():
        out.unlink(missing_ok=True)
        os.sync()

    copy = Times(f"cat {parts} >{out} && sync {out}", options.runs, clean)
    join = Times(f"nc3compress --join -o {out} {parts}", options.runs, clean)
    print(f"{NPARTS} parts, {nbytes / 1e6:.0f} MB, all in the page cache:\n"
          f"  cat, sync             {copy}\n"
          f"  nc3compress --join    {join}\n"
          f"  join / cat: {join.over(copy)}", flush=True)


def bench(options):
    with tempfile.TemporaryDirectory(prefix="nc3z-bench-",
                                     dir=options.dir) as name:
        directory = pathlib.Path(name)
        bench_join(directory, options)
        bench_status(directory)
        bench_tree(directory, options)


def add_options(parser):
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--kilobytes", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=1000,
                        help="of the file in parts")
    parser.add_argument("--dir", help="where files are made")
    parser.set_defaults(run=bench)
