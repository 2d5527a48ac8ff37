/* SPDX-License-Identifier: MIT */
/*
 * Hyperslab requests out of any bytes, and by counting what they take: one
 * index after the other, without the library's arithmetic.
 *
 *	form 1, flags 1, rank 1, then for each dimension
 *	length, start, count, stride, imap 1 each
 */
#ifndef FUZZ_SLAB_INPUT_H
#define FUZZ_SLAB_INPUT_H

#include "fuzz.h"
#include "hyperslab/hyperslab.h"

#define SLAB_RANK_MAX 6
/* Elements of a variable. */
#define SLAB_NELEMS_MAX 1024
/* No element goes to a place farther from 0. */
#define SLAB_OUT_MAX 8192

struct slab_input {
	struct hyperslab_request request; /* points to what follows */
	uint64_t shape[SLAB_RANK_MAX];
	size_t start[SLAB_RANK_MAX];
	size_t count[SLAB_RANK_MAX];
	ptrdiff_t stride[SLAB_RANK_MAX];
	ptrdiff_t imap[SLAB_RANK_MAX];

	/* Whether there is nothing wrong with it; then also: */
	bool is_valid;
	uint64_t nelems;
	struct slab_input_element {
		uint64_t in; /* ascending */
		ptrdiff_t out;
	} elements[SLAB_NELEMS_MAX];
};

void slab_input_take(struct slab_input *s, struct fuzz_bytes *in);

/*
 * For each place from -SLAB_OUT_MAX to SLAB_OUT_MAX, 1 more than the linear
 * index of the last element that goes there; 0 if none does.
 */
struct slab_array {
	uint32_t places[2 * SLAB_OUT_MAX + 1];
};

/* Puts an element there. */
void slab_array_put(struct slab_array *array, ptrdiff_t out, uint64_t in);

/* Compares with what the elements of the input make. */
void slab_array_check(const struct slab_array *array,
		      const struct slab_input *s);

#endif
