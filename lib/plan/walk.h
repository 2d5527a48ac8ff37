/* SPDX-License-Identifier: MIT */
/*
 * Going through an original in order.  Where records hold many short runs,
 * searching for each of them takes longer than copying it; but the run of a
 * slot nearly always follows the one that the slot had in the record before.
 */
#ifndef NC3Z_PLAN_WALK_H
#define NC3Z_PLAN_WALK_H

#include "plan/map.h"

/* A slot of the record section: where its run of some record was. */
struct plan_walk_slot {
	uint32_t stream;
	uint64_t nbytes;
	uint64_t record;
	uint64_t end_record; /* the first one whose run does not follow */
	uint64_t stream_offset;
	struct plan_block block;
};

struct plan_walk {
	const struct plan_map *map;
	struct plan_walk_slot *slots; /* one for each of the plan's */
	/* What comes next, if the runs are taken whole. */
	uint64_t next; /* in the original; UINT64_MAX: not known */
	uint64_t record;
	size_t slot;
};

/* The map outlives it.  NC3Z_ENOMEM. */
int plan_walk_init(struct plan_walk *walk, const struct plan_map *map,
		   struct nc3z_error *err);
void plan_walk_release(struct plan_walk *walk);

/*
 * The same as plan_run_in_block(), at any offset; faster where the run before
 * has ended.
 */
struct plan_run plan_walk_run(struct plan_walk *walk, uint64_t offset,
			      struct plan_block *block_ret);

#endif
