/* SPDX-License-Identifier: MIT */
#include "write/refill.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

#define BUFFER_NBYTES ((size_t)1 << 20)

/* Gaps up to this length are read along rather than reading twice. */
#define GAP_NBYTES ((size_t)32 << 10)

int refill_add(struct refill *refill, const struct plan_block_runs *runs,
	       uint8_t *raw, uint32_t nbytes, struct nc3z_error *err)
{
	return plan_merge_add(&refill->merge, runs, nbytes, raw) ?
		       NC3Z_OK :
		       error_set_memory(err);
}

/* Reads the buffer and gives its runs to their blocks. */
static int read_window(struct refill *refill, struct nc3z_error *err)
{
	if (refill->nbytes > 0)
		NC3Z_TRY(refill->read(refill->context, refill->begin,
				      refill->buffer, refill->nbytes, err));
	for (size_t i = 0; i < refill->nruns; i++) {
		const struct refill_run *p = &refill->runs[i];

		memcpy(p->to, refill->buffer + p->from, p->nbytes);
	}
	refill->nruns = 0;
	refill->nbytes = 0;
	return NC3Z_OK;
}

/* Adds to the buffer what it takes of a run that begins at 'offset'. */
static int add_run(struct refill *refill, uint64_t offset, uint8_t *to,
		   size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	uint64_t end = refill->begin + refill->nbytes;

	if (refill->nruns == REFILL_NPIECES || offset > end + GAP_NBYTES ||
	    offset - refill->begin >= BUFFER_NBYTES)
		NC3Z_TRY(read_window(refill, err));
	if (refill->nruns == 0)
		refill->begin = offset;
	offset -= refill->begin;
	nbytes = (size_t)size_min(nbytes, BUFFER_NBYTES - offset);
	refill->runs[refill->nruns++] = (struct refill_run){
		.to = to,
		.from = (size_t)offset,
		.nbytes = nbytes,
	};
	/* In a panel of several members runs also go back. */
	refill->nbytes = (size_t)size_max(refill->nbytes, offset + nbytes);
	*nbytes_ret = nbytes;
	return NC3Z_OK;
}

int refill_run(struct refill *refill, struct nc3z_error *err)
{
	struct plan_block_run run;
	void *raw;

	if (!refill->buffer)
		refill->buffer = malloc(BUFFER_NBYTES);
	if (!refill->buffer)
		return error_set_memory(err);
	while (plan_merge_next(&refill->merge, &run, &raw))
		for (size_t done = 0, n; done < run.nbytes; done += n)
			NC3Z_TRY(add_run(refill, run.offset + done,
					 (uint8_t *)raw + run.block_offset +
						 done,
					 run.nbytes - done, &n, err));
	return read_window(refill, err);
}

void refill_release(struct refill *refill)
{
	plan_merge_release(&refill->merge);
	free(refill->buffer);
	*refill = (struct refill){ 0 };
}
