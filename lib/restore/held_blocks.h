/* SPDX-License-Identifier: MIT */
/*
 * Decoded blocks that wait for their turn.  An archive has blocks in the order
 * in which they were full, a restore needs them in the order in which they
 * begin; the format bounds how far these two are apart.
 */
#ifndef NC3Z_RESTORE_HELD_BLOCKS_H
#define NC3Z_RESTORE_HELD_BLOCKS_H

#include "base/memory.h"
#include "base/status.h"

struct held_block {
	struct held_block *next; /* of the same stream */
	uint32_t block;
	uint32_t nbytes;
	uint32_t used_nbytes;
	uint8_t raw[];
};

/* First in, first out, for each stream. */
struct held_queue {
	struct held_block *first;
	struct held_block *last;
	struct held_block *found; /* last; where the next search begins */
};

struct held_blocks {
	struct held_queue *queues;
	uint32_t nstreams;
	uint64_t nbytes;
	uint64_t max_nbytes;
};

int held_blocks_init(struct held_blocks *held, uint32_t nstreams,
		     uint64_t max_nbytes, struct nc3z_error *err);
void held_blocks_release(struct held_blocks *held);

/* A block whose bytes are to be filled in; NULL if out of memory. */
struct held_block *held_block_new(uint32_t block, uint32_t nbytes);

/*
 * Holds a block, whose memory is then that of 'held', also after a failure.
 * NC3Z_EDAMAGED if more than 'max_nbytes' would be held: then the archive is
 * out of order.
 */
int held_blocks_push(struct held_blocks *held, uint32_t stream,
		     struct held_block *block, struct nc3z_error *err);

/* Takes the first block of a stream out, to be freed; NULL if there is none. */
struct held_block *held_blocks_pop(struct held_blocks *held, uint32_t stream);

/*
 * A block that is held, NULL if it is not.  Cheap for the one that was found
 * last, the next one, and the first.
 */
struct held_block *held_blocks_find(struct held_blocks *held, uint32_t stream,
				    uint64_t block);

/*
 * Notes that bytes of a block were used; once all of them were, and those of
 * the blocks before it in its stream, it is freed.
 */
void held_blocks_use(struct held_blocks *held, uint32_t stream,
		     struct held_block *block, uint32_t nbytes);

#endif
