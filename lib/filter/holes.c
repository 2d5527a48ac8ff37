/* SPDX-License-Identifier: MIT */
/*
 * Kernels for elements of which some are missing.  Holes of real data come in
 * runs as well as at random: groups of eight elements that are all holes, or
 * none, go at once; in others, a loop that carries a value from one element to
 * the next selects instead of branching.
 */
#include <string.h>

#include "base/bytes.h"
#include "filter/kernels.h"

/* The bits of 'holes' for eight elements. */
#define NO_HOLES UINT64_C(0)
#define ALL_HOLES UINT64_C(0x0101010101010101)
#define SOME_HOLES UINT64_MAX /* or fewer than eight are left */

/* How many of eight elements are none: the sum of the bytes. */
static size_t count_kept(uint64_t group)
{
	return 8 - (size_t)(group * ALL_HOLES >> 56);
}

#ifdef NC3Z_KERNELS_AVX2
#include "filter/kernels_avx2.h"
#else

/* Eight elements out of those of 'from' that are kept; holes become 0. */
#define DEFINE_EXPAND_GROUP(bits) \
	static void expand_group_##bits( \
		uint##bits##_t *x, const uint##bits##_t *from, uint64_t group) \
	{ \
		size_t nkept = count_kept(group); \
\
		if (group == NO_HOLES) { \
			memmove(x, from, 8 * sizeof(*x)); \
			return; \
		} \
		for (size_t i = 8; i-- > 0;) { \
			unsigned is_hole = group >> 8 * i & 1; \
\
			nkept -= 1 - is_hole; \
			x[i] = (uint##bits##_t)( \
				from[nkept] & ((uint##bits##_t)is_hole - 1u)); \
		} \
	}

DEFINE_EXPAND_GROUP(8)
DEFINE_EXPAND_GROUP(16)
DEFINE_EXPAND_GROUP(32)
DEFINE_EXPAND_GROUP(64)

#endif

/* The first element that is no hole; there is one. */
static size_t first_kept(const uint8_t *holes, size_t n)
{
	const uint8_t *found = memchr(holes, 0, n);

	return found ? (size_t)(found - holes) : 0;
}

#define BITS 8
#include "filter/holes_template.h"

#define BITS 16
#include "filter/holes_template.h"

#define BITS 32
#include "filter/holes_template.h"

#define BITS 64
#include "filter/holes_template.h"

#define KERNELS(bits) \
	{ \
		.bridge = bridge_##bits, .clear = clear_##bits, \
		.compact = compact_##bits, .expand = expand_##bits, \
		.undelta_bridged = undelta_bridged_##bits, \
		.undelta_cleared = undelta_cleared_##bits, \
		.copy_first = copy_first_##bits, .mark = mark_##bits, \
		.fill = put_##bits, \
	}

const struct hole_kernels KERNEL_SET(hole_kernels)[4] = {
	KERNELS(8),
	KERNELS(16),
	KERNELS(32),
	KERNELS(64),
};
