/* SPDX-License-Identifier: MIT */
/*
 * The original of an open archive as a source that is read in order: stripes
 * are put together when their first byte is wanted, by several threads, and go
 * when all of them have been read.
 */
#ifndef NC3Z_RESTORE_STRIPE_READER_H
#define NC3Z_RESTORE_STRIPE_READER_H

#include "io/source.h"
#include "restore/stripe_plan.h"

struct stripe_block {
	uint32_t stream;
	struct plan_block block;
	unsigned worker; /* less than the number of threads */
};

/*
 * Decodes a block into 'raw', its length that of the plan, or if chunks are
 * whole that of a chunk.  In any worker.
 */
typedef int stripe_fetch_fn(void *context, const struct stripe_block *block,
			    uint8_t *raw, struct nc3z_error *err);

/* The next bytes of all streams that are not in blocks. */
typedef int stripe_take_fn(void *context, uint8_t *data, size_t nbytes,
			   struct nc3z_error *err);

/* All of it outlives the reader. */
struct stripe_input {
	const struct stripe_plan *plan;
	stripe_fetch_fn *fetch;
	bool chunks_are_whole; /* also at the edges of variables */
	/*
	 * For streams from 'first_taken' on, which are kept in the order of the
	 * original; NULL: all are in blocks.
	 */
	stripe_take_fn *take;
	uint32_t first_taken;
	void *context;
	unsigned nthreads; /* at least 1 */
	/* Whose changes are those of the reader; may be NULL. */
	struct nc3z_source *archive;
};

/*
 * '*source_ret' has the size of the original and cannot seek; it is used by one
 * thread.  Reading returns what 'fetch' returns, or NC3Z_ENOMEM.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM, NC3Z_EIO (threads cannot be had).
 */
int stripe_reader_open(const struct stripe_input *input,
		       struct nc3z_source **source_ret, struct nc3z_error *err);

#endif
