/* SPDX-License-Identifier: MIT */
/*
 * The original in slices of limited length, and the blocks that each has bytes
 * of.  Whoever puts a slice together decodes these; how often blocks are
 * decoded over all follows.
 *
 * A slice ends where a band of the chunks that reach furthest begins, if it can
 * take whole bands or the rest of one: no block of these has bytes in two
 * slices then.
 */
#ifndef NC3Z_PLAN_SLICES_H
#define NC3Z_PLAN_SLICES_H

#include "plan/map.h"

struct plan_slice_block {
	uint32_t stream;
	uint32_t block;
};

struct plan_slices {
	const struct plan_map *map;
	uint64_t max_nbytes;
	/* The slice, none at first; its blocks in the order of their use. */
	uint64_t begin;
	uint64_t end;
	struct plan_slice_block *blocks;
	size_t nblocks;
	/* The rest is its own. */
	size_t capacity;
	uint64_t number; /* of the slice, from 1 */
	struct plan_slice_mark *marks;
	uint64_t *first_mark; /* of each stream */
};

/*
 * Slices of at most 'max_nbytes' bytes, at least 1.  The map is that of an
 * original whose size is known, and the archive has the blocks that it should
 * have: memory is in proportion to their number.  NC3Z_OK, NC3Z_ENOMEM.
 */
int plan_slices_init(struct plan_slices *slices, const struct plan_map *map,
		     uint64_t max_nbytes, struct nc3z_error *err);

/* Goes to the next slice; it is empty at the end.  NC3Z_OK, NC3Z_ENOMEM. */
int plan_slices_next(struct plan_slices *slices, struct nc3z_error *err);

/*
 * The numbers of blocks of all slices, added: goes through all of them and back
 * to before the first one.
 */
int plan_slices_count(struct plan_slices *slices, uint64_t *nblocks_ret,
		      struct nc3z_error *err);

void plan_slices_release(struct plan_slices *slices);

#endif
