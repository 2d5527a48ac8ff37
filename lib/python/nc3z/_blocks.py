# SPDX-License-Identifier: MIT
"""Blocks of an archive as chunks of Zarr: where each is, or why they are none.

A chunk of Zarr is a block of the archive, which the codec of _codec.py decodes,
if the blocks of a variable are boxes on a regular grid, numbered as Zarr
numbers its chunks: always if the archive has chunks, and for most variables
otherwise.  If not, a chunk is a part of the variable that is larger than a
block, and refers to all blocks that it touches.
"""

from __future__ import annotations

import base64
import math
from typing import Any, Dict, List, Sequence, Tuple, Union

import numpy

from . import _structs as c
from ._codec import Decoder
from ._values import Values
from ._zarr_metadata import Array

# A key's value: text, or where it is: URL, offset, bytes.
Reference = Union[str, List[Any]]
# An array, and what its chunks are, in order.
Found = Tuple[Array, Sequence[Reference]]


class Unfit(Exception):
    """Why a variable has no references."""


def _chunk_of(first: Sequence[int], last: Sequence[int],
              shape: Sequence[int]) -> Tuple[int, ...]:
    """Lengths of the chunk that the first block is, which begins at 0."""
    chunk = [end - begin + 1 for begin, end in zip(first, last)]
    # In row-major order that is a box if, after a dimension of which it has
    # a part, it has all of the others, and one index of those before.
    cut = next((k for k, n in enumerate(chunk) if n > 1), len(chunk) - 1)
    if any(first) or chunk[cut + 1:] != list(shape[cut + 1:]):
        raise Unfit("its blocks are not boxes")
    return tuple(chunk)


