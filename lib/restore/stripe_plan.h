/* SPDX-License-Identifier: MIT */
/*
 * How the original of an archive is read from its first byte to its last
 * within a budget of memory: arithmetic.
 *
 * Each stream is seen as its bytes in the order of the original (a chunked one
 * as those of its variable, row-major), and is read in *stripes*: runs of
 * these bytes that are in memory whole.  A stripe is put together from all
 * blocks that have a byte in it, each decoded once.
 *
 *	linear	a stripe is some blocks; each is in one stripe
 *	chunked	a stripe is a band, if the budget has room for the bands of all
 *		variables that are read side by side; otherwise a part of one:
 *		some indices of the first dimension or, if one is too many,
 *		of the next.  A chunk is decoded for each stripe that it
 *		touches.
 *
 * The budget is for chunks alone.  A linear stream has one block open, as when
 * it was packed, or a few where threads shall have something to do; then small
 * bands are several to a stripe, too.
 */
#ifndef NC3Z_RESTORE_STRIPE_PLAN_H
#define NC3Z_RESTORE_STRIPE_PLAN_H

#include "restore/decodings.h"

/* Of one stream. */
struct stripe_shape {
	uint64_t nbytes;
	uint64_t frame_nbytes; /* stripes begin anew at its multiples */
};

struct stripe_plan {
	const struct plan_map *map;
	struct stripe_shape *shapes; /* of each stream */
	uint64_t nbytes;             /* of stripes that are open at a time */
	uint64_t bands_nbytes; /* the same if no chunk were decoded twice */
};

/*
 * A plan for an archive whose map is 'map', with up to 'max_nbytes' bytes for
 * stripes of chunks (little more where that is absurdly little), and up to
 * 'ahead_nbytes' for stripes of more than one linear block, or of more than one
 * band.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM; NC3Z_EDAMAGED if the linear blocks that are
 * open at a time are larger than in a well-made archive.
 */
int stripe_plan_init(struct stripe_plan *plan, const struct plan_map *map,
		     uint64_t max_nbytes, uint64_t ahead_nbytes,
		     struct nc3z_error *err);

void stripe_plan_release(struct stripe_plan *plan);

/* A run of a stream's bytes, and the blocks that have some of them. */
struct stripe_range {
	uint64_t begin;
	uint64_t nbytes;
	uint64_t first_block;
	uint64_t end_block; /* one past the last */
};

/* The stripe that holds a byte of a stream. */
struct stripe_range stripe_plan_at(const struct stripe_plan *plan,
				   uint32_t stream, uint64_t at);

/* Which bytes of a chunk are in such a stripe; false if there are none. */
bool stripe_has_chunk(const struct stripe_plan *plan, uint32_t stream,
		      const struct stripe_range *stripe, uint64_t block);

/* Adds how often blocks are decoded; 'decodings' is that of the map. */
void stripe_plan_count(const struct stripe_plan *plan,
		       struct decodings *decodings);

#endif
