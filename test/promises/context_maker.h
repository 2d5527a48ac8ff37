/* SPDX-License-Identifier: MIT */
/*
 * Blocks in context coding that no encoder would choose: models at random
 * within the rules of the format, and lanes of random symbols for them.
 */
#ifndef PROMISES_CONTEXT_MAKER_H
#define PROMISES_CONTEXT_MAKER_H

#include "context_definition.h"
#include "unit/blob.h"

struct context_wish {
	struct filter_elems shape;
	uint32_t row; /* 16 to n */
	uint32_t plane_rows;
	uint8_t npredictors;
	uint8_t ntables;
	uint8_t nlevels;
	/* Coefficients at their limits, and large differences. */
	bool is_wild;
};

/* A number of the sequence that check.h and fuzz.h have. */
typedef uint64_t context_random(uint64_t *state);

/* Appends the bytes of a model. */
void context_make_model(const struct context_wish *wish, context_random *random,
			uint64_t *seed, struct blob *model);

/*
 * Appends lanes for a model, and sets all elements.  Returns what is wrong with
 * the model, or NULL.
 */
const char *context_make_lanes(const struct blob *model,
			       const struct filter_elems *shape,
			       context_random *random, uint64_t *seed,
			       struct blob *lanes, uint64_t *elems);

/* Appends a model's frame and its length, then lanes. */
void context_make_stored(const uint8_t *model, size_t model_nbytes,
			 const uint8_t *lanes, size_t lanes_nbytes,
			 struct blob *stored);

#endif