class Blocks:
    """The blocks of one variable."""

    def __init__(self, variable: Values) -> None:
        self.variable, self._file = variable, variable.file
        found = variable._inq_storage()
        assert found is not None
        if found.stream == c.NO_NUMBER or found.is_shared:
            raise Unfit("it shares blocks with other variables")
        if not variable.shape:
            raise Unfit("it has no dimensions")
        self.stream, self.count = found.stream, int(found.nblocks)
        if not self.count:
            raise Unfit("the original ends before its values")
        self._range, self._record = c.CBlockRange(), c.CRecord()
        self.block_nbytes = int(found.block_nbytes)
        # The last box ends where the variable does, unless the original ends
        # before that.
        if any(n != length - 1 for n, length in
               zip(self.box(self.count - 1)[1], variable.shape)):
            raise Unfit("the original ends before its values")

    def box(self, number: int) -> Tuple[List[int], List[int]]:
        """The first and the last indices of a block."""
        found, ndim = self._range, self.variable.ndim
        self._file._call("inq_block_range", self.stream, number, found)
        if found.ndims != ndim:
            raise Unfit("the indices of its blocks are not known")
        return list(found.first[:ndim]), list(found.last[:ndim])

    def record(self, number: int) -> c.CRecord:
        """Where a block is."""
        self._file._call("inq_record", self.stream, number, self._record)
        return self._record

    def references(self, url: str) -> Found:
        """The array, and a reference for each of its chunks, in order."""
        try:
            return self._as_chunks(url)
        except Unfit:
            if self.variable.chunks is not None:
                raise
        return self._as_parts(url)

    def _as_chunks(self, url: str) -> Found:
        """Each block is a chunk."""
        variable, itemsize = self.variable, self.variable._external.itemsize
        chunks = variable.chunks or _chunk_of(*self.box(0), variable.shape)
        grid = Array(variable, chunks, ">")
        if grid.nchunks != self.count:
            raise Unfit("its blocks are not on a regular grid")
        seen: Dict[int, List[int]] = {}
        found, tail = [], 0
        has_duplicates = False
        for number in range(self.count):
            place = grid.place_of(number)
            first = [i * n for i, n in zip(place, grid.chunks)]
            counts = [min(n, length - i) for i, n, length in
                      zip(first, grid.chunks, grid.shape)]
            last = [i + n - 1 for i, n in zip(first, counts)]
            if self.box(number) != (first, last):
                raise Unfit("its blocks are not on a regular grid")
            record = self.record(number)
            tail = record.raw_nbytes - math.prod(counts) * itemsize
            self._check_tail(number, tail)
            # The codec takes lengths from the number in the record.
            if (record.is_duplicate and counts != list(grid.chunks)
                    and seen.get(record.offset) != counts):
                raise Unfit("a block at its edge is a copy of another block")
            seen.setdefault(record.offset, counts)
            has_duplicates |= bool(record.is_duplicate)
            found.append([url, record.offset, record.record_nbytes])
        if tail and has_duplicates:
            raise Unfit("its values have other bytes after them")
        codec = Decoder(itemsize, grid.chunks, grid.shape, tail)
        return Array(variable, grid.chunks, ">", codec.config()), found

    def _check_tail(self, number: int, tail: int) -> None:
        """Up to three bytes follow the last value in the original."""
        if tail not in range(4 if number == self.count - 1 else 1):
            raise Unfit("the original ends before its values" if tail < 0
                         else "its values have other bytes in between")

    def _as_parts(self, url: str) -> Found:
        """Each chunk is one index of the first dimensions and all of the
        others, and touches several blocks."""
        variable, itemsize = self.variable, self.variable._external.itemsize
        is_record = variable.dims[0] == variable.file.unlimited
        span = math.prod(variable.shape[is_record:]) * itemsize
        block = self.block_nbytes
        per_span = -(-span // block)
        seen: Dict[int, int] = {}
        places, tail = [], 0
        for number in range(self.count):
            begin = number % per_span * block
            at = (number // per_span * span + begin) // itemsize
            first = numpy.unravel_index(at, variable.shape)
            record = self.record(number)
            if block % itemsize or self.box(number)[0] != list(first):
                raise Unfit("its blocks are not on a regular grid")
            tail = record.raw_nbytes - min(block, span - begin)
            self._check_tail(number, tail)
            # The codec takes the place in a span from the number in the record.
            if (record.is_duplicate
                    and seen.get(record.offset) != number % per_span):
                raise Unfit("one of its blocks is a copy of another block")
            seen.setdefault(record.offset, number % per_span)
            places.append((record.offset, record.record_nbytes))
        grid = self._parts(block, itemsize)
        nbytes = math.prod(grid.chunks) * itemsize
        found = []
        for number in range(grid.nchunks):
            before, at = divmod(number * nbytes, span)
            touched = slice(before * per_span + at // block, before *
                            per_span + (at + nbytes - 1) // block + 1)
            found.append([url, *_joined(places[touched])])
        codec = Decoder(itemsize, grid.chunks, grid.shape, tail, block, span)
        return Array(variable, grid.chunks, ">", codec.config()), found

    def _parts(self, block: int, itemsize: int) -> Array:
        """The smallest parts that are no smaller than a block."""
        shape = self.variable.shape
        for k in range(len(shape) - 1, 0, -1):
            nbytes = math.prod(shape[k:]) * itemsize
            if block <= nbytes <= c.BLOCK_NBYTES_MAX:
                return Array(self.variable, (1,) * k + shape[k:], ">")
        raise Unfit("its blocks are not on a regular grid")


def _joined(places: Sequence[Tuple[int, int]]) -> Tuple[int, int]:
    """Offset and length of block records that follow each other."""
    for (offset, nbytes), (then, _) in zip(places, places[1:]):
        if offset + nbytes != then:
            raise Unfit("other blocks lie between its own")
    offset, nbytes = places[-1]
    return places[0][0], offset + nbytes - places[0][0]


def values_of(variable: Values, rows: slice = slice(None)) -> bytes:
    """All values, or those of some rows, in the byte order of the file."""
    values = variable[rows] if variable.shape else variable[()]
    order = variable._external.newbyteorder(">")
    data: bytes = numpy.ascontiguousarray(values, order).tobytes()
    return data


def inline(array: Array, values: bytes) -> Found:
    """A variable whose values are in the table, as one chunk."""
    if not values:
        return array, []
    return array, ["base64:" + base64.b64encode(values).decode()]
