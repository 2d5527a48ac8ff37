/* SPDX-License-Identifier: MIT */
/* Planes of bits, bit by bit, and the inverse, with every set of kernels. */
#include "check.h"
#include "filter/kernels.h"

#define NPLANES 3

static void check_length(const struct plane_kernels *k, size_t n, uint64_t seed)
{
	size_t nbytes = NPLANES * n;
	uint8_t *in = calloc(nbytes, 1), *planes = malloc(nbytes);
	uint8_t *again = malloc(nbytes);

	REQUIRE(in && planes && again);
	for (size_t i = 0; i < nbytes; i++)
		in[i] = (uint8_t)check_random(&seed);
	k->split(in, NPLANES, n, planes);
	for (size_t p = 0; p < nbytes; p += n)
		for (size_t i = 0; i < n; i++)
			for (unsigned b = 0; b < 8; b++)
				CHECK((planes[p + b * (n / 8) + i / 8] >>
					       i % 8 &
				       1) == (in[p + i] >> b & 1));
	memset(again, 0, nbytes);
	k->join(planes, NPLANES, n, again);
	CHECK_MEM_EQ(again, in, nbytes);
	free(in);
	free(planes);
	free(again);
}

static void test_bits(void)
{
	const struct kernel_set *sets[KERNEL_SETS_MAX];
	size_t nsets = kernel_sets(sets);

	for (size_t s = 0; s < nsets; s++) {
		for (size_t n = 8; n < 700; n += 8)
			check_length(sets[s]->plane, n, n);
		check_length(sets[s]->plane, 10000, 1);
	}
}

int main(void)
{
	RUN(test_bits);
	return check_report();
}
