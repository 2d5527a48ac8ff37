/* SPDX-License-Identifier: MIT */
/*
 * A number x = m * 2^-s that was rounded stands for all between (m - 1/2) *
 * 2^-s and (m + 1/2) * 2^-s.  Of the fractions in there, the one with the
 * smallest denominator is found by continued fractions, and it is x's own if x
 * is small enough for its denominator.  So numbers are looked at from the
 * smallest on, and the divisor is the least common multiple of what they say;
 * what would make it too large to say anything is an exception.  All of it is
 * done with integers: the same on every machine.
 */
#include "filter/divisor.h"

#include <stdbool.h>

#include "base/sizes.h"
#include "filter/kernels.h"
#include "filter/key_sort.h"
#include "filter/multiple.h"

/* Larger ones say nothing of floats, and little of doubles. */
#define DIVISOR_MAX (UINT64_C(1) << 40)
/* Lattices are at least one bit coarser than numbers. */
#define COARSER_BITS 1
/* Bits of the numbers that are divided. */
#define NBITS 62

/* mantissa / 2^shift */
struct magnitude {
	uint64_t mantissa;
	int shift;
};

/* Of the bits of a number without sign; huge for infinities and NaNs. */
static struct magnitude magnitude_of(uint8_t width, uint64_t bits)
{
	const int nbits = width == 4 ? 23 : 52;
	const int bias = width == 4 ? 127 + 23 : 1023 + 52;
	const uint64_t one = UINT64_C(1) << nbits;
	int exponent = (int)(bits >> nbits);

	if (exponent == 0)
		return (struct magnitude){ bits, bias - 1 };
	return (struct magnitude){ one | (bits & (one - 1)), bias - exponent };
}

/* a / c and b / d */
struct interval {
	uint64_t a, c, b, d;
};

/*
 * The smallest denominator of a fraction from a / c to b / d: one step of a
 * continued fraction after the other.  More than DIVISOR_MAX: some such number.
 */
static uint64_t simplest_denominator(struct interval i)
{
	uint64_t q = 0, before = 1;

	while (q <= DIVISOR_MAX) {
		uint64_t whole = i.a / i.c;
		bool ends = i.a % i.c == 0 || i.b / i.d > whole;
		uint64_t next;

		if (ends)
			whole += i.a % i.c != 0;
		next = size_mul_max(whole, q, DIVISOR_MAX) + before;
		before = q;
		q = next;
		if (ends)
			break;
		/* What is left is less than 1; its inverse goes on. */
		i = (struct interval){ .a = i.d,
				       .c = i.b - whole * i.d,
				       .b = i.c,
				       .d = i.a - whole * i.c };
	}
	return q;
}

/* The denominator that a number seems to have, 0 if it is too small. */
static uint64_t denominator_of(struct magnitude m)
{
	uint64_t low = 2 * m.mantissa - 1, high = low + 2, below;
	int excess = m.shift + 1 - NBITS;

	if (m.shift <= 0)
		return 1;
	if (excess > 0) {
		if (excess >= NBITS || high >> excess == 0)
			return 0;
		low >>= excess;
		high = (high >> excess) + 1;
	}
	below = UINT64_C(1) << (excess > 0 ? NBITS : m.shift + 1);
	return simplest_denominator((struct interval){
		.a = low, .c = below, .b = high, .d = below });
}

/* The numbers without signs, sorted: bits, and as elements. */
struct sample {
	uint8_t width;
	size_t n;
	const uint64_t *bits;
	void *elems;
	uint64_t memory[2][DIVISOR_NSAMPLES_MAX]; /* of both */
};

static void sort_sample(struct sample *s, const void *elems)
{
	const uint64_t sign = UINT64_C(1) << (8 * s->width - 1);
	uint64_t *keys = s->memory[0];

	for (size_t i = 0; i < s->n; i++)
		keys[i] = (s->width == 4 ? ((const uint32_t *)elems)[i] :
					   ((const uint64_t *)elems)[i]) &
			  ~sign;
	keys = key_sort(keys, s->memory[1], s->n, s->width);
	s->bits = keys;
	s->elems = keys == s->memory[0] ? s->memory[1] : s->memory[0];
	for (size_t i = 0; i < s->n; i++)
		if (s->width == 4)
			((uint32_t *)s->elems)[i] = (uint32_t)keys[i];
		else
			((uint64_t *)s->elems)[i] = keys[i];
}

/* The divisor that suits nine in ten numbers; 0 if none does. */
static uint64_t largest_divisor(const struct sample *s)
{
	int shift = magnitude_of(s->width, s->bits[s->n * 9 / 10]).shift;

	if (shift < COARSER_BITS)
		return 0;
	return shift - COARSER_BITS < 40 ?
		       UINT64_C(1) << (shift - COARSER_BITS) :
		       DIVISOR_MAX;
}

/* The first number from 'first' on that is no multiple of 1 / divisor. */
static size_t find_misfit(const struct sample *s, uint64_t divisor,
			  size_t first)
{
	const uint8_t *elems = s->elems;
	uint64_t integers[DIVISOR_PIECE];
	uint8_t good[DIVISOR_PIECE];

	for (size_t i = first; i < s->n; i += DIVISOR_PIECE) {
		size_t n = size_min(s->n - i, DIVISOR_PIECE), at = 0;

		decimal_kernels()->scale(s->width, elems + i * s->width, n,
					 (double)divisor, integers, good);
		while (at < n && good[at])
			at++;
		if (at < n)
			return i + at;
	}
	return s->n;
}

/* Integers by a divisor among the numbers from 'first' on, of one piece. */
static size_t count_integers(const struct sample *s, uint64_t divisor,
			     size_t first)
{
	const uint8_t *elems = s->elems;
	const size_t n = size_min(s->n, DIVISOR_PIECE);
	uint64_t integers[DIVISOR_PIECE];
	uint8_t good[DIVISOR_PIECE];
	size_t count = 0;

	first = size_min(first, s->n - n);
	decimal_kernels()->scale(s->width, elems + first * s->width, n,
				 (double)divisor, integers, good);
	for (size_t i = 0; i < n; i++)
		count += good[i];
	return count;
}

/*
 * Whether number i has told a better divisor: others need it too.  A number
 * that is no fraction like the others suits some divisor by chance.
 */
static bool is_better(const struct sample *s, uint64_t divisor, uint64_t now,
		      size_t i)
{
	return count_integers(s, divisor, i) > count_integers(s, now, i) + 1;
}

uint64_t divisor_find(uint8_t width, const void *elems, size_t n)
{
	uint64_t divisor = 1, limit;
	size_t nmisfits = 0;
	struct sample s;

	if (n == 0)
		return 0;
	s.width = width;
	s.n = n;
	sort_sample(&s, elems);
	limit = largest_divisor(&s);
	for (size_t i = find_misfit(&s, 1, 0); i < n;) {
		struct magnitude m = magnitude_of(width, s.bits[i]);
		uint64_t q = denominator_of(m), all = DIVISOR_MAX;

		if (q > 0 && q <= DIVISOR_MAX)
			all = size_mul_max(divisor /
						   multiple_factor(divisor, q),
					   q, DIVISOR_MAX);
		if (all < DIVISOR_MAX && all <= limit &&
		    is_better(&s, all, divisor, i)) {
			divisor = all;
		} else if (++nmisfits > n / DIVISOR_MISFITS) {
			return 0;
		}
		i = find_misfit(&s, divisor, i + 1);
	}
	return divisor <= limit ? divisor : 0;
}
