# SPDX-License-Identifier: MIT
"""Rules of LZMA2 streams (7.3, 7.6), each broken once in a stream that would
otherwise give CONTENT.

BROKEN and RIGHT: what it is, and a stream; BLOCKS: those of RIGHT as blocks.
"""

import lzma
import struct

import block as blocks
import forge_lzma
import lzma2

CONTENT = b"".join(bytes([i * i % 251, i // 3, 7, i % 5]) for i in range(64))
HALF, REST = CONTENT[:128], CONTENT[128:]
BROKEN, RIGHT = [], []


def forged(*chunks, kind="broken", what=""):
    """A stream of chunks: control byte, bytes, and more for chunk()."""
    made = forge_lzma.Forged()
    for control, data, *more in chunks:
        if control < 0x80:
            made.store(data, control)
        else:
            made.chunk(control, data, *more)
    stream = made.end()
    if kind:
        {"broken": BROKEN, "right": RIGHT}[kind].append((what, stream))
    return stream


def patched(what, stream, place, new):
    BROKEN.append((what, stream[:place] + new + stream[place + len(new):]))


def right():
    for second in 2, 1, 0x80, 0xA0, 0xC0, 0xE0:
        forged((0xE0, HALF), (second, REST), kind="right",
               what=f"chunk {second:#x} after one with properties")
    for second in 1, 2, 0xC0, 0xE0:
        forged((1, HALF), (second, REST), kind="right",
               what=f"chunk {second:#x} after one as it is")
    for third in 0x80, 0xA0, 0xC0:
        forged((0xE0, HALF), (2, REST[:9]), (third, REST[9:]),
               kind="right", what=f"state of chunk {third:#x} from before")
        forged((0xE0, HALF[:50]), (1, HALF[50:]), (0xC0, REST[:9]),
               (third, REST[9:]), kind="right",
               what=f"chunk {third:#x} with properties anew")
    for lc in range(5):
        for pb in 0, 2, 4:
            forged((1, HALF[:3]), (0xC0, CONTENT[3:], (lc, 4 - lc, pb)),
                   kind="right", what=f"positions with {lc}, {4 - lc}, {pb}")
    for preset in 0, 6, 9:
        RIGHT.append((f"liblzma with preset {preset}",
                      lzma2.compress(CONTENT, preset=preset)))


def whole():
    stream = lzma2.compress(CONTENT)
    for length in range(len(stream)):
        BROKEN.append(("cut off", stream[:length]))
    for more in b"\0", b"\1", b"\0\0\0\0", stream:
        BROKEN.append(("bytes after the end", stream + more))
    BROKEN.append(("bytes before it", b"\0" + stream))
    for form in lzma.FORMAT_XZ, lzma.FORMAT_ALONE:
        BROKEN.append(("not LZMA2", lzma.compress(CONTENT, form)))
    BROKEN.append(("not LZMA2", b"\x5d is nothing of the kind"))
    BROKEN.append(("not LZMA2", CONTENT))
    for other in CONTENT[:-1], CONTENT + b"\0", CONTENT[:1], CONTENT * 2:
        BROKEN.append(("another length", lzma2.compress(other)))
        BROKEN.append(("another length",
                       lzma2.store(other) + b"\0"))
    BROKEN.append(("no chunk", b"\0"))


def controls():
    for control in (*range(3, 0x80, 17), 4, 0x20, 0x40, 0x7E, 0x7F):
        head = lzma2.store(HALF)
        BROKEN.append((f"control byte {control:#x}", head + lzma2.store(
            REST, control) + b"\0"))
        BROKEN.append((f"control byte {control:#x} first",
                       lzma2.store(CONTENT, control) + b"\0"))
    for control in 0x80, 0xA0, 0xC0:
        forged((control, CONTENT), what=f"chunk {control:#x} first")
    forged((2, CONTENT), what="chunk 0x2 first")
    for control in 0x80, 0xA0:
        forged((1, HALF), (control, REST), what="no properties")
        forged((0xE0, HALF[:50]), (1, HALF[50:]), (control, REST),
               what="no properties after a reset of the dictionary")
    for first in 0xE0, 0xC0:
        chunks = [(0xE0, CONTENT)] if first == 0xE0 else [
            (1, HALF), (0xC0, REST)]
        stream = forged(*chunks, kind=None)
        place = lzma2.chunks(stream)[-1].begin + 5
        for lc, lp, pb in ((5, 0, 2), (1, 4, 0), (4, 1, 4), (8, 0, 0),
                           (8, 4, 4), (0, 0, 5), (0, 0, 4)):
            number = (pb * 5 + lp) * 9 + lc
            if lc + lp > 4 or pb > 4:
                patched(f"properties {number}", stream, place,
                        bytes([number]))
        patched("properties 255", stream, place, b"\xff")


def lengths():
    stream = forged((0xE0, HALF), (0x80, REST), kind=None)
    first, second = lzma2.chunks(stream)
    for chunk in first, second:
        for field in 1, 3:
            place = chunk.begin + field
            number = int.from_bytes(stream[place:place + 2], "big")
            for new in number - 1, number + 1, 0, 65535:
                patched("length of a chunk", stream, place,
                        new.to_bytes(2, "big"))
    # One byte from one chunk to the other.
    stream = stream[:2] + bytes([stream[2] - 1]) + stream[3:]
    patched("a symbol of two chunks", stream, second.begin + 2,
            bytes([len(REST)]))


def symbols():
    for kind, data in (0xE0, b""), (0xC0, HALF):
        def beyond(made, begin=len(data)):
            made.match(begin, 256 - begin)
        before = [(1, data)] if data else []
        forged(*before, (kind, b"", None, beyond),
               what="distance beyond the start")
    forged((1, HALF), (0xE0, b"", None, lambda made: made.match(0, 128)),
           what="distance beyond a reset of the dictionary")
    forged((1, HALF), (0xE0, REST[:64], None,
                       lambda made: made.match(64, 64)),
           what="distance beyond a reset of the dictionary")
    def marked(made):
        made.match(2**32 - 1, 2)
        made.data = made.data[:-2]
    forged((0xE0, CONTENT, None, marked), what="end mark")
    stream = forged((0xE0, CONTENT), kind=None)
    for byte in 1, 255:
        patched("first byte of LZMA", stream, 6, bytes([byte]))
    for bit in range(8):
        patched("last byte of LZMA", stream, len(stream) - 2,
                bytes([stream[-2] ^ 1 << bit]))
    longer = bytearray(stream[:-1] + b"\0\0")
    longer[4] += 1
    BROKEN.append(("a byte of LZMA too many", bytes(longer)))
    shorter = bytearray(stream[:-2] + b"\0")
    shorter[4] -= 1
    BROKEN.append(("a byte of LZMA too few", bytes(shorter)))


def block_of(stream):
    """Raw bytes, description and payload of a block that the stream makes."""
    return CONTENT, struct.pack("<BBBBII", 0, blocks.LZMA, 1, 0, len(CONTENT),
                                len(stream)), stream


for each in right, whole, controls, lengths, symbols:
    each()
BLOCKS = [(what, block_of(stream)) for what, stream in RIGHT]
