/* SPDX-License-Identifier: MIT */
/* Which blocks an estimate encodes, and what they say of those it does not. */
#ifndef NC3Z_WRITE_ESTIMATE_SAMPLE_H
#define NC3Z_WRITE_ESTIMATE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampled_block {
	uint32_t stream;
	uint32_t crc; /* of its raw bytes */
	uint64_t stored_nbytes;
};

struct sampled_blocks {
	struct sampled_block *list;
	size_t count;
	size_t room;
};

/*
 * From one block to the next, of so many and cyclically: by the golden section,
 * so that blocks are spread evenly wherever it ends, and do not keep time with
 * the levels or steps of a variable; of a length that reaches each block once.
 */
uint64_t sample_step(uint64_t nblocks);

/* False: out of memory. */
bool sample_add(struct sampled_blocks *sample, struct sampled_block block);

/* Before the first question. */
void sample_sort(struct sampled_blocks *sample);

/*
 * What a stream comes to if each of its blocks that equals one before it takes
 * nothing, as a share of what it comes to otherwise.  Blocks that the sample
 * has once stand for others; of those that it has more often, all are taken to
 * have been seen.
 */
double sample_distinct_share(const struct sampled_blocks *sample,
			     uint32_t stream, uint64_t nblocks);

void sample_release(struct sampled_blocks *sample);

#endif
