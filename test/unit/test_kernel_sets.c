/* SPDX-License-Identifier: MIT */
/*
 * Oracle: the plain kernels, which the filters' tests check against simple
 * definitions.  Every other set that this processor can run gives the same
 * bytes, for every length up to some vectors, at odd addresses where bytes are
 * read or written, and for what holes there may be.
 */
#include <string.h>

#include "check.h"
#include "filter/kernels.h"

#define NMAX 203 /* elements: some vectors of any width, and a tail */
#define NBYTES (NMAX * sizeof(uint64_t))
#define GUARD 32 /* bytes behind, which nobody may touch */

static const uint8_t widths[] = { 1, 2, 4, 8 };

/* The set under test, the plain one, and what both work on. */
struct pair {
	const struct kernel_set *sets[2]; /* plain first */
	unsigned w;                       /* log2 of the width */
	size_t n, stride;
	uint64_t seed;
	uint64_t elems[2][NMAX + GUARD / 8];
	uint64_t others[2][NMAX + GUARD / 8];
	uint8_t bytes[NBYTES + GUARD];
	uint8_t outs[2][2 * NBYTES + GUARD];
	uint8_t holes[NMAX];
	size_t nkept;
};

/* New elements, the same for both; small ones now and then. */
static void renew(struct pair *p)
{
	unsigned shift = (unsigned)(check_random(&p->seed) % 3 * 28);

	for (size_t i = 0; i < NMAX + GUARD / 8; i++)
		p->elems[0][i] = check_random(&p->seed) >> shift;
	memcpy(p->elems[1], p->elems[0], sizeof(p->elems[0]));
	memset(p->others, 0x5a, sizeof(p->others));
	memset(p->outs, 0xa5, sizeof(p->outs));
	memcpy(p->bytes, p->elems[0], sizeof(p->bytes));
}

/* Holes at random, none, nearly all, or runs; one element at least is kept. */
static void renew_holes(struct pair *p)
{
	uint64_t kind = check_random(&p->seed) % 4;

	for (size_t i = 0; i < p->n; i++) {
		bool again = i > 0 && check_random(&p->seed) % 16 != 0;
		bool chance = check_random(&p->seed) % 16 < 15;

		p->holes[i] = kind == 0 ? 0 :
			      kind == 1 ? chance :
			      again     ? p->holes[i - 1] :
					  chance;
	}
	if (p->n > 0)
		p->holes[check_random(&p->seed) % p->n] = 0;
	p->nkept = p->n;
	for (size_t i = 0; i < p->n; i++)
		p->nkept -= p->holes[i];
}

static void same(const struct pair *p, const char *what)
{
	bool ok = !memcmp(p->elems[0], p->elems[1], sizeof(p->elems[0])) &&
		  !memcmp(p->others[0], p->others[1], sizeof(p->others[0])) &&
		  !memcmp(p->outs[0], p->outs[1], sizeof(p->outs[0]));

	if (!ok)
		fprintf(stderr, "%s: width %u, %zu elements, stride %zu\n",
			what, widths[p->w], p->n, p->stride);
	CHECK(ok);
}

