/* SPDX-License-Identifier: MIT */
/* Which predictors a block has, and which of them each tile. */
#ifndef NC3Z_CONTEXT_PREDICTORS_H
#define NC3Z_CONTEXT_PREDICTORS_H

#include "base/memory.h"
#include "context/cost.h"
#include "context/grid.h"
#include "context/model.h"
#include "context/rows.h"

struct context_choice {
	const struct context_logs *logs;
	const struct context_grid *grid; /* with all values */
	const uint8_t *holes;            /* or NULL */
	struct context_row row;          /* working memory */
};

/*
 * Sets predictors and tiles of the model; these are in 'tiles' and 'costs' is
 * working memory.  False if out of memory.
 */
bool context_predictors_choose(const struct context_choice *choice,
			       struct buffer *tiles, struct buffer *costs,
			       struct context_model *model);

#endif
