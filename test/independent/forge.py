# SPDX-License-Identifier: MIT
"""Makes archives by hand, right ones and such that break one rule.

Every number that is written has a name; `overrides` maps names to what is
written instead, a number, bytes, or a function of the right number.  All
checksums and the identity are those of what is written, so that a reader
that refuses an archive does so because of the rule.
"""

import functools
import hashlib
import random
import struct
import zlib

from archive import MAGIC, SEGMENT_ENTRIES
from classic_writer import BYTE, FLOAT, INT, SHORT, ClassicWriter, Var
from plan import END, INF, NO_VARIABLE, Plan


class Repeated:
    """One byte, as often as no memory could hold it."""

    def __init__(self, byte, count):
        self.byte, self.count = byte, count

    def __len__(self):
        return self.count

    @staticmethod
    @functools.lru_cache
    def crc(byte, count):
        return zlib.crc32(byte * count)


def crc(data):
    number = Repeated.crc(data.byte, data.count) \
        if isinstance(data, Repeated) else zlib.crc32(data)
    return struct.pack("<I", number)


class Block:
    """A block record to be: raw bytes, and what stands for them."""

    def __init__(self, stream, number, raw):
        self.stream, self.number, self.raw = stream, number, raw
        self.of = None          # stream and number of the block it equals
        if isinstance(raw, Repeated):
            self.description, self.payload = constant(1, raw.byte), b""
        else:
            self.description, self.payload = stored(len(raw)), raw


def stored(length):
    """The description of a block as it is."""
    return struct.pack("<BBBBII", 0, 0, 1, 0, length, length)


def constant(width, value):
    """The description of a block of equal elements."""
    return bytes([1, width, 0, 1]) + value


class Linear:
    """A linear stream of a plan to be; members: (variable, begin, length)."""

    def __init__(self, kind, width, block_length, panel, members):
        self.kind, self.width, self.members = kind, width, members
        self.cut = [("block_length", "I", block_length),
                    ("panel", "I", panel), ("members", "I", len(members))]
        self.layout = self.rank = 0


class Chunked:
    """A chunked stream of a plan to be; dims: (length, chunk length)."""

    def __init__(self, kind, width, dims, member):
        self.kind, self.width, self.members = kind, width, [member]
        self.cut = []
        for k, (dim, chunk) in enumerate(dims):
            self.cut += [(f"dim{k}", "Q", dim), (f"chunk{k}", "I", chunk)]
        self.layout, self.rank = 1, len(dims)


