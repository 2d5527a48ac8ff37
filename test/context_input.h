/* SPDX-License-Identifier: MIT */
/*
 * Blocks in context coding as test/independent/context_blocks.py makes them, and
 * as they are fuzzed: the model is not compressed, so that changes reach it.
 *
 *	flags 1, elements 2 less 1, length of the model 2, holes, model, lanes
 *
 * Flags: 2 bits for the width; HOLES: a byte for each element.
 */
#ifndef TEST_CONTEXT_INPUT_H
#define TEST_CONTEXT_INPUT_H

#include "filter/filter.h"
#include "unit/blob.h"

#define CONTEXT_INPUT_NELEMS_MAX 8192

struct context_input {
	struct filter_elems shape;
	struct blob holes, model, lanes;
};

/* False if it is too short, or if all elements are holes. */
bool context_input_open(struct context_input *in, const uint8_t *data,
			size_t nbytes);
void context_input_close(struct context_input *in);

/* The stored bytes, with a frame that is made of the model. */
struct blob context_input_store(const struct context_input *in);

/* What is in a model by hand. */
struct context_wish {
	size_t n;
	uint32_t row; /* 16 to n */
	uint32_t plane_rows;
	uint8_t npredictors, ntables, nlevels;
};

/*
 * Appends a model whose predictions are 0, and whose tables have one symbol
 * each: lanes without a bit decode to the base, 7, everywhere.
 */
void context_model_make(const struct context_wish *wish, struct blob *model);
#define CONTEXT_MODEL_BASE 7

/* Appends four lanes without a bit. */
void context_lanes_make(struct blob *lanes);

#endif
