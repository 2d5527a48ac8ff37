/* SPDX-License-Identifier: MIT */
/*
 * Blocks filled with bytes of the original that are read again: the runs of
 * several blocks in the order of the original, those near each other at once.
 */
#ifndef NC3Z_WRITE_REFILL_H
#define NC3Z_WRITE_REFILL_H

#include "plan/block_runs.h"

/* Reads exactly so many bytes of the original, which has them. */
typedef int refill_read_fn(void *context, uint64_t offset, uint8_t *data,
			   size_t nbytes, struct nc3z_error *err);

/* Runs that are read at once. */
#define REFILL_NPIECES 256

struct refill {
	refill_read_fn *read;
	void *context;
	struct plan_merge merge;
	uint8_t *buffer; /* of the original */
	uint64_t begin;
	size_t nbytes;
	size_t nruns;
	struct refill_run {
		uint8_t *to;
		size_t from; /* in the buffer */
		size_t nbytes;
	} runs[REFILL_NPIECES];
};

/* Adds the first 'nbytes' bytes of a block, at least one; NC3Z_ENOMEM. */
int refill_add(struct refill *refill, const struct plan_block_runs *runs,
	       uint8_t *raw, uint32_t nbytes, struct nc3z_error *err);

/* Fills all that were added.  NC3Z_ENOMEM, and what reading returns. */
int refill_run(struct refill *refill, struct nc3z_error *err);

void refill_release(struct refill *refill);

#endif
