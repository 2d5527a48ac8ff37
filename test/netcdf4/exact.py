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


def expect(condition, what):
    """A rule of the text."""
    if not condition:
        raise Damaged(what)


class Variable:
    """A variable, and where its values are."""

    def __init__(self, fields, numrecs, hdf5_nbytes):
        self.width, self.flags, rank, zero, self.begin = fields.take("BBBBQ")
        expect(self.width in (1, 2, 4, 8) and self.flags < 16 and rank <= 32
               and zero == 0, "a variable")
        expect(self.flags & CHUNKED or not self.flags, "flags without chunks")
        expect(rank or not self.flags, "chunks without dimensions")
        self.lengths = [fields.take("Q") for _ in range(rank)]
        first = 1 if self.flags & RECORDS else 0
        expect(0 not in self.lengths[first:] and
               (not first or self.lengths[0] == numrecs), "a length")
        self.chunks, self.places = None, []
        if not self.flags & CHUNKED:
            self.address = fields.take("Q")
            expect(self.address + self.nbytes() <= hdf5_nbytes, "an address")
            return
        self.chunks = [fields.take("Q") for _ in range(rank)]
        expect(all(1 <= c <= max(n, 1)
                   for n, c in zip(self.lengths, self.chunks)) and
               self.width * self.nelems(self.chunks) <= 1 << 26, "chunks")
        starts = [range(0, n, c) for n, c in zip(self.lengths, self.chunks)]
        for start in itertools.product(*starts):
            self.places.append((start, *fields.take("QI")))
        n = self.width * self.nelems(self.chunks)
        for _, address, nbytes in self.places:
            expect(address + nbytes <= hdf5_nbytes, "an address")
            expect(n // 1040 <= nbytes <= n + n // 1000 + 64
                   if self.flags & DEFLATED else nbytes == n,
                   "a stored length")

    def nbytes(self):
        """Of all values."""
        return self.width * self.nelems(self.lengths)

    def nelems(self, lengths):
        """Elements of a box."""
        n = 1
        for length in lengths:
            n *= length
        return n

    def chunk(self, stored):
        """A chunk's elements, little-endian."""
        raw = inflate(stored) if self.flags & DEFLATED else stored
        expect(len(raw) == self.width * self.nelems(self.chunks),
               "a chunk has another length")
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
        nbytes = self.nbytes()
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
            yield self.begin, 0, self.nbytes()
            return
        nbytes = self.width * self.nelems(self.lengths[1:])
        for r in range(numrecs):
            yield self.begin + r * step, r * nbytes, nbytes


def inflate(stored):
    """One zlib stream, and nothing behind it."""
    stream = zlib.decompressobj()
    raw = stream.decompress(stored)
    expect(stream.eof and not stream.unused_data, "a zlib stream")
    return raw


class Tail:
    """Trailer and description."""

    def __init__(self, data):
        trailer = data[-TRAILER.size:]
        expect(len(trailer) == TRAILER.size, "no trailer")
        (magic, version, stored, nbytes, crc, self.hdf5_nbytes,
         self.original_nbytes, self.original_sha256, hdf5_sha256,
         trailer_crc) = TRAILER.unpack(trailer)
        expect(magic == MAGIC and zlib.crc32(trailer[:-4]) == trailer_crc,
               "no trailer")
        expect(version == 1, "another version")
        self.end = len(data) - TRAILER.size - stored
        expect(self.hdf5_nbytes <= self.end and
               self.original_nbytes < (1 << 63) - 1 and
               nbytes <= len(data) + (1 << 16), "the trailer")
        expect(hashlib.sha256(data[:self.hdf5_nbytes]).digest() ==
               hdf5_sha256, "the HDF5 part was changed")
        description = data[self.end:self.end + stored]
        expect(zlib.crc32(description) == crc, "the description was changed")
        description = inflate(description)
        expect(len(description) == nbytes, "the description's length")
        try:
            self.read(Fields(description), nbytes)
        except struct.error as error:
            raise Damaged("the description is too short") from error

    def read(self, fields, nbytes):
        """The description."""
        self.numrecs, self.step, nvariables, nframes = fields.take("QQII")
        expect(nvariables <= self.hdf5_nbytes, "too many variables")
        self.variables = [Variable(fields, self.numrecs, self.hdf5_nbytes)
                          for _ in range(nvariables)]
        self.frames = [fields.take("II") for _ in range(nframes)]
        expect(fields.at == nbytes, "something follows the frames")
        expect(self.hdf5_nbytes + sum(n for n, _ in self.frames) == self.end,
               "frames do not fill the room")
        self.check_original()
        places = sorted(self.places())
        for (a, n), (b, _) in zip(places, places[1:]):
            expect(a + n <= b, "stored values overlap")

    def check_original(self):
        """Variables do not overlap, and records are where they should be."""
        fixed = sorted((v.begin, v.begin + v.nbytes())
                       for v in self.variables if not v.flags & RECORDS)
        slots = sorted((v.begin, v.begin + v.width * v.nelems(v.lengths[1:]))
                       for v in self.variables if v.flags & RECORDS)
        for pieces in fixed, slots if self.numrecs else []:
            for (_, end), (begin, _) in zip(pieces, pieces[1:]):
                expect(end <= begin, "variables overlap")
            expect(all(e < 1 << 63 for _, e in pieces), "an offset")
        if not self.numrecs or not slots:
            return
        first, end = slots[0][0], slots[-1][1]
        expect(end - first <= self.step, "a record is too long")
        expect(end + (self.numrecs - 1) * self.step < 1 << 63, "an offset")
        end = min(first + self.numrecs * self.step, (1 << 63) - 1)
        expect(all(e <= first or b >= end for b, e in fixed),
               "a variable lies between records")

    def places(self):
        """Addresses and lengths of all stored values."""
        for variable in self.variables:
            if variable.chunks is None:
                yield variable.address, variable.nbytes()
            yield from (place[1:] for place in variable.places)


def restore(data):
    """The original."""
    tail = Tail(data)
    original = bytearray(tail.original_nbytes)
    pieces = []
    for variable in tail.variables:
        values = variable.values(data)
        for begin, at, n in variable.pieces(tail.numrecs, tail.step):
            n = max(min(n, tail.original_nbytes - begin), 0)
            original[begin:begin + n] = values[at:at + n]
            pieces.append((begin, begin + n))
    rest = b""
    at = tail.hdf5_nbytes
    covered = sum(e - b for b, e in pieces)
    for length, crc in tail.frames:
        frame = data[at:at + length]
        at += length
        expect(zlib.crc32(frame) == crc, "a frame was changed")
        left = min(tail.original_nbytes - covered - len(rest), FRAME)
        rest += frame if length == left else inflate(frame)
    expect(len(rest) == tail.original_nbytes - covered, "the rest's length")
    taken = 0
    at = 0
    for begin, stop in sorted(pieces) + [(tail.original_nbytes,) * 2]:
        if begin > at:
            original[at:begin] = rest[taken:taken + begin - at]
            taken += begin - at
        at = max(at, stop)
    expect(hashlib.sha256(original).digest() == tail.original_sha256,
           "the original's SHA-256 differs")
    return bytes(original)


def main():
    """By names."""
    with open(sys.argv[1], "rb") as file:
        original = restore(file.read())
    with open(sys.argv[2], "wb") as file:
        file.write(original)


if __name__ == "__main__":
    main()
