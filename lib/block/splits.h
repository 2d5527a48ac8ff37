/* SPDX-License-Identifier: MIT */
/*
 * A splitting step, as descriptions see it.  A new one is a row in splits.c,
 * a row of ways[] in prepare.c and one of joins[] in decode.c.
 */
#ifndef NC3Z_BLOCK_SPLITS_H
#define NC3Z_BLOCK_SPLITS_H

#include "base/cursor.h"
#include "block/block.h"

struct split_ops {
	const char *name;
	uint8_t transform;   /* of enum block_transform, 0 if none */
	uint8_t width_min;   /* of the block's elements */
	bool stands_alone;   /* there is no main part, and no other step */
	bool goes_first;     /* another step may come after it */
	bool makes_integers; /* of elements of any kind */
	unsigned nparts;     /* beside the main part; exceptions are two */
	/* Parameters; NULL: there are none.  False: out of memory, damaged. */
	bool (*write)(const struct block_split *split, uint8_t width,
		      struct buffer *out);
	bool (*read)(struct cursor *c, uint8_t width,
		     struct block_split *split);
	/* The parameter that people want to see; 0: none. */
	uint64_t (*shown)(const struct block_split *split);
};

/* NULL for a number that is none. */
const struct split_ops *split_ops_of(uint8_t id);

#endif
