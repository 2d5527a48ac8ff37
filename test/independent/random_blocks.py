# SPDX-License-Identifier: MIT
"""Blocks as no writer makes them: any filters, codecs and splitting steps.

Random bytes behind filters decode to something, which is then what the block
holds; so nothing here applies a filter. Context coding (forge_context.py) has
random models, and its elements are what they make of random misses.
"""

import bz2
import struct
import zlib

import block as blocks
import lzma2
from filters import (BITSHUFFLE, DELTA, EXTRAPOLATE, ORDER, SHUFFLE, ZIGZAG,
                     Filter, undo_filters)
from forge_context import RandomModels


class Maker:
    """Makes blocks from a generator of random numbers."""

    def __init__(self, random):
        self.random = random

    def data(self, length):
        """Bytes; some of them compress well."""
        kind = self.random.randrange(3)
        if kind == 0:
            return self.random.randbytes(length)
        if kind == 1:
            return bytes(length)
        return bytes(self.random.choices(b"\0\1\2\xff", k=length))

    def chain(self, n, width):
        """Filters of a part of n elements."""
        random, chain = self.random, []
        if width >= 4 and random.random() < 0.3:
            chain.append(Filter(EXTRAPOLATE, 0))
            for _ in range(random.randrange(1, 4)):
                stride = random.choice((1, 1, 2, 5, 2**32 - 1))
                chain.append(Filter(DELTA, stride))
            chain.append(Filter(ZIGZAG, 0))
        elif random.random() < 0.3:
            chain.append(Filter(ORDER, 0))
        for _ in range(random.randrange(4 if len(chain) < 2 else 2)):
            stride = random.choice((1, 1, 2, 3, 7, 8, n - 1, n, n + 1,
                                    2**32 - 1))
            chain.append(random.choice((Filter(ZIGZAG, 0),
                                        Filter(DELTA, max(stride, 1)))))
        layout = random.choice((0, SHUFFLE, BITSHUFFLE))
        if layout:
            chain.append(Filter(layout, 0))
        return chain

    def part(self, length, width, stored=None, chain=None):
        """The fields of a part, its stored bytes, and what it is."""
        if chain is None:
            chain = self.chain(length // width, width)
        data = self.data(length) if stored is None else stored
        codec = self.random.choice((0, 1, 2, blocks.LZMA))
        stored = {0: lambda: data, 1: lambda: zlib.compress(data),
                  2: lambda: bz2.compress(data),
                  blocks.LZMA: lambda: lzma2.compress(
                      data, preset=self.random.randrange(10),
                      lc=self.random.randrange(5))
                  }[codec]()
        fields = struct.pack("<BBB", codec, width, len(chain))
        for each in chain:
            fields += bytes([each.number])
            if each.number == DELTA:
                fields += struct.pack("<I", each.parameter)
        fields += struct.pack("<II", length, len(stored))
        return fields, stored, undo_filters(data, width, chain)

    def context_part(self, holes, width, most):
        """The same of context coding, with at most so many stored bytes; a
        flag for each element says whether it is a hole."""
        length = holes.count(False) * width
        stored = RandomModels(self.random).stored(holes, width, most)
        return struct.pack("<BBBII", blocks.CONTEXT, width, 0, length,
                           len(stored)), stored

    def main_part(self, holes, width, most):
        """The main part of a split block, or one without steps."""
        if len(holes) >= 16 and self.random.random() < 0.3:
            return self.context_part(holes, width, most)
        return self.part(holes.count(False) * width, width)[:2]

    def block(self, raw_length):
        """Raw bytes, description and payload of a block."""
        make = self.random.choice((self.unsplit, self.split, self.split))
        description, payload = make(raw_length)
        parsed = blocks.read_description(description, raw_length,
                                         len(payload))
        stored, offset = {}, 0
        for part in parsed.parts:
            stored[part.role] = payload[offset:offset + part.stored_length]
            offset += part.stored_length
        raw = blocks.join(parsed, stored)
        return raw, description, payload

    def repeats(self, n):
        """A step that repeats elements, its part, and the holes."""
        random = self.random
        distances = [random.choice((1, 2, 3, 7, n + 1, 2**32 - 1))
                     for _ in range(random.randrange(1, 4))]
        codes = bytearray(n)
        for i in range(n):
            code = random.randrange(len(distances) + 1)
            if code and distances[code - 1] <= i:
                codes[i] = code
        fields, stored, _ = self.part(n, 1, bytes(codes), [])
        return (struct.pack(f"<BB{len(distances)}I", blocks.REPEAT,
                            len(distances), *distances),
                fields, stored, [code > 0 for code in codes])

    def unsplit(self, raw_length):
        width = self.random.choice((1, 2, 4, 8))
        if raw_length % width == 0:
            fields, payload = self.main_part(
                [False] * (raw_length // width), width,
                blocks.room(raw_length))
        else:
            fields, payload, _ = self.part(raw_length, width)
        return b"\0" + fields, payload

    def split(self, raw_length):
        """The description and the payload of a block with splitting steps."""
        random = self.random
        second = random.choice((0, blocks.PALETTE, blocks.FRACTION,
                                blocks.FRACTION, blocks.MULTIPLE))
        divides = second == blocks.FRACTION
        width = random.choice((4, 8) if divides else (1, 2, 4, 8))
        end = raw_length % width
        n = raw_length // width
        holes = [False] * n
        steps, parts = [], []
        first = random.choice(("drop", "repeat") if not second else
                              ("drop", "drop", "repeat", None))
        if first == "drop":
            fields, stored, holes = self.mask(n)
            steps.append(b"\2" + random.randbytes(width)
                         + struct.pack("<I", self.stride))
            parts.append((fields, stored))
        elif first:
            step, fields, stored, holes = self.repeats(n)
            steps.append(step)
            parts.append((fields, stored))
        main_width = width
        if second in (blocks.FRACTION, blocks.MULTIPLE):
            main_width = random.choice([w for w in (1, 2, 4, 8)
                                        if w <= width])
            exceptions = random.randrange(2) if divides else 0
            steps.append(self.integers(second, exceptions))
            if exceptions:
                parts += self.exceptions(n, width)
        elif second == blocks.PALETTE:
            main_width = 1
            steps.append(b"\4")
            parts.append(self.part(256 * width, width)[:2])
        most = blocks.room(raw_length) - sum(len(stored)
                                             for _, stored in parts)
        parts.append(self.main_part(holes, main_width, most))
        if sum(struct.unpack("<I", fields[-8:-4])[0]
               for fields, _ in parts) > blocks.room(raw_length):
            return self.split(raw_length)
        description = bytes([len(steps), width, end])
        description += random.randbytes(end) + b"".join(steps)
        description += b"".join(fields for fields, _ in parts)
        return description, b"".join(stored for _, stored in parts)

    def integers(self, step, exceptions):
        """A step that has a minimum, with its number."""
        random = self.random
        minimum = random.choice((0, -5, 2**62, -2**63, 2**63 - 1,
                                 random.randrange(-10**9, 10**9)))
        factor = random.choice((1, 2, 25, 3 << 30, 2**63, 2**64 - 1))
        divisor = random.choice((1, 3, 144, 10**random.randrange(13), 2**24,
                                 2**24 + 1, 2**53))
        if step == blocks.MULTIPLE:
            return struct.pack("<BQq", step, factor, minimum)
        return struct.pack("<BQQBq", step, divisor, factor, exceptions,
                           minimum)

    def mask(self, n):
        """A mask with its stride in self.stride, and its flags."""
        self.stride = self.random.choice((0, 0, 1, 2, 8, n - 1, n, 1000))
        while True:
            fields, stored, mask = self.part((n + 7) // 8,
                                             self.random.choice((1, 2)))
            parsed = blocks.Description(n=n, mask_stride=self.stride)
            if int.from_bytes(mask, "little") >> n == 0:
                holes = blocks.hole_flags(parsed, mask)
                if not all(holes):
                    return fields, stored, holes

    def exceptions(self, n, width):
        count = self.random.randrange(1, 5)
        places = sorted(self.random.sample(range(n), count))
        if self.random.random() < 0.5:
            gaps = [b - a for a, b in zip([0] + places, places)]
            first = self.part(4 * count, 4, struct.pack(f"<{count}I", *gaps),
                              [Filter(DELTA, 1)])
        else:
            first = self.part(4 * count, self.random.choice((1, 2, 4, 8)),
                              struct.pack(f">{count}I", *places), [])
        values = self.part(count * width, self.random.choice((1, 2, 4, 8)))
        return [first[:2], values[:2]]
