/* SPDX-License-Identifier: MIT */
/*
 * Three templates make the converters: integer to integer wraps and compares,
 * integer to real and float to double are cast, real to integer looks first
 * and then casts.  Double to float looks, too, and is written out.
 *
 * All have a loop of their own for adjacent outputs, made for the vectoriser:
 * no early exit, and memory only touched by memcpy() of one value, which also
 * makes any alignment and any effective type of the caller's memory good.
 */
#include "classic/converters.h"

#include <float.h>
#include <limits.h>
#include <string.h>

_Static_assert(sizeof(short) == 2 && sizeof(int) == 4 && sizeof(long long) == 8,
	       "C integers are as wide as those of the format");
_Static_assert(FLT_MANT_DIG == 24 && sizeof(float) == 4 && DBL_MANT_DIG == 53 &&
		       sizeof(double) == 8,
	       "C numbers are as in IEEE 754");

/* Inlined to have a loop of its own for each step that is a constant. */
#define INLINE static inline __attribute__((always_inline))

/*
 * Whether all of 'n' adjacent numbers x are surely 0 <= x < limit, or, if
 * 'is_signed', |x| < limit: the answer may be "no" near the limit.  The top 32
 * bits of numbers without a sign sort as they do, those of -x (unless masked)
 * and of NaN sort above all limits.  Integers are compared, not the numbers,
 * because compilers make vector code of that.
 */
#define DEFINE_ALL_BELOW(from, from_type, bits) \
	static uint32_t from##_top(const void *number) \
	{ \
		uint##bits##_t x; \
\
		memcpy(&x, number, sizeof(x)); \
		return (uint32_t)(x >> (bits - 32)); \
	} \
\
	static bool from##_all_below(const uint8_t *in, size_t n, \
				     bool is_signed, from_type limit) \
	{ \
		uint32_t mask = is_signed ? UINT32_MAX >> 1 : UINT32_MAX; \
		uint32_t end = from##_top(&limit), others = 0; \
\
		for (size_t i = 0; i < n; i++) \
			others |= (from##_top(in + i * sizeof(limit)) & \
				   mask) >= end; \
		return !others; \
	}

DEFINE_ALL_BELOW(FLOAT, float, 32)
DEFINE_ALL_BELOW(DOUBLE, double, 64)

/* Of all converters, see converters.h. */
#define PARAMETERS \
	const uint8_t *restrict in, uint8_t *restrict out, ptrdiff_t step, \
		size_t n

/* Value number i, and where it goes. */
#define VALUE(i, from_type, to_type) \
	from_type x; \
	uint8_t *at = out + (ptrdiff_t)(i)*step * (ptrdiff_t)sizeof(to_type); \
\
	memcpy(&x, in + (i) * sizeof(x), sizeof(x))

#define STORE(to_type, value) \
	do { \
		to_type y = (to_type)(value); \
\
		memcpy(at, &y, sizeof(y)); \
	} while (0)

/* x < 0, without a warning where x is unsigned. */
#define IS_NEGATIVE(x) ((x) < 1 && (x) != 0)

/*
 * The wrapped integer is the same number if it comes back as it was and has
 * the same sign.
 */
#define INTEGER_TO_INTEGER(to, to_type, least, greatest, nan, from, from_type) \
	INLINE bool from##_wrap_##to(PARAMETERS) \
	{ \
		unsigned misfits = 0; \
\
		for (size_t i = 0; i < n; i++) { \
			VALUE(i, from_type, to_type); \
			to_type wrapped = (to_type)x; \
\
			misfits |= (from_type)wrapped != x; \
			misfits |= IS_NEGATIVE(wrapped) != IS_NEGATIVE(x); \
			STORE(to_type, wrapped); \
		} \
		return !misfits; \
	} \
\
	static bool from##_to_##to(PARAMETERS) \
	{ \
		return step == 1 ? from##_wrap_##to(in, out, 1, n) : \
				   from##_wrap_##to(in, out, step, n); \
	}

/* Any number has its double and any integer its float. */
#define TO_REAL(to, to_type, from, from_type) \
	INLINE void from##_cast_##to(PARAMETERS) \
	{ \
		for (size_t i = 0; i < n; i++) { \
			VALUE(i, from_type, to_type); \
			STORE(to_type, x); \
		} \
	} \
\
	static bool from##_to_##to(PARAMETERS) \
	{ \
		if (step == 1) \
			from##_cast_##to(in, out, 1, n); \
		else \
			from##_cast_##to(in, out, step, n); \
		return true; \
	}

/*
 * The cast of a misfit is undefined, so a first look tells whether the whole
 * piece may be cast.  Limits are compared as doubles, where all are exact but
 * the greatest of 64 bits; these become 2^63 and 2^64, which fit here because
 * they do in libnetcdf.  The first look leaves them, and NaN, to the careful
 * loop.
 */
