#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a CDF-2 file of 1 GiB from Debian's ferret-datasets.

  make_large.py OUT [RECORDS] [--vars N] [--rows N] [--columns N]
                [--type float|short]

100 float record variables v000 ... v099 of 64 by 128 values, 328 records by
default.  Variable v takes its values from one float variable of one data set
(they take turns); record r is a window into one of that variable's planes: the
planes take turns, and the window moves by one row in four records and by three
columns in each, so that neighbouring records resemble each other as those of a
model do.  Shorts are such values packed, with -32768 where there are none.
"""

import argparse
import array
import mmap
import pathlib
import struct
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import ClassicWriter, Var  # noqa: E402

DATASETS = ["levitus_climatology.cdf", "etopo5.cdf", "ocean_atlas_subset.nc",
            "monthly_navy_winds.cdf"]
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8}
SHORT, FLOAT = 3, 5


class Header:
    """The variables of a CDF-1 or CDF-2 file."""

    def __init__(self, data):
        self.data, self.at = data, 4
        self.begin_code = ">i" if data[3] == 1 else ">q"
        self.numrecs = self.number()
        dims = [(self.name(), self.number())[1] for _ in self.elements()]
        self.skip_atts()
        self.vars = [self.var(dims) for _ in self.elements()]
        self.record = sum(v["nbytes"] + -v["nbytes"] % 4
                          for v in self.vars if v["is_record"])

    def number(self, code=">i"):
        value, = struct.unpack_from(code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def name(self):
        length = self.number()
        self.at += length + -length % 4

    def elements(self):
        self.number()
        return range(self.number())

    def skip_atts(self):
        for _ in self.elements():
            self.name()
            nbytes = SIZES[self.number()] * self.number()
            self.at += nbytes + -nbytes % 4

    def var(self, dims):
        self.name()
        shape = [dims[self.number()] for _ in range(self.number())]
        self.skip_atts()
        nctype = self.number()
        self.number()
        is_record = bool(shape) and shape[0] == 0
        nbytes = SIZES[nctype]
        for n in shape[is_record:]:
            nbytes *= n
        return {"shape": shape, "type": nctype, "is_record": is_record,
                "nbytes": nbytes, "begin": self.number(self.begin_code)}


def planes_of(header, var):
    """Offsets of all planes (the last two dimensions) of a variable."""
    plane = 4 * var["shape"][-1] * var["shape"][-2]
    records = header.numrecs if var["is_record"] else 1
    return [var["begin"] + r * header.record + p
            for r in range(records) for p in range(0, var["nbytes"], plane)]


class Field:
    """The planes of one variable, of floats or packed into shorts."""

    def __init__(self, data, header, var, nctype):
        self.data, self.nctype = data, nctype
        self.rows, self.columns = var["shape"][-2:]
        self.offsets = planes_of(header, var)
        self.packed = {}
        self.range = None

    def plane(self, number):
        """The bytes of a plane, and where in them it begins."""
        begin = self.offsets[number % len(self.offsets)]
        if self.nctype == FLOAT:
            return self.data, begin
        if begin not in self.packed:
            self.packed[begin] = self.pack(begin)
        return self.packed[begin], 0

    def pack(self, begin):
        values = array.array("f")
        values.frombytes(self.data[begin:begin + 4 * self.rows * self.columns])
        if sys.byteorder == "little":
            values.byteswap()
        if not self.range:
            there = [x for x in values if abs(x) < 1e9]
            self.range = min(there), 40000 / (max(there) - min(there) or 1)
        low, scale = self.range
        out = array.array("h", (
            max(-32767, min(32767, int((x - low) * scale) - 20000))
            if abs(x) < 1e9 else -32768 for x in values))
        if sys.byteorder == "little":
            out.byteswap()
        return out.tobytes()

    def window(self, shape, v, r):
        """The bytes of record r of variable v."""
        width = SIZES[self.nctype]
        data, begin = self.plane(7 * v + r)
        top = (13 * v + r // 4) % (self.rows - shape.rows)
        left = (29 * v + 3 * r) % (self.columns - shape.columns)
        return b"".join(
            data[begin + width * (self.columns * y + left):
                 begin + width * (self.columns * y + left + shape.columns)]
            for y in range(top, top + shape.rows))


def find_fields(shape):
    """Every variable whose planes are large enough."""
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"], check=True,
                            capture_output=True, text=True).stdout
    for name in DATASETS:
        path, = (p for p in listed.splitlines()
                 if pathlib.Path(p).name == name)
        with open(path, "rb") as f:
            data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        header = Header(data)
        for var in header.vars:
            if (var["type"] == FLOAT and len(var["shape"]) >= 2 and
                    var["shape"][-2] > shape.rows and
                    var["shape"][-1] > shape.columns):
                yield Field(data, header, var, shape.nctype)


def header_bytes(shape):
    if SIZES[shape.nctype] * shape.rows * shape.columns % 4:
        sys.exit("make_large: a record must be a multiple of 4 bytes")
    return ClassicWriter(
        2, (("time", 0), ("y", shape.rows), ("x", shape.columns)),
        records=shape.records, variables=[
            Var(f"v{v:03}", shape.nctype, "time y x")
            for v in range(shape.vars)]).head()


def make(shape, path):
    fields = list(find_fields(shape))
    with open(path, "wb") as out:
        out.write(header_bytes(shape))
        for r in range(shape.records):
            out.write(b"".join(fields[v % len(fields)].window(shape, v, r)
                               for v in range(shape.vars)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("records", type=int, nargs="?", default=328)
    parser.add_argument("--vars", type=int, default=100)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--type", choices=["float", "short"], default="float")
    options = parser.parse_args()
    options.nctype = FLOAT if options.type == "float" else SHORT
    make(options, options.out)


if __name__ == "__main__":
    main()
