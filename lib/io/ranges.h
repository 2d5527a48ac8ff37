/* SPDX-License-Identifier: MIT */
/*
 * Which fetches bytes are worth that will be read: neighbours are joined, also
 * over gaps, as a round trip to a server costs as much as many bytes.
 * Arithmetic only.
 */
#ifndef NC3Z_IO_RANGES_H
#define NC3Z_IO_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "nc3z.h"

/* The longest gap that is fetched, too. */
#define RANGES_GAP_NBYTES_MAX (UINT64_C(64) << 10)

/* Joining ends here, so that several fetches can run side by side. */
#define RANGES_NBYTES_MAX (UINT64_C(8) << 20)

/* Bytes that are wanted, and which one they are in the order of reading. */
struct range_wanted {
	struct nc3z_range range; /* whose end fits 64 bits */
	uint64_t order;
};

/*
 * Replaces 'n' ranges, in any order, by those that are worth a fetch each:
 * without overlap, covering all wanted bytes and at most as many unwanted ones,
 * in gaps of at most 'max_gap_nbytes'.  They come in the order of reading, that
 * of the first of those that were joined.  Returns how many there are.
 */
size_t ranges_join(struct range_wanted *wanted, size_t n,
		   uint64_t max_gap_nbytes);

#endif
