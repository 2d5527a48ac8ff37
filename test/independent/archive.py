# SPDX-License-Identifier: MIT
"""Archives: sections 2, 3 and 8 to 13; reading from the end. For reading in
one pass see one_pass.py."""

import hashlib
import io
import struct
import zlib
from dataclasses import dataclass
from itertools import chain

import block as blocks
from fields import (Fields, NotAnArchive, SectionHead, check_crc,
                    must, supported)
from plan import END, Plan

MAGIC = b"\x89NC3Z\r\n\x1a"
VERSION = 1, 0
SUPERBLOCK_SIZE = 16
PLAN_OFFSET = 16
INDEX_HEAD_SIZE = 16
ENTRY_SIZE = 20
SEGMENT_ENTRIES = 4096
TRAILER_SIZE = 64


def check_superblock(data):
    """Section 3, in its order."""
    if data[:8] != MAGIC:
        raise NotAnArchive("not an nc3z archive")
    must(len(data) == SUPERBLOCK_SIZE, "the superblock ends early")
    major, minor, crc = struct.unpack("<HHI", data[8:])
    check_crc(data[:12], crc, "superblock")
    supported((major, minor) == VERSION, f"version {major}.{minor}")


class Trailer:
    """Section 11."""

    def __init__(self, data):
        fields = Fields(data, "trailer")
        must(fields.bytes(4) == b"N3TR", "no mark of the trailer")
        check_crc(data[:60], struct.unpack_from("<I", data, 60)[0],
                  "trailer")
        must(fields.numbers("HH") == VERSION,
             "trailer and superblock have different versions")
        (self.index_offset, self.header_copy_offset, self.catalogue_offset,
         self.length, self.blocks) = fields.numbers("QQQQQ")
        self.identity = fields.bytes(8)
        self.last_crc = fields.number("I")