#define BOTH(p, kind, call) \
	do { \
		renew(p); \
		for (unsigned s = 0; s < 2; s++) { \
			const struct kind##_kernels *k = \
				&(p)->sets[s]->kind[(p)->w]; \
\
			call; \
		} \
		same(p, #call); \
	} while (0)

static void compare_filters(struct pair *p)
{
	size_t odd = p->n % 3; /* bytes lie at any address */

	BOTH(p, filter, k->shuffle(p->elems[s], p->n, p->outs[s] + odd));
	BOTH(p, filter, k->unshuffle(p->bytes + odd, p->n, p->elems[s]));
	BOTH(p, filter, k->order(p->elems[s], p->n));
	BOTH(p, filter, k->unorder(p->elems[s], p->n));
	BOTH(p, filter, k->zigzag(p->elems[s], p->n));
	BOTH(p, filter, k->unzigzag(p->elems[s], p->n));
	BOTH(p, filter, k->delta(p->elems[s], p->n, p->stride, p->others[s]));
	BOTH(p, filter, k->undelta(p->elems[s], p->n, p->stride));
	BOTH(p, filter, k->undelta(p->elems[s], p->n, 1));
}

static void compare_holes(struct pair *p)
{
	size_t width = widths[p->w], counts[2];

	renew_holes(p);
	BOTH(p, hole, k->bridge(p->elems[s], p->n, p->holes));
	BOTH(p, hole, k->clear(p->elems[s], p->n, p->holes));
	BOTH(p, hole, k->expand(p->elems[s], p->nkept, p->n, p->holes));
	BOTH(p, hole,
	     (k->clear(p->elems[s], p->n, p->holes),
	      k->undelta_bridged(p->elems[s], p->n, p->stride, p->holes)));
	BOTH(p, hole,
	     (k->clear(p->elems[s], p->n, p->holes),
	      k->undelta_cleared(p->elems[s], p->n, p->stride, p->holes)));
	BOTH(p, hole, k->copy_first(p->elems[s], p->n, p->holes, p->others[s]));
	BOTH(p, hole, k->fill(p->bytes, p->holes, p->n, p->outs[s] + 1));
	/* What is behind the kept elements is nobody's. */
	BOTH(p, hole,
	     (k->compact(p->elems[s], p->n, p->holes),
	      memset((uint8_t *)p->elems[s] + p->nkept * width, 0,
		     (p->n - p->nkept) * width)));
	BOTH(p, hole,
	     counts[s] = k->mark(p->elems[s], p->n,
				 (uint8_t *)p->elems[s] + p->n / 2 * width,
				 p->outs[s]));
	CHECK_EQ_U64(counts[0], counts[1]);
}

static void compare_masks(struct pair *p)
{
	size_t counts[2];

	renew(p);
	renew_holes(p);
	for (unsigned s = 0; s < 2; s++) {
		const struct mask_kernels *k = p->sets[s]->mask;

		k->unpack(p->bytes, p->n, p->outs[s]);
		k->unxor(p->outs[s], p->n, p->stride);
		counts[s] = k->count(p->holes, p->n);
	}
	same(p, "mask");
	CHECK_EQ_U64(counts[0], p->n - p->nkept);
	CHECK_EQ_U64(counts[1], p->n - p->nkept);
}

/* Floats or doubles, of which some are decimals. */
static void renew_numbers(struct pair *p, unsigned width)
{
	for (size_t i = 0; i < NMAX; i++) {
		double number = (double)(int64_t)(p->elems[0][i] % 200001) /
				(i % 7 == 0 ? 99.0 : 100.0);
		float narrow = (float)number;

		if (width == 4)
			memcpy((float *)p->elems[0] + i, &narrow, 4);
		else
			memcpy(&p->elems[0][i], &number, 8);
	}
	memcpy(p->elems[1], p->elems[0], sizeof(p->elems[0]));
}

static void compare_decimals(struct pair *p, uint8_t width, uint8_t narrow)
{
	const struct decimal_scale scale = {
		.power = 100,
		.factor = 1 + check_random(&p->seed) % 3,
		.minimum = -(int64_t)(check_random(&p->seed) % 1000),
		.maximum = (int64_t)(check_random(&p->seed) % 30000),
	};
	int64_t least[2] = { 0 }, most[2] = { 0 };

	renew(p);
	renew_numbers(p, width);
	for (unsigned s = 0; s < 2; s++) {
		const struct decimal_kernels *k = p->sets[s]->decimal;

		k->scale(width, p->elems[s], p->n, 100, p->others[s],
			 p->outs[s]);
		if (p->n > 0)
			k->span(width, p->others[s], p->n, &least[s], &most[s]);
		k->narrow(width, narrow, p->others[s], p->n, &scale,
			  p->elems[s]);
		k->join(narrow, width, p->elems[s], p->n, &scale,
			p->outs[s] + NMAX);
	}
	CHECK(least[0] == least[1] && most[0] == most[1]);
	same(p, "decimal");
}

static void compare_lengths(struct pair *p)
{
	for (p->n = 0; p->n < NMAX; p->n++) {
		p->stride = 1 + check_random(&p->seed) % (p->n + 9);
		compare_masks(p);
		for (p->w = 0; p->w < 4; p->w++) {
			compare_filters(p);
			compare_holes(p);
		}
		for (uint8_t narrow = 1; narrow <= 8; narrow *= 2) {
			compare_decimals(p, 8, narrow);
			if (narrow < 8)
				compare_decimals(p, 4, narrow);
		}
	}
}

static void test_sets_agree(void)
{
	const struct kernel_set *sets[KERNEL_SETS_MAX];
	size_t nsets = kernel_sets(sets);
	static struct pair p;

	CHECK(nsets >= 1 && nsets <= KERNEL_SETS_MAX);
	CHECK(!strcmp(sets[nsets - 1]->name, "plain"));
	CHECK(filter_kernels(2) == &sets[0]->filter[1]);
	p.sets[0] = sets[nsets - 1];
	for (size_t i = 0; i + 1 < nsets; i++) {
		p.sets[1] = sets[i];
		for (unsigned round = 0; round < 8; round++)
			compare_lengths(&p);
	}
}

/* What the specification says of a decimal of 4 bytes, in big-endian bytes. */
static void slow_join(int64_t integer, double power, uint8_t *bytes)
{
	float value = (float)((double)integer / power);
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(bits >> (24 - 8 * i));
}

#define NJOINED 65536

static void check_joined(const struct kernel_set *set, double power,
			 int64_t minimum)
{
	static uint16_t integers[NJOINED];
	static uint8_t joined[4 * NJOINED], expected[4 * NJOINED];
	const struct decimal_scale scale = {
		.power = power,
		.factor = 1,
		.minimum = minimum,
		.maximum = minimum + UINT16_MAX,
	};

	for (size_t i = 0; i < NJOINED; i++) {
		integers[i] = (uint16_t)i;
		slow_join(minimum + (int64_t)i, power, expected + 4 * i);
	}
	set->decimal->join(2, 4, integers, NJOINED, &scale, joined);
	CHECK_MEM_EQ(joined, expected, sizeof(joined));
}

/* Divisions of floats give what divisions of doubles give, on all sides. */
static void test_joined_floats(void)
{
	static const int64_t minima[] = {
		0,
		-32768,
		65536,
		1000000,
		(1 << 24) - 65535,
		(1 << 24) - 65534,
		-(1 << 24),
		-(1 << 24) - 1,
		INT32_MAX - 65535,
		INT64_C(1) << 40,
	};
	static const double divisors[] = {
		1,    10,       100,      1e3,      1e4,
		1e5,  1e6,      1e7,      1e8,      1e9,
		1e10, 1e11,     1e12,     3,        144,
		676,  16777215, 16777216, 16777217, 4503599627370497,
	};
	const struct kernel_set *sets[KERNEL_SETS_MAX];
	size_t nsets = kernel_sets(sets);

	for (unsigned d = 0; d < sizeof(divisors) / sizeof(*divisors); d++)
		for (size_t m = 0; m < sizeof(minima) / sizeof(*minima); m++)
			for (size_t i = 0; i < nsets; i++)
				check_joined(sets[i], divisors[d], minima[m]);
}

int main(void)
{
	RUN(test_sets_agree);
	RUN(test_joined_floats);
	return check_report();
}
