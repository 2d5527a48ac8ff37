/* SPDX-License-Identifier: MIT */
/*
 * An element x is an integer k by a divisor if k = x * divisor, rounded, gives
 * x back: bit for bit, which leaves out -0, infinities and NaNs.
 */
#include "filter/decimal.h"

#include <string.h>

#include "base/sizes.h"
#include "filter/divisor.h"
#include "filter/kernels.h"
#include "filter/multiple.h"

/* Elements looked at to find a divisor. */
#define NSAMPLES DIVISOR_NSAMPLES_MAX
/* Decimals of floats with more digits are often none. */
#define FLOAT_POWER_SURE 10000

uint64_t decimal_power(uint8_t exponent)
{
	uint64_t power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

int decimal_exponent(uint64_t divisor)
{
	int exponent = 0;

	for (; divisor % 10 == 0; divisor /= 10)
		exponent++;
	return divisor == 1 && exponent <= DECIMAL_EXPONENT_MAX ? exponent : -1;
}

/* Wider integers are worth it for short decimals, and where 1 / divisor is
 * more than the numbers' own precision. */
static unsigned bits_max(uint8_t width, uint64_t divisor)
{
	return width == 4 && divisor > FLOAT_POWER_SURE &&
			       decimal_exponent(divisor) >= 0 ?
		       16 :
		       8 * width;
}

size_t decimal_exceptions_max(size_t n)
{
	return n / 20;
}

/* Elements go through in pieces that stay in the cache. */
#define PIECE 1024

/* A sample of the elements that are no holes. */
static size_t collect_sample(const struct decimal_input *in, uint64_t *sample)
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

/*
 * Whether nearly all of a sample are integers by a divisor.  It is looked at in
 * pieces, as most divisors do not suit even the first.
 */
static bool fits_divisor(uint8_t width, const uint64_t *sample, size_t n,
			 uint64_t divisor)
{
	const uint8_t *elems = (const uint8_t *)sample;
	uint64_t integers[DIVISOR_PIECE];
	uint8_t good[DIVISOR_PIECE];
	/* A sample may have a few more than there are in all. */
	const size_t limit = n / DIVISOR_MISFITS;
	size_t nmisfits = 0;

	for (size_t i = 0; i < n && nmisfits <= limit; i += DIVISOR_PIECE) {
		size_t m = n - i < DIVISOR_PIECE ? n - i : DIVISOR_PIECE;

		decimal_kernels()->scale(width, elems + i * width, m,
					 (double)divisor, integers, good);
		nmisfits += m - mask_kernels()->count(good, m);
	}
	return nmisfits <= limit;
}

uint64_t decimal_find(const struct decimal_input *in)
{
	uint64_t sample[NSAMPLES], power = 0, divisor;
	size_t n = collect_sample(in, sample);

	for (uint8_t e = 0; n > 0 && e <= DECIMAL_EXPONENT_MAX && !power; e++)
		if (fits_divisor(in->width, sample, n, decimal_power(e)))
			power = decimal_power(e);
	if (power == 1 || n == 0)
		return power;
	divisor = divisor_find(in->width, sample, n);
	if (divisor > 0 && (power == 0 || divisor < power) &&
	    fits_divisor(in->width, sample, n, divisor))
		return divisor;
	return power;
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
	static uint64_t common_##bits(const int##bits##_t *k, size_t n) \
	{ \
		uint64_t factor = 0; \
\
		for (size_t i = 1; i < n && factor != 1; i++) \
			factor = multiple_factor( \
				factor, \
				k[i] < k[0] ? \
					(uint64_t)k[0] - (uint64_t)k[i] : \
					(uint64_t)k[i] - (uint64_t)k[0]); \
		return factor; \
	}

DEFINE_MEND(32)
DEFINE_MEND(64)

/* Where nothing has to be mended: the range is all there is to do. */
static void span(struct splitter *s, size_t n, const void *integers)
{
	int64_t least, most;

	decimal_kernels()->span(s->in->width, integers, n, &least, &most);
	s->least = least < s->least ? least : s->least;
	s->most = most > s->most ? most : s->most;
	s->last = s->in->width == 4 ? ((const int32_t *)integers)[n - 1] :
				      ((const int64_t *)integers)[n - 1];
}

static bool look_through(struct splitter *s, size_t begin, size_t n,
			 const uint8_t *good, void *integers)
{
	if (!s->in->holes && mask_kernels()->count(good, n) == n) {
		span(s, n, integers);
		return true;
	}
	return s->in->width == 4 ? mend_32(s, begin, n, good, integers) :
				   mend_64(s, begin, n, good, integers);
}

/* Divides by what integers, less the least, have in common: 1 mostly. */
#define DEFINE_REDUCE(bits) \
	static uint64_t reduce_##bits(struct splitter *s, int##bits##_t *k) \
	{ \
		const uint64_t least = (uint64_t)s->least; \
		uint64_t factor = 0; \
\
		for (size_t i = 0; i < s->in->n && factor != 1; i++) \
			if (k[i] >= s->least && k[i] <= s->most) \
				factor = multiple_factor( \
					factor, (uint64_t)k[i] - least); \
		if (factor < 2) \
			return 1; \
		for (size_t i = 0; i < s->in->n; i++) \
			k[i] = (int##bits##_t)(((uint64_t)k[i] - least) / \
					       factor); \
		s->most = (int64_t)(((uint64_t)s->most - least) / factor); \
		s->least = 0; \
		return factor; \
	}

DEFINE_REDUCE(32)
DEFINE_REDUCE(64)

/* Whether integers are too wide already, and have nothing in common. */
static bool is_hopeless(const struct splitter *s, unsigned bits,
			const void *integers, size_t n)
{
	const uint64_t range = (uint64_t)s->most - (uint64_t)s->least;

	if (bits >= 32 || s->least > s->most || range >> bits == 0)
		return false;
	return (s->in->width == 4 ? common_32(integers, n) :
				    common_64(integers, n)) == 1;
}

bool decimal_split(const struct decimal_input *in, struct decimal *d,
		   void *integers, uint32_t *places, void *scratch)
{
	const unsigned bits = bits_max(in->width, d->divisor);
	struct splitter s = {
		.in = in,
		.places = places,
		.least = INT64_MAX,
		.most = INT64_MIN,
	};
	const struct decimal_kernels *k = decimal_kernels();
	const uint8_t *elems = in->elems;
	uint8_t *wide = scratch, good[PIECE];

	for (size_t i = 0; i < in->n; i += PIECE) {
		size_t n = in->n - i < PIECE ? in->n - i : PIECE;

		k->scale(in->width, elems + i * in->width, n,
			 (double)d->divisor, wide + i * in->width, good);
		if (!look_through(&s, i, n, good, wide + i * in->width) ||
		    is_hopeless(&s, bits, wide + i * in->width, n))
			return false;
	}
	if (s.least > s.most)
		return false;
	d->minimum = s.least;
	d->nexceptions = s.nplaces;
	d->factor = in->width == 4 ? reduce_32(&s, scratch) :
				     reduce_64(&s, scratch);
	d->width = multiple_width((uint64_t)s.most - (uint64_t)s.least);
	if (8 * d->width > bits)
		return false;
	/* Places without a value before the first one may hold anything. */
	k->narrow(in->width, d->width, wide, in->n,
		  &(struct decimal_scale){ .minimum = s.least,
					   .maximum = s.most },
		  integers);
	return true;
}

/* No integer is larger than that. */
static uint64_t largest(const struct decimal *d, const void *integers, size_t n)
{
	int64_t least = 0, most = 0;

	if (d->width < 4)
		return d->width == 1 ? UINT8_MAX : UINT16_MAX;
	if (d->width > 4)
		return UINT64_MAX;
	if (n > 0)
		decimal_kernels()->span(4, integers, n, &least, &most);
	/* Those with the top bit are negative there. */
	return least < 0 ? UINT32_MAX : (uint64_t)most;
}

void decimal_join(const struct decimal *d, const void *integers, size_t n,
		  uint8_t width, uint8_t *raw)
{
	uint64_t most =
		size_mul_max(largest(d, integers, n), d->factor, INT64_MAX);
	const struct decimal_scale scale = {
		.power = (double)d->divisor,
		.factor = d->factor,
		.minimum = d->minimum,
		.maximum = d->minimum > INT64_MAX - (int64_t)most ?
				   INT64_MAX :
				   d->minimum + (int64_t)most,
	};

	decimal_kernels()->join(d->width, width, integers, n, &scale, raw);
}
