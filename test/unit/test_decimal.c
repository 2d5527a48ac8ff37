/* SPDX-License-Identifier: MIT */
/*
 * Decimals of every exponent, fractions of many divisors, and bits of every
 * kind: what is split comes back to the bit, and divisors are found.  That integers and exceptions are stored as the specification
 * says is in test_prepare.c.
 */
#include "check.h"
#include "filter/decimal.h"
#include "filter/divisor.h"

#define N 4096

static uint64_t elems[N], integers[N], scratch[N];
static uint32_t places[N];
static uint8_t raw[8 * N];

static uint64_t get(unsigned width, size_t i)
{
	return width == 8 ? elems[i] : ((uint32_t *)(void *)elems)[i];
}

static void put(unsigned width, size_t i, uint64_t bits)
{
	if (width == 8)
		elems[i] = bits;
	else
		((uint32_t *)(void *)elems)[i] = (uint32_t)bits;
}

static void put_number(unsigned width, size_t i, double value)
{
	float narrow = (float)value;
	uint32_t narrow_bits;
	uint64_t bits;

	memcpy(&narrow_bits, &narrow, 4);
	memcpy(&bits, &value, 8);
	put(width, i, width == 8 ? bits : narrow_bits);
}

static uint64_t load_be(const uint8_t *p, unsigned width)
{
	uint64_t x = 0;

	while (width-- > 0)
		x = x << 8 | *p++;
	return x;
}

/* Splits n elements; if that works, everything but exceptions comes back. */
static bool check(unsigned width, uint64_t divisor, size_t n)
{
	const struct decimal_input in = { .width = (uint8_t)width,
					  .elems = elems,
					  .n = n };
	struct decimal d = { .divisor = divisor };
	size_t next = 0;
	bool right = true;

	if (!decimal_split(&in, &d, integers, places, scratch))
		return false;
	CHECK(d.nexceptions <= decimal_exceptions_max(n));
	CHECK(d.width <= width);
	decimal_join(&d, integers, n, (uint8_t)width, raw);
	for (size_t i = 0; i < n; i++) {
		if (next < d.nexceptions && places[next] == i)
			next++;
		else
			right = right && load_be(raw + i * width, width) ==
						 get(width, i);
	}
	CHECK_EQ_U64(next, d.nexceptions);
	return CHECK(right);
}

static double power_of_ten(unsigned exponent)
{
	return (double)decimal_power((uint8_t)exponent);
}

/* The smallest exponent that does is found. */
static void test_exponents(void)
{
	for (unsigned width = 4; width <= 8; width += 4)
		for (unsigned e = 0; e <= (width == 4 ? 6u : 12u); e++) {
			const struct decimal_input in = { (uint8_t)width, elems,
							  N, NULL };
			uint64_t found;
			uint64_t seed = e;

			for (size_t i = 0; i < N; i++)
				put_number(
					width, i,
					(double)(check_random(&seed) % 20000) /
						power_of_ten(e));
			found = decimal_find(&in);
			CHECK_EQ_U64(found, decimal_power((uint8_t)e));
			CHECK_EQ_U64((uint64_t)decimal_exponent(found), e);
			CHECK(check(width, found, N));
		}
}

/* All kinds of bits: never wrong, whether or not they are decimals. */
static void test_any_bits(void)
{
	uint64_t seed = 12;

	for (unsigned round = 0; round < 3000; round++) {
		unsigned width = round % 2 ? 4 : 8;
		uint8_t e = (uint8_t)(round / 2 % 13);
		size_t n = 50 + check_random_below(&seed, 100);

		for (size_t i = 0; i < n; i++)
			put_number(width, i,
				   (double)((int64_t)check_random(&seed) >>
					    (12 + round % 50)) /
					   power_of_ten(e));
		if (round % 3 == 0)
			put(width, check_random_below(&seed, n),
			    check_random(&seed));
		check(width, decimal_power(e), n);
	}
}

/*
 * One float after the other, with its upper bits of every value, as the only
 * exception or none among integers.
 */
static void test_every_kind_of_float(void)
{
	for (uint32_t upper = 0; upper < 65536; upper += 64) {
		for (size_t i = 0; i < 64; i++)
			put_number(4, i, (double)i);
		for (uint32_t k = 0; k < 64; k++) {
			uint32_t bits = (upper + k) << 16;

			put(4, 10, k % 3 ? bits : bits | k);
			check(4, decimal_power((uint8_t)(k % 13)), 64);
		}
	}
}

static bool is_decimal(unsigned width, uint64_t bits)
{
	for (size_t i = 0; i < 19; i++)
		put_number(width, i, 1);
	put(width, 10, bits);
	return check(width, 1, 19);
}

/* No exceptions are allowed among 19. */
static void test_single_bits(void)
{
	CHECK(is_decimal(4, 0x00000000));  /* 0 */
	CHECK(!is_decimal(4, 0x80000000)); /* -0 */
	CHECK(is_decimal(4, 0x4effffff));  /* below 2^31 */
	CHECK(!is_decimal(4, 0x4f000000)); /* 2^31 */
	CHECK(is_decimal(4, 0xceffffff));
	CHECK(!is_decimal(4, 0x7f800000)); /* infinity */
	CHECK(!is_decimal(4, 0x7fc00000)); /* NaN */
	CHECK(!is_decimal(4, 0xffffffff));
	CHECK(!is_decimal(4, 0x00000001)); /* denormal */
	CHECK(!is_decimal(8, 0x8000000000000000));
	CHECK(is_decimal(8, 0x431ffffffffffffc));  /* 2^51 - 1 */
	CHECK(!is_decimal(8, 0x431fffffffffffff)); /* and 3/4 */
	CHECK(!is_decimal(8, 0x4320000000000000)); /* 2^51 */
	CHECK(!is_decimal(8, 0x7ff0000000000000));
	CHECK(!is_decimal(8, 0x7ff8000000000000));
	CHECK(!is_decimal(8, 0xfff8000000000001));
	CHECK(!is_decimal(8, 0x0000000000000001));
}

