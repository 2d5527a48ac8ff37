/* SPDX-License-Identifier: MIT */
/*
 * One filter, as a row of the table in filter.c.  A filter is a step, which
 * changes elements at their places, or a layout, which makes bytes of them.
 * A new one is a file with such a row, its number in nc3z.h and its line in
 * FILTERS.
 */
#ifndef NC3Z_FILTER_FILTER_OPS_H
#define NC3Z_FILTER_FILTER_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/kernels.h"

struct filter_elems;
struct filter_step;

/* Elements on their way through the steps of a chain. */
struct filter_run {
	const struct filter_elems *elems;
	const struct filter_kernels *kernels; /* for their width */
	uint32_t stride;                      /* of this step */
	/* The deltas that the first step takes. */
	const struct filter_step *taken;
	unsigned ntaken;
	unsigned nmoves; /* steps before this one that move elements */
	uint8_t *at;     /* the elements */
	uint8_t *other;  /* room for as many: where a step moves them */
};

/* Elements that a layout makes bytes of, or the other way round. */
struct filter_laying {
	const struct filter_kernels *kernels;
	uint8_t width;
	size_t n;
};

struct filter_ops {
	const char *name;
	/*
	 * Instructions that undo it for a value of 4 bytes with AVX2, as
	 * "./dev bench steps" counts them; the same for all machines.
	 */
	uint8_t cost;
	bool has_stride;
	bool is_layout;
	bool is_of_floats; /* and may only stand first in a chain */
	/* Does the deltas after it at the same time, of wide elements. */
	bool takes_deltas;
	/* More where each element waits for the one before. */
	uint8_t waiting_cost;

	/* Of a step: */
	bool moves; /* apply() leaves its result in run->other */
	void (*apply)(const struct filter_run *run);
	void (*invert)(const struct filter_run *run); /* in place */

	/*
	 * Of a layout: elements, in 'scratch' if it reads from there and else
	 * in 'out', become the bytes of 'out'; and back.
	 */
	bool reads_scratch;
	void (*lay_out)(const struct filter_laying *laying, uint8_t *out,
			uint8_t *scratch);
	void (*gather)(const struct filter_laying *laying, const uint8_t *bytes,
		       uint8_t *elems, uint8_t *scratch);
	/* As filter_plane_nbytes(); NULL: there are no planes. */
	size_t (*plane_nbytes)(const struct filter_laying *laying,
			       size_t nbytes);
};

/* All of them: the number, and the row. */
#define FILTERS(FILTER) \
	FILTER(NC3Z_FILTER_ORDER, filter_order) \
	FILTER(NC3Z_FILTER_DELTA, filter_delta) \
	FILTER(NC3Z_FILTER_ZIGZAG, filter_zigzag) \
	FILTER(NC3Z_FILTER_SHUFFLE, filter_shuffle) \
	FILTER(NC3Z_FILTER_BITSHUFFLE, filter_bitshuffle) \
	FILTER(NC3Z_FILTER_EXTRAPOLATE, filter_extrapolate)

#define FILTER_DECLARED(number, row) extern const struct filter_ops row;
FILTERS(FILTER_DECLARED)

#endif
