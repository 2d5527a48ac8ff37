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

/* Bytes at any address, elements in malloc()ed memory. */
static void test_load_and_store(void)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	uint8_t bytes[9 + 64], out[9 + 64];
	uint64_t seed = 8;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)check_random(&seed);
	for (size_t w = 0; w < 4; w++)
		for (size_t at = 0; at < 9; at++) {
			const struct filter_kernels *k =
				filter_kernels(widths[w]);
			size_t n = 64 / widths[w];
			uint8_t *elems = malloc(64);

			REQUIRE(elems);
			k->load_be(bytes + at, n, elems);
			k->store_be(elems, n, out + at);
			CHECK_MEM_EQ(bytes + at, out + at, 64);
			/* One order in, the other out: elements reversed. */
			k->store_le(elems, n, out + at);
			for (size_t i = 0; i < 64; i++)
				CHECK(out[at + i] ==
				      bytes[at + (i ^ (widths[w] - 1u))]);
			k->load_le(out + at, n, elems);
			k->store_be(elems, n, out + at);
			CHECK_MEM_EQ(bytes + at, out + at, 64);
			free(elems);
		}
}

int main(void)
{
	RUN(test_all_bytes);
	RUN(test_all_shorts);
	RUN(test_load_and_store);
	return check_report();
}
