# SPDX-License-Identifier: MIT
"""The worked example of LZMA2: a block, by liblzma and in more chunks."""

import struct

import block as blocks
import forge_lzma
import lzma2
from annotate import Dump

WIDTH = 2
ELEMENTS = (300, 301, 302) * 8
RAW = blocks.pack(ELEMENTS, WIDTH)
FIRST = RAW[:6]
# lc, lp, pb
PROPERTIES = 0, 1, 1
KINDS = {1: "as it is, after a reset of the dictionary", 2: "as it is",
         0x80: "LZMA", 0xC0: "LZMA, with properties",
         0xE0: "LZMA, after a reset of the dictionary"}


def repeat(made):
    """The match that follows the first six bytes, up to the end."""
    made.match(5, len(RAW) - len(made.data))


def of_library():
    """One chunk; its symbols are six literals and a match."""
    lc, lp, pb = PROPERTIES
    stored = lzma2.compress(RAW, preset=6, lc=lc, lp=lp, pb=pb)
    made = forge_lzma.Forged()
    made.chunk(0xE0, FIRST, PROPERTIES, repeat)
    assert stored == made.end() and made.data == RAW
    return stored


def of_chunks():
    """The same symbols in chunks of more kinds."""
    made = forge_lzma.Forged()
    made.store(FIRST)
    made.chunk(0xC0, b"", PROPERTIES, lambda made: made.match(5, 30))
    made.store(FIRST[:2], 2)
    made.chunk(0x80, b"", change=repeat)
    assert made.data == RAW
    return made.end()


def make():
    """Raw bytes, description and payload of each block."""
    for stored in of_library(), of_chunks():
        yield RAW, struct.pack("<BBBBII", 0, blocks.LZMA, WIDTH, 0, len(RAW),
                               len(stored)), stored


def stream(dump, stored):
    """A stream, by chunks."""
    for chunk in lzma2.chunks(stored):
        assert dump.offset == chunk.begin
        dump.take(1, f"chunk: {KINDS[chunk.control & 0xE0 or chunk.control]}")
        dump.take(2, f"bytes that it gives, less 1: "
                     f"{chunk.content_length - 1}")
        if chunk.control < 3:
            dump.take(chunk.content_length, "the bytes")
            continue
        length = chunk.end - chunk.begin - 5 - (chunk.control >= 0xC0)
        dump.take(2, f"bytes of LZMA, less 1: {length - 1}")
        if chunk.properties is not None:
            dump.take(1, "properties: lc 0, lp 1, pb 1")
        dump.take(length, "LZMA")
    dump.take(1, "end")


def text():
    """The example as it stands in the specification."""
    lines = []
    for title, (_, _, stored) in zip(
            ("Stored bytes", "The same in four chunks"), make()):
        dump = Dump(stored, 0, lines)
        dump.title(title)
        stream(dump, stored)
        assert dump.offset == len(stored)
    return "\n".join(lines).strip()
