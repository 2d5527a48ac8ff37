/* SPDX-License-Identifier: MIT */
/* Corners of the cells of a grid, and codes that lead nowhere. */
#include "check.h"
#include "filter/repeat.h"

#define NX 50
#define NY 40
#define N ((size_t)NX * NY * 4)

/* Corners of cells, counter-clockwise, of width bytes each. */
static void make_corners(uint8_t width, uint8_t *elems)
{
	static const unsigned dx[] = { 0, 1, 1, 0 }, dy[] = { 0, 0, 1, 1 };

	for (size_t i = 0; i < N; i++) {
		uint64_t seed = (i / 4 / NX + dy[i % 4]) * 1000 + i / 4 % NX +
				dx[i % 4];
		uint64_t x = check_random(&seed);

		memcpy(elems + i * width, &x, width);
	}
}

static void test_corners(void)
{
	static const uint8_t widths[] = { 4, 8 };
	static uint8_t elems[8 * N], again[8 * N], codes[N], holes[N];

	for (size_t w = 0; w < sizeof(widths); w++) {
		const struct repeat_input in = { widths[w], elems, N, 4,
						 4 * NX };
		struct repeat_distances d;
		size_t nholes, found;

		make_corners(in.width, elems);
		d = repeat_find(&in);
		CHECK(d.n >= 2);
		nholes = repeat_mark(&in, &d, codes);
		/* All but one corner of a cell, and those of two edges. */
		CHECK(nholes >= N * 2 / 3);
		CHECK(repeat_unpack(codes, N, &d, holes, &found));
		CHECK_EQ_U64(found, nholes);
		for (size_t i = 0; i < N; i++) {
			CHECK(holes[i] == (codes[i] > 0));
			memset(again + i * in.width, 0xee, in.width);
			if (!holes[i])
				memcpy(again + i * in.width,
				       elems + i * in.width, in.width);
		}
		repeat_fill(in.width, codes, N, &d, again);
		CHECK_MEM_EQ(again, elems, N * in.width);
	}
}

/* Noise, hardly an element, and values that only repeat their neighbours. */
static void test_nothing_found(void)
{
	static uint32_t elems[N];
	struct repeat_input in = { 4, elems, N, 100, 2000 };
	uint64_t seed = 3;

	for (size_t i = 0; i < N; i++)
		elems[i] = (uint32_t)check_random(&seed);
	CHECK_EQ_U64(repeat_find(&in).n, 0);
	for (size_t i = 0; i < N; i++)
		elems[i] = (uint32_t)(i / 500);
	CHECK_EQ_U64(repeat_find(&in).n, 0);
	in.n = 1;
	CHECK_EQ_U64(repeat_find(&in).n, 0);
	in.n = 0;
	CHECK_EQ_U64(repeat_find(&in).n, 0);
}

static void test_wrong_codes(void)
{
	const struct repeat_distances d = { 2, { 3, 5 } };
	uint8_t codes[10] = { 0, 0, 0, 1, 0, 2, 0, 1, 2, 0 }, holes[10];
	size_t nholes;

	CHECK(repeat_unpack(codes, 10, &d, holes, &nholes));
	CHECK_EQ_U64(nholes, 4);
	codes[4] = 2; /* five before the fourth */
	CHECK(!repeat_unpack(codes, 10, &d, holes, &nholes));
	codes[4] = 3; /* there are two distances */
	CHECK(!repeat_unpack(codes, 10, &d, holes, &nholes));
	codes[4] = 1;
	codes[0] = 1;
	CHECK(!repeat_unpack(codes, 10, &d, holes, &nholes));
}

int main(void)
{
	RUN(test_corners);
	RUN(test_nothing_found);
	RUN(test_wrong_codes);
	return check_report();
}
