# SPDX-License-Identifier: MIT
"""How fast parts are read along and across the grain; see bench.py access."""

import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import sheet

HERE = pathlib.Path(__file__).resolve().parent
LAYOUTS = ["linear", "auto", "series", "balanced"]
PATTERNS = ["map", "series", "box", "box series", "strided"]
# Our ways: one processor, and all, which is what programs get.
OURS = ["nc3z", "nc3z-all"]
COLUMNS = ["file", "layout", "chunks", "way", "cache", "pattern", "handle",
           "seconds", "nbytes", "ncalls", "nblocks"]
LARGE_CACHE_MIB = 1024


@dataclass
class Way:
    """A file that is read by a library with so large a chunk cache."""
    name: str
    library: str
    path: pathlib.Path
    cache_mib: int = 0


class Rows:
    """What was measured."""

    def __init__(self):
        self.rows = []

    def seconds(self, **wanted):
        """Of the row with these columns; None if it is not there."""
        for row in self.rows:
            if all(row[key] == value for key, value in wanted.items()):
                return row["seconds"]
        return None


def run(*command):
    """Runs a program; returns what it prints."""
    return subprocess.run([str(word) for word in command], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def dims_of(classic):
    """Names and lengths of the dimensions of the file that was made."""
    lines = run("nc3dump", "-h", classic).split("variables:")[0].splitlines()
    for line in lines:
        if "=" in line:
            name, length = line.split("=")
            number = length.split("(")[-1].split()[0]
            yield name.strip(), int(number)


def chunks_of(archive, shape):
    """Chunk lengths; of linear blocks the records in one."""
    listed = json.loads(run("nc3compress", "-lv", "--json", archive))
    stream = next(s for s in listed["archives"][0]["stream_list"]
                  if s["type"])
    if stream["chunks"]:
        return [int(n) for n in stream["chunks"].split(",")]
    record = 4 * math.prod(shape[1:])
    chunks, left = [], stream["block_bytes"] // 4
    if left * 4 >= record:
        return [left * 4 // record] + shape[1:]
    for n in reversed(shape):
        chunks.insert(0, max(min(n, left), 1))
        left //= n
    return chunks


def measure(rows, options, way, cache, facts):
    """Runs the program that times a way; appends its rows."""
    program = ["bench_access"]
    if way.library == "zarr":
        program = [sys.executable, "-B", HERE / "access_zarr.py"]
    out = run(*program, way.library, way.path, way.cache_mib, options.runs,
              int(cache == "cold"))
    for line in out.splitlines():
        pattern, handle, seconds, nbytes, ncalls, nblocks = line.split(",")
        rows.rows.append(dict(zip(COLUMNS, (
            *facts, way.name, cache, pattern, handle, float(seconds),
            float(nbytes), int(ncalls), int(nblocks)))))


def show_time(seconds):
    """Milliseconds, three digits."""
    if seconds is None:
        return "-"
    ms = seconds * 1e3
    return f"{ms:.{max(0, 2 - math.floor(math.log10(ms)))}f}"


def show(rows, facts, names, cache):
    """Milliseconds of a call: a line for each way, a column for a pattern."""
    file, layout, _ = facts
    handles = ["fresh", "used"] if cache == "warm" else ["fresh"]
    for name in names:
        for handle in handles:
            times = [rows.seconds(file=file, layout=layout, way=name,
                                  cache=cache, pattern=p, handle=handle)
                     for p in PATTERNS]
            if any(times):
                print(f"    {name:22} {cache:4} {handle:5}" +
                      "".join(f"{show_time(t):>12}" for t in times))
    sys.stdout.flush()


def bench_ways(rows, options, facts, ways):
    """All ways of a layout, warm and cold."""
    _, layout, chunks = facts
    print(f"\n  {layout}, chunks {chunks}" +
          "".join(f", {w.name} {size_of(w.path) / 1e6:.1f} MB" for w in ways
                  if not w.cache_mib))
    print(f"    {'milliseconds of a call':33}" +
          "".join(f"{p:>12}" for p in PATTERNS))
    for cache in ["warm", "cold"] if options.cold else ["warm"]:
        for way in ways:
            measure(rows, options, way, cache, facts)
        show(rows, facts, [w.name for w in ways], cache)


def size_of(path):
    """Bytes of a file, or of all in a directory."""
    if path.is_dir():
        return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
    return path.stat().st_size


def make_ways(classic, layout, options):
    """Files of a layout with its chunks, and how they are read."""
    dims = list(dims_of(classic))
    archive, nc4, zarr = (classic.with_suffix("." + layout + suffix)
                          for suffix in (".nc3z", ".nc4", ".zarr"))
    chunking = [] if layout == "linear" else ["--chunks", layout]
    run("nc3compress", "-qfk", "--max-memory", "2G", *chunking, classic, "-o",
        archive)
    chunks = chunks_of(archive, [n for _, n in dims])
    run("bench_access", "make", classic, nc4, *chunks)
    ways = [Way(name, name, archive) for name in OURS]
    ways += [Way("netCDF-4", "netcdf", nc4),
             Way("netCDF-4 large cache", "netcdf", nc4, LARGE_CACHE_MIB)]
    if options.zarr:
        run(sys.executable, "-B", HERE / "access_zarr.py", "make", classic,
            zarr, ",".join(map(str, chunks)))
        ways.append(Way("zarr", "zarr", zarr))
    return ",".join(map(str, chunks)), ways


def remove(path):
    """A file or a directory."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def bench_file(rows, options, classic):
    """One classic file."""
    print(f"\n{classic.name}: {classic.stat().st_size} bytes")
    default = classic.with_suffix(".default.nc4")
    run("nccopy", "-k", "nc7", "-d6", "-s", classic, default)
    bench_ways(rows, options, (classic.name, "others", "-"), [
        Way("plain, netcdf", "netcdf", classic),
        Way("plain, nc3z", "nc3z", classic),
        Way("netCDF-4 default", "netcdf", default),
        Way("netCDF-4 d., large cache", "netcdf", default, LARGE_CACHE_MIB)])
    remove(default)
    for layout in LAYOUTS:
        chunks, ways = make_ways(classic, layout, options)
        bench_ways(rows, options, (classic.name, layout, chunks), ways)
        for way in ways:
            remove(way.path)


def ratios(rows, ours, peer, layout_of_peer=None, **wanted):
    """The peer's times through ours, by file, layout and pattern."""
    for row in rows.rows:
        if row["way"] != ours or any(row[k] != v for k, v in wanted.items()):
            continue
        seconds = rows.seconds(
            file=row["file"], layout=layout_of_peer or row["layout"],
            way=peer, **{k: row[k] for k in ("cache", "pattern", "handle")})
        if seconds:
            yield (f"{row['file']} {row['layout']} {row['pattern']} "
                   f"{row['handle']} {row['cache']}", seconds / row["seconds"])


def show_ratios(what, found):
    """Geometric mean, and the least."""
    found = list(found)
    if not found:
        return
    mean = math.exp(sum(math.log(r) for _, r in found) / len(found))
    name, least = min(found, key=lambda pair: pair[1])
    print(f"  {what:66} {mean:8.2f} {least:8.2f}  {name}")


def show_targets(rows, options):
    """What is asked for, and what came out."""
    print(f"\n{'times faster (must, least)':70} mean    least  where")
    for cache, ours, peer, handle in itertools.product(
            ["warm", "cold"] if options.cold else ["warm"], OURS,
            ["netCDF-4", "netCDF-4 large cache", "zarr"], ["fresh", "used"]):
        show_ratios(f"{ours} and {peer}, equal chunks, {handle}, {cache} "
                    "(3, 1)", ratios(rows, ours, peer, cache=cache,
                                     handle=handle))
    for ours, peer, layout in itertools.product(
            OURS, ["netCDF-4 default", "plain, netcdf"], LAYOUTS):
        show_ratios(f"{ours} and {peer}, {layout}, fresh, warm",
                    ratios(rows, ours, peer, "others", layout=layout,
                           handle="fresh", cache="warm"))
    if not options.cold:
        return
    for pattern, must in (("map", "0.5"), ("series", "5")):
        for file in sorted({row["file"] for row in rows.rows}):
            best = max((r for layout in LAYOUTS for _, r in ratios(
                rows, "nc3z-all", "plain, netcdf", "others",
                file=file, layout=layout,
                pattern=pattern, cache="cold")), default=0)
            print(f"  plain, netcdf, {file}, {pattern}, best layout, cold "
                  f"(must: {must}) {best:.2f}")


def make_files(options, directory):
    """The classic files."""
    for ndims, times in (3, 2000), (4, 160):
        path = directory / f"access{ndims}.nc"
        run(sys.executable, "-B", HERE / "make_access.py", path, "--dims",
            ndims, "--times", max(40, int(times * options.scale)))
        yield path


def bench_access(options):
    """The command."""
    if not shutil.which("bench_access"):
        sys.exit("bench: bench_access was not built: no libnetcdf")
    directory = pathlib.Path(tempfile.mkdtemp(dir=options.dir,
                                           prefix="bench_access_"))
    rows = Rows()
    try:
        for classic in make_files(options, directory):
            bench_file(rows, options, classic)
            classic.unlink()
    finally:
        shutil.rmtree(directory)
    show_targets(rows, options)
    sheet.write(options, rows.rows)
    return 0


def add_options(parser):
    """The options of the command."""
    parser.add_argument("--scale", type=float, default=1.0,
                        help="so many of the 2000 and 160 times (1)")
    parser.add_argument("--runs", type=int, default=3,
                        help="the best of so many runs (3)")
    parser.add_argument("--no-cold", dest="cold", action="store_false")
    parser.add_argument("--no-zarr", dest="zarr", action="store_false")
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"),
                        help="on a disk, for reading cold")
    sheet.add_option(parser)
    parser.set_defaults(run=bench_access)