class Forge:
    """An archive to be."""

    def __init__(self, original, plan, streams):
        self.original, self.plan, self.streams = original, plan, streams
        self.blocks, self.copied = [], ()

    def cut_blocks(self):
        """Blocks as they are, each as soon as its last byte is there."""
        self.overrides = {}
        plan, size = Plan(self.plan_contents()), len(self.original)
        blocks, last, offset = {}, {}, 0
        while offset < size:
            stream, number, piece = plan.locate(offset)
            key = stream.number, number
            if key not in blocks:
                blocks[key] = bytearray(stream.length_of_block(number, size))
            place, length, *_ = piece(len(blocks[key]))
            blocks[key][place:place + length] = \
                self.original[offset:offset + length]
            offset += length
            last[key] = offset
        for stream, number in sorted(blocks):
            # Blocks of a stream ascend, also where the next one is shorter.
            last[stream, number] = max(last[stream, number],
                                       last.get((stream, number - 1), 0))
        for key in sorted(blocks, key=lambda key: (last[key], key)):
            self.blocks.append(Block(*key, bytes(blocks[key])))

    def build(self, overrides=None):
        """The archive."""
        self.overrides = dict(overrides or {})
        data = self.superblock()
        contents = self.plan_contents()
        section = self.section("plan", b"N3PL", contents)
        data += section
        identity = hashlib.sha256(contents + self.blocks[0].raw).digest()[:8]
        identity = self.bytes("identity", identity)

        entries, previous = {}, section[20:24]
        for number, block in enumerate(self.blocks):
            key = block.stream, block.number
            if block.of:
                record, previous = self.duplicate(number, block, previous,
                                                  identity)
                offset, length, *crcs = entries[block.of]
                entries[key] = offset, length + 2**31, *crcs
            else:
                record, previous = self.record(number, block, previous,
                                               identity)
                entries[key] = (len(data), len(record), previous,
                                crc(block.raw))
            data += record
        data += self.bytes("gap", b"")
        index_offset = len(data)
        data += self.index([entries[key] for key in sorted(entries)],
                           previous)
        copy_offset = len(data)
        if index_offset > self.bytes("copies_from", 1 << 20):
            header = self.original[:dict((name, value) for name, _, value
                                         in self.plan)["header_length"]]
            data += self.section("copy", b"N3HC",
                                 self.bytes("copy.bytes", header))
            data += self.section("copies", b"N3SC",
                                 self.stream_copies(identity, previous))
        catalogue_offset = len(data)
        catalogue = self.catalogue(identity)
        if index_offset > 1 << 16:
            catalogue += contents
        data += self.section("catalogue", b"N3CT", catalogue)
        offsets = index_offset, copy_offset, catalogue_offset
        data += self.trailer(data, offsets, identity, previous)
        data += self.bytes("tail", b"")
        if self.overrides:
            raise KeyError(f"unknown: {sorted(self.overrides)}")
        return data

    def bytes(self, name, value):
        new = self.overrides.pop(name, value)
        return new(value) if callable(new) else new

    def number(self, name, form, value):
        return struct.pack("<" + form, self.bytes(name, value))

    def numbers(self, prefix, *fields):
        return b"".join(self.number(f"{prefix}.{name}", form, value)
                        for name, form, value in fields)

    def superblock(self):
        data = self.bytes("superblock.magic", MAGIC) + self.numbers(
            "superblock", ("major", "H", 1), ("minor", "H", 0))
        return data + self.bytes("superblock.crc", crc(data))

    def section(self, name, mark, contents):
        codec = self.bytes(f"{name}.codec", 0)
        stored_bytes = zlib.compress(contents) if codec == 1 else contents
        stored_bytes = self.bytes(f"{name}.stored", stored_bytes)
        head = self.bytes(f"{name}.mark", mark) + bytes([codec])
        head += self.bytes(f"{name}.reserved", bytes(3))
        head += self.numbers(name, ("length", "I", len(contents)),
                             ("stored_length", "I", len(stored_bytes)))
        head += self.bytes(f"{name}.stored_crc", crc(stored_bytes))
        return head + self.bytes(f"{name}.crc", crc(head)) + stored_bytes

    def plan_contents(self):
        data = self.numbers(
            "plan", *self.plan, ("streams", "I", len(self.streams)))
        expected = 0, 0
        for number, stream in enumerate(self.streams):
            name = f"stream{number}"
            data += self.numbers(
                name, ("kind", "B", stream.kind),
                ("layout", "B", stream.layout), ("width", "B", stream.width),
                ("rank", "B", stream.rank), *stream.cut)
            for m, (variable, begin, length) in enumerate(stream.members):
                member = f"{name}.member{m}"
                variable = self.bytes(f"{member}.variable", variable)
                begin = self.bytes(f"{member}.begin", begin)
                length = self.bytes(f"{member}.length", length)
                data += struct.pack(
                    "<IQQ", (variable - expected[0]) % 2**32,
                    (begin - expected[1]) % 2**64, length)
                expected = variable + 1, begin + length
        return self.bytes("plan.contents", data)

    def record(self, number, block, previous, identity):
        """A block record and the CRC of its header."""
        name = f"block{number}"
        description = self.bytes(f"{name}.description", block.description)
        payload = self.bytes(f"{name}.payload", block.payload)
        head = self.bytes(f"{name}.mark", b"N3BK") + self.numbers(
            name, ("h", "H", 46 + len(description)),
            ("stream", "I", block.stream), ("block", "I", block.number),
            ("raw_length", "I", len(block.raw)))
        head += self.bytes(f"{name}.raw_crc", crc(block.raw))
        head += self.number(f"{name}.payload_length", "I", len(payload))
        head += self.bytes(f"{name}.payload_crc", crc(payload))
        head += self.bytes(f"{name}.previous", previous)
        head += self.bytes(f"{name}.identity", identity) + description
        last = self.bytes(f"{name}.crc", crc(head))
        return head + last + payload, last

    def duplicate(self, number, block, previous, identity):
        """A duplicate record and its CRC."""
        name = f"block{number}"
        data = self.bytes(f"{name}.mark", b"N3DU") + self.numbers(
            name, ("stream", "I", block.stream), ("block", "I", block.number),
            ("of_stream", "I", block.of[0]), ("of_block", "I", block.of[1]),
            ("raw_length", "I", len(block.raw)))
        data += self.bytes(f"{name}.raw_crc", crc(block.raw))
        data += self.bytes(f"{name}.previous", previous)
        data += self.bytes(f"{name}.identity", identity)
        last = self.bytes(f"{name}.crc", crc(data))
        return data + last, last

    def index(self, entries, last):
        head = self.bytes("index.mark", b"N3IX") + self.number(
            "index.entries", "Q", len(entries))
        data = head + self.bytes("index.crc", crc(head))
        for first in range(0, len(entries), SEGMENT_ENTRIES):
            segment = b""
            for number, entry in enumerate(
                    entries[first:first + SEGMENT_ENTRIES], first):
                offset, length, record_crc, raw_crc = entry
                segment += self.numbers(f"entry{number}",
                                        ("offset", "Q", offset),
                                        ("length", "I", length))
                segment += self.bytes(f"entry{number}.crc", record_crc)
                segment += self.bytes(f"entry{number}.raw_crc", raw_crc)
            data += segment + self.bytes("index.segment_crc",
                                         crc(segment + last))
        return data

    def stream_copies(self, identity, last):
        """The contents of the section, of streams as they are."""
        data = self.bytes("copies.identity", identity)
        data += self.bytes("copies.last", last)
        data += self.number("copies.count", "I", len(self.copied))
        for number, stream in enumerate(self.copied):
            name = f"copy{number}"
            raw = b"".join(block.raw for block in self.blocks
                           if block.stream == stream)
            description = self.bytes(f"{name}.description", stored(len(raw)))
            payload = self.bytes(f"{name}.payload", raw)
            data += self.numbers(name, ("stream", "I", stream),
                                 ("raw_length", "I", len(raw)))
            data += self.bytes(f"{name}.raw_crc", crc(raw))
            data += self.numbers(
                name, ("payload_length", "I", len(payload)),
                ("description_length", "H", len(description)))
            data += description + payload
        return data + self.bytes("copies.tail", b"")

    def catalogue(self, identity):
        digest = hashlib.sha256(self.original).digest()
        data = self.bytes("catalogue.identity", identity)
        data += self.number("catalogue.size", "Q", len(self.original))
        data += self.bytes("catalogue.sha256", digest)
        data += self.number("catalogue.streams", "I", len(self.streams))
        for number in range(len(self.streams)):
            blocks = [b for b in self.blocks if b.stream == number]
            data += self.numbers(
                f"catalogue.stream{number}",
                ("length", "Q", sum(len(b.raw) for b in blocks)),
                ("blocks", "I", len(blocks)))
        return data + self.bytes("catalogue.tail", b"")

    def trailer(self, before, offsets, identity, last):
        data = self.bytes("trailer.mark", b"N3TR") + self.numbers(
            "trailer", ("major", "H", 1), ("minor", "H", 0),
            ("index", "Q", offsets[0]), ("copy", "Q", offsets[1]),
            ("catalogue", "Q", offsets[2]),
            ("length", "Q", len(before) + 64),
            ("blocks", "Q", len(self.blocks)))
        data += self.bytes("trailer.identity", identity)
        data += self.bytes("trailer.last", last)
        return data + self.bytes("trailer.crc", crc(data))


