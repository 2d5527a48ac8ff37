/* SPDX-License-Identifier: MIT */
/*
 * Random hyperslab requests with arrays of their own, and the list of elements
 * that a valid one takes.
 */
#ifndef UNIT_SLAB_H
#define UNIT_SLAB_H

#include "hyperslab/hyperslab.h"

#define SLAB_RANK_MAX 2000

struct slab_request {
	struct hyperslab_request request; /* points to what follows */
	uint64_t shape[SLAB_RANK_MAX];
	size_t start[SLAB_RANK_MAX];
	size_t count[SLAB_RANK_MAX];
	ptrdiff_t stride[SLAB_RANK_MAX];
	ptrdiff_t imap[SLAB_RANK_MAX];
};

/*
 * A valid request of some form on s->shape, of 'rank' dimensions; its imap is
 * small, but may be zero or negative.
 */
void slab_random(struct slab_request *s, size_t rank, uint64_t *seed);

struct slab_element {
	uint64_t in; /* linear index */
	ptrdiff_t out;
};

/* The elements of a valid request, ascending. */
struct slab_elements {
	struct slab_element *list;
	uint64_t count;
};

/*
 * Counted one index after the other, without the library's arithmetic, in row-major
 * order, which is that of linear indices.
 */
void slab_list_make(struct slab_elements *elements,
		    const struct slab_request *s);
void slab_list_release(struct slab_elements *elements);

#endif
