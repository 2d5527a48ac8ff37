/* SPDX-License-Identifier: MIT */
/* Recipes that were found are tried on the whole block. */
#include <errno.h>

#include "base/sizes.h"
#include "choose/choose.h"
#include "choose/cost.h"

static size_t stored_nbytes(const struct block_stored *stored)
{
	return stored->description.nbytes + stored->payload.nbytes;
}

/* A block that came out as it is needs no time, whatever the recipe. */
static uint64_t cost_of_stored(const struct choose_input *input, unsigned price,
			       const struct block_recipe *recipe,
			       const struct block_stored *stored)
{
	const struct cost_setting setting = {
		.nvalues = input->raw_nbytes / input->hint.width,
		.price = stored->payload.nbytes < input->raw_nbytes ? price : 0,
	};

	return cost_of(&setting, recipe, stored_nbytes(stored));
}

static int check_stop(const struct chooser *chooser, struct nc3z_error *err)
{
	return chooser->stop && __atomic_load_n(chooser->stop,
						__ATOMIC_RELAXED) ?
		       error_set_system(err, ECANCELED, "stopped") :
		       NC3Z_OK;
}

int choose_smallest(struct chooser *chooser, const struct choose_input *input,
		    const struct choose_recipes *recipes,
		    struct choose_result *choice, struct nc3z_error *err)
{
	const struct cost_setting setting = {
		.nvalues = input->raw_nbytes / input->hint.width,
		.price = recipes->price,
	};
	uint64_t least = choice->nbytes == SIZE_MAX ?
				 UINT64_MAX :
				 cost_of_stored(input, recipes->price,
						&choice->recipe,
						choice->stored);

	for (unsigned i = 0; i < recipes->count; i++) {
		struct block_recipe recipe = recipes->list[i];
		struct block_stored best;
		uint64_t time = cost_of(&setting, &recipe, 0), cost;

		if (time >= least)
			continue;
		recipe.too_many_nbytes =
			(size_t)size_min(least - time, SIZE_MAX);
		NC3Z_TRY(check_stop(chooser, err));
		NC3Z_TRY(block_encode(&chooser->coder, &recipe, input->raw,
				      input->raw_nbytes, &chooser->trial, err));
		cost = cost_of_stored(input, recipes->price, &recipe,
				      &chooser->trial);
		if (cost >= least)
			continue;
		best = chooser->trial;
		chooser->trial = *choice->stored;
		*choice->stored = best;
		choice->recipe = recipes->list[i];
		choice->nbytes = stored_nbytes(&best);
		least = cost;
	}
	return NC3Z_OK;
}
