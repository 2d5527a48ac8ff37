# SPDX-License-Identifier: MIT
"""The worked example of LZMA2: a block, by liblzma and in more chunks."""

import struct

import block as blocks
import lzma2
from annotate import Dump

WIDTH = 2
ELEMENTS = (300, 301, 302) * 8
RAW = blocks.pack(ELEMENTS, WIDTH)
KINDS = {1: "as it is, after a reset of the dictionary", 2: "as it is",
         0x80: "LZMA", 0xC0: "LZMA, with properties",
         0xE0: "LZMA, after a reset of the dictionary"}
# Six bytes as they are, a match of 30 bytes, two bytes, a match of 10.
OF_CHUNKS = bytes.fromhex("""
01 0005 012c012d012e
c0 001d 0006 36 00b0c11c000000
02 0001 012c
80 0009 0005 00d7fffc0000
00""")


def make():
    """Raw bytes, description and payload of each block."""
    for stored in (lzma2.compress(RAW, preset=6, lc=0, lp=1, pb=1),
                   OF_CHUNKS):
        assert lzma2.decompress(stored, len(RAW)) == RAW
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