def index_length(entries):
    """Bytes of an index (8)."""
    return (INDEX_HEAD_SIZE + entries * ENTRY_SIZE
            + -(-entries // SEGMENT_ENTRIES) * 4)


def check_index_head(head, entries):
    fields = Fields(head, "index")
    must(fields.bytes(4) == b"N3IX", "no mark of the index")
    count, crc = fields.numbers("QI")
    check_crc(head[:12], crc, "head of the index")
    must(count == entries, "number of entries in the index")


@dataclass
class StreamCopy:
    """A stream that is copied (9.2)."""

    stream: int
    raw_length: int
    raw_crc: int
    payload_length: int
    description: bytes = b""
    payload: bytes = b""


class StreamCopies:
    """Section 9.2."""

    def __init__(self, contents, plan, trailer):
        fields = Fields(contents, "stream copies")
        must(fields.bytes(8) == trailer.identity
             and fields.number("I") == trailer.last_crc,
             "stream copies of another archive")
        self.copies, last, total = [], -1, 0
        for _ in range(fields.number("I")):
            copy = StreamCopy(*fields.numbers("IIII"))
            length = fields.number("H")
            copy.description = fields.bytes(length)
            copy.payload = fields.bytes(copy.payload_length)
            must(last < copy.stream < len(plan.streams),
                 "stream of a copy")
            must(not hasattr(plan.streams[copy.stream], "chunks"),
                 "copy of a chunked stream")
            must(1 <= copy.raw_length <= 1 << 22, "length of a copy")
            must(copy.payload_length <= blocks.room(copy.raw_length),
                 "payload length of a copy")
            last, total = copy.stream, total + copy.raw_length
            must(total <= 1 << 24, "length of all copies")
            self.copies.append(copy)
        fields.end()

    def check(self, plan, size, raw_crc_of):
        """Compares them with the blocks, by the CRC-32 of the raw bytes of
        each, from raw_crc_of((stream, block))."""
        for copy in self.copies:
            stream = plan.streams[copy.stream]
            must(copy.raw_length == stream.length(size), "length of a copy")
            raw = blocks.decode_described(copy, copy.payload)
            place = 0
            for block in range(stream.blocks(size)):
                end = place + stream.length_of_block(block, size)
                must(zlib.crc32(raw[place:end])
                     == raw_crc_of((copy.stream, block)),
                     "a stream copy is not that of the blocks")
                place = end


class Catalogue:
    """Section 10, with what must agree with the plan and the trailer."""

    def __init__(self, contents):
        self.fields = Fields(contents, "catalogue")
        self.identity = self.fields.bytes(8)
        self.size = self.fields.number("Q")
        must(self.size < END, "size of the original")
        self.sha256 = self.fields.bytes(32)
        self.lengths = []
        for _ in range(self.fields.number("I")):
            self.lengths.append(self.fields.numbers("QI"))
        self.plan = self.fields.bytes(len(contents) - self.fields.offset)

    def check(self, plan, identity):
        """Against the plan; returns first entries of streams (8)."""
        must(self.identity == identity, "identity of the catalogue")
        must(not self.plan or self.plan == plan.contents,
             "the catalogue has another plan")
        must(plan.header_length <= self.size,
             "the original ends in its header")
        must(len(self.lengths) == len(plan.streams),
             "number of streams in the catalogue")
        first = [0]
        for stream, (length, count) in zip(plan.streams, self.lengths):
            must(length == stream.length(self.size), "length of a stream")
            must(count == stream.blocks(self.size), "number of blocks")
            first.append(first[-1] + count)
        return first


def read_copies(plan, read_section):
    """The header copy, and the contents of the section of stream copies or
    None (9); read_section(mark) gives the contents of the next section if
    that has this mark, else None."""
    header = read_section(b"N3HC")
    must(header is None or 0 < len(header) == plan.header_length,
         "length of the header copy")
    return header, read_section(b"N3SC")


def check_first_block(plan, record, raw):
    """The identity, by the first block record and its raw bytes (6.1)."""
    digest = hashlib.sha256(plan.contents + raw).digest()
    must(record.identity == digest[:8], "identity of the first block")


class Reader:
    """What both ways to read have in common.  Each block is kept from when it
    has been decoded until all its bytes have been used."""

    BATCH = 1 << 20     # bytes of records that are put together at once

    def begin(self, plan):
        self.plan, self.bound = plan, plan.memory()
        self.held = {}          # (stream, block): [raw bytes, bytes to go]
        self.held_length = 0

    def hold(self, key, raw):
        self.held[key] = [raw, len(raw)]
        self.held_length += len(raw)

    def drop(self, key):
        self.held_length -= len(self.held.pop(key)[0])

    def use(self, key, length):
        if key in self.held:
            self.held[key][1] -= length
            if self.held[key][1] <= 0:
                self.drop(key)

    def block(self, key):
        """The raw bytes of a block, none where there is no such block."""
        raise NotImplementedError

    def strips(self, offset, length):
        """The strips of as many whole records from offset on as their blocks
        have and as are put together at once, and how many that are; else
        those up to the first of which there is one alone."""
        plan, found, taken, rows = self.plan, [], 0, 1
        if plan.record_length \
                and (offset - plan.record_begin) % plan.record_length == 0:
            rows = max(1, min(length, self.BATCH) // plan.record_length)
        while not found or rows > 1 and taken < plan.record_length:
            stream, block, piece = plan.locate(offset + taken)
            key = stream.number, block
            raw = self.block(key)
            place, run, step, most = piece(len(raw))
            run = min(run, length - taken)
            if run <= 0:
                return found, 1     # the original ends here
            found.append((key, raw, place, run, step))
            taken, rows = taken + run, min(rows, most)
        return found, rows

    def original(self, offset, length):
        """Pieces of the original: of each strip a column with a piece for
        each record, and all columns side by side."""
        while length:
            columns = []
            strips, rows = self.strips(offset, length)
            for key, raw, place, run, step in strips:
                columns.append([raw[at:at + run] for at in range(
                    place, place + rows * step, step)])
                self.use(key, rows * run)
            if not columns:
                return
            data = b"".join(chain.from_iterable(zip(*columns)))
            yield data
            offset, length = offset + len(data), length - len(data)

    def write_original(self, write, length):
        """Its length, SHA-256 and header."""
        size, sha256, header = 0, hashlib.sha256(), b""
        for data in self.original(0, length):
            size += len(data)
            sha256.update(data)
            header += data[:self.plan.header_length - len(header)]
            write(data)
        return size, sha256.digest(), header


class SeekingReader(Reader):
    """Reads an archive from its end (13.1)."""

    def __init__(self, file):
        self.file = file
        self.file_length = file.seek(0, io.SEEK_END)
        check_superblock(self.at(0, min(SUPERBLOCK_SIZE, self.file_length)))
        must(self.file_length >= SUPERBLOCK_SIZE + TRAILER_SIZE,
             "the archive ends early")
        trailer = Trailer(self.at(self.file_length - TRAILER_SIZE,
                                  TRAILER_SIZE))
        self.trailer = trailer
        must(trailer.length == self.file_length, "length of the archive")
        must(trailer.blocks >= 1, "no blocks")
        must(trailer.header_copy_offset - trailer.index_offset
             == index_length(trailer.blocks), "length of the index")

        contents, end, self.plan_crc = self.section(PLAN_OFFSET, b"N3PL")
        self.blocks_offset = end
        must(end <= trailer.index_offset, "offset of the index")
        self.begin(Plan(contents))

        end = trailer.header_copy_offset

        def read_section(mark):
            nonlocal end
            if mark != b"N3CT" and self.at(end, 4) != mark:
                return None
            data, end, _ = self.section(end, mark)
            return data

        self.header_copy, copies = read_copies(self.plan, read_section)
        must(end == trailer.catalogue_offset, "offset of the catalogue")
        data = read_section(b"N3CT")
        must(end == self.file_length - TRAILER_SIZE,
             "offset of the trailer")

        catalogue = self.catalogue = Catalogue(data)
        self.first_entries = catalogue.check(self.plan, trailer.identity)
        self.size, self.sha256 = catalogue.size, catalogue.sha256
        must(self.first_entries[-1] == trailer.blocks, "number of blocks")
        self.copies = copies and StreamCopies(copies, self.plan, trailer)
        self.segments = {}

    def at(self, offset, length):
        must(offset + length <= self.file_length, "the archive ends early")
        self.file.seek(offset)
        data = self.file.read(length)
        must(len(data) == length, "the archive ends early")
        return data

    def section(self, offset, mark):
        """Contents, end and CRC of the head of a section."""
        head = SectionHead(self.at(offset, SectionHead.SIZE), mark)
        offset += SectionHead.SIZE
        stored = self.at(offset, head.stored_length)
        return head.contents(stored), offset + len(stored), head.crc

    def entry(self, number):
        """An entry of the index; its segment is checked as a whole (8)."""
        segment, place = divmod(number, SEGMENT_ENTRIES)
        if segment not in self.segments:
            entries = min(SEGMENT_ENTRIES, self.trailer.blocks
                          - segment * SEGMENT_ENTRIES)
            data = self.at(
                self.trailer.index_offset + INDEX_HEAD_SIZE
                + segment * (SEGMENT_ENTRIES * ENTRY_SIZE + 4),
                entries * ENTRY_SIZE + 4)
            must(struct.unpack("<I", data[-4:])[0] == blocks.segment_crc(
                data[:-4], self.trailer.last_crc),
                 "wrong CRC-32 of a segment of the index")
            self.segments[segment] = data
        return blocks.Entry.read(self.segments[segment], place * ENTRY_SIZE)

    def record_at(self, offset):
        """The block record header there."""
        data = io.BytesIO(self.at(
            offset, min(self.trailer.index_offset - offset, 1024)))

        def read(n):
            taken = data.read(n)
            must(len(taken) == n, "a block record ends early")
            return taken

        return blocks.read_record(read)

    def record(self, key):
        """The record header of a block, or of the one that it equals, and
        its entry."""
        stream, block = key
        entry = self.entry(self.first_entries[stream] + block)
        must(self.blocks_offset <= entry.offset
             and entry.offset + entry.length <= self.trailer.index_offset,
             "an entry of the index is not of a block")
        record = self.record_at(entry.offset)
        must(record.crc == entry.crc and record.raw_crc == entry.raw_crc
             and ((record.stream, record.block) != key) == entry.is_duplicate
             and record.identity == self.trailer.identity
             and record.length + record.payload_length == entry.length,
             "a block is not that of the index")
        must(record.raw_length == self.plan.streams[stream]
             .length_of_block(block, self.size), "raw length")
        return record, entry

    def block(self, key):
        """The raw bytes of a block; of those that are not used up, the oldest
        are forgotten when they are too many (5.5)."""
        if key not in self.held:
            record, entry = self.record(key)
            payload = self.at(entry.offset + record.length,
                              record.payload_length)
            raw = blocks.decode(record, payload)
            if entry.offset == self.blocks_offset:
                check_first_block(self.plan, record, raw)
            while self.held and self.held_length + len(raw) > self.bound:
                self.drop(next(iter(self.held)))
            self.hold(key, raw)
        return self.held[key][0]

    def original(self, offset, length):
        must(offset + length <= self.size, "the original ends early")
        yield from super().original(offset, length)

    def header(self):
        """The header of the original (9)."""
        return self.header_copy or b"".join(
            self.original(0, self.plan.header_length))

    def next_record(self, offset, before):
        """The record there, a block's or a duplicate, and where it ends;
        before has the offsets of the blocks so far, None of duplicates."""
        if self.at(offset, 4) != blocks.DUPLICATE:
            record = self.record_at(offset)
            return record, offset + record.length + record.payload_length
        record = blocks.read_duplicate(self.at(offset, blocks.DUPLICATE_SIZE))
        other = before.get(record.of)
        must(other is not None, "duplicate of no block")
        record.check(self.record_at(other), offset - other)
        return record, offset + blocks.DUPLICATE_SIZE

    def records(self):
        """All records in the order of the archive; they chunk it, they are
        chained, blocks of a stream ascend, and the index is theirs (2, 5.5,
        6.1, 6.4, 8)."""
        offset, crc, before = self.blocks_offset, self.plan_crc, {}
        next_blocks = [0] * len(self.plan.streams)
        while offset < self.trailer.index_offset:
            record, end = self.next_record(offset, before)
            must(record.previous_crc == crc,
                 "CRC-32 of the previous record header")
            must(record.identity == self.trailer.identity,
                 "identity of a record")
            stream, block = record.stream, record.block
            must(stream < len(next_blocks) and block == next_blocks[stream]
                 < self.catalogue.lengths[stream][1], "blocks do not ascend")
            is_duplicate = isinstance(record, blocks.Duplicate)
            _, entry = self.record((stream, block))
            must(entry.raw_crc == record.raw_crc
                 and entry.is_duplicate == is_duplicate
                 and entry.offset == (before[record.of] if is_duplicate
                                      else offset)
                 and (is_duplicate or offset + entry.length == end),
                 "the index is not that of the blocks")
            before[stream, block] = None if is_duplicate else offset
            next_blocks[stream] += 1
            yield record, offset
            offset, crc = end, record.crc
        must(offset == self.trailer.index_offset
             and sum(next_blocks) == self.trailer.blocks,
             "block records do not chunk the archive")
        must(crc == self.trailer.last_crc, "CRC-32 of the last record header")

    def restore(self, write):
        """Restores the original and verifies the archive."""
        check_index_head(self.at(self.trailer.index_offset, INDEX_HEAD_SIZE),
                         self.trailer.blocks)
        raw_crcs = {(record.stream, record.block): record.raw_crc
                    for record, _ in self.records()}
        size, sha256, header = self.write_original(write, self.size)
        must(size == self.size, "a block ends early")
        must(sha256 == self.sha256, "SHA-256 of the original")
        check_copies(self, header, raw_crcs.__getitem__)


def check_copies(archive, header, raw_crc_of):
    """What an archive repeats is what it repeats (9)."""
    must(not archive.header_copy or archive.header_copy == header,
         "the header copy is not the header")
    if archive.copies:
        archive.copies.check(archive.plan, archive.size, raw_crc_of)
