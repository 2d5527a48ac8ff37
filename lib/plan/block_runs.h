/* SPDX-License-Identifier: MIT */
/*
 * From blocks back to the original: the way that plan/map.h does not go.
 *
 * A *run* is bytes that follow each other in a block and in the original.
 * The runs of a block ascend in both; only in a panel of several members
 * they ascend in each of these.  Those of several blocks can be merged in the
 * order of the original, which is how chunks are put together to rows, and rows
 * to larger ones.
 */
#ifndef NC3Z_PLAN_BLOCK_RUNS_H
#define NC3Z_PLAN_BLOCK_RUNS_H

#include "plan/chunk_rows.h"

struct plan_block_run {
	uint64_t offset; /* in the original */
	uint32_t block_offset;
	uint32_t nbytes;
};

/* Goes through the runs of a block. */
struct plan_block_runs {
	const struct plan_map *map;
	uint32_t stream;
	uint32_t nbytes; /* of the block */
	/* The rest is its own. */
	uint32_t done;
	uint32_t member;
	uint64_t stream_offset; /* of the block; in a linear stream */
	uint64_t panel_nbytes;  /* of a panel that is cut; 0: as in the map */
	struct plan_chunk_rows rows;
};

/* 'block' is a number less than the stream's number of blocks. */
void plan_block_runs_begin(const struct plan_map *map, uint32_t stream,
			   uint64_t block, struct plan_block_runs *runs_ret);

/*
 * The same for a block that has only 'nbytes' bytes, at least one, because the
 * original ends in it, while the map does not know where that is.
 */
void plan_block_runs_begin_cut(const struct plan_map *map, uint32_t stream,
			       uint64_t block, uint32_t nbytes,
			       struct plan_block_runs *runs_ret);

/* The next run; false if there are no more. */
bool plan_block_runs_next(struct plan_block_runs *runs,
			  struct plan_block_run *run_ret);

/* Where a block begins in the original. */
uint64_t plan_block_offset(const struct plan_map *map, uint32_t stream,
			   uint64_t block);

/*
 * How many blocks of a stream are complete where 'offset' bytes of the original
 * have gone by.  Blocks of a stream are completed in order.
 */
uint64_t plan_blocks_complete(const struct plan_map *map, uint32_t stream,
			      uint64_t offset);

/* Runs of several blocks; zero-initialised there are none. */
struct plan_merge {
	struct plan_merge_place *list; /* a heap, the least offset first */
	size_t count;
	size_t capacity;
};

/* Bytes that the merge itself needs for a block. */
size_t plan_merge_block_nbytes(void);

/*
 * Adds the first 'nbytes' bytes of a block, at least one; 'owner' comes back
 * with its runs.  False if out of memory.
 */
bool plan_merge_add(struct plan_merge *merge,
		    const struct plan_block_runs *runs, uint32_t nbytes,
		    void *owner);

/* The next run of all; false if there are no more. */
bool plan_merge_next(struct plan_merge *merge, struct plan_block_run *run_ret,
		     void **owner_ret);

void plan_merge_release(struct plan_merge *merge);

#endif
