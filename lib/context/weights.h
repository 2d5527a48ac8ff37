/* SPDX-License-Identifier: MIT */
/* How much each neighbour says of what will be missed. */
#ifndef NC3Z_CONTEXT_WEIGHTS_H
#define NC3Z_CONTEXT_WEIGHTS_H

#include "context/grid.h"
#include "context/model.h"

/* The usual weights. */
void context_weights_init(struct context_model *model);

/* Weights by what the model misses of the grid's elements with others. */
void context_weights_fit(const struct context_grid *grid, const uint8_t *holes,
			 struct context_model *model);

#endif