#define REAL_TO_INTEGER(to, to_type, least, greatest, nan, from, from_type) \
	static bool from##_careful_##to(PARAMETERS) \
	{ \
		const double min = (double)(least), max = (double)(greatest); \
		bool fits = true; \
\
		for (size_t i = 0; i < n; i++) { \
			VALUE(i, from_type, to_type); \
\
			if ((double)x >= min && (double)x < max) \
				STORE(to_type, x); \
			else if ((double)x == max) \
				STORE(to_type, greatest); \
			else if ((double)x < min || (double)x > max) \
				fits = false; \
			else \
				STORE(to_type, nan); \
		} \
		return fits; \
	} \
\
	static bool from##_to_##to(PARAMETERS) \
	{ \
		if (step != 1 || !from##_all_below(in, n, (least) != 0, \
						   (from_type)(greatest))) \
			return from##_careful_##to(in, out, step, n); \
		for (size_t i = 0; i < n; i++) { \
			from_type x; \
			to_type y; \
\
			memcpy(&x, in + i * sizeof(x), sizeof(x)); \
			y = (to_type)x; \
			memcpy(out + i * sizeof(y), &y, sizeof(y)); \
		} \
		return true; \
	}

/* Name, C type, least and greatest value, NaN. */
#define TO_INTEGERS(X, ...) \
	X(BYTE, signed char, SCHAR_MIN, SCHAR_MAX, 0, __VA_ARGS__) \
	X(SHORT, short, SHRT_MIN, SHRT_MAX, 0, __VA_ARGS__) \
	X(INT, int, INT_MIN, INT_MAX, INT_MIN, __VA_ARGS__) \
	X(UBYTE, unsigned char, 0, UCHAR_MAX, 0, __VA_ARGS__) \
	X(USHORT, unsigned short, 0, USHRT_MAX, 0, __VA_ARGS__) \
	X(UINT, unsigned, 0, UINT_MAX, 0, __VA_ARGS__) \
	X(INT64, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN, __VA_ARGS__) \
	X(UINT64, unsigned long long, 0, ULLONG_MAX, 1ULL << 63, __VA_ARGS__)

#define FROM_INTEGER(from, from_type) \
	TO_INTEGERS(INTEGER_TO_INTEGER, from, from_type) \
	TO_REAL(FLOAT, float, from, from_type) \
	TO_REAL(DOUBLE, double, from, from_type)

FROM_INTEGER(BYTE, signed char)
FROM_INTEGER(SHORT, short)
FROM_INTEGER(INT, int)
FROM_INTEGER(UBYTE, unsigned char)
FROM_INTEGER(USHORT, unsigned short)
FROM_INTEGER(UINT, unsigned)
FROM_INTEGER(INT64, long long)
FROM_INTEGER(UINT64, unsigned long long)
TO_INTEGERS(REAL_TO_INTEGER, FLOAT, float)
TO_INTEGERS(REAL_TO_INTEGER, DOUBLE, double)
TO_REAL(DOUBLE, double, FLOAT, float)

/* NaN passes, by either way. */
static bool DOUBLE_to_FLOAT(PARAMETERS)
{
	bool fits = true;

	if (step == 1 && DOUBLE_all_below(in, n, true, FLT_MAX)) {
		for (size_t i = 0; i < n; i++) {
			double x;
			float y;

			memcpy(&x, in + i * sizeof(x), sizeof(x));
			y = (float)x;
			memcpy(out + i * sizeof(y), &y, sizeof(y));
		}
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		VALUE(i, double, float);

		fits &= !(x > FLT_MAX) && !(x < -FLT_MAX);
		STORE(float, x > FLT_MAX  ? FLT_MAX :
			     x < -FLT_MAX ? -FLT_MAX :
					    x);
	}
	return fits;
}

#define ENTRY(to, to_type, least, greatest, nan, from) \
	[CLASSIC_##to] = from##_to_##to,

#define REAL_ENTRY(from, to) [CLASSIC_##to] = from##_to_##to

#define INTEGER_ENTRIES(from) \
	[CLASSIC_##from] = { TO_INTEGERS(ENTRY, from) REAL_ENTRY(from, FLOAT), \
			     REAL_ENTRY(from, DOUBLE) }

converter_fn *converter_of(enum classic_type from, enum classic_type to)
{
	static converter_fn *const table[][CLASSIC_UINT64 + 1] = {
		INTEGER_ENTRIES(BYTE),
		INTEGER_ENTRIES(SHORT),
		INTEGER_ENTRIES(INT),
		INTEGER_ENTRIES(UBYTE),
		INTEGER_ENTRIES(USHORT),
		INTEGER_ENTRIES(UINT),
		INTEGER_ENTRIES(INT64),
		INTEGER_ENTRIES(UINT64),
		[CLASSIC_FLOAT] = { TO_INTEGERS(ENTRY, FLOAT)
					    REAL_ENTRY(FLOAT, DOUBLE) },
		[CLASSIC_DOUBLE] = { TO_INTEGERS(ENTRY, DOUBLE)
					     REAL_ENTRY(DOUBLE, FLOAT) },
	};

	return table[from][to];
}
