# SPDX-License-Identifier: MIT
"""The classic header, and where values are: the netCDF classic formats."""

from dataclasses import dataclass
from itertools import product
from math import prod
import struct

from fields import must

# Bytes of a value by the number of its type; from 7 on CDF-5 alone.
TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8,
              7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
DIMENSION, VARIABLE, ATTRIBUTE = 10, 11, 12


@dataclass
class Variable:
    """A variable of the original."""

    name: bytes
    shape: list
    is_record: bool
    width: int
    begin: int

    def offset(self, indices, record_length):
        """Of an element in the original."""
        shape, element = self.shape, 0
        for index, length in zip(indices[self.is_record:],
                                 shape[self.is_record:]):
            element = element * length + index
        record = indices[0] * record_length if self.is_record else 0
        return self.begin + record + element * self.width


class Header:
    """A classic header."""

    def __init__(self, data):
        self.data, self.place = data, 4
        must(data[:3] == b"CDF" and data[3:4] in (b"\1", b"\2", b"\5"),
             "no classic header")
        version = data[3]
        self.count = "Q" if version == 5 else "I"
        self.records = self.number(self.count)
        dims = self.list(DIMENSION, lambda: (self.name(),
                                             self.number(self.count)))
        self.list(ATTRIBUTE, self.attribute)
        letter = "I" if version == 1 else "Q"
        self.variables = self.list(
            VARIABLE, lambda: self.variable(dims, letter))
        self.record_length = self.length_of_record()

    def number(self, letter):
        form = ">" + letter
        return struct.unpack(form, self.bytes(struct.calcsize(form)))[0]

    def bytes(self, length):
        end = self.place + length
        must(end <= len(self.data), "the classic header ends early")
        taken, self.place = self.data[self.place:end], end
        return taken

    def padded(self, length):
        return self.bytes(length + -length % 4)[:length]

    def name(self):
        return self.padded(self.number(self.count))

    def list(self, tag, read):
        found, count = self.number("I"), self.number(self.count)
        must(found == tag or found == count == 0, "tag of a list")
        return [read() for _ in range(count)]

    def attribute(self):
        self.name()
        width = self.type_size()
        self.padded(self.number(self.count) * width)

    def type_size(self):
        number = self.number("I")
        must(number in TYPE_SIZES, f"type {number}")
        return TYPE_SIZES[number]

    def variable(self, dims, letter):
        name = self.name()
        ids = [self.number(self.count)
               for _ in range(self.number(self.count))]
        must(all(i < len(dims) for i in ids), "number of a dimension")
        self.list(ATTRIBUTE, self.attribute)
        width = self.type_size()
        self.number(self.count)     # the size, which follows from the shape
        begin = self.number(letter)
        shape = [dims[i][1] for i in ids]
        is_record = bool(shape) and shape[0] == 0
        if is_record:
            shape[0] = self.records
        return Variable(name, shape, is_record, width, begin)

    def length_of_record(self):
        sizes = [prod(v.shape[1:]) * v.width
                 for v in self.variables if v.is_record]
        if len(sizes) == 1:
            return sizes[0]
        return sum(size + -size % 4 for size in sizes)

    def find(self, name):
        return next((v for v in self.variables if v.name == name), None)

    def runs(self, variable, start, count, stride):
        """Offsets and lengths of the pieces of a hyperslab."""
        if 0 in count:
            return
        ranges = [range(s, s + c * t, t)
                  for s, c, t in zip(start, count, stride)]
        # A whole row at once, where it lies together.
        together = 1
        if (ranges and stride[-1] == 1
                and not (variable.is_record and len(ranges) == 1)):
            together, ranges[-1] = count[-1], ranges[-1][:1]
        for indices in product(*ranges):
            yield (variable.offset(indices, self.record_length),
                   together * variable.width)
