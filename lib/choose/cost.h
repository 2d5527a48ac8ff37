/* SPDX-License-Identifier: MIT */
/*
 * What a recipe makes of a block, in one number that weighs bytes against the
 * time that readers take.  It is an integer from tables, the same on all
 * machines, as archives are.
 */
#ifndef NC3Z_CHOOSE_COST_H
#define NC3Z_CHOOSE_COST_H

#include "block/block.h"

struct cost_setting {
	size_t nvalues; /* of the block */
	unsigned price; /* of time: effort.h */
};

/* Instructions that decode the block from so many bytes. */
uint64_t cost_instructions(size_t nvalues, const struct block_recipe *recipe,
			   size_t stored_nbytes);

/* The bytes, and those that this time is worth. */
uint64_t cost_of(const struct cost_setting *setting,
		 const struct block_recipe *recipe, size_t stored_nbytes);

#endif
