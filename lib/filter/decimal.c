/*
 * An element x is a decimal if k = x * 10^e, rounded to an integer, gives x
 * back: bit for bit, which leaves out -0, infinities and NaNs.  Rounding adds
 * and subtracts 3 * 2^51: then the integer also stands in the low bits of the
 * sum, and all of it is done by vector instructions.  The compiler must not
 * take that for nothing: no -ffast-math.
 */
#include "filter/decimal.h"

#include <string.h>

/* Elements looked at to find an exponent. */
#define NSAMPLES 512

/* 1.5 * 2^52: what is added to it is rounded to an integer. */
#define ROUNDER 6755399441055744.0

static const double powers[DECIMAL_EXPONENT_MAX + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
};

/* Wider integers are worth it for the first exponents only. */
static unsigned bits_max(uint8_t width, uint8_t exponent)
{
	return width == 4 && exponent > 4 ? 16 : 8 * width;
}

size_t decimal_exceptions_max(size_t n)
{
	return n / 50;
}

/*
 * k of each element, and in 'good' whether it gives the element back.  Limits
 * for k: what fits the integer, and what the rounding is good for.
 */
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

/* Elements go through in pieces that stay in the cache. */
#define PIECE 1024

static void scale(uint8_t width, const void *elems, size_t n, double power,
		  void *integers, uint8_t *good)
{
	if (width == 4)
		scale_32(elems, n, power, integers, good);
	else
		scale_64(elems, n, power, integers, good);
}

/* A sample of the elements that are no holes. */
static size_t collect(const struct decimal_input *in, uint64_t *sample)
{
	size_t step = in->n / NSAMPLES + 1, count = 0;
	const uint8_t *elems = in->elems;

	for (size_t i = 0; i < in->n; i += step) {
		size_t at = i;

		while (in->holes && at < in->n && in->holes[at])
			at++;
		if (at == in->n)
			break;
		memcpy((uint8_t *)sample + count++ * in->width,
		       elems + at * in->width, in->width);
		if (at > i)
			i = at / step * step;
	}
	return count;
}

static size_t count_good(const uint8_t *good, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += good[i];
	return count;
}

bool decimal_find(const struct decimal_input *in, uint8_t *exponent_ret)
{
	uint64_t sample[NSAMPLES], integers[NSAMPLES];
	uint8_t good[NSAMPLES];
	size_t n = collect(in, sample);

	for (uint8_t e = 0; n > 0 && e <= DECIMAL_EXPONENT_MAX; e++) {
		scale(in->width, sample, n, powers[e], integers, good);
		/* A sample may have a few more than there are in all. */
		if (n - count_good(good, n) <= n / 32) {
			*exponent_ret = e;
			return true;
		}
	}
	return false;
}

struct splitter {
	const struct decimal_input *in;
	uint32_t *places;
	size_t nplaces;
	int64_t last, least, most;
};

/* Puts the place of an exception down; false if there are too many. */
static bool add_exception(struct splitter *s, size_t place)
{
	if (s->nplaces == decimal_exceptions_max(s->in->n))
		return false;
	s->places[s->nplaces++] = (uint32_t)place;
	return true;
}

/*
 * Looks through a piece: range, exceptions, and a value for places that have
 * none.  What stands before the first value is set in the end.
 */
