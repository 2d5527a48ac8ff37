# SPDX-License-Identifier: MIT
"""Block records, their descriptions and how they are decoded: 6 and 7."""

import bz2
from dataclasses import dataclass, field
from itertools import compress
import struct
import zlib

import context
import lzma2
import zstd
from fields import Fields, check_crc, inflate, must, supported
from filters import check_filters, read_filters, undo_filters

MARK, DUPLICATE = b"N3BK", b"N3DU"
DUPLICATE_SIZE, REACH = 44, 1 << 25
CODECS = ("store", "deflate", "bzip2", "zstd", "context", "lzma")
CONTEXT, LZMA = 4, 5
CONSTANT, DROP, FRACTION, PALETTE, MULTIPLE, REPEAT = range(1, 7)
STEPS = {CONSTANT: "constant", DROP: "drop", FRACTION: "fraction",
         PALETTE: "palette", MULTIPLE: "multiple", REPEAT: "repeat"}
INTEGERS = {FRACTION, PALETTE, MULTIPLE}
LETTERS = {1: "B", 2: "H", 4: "I", 8: "Q"}


def unpack(data, width, order=">"):
    """Elements as integers."""
    return struct.unpack(f"{order}{len(data) // width}{LETTERS[width]}", data)


def pack(elements, width, order=">"):
    return struct.pack(f"{order}{len(elements)}{LETTERS[width]}", *elements)


def room(raw_length):
    """The most that the parts and the payload of a block can take."""
    return raw_length + raw_length // 8 + 4096


@dataclass
class Part:
    """A part of a block (6.2)."""

    role: str
    codec: int
    width: int
    filters: list
    length: int
    stored_length: int

    def __str__(self):
        chain = "".join(f" {each}," for each in self.filters)
        return (f"{self.role}: w={self.width}{chain} "
                f"{self.length} -> {CODECS[self.codec]} "
                f"{self.stored_length}")


def read_part(fields, role):
    codec, width = fields.numbers("BB")
    supported(codec < len(CODECS), f"codec {codec}")
    must(width in LETTERS, f"element width {width}")
    return Part(role, codec, width, read_filters(fields),
                *fields.numbers("II"))


@dataclass
class Description:
    """A block description (6.2, 6.3)."""

    width: int = 1
    end: bytes = b""
    n: int = 0
    steps: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    constant: bytes = b""
    hole: bytes = b""
    mask_stride: int = 0
    distances: list = field(default_factory=list)
    divisor: int = 1
    factor: int = 1
    minimum: int = 0

    def part(self, role):
        return next((p for p in self.parts if p.role == role), None)

    def __str__(self):
        text = []
        if self.steps:
            text.append(f"w={self.width} end={len(self.end)}")
        for step in self.steps:
            text.append({
                CONSTANT: f"constant {self.constant.hex()}",
                DROP: f"drop {self.hole.hex()} stride {self.mask_stride}",
                FRACTION: f"fraction D={self.divisor} g={self.factor} "
                          f"min={self.minimum}",
                MULTIPLE: f"multiple g={self.factor} min={self.minimum}",
                PALETTE: "palette",
                REPEAT: f"repeat {self.distances}"}[step])
        return "; ".join(text + [str(part) for part in self.parts])


def read_step(fields, description, step):
    """The parameters of a splitting step; returns the parts it makes."""
    if step == CONSTANT:
        description.constant = fields.bytes(description.width)
        return []
    if step == DROP:
        description.hole = fields.bytes(description.width)
        description.mask_stride = fields.number("I")
        return ["mask"]
    if step == REPEAT:
        count = fields.number("B")
        must(1 <= count <= 3, "number of distances")
        description.distances = [fields.number("I") for _ in range(count)]
        must(all(description.distances), "a distance of 0")
        return ["codes"]
    if step == PALETTE:
        return ["table"]
    if step == MULTIPLE:
        description.factor, description.minimum = fields.numbers("Qq")
        must(description.factor > 0, "factor of multiple")
        return []
    description.divisor, description.factor, exceptions, \
        description.minimum = fields.numbers("QQBq")
    must(1 <= description.divisor <= 1 << 53, "divisor of fraction")
    must(description.factor > 0, "factor of fraction")
    must(exceptions <= 1, "exceptions of fraction")
    return ["places", "values"] if exceptions else []


