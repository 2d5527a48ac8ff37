# SPDX-License-Identifier: MIT
"""How small and how fast, over a directory of files: './dev bench ratio'.

Each file is packed and restored once by each point: nc3compress at some levels
and peers. A table of ratios (original / packed) for each file, then for each
point the geometric mean and the ratio of all bytes, how many times smaller nc3z
at the default level is where both work (the mean over all files, and over those
of at least 64 KiB, and of all bytes), MB/s of the clock over all files, and
MB/s of processor time, which other work on the machine disturbs less. The
ratios of the middle half of the files follow.
Points that are not installed are left out by name.
Blosc packs whole files as elements of 4 and of 8 bytes; the smaller result
counts, which is kinder to it than any single choice.  "--levels" compares the
levels of nc3compress with each other, nccopy and xz.
"""

import ctypes
import ctypes.util
import math
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import sheet

DEFAULT_POINT = "nc3z"
LARGE_NBYTES = 65536
COLUMNS = ("file", "point", "original", "packed", "pack_s", "pack_cpu_s",
           "restore_s", "restore_cpu_s")


@dataclass
class Point:
    """Shell commands; {i} is the input, {o} the output, {kind} nccopy's."""
    name: str
    program: str
    pack: str
    restore: str


def nc3z(name, options):
    return Point(name, "nc3compress",
                 f"nc3compress -qfk {options} {{i}} -o {{o}}",
                 "nc3compress -qfd {i} -o {o}")


def nccopy(level):
    return Point(f"nccopy -d{level} -s", "nccopy",
                 f"nccopy -k nc7 -d{level} -s {{i}} {{o}}",
                 "nccopy -k {kind} {i} {o}")


def stream(name, pack, restore):
    return Point(name, name.split()[0], pack + " < {i} > {o}",
                 restore + " < {i} > {o}")


POINTS = [
    nc3z("nc3z -1", "-1"), nc3z(DEFAULT_POINT, ""), nc3z("nc3z -7", "-7"),
    nc3z("nc3z -9", "-9"), nc3z("nc3z --codec deflate", "--codec deflate"),
    nccopy(1), nccopy(9),
    stream("gzip -9", "gzip -9", "gzip -d"),
    stream("bzip2 -9", "bzip2 -9", "bzip2 -d"),
    stream("xz -9e", "xz -9e", "xz -d"),
    stream("zstd -19", "zstd -q -19", "zstd -q -d"),
    stream("bgzip", "bgzip -c", "bgzip -dc"),
    Point("Blosc, shuffle, zstd 9", "libblosc", "1", ""),
    Point("Blosc, bitshuffle, zstd 9", "libblosc", "2", ""),
]


LEVELS = [nc3z(f"nc3z -{level}", f"-{level} -T1") for level in range(1, 10)
          ] + [nc3z(DEFAULT_POINT, "-T1"), nccopy(9),
               stream("xz -9e", "xz -9e", "xz -d")]


def load_blosc():
    name = ctypes.util.find_library("blosc")
    return ctypes.CDLL(name) if name else None


