# SPDX-License-Identifier: MIT
"""Undoing filters: 7.1 and 7.2.

All elements of a part are held in one Python integer, element 0 in its least
significant bits, so that an operation on this integer is one on all of them.
"""

from dataclasses import dataclass
from itertools import takewhile

from extrapolate import undo_extrapolate
from fields import must, supported

ORDER, DELTA, ZIGZAG, SHUFFLE, BITSHUFFLE, EXTRAPOLATE = range(1, 7)
NAMES = {ORDER: "order", DELTA: "delta", ZIGZAG: "zigzag",
         SHUFFLE: "shuffle", BITSHUFFLE: "bitshuffle",
         EXTRAPOLATE: "extrapolate"}
LAYOUTS = (SHUFFLE, BITSHUFFLE)

# What each byte is as eight bytes, one for each bit.
BITS = [bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256)]


@dataclass
class Filter:
    """A filter and its parameter, 0 if it has none."""

    number: int
    parameter: int

    def __str__(self):
        name = NAMES[self.number]
        return f"{name} {self.parameter}" if self.parameter else name


def read_filters(fields):
    """The filters of a part (6.2)."""
    count = fields.number("B")
    must(count <= 8, "more than 8 filters")
    filters = []
    for _ in range(count):
        number, parameter = fields.number("B"), 0
        supported(number in NAMES, f"filter {number}")
        if number == DELTA:
            parameter = fields.number("I")
            must(parameter >= 1, f"{NAMES[number]} with parameter 0")
        filters.append(Filter(number, parameter))
    return filters


def check_filters(filters, width):
    """The rules of 7.2 that join several of them."""
    for place, each in enumerate(filters):
        must(each.number not in (ORDER, EXTRAPOLATE) or place == 0,
             f"{NAMES[each.number]} is not the first filter")
        must(each.number not in LAYOUTS or place == len(filters) - 1,
             "a layout is not the last filter")
    if filters and filters[0].number == EXTRAPOLATE:
        must(1 <= len(taken_by_first(filters)) <= 3 and width >= 4,
             "extrapolate without its deltas, or of few bytes")


def taken_by_first(filters):
    """The strides of the deltas right after the first filter."""
    return [each.parameter for each in
            takewhile(lambda each: each.number == DELTA, filters[1:])]


class Lanes:
    """Arithmetic on n elements of width bytes in one integer."""

    def __init__(self, n, width):
        self.n, self.bits = n, 8 * width
        one = b"\1" + bytes(width - 1)
        self.low = int.from_bytes(one * n, "little")
        self.high = self.low << (self.bits - 1)
        self.all = (1 << (self.bits * n)) - 1
        self.rest = self.all ^ self.high

    def add(self, a, b):
        """Sums modulo 2^bits; the top bits are added without a carry."""
        return (((a & self.rest) + (b & self.rest))
                ^ ((a ^ b) & self.high))

    def fill(self, flags):
        """All bits of each element whose lowest bit is set in flags."""
        return (flags << self.bits) - flags

    def undo_order(self, y):
        positive = self.fill((y & self.high) >> (self.bits - 1))
        return y ^ self.all ^ (positive & self.rest)

    def undo_zigzag(self, y):
        return ((y >> 1) & self.rest) ^ self.fill(y & self.low)

    def undo_delta(self, y, stride):
        """Sums of 1, 2, 4, ... elements that are stride apart."""
        while stride < self.n:
            y = self.add(y, y << (stride * self.bits))
            stride *= 2
        return y


def undo_shuffle(data, n, width):
    elements = bytearray(n * width)
    for k in range(width):
        elements[k::width] = data[k * n:(k + 1) * n]
    return bytes(elements)


def undo_bitshuffle(data, n, width):
    whole = n - n % 8
    step = whole // 8
    elements = bytearray(data)
    for k in range(width if whole else 0):
        byte = 0
        for bit in range(8):
            plane = data[(8 * k + bit) * step:(8 * k + bit + 1) * step]
            spread = b"".join(map(BITS.__getitem__, plane))
            byte |= int.from_bytes(spread, "little") << bit
        elements[k:whole * width:width] = byte.to_bytes(whole, "little")
    return bytes(elements)


def swapped(data, width):
    """Elements in the other byte order."""
    if width == 1:
        return data
    result = bytearray(len(data))
    for k in range(width):
        result[k::width] = data[width - 1 - k::width]
    return bytes(result)


def undo_filters(data, width, filters, undo_delta=None, holes=None):
    """The part, elements big-endian, from the codec's output (7.1).

    undo_delta(y, stride, is_first) replaces the delta of 7.2 for the main
    part of a block with holes; y are the bytes of the elements.  'holes' are
    the flags of that, for extrapolate.
    """
    if not filters:
        return data
    n = len(data) // width
    body, end = data[:n * width], data[n * width:]
    chain = list(filters)
    if chain[-1].number in LAYOUTS:
        layout = chain.pop()
        if layout.number == SHUFFLE:
            body = undo_shuffle(body, n, width)
        else:
            body = undo_bitshuffle(body, n, width)

    lanes = Lanes(n, width)
    x = int.from_bytes(body, "little")
    if filters[0].number == EXTRAPOLATE:
        strides = taken_by_first(filters)
        chain = chain[1 + len(strides):]
    while chain:
        this = chain.pop()
        if this.number == ORDER:
            x = lanes.undo_order(x)
        elif this.number == ZIGZAG:
            x = lanes.undo_zigzag(x)
        elif undo_delta is None:
            x = lanes.undo_delta(x, this.parameter)
        else:
            is_first = filters[0].number != EXTRAPOLATE and all(
                other.number != DELTA for other in chain)
            body = undo_delta(x.to_bytes(n * width, "little"),
                              this.parameter, is_first)
            x = int.from_bytes(body, "little")
    body = x.to_bytes(n * width, "little")
    if filters[0].number == EXTRAPOLATE:
        body = undo_extrapolate(body, width, strides, holes)
    return swapped(body, width) + end
