# SPDX-License-Identifier: MIT
"""Undoing extrapolate and the deltas that it takes: 7.2, and 7.4 for holes."""

from itertools import chain, combinations
from math import isfinite
import struct

CODES = {4: ("I", "f"), 8: ("Q", "d")}


def sets_of(strides):
    """The sets of strides in their order: distance, and 1 or -1."""
    numbers = range(len(strides))
    sets = chain.from_iterable(combinations(numbers, n + 1) for n in numbers)
    return [(sum(strides[i] for i in each), 1 if len(each) % 2 else -1)
            for each in sorted(sets, reverse=True,
                               key=lambda each: sum(1 << i for i in each))]


class Type:
    """Numbers of one width, as bits and as numbers."""

    def __init__(self, width):
        bits, number = CODES[width]
        self.bits, self.number = struct.Struct(bits), struct.Struct(number)
        self.top = 1 << (8 * width - 1)
        self.all = 2 * self.top - 1

    def value(self, bits):
        return self.number.unpack(self.bits.pack(bits))[0]

    def rounded(self, value):
        """The bits of a finite number; None for others."""
        try:
            packed = self.number.pack(value)
        except OverflowError:
            return None
        if not isfinite(self.number.unpack(packed)[0]):
            return None
        return self.bits.unpack(packed)[0]

    def order(self, x):
        return x ^ self.all if x & self.top else x | self.top

    def unorder(self, y):
        return y ^ self.top if y & self.top else y ^ self.all


def undo_extrapolate(data, width, strides, holes=None):
    """The elements that are no holes, little-endian as those of the data."""
    kind, sets = Type(width), sets_of(strides)
    left = iter(struct.unpack(f"<{len(data) // width}{kind.bits.format}",
                              data))
    is_split = holes is not None
    holes = holes or [False] * (len(data) // width)
    bits, values, kept, missing = [], [], [], 0
    for i, hole in enumerate(holes):
        if hole:
            if kept:
                bits.append(bits[-1])
                values.append(values[-1])
            else:
                missing += 1
            continue
        y = next(left)
        if not kept and is_split:
            x = kind.unorder(y)
            bits, values = [x] * missing, [kind.value(x)] * missing
        else:
            total = 0.0
            for distance, sign in sets:
                if distance <= i:
                    total += sign * values[i - distance]
            p = kind.rounded(total)
            if p is None:
                p = bits[i - strides[0]] if strides[0] <= i else 0
            x = kind.unorder(y + kind.order(p) & kind.all)
        bits.append(x)
        values.append(kind.value(x))
        kept.append(x)
    return struct.pack(f"<{len(kept)}{kind.bits.format}", *kept)