def run_blosc(library, shuffle, data):
    """Packed size, seconds to pack and of the processor, to restore and so."""
    best = None
    out = ctypes.create_string_buffer(len(data) + 4096)
    back = ctypes.create_string_buffer(len(data) or 1)
    for width in 4, 8:
        begin = time.perf_counter()
        size = library.blosc_compress_ctx(
            9, shuffle, ctypes.c_size_t(width), ctypes.c_size_t(len(data)),
            data, out, ctypes.c_size_t(len(out)), b"zstd", ctypes.c_size_t(0),
            1)
        middle = time.perf_counter()
        library.blosc_decompress_ctx(out, back, ctypes.c_size_t(len(data)), 1)
        end = time.perf_counter()
        if size <= 0 or back.raw[:len(data)] != data:
            return None
        if best is None or size < best[0]:
            best = size, *(2 * [middle - begin]), *(2 * [end - middle])
    return best


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command):
    """Seconds of the clock and of the processor; None if it fails."""
    begin, used = time.perf_counter(), children_seconds()
    result = subprocess.run(["sh", "-c", command], check=False,
                            stderr=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - begin, children_seconds() - used
    return seconds if result.returncode in (0, 3) else None


def classic_kind(path):
    with open(path, "rb") as f:
        return {1: "classic", 2: "64-bit offset", 5: "cdf5"}.get(
            f.read(4)[3:4].ljust(1, b"\1")[0], "classic")


def run_commands(point, path, directory):
    packed, restored = directory / "packed", directory / "restored"
    quote = "'{}'".format
    kind = quote(classic_kind(path))
    for f in packed, restored:
        f.unlink(missing_ok=True)
    pack = timed(point.pack.format(i=quote(path), o=quote(packed), kind=kind))
    if pack is None or not packed.exists():
        return None
    size = packed.stat().st_size
    restore = timed(point.restore.format(i=quote(packed), o=quote(restored),
                                         kind=kind))
    if point.program == "nc3compress":
        subprocess.run(["cmp", path, restored], check=True)
    return size, *pack, *(restore or (None, None))


def inputs(names, directory):
    """Classic files below the names; those in zstd are unpacked first."""
    for name in names:
        path = pathlib.Path(name)
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for f in files:
            if f.suffix == ".zst":
                out = directory / f.stem
                subprocess.run(["zstd", "-qdf", f, "-o", out], check=True)
                yield out
                out.unlink()
            elif f.is_file():
                with open(f, "rb") as opened:
                    if opened.read(3) == b"CDF":
                        yield f


def geometric_mean(values):
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def rate(rows, column):
    """MB of originals a second, over the rows that have the column."""
    there = [r for r in rows if r[column] is not None]
    seconds = sum(r[column] for r in there)
    return sum(r["original"] for r in there) / 1e6 / seconds if seconds else (
        math.nan)


def times_larger(rows, default, least):
    """Geometric mean of how many times larger than nc3z's the archives are."""
    return geometric_mean(r["packed"] / default[r["file"]] for r in rows
                          if r["file"] in default and r["original"] >= least)


def bytes_larger(rows, default):
    """How many times larger than nc3z's all archives are together."""
    shared = [r for r in rows if r["file"] in default]
    ours = sum(default[r["file"]] for r in shared)
    return sum(r["packed"] for r in shared) / ours if ours else math.nan


def middle_half(rows):
    """The ratios between which half of the files are at the default level."""
    return statistics.quantiles(
        (r["original"] / r["packed"] for r in rows
         if r["point"] == DEFAULT_POINT), method="inclusive")[::2]


def summary(rows):
    """Figures of each point over all files, by name."""
    default = {r["file"]: r["packed"] for r in rows
               if r["point"] == DEFAULT_POINT}
    found = {}
    for point in dict.fromkeys(r["point"] for r in rows):
        mine = [r for r in rows if r["point"] == point]
        found[point] = {
            "ratio": geometric_mean(r["original"] / r["packed"] for r in mine),
            "ratio of all bytes": sum(r["original"] for r in mine) / sum(
                r["packed"] for r in mine),
            "nc3z is smaller by": times_larger(mine, default, 0),
            "64 KiB and more": times_larger(mine, default, LARGE_NBYTES),
            "all bytes": bytes_larger(mine, default),
            "packs MB/s": rate(mine, "pack_cpu_s"),
            "restores MB/s": rate(mine, "restore_cpu_s"),
            "packs, clock": rate(mine, "pack_s"),
            "restores, clock": rate(mine, "restore_s")}
    return found


def show_summary(rows):
    """Prints it."""
    found = summary(rows)
    print("\n" + " | ".join(found[rows[0]["point"]]))
    for point, figures in found.items():
        print(f"{point:26}" + "".join(f"{figure:9.2f}"
                                      for figure in figures.values()))
    if sum(r["point"] == DEFAULT_POINT for r in rows) > 1:
        low, high = middle_half(rows)
        print(f"{DEFAULT_POINT}: half of the files between {low:.1f} and"
              f" {high:.1f}")


def measure(point, path, directory, blosc):
    if point.program == "libblosc":
        return run_blosc(blosc, int(point.pack), path.read_bytes())
    return run_commands(point, path, directory)


def default_names(datasets):
    """Of NC3Z_CORPUS, and Debian's."""
    corpus = os.environ.get("NC3Z_CORPUS")
    directories = [pathlib.Path(corpus) / sub
                   for sub in ("real", "large", "hard")] if corpus else []
    return directories + datasets()


def bench_ratio(options, datasets):
    """Sizes of all files, beside other compressors."""
    blosc = load_blosc()
    wanted = options.points.split(",") if options.points else None
    points = []
    for p in LEVELS if options.levels else POINTS:
        there = blosc if p.program == "libblosc" else shutil.which(p.program)
        if wanted and p.name not in wanted:
            continue
        if there:
            points.append(p)
        else:
            print(f"{p.name} does not run here")
    names = options.files or default_names(datasets)
    directory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="nc3z-"))
    rows = []
    try:
        print(f"{'file':32} {'bytes':>10} " +
              " ".join(f"{p.name[:9]:>9}" for p in points))
        for path in inputs(names, directory):
            cells = []
            size = path.stat().st_size
            for point in points:
                got = measure(point, path, directory, blosc)
                cells.append(f"{size / got[0]:9.2f}" if got else f"{'-':>9}")
                if got:
                    rows.append(dict(zip(COLUMNS, (path.name, point.name, size,
                                                   *got))))
            print(f"{path.name[:32]:32} {size:10} " + " ".join(cells),
                  flush=True)
    finally:
        shutil.rmtree(directory)
    if not rows:
        sys.exit("bench: nothing to measure")
    show_summary(rows)
    sheet.write(options, rows)
    return 0
