/* SPDX-License-Identifier: MIT */
/* Predictors that are fitted to the elements of the tiles that have them. */
#ifndef NC3Z_CONTEXT_PREDICTORS_FIT_H
#define NC3Z_CONTEXT_PREDICTORS_FIT_H

#include "context/grid.h"
#include "context/model.h"

/* Of the predictors for planes, those that do not look at the one before. */
#define CONTEXT_FLAT_WITH_PLANES 6

/*
 * Fits all predictors of the model to its tiles.  'misses' is about what each
 * tile misses, in logarithms of cost.h for each element.  False if out of
 * memory.
 */
bool context_predictors_fit(const struct context_grid *grid,
			    const uint8_t *holes, const uint32_t *misses,
			    struct context_model *model);

#endif
