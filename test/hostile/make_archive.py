"""Archives with any plan and any blocks, and right checksums, written by the
words of format-spec/nc3z-format.md."""

import hashlib
import struct
import zlib

END = 2**63 - 1
NO_VARIABLE = 2**32 - 1


def section(mark, contents, squeeze=True):
    codec, stored = 0, contents
    if squeeze and len(contents) > 64:
        codec, stored = 1, zlib.compress(contents, 9)
    head = struct.pack("<4sB3xIII", mark, codec, len(contents), len(stored),
                       zlib.crc32(stored))
    return head + struct.pack("<I", zlib.crc32(head)) + stored


class Plan:
    """Streams, with their members as differences (5.1)."""

    def __init__(self, header, record=(0, 0, 0)):
        self.head = struct.pack("<QQQQ", header, *record)
        self.streams, self.expected = [], (0, 0)

    def member(self, variable, begin, nbytes):
        data = struct.pack("<IQQ", (variable - self.expected[0]) % 2**32,
                           (begin - self.expected[1]) % 2**64, nbytes)
        self.expected = (variable + 1) % 2**32, (begin + nbytes) % 2**64
        return data

    def linear(self, width, block, members, panel=0):
        self.streams.append(
            struct.pack("<BBBBIII", int(panel > 0), 0, width, 0, block, panel,
                        len(members))
            + b"".join(self.member(*m) for m in members))

    def chunked(self, width, dims, member, is_record=False):
        self.streams.append(
            struct.pack("<BBBB", int(is_record), 1, width, len(dims))
            + b"".join(struct.pack("<QI", *dim) for dim in dims)
            + self.member(*member))

    def contents(self):
        return self.head + struct.pack("<I", len(self.streams)) + \
            b"".join(self.streams)


def constant(width, value):
    """The description of a block of equal elements."""
    return bytes([1, width, 0, 1]) + value


def stored(width, nbytes):
    """The description of a block as it is."""
    return bytes([0, 0, width, 0]) + struct.pack("<II", nbytes, nbytes)


class Block:
    def __init__(self, stream, block, raw, description, payload=b""):
        self.stream, self.block, self.raw = stream, block, raw
        self.description, self.payload = description, payload


def crc_of(raw, memory={}):
    """The CRC-32 of the raw bytes, or of (byte, count)."""
    if isinstance(raw, bytes):
        return zlib.crc32(raw), len(raw)
    if raw not in memory:
        memory[raw] = zlib.crc32(raw[0] * raw[1])
    return memory[raw], raw[1]


def archive(plan, blocks, size, header=b"", stream_nbytes=None,
            sha256=bytes(32)):
    """The archive; 'plan' is contents, lengths follow from the blocks."""
    out = [b"\x89NC3Z\r\n\x1a" + struct.pack("<HH", 1, 0)]
    out[0] += struct.pack("<I", zlib.crc32(out[0]))
    out.append(section(b"N3PL", plan))
    chain = struct.unpack("<I", out[1][20:24])[0]
    first = blocks[0].raw
    identity = hashlib.sha256(
        plan + (first if isinstance(first, bytes) else first[0] * first[1])
    ).digest()[:8]
    offset, entries, nbytes = sum(map(len, out)), [], {}
    for b in blocks:
        crc, length = crc_of(b.raw)
        head = struct.pack("<4sHIIIIIII", b"N3BK", 46 + len(b.description),
                           b.stream, b.block, length, crc, len(b.payload),
                           zlib.crc32(b.payload), chain)
        head += identity + b.description
        chain = zlib.crc32(head)
        entries.append((b.stream, b.block, struct.pack(
            "<QIII", offset, len(head) + 4 + len(b.payload), chain, crc)))
        out += [head, struct.pack("<I", chain), b.payload]
        offset += len(head) + 4 + len(b.payload)
        n, sum_nbytes = nbytes.get(b.stream, (0, 0))
        nbytes[b.stream] = n + 1, sum_nbytes + length
    entries = [e[2] for e in sorted(entries)]
    index = struct.pack("<4sQ", b"N3IX", len(entries))
    index += struct.pack("<I", zlib.crc32(index))
    for i in range(0, len(entries), 4096):
        segment = b"".join(entries[i:i + 4096])
        index += segment + struct.pack("<I", zlib.crc32(segment))
    copy = section(b"N3HC", header if offset > 2**20 else b"")
    nstreams = struct.unpack("<I", plan[32:36])[0]
    catalogue = identity + struct.pack("<Q", size) + sha256
    catalogue += struct.pack("<I", nstreams)
    lengths = [(nbytes.get(i, (0, 0))[1], nbytes.get(i, (0, 0))[0])
               for i in range(nstreams)] if stream_nbytes is None \
        else stream_nbytes
    catalogue += b"".join(struct.pack("<QI", *pair) for pair in lengths)
    if offset > 2**16:
        catalogue += plan
    end = section(b"N3CT", catalogue)
    places = offset, offset + len(index), offset + len(index) + len(copy)
    trailer = struct.pack("<4sHHQQQQQ", b"N3TR", 1, 0, *places,
                          places[2] + len(end) + 64, len(entries))
    trailer += identity + struct.pack("<I", chain)
    trailer += struct.pack("<I", zlib.crc32(trailer))
    return b"".join(out + [index, copy, end, trailer])
