/* SPDX-License-Identifier: MIT */
/*
 * A rehearsal: chunks begin and end as they would if the bytes came, and
 * nothing else is looked at.
 */
#include <stdlib.h>

#include "base/sizes.h"
#include "write/sorter.h"
#include "write/sorter_inside.h"

/* Which chunk of a stream begins or ends next, and with which byte. */
struct chunk_steps {
	uint64_t nbegun;
	uint64_t nended;
	uint64_t begin_offset;
	uint64_t end_offset;
};

static uint64_t begin_of(const struct sorter *sorter, uint32_t stream,
			 uint64_t block)
{
	return block < sorter->map.extents[stream].nblocks ?
		       plan_block_offset(&sorter->map, stream, block) :
		       UINT64_MAX;
}

static uint64_t end_of(const struct sorter *sorter, uint32_t stream,
		       uint64_t block)
{
	return block < sorter->map.extents[stream].nblocks ?
		       plan_chunk_last_offset(&sorter->map, stream, block) :
		       UINT64_MAX;
}

static void first_steps(const struct sorter *sorter, struct chunk_steps *steps)
{
	for (uint32_t i = 0; i < sorter->plan->nstreams; i++) {
		bool is_chunked = sorter->plan->streams[i].grid;

		steps[i].begin_offset = is_chunked ? begin_of(sorter, i, 0) :
						     UINT64_MAX;
		steps[i].end_offset = is_chunked ? end_of(sorter, i, 0) :
						   UINT64_MAX;
	}
}

/* The stream in which something happens next, and where in the original. */
static uint32_t next_stream(const struct sorter *sorter,
			    const struct chunk_steps *steps,
			    uint64_t *offset_ret)
{
	uint32_t found = 0;

	*offset_ret = UINT64_MAX;
	for (uint32_t i = 0; i < sorter->plan->nstreams; i++) {
		uint64_t offset =
			size_min(steps[i].begin_offset, steps[i].end_offset);

		if (offset < *offset_ret) {
			*offset_ret = offset;
			found = i;
		}
	}
	return found;
}

/* A chunk of one byte begins before it ends. */
static int take_step(struct sorter *sorter, uint32_t stream,
		     struct chunk_steps *steps, struct nc3z_error *err)
{
	struct plan_block block;

	if (steps->begin_offset > steps->end_offset) {
		NC3Z_TRY(sorter_hand_on(
			sorter, stream,
			sorter_place(sorter, stream, steps->nended), err));
		steps->end_offset = end_of(sorter, stream, ++steps->nended);
		return NC3Z_OK;
	}
	block = plan_block_numbered(&sorter->map, stream, steps->nbegun);
	NC3Z_TRY(sorter_open(sorter, stream,
			     sorter_place(sorter, stream, block.block), &block,
			     err));
	steps->begin_offset = begin_of(sorter, stream, ++steps->nbegun);
	return NC3Z_OK;
}

int sorter_rehearse(struct sorter *sorter, uint64_t size,
		    struct nc3z_error *err)
{
	struct chunk_steps *steps =
		memory_alloc(sorter->plan->nstreams, sizeof(*steps));
	int status = NC3Z_OK;
	uint64_t offset;
	uint32_t i;

	if (!steps)
		return error_set_memory(err);
	first_steps(sorter, steps);
	while (status == NC3Z_OK) {
		i = next_stream(sorter, steps, &offset);
		if (offset >= size)
			break;
		status = take_step(sorter, i, &steps[i], err);
	}
	free(steps);
	for (i = 0; i < sorter->plan->nstreams && status == NC3Z_OK; i++)
		status = sorter_end_stream(sorter, i, err);
	return status;
}
