/*
 * Kernels for elements of which some are missing.  Where a loop carries a
 * value from one element to the next, it selects instead of branching: holes
 * of real data come in runs as well as at random.  Where decoding spends its
 * time, groups of eight elements that are all holes, or none, go at once.
 */
#include <string.h>

#include "filter/kernels.h"

/* What 'holes' says of eight elements. */
#define NO_HOLES UINT64_C(0)
#define ALL_HOLES UINT64_C(0x0101010101010101)
#define SOME_HOLES UINT64_MAX /* or fewer than eight are left */

static uint64_t load_group(const uint8_t *holes)
{
	uint64_t group;

	memcpy(&group, holes, sizeof(group));
	return group;
}

/* The first element that is no hole; there is one. */
static size_t first_kept(const uint8_t *holes, size_t n)
{
	const uint8_t *found = memchr(holes, 0, n);

	return found ? (size_t)(found - holes) : 0;
}

#define DEFINE_MOVES(bits) \
	static void bridge_##bits(void *elems, size_t n, const uint8_t *holes) \
	{ \
		uint##bits##_t *x = elems; \
		uint##bits##_t last; \
\
		if (n == 0) \
			return; \
		last = x[first_kept(holes, n)]; \
		for (size_t i = 0; i < n; i++) { \
			last = holes[i] ? last : x[i]; \
			x[i] = last; \
		} \
	} \
\
	static void clear_##bits(void *elems, size_t n, const uint8_t *holes) \
	{ \
		uint##bits##_t *x = elems; \
\
		for (size_t i = 0; i < n; i++) \
			x[i] &= (uint##bits##_t)((uint##bits##_t)holes[i] - \
						 1u); \
	} \
\
	static void compact_##bits(void *elems, size_t n, \
				   const uint8_t *holes) \
	{ \
		uint##bits##_t *x = elems; \
		size_t nkept = 0; \
\
		for (size_t i = 0; i < n; i++) { \
			x[nkept] = x[i]; \
			nkept += 1u - holes[i]; \
		} \
	} \
\
	static void expand_##bits(void *elems, size_t nkept, size_t n, \
				  const uint8_t *holes) \
	{ \
		uint##bits##_t *x = elems; \
		size_t i = n; \
\
		/* From the end: no element is written before it is read. */ \
		while (nkept > 0) { \
			uint64_t group = i < 8 ? SOME_HOLES : \
						 load_group(holes + i - 8); \
\
			if (group == NO_HOLES) { \
				i -= 8; \
				nkept -= 8; \
				memmove(x + i, x + nkept, 8 * sizeof(*x)); \
				continue; \
			} \
			if (group == ALL_HOLES) { \
				i -= 8; \
				memset(x + i, 0, 8 * sizeof(*x)); \
				continue; \
			} \
			i--; \
			x[i] = (uint##bits##_t)( \
				x[nkept - 1] & \
				((uint##bits##_t)holes[i] - 1u)); \
			nkept -= 1u - holes[i]; \
		} \
		memset(x, 0, i * sizeof(*x)); \
	}

#define DEFINE_UNDELTA(bits) \
	/* With stride 1 a bridge is the sum of differences of 0. */ \
	static void sum_##bits(uint##bits##_t *x, size_t n) \
	{ \
		uint##bits##_t sum = 0; \
\
		for (size_t i = 0; i < n; i++) { \
			sum = (uint##bits##_t)(sum + x[i]); \
			x[i] = sum; \
		} \
	} \
\
	static void add_group_##bits(uint##bits##_t *restrict x, \
				     const uint##bits##_t *restrict before) \
	{ \
		for (size_t i = 0; i < 8; i++) \
			x[i] = (uint##bits##_t)(x[i] + before[i]); \
	} \
\
	static void fill_group_##bits(uint##bits##_t *x, uint##bits##_t value) \
	{ \
		for (size_t i = 0; i < 8; i++) \
			x[i] = value; \
	} \
\
	static void undelta_bridged_##bits( \
		void *elems, size_t n, size_t stride, const uint8_t *holes) \
	{ \
		uint##bits##_t *x = elems; \
		size_t first = first_kept(holes, n); \
		uint##bits##_t last; \
\
		if (stride == 1) { \
			sum_##bits(x, n); \
			return; \
		} \
		if (n == 0) \
			return; \
		last = x[first]; \
		for (size_t i = 0; i < first; i++) \
			x[i] = last; \
		for (size_t i = first + 1; i < n; i++) { \
			uint##bits##_t before = i < stride ? 0 : \
							     x[i - stride]; \
			uint64_t group = i < stride || stride < 8 || \
							 n - i < 8 ? \
						 SOME_HOLES : \
						 load_group(holes + i); \
\
			if (group == NO_HOLES) { \
				add_group_##bits(x + i, x + i - stride); \
				i += 7; \
				last = x[i]; \
				continue; \
			} \
			if (group == ALL_HOLES) { \
				fill_group_##bits(x + i, last); \
				i += 7; \
				continue; \
			} \
			uint##bits##_t here = (uint##bits##_t)(x[i] + before); \
\
			last = holes[i] ? last : here; \
			x[i] = last; \
		} \
	} \
\
	static void add_cleared_##bits(uint##bits##_t *restrict x, \
				       const uint##bits##_t *restrict before, \
				       size_t n, const uint8_t *holes) \
	{ \
		for (size_t i = 0; i < n; i++) \
			x[i] = (uint##bits##_t)( \
				(x[i] + before[i]) & \
				((uint##bits##_t)holes[i] - 1u)); \
	} \
\
	static void undelta_cleared_##bits( \
		void *elems, size_t n, size_t stride, const uint8_t *holes) \
	{ \
		uint##bits##_t *x = elems; \
\
		for (size_t i = stride; i < n; i += stride) \
			add_cleared_##bits(x + i, x + i - stride, \
					   n - i < stride ? n - i : stride, \
					   holes + i); \
	} \
\
	static void copy_first_##bits(const void *from, size_t n, \
				      const uint8_t *holes, void *to) \
	{ \
		const uint##bits##_t *x = from; \
		uint##bits##_t *y = to; \
		size_t first = first_kept(holes, n); \
\
		if (n > 0) \
			y[first] = x[first]; \
	}

#define DEFINE_KERNELS(bits) \
	DEFINE_MOVES(bits) \
	DEFINE_UNDELTA(bits) \
	static const struct hole_kernels kernels_##bits = { \
		.bridge = bridge_##bits, \
		.clear = clear_##bits, \
		.compact = compact_##bits, \
		.expand = expand_##bits, \
		.undelta_bridged = undelta_bridged_##bits, \
		.undelta_cleared = undelta_cleared_##bits, \
		.copy_first = copy_first_##bits, \
	};

DEFINE_KERNELS(8)
DEFINE_KERNELS(16)
DEFINE_KERNELS(32)
DEFINE_KERNELS(64)

const struct hole_kernels *hole_kernels(uint8_t width)
{
	switch (width) {
	case 2:
		return &kernels_16;
	case 4:
		return &kernels_32;
	case 8:
		return &kernels_64;
	default:
		return &kernels_8;
	}
}
