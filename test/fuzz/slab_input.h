/* SPDX-License-Identifier: MIT */
/*
 * Hyperslab requests out of any bytes, and what they take.
 *
 *	form 1, flags 1, rank 1, then for each dimension
 *	length, start, count, stride, imap 1 each
 */
#ifndef FUZZ_SLAB_INPUT_H
#define FUZZ_SLAB_INPUT_H

#include "fuzz.h"
#include "hyperslab/hyperslab.h"
#include "promises/slab_elements.h"

#define SLAB_RANK_MAX 6
/* Elements of a variable. */
#define SLAB_NELEMS_MAX 1024

struct slab_input {
	struct hyperslab_request request; /* points to what follows */
	uint64_t shape[SLAB_RANK_MAX];
	size_t start[SLAB_RANK_MAX];
	size_t count[SLAB_RANK_MAX];
	ptrdiff_t stride[SLAB_RANK_MAX];
	ptrdiff_t imap[SLAB_RANK_MAX];

	/* Whether there is nothing wrong with it; then also: */
	bool is_valid;
	struct slab_elements elements; /* in what follows */
	struct slab_element list[SLAB_NELEMS_MAX];
};

void slab_input_take(struct slab_input *s, struct fuzz_bytes *in);

#endif
