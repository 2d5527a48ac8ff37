#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bench_access.c does, for zarr; and the array for it.

  access_zarr.py make CLASSIC ARRAY CHUNKS
  access_zarr.py zarr ARRAY CACHE_MIB RUNS COLD

An array is compressed with zstd after a shuffle of bytes, both of numcodecs.
It is of format 3 if zarr knows that.
The patterns and their places are those of bench_access.c; CACHE_MIB is not
used, as zarr keeps no decoded chunks.
"""

import math
import os
import pathlib
import sys
import time

import numcodecs
import numpy
import zarr

PATIENCE = 2
# Lengths along time, levels and the two of a map, 0 all; stride; calls.
PATTERNS = {"map": (1, 1, 0, 1, 20), "series": (0, 1, 1, 1, 10),
            "box": (20, 5, 40, 1, 10), "box series": (0, 1, 8, 1, 5),
            "strided": (0, 0, 0, 5, 1)}
MASK = (1 << 64) - 1
HAS_FORMAT_3 = hasattr(zarr, "create_array")
DIMENSIONS = "time", "level", "lat", "lon"


class Random:
    """splitmix64, as in bench_access.c."""

    def __init__(self, state):
        self.state = state

    def below(self, limit):
        """A number less than that."""
        self.state = z = (self.state + 0x9e3779b97f4a7c15) & MASK
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
        return (z ^ (z >> 31)) % limit


def create(path, shape, chunks, shards=None):
    """An array of floats, with names of its dimensions."""
    names = DIMENSIONS[:1] + DIMENSIONS[1 - len(shape):]
    if HAS_FORMAT_3:
        # Blosc of zarr 3.0 does not know that floats have four bytes.
        from numcodecs.zarr3 import Shuffle
        from zarr.codecs import ZstdCodec
        return zarr.create_array(
            path, shape=shape, dtype="<f4", chunks=chunks, shards=shards,
            compressors=[Shuffle(elementsize=4), ZstdCodec(level=3)],
            dimension_names=names)
    array = zarr.open_array(path, mode="w", shape=shape, dtype="<f4",
                            chunks=chunks, filters=[numcodecs.Shuffle(4)],
                            compressor=numcodecs.Zstd(3))
    array.attrs["_ARRAY_DIMENSIONS"] = names
    return array


def make(classic, path, chunks, shards=None):
    """The array of the file that make_access.py made."""
    shape = [int(n) for n in os.popen(
        f"nc3dump -h '{classic}' | grep '=' | head -n {len(chunks)}"
        " | sed 's/.*= //; s/.*(//; s/ .*//'").read().split()]
    nbytes = 4 * math.prod(shape)
    values = numpy.memmap(classic, ">f4", "r", os.path.getsize(classic) -
                          nbytes, tuple(shape))
    array = create(path, shape, chunks, shards)
    step = (shards or chunks)[0]
    for first in range(0, shape[0], step):
        array[first:first + step] = values[first:first + step]


def next_slab(shape, pattern, random):
    """A selection."""
    times, levels, rows, stride, _ = PATTERNS[pattern]
    slab = []
    for k, length in enumerate(shape):
        n = times if k == 0 else rows if k >= len(shape) - 2 else levels
        first, last = 0, length
        if n:
            first = random.below(length - min(n, length) + 1)
            last = first + min(n, length)
        slab.append(slice(first, last, stride))
    return tuple(slab)


def drop_pages(path):
    """Drives all files of an array out of the page cache."""
    for file in filter(pathlib.Path.is_file, pathlib.Path(path).rglob("*")):
        fd = os.open(file, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def run_once(path, pattern, is_fresh, is_cold):
    """Seconds and bytes of all calls, and how many there were."""
    random = Random(1 if is_fresh else 2)
    array = zarr.open_array(path, mode="r")
    seconds, nbytes, ncalls = 0, 0, 0
    clock = time.perf_counter if is_cold else time.process_time
    while ncalls < PATTERNS[pattern][4] and seconds < PATIENCE:
        if is_cold:
            drop_pages(path)
        if is_fresh:
            array = zarr.open_array(path, mode="r")
        slab = next_slab(array.shape, pattern, random)
        begin = clock()
        values = array[slab]
        seconds += clock() - begin
        nbytes += values.nbytes
        ncalls += 1
    return seconds / ncalls, nbytes / ncalls, ncalls


def bench(path, runs, is_cold):
    """Prints what bench_access.c prints."""
    if is_cold:
        os.sync()
    for pattern in PATTERNS:
        for handle in ["fresh"] if is_cold else ["fresh", "used"]:
            seconds, nbytes, ncalls = min(
                run_once(path, pattern, handle == "fresh", is_cold)
                for _ in range(runs))
            print(f"{pattern},{handle},{seconds:.9f},{nbytes:.0f},{ncalls},0")


def main():
    """The command line."""
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], [int(n) for n in
                                        sys.argv[4].split(",")])
    else:
        bench(sys.argv[2], int(sys.argv[4]), sys.argv[5] == "1")


if __name__ == "__main__":
    main()
