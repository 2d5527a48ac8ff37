/* SPDX-License-Identifier: MIT */
/* How often each block of an archive is decoded. */
#ifndef NC3Z_RESTORE_DECODINGS_H
#define NC3Z_RESTORE_DECODINGS_H

#include "plan/map.h"

/* Zero-initialised it is empty. */
struct decodings {
	uint64_t *first; /* of each stream, its place in 'times' */
	uint32_t *times;
	uint64_t nblocks;
};

/*
 * Of the blocks of a map, which the archive has: memory is in proportion to
 * their number.  NC3Z_OK, NC3Z_ENOMEM.
 */
int decodings_init(struct decodings *decodings, const struct plan_map *map,
		   struct nc3z_error *err);

static inline void decodings_add(struct decodings *decodings, uint32_t stream,
				 uint64_t block)
{
	decodings->times[decodings->first[stream] + block]++;
}

/* Of all blocks together, and of one of them at most. */
uint64_t decodings_sum(const struct decodings *decodings, uint64_t *most_ret);

void decodings_release(struct decodings *decodings);

#endif
