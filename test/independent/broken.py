# SPDX-License-Identifier: MIT
"""Rules, each broken once in an archive that is otherwise right (forge.py).

CASES: the section, overrides, and what a reader must say: "damaged",
"unsupported", either, or "no archive". DUPLICATE_CASES are those of an archive
that has duplicates (forge.repeated()), LARGE_CASES of one that has copies
(forge.large()).
"""

import struct
import zlib

from forge import FLOATS
from plan import END, INF

D, U, N = "damaged", "unsupported", "no archive"
# More than one rule is broken, or all that follows is shifted.
E = "damaged or unsupported"

CASES = []

# What only hints (5.1) or is up to the writer (9): archives that are restored
# all the same.
HINTS = [{"copies_from": 0}, {"plan.header_length": 0},
         {"plan.header_length": 100},
         {"stream1.member0.variable": 3}, {"stream3.member0.variable": 77},
         {"stream2.member0.variable": 2**32 - 1}, {"stream2.width": 8}]


def add(section, kind, **overrides):
    """A case; "__" in a keyword stands for a dot."""
    CASES.append((section, {key.replace("__", "."): value for key, value
                            in overrides.items()}, kind))


def one(section, name, values, kind=D):
    """Cases that override one number, or do something with it."""
    for value in values:
        CASES.append((section, {name: value}, kind))


def plus(number):
    return lambda value: value + number


def patch(offset, new):
    """Bytes from offset on replaced; negative: from the end."""
    def change(data):
        start = offset + len(data) if offset < 0 else offset
        return data[:start] + new + data[start + len(new):]
    return change


def wrong(data):
    return bytes([data[0] ^ 1]) + data[1:]


def section_cases(part):
    one("4", f"{part}.mark", [wrong])
    one("4", f"{part}.reserved", [b"\0\1\0"])
    one("4", f"{part}.length", [plus(1), 2**28 + 1])
    one("4", f"{part}.stored_length", [plus(1)])
    one("4", f"{part}.stored_crc", [wrong])
    one("4", f"{part}.crc", [wrong])


one("3", "superblock.magic", [wrong], N + D)
one("3", "superblock.major", [0, 2, 9], U)
one("3", "superblock.minor", [1, 2, 65535], U)
one("3", "superblock.crc", [wrong])

for part in "plan", "catalogue":
    section_cases(part)
for part in "plan", "catalogue":
    one("4", f"{part}.codec", [2, 3, 255], U)
    one("4", f"{part}.stored_length", [plus(-1)])
    for change in (lambda s: s + b"\0", lambda s: s[:-1], lambda s: b"no" + s,
                   lambda s: zlib.compress(zlib.decompress(s) + b"\0"),
                   lambda s: zlib.compress(zlib.decompress(s)[:-1])):
        CASES.append(("4", {f"{part}.codec": 1, f"{part}.stored": change}, D))

one("5.1", "plan.header_length", [2**26 + 1, 609, 2**64 - 1])
one("5.1", "plan.record_begin", [567, 569, 2**64 - 1, END])
one("5.1", "plan.record_length", [0, 11, 13, 2**64 - 1])
one("5.1", "plan.records", [0, 2, 4, INF])
one("5.1", "plan.streams", [4, 6, 0, 2**24, 2**32 - 1])
one("5.1", "plan.contents", [lambda c: c + b"\0", lambda c: c[:-1]])
one("5.1", "stream0.kind", [1, 2, 255])
one("5.1", "stream0.layout", [2, 255], U)
for number in range(5):
    one("5.1", f"stream{number}.width", [0, 3, 16])
