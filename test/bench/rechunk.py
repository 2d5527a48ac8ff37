# SPDX-License-Identifier: MIT
"""How fast layouts are changed, beside nccopy and h5repack; see bench.py."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import sheet

HERE = pathlib.Path(__file__).resolve().parent
ROWS, WIDTH = 90, 180
LINEAR = "linear"
BUDGETS = ["32M", "1G"]
COLUMNS = ["task", "way", "seconds", "cpu_seconds", "mb_per_s",
           "decodings_per_block", "peak_mib", "output_nbytes"]


def chunks_text(lengths):
    """For --chunks."""
    return ",".join(f"{name}/{length}" for name, length in
                    zip(("time", "y", "x"), lengths))


@dataclass
class Layout:
    """Chunk lengths of time, y, x; None where a layout is linear."""
    name: str
    chunks: tuple

    def of_nc3z(self):
        """For --chunks."""
        return chunks_text(self.chunks) if self.chunks else LINEAR

    def of_netcdf(self):
        """The same; a record is what a block of ours is nearest to."""
        return self.chunks or (1, ROWS, WIDTH)


MAPS = Layout("linear", None)
CHUNKS = Layout("chunks", (200, 45, 45))
SERIES = Layout("series", (1938, 9, 15))
OTHER = Layout("other chunks", (128, 30, 60))
TASKS = [(MAPS, CHUNKS), (CHUNKS, MAPS), (CHUNKS, OTHER), (MAPS, SERIES),
         (SERIES, MAPS), (SERIES, CHUNKS)]


class Files:
    """The classic file, and its archives and netCDF-4 files by layout."""

    def __init__(self, directory, mib):
        self.directory = directory
        self.classic = directory / "classic.nc"
        nrecords = max(1, mib * (1 << 20) // (4 * ROWS * WIDTH))
        subprocess.run([sys.executable, HERE / "make_large.py", self.classic,
                        str(nrecords), "--vars", "1", "--rows", str(ROWS),
                        "--columns", str(WIDTH)], check=True)
        self.nbytes = self.classic.stat().st_size
        self.nrecords = nrecords

    def archive(self, layout):
        """Made by packing the classic file."""
        path = self.directory / f"{layout.name}.nc3z"
        if not path.exists():
            subprocess.run(["nc3compress", "--max-memory", "1G", "--chunks",
                            layout.of_nc3z(), "-o", path, self.classic],
                           check=True)
        return path

    def netcdf4(self, layout):
        """Made by nccopy; other chunks from those of records, which is
        many times faster than from the classic file."""
        path = self.directory / f"{layout.name}.nc4"
        if not path.exists():
            source = self.classic if layout is MAPS else self.netcdf4(MAPS)
            subprocess.run(["nccopy", "-k", "nc7", "-d1", "-s", "-m", "1G",
                            "-h", "1G", "-c",
                            self.chunks_of(layout, "nccopy"), source, path],
                           check=True)
        return path

    def chunks_of(self, layout, program):
        """In the syntax of the program."""
        lengths = [min(n, most) for n, most in
                   zip(layout.of_netcdf(), (self.nrecords, ROWS, WIDTH))]
        if program == "nccopy":
            return chunks_text(lengths)
        return "v000:CHUNK=" + "x".join(map(str, lengths))


def timed(command):
    """Seconds, processor seconds, peak KiB of a command; None if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    return None if process.returncode else (seconds, cpu, usage.ru_maxrss)


def decodings(command):
    """How often a block is decoded on average, by the plan; None if it is
    refused, which is said."""
    result = subprocess.run(command + ["--dry-run", "--json"], check=False,
                            capture_output=True, text=True)
    if result.returncode:
        print("    " + result.stderr.split(": ", 2)[-1].strip())
        return None
    plan = json.loads(result.stdout)["conversions"][0]
    return plan["decodings"] / plan["blocks"]


