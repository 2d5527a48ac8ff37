/*
 * Restoring in one pass over the archive, from the first byte of the original
 * to the last, so that it works from a pipe to a pipe.
 *
 * At each offset of the original the plan says which block is needed.  Records
 * are read and their blocks held until that block is there; then its bytes are
 * copied as far as they go.  The size of the original is known only at the end
 * of the archive.  It matters where blocks are short: when the first of these
 * turns up, or the blocks have ended, the rest of the archive is read before
 * going on.
 */
#include <string.h>

#include "base/sizes.h"
#include "restore/restore.h"
#include "restore/restorer.h"

/* Takes one more block, or the end. */
static int read_more(struct restorer *r)
{
	struct held_block *block;
	uint32_t stream;

	NC3Z_TRY(block_reader_next(&r->blocks, &stream, &block, r->err));
	return block ? held_blocks_push(&r->held, stream, block, r->err) :
		       restorer_read_end(r);
}

static uint64_t position(const struct restorer *r)
{
	return r->hashed + r->pending_nbytes;
}

static int write_pending(struct restorer *r)
{
	size_t nbytes = r->pending_nbytes;

	r->pending_nbytes = 0;
	return restorer_emit(r, nbytes);
}

/* Copies what the block at this offset has; 'held' is that block. */
static int copy_run(struct restorer *r, const struct plan_run *run,
		    const struct plan_block *block, struct held_block *held)
{
	uint64_t at = run->stream_offset - block->stream_offset;
	uint64_t n =
		size_min(run->nbytes, HASHER_BUFFER_NBYTES - r->pending_nbytes);

	memcpy(r->pending + r->pending_nbytes, held->raw + at, (size_t)n);
	r->pending_nbytes += (size_t)n;
	held_blocks_use(&r->held, run->stream, held, (uint32_t)n);
	return r->pending_nbytes == HASHER_BUFFER_NBYTES ? write_pending(r) :
							   NC3Z_OK;
}

/* One step forward in the original or in the archive. */
static int step(struct restorer *r)
{
	struct plan_block block;
	struct plan_run run = plan_run_in_block(r->map, position(r), &block);
	struct held_block *held =
		held_blocks_find(&r->held, run.stream, block.block);

	if (held && held->nbytes == block.nbytes)
		return copy_run(r, &run, &block, held);
	if (!r->at_end)
		return read_more(r);
	error_set(r->err, NC3Z_EDAMAGED, "wrong length or order");
	return error_add_block(r->err, NC3Z_EDAMAGED, run.stream,
			       (uint32_t)block.block);
}

int restore_stream(struct restorer *r)
{
	NC3Z_TRY(restorer_begin_blocks(r));
	while (!r->at_end || position(r) < r->map->original_nbytes)
		NC3Z_TRY(step(r));
	NC3Z_TRY(write_pending(r));
	return restorer_check_end(r);
}
