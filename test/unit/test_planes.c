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

static void check_shape(size_t nrows, size_t row_nbytes)
{
	size_t nbytes = nrows * row_nbytes;
	uint8_t *in = malloc(nbytes), *out = malloc(nbytes);
	uint8_t *again = malloc(nbytes);
	uint64_t seed = nbytes;
	bool right = true;

	for (size_t i = 0; i < nbytes; i++)
		in[i] = (uint8_t)check_random(&seed);
	transpose_bytes(in, nrows, row_nbytes, out);
	for (size_t r = 0; r < nrows; r++)
		for (size_t b = 0; b < row_nbytes; b++)
			right = right &&
				out[b * nrows + r] == in[r * row_nbytes + b];
	if (!CHECK(right))
		printf("  %zu rows of %zu\n", nrows, row_nbytes);
	transpose_bytes(out, row_nbytes, nrows, again);
	CHECK_MEM_EQ(in, again, nbytes);
	free(in);
	free(out);
	free(again);
}

/* Below, at and above the sizes of vectors and chunks. */
static void test_transposition(void)
{
	for (size_t nrows = 1; nrows < 140; nrows += 1 + nrows / 40)
		for (size_t n = 1; n < 140; n += 1 + n / 40)
			check_shape(nrows, n);
	check_shape(1000, 201);
}

int main(void)
{
	RUN(test_bits);
	RUN(test_transposition);
	return check_report();
}