#define DEFINE_MEND(bits) \
	static bool mend_##bits(struct splitter *s, size_t begin, size_t n, \
				const uint8_t *good, int##bits##_t *k) \
	{ \
		const uint8_t *holes = s->in->holes ? s->in->holes + begin : \
						      NULL; \
\
		for (size_t i = 0; i < n; i++) { \
			if (holes && holes[i]) { \
				k[i] = (int##bits##_t)s->last; \
				continue; \
			} \
			if (!good[i]) { \
				if (!add_exception(s, begin + i)) \
					return false; \
				k[i] = (int##bits##_t)s->last; \
				continue; \
			} \
			s->last = k[i]; \
			if (s->last < s->least) \
				s->least = s->last; \
			if (s->last > s->most) \
				s->most = s->last; \
		} \
		return true; \
	} \
\
	/* Where that is not needed: the range is all there is to do. */ \
	static void span_##bits(struct splitter *s, size_t n, \
				const int##bits##_t *k) \
	{ \
		int##bits##_t least = k[0], most = k[0]; \
\
		for (size_t i = 0; i < n; i++) { \
			least = k[i] < least ? k[i] : least; \
			most = k[i] > most ? k[i] : most; \
		} \
		s->least = least < s->least ? least : s->least; \
		s->most = most > s->most ? most : s->most; \
		s->last = k[n - 1]; \
	}

DEFINE_MEND(32)
DEFINE_MEND(64)

static bool look_through(struct splitter *s, size_t begin, size_t n,
			 const uint8_t *good, void *integers)
{
	bool whole = !s->in->holes && count_good(good, n) == n;

	if (s->in->width == 4 && whole)
		span_32(s, n, integers);
	else if (s->in->width == 4)
		return mend_32(s, begin, n, good, integers);
	else if (whole)
		span_64(s, n, integers);
	else
		return mend_64(s, begin, n, good, integers);
	return true;
}

/*
 * Integers less the minimum, narrow.  Places without a value before the first
 * one may hold anything: they are clamped.
 */
#define DEFINE_NARROW(from, to) \
	static void narrow_##from##_##to(const void *wide, size_t n, \
					 const struct splitter *s, void *out) \
	{ \
		const int##from##_t *k = wide; \
		const int##from##_t least = (int##from##_t)s->least; \
		const int##from##_t most = (int##from##_t)s->most; \
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

static void narrow(const struct splitter *s, const void *wide, uint8_t width,
		   void *out)
{
	size_t n = s->in->n;
	bool is_float = s->in->width == 4;

	switch (width) {
	case 1:
		(is_float ? narrow_32_8 : narrow_64_8)(wide, n, s, out);
		break;
	case 2:
		(is_float ? narrow_32_16 : narrow_64_16)(wide, n, s, out);
		break;
	case 4:
		(is_float ? narrow_32_32 : narrow_64_32)(wide, n, s, out);
		break;
	default:
		narrow_64_64(wide, n, s, out);
		break;
	}
}

static uint8_t width_of(uint64_t range)
{
	return range <= UINT8_MAX  ? 1 :
	       range <= UINT16_MAX ? 2 :
	       range <= UINT32_MAX ? 4 :
				     8;
}

bool decimal_split(const struct decimal_input *in, struct decimal *d,
		   void *integers, uint32_t *places, void *scratch)
{
	struct splitter s = {
		.in = in,
		.places = places,
		.least = INT64_MAX,
		.most = INT64_MIN,
	};
	const uint8_t *elems = in->elems;
	uint8_t *wide = scratch, good[PIECE];

	for (size_t i = 0; i < in->n; i += PIECE) {
		size_t n = in->n - i < PIECE ? in->n - i : PIECE;

		scale(in->width, elems + i * in->width, n, powers[d->exponent],
		      wide + i * in->width, good);
		if (!look_through(&s, i, n, good, wide + i * in->width))
			return false;
	}
	if (s.least > s.most)
		return false;
	d->minimum = s.least;
	d->nexceptions = s.nplaces;
	d->width = width_of((uint64_t)s.most - (uint64_t)s.least);
	if (8 * d->width > bits_max(in->width, d->exponent))
		return false;
	narrow(&s, wide, d->width, integers);
	return true;
}

#define BE_32(x) __builtin_bswap32(x)
#define BE_64(x) __builtin_bswap64(x)
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#undef BE_32
#undef BE_64
#define BE_32(x) (x)
#define BE_64(x) (x)
#endif

/*
 * 'whole' is the type of the sums: 32 bits where they fit, as there are vector
 * instructions that convert them.
 */
#define DEFINE_JOIN(name, from, bits, real, whole, uwhole) \
	static void join_##name##_##from##_##bits(const void *integers, \
						  size_t n, \
						  const struct decimal *d, \
						  uint8_t *restrict raw) \
	{ \
		const uint##from##_t *q = integers; \
		const double power = powers[d->exponent]; \
		const uwhole minimum = (uwhole)d->minimum; \
\
		for (size_t i = 0; i < n; i++) { \
			whole k = (whole)(uwhole)(minimum + q[i]); \
			real value = (real)((double)k / power); \
			uint##bits##_t x; \
\
			memcpy(&x, &value, sizeof(x)); \
			x = BE_##bits(x); \
			memcpy(raw + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_JOIN(small, 8, 32, float, int32_t, uint32_t)
DEFINE_JOIN(small, 16, 32, float, int32_t, uint32_t)
DEFINE_JOIN(small, 32, 32, float, int32_t, uint32_t)
DEFINE_JOIN(small, 8, 64, double, int32_t, uint32_t)
DEFINE_JOIN(small, 16, 64, double, int32_t, uint32_t)
DEFINE_JOIN(small, 32, 64, double, int32_t, uint32_t)
DEFINE_JOIN(large, 8, 32, float, int64_t, uint64_t)
DEFINE_JOIN(large, 16, 32, float, int64_t, uint64_t)
DEFINE_JOIN(large, 32, 32, float, int64_t, uint64_t)
DEFINE_JOIN(large, 8, 64, double, int64_t, uint64_t)
DEFINE_JOIN(large, 16, 64, double, int64_t, uint64_t)
DEFINE_JOIN(large, 32, 64, double, int64_t, uint64_t)
DEFINE_JOIN(large, 64, 64, double, int64_t, uint64_t)

typedef void join_fn(const void *integers, size_t n, const struct decimal *d,
		     uint8_t *raw);

/* By sums that fit 32 bits, width of element, log2 of width of integer. */
static join_fn *const joins[2][2][4] = {
	{ { join_large_8_32, join_large_16_32, join_large_32_32, NULL },
	  { join_large_8_64, join_large_16_64, join_large_32_64,
	    join_large_64_64 } },
	{ { join_small_8_32, join_small_16_32, join_small_32_32, NULL },
	  { join_small_8_64, join_small_16_64, join_small_32_64, NULL } },
};

/* The largest integer, or what it may be. */
static uint64_t largest(const struct decimal *d, const void *integers, size_t n)
{
	const uint32_t *q = integers;
	uint32_t most = 0;

	if (d->width < 4)
		return d->width == 1 ? UINT8_MAX : UINT16_MAX;
	if (d->width > 4)
		return UINT64_MAX;
	for (size_t i = 0; i < n; i++)
		most = q[i] > most ? q[i] : most;
	return most;
}

void decimal_join(const struct decimal *d, const void *integers, size_t n,
		  uint8_t width, uint8_t *raw)
{
	static const uint8_t log2_of[] = { 0, 0, 1, 0, 2, 0, 0, 0, 3 };
	uint64_t most = largest(d, integers, n);
	bool is_small = d->width <= 4 && d->minimum >= INT32_MIN &&
			d->minimum <= (int64_t)INT32_MAX - (int64_t)most;

	joins[is_small][width == 8][log2_of[d->width]](integers, n, d, raw);
}
