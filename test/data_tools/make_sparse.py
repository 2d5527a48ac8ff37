#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a sparse classic file of several GiB that takes a few KiB on disk.

usage: make_sparse.py OUT KIND

  fixed-over-4gib-cdf2          one fixed variable of 4.8 GB, the last
  records-over-4gib-cdf5        three records of 1.6 GB
  cdf1-last-variable-over-2gib  the last variable has 2.4 GB
  offsets-over-4gib-cdf2        two variables of 2.2 GB, of which the first
                                reaches over 2 GiB and the second over 4 GiB,
                                and one after them

Values 0 to 3, the four in the middle and the last four of each variable are
real: value number i (of a record variable: counted over all records) is
i mod 1000 + 0.5 for a float, i mod 1000 for an integer. All others are 0.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "testdata"))

from classic_writer import (  # noqa: E402
    FLOAT, INT, SHORT, ClassicWriter, Var, encode, round4)

SIZES = {SHORT: 2, INT: 4, FLOAT: 4}
KINDS = {
    "fixed-over-4gib-cdf2": ClassicWriter(
        2, [("y", 30000), ("x", 40000)], variables=[
            Var("y", INT, "y"), Var("field", FLOAT, "y x")]),
    "records-over-4gib-cdf5": ClassicWriter(
        5, [("time", 0), ("y", 20000), ("x", 20000)], records=3, variables=[
            Var("time", INT, "time"), Var("field", FLOAT, "time y x"),
            Var("step", SHORT, "time")]),
    "cdf1-last-variable-over-2gib": ClassicWriter(
        1, [("y", 20000), ("x", 30000)], variables=[
            Var("y", INT, "y"), Var("field", FLOAT, "y x")]),
    "offsets-over-4gib-cdf2": ClassicWriter(
        2, [("y", 20000), ("x", 27500)], variables=[
            Var("u", FLOAT, "y x"), Var("v", FLOAT, "y x"),
            Var("w", FLOAT, "x")]),
}


def places(writer, var, begin):
    """(number, offset) of the values of var that are not 0."""
    size = SIZES[var.nctype]
    per_slot = writer.slot(var) // size
    step, total = 0, per_slot
    if writer.is_record(var):
        step, total = writer.record_size(), per_slot * writer.records
    middle = total // 2
    numbers = {*range(4), *range(middle - 2, middle + 2),
               *range(total - 4, total)}
    for i in sorted(n for n in numbers if 0 <= n < total):
        yield i, begin + i // per_slot * step + i % per_slot * size


def write_sparse(path, writer):
    begins, _ = writer.layout()
    end = 0
    with open(path, "wb") as out:
        out.write(writer.header(begins))
        for var, begin in zip(writer.variables, begins):
            for i, offset in places(writer, var, begin):
                value = i % 1000 + (0.5 if var.nctype == FLOAT else 0)
                out.seek(offset)
                out.write(encode(var.nctype, [value]))
                end = max(end, out.tell())
        out.truncate(round4(end))


def main(arguments):
    if len(arguments) != 2 or arguments[1] not in KINDS:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    write_sparse(arguments[0], KINDS[arguments[1]])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
