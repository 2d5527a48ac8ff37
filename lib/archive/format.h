/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the format, under the names that the specification
 * (format-spec/nc3z-format.md) gives them.  All integers are little-endian.
 */
#ifndef NC3Z_ARCHIVE_FORMAT_H
#define NC3Z_ARCHIVE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/magic.h"

#define FORMAT_MAGIC "\x89NC3Z\r\n\x1a"
#define FORMAT_MAGIC_NBYTES 8
/*
 * Parts of an archive that is not there yet (archive/part.h): no archives, and
 * not of this specification.
 */
#define FORMAT_PART_MAGIC "\x89NC3P\r\n\x1a"
#define FORMAT_MAJOR 1
#define FORMAT_MINOR 0

/* The mark that each record begins with. */
#define FORMAT_MARK_NBYTES 4
#define FORMAT_MARK_PLAN "N3PL"
#define FORMAT_MARK_BLOCK "N3BK"
#define FORMAT_MARK_DUPLICATE "N3DU"
#define FORMAT_MARK_INDEX "N3IX"
#define FORMAT_MARK_HEADER_COPY "N3HC"
#define FORMAT_MARK_STREAM_COPIES "N3SC"
#define FORMAT_MARK_CATALOGUE "N3CT"
#define FORMAT_MARK_TRAILER "N3TR"

#define FORMAT_IDENTITY_NBYTES 8

/* magic 8, major 2, minor 2, CRC 4 */
#define FORMAT_SUPERBLOCK_NBYTES 16

/* mark 4, codec 1, reserved 3, raw 4, stored 4, payload CRC 4, CRC 4 */
#define FORMAT_SECTION_HEAD_NBYTES 24
#define FORMAT_SECTION_NBYTES_MAX (UINT32_C(1) << 28)

/*
 * Copies of header and plan that are at most one of so many parts of an archive
 * are always there: damage at either end leaves one of each.
 */
#define FORMAT_COPIES_OF_ARCHIVE 100
/*
 * Other copies are not if the index begins at or before this: one read gets the
 * whole archive.
 */
#define FORMAT_COPIES_FROM_OFFSET (UINT32_C(1) << 20)
/* No copy of a longer header. */
#define FORMAT_HEADER_COPY_NBYTES_MAX (UINT32_C(1) << 24)

/* Stream copies: identity 8, last record header CRC 4, number of copies 4 */
#define FORMAT_STREAM_COPIES_HEAD_NBYTES 16
/* stream 4, raw length 4, raw CRC 4, payload length 4, description length 2 */
#define FORMAT_STREAM_COPY_HEAD_NBYTES 18
#define FORMAT_STREAM_COPY_NBYTES_MAX (UINT32_C(1) << 22)
#define FORMAT_STREAM_COPIES_NBYTES_MAX (UINT32_C(1) << 24)
/* The catalogue repeats the plan if the index begins after this. */
#define FORMAT_PLAN_COPY_FROM_OFFSET (UINT32_C(1) << 16)

/*
 * mark 4, record header length 2, stream 4, block 4, raw length 4, raw CRC 4,
 * payload length 4, payload CRC 4, previous record header CRC 4, identity 8;
 * then the block description and a CRC of 4
 */
#define FORMAT_BLOCK_HEAD_NBYTES 42
#define FORMAT_BLOCK_START_NBYTES 6 /* with which its length is known */
#define FORMAT_BLOCK_HEADER_NBYTES_MAX 1024

/*
 * mark 4, stream 4, block 4, stream and block that it equals 4 each, raw length
 * 4, raw CRC 4, previous record header CRC 4, identity 8, CRC 4
 */
#define FORMAT_DUPLICATE_NBYTES 44
/* The record of the block that it equals begins at most so far before. */
#define FORMAT_DUPLICATE_REACH (UINT32_C(1) << 25)

/*
 * offset 8, record length 4, record header CRC 4, raw CRC 4; of a duplicate
 * they are those of the block that it equals, and the length has one bit more
 */
#define FORMAT_ENTRY_DUPLICATE (UINT32_C(1) << 31)
#define FORMAT_ENTRY_NBYTES 20
#define FORMAT_SEGMENT_NENTRIES 4096
/*
 * mark 4, number of entries 8, CRC 4; segments follow, each with a CRC of its
 * entries and of the CRC of the last record header
 */
#define FORMAT_INDEX_HEAD_NBYTES 16

/*
 * The catalogue: identity 8, original size 8, SHA-256 32, number of streams 4;
 * for each stream length 8, number of blocks 4; the plan may follow.
 */
#define FORMAT_CATALOGUE_STREAM_NBYTES 12

/*
 * mark 4, major 2, minor 2, offsets of index, header copy and catalogue 8
 * each, archive size 8, number of blocks 8, identity 8, last record header CRC
 * 4, CRC 4
 */
#define FORMAT_TRAILER_NBYTES 64

/*
 * HDF5 libraries look for this at offset 0 and at 512, 1024, 2048 and so on;
 * an archive has it at none of them.
 */
#define FORMAT_FOREIGN_SIGNATURE MAGIC_HDF5
#define FORMAT_FOREIGN_SIGNATURE_NBYTES MAGIC_HDF5_NBYTES
#define FORMAT_FOREIGN_FIRST_OFFSET 512

/* The longest payload of a block of so many raw bytes. */
static inline uint64_t format_payload_max(uint64_t raw_nbytes)
{
	return raw_nbytes + raw_nbytes / 8 + 4096;
}

/* Whether copies of header and plan, of so many bytes, are little of it. */
static inline bool format_copies_are_little(uint64_t copies_nbytes,
					    uint64_t index_offset)
{
	return copies_nbytes <= index_offset / FORMAT_COPIES_OF_ARCHIVE;
}

/* Whether a writer gives an archive a copy of a header of this length, */
static inline bool format_has_header_copy(uint64_t header_nbytes,
					  uint64_t index_offset, bool is_little)
{
	return header_nbytes <= FORMAT_HEADER_COPY_NBYTES_MAX &&
	       (is_little || index_offset > FORMAT_COPIES_FROM_OFFSET);
}

/* a section of stream copies, */
static inline bool format_has_stream_copies(uint64_t index_offset)
{
	return index_offset > FORMAT_COPIES_FROM_OFFSET;
}

/* a copy of the plan in its catalogue. */
static inline bool format_has_plan_copy(uint64_t index_offset, bool is_little)
{
	return is_little || index_offset > FORMAT_PLAN_COPY_FROM_OFFSET;
}

#endif
