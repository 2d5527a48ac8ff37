/* SPDX-License-Identifier: MIT */
/*
 * Drop: the most frequent value of a block, often a fill value, becomes holes:
 * a mask says where they are, filters predict across them (filter.h), and
 * nothing else is kept.
 */
#ifndef NC3Z_FILTER_DROP_H
#define NC3Z_FILTER_DROP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds a value that is likely to be the most frequent one of n elements, by
 * looking at some hundred of them, and writes it to 'value_ret'.
 */
void drop_find(uint8_t width, const void *elems, size_t n, void *value_ret);

/* Sets holes[i] to 1 where an element is the value, else 0; counts them. */
size_t drop_mark(uint8_t width, const void *elems, size_t n, const void *value,
		 uint8_t *holes);

/* Bytes of the mask of n elements. */
static inline size_t drop_mask_nbytes(size_t n)
{
	return n / 8 + (n % 8 != 0);
}

/*
 * Holes -> mask: a bit for each, xored with the bit 'stride' places before,
 * unless the stride is 0.
 */
void drop_pack(const uint8_t *holes, size_t n, size_t stride, uint8_t *mask);

/*
 * The inverse; '*nholes_ret' is their number.  False if a bit after the last
 * one is set.
 */
bool drop_unpack(const uint8_t *mask, size_t n, size_t stride, uint8_t *holes,
		 size_t *nholes_ret);

/* Puts the value (as it is in the block) into all holes of a block. */
void drop_fill(uint8_t width, const uint8_t *value, const uint8_t *holes,
	       size_t n, uint8_t *raw);

#endif
