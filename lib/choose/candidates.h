/* SPDX-License-Identifier: MIT */
/* The chains of filters that may suit a part. */
#ifndef NC3Z_CHOOSE_CANDIDATES_H
#define NC3Z_CHOOSE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/filter.h"

#define CANDIDATES_MAX 40

/* The bytes to be filtered. */
struct candidates_input {
	uint8_t width;
	bool is_float; /* and not made integers of */
	size_t nelems;
	uint32_t row_nelems;   /* 0: no rows */
	uint32_t plane_nelems; /* 0: no planes */
};

struct recipe_candidate {
	struct filter_chain chain;
	uint64_t cost; /* of the block with it, about: see cost.h */
};

struct recipe_candidates {
	unsigned count;
	struct recipe_candidate list[CANDIDATES_MAX];
};

/*
 * All of these add nothing that is there.
 *
 * Adds no prediction with all layouts.
 */
void candidates_add_plain(const struct candidates_input *in,
			  struct recipe_candidates *c);

/*
 * Adds all predictions, each with the layout that suits most, and no
 * prediction with all layouts.  With 'few', only what is likely to be best.
 */
void candidates_add_predictions(const struct candidates_input *in, bool few,
				struct recipe_candidates *c);

/* Adds predictions that are computed with floating-point numbers. */
void candidates_add_extrapolations(const struct candidates_input *in,
				   struct recipe_candidates *c);

/* Adds the other layouts of a prediction. */
void candidates_add_layouts(const struct candidates_input *in,
			    const struct filter_chain *prediction,
			    struct recipe_candidates *c);

/* Text: as it is. */
void candidates_add_text(struct recipe_candidates *c);

#endif