def read_steps(fields, description, count, raw_length):
    """Splitting steps (6.3); returns the parts in their order."""
    width, end_length = fields.numbers("BB")
    must(width in LETTERS, f"element width {width}")
    must(end_length <= 7 and end_length < raw_length, "end length")
    description.width, description.end = width, fields.bytes(end_length)
    description.n = (raw_length - end_length) // width

    roles = []
    for _ in range(count):
        step = fields.number("B")
        supported(step in STEPS, f"splitting step {step}")
        description.steps.append(step)
        roles += read_step(fields, description, step)
    return (roles if description.steps[0] == CONSTANT else roles + ["main"])


def check_steps(description, raw_length):
    """The rules of 6.3 that join several fields."""
    steps = description.steps
    must((raw_length - len(description.end)) % description.width == 0,
         "raw bytes are not a whole number of elements")
    must(len(steps) == 1
         or steps[0] in (DROP, REPEAT) and steps[1] in INTEGERS,
         "splitting steps that do not go together")
    must(FRACTION not in steps or description.width >= 4,
         "fraction with elements of under 4 bytes")


def read_description(data, raw_length, payload_length):
    """A block description, checked as far as that needs no payload."""
    fields = Fields(data, "block description")
    description = Description()
    count = fields.number("B")
    must(count <= 2, "more than 2 splitting steps")
    roles = ["block"]
    if count:
        roles = read_steps(fields, description, count, raw_length)
    description.parts = [read_part(fields, role) for role in roles]
    fields.end()

    parts = description.parts
    if count:
        check_steps(description, raw_length)
    for part in parts:
        check_filters(part.filters, part.width)
    must(sum(p.stored_length for p in parts) == payload_length,
         "payload length is not that of the parts")
    must(sum(p.length for p in parts) <= room(raw_length),
         "parts are too long")
    if not count:
        must(parts[0].length == raw_length, "part length of an unsplit block")
    must(all(p.length > 0 for p in parts), "an empty part")
    for part in parts:
        must(part.codec != CONTEXT or part.role in ("block", "main")
             and not part.filters and part.length % part.width == 0,
             "a part that cannot be coded by contexts")
    check_split(description)
    return description


