/* SPDX-License-Identifier: MIT */
/* Planes of bits: vector code against plain C, and the inverse of both. */
#include "check.h"
#include "filter/kernels.h"

#define NPLANES 3

static void check_length(size_t n, uint64_t seed)
{
	size_t nbytes = NPLANES * n;
	uint8_t *in = calloc(nbytes, 1), *fast = malloc(nbytes);
	uint8_t *plain = malloc(nbytes);

	for (size_t i = 0; i < nbytes; i++)
		in[i] = (uint8_t)check_random(&seed);
	split_bits(in, NPLANES, n, fast);
	split_bits_plain(in, NPLANES, n, plain);
	CHECK_MEM_EQ(fast, plain, nbytes);
	for (size_t i = 0; i < n; i++)
		for (unsigned b = 0; b < 8; b++)
			CHECK((plain[b * (n / 8) + i / 8] >> i % 8 & 1) ==
			      (in[i] >> b & 1));
	memset(fast, 0, nbytes);
	join_bits(plain, NPLANES, n, fast);
	CHECK_MEM_EQ(fast, in, nbytes);
	memset(fast, 0, nbytes);
	join_bits_plain(plain, NPLANES, n, fast);
	CHECK_MEM_EQ(fast, in, nbytes);
	free(in);
	free(fast);
	free(plain);
}

static void test_bits(void)
{
	for (size_t n = 8; n < 700; n += 8)
		check_length(n, n);
	check_length(10000, 1);
}

int main(void)
{
	RUN(test_bits);
	return check_report();
}