one("5.1", "stream0.rank", [1])
one("5.1", "stream1.rank", [0, 1, 3, 33])
one("5.1", "stream0.block_length", [0, 2**26 + 1])
one("5.1", "stream0.panel", [1])
one("5.1", "stream3.panel", [0, 2**31 + 1])
one("5.1", "stream3.block_length", [1, 15])
one("5.1", "stream3.member1.length", [3, 5])
add("5.1", D, stream3__member0__begin=576, stream3__member1__begin=568)
one("5.1", "stream0.members", [0, 2, 4, 2**32 - 1], E)
one("5.1", "stream0.member0.begin", [1, 2**64 - 1])
one("5.1", "stream0.member0.length", [0, 279, 281, INF])
one("5.1", "stream0.member1.begin", [0, 309, 311])
one("5.1", "stream0.member2.length", [plus(1), plus(-1), INF])
one("5.1", "stream3.member0.length", [0, 3, 5])
add("5.1", D, stream0__member1__begin=0, stream0__member0__begin=310)
one("5.1", "stream1.dim0", [0, 2, 4, 2**63])
one("5.1", "stream1.chunk0", [0, 4, 2**32 - 1])
one("5.1", "stream4.dim0", [3])
one("5.1", "stream4.chunk0", [0, 2**26, 2**32 - 1])

for number in 0, 6, 13:
    name = f"block{number}"
    one("2", f"{name}.mark", [wrong, b"N3XX", b"N3PL"])
    one("6.1", f"{name}.h", [0, 45, plus(-1), plus(1), 1025, 65535])
    one("6.1", f"{name}.stream", [5, 2**32 - 1])
    one("6.1", f"{name}.block", [6, 2**32 - 1])
    one("6.1", f"{name}.raw_length", [0, plus(-1), plus(1), 2**26 + 1])
    one("6.1", f"{name}.raw_crc", [wrong])
    one("6.1", f"{name}.payload_length", [0, plus(-1), plus(1), 2**27])
    one("6.1", f"{name}.payload_crc", [wrong])
    one("6.1", f"{name}.previous", [wrong])
    one("6.1", f"{name}.identity", [wrong])
    one("6.1", f"{name}.crc", [wrong])
one("6.1", "identity", [wrong])
add("6.1", D, block0__block=1, block1__block=0)

# An unsplit block of 280 + 2 + 4 bytes, as it is.
one("6.2", "block13.description", [patch(0, b"\3"), patch(0, b"\xff"),
                                   patch(2, b"\3"), patch(2, b"\0"),
                                   lambda d: d + b"\0", lambda d: d[:-1],
                                   patch(4, b"\xfd"), patch(8, b"\xfd")])
one("6.2", "block13.description", [patch(1, b"\6"), patch(1, b"\xff")], U)
add("6.2", D, block13__payload=lambda p: p + b"\0")


def filters(chain, width=1):
    return lambda d: (d[:2] + bytes([width, len(chain)])
                      + b"".join(chain) + d[4:])


def delta(stride):
    return b"\2" + struct.pack("<I", stride)


one("6.2", "block13.description", [filters([b"\3"] * 9)])
one("7.2", "block13.description", [
    filters([delta(0)]), filters([b"\3", b"\1"]),
    filters([b"\1", b"\1"]), filters([b"\4", b"\3"]),
    filters([b"\5", b"\4"]), filters([b"\4", delta(1)]),
    filters([b"\6"], 4), filters([b"\6", delta(1)], 2),
    filters([b"\6", *[delta(1)] * 4], 4), filters([b"\6", b"\3"], 4),
    filters([delta(1), b"\6", delta(1)], 4)])
one("7.2", "block13.description", [filters([b"\0"]), filters([b"\7"]),
                                   filters([b"\xff"])], U)


def coded(codec, payload, length):
    """A block whose payload is something else."""
    description = struct.pack("<BBBBII", 0, codec, 1, 0, length,
                              len(payload))
    CASES.append(("7.3", {"block6.description": description,
                          "block6.payload": payload}, D))


DEFLATED = zlib.compress(FLOATS)
for payload in (DEFLATED + b"\0", DEFLATED[:-1], zlib.compress(FLOATS[1:]),
                zlib.compress(FLOATS + b"\0"), DEFLATED[2:-4],
                patch(-1, b"\0")(DEFLATED), DEFLATED + DEFLATED):
    coded(1, payload, len(FLOATS))
coded(2, b"BZh9 is no bzip2 stream", len(FLOATS))
coded(3, b"\x28\xb5\x2f\xfd is no frame", len(FLOATS))
coded(0, FLOATS[:-1], len(FLOATS))
for codec in range(6):
    coded(codec, b"", len(FLOATS))

