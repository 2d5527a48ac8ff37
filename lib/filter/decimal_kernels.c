/* SPDX-License-Identifier: MIT */
/*
 * Kernels of decimals.  Rounding adds and subtracts 3 * 2^51: then the integer
 * also stands in the low bits of the sum, and all of it is done by vector
 * instructions.  The compiler must not take that for nothing: no -ffast-math.
 */
#include <float.h>
#include <string.h>

#include "base/byte_order.h"
#include "filter/kernels.h"

/* Of x87's longer numbers, decimals come out wrong.  Floats may be computed as
 * doubles (s390x): rounded afterwards, one operation gives the same. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
	       "on x86 of 32 bits, compile with -msse2 -mfpmath=sse");

/* 1.5 * 2^52: what is added to it is rounded to an integer. */
#define ROUNDER 6755399441055744.0

/* Floats hold integers exactly up to 2^24. */
#define FLOAT_INTEGER_MAX (INT64_C(1) << 24)

/* Limits for k: what fits the integer, and what the rounding is good for. */
#define DEFINE_SCALE(bits, real, limit) \
	static void scale_##bits(const void *elems, size_t n, double power, \
				 void *integers, uint8_t *restrict good) \
	{ \
		const uint##bits##_t *x = elems; \
		uint##bits##_t *restrict k = integers; \
		uint64_t rounder; \
		const double round = ROUNDER; \
\
		memcpy(&rounder, &round, sizeof(rounder)); \
		for (size_t i = 0; i < n; i++) { \
			real value, again; \
			uint##bits##_t back; \
			uint64_t sum_bits; \
			double sum, whole; \
\
			memcpy(&value, &x[i], sizeof(value)); \
			sum = (double)value * power + round; \
			whole = sum - round; \
			again = (real)(whole / power); \
			memcpy(&back, &again, sizeof(back)); \
			memcpy(&sum_bits, &sum, sizeof(sum_bits)); \
			k[i] = (uint##bits##_t)(sum_bits - rounder); \
			good[i] = (uint8_t)((back == x[i]) & (whole < limit) & \
					    (whole > -limit)); \
		} \
	}

DEFINE_SCALE(32, float, 2147483648.0)
DEFINE_SCALE(64, double, 2251799813685248.0)

static void scale(uint8_t width, const void *elems, size_t n, double power,
		  void *integers, uint8_t *good)
{
	(width == 4 ? scale_32 : scale_64)(elems, n, power, integers, good);
}

#define DEFINE_SPAN(bits) \
	static void span_##bits(const int##bits##_t *k, size_t n, \
				int64_t *least_ret, int64_t *most_ret) \
	{ \
		int##bits##_t least = k[0], most = k[0]; \
\
		for (size_t i = 0; i < n; i++) { \
			least = k[i] < least ? k[i] : least; \
			most = k[i] > most ? k[i] : most; \
		} \
		*least_ret = least; \
		*most_ret = most; \
	}

DEFINE_SPAN(32)
DEFINE_SPAN(64)

static void span(uint8_t width, const void *integers, size_t n,
		 int64_t *least_ret, int64_t *most_ret)
{
	if (width == 4)
		span_32(integers, n, least_ret, most_ret);
	else
		span_64(integers, n, least_ret, most_ret);
}