def measure(task, way, command, output, runs):
    """The best of some runs."""
    best = None
    for _ in range(runs):
        output.unlink(missing_ok=True)
        found = timed(command)
        if found is None:
            return None
        best = min(best or found, found)
    return {"task": task, "way": way, "seconds": best[0],
            "cpu_seconds": best[1], "peak_mib": best[2] / 1024,
            "output_nbytes": output.stat().st_size}


def ways_of(files, source, target, output):
    """Each way's name, command, and whether it says its decodings."""
    archive, netcdf4 = files.archive(source), files.netcdf4(source)
    for budget in BUDGETS:
        for threads in "1", "2":
            yield (f"nc3convert {budget}, {threads} thread"
                   + "s" * (threads != "1"),
                   ["nc3convert", "-T", threads, "--max-memory", budget,
                    "--chunks", target.of_nc3z(), archive], output)
    spec = files.chunks_of(target, "nccopy")
    yield ("nccopy -d1 -s", ["nccopy", "-k", "nc7", "-d1", "-s", "-c", spec,
                             netcdf4, output], None)
    for budget in BUDGETS:
        yield (f"nccopy -d1 -s -m -h {budget}",
               ["nccopy", "-k", "nc7", "-d1", "-s", "-m", budget, "-h", budget,
                "-c", spec, netcdf4, output], None)
    yield ("h5repack SHUF GZIP=1",
           ["h5repack", "-f", "v000:SHUF", "-f", "v000:GZIP=1", "-l",
            files.chunks_of(target, "h5repack"), netcdf4, output], None)


def check_same(files, target, output):
    """What packing the original gives."""
    subprocess.run(["cmp", files.archive(target), output], check=True)


def bench_task(files, source, target, runs):
    """One change of layout in all ways."""
    task = f"{source.name} -> {target.name}"
    output = files.directory / "output"
    print(f"\n{task}: {source.of_netcdf()} -> {target.of_netcdf()}")
    for way, command, output_option in ways_of(files, source, target, output):
        plan = None
        if output_option:
            plan = decodings(command)
            command = command + ["-o", str(output_option)]
        row = measure(task, way, command, output, runs)
        if row is None:
            print(f"  {way:30} refused, or failed")
            continue
        if output_option:
            check_same(files, target, output)
        row["decodings_per_block"] = plan
        row["mb_per_s"] = files.nbytes / 1e6 / row["seconds"]
        print(f"  {way:30} {row['seconds']:8.2f} s {row['mb_per_s']:7.0f} MB/s"
              f" {row['cpu_seconds']:7.2f} s of processors"
              f" {'-' if plan is None else f'{plan:.2f}':>6} decodings"
              f" {row['peak_mib']:5.0f} MiB"
              f" {row['output_nbytes']:>10} bytes")
        sys.stdout.flush()
        yield row


def bench_rechunk(options):
    """The command."""
    for program in "nccopy", "h5repack":
        if not shutil.which(program):
            sys.exit(f"bench: no {program}")
    directory = pathlib.Path(tempfile.mkdtemp(dir=options.dir,
                                           prefix="bench_rechunk_"))
    rows = []
    try:
        files = Files(directory, options.mib)
        print(f"{files.nbytes} bytes of float; best of {options.runs} runs, "
              f"in {options.dir}")
        for source, target in TASKS:
            if options.source in ("", source.name):
                rows += bench_task(files, source, target, options.runs)
    finally:
        shutil.rmtree(directory)
    sheet.write(options, rows)
    return 0


def add_options(parser):
    """The options of the command."""
    shared = "/dev/shm"
    parser.add_argument("--mib", type=int, default=240,
                        help="MiB of a float variable (240)")
    parser.add_argument("--runs", type=int, default=3,
                        help="the best of so many runs (3)")
    parser.add_argument("--source", default="", help="only from this layout: "
                        "linear, chunks, series")
    parser.add_argument("--dir",
                        default=shared if os.access(shared, os.W_OK)
                        else tempfile.gettempdir(),
                        help="room for seven times as much")
    sheet.add_option(parser)
    parser.set_defaults(run=bench_rechunk)
