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
	size_t nkept;                    /* no holes */
	size_t limit;                    /* bytes that may be taken */
	struct context_row row;          /* working memory */
};

/*
 * Sets predictors and tiles of the model; these are in 'tiles', and 'costs' is
 * working memory.  '*pays_ret' says whether the elements are likely to take no
 * more than the limit.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int context_predictors_choose(const struct context_choice *choice,
			      struct buffer *tiles, struct buffer *costs,
			      struct context_model *model, bool *pays_ret,
			      struct nc3z_error *err);

#endif
