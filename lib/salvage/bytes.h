/* SPDX-License-Identifier: MIT */
/* The bytes of an original that is salvaged, in order. */
#ifndef NC3Z_SALVAGE_BYTES_H
#define NC3Z_SALVAGE_BYTES_H

#include "salvage/salvage.h"

/* 's' has its map and its cache; what is lost is added to its losses. */
struct salvage_bytes {
	struct salvage *s;
	uint64_t position;   /* of the next byte */
	uint64_t fill_until; /* bytes of a value whose first ones are lost */
};

/*
 * The next bytes, up to 'max', and from 'position' on, which the caller moves;
 * none if 'data' has to be emptied first, so that a value stays whole.
 */
int salvage_bytes_next(struct salvage_bytes *b, uint8_t *data, uint64_t max,
		       size_t *n_ret);

#endif
