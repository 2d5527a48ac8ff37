#!/usr/bin/env python3
"""Makes a CDF-2 file of 1 GiB from Debian's ferret-datasets.

  make_large.py OUT [RECORDS]

100 float record variables v000 ... v099 of 64 by 128 values, 328 records by
default.  Variable v takes its values from one float variable of one data set
(they take turns); record r is a window of 64 by 128 into one of that variable's
planes: the planes take turns, and the window moves by one row in four records
and by three columns in each, so that neighbouring records resemble each other
as those of a model do.
"""

import mmap
import pathlib
import struct
import subprocess
import sys

DATASETS = ["levitus_climatology.cdf", "etopo5.cdf", "ocean_atlas_subset.nc",
            "monthly_navy_winds.cdf"]
ROWS, COLUMNS, NVARS, RECORDS = 64, 128, 100, 328
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8}
FLOAT = 5


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


def find_fields():
    """(bytes, offsets of planes, rows, columns) of every usable variable."""
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"], check=True,
                            capture_output=True, text=True).stdout
    for name in DATASETS:
        path = next(p for p in listed.splitlines()
                    if pathlib.Path(p).name == name)
        with open(path, "rb") as f:
            data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        header = Header(data)
        for var in header.vars:
            shape = var["shape"]
            if (var["type"] == FLOAT and len(shape) >= 2 and
                    shape[-2] > ROWS and shape[-1] > COLUMNS):
                yield data, planes_of(header, var), shape[-2], shape[-1]


def window(field, v, r):
    """One record of one variable."""
    data, planes, rows, columns = field
    plane = planes[(7 * v + r) % len(planes)]
    top = (13 * v + r // 4) % (rows - ROWS)
    left = (29 * v + 3 * r) % (columns - COLUMNS)
    return b"".join(
        data[plane + 4 * (columns * y + left):
             plane + 4 * (columns * y + left + COLUMNS)]
        for y in range(top, top + ROWS))


def header_bytes(records):
    def name(text):
        return struct.pack(">i", len(text)) + text + bytes(-len(text) % 4)
    slot = 4 * ROWS * COLUMNS
    head = b"CDF\2" + struct.pack(">iii", records, 10, 3)
    for dim, n in (b"time", 0), (b"y", ROWS), (b"x", COLUMNS):
        head += name(dim) + struct.pack(">i", n)
    head += bytes(8) + struct.pack(">ii", 11, NVARS)
    begin = len(head) + NVARS * (8 + 4 + 12 + 8 + 8 + 8)
    for v in range(NVARS):
        head += name(b"v%03d" % v) + struct.pack(">iiii", 3, 0, 1, 2)
        head += bytes(8) + struct.pack(">iiq", FLOAT, slot, begin + v * slot)
    assert len(head) == begin
    return head


def main():
    records = int(sys.argv[2]) if len(sys.argv) > 2 else RECORDS
    fields = list(find_fields())
    with open(sys.argv[1], "wb") as out:
        out.write(header_bytes(records))
        for r in range(records):
            out.write(b"".join(window(fields[v % len(fields)], v, r)
                               for v in range(NVARS)))


if __name__ == "__main__":
    main()
