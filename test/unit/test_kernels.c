/* SPDX-License-Identifier: MIT */
/*
 * The plain kernels by themselves, where an exhaustive look is possible: all
 * elements of 8 and 16 bits.  Lengths, strides and the wider elements are in
 * test_filter.c.
 */
#include "check.h"
#include "filter/kernels.h"

/* The signed number that an element of 'bits' bits stands for. */
static int64_t as_signed(uint64_t x, unsigned bits)
{
	return x >> (bits - 1) ? (int64_t)x - (INT64_C(1) << bits) : (int64_t)x;
}

/* IEEE 754 bits compare by magnitude, negative ones the other way round. */
static int64_t sign_and_magnitude(uint64_t x, unsigned bits)
{
	uint64_t half = UINT64_C(1) << (bits - 1);

	return x < half ? (int64_t)x : -(int64_t)(x - half) - 1;
}

static uint64_t expected_zigzag(int64_t v)
{
	return v < 0 ? (uint64_t)(-2 * v - 1) : (uint64_t)(2 * v);
}

static void test_all_bytes(void)
{
	const struct filter_kernels *k = filter_kernels(1);
	uint8_t x[256], y[256];

	for (unsigned i = 0; i < 256; i++)
		x[i] = y[i] = (uint8_t)i;
	k->order(y, 256);
	for (unsigned i = 0; i < 256; i++)
		CHECK_EQ_U64(y[i], (uint64_t)(sign_and_magnitude(i, 8) + 128));
	k->unorder(y, 256);
	CHECK_MEM_EQ(x, y, sizeof(x));
	k->zigzag(y, 256);
	for (unsigned i = 0; i < 256; i++)
		CHECK_EQ_U64(y[i], expected_zigzag(as_signed(i, 8)));
	k->unzigzag(y, 256);
	CHECK_MEM_EQ(x, y, sizeof(x));
}

static void test_all_shorts(void)
{
	const struct filter_kernels *k = filter_kernels(2);
	static uint16_t x[65536], y[65536];

	for (unsigned i = 0; i < 65536; i++)
		x[i] = y[i] = (uint16_t)i;
	k->order(y, 65536);
	for (unsigned i = 0; i < 65536; i++)
		CHECK_EQ_U64(y[i],
			     (uint64_t)(sign_and_magnitude(i, 16) + 32768));
	k->unorder(y, 65536);
	CHECK_MEM_EQ(x, y, sizeof(x));
	k->zigzag(y, 65536);
	for (unsigned i = 0; i < 65536; i++)
		CHECK_EQ_U64(y[i], expected_zigzag(as_signed(i, 16)));
	k->unzigzag(y, 65536);
	CHECK_MEM_EQ(x, y, sizeof(x));
}

int main(void)
{
	RUN(test_all_bytes);
	RUN(test_all_shorts);
	return check_report();
}