def check_split(description):
    """Lengths of the parts of a split block (7.4)."""
    mask, codes, main, table, places, values = map(
        description.part,
        ("mask", "codes", "main", "table", "places", "values"))
    if codes:
        must(codes.length == description.n, "length of the codes")
    if mask:
        must(mask.length == (description.n + 7) // 8, "length of the mask")
    if main:
        must(main.width <= description.width, "element width of main part")
        must(main.length % main.width == 0, "length of the main part")
        must(mask or codes
             or main.length == description.n * main.width,
             "length of the main part")
        if table:
            must(main.width <= 2, "element width of the main part")
        elif not INTEGERS & set(description.steps):
            must(main.width == description.width,
                 "element width of the main part")
    if table:
        must(table.length % description.width == 0, "length of the table")
        must(table.length // description.width <= 65536, "table too long")
    if places:
        must(places.length % 4 == 0 and places.length // 4
             * description.width == values.length, "number of exceptions")


def undo_codec(part, stored):
    """The part, or what its filters made of it (7.3)."""
    if part.codec == 0:
        must(part.length == part.stored_length, "length of a stored part")
        return stored
    if part.codec == 1:
        return inflate(stored, part.length)
    if part.codec == 3:
        return zstd.decompress(stored, part.length)
    if part.codec == LZMA:
        return lzma2.decompress(stored, part.length)
    stream = bz2.BZ2Decompressor()
    try:
        data = stream.decompress(stored, part.length + 1)
    except (OSError, EOFError):
        data = b""
    must(stream.eof and not stream.unused_data
         and len(data) == part.length, "not exactly one bzip2 stream")
    return data


def undo_part(part, stored, holes=None, undo_delta=None):
    """A part of a block, or the block itself (7)."""
    if part.codec != CONTEXT:
        return undo_filters(undo_codec(part, stored), part.width,
                            part.filters, undo_delta, holes)
    n = part.length // part.width
    elements = context.decode(stored, part.width, holes or [False] * n)
    return pack(elements, part.width)


def hole_flags(description, mask):
    """hole(i) for each i (7.4)."""
    n, stride = description.n, description.mask_stride
    flags = int.from_bytes(mask, "little")
    must(flags >> n == 0, "mask bits that stand for no element")
    while 0 < stride < n:
        flags = (flags ^ flags << stride) & ((1 << n) - 1)
        stride *= 2
    return [bit == "1" for bit in reversed(f"{flags:0{n}b}")]


def delta_across_holes(holes, places, width):
    """The inverse of delta for the main part of a block with holes (7.4)."""
    modulus = (1 << 8 * width) - 1

    def undo(data, stride, is_first):
        spread = [0] * len(holes)
        elements = iter(unpack(data, width, "<"))
        last = None
        for i, hole in enumerate(holes):
            if hole:
                # What is before kept(0) is filled below, when x(0) is known.
                spread[i] = (last or 0) if is_first else 0
                continue
            y = next(elements)
            if last is None:
                last = y
                if is_first:
                    spread[:i] = [y] * i
            elif i < stride:
                last = y
            else:
                last = (y + spread[i - stride]) & modulus
            spread[i] = last
        return pack([spread[place] for place in places], width, "<")

    return undo


def undo_fraction(description, main, width):
    """Elements from integers q (7.4)."""
    divisor, factor = float(description.divisor), description.factor
    minimum, wrap, top = description.minimum, 1 << 64, 1 << 63
    numbers = []
    for q in unpack(main, width):
        k = (minimum + q * factor) % wrap
        numbers.append(float(k - wrap if k >= top else k) / divisor)
    letter = "d" if description.width == 8 else "f"
    return struct.pack(f">{len(numbers)}{letter}", *numbers)


def undo_multiple(description, main, width):
    """Elements of the block width from integers q (7.4)."""
    w = description.width
    return pack([(description.minimum + q * description.factor) % (1 << 8 * w)
                 for q in unpack(main, width)], w)


def undo_palette(description, main, width, table):
    w = description.width
    entries = [table[i:i + w] for i in range(0, len(table), w)]
    places = unpack(main, width)
    must(max(places) < len(entries), "a place behind the table")
    return b"".join(map(entries.__getitem__, places))


def replace_exceptions(description, raw, places, values):
    w, before = description.width, -1
    for j, place in enumerate(unpack(places, 4)):
        must(before < place < description.n, "place of an exception")
        before = place
        raw[place * w:(place + 1) * w] = values[j * w:(j + 1) * w]


def repeat(description, main, codes):
    """With the elements that repeat others (7.4)."""
    w, raw = description.width, bytearray(main)
    for i, code in enumerate(codes):
        if code:
            place = (i - description.distances[code - 1]) * w
            raw[i * w:(i + 1) * w] = raw[place:place + w]
    return raw


def join(description, stored):
    """The raw bytes of a block; stored bytes by the parts' roles (7)."""
    w, n = description.width, description.n
    if not description.steps:
        part = description.parts[0]
        return undo_part(part, stored["block"])
    if description.constant:
        return description.constant * n + description.end

    parts = {}
    for part in description.parts:
        if part.role != "main":
            parts[part.role] = undo_part(part, stored[part.role])

    holes, undo_delta, m = None, None, n
    if "mask" in parts:
        holes = hole_flags(description, parts["mask"])
        places = list(compress(range(n), (not hole for hole in holes)))
        m = len(places)
        must(m > 0, "all elements are holes")
    if "codes" in parts:
        codes = parts["codes"]
        must(all(code == 0 or code <= len(description.distances)
                 and description.distances[code - 1] <= i
                 for i, code in enumerate(codes)), "code of a repeat")
        holes = [code > 0 for code in codes]
        places = list(compress(range(n), (not hole for hole in holes)))
        m = len(places)

    part = description.part("main")
    must(part.length == m * part.width, "length of the main part")
    if holes:
        undo_delta = delta_across_holes(holes, places, part.width)
    main = undo_part(part, stored["main"], holes, undo_delta)
    if "table" in parts:
        main = undo_palette(description, main, part.width, parts["table"])
    elif MULTIPLE in description.steps:
        main = undo_multiple(description, main, part.width)
    elif INTEGERS & set(description.steps):
        main = undo_fraction(description, main, part.width)

    if holes:
        elements = iter([main[i:i + w] for i in range(0, len(main), w)])
        fill = description.hole or bytes(w)
        main = b"".join([fill if hole else next(elements)
                         for hole in holes])
    if "places" in parts:
        main = bytearray(main)
        replace_exceptions(description, main,
                           parts["places"], parts["values"])
    if "codes" in parts:
        main = repeat(description, main, codes)
    return bytes(main) + description.end


@dataclass
class Record:
    """The header of a block record (6.1)."""

    length: int
    stream: int
    block: int
    raw_length: int
    raw_crc: int
    payload_length: int
    payload_crc: int
    previous_crc: int
    identity: bytes
    description: bytes
    crc: int


def read_record(read):
    """A record header, from read(n), which gives the next n bytes."""
    head = read(6)
    must(head[:4] == MARK, "no mark of a block")
    h = struct.unpack_from("<H", head, 4)[0]
    must(46 <= h <= 1024, "length of a record header")
    head += read(h - 6)
    crc = struct.unpack_from("<I", head, h - 4)[0]
    check_crc(head[:-4], crc, "record header")
    fields = Fields(head[6:-4], "record header")
    record = Record(h, *fields.numbers("IIIIIII"), fields.bytes(8),
                    fields.bytes(h - 46), crc)
    must(1 <= record.raw_length <= 1 << 26, "raw length")
    must(record.payload_length <= room(record.raw_length), "payload length")
    return record


@dataclass
class Duplicate:
    """A duplicate record (6.4)."""

    stream: int
    block: int
    of: tuple               # stream and block
    raw_length: int
    raw_crc: int
    previous_crc: int
    identity: bytes
    crc: int

    def check(self, record, distance):
        """Against the block that it names, whose record is so far before."""
        must((record.stream, record.block) == self.of
             and distance <= REACH, "duplicate of a block")
        must(record.raw_length == self.raw_length
             and record.raw_crc == self.raw_crc, "duplicate of another block")


def read_duplicate(data):
    """A whole duplicate record."""
    fields = Fields(data, "duplicate record")
    must(fields.bytes(4) == DUPLICATE, "no mark of a duplicate")
    crc = struct.unpack_from("<I", data, DUPLICATE_SIZE - 4)[0]
    check_crc(data[:-4], crc, "duplicate record")
    stream, block, *of, raw_length, raw_crc, previous = \
        fields.numbers("IIIIIII")
    must(1 <= raw_length <= 1 << 26, "raw length")
    return Duplicate(stream, block, tuple(of), raw_length, raw_crc, previous,
                     fields.bytes(8), crc)


@dataclass
class Entry:
    """An entry of the index (8)."""

    offset: int
    length: int
    crc: int
    raw_crc: int
    is_duplicate: bool = False

    @classmethod
    def read(cls, data, place):
        offset, length, crc, raw_crc = struct.unpack_from("<QIII", data, place)
        return cls(offset, length % 2**31, crc, raw_crc, length >= 2**31)

    def bytes(self):
        return struct.pack("<QIII", self.offset, self.length
                           + 2**31 * self.is_duplicate, self.crc, self.raw_crc)


def segment_crc(entries, last_crc):
    """Of a segment of the index (8)."""
    return zlib.crc32(struct.pack("<I", last_crc), zlib.crc32(entries))


def decode(record, payload):
    """The raw bytes of a block."""
    check_crc(payload, record.payload_crc, "payload")
    return decode_described(record, payload)


def decode_described(record, payload):
    """The same for a payload whose CRC-32 has been checked."""
    description = read_description(record.description, record.raw_length,
                                   record.payload_length)
    stored, offset = {}, 0
    for part in description.parts:
        stored[part.role] = payload[offset:offset + part.stored_length]
        offset += part.stored_length
    raw = join(description, stored)
    must(len(raw) == record.raw_length, "raw length")
    check_crc(raw, record.raw_crc, "raw bytes")
    return raw