/* Quotients from -1000 to 3000, some of which are exceptions. */
static void put_quotients(unsigned width, uint64_t divisor, uint64_t factor,
			  unsigned nodd)
{
	uint64_t seed = divisor;
	int64_t range = (int64_t)(4000 * divisor / factor) + 1;

	for (size_t i = 0; i < N; i++) {
		int64_t k = (int64_t)check_random_below(&seed, (uint64_t)range);

		k = (k - range / 4) * (int64_t)factor;
		put_number(width, i, (double)k / (double)divisor);
		if (nodd > 0 && i % (N / nodd) == 77)
			put_number(width, i, 0.1234567891234 * (double)i);
	}
}

/*
 * Divisors that are no powers of ten are found, however many bits numbers have
 * beyond them, also with some exceptions; a divisor of floats that their
 * precision does not tell from noise is not.
 */
static void test_divisors(void)
{
	static const uint64_t divisors[] = { 3,  7,   9,   16,  52,
					     64, 144, 576, 676, 1023 };

	for (unsigned width = 4; width <= 8; width += 4)
		for (size_t i = 0; i < 10; i++)
			for (unsigned nodd = 0; nodd <= 40; nodd += 20) {
				const struct decimal_input in = {
					(uint8_t)width, elems, N, NULL
				};

				put_quotients(width, divisors[i], 1, nodd);
				CHECK_EQ_U64(decimal_find(&in), divisors[i]);
				CHECK(check(width, divisors[i], N));
			}
	/* Noise is none, neither is what every float is a multiple of. */
	for (unsigned i = 0; i < N; i++)
		put_number(4, i, 4097 + i * i % 4099 * 0.70710678118);
	CHECK_EQ_U64(divisor_find(4, elems, 512), 0);
}

/*
 * A run of numbers that are none, up to one in twenty, wherever it lies: the
 * others are found to be quotients, and it is exceptions.
 */
static void test_run_of_others(void)
{
	for (unsigned width = 4; width <= 8; width += 4)
		for (size_t first = 0; first + N / 20 <= N; first += N / 20) {
			const struct decimal_input in = { (uint8_t)width, elems,
							  N, NULL };
			struct decimal d = { .divisor = 576 };

			put_quotients(width, 576, 1, 0);
			for (size_t i = first; i < first + N / 20; i++)
				put(width, i, UINT64_MAX - i);
			CHECK_EQ_U64(decimal_find(&in), 576);
			CHECK(decimal_split(&in, &d, integers, places,
					    scratch));
			CHECK_EQ_U64(d.nexceptions, N / 20);
			CHECK_EQ_U64(places[0], first);
			CHECK(check(width, 576, N));
			put(width, (first + N / 2) % N, UINT64_MAX);
			CHECK(!check(width, 576, N));
		}
}

/* Integers that are too wide, but for what they have in common. */
static void test_wide_with_a_factor(void)
{
	const struct decimal_input in = { 4, elems, N, NULL };
	struct decimal d = { .divisor = 100000 };

	put_quotients(4, 100000, 50000, 0);
	CHECK(decimal_split(&in, &d, integers, places, scratch));
	CHECK_EQ_U64(d.factor, 50000);
	put_quotients(4, 100000, 1, 0);
	CHECK(!decimal_split(&in, &d, integers, places, scratch));
}

/* What all integers have in common goes into the factor. */
static void test_factors(void)
{
	for (unsigned width = 4; width <= 8; width += 4)
		for (uint64_t factor = 1; factor < 700; factor += 23) {
			const struct decimal_input in = { (uint8_t)width, elems,
							  N, NULL };
			struct decimal d = { .divisor = 1 };

			put_quotients(width, 1, factor, 0);
			CHECK(decimal_split(&in, &d, integers, places,
					    scratch));
			CHECK_EQ_U64(d.factor, factor);
			CHECK(check(width, 1, N));
		}
}

/* Any numbers at all: a divisor that is found makes integers of most. */
static void test_any_divisor(void)
{
	uint64_t seed = 99;

	for (unsigned round = 0; round < 20000; round++) {
		unsigned width = round % 2 ? 4 : 8;
		size_t n = 1 + check_random_below(&seed, 100);
		uint64_t divisor;

		for (size_t i = 0; i < n; i++)
			put(width, i, check_random(&seed) >> round % 64);
		divisor = divisor_find((uint8_t)width, elems, n);
		CHECK(divisor <= DECIMAL_DIVISOR_MAX);
		if (divisor > 0)
			check(width, divisor, n);
	}
}

int main(void)
{
	RUN(test_exponents);
	RUN(test_any_bits);
	RUN(test_every_kind_of_float);
	RUN(test_single_bits);
	RUN(test_divisors);
	RUN(test_run_of_others);
	RUN(test_wide_with_a_factor);
	RUN(test_factors);
	RUN(test_any_divisor);
	return check_report();
}
