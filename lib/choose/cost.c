/* SPDX-License-Identifier: MIT */
#include "choose/cost.h"

/* Of zstd for each stored byte; most of it is the decoding of literals. */
#define CODEC_COST 7

/* Instructions for each value. */
static unsigned cost_of_steps(const struct block_recipe *recipe)
{
	/* As filter_chain_cost() has those of filters. */
	static const struct {
		uint8_t transform, cost;
	} splits[] = {
		{ BLOCK_TRANSFORM_DROP, 5 },
		{ BLOCK_TRANSFORM_DECIMAL, 2 },
		{ BLOCK_TRANSFORM_PALETTE, 5 },
		{ BLOCK_TRANSFORM_REPEAT, 34 },
	};
	unsigned cost = filter_chain_cost(&recipe->chain);

	for (size_t i = 0; i < sizeof(splits) / sizeof(*splits); i++)
		if (recipe->transforms & splits[i].transform)
			cost += splits[i].cost;
	return cost;
}

uint64_t cost_instructions(size_t nvalues, const struct block_recipe *recipe,
			   size_t stored_nbytes)
{
	return (uint64_t)cost_of_steps(recipe) * nvalues +
	       (uint64_t)CODEC_COST * stored_nbytes;
}

uint64_t cost_of(const struct cost_setting *setting,
		 const struct block_recipe *recipe, size_t stored_nbytes)
{
	uint64_t n = cost_instructions(setting->nvalues, recipe, stored_nbytes);

	return stored_nbytes + (n * setting->price >> 20);
}
