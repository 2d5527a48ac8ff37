/* SPDX-License-Identifier: MIT */
/*
 * What a hyperslab takes, found by counting: one index after the other, without
 * the library's arithmetic; and that a cursor's runs are that.
 */
#ifndef UNIT_SLAB_ELEMENTS_H
#define UNIT_SLAB_ELEMENTS_H

#include "hyperslab/hyperslab.h"

struct slab_element {
	uint64_t in; /* linear index */
	ptrdiff_t out;
};

/* The elements of a valid request, ascending. */
struct slab_elements {
	struct slab_element *list;
	uint64_t count;
};

/* How many there are. */
uint64_t slab_elements_count(const struct hyperslab_request *r);

/* Number 'i' of a dimension, as an index of the variable. */
uint64_t slab_index(const struct hyperslab_request *r, size_t dim, uint64_t i);

/* How many of a dimension the request takes. */
uint64_t slab_count(const struct hyperslab_request *r, size_t dim);

/* Writes as many elements as are counted. */
void slab_elements_list(const struct hyperslab_request *r,
			struct slab_element *list);

/* Whether a run is the elements from number 'at' on. */
bool slab_is_run(const struct slab_elements *elements,
		 const struct hyperslab_run *run, uint64_t at);

/*
 * The runs of a cursor on element 'at' up to the linear index 'in_end' are the
 * elements from there on.  Returns where they end.
 */
uint64_t slab_check_runs(const struct slab_elements *elements,
			 struct hyperslab_cursor *cursor, uint64_t at,
			 uint64_t in_end);

#endif
