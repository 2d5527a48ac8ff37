/* SPDX-License-Identifier: MIT */
/*
 * The place of every byte of a small original, worked out one byte at a time
 * from what a plan writes down, by the words of the specification (sections
 * 5.2 and 5.3) and without the library's arithmetic; and small random plans.
 */
#ifndef UNIT_ORACLE_H
#define UNIT_ORACLE_H

#include "plan/map.h"

struct oracle_block {
	uint64_t stream_offset; /* the sum of the lengths before it */
	uint64_t nbytes;
};

struct oracle_stream {
	uint64_t *offsets; /* of each of its bytes in the original */
	uint64_t nbytes;
	struct oracle_block *blocks;
	uint64_t nblocks;
};

struct oracle {
	struct oracle_stream *streams;
	uint32_t nstreams;
};

void oracle_make(struct oracle *oracle, const struct plan *plan,
		 uint64_t original_nbytes);
void oracle_release(struct oracle *oracle);

/*
 * A plan of few and short members that is not finished yet.  Members stand in
 * any order, blocks and panels have any length: more than plan_shape() makes.
 */
void oracle_random_plan(struct plan *plan, uint64_t *seed);

/* The same with chunked streams among the others. */
void oracle_random_chunked_plan(struct plan *plan, uint64_t *seed);

/* Gives a stream a grid of so many dimensions, all of length and chunk 0. */
struct plan_grid *oracle_add_grid(struct plan_stream *s, uint32_t rank);

/* Whether two plans write down the same. */
bool oracle_same_plan(const struct plan *a, const struct plan *b);

#endif
