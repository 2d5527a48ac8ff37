/* SPDX-License-Identifier: MIT */
/*
 * A block is split in several ways before a recipe is chosen, and the blocks of
 * a variable mostly have values in the same places: a mask is often the one
 * that was encoded last.
 */
#include <string.h>

#include "block/internal.h"
#include "filter/drop.h"

/*
 * Other codecs than the recipe's own may stop early, by what is known of the
 * block: what they make of a mask is not kept.
 */
static bool makes_the_same(const struct block_recipe *a,
			   const struct block_recipe *b)
{
	return a->codec == b->codec && a->level == b->level &&
	       a->row_nelems == b->row_nelems && a->others == 0 &&
	       b->others == 0;
}

bool block_last_mask_is(const struct block_last_mask *last,
			const struct block_recipe *recipe, const uint8_t *mask,
			size_t nelems)
{
	return last->nelems == nelems &&
	       makes_the_same(&last->recipe, recipe) &&
	       memcmp(last->mask.data, mask, drop_mask_nbytes(nelems)) == 0;
}

bool block_last_mask_set(struct block_last_mask *last,
			 const struct block_recipe *recipe, const uint8_t *mask,
			 size_t nelems, const struct block_part *part,
			 const uint8_t *stored)
{
	last->nelems = 0;
	last->mask.nbytes = 0;
	last->stored.nbytes = 0;
	if (!buffer_append(&last->mask, mask, drop_mask_nbytes(nelems)) ||
	    !buffer_append(&last->stored, stored, part->stored_nbytes))
		return false;
	last->nelems = nelems;
	last->recipe = *recipe;
	last->part = *part;
	return true;
}
