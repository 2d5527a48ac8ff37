#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Restores the original of an exact netCDF-4 file.

usage: exact.py FILE.nc4 ORIGINAL

Written from format-spec/exact-netcdf4.md alone, with nothing but Python's own
modules, and no HDF5: for tests, and as an example.
"""

import hashlib
import itertools
import struct
import sys
import zlib

TRAILER = struct.Struct("<8sIIIIQQ32s32sI")
MAGIC = b"\x93nc3z-N4"
FRAME = 1 << 20
RECORDS, CHUNKED, SHUFFLED, DEFLATED = 1, 2, 4, 8


class Damaged(Exception):
    """The file is not what it should be."""


class Fields:
    """Numbers of the description, in their order."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        """The next fields."""
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]


class Variable:
    """A variable, and where its values are."""

    def __init__(self, fields):
        self.width, self.flags, rank, _, self.begin = fields.take("BBBBQ")
        self.lengths = [fields.take("Q") for _ in range(rank)]
        self.chunks, self.places = None, []
        if not self.flags & CHUNKED:
            self.address = fields.take("Q")
            return
        self.chunks = [fields.take("Q") for _ in range(rank)]
        starts = [range(0, n, c) for n, c in zip(self.lengths, self.chunks)]
        for start in itertools.product(*starts):
            self.places.append((start, *fields.take("QI")))

    def nelems(self, lengths):
        """Elements of a box."""
        n = 1
        for length in lengths:
            n *= length
        return n

    def chunk(self, stored):
        """A chunk's elements, little-endian."""
        raw = zlib.decompress(stored) if self.flags & DEFLATED else stored
        if len(raw) != self.width * self.nelems(self.chunks):
            raise Damaged("a chunk has another length")
        if self.flags & SHUFFLED:
            n = len(raw) // self.width
            raw = b"".join(bytes(raw[k * n + i] for k in range(self.width))
                           for i in range(n))
        return raw

    def place(self, values, start, raw):
        """Puts a chunk's elements where they belong."""
        inner = min(self.chunks[-1], self.lengths[-1] - start[-1])
        outer = [range(min(c, n - s)) for s, c, n in
                 zip(start[:-1], self.chunks[:-1], self.lengths[:-1])]
        for index in itertools.product(*outer):
            to = source = 0
            for i, s, c, n in zip(index, start, self.chunks, self.lengths):
                to, source = to * n + s + i, source * c + i
            to = (to * self.lengths[-1] + start[-1]) * self.width
            source *= self.chunks[-1] * self.width
            values[to:to + inner * self.width] = \
                raw[source:source + inner * self.width]

    def values(self, data):
        """All values, big-endian."""
        nbytes = self.width * self.nelems(self.lengths)
        values = bytearray(nbytes)
        if self.chunks is None:
            values[:] = data[self.address:self.address + nbytes]
        for start, address, length in self.places:
            self.place(values, start,
                       self.chunk(data[address:address + length]))
        swapped = bytearray(nbytes)
        for k in range(self.width):
            swapped[k::self.width] = values[self.width - 1 - k::self.width]
        return bytes(swapped)

    def pieces(self, numrecs, step):
        """Where its bytes are in the original, and in its values."""
        if not self.flags & RECORDS:
            yield self.begin, 0, self.width * self.nelems(self.lengths)
            return
        nbytes = self.width * self.nelems(self.lengths[1:])
        for r in range(numrecs):
            yield self.begin + r * step, r * nbytes, nbytes


def restore(data):
    """The original."""
    trailer = data[-TRAILER.size:]
    (magic, version, stored, nbytes, crc, hdf5_nbytes, original_nbytes,
     original_sha256, hdf5_sha256, trailer_crc) = TRAILER.unpack(trailer)
    if magic != MAGIC or zlib.crc32(trailer[:-4]) != trailer_crc:
        raise Damaged("no trailer")
    if version != 1:
        raise Damaged("another version")
    if hashlib.sha256(data[:hdf5_nbytes]).digest() != hdf5_sha256:
        raise Damaged("the HDF5 part was changed")
    end = len(data) - TRAILER.size - stored
    description = data[end:end + stored]
    if zlib.crc32(description) != crc:
        raise Damaged("the description was changed")
    description = zlib.decompress(description)
    if len(description) != nbytes:
        raise Damaged("the description has another length")
    fields = Fields(description)
    numrecs, step, nvariables, nframes = fields.take("QQII")
    variables = [Variable(fields) for _ in range(nvariables)]
    frames = [fields.take("II") for _ in range(nframes)]
    original = bytearray(original_nbytes)
    pieces = []
    for variable in variables:
        values = variable.values(data)
        for begin, at, n in variable.pieces(numrecs, step):
            n = max(min(n, original_nbytes - begin), 0)
            original[begin:begin + n] = values[at:at + n]
            pieces.append((begin, begin + n))
    rest = b""
    at = hdf5_nbytes
    for length, crc in frames:
        frame = data[at:at + length]
        at += length
        if zlib.crc32(frame) != crc:
            raise Damaged("a frame was changed")
        left = original_nbytes - sum(e - b for b, e in pieces) - len(rest)
        rest += frame if length == min(left, FRAME) else zlib.decompress(frame)
    taken = 0
    at = 0
    for begin, stop in sorted(pieces) + [(original_nbytes, original_nbytes)]:
        if begin > at:
            original[at:begin] = rest[taken:taken + begin - at]
            taken += begin - at
        at = max(at, stop)
    if hashlib.sha256(original).digest() != original_sha256:
        raise Damaged("the original's SHA-256 differs")
    return bytes(original)


def main():
    """By names."""
    with open(sys.argv[1], "rb") as file:
        original = restore(file.read())
    with open(sys.argv[2], "wb") as file:
        file.write(original)


if __name__ == "__main__":
    main()
