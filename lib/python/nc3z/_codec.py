# SPDX-License-Identifier: MIT
"""Block records as chunks of Zarr: what decodes one without its archive.

A block record is a block as the archive keeps it, with all that is needed to
decode it, so that references to archives have one codec for all variables.
Chunks of Zarr are all of one size, those of an archive end with the variable:
the codec puts zeros where a chunk reaches further.  Which chunk a record is,
it knows from the number in it.

Where a variable is in the order of the file, its blocks may end anywhere in a
plane.  Then a chunk is a whole plane, or more: the records of all blocks that
it touches, one after the other, of which the codec takes what it needs.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NoReturn, Sequence, Tuple

import numpy

from . import _errors, _library, _structs as c

CODEC_ID = "nc3z"


def _lengths(what: str, lengths: Sequence[int], least: int) -> Tuple[int, ...]:
    """Lengths of dimensions, as they may be in metadata."""
    found = tuple(lengths)
    if not all(isinstance(n, int) and not isinstance(n, bool) and
               least <= n < 1 << 63 for n in found) or \
            len(found) > c.CHUNK_DIMS_MAX:
        raise ValueError(f"nc3z codec: invalid {what}: {list(lengths)}")
    return found


class Decoder:
    """Decodes the block records of one variable.

    itemsize: bytes of a value.  chunks: lengths of a chunk, in values.  shape:
    that of the variable.  tail_nbytes: how many bytes follow the values in
    the last block; if there are none, the first length of the shape is not
    used and may be 0, so that variables which are joined along their first
    dimension have the same codec.  block_nbytes: where a chunk touches
    several blocks, that of a whole block; blocks are cut off where the
    variable, or each record of it, ends: after each span_nbytes.
    """

    def __init__(self, itemsize: int, chunks: Sequence[int],
                 shape: Sequence[int], tail_nbytes: int = 0,
                 block_nbytes: int = 0, span_nbytes: int = 0) -> None:
        self.chunks = _lengths("chunks", chunks, 1)
        self.shape = _lengths("shape", shape, 0)
        self.itemsize, self.tail_nbytes = itemsize, tail_nbytes
        self.block_nbytes, self.span_nbytes = _lengths(
            "lengths of blocks", (block_nbytes, span_nbytes), 0)
        if itemsize not in (1, 2, 4, 8) or \
                len(self.chunks) != len(self.shape) or not self.chunks or \
                tail_nbytes not in range(4):
            raise ValueError("nc3z codec: invalid configuration")
        self.nbytes = math.prod(self.chunks) * itemsize
        if self.nbytes > c.BLOCK_NBYTES_MAX:
            raise ValueError("nc3z codec: no block is as large as a chunk of "
                             f"{list(self.chunks)}")
        # A chunk begins in one block only, and ends in the same span.
        if self.block_nbytes and (self.block_nbytes > self.nbytes or
                                  self.span_nbytes % self.nbytes or
                                  not self.span_nbytes):
            raise ValueError("nc3z codec: invalid lengths of blocks")

    def config(self) -> Dict[str, Any]:
        """The arguments, for JSON."""
        found: Dict[str, Any] = {"itemsize": self.itemsize,
                                 "chunks": list(self.chunks)}
        if self.block_nbytes:
            found["block_nbytes"] = self.block_nbytes
            found["span_nbytes"] = self.span_nbytes
        if self.tail_nbytes:
            return dict(found, shape=list(self.shape),
                        tail_nbytes=self.tail_nbytes)
        return dict(found, shape=[0] + list(self.shape[1:]))

    def lengths_of(self, number: int) -> List[int]:
        """Lengths of a chunk as far as the variable goes, by its number; of
        its first dimension the full one."""
        found = list(self.chunks)
        for k in range(len(found) - 1, 0, -1):
            count = -(-self.shape[k] // found[k])
            if not count:
                return [0] * len(found)
            number, place = divmod(number, count)
            found[k] = min(found[k], self.shape[k] - place * found[k])
        return found

    def decode(self, record: Any) -> bytes:
        """The bytes of a chunk, in the byte order of the original.

        Raises DamagedError, UnsupportedError, and InvalidError if the record
        is of another variable.
        """
        data = numpy.frombuffer(record, "u1")
        if self.block_nbytes:
            return self._gather(data)
        raw, found = self._decode_one(data, self.nbytes)
        if found.record_nbytes != data.nbytes:
            self._refuse("there is more after the block record")
        # A whole chunk may have the number of an equal block elsewhere.
        if not self.tail_nbytes and raw.nbytes == self.nbytes:
            return bytes(raw)
        if self.tail_nbytes and found.block == self._last_number():
            raw = raw[:-self.tail_nbytes]
        return self._fill(raw, self.lengths_of(found.block))

    def _decode_one(self, data: Any, nbytes: int) -> Tuple[Any, c.CRecord]:
        """The raw bytes of the record that the data begin with."""
        raw = numpy.empty(nbytes + self.tail_nbytes, "u1")
        found, err = c.CRecord(), c.CError()
        if _library.load().nc3z_decode_record(
                data.ctypes.data, data.nbytes, raw.ctypes.data, raw.nbytes,
                found, err):
            raise _errors.from_c("a block record", err)
        return raw[:found.raw_nbytes], found

    def _refuse(self, why: str) -> NoReturn:
        raise _errors.InvalidError(
            "a block record", f"{why}: references and archive do not belong "
            "together", c.EINVAL)

    def _gather(self, data: Any) -> bytes:
        """A chunk from all the blocks that it touches."""
        block = self.block_nbytes
        raw, found = self._decode_one(data, block)
        first, at, parts = found.block, found.record_nbytes, [raw]
        # Of the chunks in a span, the one that begins in this block.
        begin = first % -(-self.span_nbytes // block) * block
        chunk = -(-begin // self.nbytes) * self.nbytes
        end = chunk + self.nbytes
        if chunk >= begin + block or end > self.span_nbytes:
            self._refuse("no chunk begins in the block")
        begins = range(begin, end, block)
        while len(parts) < len(begins):
            raw, found = self._decode_one(data[at:], block)
            if found.block != first + len(parts):
                self._refuse("blocks do not follow each other")
            parts.append(raw)
            at += found.record_nbytes
        if at != data.nbytes:
            self._refuse("there is more after the block records")
        for start, raw in zip(begins, parts):
            tail = raw.nbytes - min(block, self.span_nbytes - start)
            if tail not in (0, self.tail_nbytes):
                self._refuse(f"a block has {raw.nbytes} bytes")
        return bytes(numpy.concatenate(parts)[chunk - begin:end - begin])

    def _last_number(self) -> int:
        return math.prod(-(-length // chunk) for length, chunk in
                         zip(self.shape, self.chunks)) - 1

    def _fill(self, raw: Any, lengths: List[int]) -> bytes:
        """Puts the values of a block where they belong in a chunk."""
        row = math.prod(lengths[1:]) * self.itemsize
        lengths[0], rest = divmod(raw.nbytes, row) if row else (0, 1)
        if rest or not 0 < lengths[0] <= self.chunks[0]:
            self._refuse(f"a block of {raw.nbytes} bytes is no chunk of "
                         f"{self.chunks} values")
        if tuple(lengths) == self.chunks:
            return bytes(raw)
        whole = numpy.zeros(self.chunks + (self.itemsize,), "u1")
        whole[tuple(slice(0, n) for n in lengths)] = raw.reshape(
            lengths + [self.itemsize])
        return bytes(whole.tobytes())
