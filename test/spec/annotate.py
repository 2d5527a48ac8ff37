#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints an archive byte by byte, with the name of each field.

Written from format-spec/nc3z-format.md alone; shows the worked examples.
Every checksum is verified, so that a wrong archive cannot be printed.
"""

from pathlib import Path
import re
import struct
import sys
import zlib

SPECIFICATION = Path(__file__).parents[2] / "format-spec/nc3z-format.md"


def names_of(section):
    """Number -> name and parameter, from the table of a section."""
    text = SPECIFICATION.read_text(encoding="utf-8")
    text = text.split(f"\n### {section} ")[1].split("\n#")[0]
    return {int(number): (name, parameter) for number, name, parameter in
            re.findall(r"^\| (\d+) \| (\w+) \| ([^|]*) \|", text, re.MULTILINE)}


def first_of(rows):
    return {number: name for number, (name, _) in rows.items()}


SPLITS, CODECS = first_of(names_of("6.3")), first_of(names_of("7.3"))
FILTERS = names_of("7.2")
NO_VARIABLE = 2**32 - 1
INF = 2**64 - 1
# How contents are shown once more, with offsets of their own.
INFLATED = {0: "its contents once more", 1: "inflated"}


class Dump:
    """Bytes that are printed as they are taken."""

    def __init__(self, data, offset=0, lines=None):
        self.data = data
        self.offset = offset
        self.lines = [] if lines is None else lines

    def title(self, text):
        self.lines += ["", text]

    def take(self, nbytes, meaning):
        taken = self.data[self.offset:self.offset + nbytes]
        if len(taken) != nbytes:
            raise SystemExit(f"archive is cut off at {self.offset}")
        for i in range(0, max(nbytes, 1), 16):
            text = meaning if i == 0 else ""
            numbers = taken[i:i + 16].hex(" ")
            self.lines.append(
                f"{self.offset + i:6}  {numbers:47}  {text}".rstrip())
        self.offset += nbytes
        return taken

    def number(self, code, name, show=str):
        raw = self.data[self.offset:self.offset + struct.calcsize(code)]
        value = struct.unpack("<" + code, raw)[0]
        self.take(len(raw), f"{name}: {show(value)}")
        return value

    def crc(self, name, begin, end, more=b""):
        expected = zlib.crc32(self.data[begin:end] + more)
        if self.number("I", name, lambda v: f"{v:08x}") != expected:
            raise SystemExit(f"wrong {name} at {self.offset - 4}")


def count(value):
    return "INF" if value == INF else str(value)


def section(dump, mark, title):
    dump.title(title)
    begin = dump.offset
    if dump.take(4, "mark " + mark) != mark.encode():
        raise SystemExit(f"no mark {mark} at {begin}")
    codec = dump.number("B", "codec", CODECS.get)
    dump.take(3, "reserved")
    nbytes = dump.number("I", "length of the contents")
    stored = dump.number("I", "stored length")
    payload = dump.data[begin + 24:begin + 24 + stored]
    dump.crc("CRC-32 of the stored bytes", begin + 24, begin + 24 + stored)
    dump.crc("CRC-32 of the head", begin, begin + 20)
    dump.take(stored, "stored bytes" if stored else "no stored bytes")
    contents = zlib.decompress(payload) if codec == 1 else payload
    assert len(contents) == nbytes
    return contents, codec


def plan(dump):
    """Section 6.1."""
    dump.number("Q", "header length")
    dump.number("Q", "record begin")
    dump.number("Q", "record length")
    dump.number("Q", "number of records", count)
    variable = begin = 0
    for i in range(dump.number("I", "number of streams")):
        dump.number("B", f"stream {i}: kind",
                    lambda v: "record" if v else "fixed")
        chunked = dump.number("B", "layout",
                              ["linear", "chunked"].__getitem__)
        dump.number("B", "element width")
        rank = dump.number("B", "rank")
        for k in range(rank):
            dump.number("Q", f"dimension {k}: length")
            dump.number("I", "chunk length")
        members = 1
        if not chunked:
            dump.number("I", "block length")
            dump.number("I", "panel length")
            members = dump.number("I", "number of members")
        for j in range(members):
            def number(v, expected=variable):
                v = (v + expected) % 2**32
                return "none" if v == NO_VARIABLE else str(v)

            def offset(v, expected=begin):
                return str((v + expected) % 2**64)

            variable += 1 + dump.number("I", f"member {j}: variable", number)
            begin += dump.number("Q", "begin", offset)
            begin += dump.number("Q", "length")


def contents_of(dump, title, contents, show):
    """The contents of a section, with offsets of their own."""
    dump.title(title)
    inner = Dump(contents, 0, dump.lines)
    show(inner)
    assert inner.offset == len(contents)


def splits(dump, count):
    """The splitting steps; the names of the parts that they make."""
    width = dump.number("B", "element width")
    dump.take(dump.number("B", "end length"), "end")
    parts = ["main part"]
    for _ in range(count):
        step = dump.number("B", "splitting step", SPLITS.get)
        if step == 1:
            dump.take(width, "the element")
            parts = []
        elif step == 2:
            dump.take(width, "the element that is dropped")
            dump.number("I", "mask stride")
            parts.insert(-1, "mask")
        elif step == 3:
            dump.number("Q", "divisor")
            dump.number("Q", "factor")
            if dump.number("B", "exceptions"):
                parts[-1:-1] = ["places", "values"]
            dump.number("q", "minimum")
        else:
            parts.insert(-1, "table")
    return parts


def description(dump):
    count = dump.number("B", "number of splitting steps")
    parts = splits(dump, count) if count else ["part"]
    for name in parts:
        dump.number("B", f"{name}: codec", CODECS.get)
        dump.number("B", "element width")
        for _ in range(dump.number("B", "number of filters")):
            number = dump.number("B", "filter", first_of(FILTERS).get)
            if FILTERS[number][1] != "none":
                dump.number("I", "stride")
        dump.number("I", "part length")
        dump.number("I", "stored length")


def block(dump, number):
    dump.title(f"Block record {number}")
    begin = dump.offset
    dump.take(4, "mark N3BK")
    header = dump.number("H", "length of the block record header")
    dump.number("I", "stream")
    dump.number("I", "block")
    dump.number("I", "raw length")
    dump.number("I", "CRC-32 of the raw bytes", lambda v: f"{v:08x}")
    payload = dump.number("I", "payload length")
    dump.crc("CRC-32 of the payload", begin + header,
             begin + header + payload)
    dump.number("I", "CRC-32 of the previous block record header",
                lambda v: f"{v:08x}")
    dump.take(8, "identity")
    description(dump)
    dump.crc("CRC-32 of the block record header", begin, begin + header - 4)
    assert dump.offset == begin + header
    dump.take(payload, "payload")


def index(dump):
    dump.title("Index")
    begin = dump.offset
    dump.take(4, "mark N3IX")
    entries = dump.number("Q", "number of entries")
    dump.crc("CRC-32 of the head", begin, begin + 12)
    while entries:
        begin = dump.offset
        here = min(entries, 4096)
        for i in range(here):
            dump.number("Q", f"entry {i}: offset")
            dump.number("I", "length of the block record")
            dump.number("I", "CRC-32 of the block record header",
                        lambda v: f"{v:08x}")
            dump.number("I", "CRC-32 of the raw bytes",
                        lambda v: f"{v:08x}")
        # The trailer's last fields are the CRC of the last record and its own.
        dump.crc("CRC-32 of the segment", begin, dump.offset,
                 dump.data[-8:-4])
        entries -= here


def catalogue(dump):
    dump.take(8, "identity")
    dump.number("Q", "size of the original")
    dump.take(32, "SHA-256 of the original")
    for i in range(dump.number("I", "number of streams")):
        dump.number("Q", f"stream {i}: length")
        dump.number("I", "number of blocks")
    if dump.offset < len(dump.data):
        dump.take(len(dump.data) - dump.offset, "the plan again")


def trailer(dump):
    dump.title("Trailer")
    begin = dump.offset
    dump.take(4, "mark N3TR")
    dump.number("H", "major version")
    dump.number("H", "minor version")
    dump.number("Q", "offset of the index")
    dump.number("Q", "offset of the copies")
    dump.number("Q", "offset of the catalogue")
    dump.number("Q", "length of the archive")
    dump.number("Q", "number of blocks")
    dump.take(8, "identity")
    dump.number("I", "CRC-32 of the last block record header",
                lambda v: f"{v:08x}")
    dump.crc("CRC-32 of the trailer", begin, begin + 60)


def annotate(data):
    """The lines of the dump."""
    dump = Dump(data)
    dump.title("Superblock")
    dump.take(8, "magic")
    dump.number("H", "major version")
    dump.number("H", "minor version")
    dump.crc("CRC-32 of the superblock", 0, 12)
    contents, codec = section(dump, "N3PL", "Plan section")
    contents_of(dump, f"Plan, {INFLATED[codec]}", contents, plan)
    number = 0
    while data[dump.offset:dump.offset + 4] == b"N3BK":
        block(dump, number)
        number += 1
    index(dump)
    contents, codec = section(dump, "N3CT", "Catalogue section")
    contents_of(dump, f"Catalogue, {INFLATED[codec]}", contents, catalogue)
    trailer(dump)
    if dump.offset != len(data):
        raise SystemExit("bytes after the archive")
    return dump.lines


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as archive:
        print("\n".join(annotate(archive.read())).strip())
