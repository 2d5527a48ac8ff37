/* SPDX-License-Identifier: MIT */
/* Oracle: printf(). */
#include "dump/number.h"

#include <math.h>

#include "check.h"

/* Every STEPth float; a prime, so that all exponents and endings occur. */
#define STEP 4999

static void check_double(double value, int ndigits)
{
	char text[NUMBER_NBYTES_MAX + 1], expected[64];

	if (!isfinite(value))
		return;
	text[number_put_double(text, value, ndigits)] = '\0';
	snprintf(expected, sizeof(expected), "%.*g", ndigits, value);
	CHECK_STR_EQ(text, expected);
}

static void test_floats(void)
{
	for (uint64_t i = 0; i <= UINT32_MAX; i += STEP) {
		uint32_t bits = (uint32_t)i;
		float value;

		memcpy(&value, &bits, sizeof(value));
		check_double(value, 7);
		check_double(value, 1 + (int)(i % 20));
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state ^ *state >> 29;
}

static void test_doubles(void)
{
	uint64_t state = 1;

	for (int i = 0; i < 200000; i++) {
		uint64_t bits = next_random(&state);
		double value;

		memcpy(&value, &bits, sizeof(value));
		check_double(value, 15);
		check_double(value, 1 + i % 20);
		value = (double)(int64_t)bits / 1e15;
		check_double(value, 15);
		check_double(value, 17);
		check_double((double)(int32_t)bits / 100, 1 + i % 17);
	}
}

/* Ties, and what lies just beside them and beside powers of ten. */
static void test_edges(void)
{
	for (int ndigits = 1; ndigits <= 20; ndigits++) {
		for (int i = -340; i < 310; i++) {
			double power = pow(10, i);

			check_double(power, ndigits);
			check_double(-9.5 * power, ndigits);
			check_double(nextafter(power, 0), ndigits);
			check_double(nextafter(power, INFINITY), ndigits);
			check_double(9.9999995 * power, ndigits);
		}
		for (int i = 0; i < 2000; i++) {
			check_double(i + 0.5, ndigits);
			check_double(i / 8., ndigits);
			check_double(ldexp(i, i % 2100 - 1070), ndigits);
		}
		check_double(0., ndigits);
		check_double(-0., ndigits);
		check_double(5e-324, ndigits);
		check_double(1.7976931348623157e308, ndigits);
	}
}

static void test_integers(void)
{
	char text[NUMBER_NBYTES_MAX + 1], expected[64];

	for (int shift = 0; shift < 64; shift++)
		for (int delta = -2; delta <= 2; delta++) {
			uint64_t n = (UINT64_C(1) << shift) + (uint64_t)delta;

			text[number_put_uint(text, n)] = '\0';
			snprintf(expected, sizeof(expected), "%" PRIu64, n);
			CHECK_STR_EQ(text, expected);
			text[number_put_int(text, (int64_t)n)] = '\0';
			snprintf(expected, sizeof(expected), "%" PRId64,
				 (int64_t)n);
			CHECK_STR_EQ(text, expected);
		}
	for (uint64_t n = 1; n <= UINT64_MAX / 10; n *= 10) {
		text[number_put_uint(text, 10 * n - 1)] = '\0';
		snprintf(expected, sizeof(expected), "%" PRIu64, 10 * n - 1);
		CHECK_STR_EQ(text, expected);
		text[number_put_uint(text, 10 * n)] = '\0';
		snprintf(expected, sizeof(expected), "%" PRIu64, 10 * n);
		CHECK_STR_EQ(text, expected);
	}
}

int main(void)
{
	RUN(test_floats);
	RUN(test_doubles);
	RUN(test_edges);
	RUN(test_integers);
	return check_report();
}
