# SPDX-License-Identifier: MIT
"""The worked example of context coding: a block, its bytes and their text."""

import struct

import block as blocks
import context
import forge_context
import zstd
from annotate import Dump

WIDTH = 2
ROW, PLANE_ROWS = 16, 2
# Two planes, of which the second has one row.
ELEMENTS = (
    300, 303, 305, 308, 312, 315, 317, 320,
    323, 326, 330, 332, 335, 338, 341, 344,
    301, 304, 306, 309, 313, 317, 318, 321,
    324, 327, 331, 333, 345, 339, 342, 345,
    302, 305, 307, 310, 314, 317, 319, 322,
    325, 328, 332, 334, 340, 340, 343, 346)
# What symbols 0, 1, ... have in either table.
TABLES = ((544, 192, 192, 32, 32, 8, 8) + 8 * (2,),
          (256, 192, 192, 64, 64, 32, 32, 48, 48) + 6 * (16,))
# Of the trace, as indices of elements.
SHOWN = *range(5), *range(16, 23), *range(27, 30)


def model():
    """Row 0 by W, rows below it by W + N - NW, where noise is by table 1."""
    tables = [list(table) + [0] * (context.SYMBOLS - len(table))
              for table in TABLES]
    return context.Model(
        290, ROW, PLANE_ROWS, (1, 0, 1, 0, 0, 0, 0, 0, 0), (1024,),
        [(512, 0, 512, -512) + (0,) * 10], b"\0\0",
        bytes(12) + b"\1" * 12, tables)


def starts_run(data, begin):
    return data[begin:begin + 8] == data[begin:begin + 1] * 8


def frame(data):
    """A zstd frame of blocks as they are, and of one byte repeated."""
    made = zstd.MAGIC + b"\x60" + struct.pack("<H", len(data) - 256)
    begin = 0
    while begin < len(data):
        end = begin + 1
        is_run = starts_run(data, begin)
        while end < len(data) and (data[end] == data[begin] if is_run
                                   else not starts_run(data, end)):
            end += 1
        head = end - begin << 3 | is_run << 1 | (end == len(data))
        made += head.to_bytes(3, "little")
        made += data[begin:begin + 1] if is_run else data[begin:end]
        begin = end
    return made


def make():
    """Raw bytes, description and payload of each block: of one."""
    made = forge_context.Forged(
        model(), [False] * len(ELEMENTS), WIDTH, forge_context.wanted_values(
            element - model().base for element in ELEMENTS))
    assert tuple(made.elements) == ELEMENTS
    stored = made.stored(frame)
    raw = blocks.pack(ELEMENTS, WIDTH)
    return [(raw, struct.pack("<BBBBII", 0, blocks.CONTEXT, WIDTH, 0,
                              len(raw), len(stored)), stored)]


class Tracer(context.Decoder):
    """A decoder that says what it does."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.steps = []

    def miss(self, lane, p, table):
        before = lane.state
        miss = super().miss(lane, p, table)
        self.steps.append((p, self.tables.index(table), before, lane.state,
                           miss))
        return miss


def trace(stored):
    """Some of the first plane's elements, step by step."""
    length = struct.unpack_from("<I", stored)[0]
    contents = zstd.decompress_up_to(stored[4:4 + length], 1 << 20)
    n = len(ELEMENTS)
    found = context.read_model(contents, n, WIDTH)
    fields = context.Fields(stored[4 + length:], "lanes")
    tracer = Tracer(found, context.Layout(n, found.row, found.plane_rows),
                    context.read_lanes(fields))
    values = tracer.decode([False] * n)
    lines = ["", "Some elements of plane 0",
             "row column    sum prediction table state before       after miss"
             "   V element"]
    for i in SHOWN:
        p, table, before, after, miss = tracer.steps[i]
        lines.append(f"{i // ROW:3}{i % ROW:7} {p:6} {p >> 9:10} {table:5} "
                     f"{before:12} {after:11} {miss:4} {values[i]:3} "
                     f"{found.base + values[i]:7}")
    return lines


def model_fields(dump):
    """The fields of the model, with offsets of their own."""
    dump.number("Q", "base")
    dump.number("I", "row length")
    dump.number("I", "plane rows")
    dump.number("B", "number of predictors")
    tables = dump.number("B", "number of tables")
    levels = dump.number("B", "number of levels")
    dump.take(9, "weights, W and N 1, others 0")
    dump.number("i", "constant")
    dump.take(28, "coefficients: W 512, N 512, NW -512")
    dump.take(12 * levels, "tables of contexts, 12 of each level")
    for part in "low", "high":
        for number in range(tables):
            dump.take(context.SYMBOLS,
                      f"table {number}: {part} bytes of the frequencies")


def text():
    """The example as it stands in the specification."""
    [(_, _, stored)] = make()
    dump = Dump(stored)
    dump.title("Stored bytes")
    length = dump.number("I", "length of the frame")
    dump.take(length, "frame")
    heads = []
    for lane in range(context.LANES):
        state = dump.number("I", f"lane {lane}: state")
        heads.append((state, dump.number("I", "number of words"),
                      dump.number("I", "number of bytes of raw bits")))
    for what, place, size in ("words", 1, 2), ("raw bits", 2, 1):
        for lane, head in enumerate(heads):
            if head[place]:
                dump.take(size * head[place], f"lane {lane}: {what}")
    assert dump.offset == len(stored)
    dump.title("Model, decompressed")
    contents = zstd.decompress_up_to(stored[4:4 + length], 1 << 20)
    inner = Dump(contents, 0, dump.lines)
    model_fields(inner)
    assert inner.offset == len(contents)
    return "\n".join(dump.lines + trace(stored)).strip()
