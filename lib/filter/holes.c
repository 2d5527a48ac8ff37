/*
 * Kernels for elements of which some are missing.  Where a loop carries a
 * value from one element to the next, it selects instead of branching: holes
 * of real data come in runs as well as at random.  Where decoding spends its
 * time, groups of eight elements that are all holes, or none, go at once.
 */
#include <string.h>

#include "base/bytes.h"
#include "filter/kernels.h"

/* What 'holes' says of eight elements. */
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
		for (; i % 8 != 0; i--) { \
			nkept -= 1u - holes[i - 1]; \
			x[i - 1] = (uint##bits##_t)( \
				x[nkept] & \
				((uint##bits##_t)holes[i - 1] - 1u)); \
		} \
		for (; i > 0; i -= 8) { \
			uint64_t group = load_le64(holes + i - 8); \
\
			nkept -= count_kept(group); \
			expand_group_##bits(x + i - 8, x + nkept, group); \
		} \
	}

#define DEFINE_UNDELTA(bits) \
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
						 load_le64(holes + i); \
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

#define DEFINE_VALUE(bits) \
	static size_t mark_##bits(const void *elems, size_t n, \
				  const void *value, uint8_t *restrict holes) \
	{ \
		const uint##bits##_t *x = elems; \
		uint##bits##_t v; \
		size_t nholes = 0; \
\
		memcpy(&v, value, sizeof(v)); \
		for (size_t i = 0; i < n; i++) \
			holes[i] = x[i] == v; \
		for (size_t i = 0; i < n; i++) \
			nholes += holes[i]; \
		return nholes; \
	} \
\
	static void fill_##bits(const uint8_t *value, \
				const uint8_t *restrict holes, size_t n, \
				uint8_t *restrict raw) \
	{ \
		uint##bits##_t v, x; \
\
		memcpy(&v, value, sizeof(v)); \
		for (size_t i = 0; i < n; i++) { \
			memcpy(&x, raw + i * sizeof(x), sizeof(x)); \
			x = holes[i] ? v : x; \
			memcpy(raw + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

#define DEFINE_KERNELS(bits) \
	DEFINE_MOVES(bits) \
	DEFINE_UNDELTA(bits) \
	DEFINE_VALUE(bits)

DEFINE_KERNELS(8)
DEFINE_KERNELS(16)
DEFINE_KERNELS(32)
DEFINE_KERNELS(64)

#define KERNELS(bits) \
	{ \
		.bridge = bridge_##bits, .clear = clear_##bits, \
		.compact = compact_##bits, .expand = expand_##bits, \
		.undelta_bridged = undelta_bridged_##bits, \
		.undelta_cleared = undelta_cleared_##bits, \
		.copy_first = copy_first_##bits, .mark = mark_##bits, \
		.fill = fill_##bits, \
	}

const struct hole_kernels KERNEL_SET(hole_kernels)[4] = {
	KERNELS(8),
	KERNELS(16),
	KERNELS(32),
	KERNELS(64),
};
