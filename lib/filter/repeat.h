/* SPDX-License-Identifier: MIT */
/*
 * Repeat: elements that equal the one at one of a few distances before become
 * holes.  A code says of each element which distance, or that it is kept;
 * filters predict across holes (filter.h).
 *
 * Corners of the cells of a grid are such: each stands in up to four cells.
 */
#ifndef NC3Z_FILTER_REPEAT_H
#define NC3Z_FILTER_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPEAT_DISTANCES_MAX 3

/* Distances in elements; a code is 0, or 1 and the place of one of them. */
struct repeat_distances {
	unsigned n;
	uint32_t list[REPEAT_DISTANCES_MAX];
};

/* Elements, and how many of them are a row and a plane, or 0. */
struct repeat_input {
	uint8_t width;
	const void *elems;
	size_t n;
	uint32_t row;
	uint32_t plane;
};

/*
 * Finds distances at which many of some hundred elements repeat that do not
 * just repeat the one before; none if they are few.
 */
struct repeat_distances repeat_find(const struct repeat_input *in);

/* Sets the code of each element; how many are not 0. */
size_t repeat_mark(const struct repeat_input *in,
		   const struct repeat_distances *distances, uint8_t *codes);

/*
 * Codes -> holes, and '*nholes_ret' of them; false for a code that is none, or
 * that leads to before the first element.
 */
bool repeat_unpack(const uint8_t *codes, size_t n,
		   const struct repeat_distances *distances, uint8_t *holes,
		   size_t *nholes_ret);

/* Fills the holes of a block, from the first to the last. */
void repeat_fill(uint8_t width, const uint8_t *codes, size_t n,
		 const struct repeat_distances *distances, uint8_t *raw);

#endif
