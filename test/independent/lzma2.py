# SPDX-License-Identifier: MIT
"""One LZMA2 stream: its chunks by section 7.6, its symbols by Python's lzma.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass

from fields import Damaged, Fields, must

DICTIONARY_MOST = 1 << 23
DICTIONARY_LEAST = 4096     # of the library


@dataclass
class Chunk:
    """A chunk: where it begins and ends, and what its head says."""

    control: int
    begin: int
    end: int
    content_length: int
    properties: int | None = None


def chunks(stored):
    """The chunks of a stream, which must end with its end byte."""
    fields, found = Fields(stored, "LZMA2 stream"), []
    first, has_properties = True, False
    while True:
        begin = fields.offset
        control = fields.number("B")
        if control == 0:
            fields.end()
            return found
        must(control < 3 or control >= 0x80, f"control byte {control:#x}")
        resets = control == 1 or control >= 0xE0
        must(resets or not first, "the first chunk resets no dictionary")
        has_properties = has_properties and not resets
        first, properties = False, None
        content = big_endian(fields) + 1
        stored_length = content
        if control >= 0x80:
            content += (control & 31) << 16
            stored_length = big_endian(fields) + 1
            if control >= 0xC0:
                properties = fields.number("B")
                check_properties(properties)
                has_properties = True
            must(has_properties, "a chunk without properties")
        fields.bytes(stored_length)
        found.append(Chunk(control, begin, fields.offset, content,
                           properties))


def big_endian(fields):
    return int.from_bytes(fields.bytes(2), "big")


def check_properties(properties):
    lp, lc = divmod(properties % 45, 9)
    must(properties < 225 and lc + lp <= 4, f"properties {properties}")


def options(length):
    """What tells a decoder how far back matches of so many bytes may be."""
    return {"id": lzma.FILTER_LZMA2, "dict_size": max(
        DICTIONARY_LEAST, min(length, DICTIONARY_MOST))}


def decompress(stored, length):
    """Exactly one stream that gives exactly length bytes (7.3, 7.6)."""
    must(sum(chunk.content_length for chunk in chunks(stored)) == length,
         "an LZMA2 stream of another length")
    stream = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[options(length)])
    try:
        data = stream.decompress(stored, length + 1)
    except (lzma.LZMAError, EOFError):
        raise Damaged("an LZMA2 stream that cannot be decoded") from None
    must(len(data) == length, "an LZMA2 stream that cannot be decoded")
    return data


def compress(data, **more):
    """A stream, by liblzma."""
    filters = [{**options(len(data)), "preset": 1, **more}]
    return lzma.compress(data, lzma.FORMAT_RAW, filters=filters)
