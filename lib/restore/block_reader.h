/* SPDX-License-Identifier: MIT */
/*
 * The way of blocks out of an archive that is read in one pass: the caller's
 * thread reads records ahead, a pool of threads decodes and checks them, and
 * they come back in the order of the archive.
 */
#ifndef NC3Z_RESTORE_BLOCK_READER_H
#define NC3Z_RESTORE_BLOCK_READER_H

#include "archive/archive.h"
#include "block/block.h"
#include "parallel/pool.h"
#include "plan/map.h"
#include "restore/held_blocks.h"

struct block_reader {
	struct archive_scan *scan;
	/* Of an original without end: no block is longer than here. */
	const struct plan_map *map;
	struct pool *pool;
	struct block_coder *coders; /* one for each worker */
	struct read_job *spare;
	bool at_end; /* no more records are read */
	/* Why, if that is an error: reported after the blocks before it. */
	int status;
	struct nc3z_error err;
};

/* 'scan' stands before the first block; both outlive the block reader. */
int block_reader_init(struct block_reader *r, struct archive_scan *scan,
		      const struct plan_map *map, unsigned nthreads,
		      struct nc3z_error *err);

/*
 * The next block, decoded and checked, which is then the caller's to free();
 * NULL after the last one.
 */
int block_reader_next(struct block_reader *r, uint32_t *stream_ret,
		      struct held_block **block_ret, struct nc3z_error *err);

void block_reader_release(struct block_reader *r);

#endif
