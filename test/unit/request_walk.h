/* SPDX-License-Identifier: MIT */
/*
 * A request worked off block by block (hyperslab/visits.h): every element that
 * counting finds comes once, from the block and the place where the map has its
 * bytes, and goes where it belongs; with one cursor, and with one for each
 * block, as threads work it off.
 */
#ifndef UNIT_REQUEST_WALK_H
#define UNIT_REQUEST_WALK_H

#include "hyperslab/visits.h"
#include "slab_elements.h"

struct request_walk {
	const struct hyperslab_visits *request;
	const struct hyperslab_request *slab; /* that it was made from */
	struct slab_elements elements;
	/*
	 * The offset in the original of byte 'at' of a block, whether the
	 * original has it or not; UINT64_MAX if no block has it.
	 */
	uint64_t (*offset)(const void *context, uint32_t stream, uint64_t block,
			   uint64_t at);
	const void *context;
	uint8_t *seen; /* of each element, all 0 */

	uint64_t nseen; /* the rest is its own */
};

/* The element with a linear index, NULL if the request takes none there. */
const struct slab_element *request_walk_find(const struct request_walk *w,
					     uint64_t linear);

/* The linear index of what lies 'at' bytes into a block. */
uint64_t request_walk_linear(const struct request_walk *w, uint32_t stream,
			     uint64_t block, uint64_t at);

void request_walk_check(struct request_walk *w);

#endif
