"""Archives: sections 2, 3 and 8 to 13, read from the end or in one pass."""

import hashlib
import io
import struct

import block as blocks
from fields import (Fields, NotAnArchive, SectionHead, check_crc,
                    must, supported)
from plan import END, Plan

MAGIC = b"\x89NC3Z\r\n\x1a"
VERSION = (1, 0)
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


class Catalogue:
    """Section 10, with what must agree with the plan and the trailer."""

    def __init__(self, contents, index_offset):
        self.fields = Fields(contents, "catalogue")
        self.identity = self.fields.bytes(8)
        self.size = self.fields.number("Q")
        must(self.size < END, "size of the original")
        self.sha256 = self.fields.bytes(32)
        self.lengths = []
        for _ in range(self.fields.number("I")):
            self.lengths.append(self.fields.numbers("QI"))
        self.plan = None
        if index_offset > 1 << 16:
            rest = len(contents) - self.fields.offset
            self.plan = self.fields.bytes(rest)
        self.fields.end()

    def check(self, plan, identity):
        """Against the plan; returns first entries of streams (8)."""
        must(self.identity == identity, "identity of the catalogue")
        must(self.plan is None or self.plan == plan.contents,
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


def check_header_copy(copy, plan, index_offset):
    """Section 9, without the bytes themselves."""
    empty = plan.header_length > 1 << 24 or index_offset <= 1 << 20
    must(len(copy) == (0 if empty else plan.header_length),
         "length of the header copy")


def check_first_block(plan, record, raw):
    """The identity, by the first block record and its raw bytes (6.1)."""
    digest = hashlib.sha256(plan.contents + raw).digest()
    must(record.identity == digest[:8], "identity of the first block")


class Restorer:
    """Puts the original together, from the first byte to the last."""

    def __init__(self, archive, write):
        self.archive, self.write = archive, write
        self.held = {}          # (stream, block): [raw bytes, bytes to go]
        self.sha256 = hashlib.sha256()
        self.header = b""       # to be compared with the copy

    def run(self):
        archive, plan, offset = self.archive, self.archive.plan, 0
        while archive.size is None or offset < archive.size:
            size = END if archive.size is None else archive.size
            stream, block, place, length = plan.locate(offset, size)
            key = stream.number, block
            if key not in self.held:
                # In one pass, this may find out what the size is.
                raw = archive.restoring(key)
                if raw is not None:
                    self.held[key] = [raw, len(raw)]
                continue
            self.put(key, place, length)
            offset += length
        must(self.sha256.digest() == archive.sha256,
             "SHA-256 of the original")
        copy = archive.header_copy
        must(not copy or copy == self.header,
             "the header copy is not the header")

    def put(self, key, place, length):
        held = self.held[key]
        data = held[0][place:place + length]
        must(len(data) == length, "a block is too short")
        self.sha256.update(data)
        missing = self.archive.plan.header_length - len(self.header)
        if missing > 0:
            self.header += data[:missing]
        self.write(data)
        held[1] -= length
        if held[1] == 0:
            del self.held[key]
            self.archive.restored(len(held[0]))


class SeekingReader:
    """Reads an archive from its end (13.1)."""

    CACHED = 32

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
        self.header_copy, end, _ = self.section(trailer.header_copy_offset,
                                                b"N3HC")
        must(end == trailer.catalogue_offset, "offset of the catalogue")
        data, end, _ = self.section(end, b"N3CT")
        must(end == self.file_length - TRAILER_SIZE,
             "offset of the trailer")

        self.plan = Plan(contents)
        catalogue = self.catalogue = Catalogue(data, trailer.index_offset)
        self.first_entries = catalogue.check(self.plan, trailer.identity)
        self.size, self.sha256 = catalogue.size, catalogue.sha256
        must(self.first_entries[-1] == trailer.blocks, "number of blocks")
        check_header_copy(self.header_copy, self.plan, trailer.index_offset)
        check_index_head(self.at(trailer.index_offset, INDEX_HEAD_SIZE),
                         trailer.blocks)
        self.segments, self.cache = {}, {}

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
            check_crc(data[:-4], struct.unpack("<I", data[-4:])[0],
                      "segment of the index")
            self.segments[segment] = data
        return struct.unpack_from("<QIII", self.segments[segment],
                                  place * ENTRY_SIZE)

    def record(self, key):
        """The record header of a block, its entry, and where it ends."""
        stream, block = key
        entry = self.entry(self.first_entries[stream] + block)
        offset, length, crc, raw_crc = entry
        must(self.blocks_offset <= offset
             and offset + length <= self.trailer.index_offset,
             "an entry of the index is not of a block")
        data = io.BytesIO(self.at(offset, min(length, 1024)))

        def read(n):
            taken = data.read(n)
            must(len(taken) == n, "a block record ends early")
            return taken

        record = blocks.read_record(read)
        must((record.stream, record.block) == key
             and record.crc == crc and record.raw_crc == raw_crc
             and record.identity == self.trailer.identity
             and record.length + record.payload_length == length,
             "a block is not that of the index")
        must(record.raw_length == self.plan.streams[stream]
             .length_of_block(block, self.size), "raw length")
        return record, entry

    def block(self, key):
        """The raw bytes of a block."""
        if key not in self.cache:
            record, (offset, _, _, _) = self.record(key)
            payload = self.at(offset + record.length, record.payload_length)
            raw = blocks.decode(record, payload)
            if offset == self.blocks_offset:
                check_first_block(self.plan, record, raw)
            if len(self.cache) >= self.CACHED:
                del self.cache[next(iter(self.cache))]
            self.cache[key] = raw
        return self.cache[key]

    def original(self, offset, length):
        """Pieces of the original."""
        must(offset + length <= self.size, "the original ends early")
        while length:
            stream, block, place, run = self.plan.locate(offset, self.size)
            run = min(run, length)
            raw = self.block((stream.number, block))
            yield raw[place:place + run]
            offset, length = offset + run, length - run

    def header(self):
        """The header of the original (9)."""
        return self.header_copy or b"".join(
            self.original(0, self.plan.header_length))

    def keys(self):
        """Stream and block of each entry of the index, in its order."""
        for stream, first in enumerate(self.first_entries[:-1]):
            for block in range(self.first_entries[stream + 1] - first):
                yield stream, block

    def records(self):
        """All record headers in the order of the archive; they chunk it,
        they are chained, and blocks of a stream ascend (2, 5.5, 6.1)."""
        offset, crc = self.blocks_offset, self.plan_crc
        next_blocks = [0] * len(self.plan.streams)
        order = sorted((self.entry(number)[0], key)
                       for number, key in enumerate(self.keys()))
        for _, (stream, block) in order:
            record, entry = self.record((stream, block))
            must(entry[0] == offset, "block records do not chunk the archive")
            must(record.previous_crc == crc,
                 "CRC-32 of the previous record header")
            must(block == next_blocks[stream], "blocks do not ascend")
            next_blocks[stream] += 1
            yield record, offset
            offset, crc = offset + entry[1], record.crc
        must(offset == self.trailer.index_offset,
             "block records do not chunk the archive")
        must(crc == self.trailer.last_crc, "CRC-32 of the last record header")

    def restore(self, write):
        for _ in self.records():
            pass
        Restorer(self, write).run()

    def restoring(self, key):
        raw = self.block(key)
        del self.cache[key]
        return raw

    def restored(self, length):
        pass


class StreamingReader:
    """Reads an archive in one pass (13.2)."""

    def __init__(self, file):
        self.file, self.offset = file, 0
        superblock = file.read(SUPERBLOCK_SIZE)
        check_superblock(superblock)
        self.offset = SUPERBLOCK_SIZE
        head = self.read(SectionHead.SIZE)
        self.plan, self.last_crc = self.section(head, b"N3PL")
        self.plan = Plan(self.plan)
        self.size = self.sha256 = self.header_copy = self.identity = None
        self.next_blocks = [0] * len(self.plan.streams)
        self.entries = {}       # (stream, block): entry of the index
        self.raw_lengths = {}
        self.early = {}         # raw bytes of blocks not needed so far
        self.memory = 0

    def read(self, length):
        data = self.file.read(length)
        must(len(data) == length, "the archive ends early")
        self.offset += length
        return data

    def section(self, head, mark):
        head = SectionHead(head, mark)
        return head.contents(self.read(head.stored_length)), head.crc

    def restore(self, write):
        Restorer(self, write).run()

    def restoring(self, key):
        """A block for the Restorer; None if the size became known."""
        size = self.size
        while key not in self.early:
            must(self.size is None, "a block is missing")
            mark = self.read(4)
            if mark == blocks.MARK:
                self.take(mark)
            else:
                self.finish(mark)
            if self.size != size:
                return None
        return self.early.pop(key)

    def restored(self, length):
        self.memory -= length

    def take(self, mark):
        """Reads a block record; a short block leads to the end."""
        offset, head = self.offset - 4, mark

        def read(n):
            nonlocal head
            data, head = head, b""
            return data + self.read(n - len(data))

        record = blocks.read_record(read)
        key = record.stream, record.block
        must(record.previous_crc == self.last_crc,
             "CRC-32 of the previous record header")
        must(record.stream < len(self.plan.streams), "stream of a block")
        must(record.block == self.next_blocks[record.stream],
             "blocks do not ascend")
        full = (self.plan.streams[record.stream]
                .length_of_block(record.block, END))
        must(record.raw_length <= full, "raw length")
        raw = blocks.decode(record, self.read(record.payload_length))
        if self.identity is None:
            self.identity = record.identity
            check_first_block(self.plan, record, raw)
        must(record.identity == self.identity, "identity of a block")

        self.last_crc = record.crc
        self.next_blocks[record.stream] += 1
        self.early[key], self.raw_lengths[key] = raw, len(raw)
        self.entries[key] = (offset, self.offset - offset, record.crc,
                             record.raw_crc)
        self.memory += len(raw)
        must(self.memory <= self.plan.memory(), "too many blocks to keep")
        if record.raw_length < full and self.size is None:
            self.drain()

    def drain(self):
        """Reads all that is left."""
        self.size = 0           # no other block leads here again
        while (mark := self.read(4)) == blocks.MARK:
            self.take(mark)
        self.finish(mark)

    def finish(self, mark):
        """What is behind the block records (8 to 11)."""
        must(self.identity is not None, "no blocks")
        index_offset = self.offset - 4
        index = [self.entries[key] for key in sorted(self.entries)]
        check_index_head(mark + self.read(INDEX_HEAD_SIZE - 4), len(index))
        for first in range(0, len(index), SEGMENT_ENTRIES):
            segment = b"".join(struct.pack("<QIII", *entry) for entry
                               in index[first:first + SEGMENT_ENTRIES])
            stored = self.read(len(segment))
            crc = struct.unpack("<I", self.read(4))[0]
            check_crc(stored, crc, "segment of the index")
            must(stored == segment, "the index is not that of the blocks")

        header_copy_offset = self.offset
        self.header_copy, _ = self.section(self.read(SectionHead.SIZE),
                                           b"N3HC")
        check_header_copy(self.header_copy, self.plan, index_offset)
        catalogue_offset = self.offset
        contents, _ = self.section(self.read(SectionHead.SIZE), b"N3CT")
        catalogue = Catalogue(contents, index_offset)
        first = catalogue.check(self.plan, self.identity)
        must([count for _, count in catalogue.lengths] == self.next_blocks,
             "number of blocks")
        for (stream, block), length in self.raw_lengths.items():
            must(length == self.plan.streams[stream].length_of_block(
                block, catalogue.size), "raw length")

        trailer = Trailer(self.read(TRAILER_SIZE))
        must(trailer.index_offset == index_offset
             and trailer.header_copy_offset == header_copy_offset
             and trailer.catalogue_offset == catalogue_offset
             and trailer.length == self.offset
             and trailer.blocks == first[-1]
             and trailer.identity == self.identity
             and trailer.last_crc == self.last_crc,
             "the trailer does not agree with the archive")
        must(not self.file.read(1), "bytes behind the archive")
        self.size, self.sha256 = catalogue.size, catalogue.sha256
