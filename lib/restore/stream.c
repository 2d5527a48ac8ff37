/* SPDX-License-Identifier: MIT */
/*
 * Restoring in one pass over the archive, from the first byte of the original
 * to the last, so that it works from a pipe to a pipe.
 *
 * At each offset of the original the plan says which block is needed.  Records
 * are read and their blocks held until that block is there; then its bytes are
 * copied as far as they go.  The size of the original is known only at the end
 * of the archive, and not needed before: a block that is shorter than in an
 * original without end says by its length which bytes it has, and where one
 * would have the next byte and does not, the original ends.  So no more is held
 * than the plan bounds.
 */
#include <string.h>

#include "base/sizes.h"
#include "restore/options.h"
#include "restore/restorer.h"

static uint64_t position(const struct restorer *r)
{
	return r->hashed + r->pending_nbytes;
}

static int wrong_length(const struct restorer *r, uint32_t stream,
			uint64_t block)
{
	error_set(r->err, NC3Z_EDAMAGED, "wrong length or order");
	return error_add_block(r->err, NC3Z_EDAMAGED, stream, (uint32_t)block);
}

/* Takes one more block, or the end. */
static int read_more(struct restorer *r)
{
	struct held_block *block;
	uint32_t stream;

	NC3Z_TRY(block_reader_next(&r->blocks, &stream, &block, r->err));
	return block ? held_blocks_push(&r->held, stream, block, r->err) :
		       restorer_read_end(r);
}

/* The block that has the next byte is cut off before it: all has been read. */
static int expect_end(struct restorer *r, uint32_t stream, uint64_t block)
{
	if (!r->at_end)
		NC3Z_TRY(read_more(r));
	return r->at_end && position(r) >= r->map->original_nbytes ?
		       NC3Z_OK :
		       wrong_length(r, stream, block);
}

static int write_pending(struct restorer *r)
{
	size_t nbytes = r->pending_nbytes;

	r->pending_nbytes = 0;
	return restorer_emit(r, nbytes);
}

/* Copies what the block at this offset has of a run. */
static int copy_piece(struct restorer *r, uint32_t stream,
		      const struct plan_piece *piece, struct held_block *held)
{
	uint64_t n = size_min(piece->nbytes,
			      HASHER_BUFFER_NBYTES - r->pending_nbytes);

	memcpy(r->pending + r->pending_nbytes, held->raw + piece->at,
	       (size_t)n);
	r->pending_nbytes += (size_t)n;
	held_blocks_use(&r->held, stream, held, (uint32_t)n);
	return r->pending_nbytes == HASHER_BUFFER_NBYTES ? write_pending(r) :
							   NC3Z_OK;
}

/* One step forward in the original or in the archive. */
static int step_restorer(struct restorer *r)
{
	struct plan_block block;
	struct plan_run run = plan_walk_run(&r->walk, position(r), &block);
	struct held_block *held =
		held_blocks_find(&r->held, run.stream, block.block);
	struct plan_piece piece;

	if (!held)
		return r->at_end ? wrong_length(r, run.stream, block.block) :
				   read_more(r);
	piece = plan_piece_of_block(&r->endless, position(r), &run, &block,
				    held->nbytes);
	if (piece.nbytes == 0)
		return expect_end(r, run.stream, block.block);
	return copy_piece(r, run.stream, &piece, held);
}

int restore_stream(struct restorer *r)
{
	NC3Z_TRY(restorer_begin_blocks(r));
	while (!r->at_end || position(r) < r->map->original_nbytes)
		NC3Z_TRY(step_restorer(r));
	NC3Z_TRY(write_pending(r));
	/* All blocks were used whole: they have the lengths that they must. */
	if (r->held.nbytes > 0)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "blocks hold more than the original");
	return restorer_check_end(r);
}
