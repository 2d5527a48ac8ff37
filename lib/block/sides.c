/* SPDX-License-Identifier: MIT */
/* Parts beside the main one, which are encoded while a block is prepared. */
#include "block/internal.h"

/* Parts beside the main one up to this are tried whole, others in samples. */
#define SIDE_WHOLE_NBYTES_MAX 8192
#define SIDE_SAMPLE_NBYTES 4096

/* Of a long part, the way that makes least of a sample from its middle. */
static int choose_candidate(struct block_splitting *w,
			    const struct block_part *like,
			    const struct block_side *candidates,
			    unsigned ncandidates, unsigned *best_ret)
{
	const uint32_t middle = like->nbytes / 2 / like->width * like->width;
	struct buffer *coded = &w->coder->coded;
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < ncandidates; i++) {
		struct block_part sample = *like;

		sample.nbytes = SIDE_SAMPLE_NBYTES;
		sample.chain = candidates[i].chain;
		coded->nbytes = 0;
		NC3Z_TRY(block_encode_part(w->coder, w->recipe,
					   candidates[i].raw + middle, &sample,
					   coded, w->err));
		if (sample.stored_nbytes >= least)
			continue;
		least = sample.stored_nbytes;
		*best_ret = i;
	}
	return NC3Z_OK;
}

int block_add_side(struct block_splitting *w, const struct block_part *like,
		   const struct block_side *candidates, unsigned ncandidates,
		   unsigned *best_ret)
{
	struct block_description *d = &w->p->description;
	struct block_part *part = &d->parts[d->nparts++];
	struct buffer *coded = &w->coder->coded;
	unsigned first = 0, end = ncandidates;

	if (ncandidates > 1 && like->nbytes > SIDE_WHOLE_NBYTES_MAX) {
		NC3Z_TRY(choose_candidate(w, like, candidates, ncandidates,
					  &first));
		end = first + 1;
	}
	for (unsigned i = first; i < end; i++) {
		struct block_part tried = *like;

		tried.chain = candidates[i].chain;
		coded->nbytes = 0;
		NC3Z_TRY(block_encode_part(w->coder, w->recipe,
					   candidates[i].raw, &tried, coded,
					   w->err));
		if (i > first && tried.stored_nbytes >= part->stored_nbytes)
			continue;
		if (i > first)
			w->p->sides.nbytes -= part->stored_nbytes;
		*part = tried;
		*best_ret = i;
		if (!buffer_append(&w->p->sides, coded->data, coded->nbytes))
			return error_set_memory(w->err);
	}
	return NC3Z_OK;
}
