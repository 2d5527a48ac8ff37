/* SPDX-License-Identifier: MIT */
/*
 * Palette: elements with few distinct values become a sorted table of these
 * and, for each element, the place of its value there: its rank.
 */
#ifndef NC3Z_FILTER_PALETTE_H
#define NC3Z_FILTER_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PALETTE_VALUES_MAX 65536

/* Working memory of palette_split(), made by its caller. */
struct palette_memory {
	uint32_t slots[2 * PALETTE_VALUES_MAX]; /* 0 is a free one */
	uint64_t values[PALETTE_VALUES_MAX];
	uint64_t sorted[2][PALETTE_VALUES_MAX];
	uint16_t ranks[PALETTE_VALUES_MAX];
};

/* Elements; holes as in filter.h, or NULL. */
struct palette_input {
	uint8_t width;
	bool is_float; /* sorted like numbers, otherwise like signed integers */
	const void *elems;
	size_t n;
	size_t nvalues_max; /* at most PALETTE_VALUES_MAX */
	const uint8_t *holes;
};

struct palette {
	size_t nvalues;
	uint8_t width; /* of a rank: 1 or 2 */
};

/*
 * Splits into big-endian values at 'table' (nvalues x width bytes) and n ranks
 * of palette->width bytes at 'ranks', which has room for n of 2 bytes.  Holes
 * repeat the rank before.  False if there are no values, or too many; rarely
 * also if there are nearly too many.
 */
bool palette_split(const struct palette_input *in, struct palette *palette_ret,
		   uint8_t *table, void *ranks, struct palette_memory *memory);

/*
 * The inverse: n ranks and a table of big-endian values -> n big-endian
 * elements of 'width' bytes.  False if a rank is too large.
 */
bool palette_join(const struct palette *palette, const uint8_t *table,
		  const void *ranks, size_t n, uint8_t width, uint8_t *raw);

#endif
