# SPDX-License-Identifier: MIT
"""How fast files are read through nc3mount; see bench.py mount."""

import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RANDOM_READS = 3000
NARCHIVES = 10000

# name and arguments of make_large.py
FILES = {
    "one variable": ["3876", "--vars", "1", "--rows", "90", "--columns",
                     "180"],
    "100 variables": ["80"],
}

# Each is read in these ways, by columns of the table.
WAYS = ["original", "passed through", "archive", "archive again"]


class Mounted:
    """A directory, mounted anew: the page cache knows nothing of it."""

    def __init__(self, directory, at):
        self.directory, self.at, self.process = directory, at, None

    def __enter__(self):
        self.process = subprocess.Popen(["nc3mount", "-f", self.directory,
                                         self.at])
        while not self.at.is_mount():
            if self.process.poll() is not None:
                sys.exit("bench: nc3mount does not run here")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        subprocess.run(["fusermount3", "-u", self.at], check=True)
        self.process.wait()

    def seconds(self):
        """Processor time that nc3mount has used."""
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(
            encoding="ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_all(nbytes):
    """Reads a file from one end to the other; what to call with its path."""
    def read(path):
        buffer = bytearray(nbytes)
        with open(path, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
    return read


def read_at_random(path):
    """Reads 4 KiB at random places."""
    dice = random.Random(1)
    buffer = bytearray(4096)
    fd = os.open(path, os.O_RDONLY)
    npages = os.fstat(fd).st_size // 4096
    for _ in range(RANDOM_READS):
        os.preadv(fd, [buffer], dice.randrange(npages) * 4096)
    os.close(fd)


def run_program(*command):
    """Runs a program, "{}" standing for the file."""
    def run(path):
        subprocess.run([word.format(path) for word in command], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return run


# What is done, and what to say instead of seconds: MB/s, or reads in a second.
PATTERNS = {
    "in steps of 128 KiB": (read_all(128 << 10), "MB/s"),
    "in steps of 1 MiB": (read_all(1 << 20), "MB/s"),
    "4 KiB at random": (read_at_random, "reads/s"),
    "cdo timmean": (run_program("cdo", "-s", "-O", "timmean", "{}",
                                "/dev/shm/nc3z-bench-mount.nc"), "s"),
    "md5sum": (run_program("md5sum", "{}"), "s"),
}


def time_of(function, path):
    """Seconds that a call takes, and those of a processor."""
    start, busy = time.perf_counter(), processor_seconds()
    function(path)
    return time.perf_counter() - start, processor_seconds() - busy


def processor_seconds():
    """What this process and the programs that it ran have used."""
    return sum(usage.ru_utime + usage.ru_stime for usage in
               map(resource.getrusage,
                   (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def best_times(function, original, directory, at):
    """The best of some rounds for each way, elapsed and of processors."""
    best = [(float("inf"),) * 2] * len(WAYS)
    for _ in range(3):
        times = [time_of(function, original)]
        with Mounted(original.parent, at) as mounted:
            seconds, busy = time_of(function, at / original.name)
            times.append((seconds, busy + mounted.seconds()))
        with Mounted(directory, at) as mounted:
            seconds, busy = time_of(function, at / original.name)
            times.append((seconds, busy + mounted.seconds()))
            times.append(time_of(function, at / original.name))
        best = [tuple(map(min, *pair)) for pair in zip(best, times)]
    return best


def show(seconds, nbytes, unit):
    """A figure of the table."""
    if unit == "MB/s":
        return f"{nbytes / 1e6 / seconds:9.0f} MB/s"
    if unit == "reads/s":
        return f"{RANDOM_READS / seconds:10.0f} /s"
    return f"{seconds:12.2f} s"


def show_row(label, times, nbytes, unit):
    """A row of the table; the ratios are by the original."""
    (original, busy), archive = times[0], times[WAYS.index("archive")]
    print(f"  {label:20}"
          + "".join(f"{show(elapsed, nbytes, unit):>15}"
                    for elapsed, _ in times)
          + f"{archive[0] / original:8.2f}{archive[1] / busy:11.2f}",
          flush=True)


def bench_file(name, base, at):
    """Makes a file and its archive, and shows its rows of the table."""
    original = base / "originals" / "x.nc"
    archive = base / "archives" / "x.nc.nc3z"
    subprocess.run([sys.executable, HERE / "make_large.py", original,
                    *FILES[name]], check=True)
    subprocess.run(["nc3compress", "-qfk", "-o", archive, original],
                   check=True)
    nbytes = original.stat().st_size
    print(f"{name}: {nbytes} bytes, archive {archive.stat().st_size}")
    for pattern, (function, unit) in PATTERNS.items():
        if unit == "s" and not shutil.which(pattern.split()[0]):
            print(f"  {pattern:20} not installed")
            continue
        show_row(pattern, best_times(function, original, archive.parent, at),
                 nbytes, unit)
    decoding = run_program("sh", "-c", "nc3compress -dc '{}' >/dev/null")
    seconds = min(time_of(decoding, archive)[0] for _ in range(3))
    print(f"  {'(nc3compress -dc)':20}{'':30}"
          f"{show(seconds, nbytes, 'MB/s'):>15}", flush=True)


def bench_listing(base, at):
    """Many archives in one directory, as "ls -l" sees them."""
    directory = base / "many"
    directory.mkdir()
    small = next(iter((HERE.parents[1] / "testdata/classic").glob("cdf1-*")))
    archive = directory / "0.nc.nc3z"
    subprocess.run(["nc3compress", "-qfk", "-o", archive, small], check=True)
    for i in range(1, NARCHIVES):
        shutil.copy(archive, directory / f"{i}.nc.nc3z")
    listing = run_program("ls", "-l", "{}")
    plain = min(time_of(listing, directory)[0] for _ in range(3))
    with Mounted(directory, at):
        first = time_of(listing, at)[0]
        again = min(time_of(listing, at)[0] for _ in range(3))
    print(f"ls -l of {NARCHIVES} archives: {plain:.2f} s, through the mount "
          f"{first:.2f} s, again {again:.2f} s")


def bench_mount(_):
    """Measures, on a memory file system."""
    base = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="nc3z-"))
    at = base / "at"
    try:
        for path in (base / "originals", base / "archives", at):
            path.mkdir()
        print(f"{'':22}" + "".join(f"{way:>15}" for way in WAYS)
              + f"{'ratio':>8}{'processor':>11}")
        for name in FILES:
            bench_file(name, base, at)
        bench_listing(base, at)
    finally:
        shutil.rmtree(base)
        pathlib.Path("/dev/shm/nc3z-bench-mount.nc").unlink(missing_ok=True)
    return 0


def add_options(parser):
    """The command of bench.py."""
    parser.set_defaults(run=bench_mount)
