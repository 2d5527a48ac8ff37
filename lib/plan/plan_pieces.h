/*
 * From blocks back to the original: the way that plan_map.h does not go.
 *
 * A *piece* is bytes that follow each other in a block and in the original.
 * The pieces of a block ascend in both; only in a panel of several members
 * they ascend in each of these.  Those of several blocks can be merged in the
 * order of the original, which is how tiles are put together to rows, and rows
 * to larger ones.
 */
#ifndef NC3Z_PLAN_PLAN_PIECES_H
#define NC3Z_PLAN_PLAN_PIECES_H

#include "plan/plan_tiles.h"

struct plan_piece {
	uint64_t offset; /* in the original */
	uint32_t block_offset;
	uint32_t nbytes;
};

/* Goes through the pieces of a block. */
struct plan_pieces {
	const struct plan_map *map;
	uint32_t stream;
	uint32_t nbytes; /* of the block */
	/* The rest is its own. */
	uint32_t done;
	uint32_t member;
	uint64_t stream_offset; /* of the block; in a linear stream */
	struct plan_tile_rows rows;
};

/* 'block' is a number less than the stream's number of blocks. */
void plan_pieces_begin(const struct plan_map *map, uint32_t stream,
		       uint64_t block, struct plan_pieces *pieces_ret);

/* The next piece; false if there are no more. */
bool plan_pieces_next(struct plan_pieces *pieces, struct plan_piece *piece_ret);

/* Where a block begins in the original. */
uint64_t plan_block_offset(const struct plan_map *map, uint32_t stream,
			   uint64_t block);

/* Pieces of several blocks; zero-initialised there are none. */
struct plan_merge {
	struct plan_merge_place *list; /* a heap, the least offset first */
	size_t count;
	size_t capacity;
};

/* Bytes that the merge itself needs for a block. */
size_t plan_merge_block_nbytes(void);

/*
 * Adds the first 'nbytes' bytes of a block, at least one; 'owner' comes back
 * with its pieces.  False if out of memory.
 */
bool plan_merge_add(struct plan_merge *merge, const struct plan_pieces *pieces,
		    uint32_t nbytes, void *owner);

/* The next piece of all; false if there are no more. */
bool plan_merge_next(struct plan_merge *merge, struct plan_piece *piece_ret,
		     void **owner_ret);

void plan_merge_release(struct plan_merge *merge);

#endif
