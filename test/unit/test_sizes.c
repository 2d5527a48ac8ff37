/* SPDX-License-Identifier: MIT */
/* Oracle: arithmetic in 128 bits. */
#include "base/sizes.h"
#include "check.h"

__extension__ typedef unsigned __int128 wide;

/* Numbers at which sums and products begin not to fit. */
static const uint64_t edges[] = {
	0,
	1,
	2,
	3,
	4,
	5,
	7,
	8,
	UINT32_MAX - 1,
	UINT32_MAX,
	(uint64_t)UINT32_MAX + 1,
	(uint64_t)UINT32_MAX + 2,
	(uint64_t)INT64_MAX - 1,
	(uint64_t)INT64_MAX,
	(uint64_t)INT64_MAX + 1,
	UINT64_MAX - 4,
	UINT64_MAX - 3,
	UINT64_MAX - 2,
	UINT64_MAX - 1,
	UINT64_MAX,
};
#define NEDGES (sizeof(edges) / sizeof(*edges))

static bool fits(wide x)
{
	return x <= UINT64_MAX;
}

static void check_pair(uint64_t a, uint64_t b)
{
	wide sum = (wide)a + b, product = (wide)a * b;
	uint64_t found;

	CHECK(size_add(a, b, &found) == fits(sum));
	if (fits(sum))
		CHECK_EQ_U64(found, (uint64_t)sum);
	CHECK(size_mul(a, b, &found) == fits(product));
	if (fits(product))
		CHECK_EQ_U64(found, (uint64_t)product);
	CHECK_EQ_U64(size_min(a, b), a < b ? a : b);
	CHECK_EQ_U64(size_max(a, b), a < b ? b : a);
	if (b != 0)
		CHECK_EQ_U64(size_div_up(a, b),
			     (uint64_t)(((wide)a + b - 1) / b));
}

static void check_with_max(uint64_t a, uint64_t b, uint64_t max)
{
	wide sum = (wide)a + b, product = (wide)a * b;

	CHECK_EQ_U64(size_add_max(a, b, max), sum < max ? (uint64_t)sum : max);
	CHECK_EQ_U64(size_mul_max(a, b, max),
		     product < max ? (uint64_t)product : max);
}

static void test_edges(void)
{
	for (size_t i = 0; i < NEDGES; i++)
		for (size_t j = 0; j < NEDGES; j++) {
			check_pair(edges[i], edges[j]);
			for (size_t k = 0; k < NEDGES; k++)
				check_with_max(edges[i], edges[j], edges[k]);
		}
}

/* Random numbers of random lengths. */
static void test_random(void)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		uint64_t a = check_random(&seed) >>
			     check_random_below(&seed, 64);
		uint64_t b = check_random(&seed) >>
			     check_random_below(&seed, 64);
		uint64_t c = check_random(&seed) >>
			     check_random_below(&seed, 64);

		check_pair(a, b);
		check_with_max(a, b, c);
	}
}

static void test_pad4(void)
{
	for (size_t i = 0; i < NEDGES; i++) {
		wide padded = ((wide)edges[i] + 3) / 4 * 4;
		uint64_t found;

		CHECK(size_pad4(edges[i], &found) == fits(padded));
		if (fits(padded))
			CHECK_EQ_U64(found, (uint64_t)padded);
	}
}

int main(void)
{
	RUN(test_edges);
	RUN(test_random);
	RUN(test_pad4);
	return check_report();
}