# 64 floats, the example of 7.4, and how they are split there.
FLOATS = (b"".join(struct.pack(">f", value)
                   for value in (0.5, 0.25, 0.75)) + b"\x7f\xc0\0\0"
          + struct.pack(">f", 1.5) + bytes(4 * 59))
FLOATS_DESCRIPTION = bytes.fromhex(
    "02 04 00  02 00000000 00000000"
    "03 6400000000000000 0100000000000000 01 1900000000000000"
    "00 01 00 08000000 08000000"
    "00 04 00 04000000 04000000"
    "00 04 00 04000000 04000000"
    "00 01 01 02 01000000 05000000 05000000")
FLOATS_PAYLOAD = bytes.fromhex(
    "E0FFFFFFFFFFFFFF 00000003 7FC00000 19E732004B")


def classic(floats=FLOATS):
    """A CDF-1 file: a(y, x), f(i) and, three records, r(t), s(t, k), u(t)."""
    t = range(3)
    writer = ClassicWriter(
        1, (("t", 0), ("y", 3), ("x", 5), ("i", len(floats) // 4), ("k", 4)),
        records=3, tail=b"tail", variables=(
            Var("a", SHORT, "y x", range(0, 1500, 100), pad=b"\x80\x01"),
            Var("f", FLOAT, "i", floats),
            Var("r", INT, "t", [n * 1000 for n in t]),
            Var("s", BYTE, "t k", [v for n in t for v in (n, -n, 2 * n, 7)]),
            Var("u", SHORT, "t", [n * n for n in t], pad=b"\xff\xff")))
    writer.header_gap = bytes(280 - len(writer.head()))
    return writer.build()


def example(floats=None, block_length=4096, size=None, records=3):
    """The archive of classic(): streams of every kind.

    floats are raw bytes, description and payload of each block of f; size
    cuts the original, whose blocks are then stored as they are.
    """
    floats = floats or [(FLOATS, FLOATS_DESCRIPTION, FLOATS_PAYLOAD)]
    original = classic(b"".join(raw for raw, _, _ in floats))
    a, f = 280, 312
    r = f + sum(len(raw) for raw, _, _ in floats)
    end = r + 36
    plan = (("header_length", "Q", a), ("record_begin", "Q", r),
            ("record_length", "Q", 12), ("records", "Q", records))
    header = [(NO_VARIABLE, 0, a), (NO_VARIABLE, a + 30, 2)]
    if records != INF:
        header.append((NO_VARIABLE, end, END - end))
    streams = [
        Linear(0, 1, 4096, 0, header),
        Chunked(0, 2, [(3, 2), (5, 2)], (0, a, 30)),
        Linear(0, 4, block_length, 0, [(1, f, r - f)]),
        Linear(1, 4, 16, 2, [(2, r, 4), (4, r + 8, 4)]),
        Chunked(1, 1, [(0, 2), (4, 3)], (3, r + 4, 4)),
    ]
    forge = Forge(original[:size], plan, streams)
    forge.cut_blocks()
    for block in forge.blocks:
        if block.stream == 2 and size is None:
            _, block.description, block.payload = floats[block.number]
    return forge


def repeated():
    """The same with four blocks of f that are all the same."""
    forge = example([(FLOATS, FLOATS_DESCRIPTION, FLOATS_PAYLOAD)] * 4,
                    len(FLOATS))
    for block in forge.blocks:
        if block.stream == 2 and block.number > 0:
            block.of = 2, 0
    return forge


def large():
    """The same with so many floats that it has copies."""
    noise = random.Random(3).randbytes((1 << 20) + 400)
    forge = example([(noise, stored(len(noise)), noise)], len(noise))
    forge.copied = 0, 3
    return forge