#define DEFINE_NARROW(from, to) \
	static void narrow_##from##_##to(const void *integers, size_t n, \
					 const struct decimal_scale *scale, \
					 void *out) \
	{ \
		const int##from##_t *k = integers; \
		const int##from##_t least = (int##from##_t)scale->minimum; \
		const int##from##_t most = (int##from##_t)scale->maximum; \
		uint##to##_t *restrict q = out; \
\
		for (size_t i = 0; i < n; i++) { \
			int##from##_t v = k[i] < least ? least : k[i]; \
\
			v = v > most ? most : v; \
			q[i] = (uint##to##_t)((uint##from##_t)v - \
					      (uint##from##_t)least); \
		} \
	}

DEFINE_NARROW(32, 8)
DEFINE_NARROW(32, 16)
DEFINE_NARROW(32, 32)
DEFINE_NARROW(64, 8)
DEFINE_NARROW(64, 16)
DEFINE_NARROW(64, 32)
DEFINE_NARROW(64, 64)

typedef void narrow_fn(const void *integers, size_t n,
		       const struct decimal_scale *scale, void *out);

static void narrow(uint8_t from, uint8_t to, const void *integers, size_t n,
		   const struct decimal_scale *scale, void *out)
{
	narrow_fn *const narrow_32 = to == 1 ? narrow_32_8 :
				     to == 2 ? narrow_32_16 :
					       narrow_32_32;
	narrow_fn *const narrow_64 = to == 1 ? narrow_64_8 :
				     to == 2 ? narrow_64_16 :
				     to == 4 ? narrow_64_32 :
					       narrow_64_64;

	(from == 4 ? narrow_32 : narrow_64)(integers, n, scale, out);
}

/*
 * 'whole' is the type of the sums: 32 bits where they fit, as there are vector
 * instructions that convert them.  'ratio' is the type of the division: where
 * floats hold both of its numbers, they give the same as doubles rounded to
 * floats, since a double has more than twice the bits of a float and two more
 * (S. A. Figueroa, When is double rounding innocuous?, 1995).
 */
#define DEFINE_JOIN(name, from, bits, real, ratio, whole, uwhole) \
	static void join_##name##_##from##_##bits( \
		const void *integers, size_t n, \
		const struct decimal_scale *scale, uint8_t *restrict raw) \
	{ \
		const uint##from##_t *q = integers; \
		const ratio power = (ratio)scale->power; \
		const uwhole minimum = (uwhole)scale->minimum; \
		const uwhole factor = (uwhole)scale->factor; \
\
		for (size_t i = 0; i < n; i++) { \
			whole k = (whole)(uwhole)(minimum + q[i] * factor); \
			real value = (real)((ratio)k / power); \
			uint##bits##_t x; \
\
			memcpy(&x, &value, sizeof(x)); \
			x = BIG_ENDIAN_##bits(x); \
			memcpy(raw + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

#define DEFINE_JOINS(from) \
	DEFINE_JOIN(short, from, 32, float, float, int32_t, uint32_t) \
	DEFINE_JOIN(small, from, 32, float, double, int32_t, uint32_t) \
	DEFINE_JOIN(large, from, 32, float, double, int64_t, uint64_t) \
	DEFINE_JOIN(small, from, 64, double, double, int32_t, uint32_t) \
	DEFINE_JOIN(large, from, 64, double, double, int64_t, uint64_t)

DEFINE_JOINS(8)
DEFINE_JOINS(16)
DEFINE_JOINS(32)
DEFINE_JOIN(large, 64, 64, double, double, int64_t, uint64_t)

typedef void join_fn(const void *integers, size_t n,
		     const struct decimal_scale *scale, uint8_t *raw);

/* By the kind of sums, and log2 of the width of the integers. */
static join_fn *const joins_float[3][4] = {
	{ join_short_8_32, join_short_16_32, join_short_32_32, NULL },
	{ join_small_8_32, join_small_16_32, join_small_32_32, NULL },
	{ join_large_8_32, join_large_16_32, join_large_32_32, NULL },
};
static join_fn *const joins_double[3][4] = {
	{ join_small_8_64, join_small_16_64, join_small_32_64,
	  join_large_64_64 },
	{ join_small_8_64, join_small_16_64, join_small_32_64,
	  join_large_64_64 },
	{ join_large_8_64, join_large_16_64, join_large_32_64,
	  join_large_64_64 },
};

static bool is_within(const struct decimal_scale *scale, int64_t limit)
{
	return scale->minimum >= -limit && scale->maximum <= limit;
}

static unsigned kind_of_sums(const struct decimal_scale *scale)
{
	bool is_float = (double)(float)scale->power == scale->power;

	if (is_within(scale, FLOAT_INTEGER_MAX) && is_float)
		return 0;
	return is_within(scale, INT32_MAX) ? 1 : 2;
}

static void join_decimals(uint8_t from, uint8_t to, const void *integers,
			  size_t n, const struct decimal_scale *scale,
			  uint8_t *raw)
{
	static const uint8_t log2_of[] = { 0, 0, 1, 0, 2, 0, 0, 0, 3 };
	join_fn *const(*joins)[4] = to == 4 ? joins_float : joins_double;

	joins[kind_of_sums(scale)][log2_of[from]](integers, n, scale, raw);
}

const struct decimal_kernels KERNEL_SET(decimal_kernels) = {
	.scale = scale,
	.span = span,
	.narrow = narrow,
	.join = join_decimals,
};
