/* SPDX-License-Identifier: MIT */
/* Lanes as the format has them, and what one element needs of the format. */
#ifndef NC3Z_CONTEXT_LANES_H
#define NC3Z_CONTEXT_LANES_H

#include <stdint.h>

#include "context/model.h"

/* The least state, with which a lane begins when it is written. */
#define CONTEXT_STATE_MIN 65536u

/* Bytes of the lanes' states and lengths. */
#define CONTEXT_LANE_NBYTES 12

/* The neighbours to the left. */
struct context_west {
	uint32_t w;
	uint32_t ww;
	int32_t miss; /* of W */
	uint32_t magnitude;
	uint32_t magnitude_ww;
};

static inline uint32_t context_magnitude(int32_t miss)
{
	return miss < 0 ? 0 - (uint32_t)miss : (uint32_t)miss;
}

/* At the beginning of a row: both are the first element of the row above. */
static inline struct context_west context_west_begin(uint16_t n, int16_t miss)
{
	return (struct context_west){
		.w = n,
		.ww = n,
		.miss = miss,
		.magnitude = context_magnitude(miss),
		.magnitude_ww = context_magnitude(miss),
	};
}

static inline void context_west_move(struct context_west *west, uint16_t value,
				     int16_t miss)
{
	west->ww = west->w;
	west->w = value;
	west->miss = miss;
	west->magnitude_ww = west->magnitude;
	west->magnitude = context_magnitude(miss);
}

/* The level of an activity, which is less than 2^24: below the maximum. */
static inline unsigned context_level(uint32_t activity)
{
	uint32_t x = activity + 2;
	unsigned b = 31 - (unsigned)__builtin_clz(x);

	/* The two highest bits are 2 or 3. */
	return 2 * b - 4 + (x >> (b - 1));
}

/* The context of a level that an element is in. */
static inline unsigned context_in_level(uint32_t activity, int32_t miss_w,
					uint32_t prediction)
{
	int32_t t = (int32_t)(activity / 32);
	unsigned sign = (unsigned)(1 + (miss_w > t) - (miss_w < -t));

	return sign * CONTEXT_FRACTIONS + (prediction >> 7 & 3);
}

/* The prediction without its fraction, modulo 2^16. */
static inline uint16_t context_predicted(uint32_t prediction)
{
	return (uint16_t)(prediction >> 9);
}

/* Bits 0 to 15 of a difference, as a signed integer. */
static inline int16_t context_wrap(uint32_t difference)
{
	return (int16_t)(uint16_t)difference;
}

#endif
