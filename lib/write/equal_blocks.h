/* SPDX-License-Identifier: MIT */
/*
 * Blocks that equal one before them are written as duplicates of it: static
 * fields that a model writes with each record, months of a climatology,
 * variables that are copies.  Candidates are found by length and CRC-32 and
 * compared byte by byte.  Which blocks become duplicates depends on the bytes
 * of the archive up to there, never on timing.
 */
#ifndef NC3Z_WRITE_EQUAL_BLOCKS_H
#define NC3Z_WRITE_EQUAL_BLOCKS_H

#include "archive/archive.h"
#include "block/block.h"

/* With an archive and otherwise zero-initialised it has seen no block. */
struct equal_blocks {
	struct archive_writer *archive;
	struct seen_block *table; /* open addressing, by length and CRC */
	size_t nslots;
	size_t count;
	struct archive_fetched seen; /* the block that may be the same */
	struct buffer raw;           /* of that one */
	struct buffer own;
	struct block_coder coder;
};

/*
 * Appends a block, as archive_writer_block() does, or a duplicate of one before
 * it.  'raw' are its raw bytes; NULL: they are decoded if they are needed.
 * Parts get no duplicates: these are found when parts are joined.
 */
int equal_blocks_append(struct equal_blocks *e,
			const struct archive_block *block, const uint8_t *raw,
			bool *collides_ret, struct nc3z_error *err);

void equal_blocks_release(struct equal_blocks *e);

#endif