# The split block; offsets are those of its description in forge.py.
for offset, new in ((1, b"\3"), (1, b"\0"), (13, b"\0"), (19, b"\x21"),
                    (21, b"\0"), (29, b"\2"), (39, b"\3"), (41, b"\x07"),
                    (52, b"\3"), (63, b"\x08"), (72, b"\2"), (72, b"\x08"),
                    (79, b"\x04"), (79, b"\x06")):
    one("6.3, 7.4", "block6.description", [patch(offset, new)])
one("6.2", "block13.description", [patch(3, b"\1")], E)
one("6.3", "block6.description", [
    patch(0, b"\1"), patch(1, b"\x08"), patch(2, b"\1"), patch(2, b"\x08"),
    patch(12, b"\2"), patch(12, b"\1"), patch(12, b"\5"),
    patch(29, b"\0"), patch(3, b"\1")], E)
# Rules that join fields are broken before an undefined number (6.2).
one("6.2", "block6.description", [
    lambda d: patch(71, b"\6")(patch(74, b"\4\1")(d)),
    lambda d: patch(71, b"\6")(patch(38, b"\4")(d))], U)
one("6.3", "block6.description", [patch(3, b"\x08"), patch(12, b"\x08"),
                                  patch(3, b"\0")], U)
# Mask without an element, or with too many; places that do not ascend or do
# not exist.
one("7.4", "block6.payload", [patch(0, b"\xff"), patch(0, b"\xc0"),
                              patch(8, b"\0\0\0\x40"),
                              patch(8, b"\xff\xff\xff\xff")])


def split(steps, parts, payload):
    """A split block of w = 4 in place of the floats."""
    count = len(steps)
    description = bytes([count, 4, 0]) + b"".join(steps)
    for width, length, stored_length in parts:
        description += struct.pack("<BBBII", 0, width, 0, length,
                                   stored_length)
    CASES.append(("7.4", {"block6.description": description,
                          "block6.payload": payload}, D))


PALETTE = b"\4"
DROP = b"\2" + bytes(8)
split([PALETTE], [(4, 8, 8), (1, 64, 64)], bytes(8) + bytes(63) + b"\2")
split([PALETTE], [(4, 7, 7), (1, 64, 64)], bytes(71))
split([PALETTE], [(4, 0, 0), (1, 64, 64)], bytes(64))
split([PALETTE], [(4, 8, 8), (4, 256, 256)], bytes(264))
split([PALETTE], [(4, 8, 8), (1, 63, 63)], bytes(71))
split([PALETTE, DROP], [(4, 8, 8), (1, 8, 8), (1, 64, 64)], bytes(80))
split([DROP], [(1, 8, 8), (4, 0, 0)], b"\xff" * 8)
split([DROP], [(1, 8, 8), (2, 128, 128)], bytes(136))
split([DROP], [(1, 9, 9), (4, 256, 256)], bytes(265))
split([b"\1" + bytes(4), DROP], [(1, 8, 8), (4, 256, 256)], bytes(264))
split([b"\1" + bytes(4)], [(4, 256, 256)], bytes(256))
split([DROP, DROP], [(1, 8, 8), (1, 8, 8), (4, 256, 256)], bytes(272))
split([DROP], [(1, 8, 8), (4, 4, 4)], b"\xff" * 8 + bytes(4))
# Exceptions that do not ascend.
for place in 2, 3:
    split([b"\3" + struct.pack("<QQBq", 1, 1, 1, 0)],
          [(4, 8, 8), (4, 8, 8), (1, 64, 64)],
          struct.pack(">II", 3, place) + bytes(72))

one("8", "index.mark", [wrong])
one("8", "index.entries", [13, 15, 0, 2**64 - 1])
one("8", "index.crc", [wrong])
one("8", "index.segment_crc", [wrong])
for number in 0, 13:
    one("8", f"entry{number}.offset", [plus(1), 0, 2**64 - 1])
    one("8", f"entry{number}.length", [plus(1), plus(-1), 0, 2**32 - 1])
    one("8", f"entry{number}.crc", [wrong])
    one("8", f"entry{number}.raw_crc", [wrong])
