/* SPDX-License-Identifier: MIT */
/*
 * Oracle: extrapolate as the specification has it, number by number; and bytes
 * that every machine must make.
 */
#include <math.h>

#include "base/checksum.h"
#include "check.h"
#include "filter/filter.h"

#define N 211

/* The sets of strides in their order, as bits. */
static const unsigned char sets[] = { 7, 6, 5, 4, 3, 2, 1 };

struct field {
	unsigned width;
	uint64_t bits[N]; /* with holes bridged */
	uint8_t holes[N];
};

static double number_of(unsigned width, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	double wide;
	float narrow;

	memcpy(&wide, &bits, sizeof(wide));
	memcpy(&narrow, &low, sizeof(narrow));
	return width == 8 ? wide : (double)narrow;
}

static uint64_t bits_of(unsigned width, double number)
{
	float narrow = (float)number;
	uint64_t wide_bits;
	uint32_t narrow_bits;

	memcpy(&wide_bits, &number, sizeof(wide_bits));
	memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
	return width == 8 ? wide_bits : narrow_bits;
}

static uint64_t order(unsigned width, uint64_t x)
{
	uint64_t top = UINT64_C(1) << (8 * width - 1);

	return x & top ? ~x & (2 * top - 1) : x + top;
}

static uint64_t predict(const struct field *f, const uint32_t *strides,
			unsigned nstrides, size_t i)
{
	uint64_t p;
	double sum = 0;

	for (size_t k = 0; k < sizeof(sets); k++) {
		uint64_t distance = 0;
		unsigned size = 0;

		if (sets[k] >= 1u << nstrides)
			continue;
		for (unsigned b = 0; b < nstrides; b++) {
			distance += sets[k] >> b & 1 ? strides[b] : 0;
			size += sets[k] >> b & 1;
		}
		if (distance > i)
			continue;
		if (size == 2)
			sum = sum - number_of(f->width, f->bits[i - distance]);
		else
			sum = sum + number_of(f->width, f->bits[i - distance]);
	}
	p = bits_of(f->width, sum);
	if (isfinite(number_of(f->width, p)))
		return p;
	return strides[0] <= i ? f->bits[i - strides[0]] : 0;
}

/* What is left of the kept elements; their number. */
static size_t slow_extrapolate(const struct field *f, size_t n,
			       const uint32_t *strides, unsigned nstrides,
			       uint64_t *out)
{
	uint64_t mask = f->width == 8 ? UINT64_MAX : UINT32_MAX;
	bool has_holes = memchr(f->holes, 1, n) != NULL;
	size_t nkept = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = order(f->width, f->bits[i]);

		if (f->holes[i])
			continue;
		if (nkept > 0 || !has_holes)
			x -= order(f->width, predict(f, strides, nstrides, i));
		out[nkept++] = x & mask;
	}
	return nkept;
}

/* Number 'kind' of those that differ in what they are hard for. */
static uint64_t make(unsigned width, unsigned kind, size_t i, uint64_t *seed)
{
	static const uint64_t odd[] = {
		0,
		1,
		UINT64_C(0x7ff0000000000000),
		UINT64_C(0x7f800000),
		UINT64_C(0x7ff8000000000001),
		UINT64_C(0x7fc00001),
		UINT64_C(0x8000000000000000),
		UINT64_C(0x80000000),
		UINT64_C(0x7fefffffffffffff),
		UINT64_C(0x7f7fffff),
		UINT64_C(0x000fffffffffffff),
		UINT64_C(0x007fffff),
	};
	uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
	double x = (double)i;

	if (kind == 0)
		return check_random(seed) & mask;
	if (kind == 1)
		return odd[check_random_below(seed, 12)] & mask;
	return bits_of(width, kind == 2 ? x * x / 7 - 3 * x :
					  (double)(i % 20) * 0.1 + x / 300);
}

static void make_field(struct field *f, size_t n, unsigned kind,
		       unsigned pattern, uint64_t *seed)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		f->bits[i] = make(f->width, kind, i, seed);
		f->holes[i] = pattern == 1 ? i % 3 == 0 :
			      pattern == 2 ? (check_random(seed) & 1) != 0 :
			      pattern == 3 ? i < n / 2 :
					     0;
	}
	f->holes[n - 1] = 0;
	while (f->holes[first])
		first++;
	for (size_t i = 0; i < n; i++)
		if (f->holes[i])
			f->bits[i] = f->bits[i > first ? i - 1 : first];
}

