#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the array of zarr that others are measured beside.

  access_zarr.py make CLASSIC ARRAY CHUNKS

An array is compressed with zstd after a shuffle of bytes, both of numcodecs.
It is of format 3 if zarr knows that.
"""

import math
import os
import sys

import numcodecs
import numpy
import zarr

HAS_FORMAT_3 = hasattr(zarr, "create_array")
DIMENSIONS = "time", "level", "lat", "lon"


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


if __name__ == "__main__":
    make(sys.argv[2], sys.argv[3], [int(n) for n in sys.argv[4].split(",")])
