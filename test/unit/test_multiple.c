/* SPDX-License-Identifier: MIT */
/*
 * Integers of all widths that have a factor in common come back, with holes
 * and without, and others are refused.
 */
#include "check.h"
#include "filter/multiple.h"

#define N 1000

static uint64_t elems[N], integers[N];
static uint8_t holes[N], raw[8 * N];

static void put(unsigned width, size_t i, uint64_t x)
{
	if (width == 1)
		((uint8_t *)elems)[i] = (uint8_t)x;
	else if (width == 2)
		((uint16_t *)(void *)elems)[i] = (uint16_t)x;
	else if (width == 4)
		((uint32_t *)(void *)elems)[i] = (uint32_t)x;
	else
		elems[i] = x;
}

static uint64_t load_be(const uint8_t *p, unsigned width)
{
	uint64_t x = 0;

	while (width-- > 0)
		x = x << 8 | *p++;
	return x;
}

/* minimum + k * factor for k from 0 to most, which fit the width. */
static void check(unsigned width, int64_t minimum, uint64_t factor,
		  uint64_t most, bool with_holes)
{
	const struct multiple_input in = { .width = (uint8_t)width,
					   .elems = elems,
					   .n = N,
					   .holes = with_holes ? holes : NULL };
	uint64_t seed = factor, values[N];
	const unsigned shift = 64 - 8 * width;
	struct multiple m;
	bool right = true;

	for (size_t i = 0; i < N; i++) {
		uint64_t k = check_random(&seed) % most + (i % 2);

		k = i == 0 ? 0 : i == 1 ? 1 : i == 2 ? most : k;
		values[i] = (uint64_t)minimum + k * factor;
		holes[i] = with_holes && i > 2 && i % 5 == 0;
		put(width, i, holes[i] ? 17 : values[i]);
	}
	CHECK(multiple_split(&in, &m, integers));
	CHECK_EQ_U64(m.factor, factor);
	CHECK_EQ_U64(m.minimum, (uint64_t)minimum);
	CHECK_EQ_U64(m.width, multiple_width(most));
	memset(raw, 0xee, sizeof(raw));
	multiple_join(&m, integers, N, (uint8_t)width, raw);
	for (size_t i = 0; i < N; i++)
		right = right &&
			(holes[i] || load_be(raw + i * width, width) ==
					     values[i] << shift >> shift);
	CHECK(right);
}

static void test_widths(void)
{
	for (unsigned with_holes = 0; with_holes < 2; with_holes++) {
		check(1, -128, 3, 85, with_holes);
		check(1, 0, 100, 1, with_holes);
		check(2, -32768, 255, 257, with_holes);
		check(2, -5, 2, 16000, with_holes);
		check(4, INT32_MIN, 2, INT32_MAX, with_holes);
		check(4, 1000003, 250, 255, with_holes);
		check(4, 7, 1000, 65535, with_holes);
		check(8, INT64_MIN, 2, INT64_MAX, with_holes);
		check(8, -1, 3, UINT32_MAX, with_holes);
		check(8, 0, UINT64_C(1) << 40, 100, with_holes);
	}
}

/* Without a factor, all alike, or with a single one that has none. */
static void test_refused(void)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		const struct multiple_input in = { .width = (uint8_t)width,
						   .elems = elems,
						   .n = N };
		struct multiple m;

		for (size_t i = 0; i < N; i++)
			put(width, i, i % 100);
		CHECK(!multiple_split(&in, &m, integers));
		for (size_t i = 0; i < N; i++)
			put(width, i, 55);
		CHECK(!multiple_split(&in, &m, integers));
		for (size_t i = 0; i < N; i++)
			put(width, i, i % 10 * 6);
		CHECK(multiple_split(&in, &m, integers));
		CHECK_EQ_U64(m.factor, 6);
		put(width, 501, 7);
		CHECK(!multiple_split(&in, &m, integers));
	}
}

/* What stands in holes counts nowhere, also where the first elements are some. */
static void test_holes_first(void)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		const struct multiple_input in = { .width = (uint8_t)width,
						   .elems = elems,
						   .n = N,
						   .holes = holes };
		struct multiple m;

		memset(holes, 1, sizeof(holes));
		for (size_t i = 0; i < N; i++)
			put(width, i, i < N / 2 ? i : 100 - i % 4 * 25);
		CHECK(!multiple_split(&in, &m, integers));
		memset(holes + N / 2, 0, N - N / 2);
		CHECK(multiple_split(&in, &m, integers));
		CHECK_EQ_U64(m.factor, 25);
		CHECK_EQ_U64(m.minimum, 25);
	}
}

int main(void)
{
	RUN(test_widths);
	RUN(test_holes_first);
	RUN(test_refused);
	return check_report();
}
