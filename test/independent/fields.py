# SPDX-License-Identifier: MIT
"""Errors, integers and sections: sections 1 and 4 of the specification."""

import struct
import zlib


class Refused(Exception):
    """The archive cannot be used; a subclass says of which kind it is."""


class Damaged(Refused):
    """A rule of the specification is broken (1.2)."""


class Unsupported(Refused):
    """A number that this version of the format does not define (1.2)."""


class NotAnArchive(Refused):
    """The magic is another (3)."""


def must(condition, message):
    """Raises Damaged unless the condition holds."""
    if not condition:
        raise Damaged(message)


def supported(condition, message):
    """Raises Unsupported unless the condition holds."""
    if not condition:
        raise Unsupported(message)


class Fields:
    """Bytes that are taken from the front, field after field (1.3)."""

    def __init__(self, data, name):
        self.data, self.name, self.offset = data, name, 0

    def bytes(self, length):
        end = self.offset + length
        must(end <= len(self.data), f"{self.name} ends early")
        taken = self.data[self.offset:end]
        self.offset = end
        return bytes(taken)

    def numbers(self, form):
        """Integers: B, H, I and Q are u8, u16, u32 and u64."""
        return struct.unpack("<" + form,
                             self.bytes(struct.calcsize("<" + form)))

    def number(self, form):
        return self.numbers(form)[0]

    def end(self):
        must(self.offset == len(self.data),
             f"bytes behind the end of the {self.name}")


def check_crc(data, crc, name):
    must(zlib.crc32(data) == crc, f"wrong CRC-32 of the {name}")


def inflate(stored, length):
    """Exactly one zlib stream that gives exactly length bytes (7.3)."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(stored, length + 1)
    except zlib.error as error:
        raise Damaged(f"not a zlib stream: {error}") from None
    must(stream.eof and not stream.unused_data and len(data) == length,
         "a zlib stream of another length")
    return data


class SectionHead:
    """The first 24 bytes of a section (4)."""

    SIZE = 24
    NAMES = {b"N3PL": "plan", b"N3HC": "header copy",
             b"N3SC": "stream copies", b"N3CT": "catalogue"}

    def __init__(self, head, mark):
        self.name = self.NAMES[mark]
        fields = Fields(head, self.name)
        must(fields.bytes(4) == mark, f"no mark of the {self.name}")
        check_crc(head[:20], struct.unpack_from("<I", head, 20)[0],
                  f"head of the {self.name}")
        self.codec = fields.number("B")
        reserved = fields.bytes(3)
        self.length, self.stored_length = fields.numbers("II")
        self.stored_crc, self.crc = fields.numbers("II")

        must(reserved == bytes(3), f"{self.name}: reserved bytes")
        supported(self.codec <= 1, f"{self.name}: codec {self.codec}")
        must(self.length <= 1 << 28, f"{self.name}: too long")
        must(self.stored_length <= self.length,
             f"{self.name}: stored length")
        must(self.length > 0 or self.codec == 0,
             f"{self.name}: empty but deflated")

    def contents(self, stored):
        check_crc(stored, self.stored_crc, self.name)
        if self.codec == 1:
            return inflate(stored, self.length)
        must(len(stored) == self.length, f"{self.name}: stored length")
        return stored
