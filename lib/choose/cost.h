/* SPDX-License-Identifier: MIT */
/* How long readers take for what a recipe makes. */
#ifndef NC3Z_CHOOSE_COST_H
#define NC3Z_CHOOSE_COST_H

#include "block/block.h"

/*
 * Puts the recipe first that decodes fastest among those that are about as
 * small as the first one, the smallest; 'nbytes' are their sizes.  The order is
 * the same on all machines, as archives are.
 */
void cost_prefer_fast(struct block_recipe *list, unsigned count,
		      const size_t *nbytes);

#endif