one("2", "gap", [b"\0", b"N3BK"])
one("2", "tail", [b"\0", bytes(64)])

one("10", "catalogue.identity", [wrong])
one("10", "catalogue.size", [plus(1), plus(-1), 0, END, INF])
one("10", "catalogue.sha256", [wrong])
one("10", "catalogue.streams", [4, 6, 2**32 - 1])
for number in range(5):
    one("10", f"catalogue.stream{number}.length", [plus(1), plus(-1)])
    one("10", f"catalogue.stream{number}.blocks", [plus(1), 0])
one("10", "catalogue.tail", [b"\0"])

one("11", "trailer.mark", [wrong])
one("11", "trailer.major", [0, 2])
one("11", "trailer.minor", [1, 2])
for field in "index", "copy", "catalogue", "length":
    one("11", f"trailer.{field}", [plus(1), plus(-1), 0, 2**64 - 1])
one("11", "trailer.blocks", [13, 15, 0, 2**64 - 1])
one("11", "trailer.identity", [wrong])
one("11", "trailer.last", [wrong])
one("11", "trailer.crc", [wrong])

ALL_CASES, CASES = CASES, []
# In forge.repeated(): blocks 7 to 9 are duplicates of 2.0, which is block 6.
one("6.4", "block7.mark", [wrong])
one("6.4", "block7.stream", [1, 3, 5, 2**32 - 1])
one("6.4", "block7.block", [0, 2, 4, 2**32 - 1])
one("6.4", "block7.of_stream", [0, 1, 3, 5, 2**32 - 1])
one("6.4", "block7.of_block", [1, 2, 4, 2**32 - 1])
# A duplicate does not name another.
one("6.4", "block8.of_block", [1, 2, 3])
one("6.4", "block9.raw_length", [0, plus(1), plus(-1), 2**26 + 1])
one("6.4", "block9.raw_crc", [wrong])
one("6.4", "block8.previous", [wrong])
one("6.4", "block8.identity", [wrong])
one("6.4", "block9.crc", [wrong])
one("8", "entry5.offset", [plus(1), 0])
one("8", "entry5.length", [plus(1)])
one("8", "entry5.crc", [wrong])
one("8", "entry5.raw_crc", [wrong])
DUPLICATE_CASES, CASES = CASES, []
section_cases("copy")
section_cases("copies")
one("4", "copy.codec", [2], U)
one("4", "copies.codec", [2], U)
one("9.1", "copy.bytes", [b"", bytes(280), lambda h: h[:-1], lambda h: h + b"x",
                        wrong])
one("9.2", "copies.identity", [wrong])
one("9.2", "copies.last", [wrong])
one("9.2", "copies.count", [0, 1, 3, 2**32 - 1])
one("9.2", "copies.tail", [b"\0"])
for number in 0, 1:
    name = f"copy{number}"
    one("9.2", f"{name}.stream", [1 - number, 2, 4, 5, 2**32 - 1])
    one("9.2", f"{name}.raw_length", [0, plus(1), plus(-1), 2**22 + 1])
    one("9.2", f"{name}.raw_crc", [wrong])
    one("9.2", f"{name}.payload_length", [0, plus(1), plus(-1), 2**32 - 1])
    one("9.2", f"{name}.description_length", [0, plus(1), plus(-1), 65535])
    one("9.2", f"{name}.payload", [wrong, lambda p: p + b"\0", lambda p: p[1:]])
    one("6.2", f"{name}.description", [patch(0, b"\3"), patch(2, b"\3"),
                                       lambda d: d + b"\0"])
    one("6.2", f"{name}.description", [patch(1, b"\6")], U)
# Right in themselves, but not the blocks.
def with_bit(length):
    """The CRC-32 of so many bytes, of which the first has another bit."""
    change = zlib.crc32(b"\1" + bytes(length - 1)) ^ zlib.crc32(bytes(length))
    return lambda crc: struct.pack("<I", struct.unpack("<I", crc)[0] ^ change)


CASES.append(("9.2", {"copy1.payload": wrong, "copy1.raw_crc": with_bit(24)},
              D))
LARGE_CASES, CASES = CASES, ALL_CASES
