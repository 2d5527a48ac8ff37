/* SPDX-License-Identifier: MIT */
/* Every set of instructions, at any address, in place and from array to array. */
#include "base/byte_order.h"
#include "check.h"

#define NBYTES 600

static const uint8_t widths[] = { 1, 2, 4, 8 };

static void check_reverse(byte_order_fn *reverse, uint8_t width, size_t n,
			  const uint8_t *from)
{
	size_t nbytes = n * width;
	uint8_t *to = malloc(nbytes + 1), *again = malloc(nbytes + 1);
	bool ok = true;

	REQUIRE(to && again);
	to[nbytes] = again[nbytes] = 0x5a;
	reverse(width, from, n, to);
	for (size_t i = 0; i < nbytes; i++)
		ok = ok && to[i] == from[i ^ (width - 1u)];
	memcpy(again, to, nbytes);
	reverse(width, again, n, again);
	ok = ok && memcmp(again, from, nbytes) == 0;
	if (!CHECK(ok && to[nbytes] == 0x5a && again[nbytes] == 0x5a))
		printf("  width %u, %zu integers\n", width, n);
	free(to);
	free(again);
}

static void test_reverse(void)
{
	uint8_t bytes[NBYTES + 9];
	uint64_t seed = 8;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)check_random(&seed);
	for (size_t w = 0; w < 4; w++)
		for (size_t n = 0; n * widths[w] <= NBYTES; n++) {
			check_reverse(byte_order_reverse, widths[w], n,
				      bytes + n % 9);
			check_reverse(byte_order_reverse_plain, widths[w], n,
				      bytes + n % 9);
		}
}

static void test_orders_of_memory(void)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint32_t big[2], little[2];
	uint64_t wide;

	byte_order_big(4, bytes, 2, big);
	byte_order_little(4, bytes, 2, little);
	CHECK_EQ_U64(big[0], 0x01020304);
	CHECK_EQ_U64(big[1], 0x05060708);
	CHECK_EQ_U64(little[0], 0x04030201);
	CHECK_EQ_U64(little[1], 0x08070605);
	memcpy(&wide, bytes, sizeof(wide));
	byte_order_big(8, &wide, 1, &wide);
	CHECK_EQ_U64(wide, UINT64_C(0x0102030405060708));
	byte_order_big(8, &wide, 1, &wide);
	byte_order_little(8, &wide, 1, &wide);
	CHECK_EQ_U64(wide, UINT64_C(0x0807060504030201));
}

int main(void)
{
	RUN(test_reverse);
	RUN(test_orders_of_memory);
	return check_report();
}