static void check_field(const struct field *f, size_t n,
			const struct filter_chain *chain,
			const uint32_t *strides, unsigned nstrides)
{
	uint64_t wanted[N], elems[N], out[N], scratch[N], again[N];
	size_t nkept = slow_extrapolate(f, n, strides, nstrides, wanted);
	const struct filter_elems e = {
		.width = (uint8_t)f->width,
		.n = n,
		.holes = memchr(f->holes, 1, n) ? f->holes : NULL,
		.nkept = nkept,
	};
	const uint8_t *left;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < f->width; k++)
			((uint8_t *)elems)[i * f->width + k] =
				(uint8_t)(f->bits[i] >> 8 * (f->width - 1 - k));
	filter_load(e.width, (uint8_t *)elems, n, elems);
	memcpy(filter_place(chain, (uint8_t *)out, (uint8_t *)scratch), elems,
	       n * f->width);
	left = filter_predict(chain, &e, (uint8_t *)out, (uint8_t *)scratch);
	for (size_t i = 0; i < nkept; i++) {
		uint32_t narrow;
		uint64_t wide = 0;

		memcpy(&narrow, left + i * f->width, sizeof(narrow));
		memcpy(&wide, left + i * f->width, f->width);
		CHECK_EQ_U64(f->width == 8 ? wide : narrow, wanted[i]);
	}
	memmove(out, left, nkept * f->width);
	filter_lay_out(chain, e.width, nkept, (uint8_t *)out,
		       (uint8_t *)scratch);
	filter_restore(chain, &e, (uint8_t *)out, again, scratch);
	for (size_t i = 0; i < n; i++)
		if (!f->holes[i])
			CHECK_MEM_EQ((uint8_t *)again + i * f->width,
				     (uint8_t *)elems + i * f->width, f->width);
}

static void test_definition(void)
{
	static const uint32_t strides[][3] = {
		{ 1 },
		{ 7 },
		{ 1, 1 },
		{ 1, 20 },
		{ 20, 1 },
		{ 20, 20 },
		{ 1, 1, 1 },
		{ 1, 1, 20 },
		{ 20, 20, 20 },
		{ 1, 20, 60 },
		{ 3, UINT32_MAX, UINT32_MAX },
		{ UINT32_MAX },
	};
	static const size_t lengths[] = { 1, 2, 3, 8, 33, N };
	static struct field f;
	uint64_t seed = 41;

	for (unsigned round = 0; round < 2 * 6 * 12 * 4 * 4; round++) {
		const uint32_t *s = strides[round / 12 % 12];
		size_t n = lengths[round / 2 % 6];
		struct filter_chain chain = { 0 };

		f.width = round % 2 ? 4 : 8;
		make_field(&f, n, round / 144 % 4, round / 576, &seed);
		filter_chain_add(&chain, NC3Z_FILTER_EXTRAPOLATE, 0);
		for (unsigned i = 0; i < 3 && s[i] > 0; i++)
			filter_chain_add(&chain, NC3Z_FILTER_DELTA, s[i]);
		CHECK(filter_chain_valid(&chain));
		CHECK_EQ_U64(filter_chain_width_min(&chain), 4);
		check_field(&f, n, &chain, s, chain.nsteps - 1u);
	}
}

/*
 * Sums that differ if anything is fused, kept too long or flushed: the CRC-32
 * of what is left of them is the same everywhere.
 */
static void test_same_everywhere(void)
{
	static uint8_t raw[8 * N], coded[8 * N], scratch[8 * N];
	static const uint32_t wanted[2] = { 0x88de753d, 0x2a1e4744 };
	uint64_t seed = 5;

	for (unsigned w = 0; w < 2; w++) {
		const unsigned width = w ? 8 : 4;
		struct filter_chain chain = { 0 };

		filter_chain_add(&chain, NC3Z_FILTER_EXTRAPOLATE, 0);
		filter_chain_add(&chain, NC3Z_FILTER_DELTA, 1);
		filter_chain_add(&chain, NC3Z_FILTER_DELTA, 1);
		filter_chain_add(&chain, NC3Z_FILTER_DELTA, 20);
		for (size_t i = 0; i < N; i++) {
			/* Of all sizes, subnormal ones too. */
			uint64_t bits = make(width, 0, i, &seed);

			if (i % 5 == 0)
				bits &= width == 8 ?
						UINT64_C(0x801fffffffffffff) :
						UINT64_C(0x80ffffff);
			for (unsigned k = 0; k < width; k++)
				raw[i * width + k] =
					(uint8_t)(bits >> 8 * (width - 1 - k));
		}
		filter_apply(&chain, (uint8_t)width, raw, N * width, coded,
			     scratch);
		CHECK_EQ_U64(crc32_of(coded, N * width), wanted[w]);
	}
}

int main(void)
{
	RUN(test_definition);
	RUN(test_same_everywhere);
	return check_report();
}
