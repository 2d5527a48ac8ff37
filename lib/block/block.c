/* SPDX-License-Identifier: MIT */
/* Working memory, for both directions. */
#include <stdlib.h>

#include "block/block.h"

void block_coder_release(struct block_coder *coder)
{
	codec_state_release(&coder->codecs);
	context_coder_release(&coder->context);
	buffer_release(&coder->filtered);
	buffer_release(&coder->scratch);
	buffer_release(&coder->sample);
	buffer_release(&coder->coded);
	for (unsigned i = 0; i < BLOCK_SIDES_MAX; i++)
		buffer_release(&coder->sides[i]);
	buffer_release(&coder->last_mask.mask);
	buffer_release(&coder->last_mask.stored);
	coder->last_mask.nelems = 0;
	buffer_release(&coder->elems);
	buffer_release(&coder->holes);
	buffer_release(&coder->palette);
#ifndef NC3Z_READ_ONLY
	if (coder->prepared)
		block_prepared_release(coder->prepared);
	free(coder->prepared);
	coder->prepared = NULL;
#endif
}

size_t block_coder_nbytes(const struct block_coder *coder)
{
	size_t nbytes = coder->filtered.capacity + coder->scratch.capacity +
			coder->sample.capacity + coder->coded.capacity +
			coder->elems.capacity + coder->holes.capacity +
			coder->palette.capacity +
			coder->last_mask.mask.capacity +
			coder->last_mask.stored.capacity +
			context_coder_nbytes(&coder->context);

	for (unsigned i = 0; i < BLOCK_SIDES_MAX; i++)
		nbytes += coder->sides[i].capacity;
	return nbytes;
}

/* What decoding takes of a byte, the raw one included, with all buffers. */
#define DECODING_TIMES 8
#define DECODING_NBYTES_MAX (UINT64_C(1) << 30)

unsigned block_decoding_threads(unsigned nthreads, uint64_t raw_nbytes)
{
	uint64_t most = DECODING_NBYTES_MAX / DECODING_TIMES /
			(raw_nbytes > 0 ? raw_nbytes : 1);

	return most < 1 ? 1 : most < nthreads ? (unsigned)most : nthreads;
}

void block_stored_release(struct block_stored *stored)
{
	buffer_release(&stored->description);
	buffer_release(&stored->payload);
}
