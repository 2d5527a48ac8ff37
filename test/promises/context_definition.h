/* SPDX-License-Identifier: MIT */
/*
 * Context coding by section 7.5 of the specification: one element after the
 * other in ascending order, each from its neighbours, without rows that are
 * prepared and without lanes side by side.  The oracle of lib/context.
 */
#ifndef PROMISES_CONTEXT_DEFINITION_H
#define PROMISES_CONTEXT_DEFINITION_H

#include <stdbool.h>

#include "filter/filter.h"

/* What gives the differences. */
struct context_source {
	/* That of the next element of a lane, by 63 frequencies. */
	int32_t (*next)(struct context_source *source, unsigned lane,
			const uint16_t *frequencies);
	const char *wrong; /* what is not as it must be, or NULL */
};

/*
 * The elements of a shape by the bytes of a model, holes included, with what a
 * source gives.  Returns what is wrong, or NULL.
 */
const char *context_define(const uint8_t *model, size_t model_nbytes,
			   const struct filter_elems *shape,
			   struct context_source *source, uint64_t *elems);

/* The same by a model and lanes, as stored but for the frame of the model. */
const char *context_define_lanes(const uint8_t *model, size_t model_nbytes,
				 const uint8_t *lanes, size_t lanes_nbytes,
				 const struct filter_elems *shape,
				 uint64_t *elems);

/* The same by the stored bytes. */
const char *context_define_stored(const uint8_t *stored, size_t stored_nbytes,
				  const struct filter_elems *shape,
				  uint64_t *elems);

/*
 * The magnitude that a symbol begins with; the number of its raw bits, and
 * whether it is negative.
 */
uint32_t context_define_symbol(unsigned k, unsigned *nbits_ret,
			       bool *is_negative_ret);

#endif
