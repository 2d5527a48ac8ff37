#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Restores an nc3z archive in one pass, from a pipe to a pipe.

usage: one_pass.py <archive >original

Follows section 13.2 of format-spec/nc3z-format.md step by step: it never looks
back, and keeps no more than 5.5 says. Exit status as decode.py.
"""

from dataclasses import replace
import struct
import sys

import block as blocks
from archive import (INDEX_HEAD_SIZE, SEGMENT_ENTRIES, SUPERBLOCK_SIZE,
                     TRAILER_SIZE, Catalogue, Reader, StreamCopies, Trailer,
                     check_copies, check_first_block, check_index_head,
                     check_superblock, read_copies)
from fields import (Damaged, NotAnArchive, Refused, SectionHead, Unsupported,
                    must)
from plan import END, Plan

STATUS = {Damaged: 4, Unsupported: 5, NotAnArchive: 6}


class OnePassReader(Reader):
    """Reads an archive from its first byte to its last."""

    def __init__(self, file):
        self.file = file
        check_superblock(file.read(SUPERBLOCK_SIZE))
        self.offset = SUPERBLOCK_SIZE
        contents, self.last_crc = self.section(b"N3PL")
        self.begin(Plan(contents))
        self.identity = None
        self.next_blocks = [0] * len(self.plan.streams)
        self.entries = {}       # (stream, block): entry of the index
        self.back = {}          # offset: record and payload, for duplicates

    def read(self, length):
        data = self.file.read(length)
        must(len(data) == length, "the archive ends early")
        self.offset += length
        return data

    def section(self, mark):
        """Contents of the next section and the CRC-32 of its head."""
        start, self.mark = self.mark or b"", None
        head = SectionHead(start + self.read(SectionHead.SIZE - len(start)),
                           mark)
        return head.contents(self.read(head.stored_length)), head.crc

    def section_if(self, mark):
        """Contents of the next section if it has this mark, else None."""
        self.mark = self.mark or self.read(4)
        return self.section(mark)[0] if self.mark == mark else None

    def restore(self, write):
        """13.2, step by step."""
        size, sha256, header = self.write_original(write, END)
        self.finish(size)
        must(sha256 == self.sha256, "SHA-256 of the original")
        check_copies(self, header, lambda key: self.entries[key].raw_crc)

    def block(self, key):
        while key not in self.held and self.take_block():
            pass
        return self.held[key][0] if key in self.held else b""

    mark = None                 # of the next record, if it has been read

    def at_end_mark(self):
        """Whether the block records have ended."""
        if self.mark is None:
            self.mark = self.read(4)
        return self.mark not in (blocks.MARK, blocks.DUPLICATE)

    def take_block(self):
        """Reads the next block; false if there is none."""
        if self.at_end_mark():
            return False
        offset, head, self.mark = self.offset - 4, self.mark, None
        if head == blocks.DUPLICATE:
            record, raw, entry = self.take_duplicate(offset)
        else:
            record, raw, entry = self.take_whole(offset, head)
        key = record.stream, record.block
        must(record.previous_crc == self.last_crc,
             "CRC-32 of the previous record header")
        must(record.stream < len(self.plan.streams), "stream of a block")
        must(record.block == self.next_blocks[record.stream],
             "blocks do not ascend")
        must(record.raw_length <= self.plan.streams[record.stream]
             .length_of_block(record.block, END), "raw length")
        must(record.identity == self.identity, "identity of a block")

        self.last_crc = record.crc
        self.next_blocks[record.stream] += 1
        self.hold(key, raw)
        must(self.held_length <= self.bound, "too many blocks to keep")
        self.entries[key] = entry
        return True

    def take_whole(self, offset, head):
        """The block record that begins with head, its raw bytes, its entry."""
        def read(n):
            nonlocal head
            data, head = head, b""
            return data + self.read(n - len(data))

        record = blocks.read_record(read)
        payload = self.read(record.payload_length)
        raw = blocks.decode(record, payload)
        if self.identity is None:
            self.identity = record.identity
            check_first_block(self.plan, record, raw)
        self.back[offset] = record, payload
        while self.offset - next(iter(self.back)) > blocks.REACH:
            del self.back[next(iter(self.back))]
        return record, raw, blocks.Entry(offset, self.offset - offset,
                                         record.crc, record.raw_crc)

    def take_duplicate(self, offset):
        """The same of a duplicate, from what is kept for it (5.5)."""
        duplicate = blocks.read_duplicate(
            blocks.DUPLICATE + self.read(blocks.DUPLICATE_SIZE - 4))
        entry = self.entries.get(duplicate.of)
        must(entry is not None and entry.offset in self.back,
             "duplicate of no block, or of one too far before it")
        record, payload = self.back[entry.offset]
        duplicate.check(record, offset - entry.offset)
        return (duplicate, blocks.decode(record, payload),
                replace(entry, is_duplicate=True))

    def finish(self, size):
        """What is after the block records (8 to 11)."""
        must(self.at_end_mark() and not self.held,
             "blocks hold more than the original")
        must(self.identity is not None, "no blocks")
        index_offset = self.offset - 4
        index = [self.entries[key] for key in sorted(self.entries)]
        check_index_head(self.mark + self.read(INDEX_HEAD_SIZE - 4),
                         len(index))
        for first in range(0, len(index), SEGMENT_ENTRIES):
            segment = b"".join(entry.bytes() for entry
                               in index[first:first + SEGMENT_ENTRIES])
            segment += struct.pack("<I", blocks.segment_crc(segment,
                                                            self.last_crc))
            must(self.read(len(segment)) == segment,
                 "the index is not that of the blocks")

        header_copy_offset, self.mark = self.offset, None
        self.header_copy, copies = read_copies(self.plan, self.section_if)
        catalogue_offset = self.offset - len(self.mark or b"")
        catalogue = Catalogue(self.section(b"N3CT")[0])
        first = catalogue.check(self.plan, self.identity)
        must([count for _, count in catalogue.lengths] == self.next_blocks,
             "number of blocks")
        must(catalogue.size == size, "size of the original")

        trailer = Trailer(self.read(TRAILER_SIZE))
        must(trailer.index_offset == index_offset
             and trailer.header_copy_offset == header_copy_offset
             and trailer.catalogue_offset == catalogue_offset
             and trailer.length == self.offset
             and trailer.blocks == first[-1]
             and trailer.identity == self.identity
             and trailer.last_crc == self.last_crc,
             "the trailer does not agree with the archive")
        must(not self.file.read(1), "bytes after the archive")
        self.copies = copies and StreamCopies(copies, self.plan, trailer)
        self.size, self.sha256 = catalogue.size, catalogue.sha256


def main():
    try:
        OnePassReader(sys.stdin.buffer).restore(sys.stdout.buffer.write)
        sys.stdout.buffer.flush()
    except Refused as error:
        print(f"one_pass.py: {type(error).__name__}: {error}",
              file=sys.stderr)
        return STATUS[type(error)]
    except OSError as error:
        print(f"one_pass.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
