/* SPDX-License-Identifier: MIT */
/* Tables are sorted like numbers, without gaps, and give the elements back. */
#include "check.h"
#include "filter/palette.h"

#define N 5000

static struct palette_memory memory;

static double number_of(const uint8_t *be, unsigned width, bool is_float)
{
	uint64_t bits = 0;
	uint32_t narrow_bits;
	float narrow;
	double value;

	for (unsigned k = 0; k < width; k++)
		bits = bits << 8 | be[k];
	narrow_bits = (uint32_t)bits;
	memcpy(&narrow, &narrow_bits, 4);
	memcpy(&value, &bits, 8);
	if (is_float)
		return width == 4 ? (double)narrow : value;
	return (double)((int64_t)(bits << (64 - 8 * width)) >>
			(64 - 8 * width));
}

/* Elements in memory, and the same big-endian. */
static void make(uint8_t *elems, uint8_t *raw, unsigned width, bool is_float,
		 size_t nvalues)
{
	uint64_t seed = nvalues;

	for (size_t i = 0; i < N; i++) {
		int64_t v = (int64_t)(check_random_below(&seed, nvalues)) -
			    (int64_t)nvalues / 2;
		float narrow = (float)v / 3;
		double wide = (double)v / 3;
		uint32_t narrow_bits;
		uint64_t bits = (uint64_t)v;

		memcpy(&narrow_bits, &narrow, 4);
		if (is_float && width == 8)
			memcpy(&bits, &wide, 8);
		else if (is_float)
			bits = narrow_bits;
		for (unsigned k = 0; k < width; k++)
			raw[i * width + k] =
				(uint8_t)(bits >> 8 * (width - 1 - k));
		if (width == 2)
			((uint16_t *)(void *)elems)[i] = (uint16_t)bits;
		else if (width == 4)
			((uint32_t *)(void *)elems)[i] = (uint32_t)bits;
		else
			((uint64_t *)(void *)elems)[i] = bits;
	}
}

static void check_palette(unsigned width, bool is_float, size_t nvalues)
{
	uint8_t *elems = malloc((size_t)N * 8), *raw = malloc((size_t)N * 8);
	uint8_t *table = malloc((size_t)N * 8), *ranks = malloc((size_t)N * 2);
	struct palette_input in = { .width = (uint8_t)width,
				    .is_float = is_float,
				    .elems = elems,
				    .n = N,
				    .nvalues_max = N / 2 };
	struct palette p;

	make(elems, raw, width, is_float, nvalues);
	REQUIRE(palette_split(&in, &p, table, ranks, &memory));
	CHECK(p.nvalues <= nvalues);
	CHECK_EQ_U64(p.width, p.nvalues <= 256 ? 1 : 2);
	for (size_t i = 1; i < p.nvalues; i++)
		CHECK(number_of(table + (i - 1) * width, width, is_float) <
		      number_of(table + i * width, width, is_float));
	memset(elems, 0, (size_t)N * width);
	CHECK(palette_join(&p, table, ranks, N, (uint8_t)width, elems));
	CHECK_MEM_EQ(elems, raw, (size_t)N * width);
	/* A table that ends too early. */
	p.nvalues--;
	CHECK(!palette_join(&p, table, ranks, N, (uint8_t)width, elems));
	free(elems);
	free(raw);
	free(table);
	free(ranks);
}

static void test_tables(void)
{
	static const size_t counts[] = { 2, 3, 100, 256, 257, 1000 };

	for (unsigned width = 2; width <= 8; width *= 2)
		for (size_t i = 0; i < 6; i++) {
			check_palette(width, false, counts[i]);
			if (width >= 4)
				check_palette(width, true, counts[i]);
		}
}

/* Holes are no values, and take the rank before. */
static void test_holes(void)
{
	const uint32_t elems[] = { 99, 5, 5, 99, 7, 99, 5, 7, 5, 99 };
	const uint8_t holes[] = { 1, 0, 0, 1, 0, 1, 0, 0, 0, 1 };
	static const uint8_t expected[] = { 0, 0, 0, 0, 1, 1, 0, 1, 0, 0 };
	const struct palette_input in = { .width = 4,
					  .elems = elems,
					  .n = 10,
					  .nvalues_max = 3,
					  .holes = holes };
	uint8_t table[40], ranks[20];
	struct palette p;

	REQUIRE(palette_split(&in, &p, table, ranks, &memory));
	CHECK_EQ_U64(p.nvalues, 2);
	CHECK_MEM_EQ(ranks, expected, 10);
}

/* Whether so many values out of some more elements are a palette. */
static bool has_palette(unsigned width, size_t nvalues, size_t max)
{
	const size_t n = 98304;
	uint8_t *elems = malloc(n * width), *table = malloc(n * width);
	uint16_t *ranks = malloc(n * 2);
	const struct palette_input in = { .width = (uint8_t)width,
					  .elems = elems,
					  .n = n,
					  .nvalues_max = max };
	struct palette p = { 0 };
	bool done;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = i % nvalues * 0x9e3779b97f4a7c15;

		if (width == 2)
			((uint16_t *)(void *)elems)[i] =
				(uint16_t)(i % nvalues);
		else if (width == 4)
			((uint32_t *)(void *)elems)[i] = (uint32_t)value;
		else
			((uint64_t *)(void *)elems)[i] = value;
	}
	done = palette_split(&in, &p, table, ranks, &memory);
	CHECK(!done || p.nvalues == nvalues);
	free(elems);
	free(table);
	free(ranks);
	return done;
}

/* No more than the limit, found by counting a sample or all of them. */
static void test_limits(void)
{
	static const size_t counts[] = { 1, 3, 4096, 4097, 50000, 65535 };

	for (unsigned width = 2; width <= 8; width *= 2)
		for (size_t i = 0; i < 6; i++) {
			CHECK(has_palette(width, counts[i], counts[i]));
			CHECK(has_palette(width, counts[i], 65536));
			CHECK(!has_palette(width, counts[i] + 1, counts[i]));
			CHECK(!has_palette(width, 65536, counts[i]));
		}
	CHECK(has_palette(4, 65536, 65536));
	CHECK(!has_palette(4, 65537, 65536));
	CHECK(!has_palette(4, 1, 0));
}

int main(void)
{
	RUN(test_tables);
	RUN(test_holes);
	RUN(test_limits);
	return check_report();
}
