/* SPDX-License-Identifier: MIT */
#include "choose/cost.h"

/* About as small: larger by no more than 1 / ALIKE. */
#define ALIKE 200

/* Instructions for each value, without those of the codec. */
static unsigned cost_of(const struct block_recipe *recipe)
{
	/* As filter_cost() has those of filters. */
	static const struct {
		uint8_t transform, cost;
	} splits[] = {
		{ BLOCK_TRANSFORM_DROP, 5 },
		{ BLOCK_TRANSFORM_DECIMAL, 2 },
		{ BLOCK_TRANSFORM_PALETTE, 5 },
		{ BLOCK_TRANSFORM_REPEAT, 34 },
	};
	unsigned cost = 0;

	for (size_t i = 0; i < sizeof(splits) / sizeof(*splits); i++)
		if (recipe->transforms & splits[i].transform)
			cost += splits[i].cost;
	for (uint8_t i = 0; i < recipe->chain.nsteps; i++)
		cost += filter_cost(recipe->chain.steps[i].id);
	return cost;
}

void cost_prefer_fast(struct block_recipe *list, unsigned count,
		      const size_t *nbytes)
{
	struct block_recipe first = list[0];
	unsigned best = 0;

	for (unsigned i = 1;
	     i < count && nbytes[i] <= nbytes[0] + nbytes[0] / ALIKE; i++)
		if (cost_of(&list[i]) < cost_of(&list[best]))
			best = i;
	list[0] = list[best];
	list[best] = first;
}
