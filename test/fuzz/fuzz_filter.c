/* SPDX-License-Identifier: MIT */
/*
 * Any chain of filters on any bytes: a chain that is valid has an inverse.
 *
 *	width 1, a chain (chain_input.h), then raw bytes
 *
 * Bit 7 of the first byte leaves the chain as it is; otherwise it is bent into
 * one that is likely to be valid.
 */
#include <stdlib.h>
#include <string.h>

#include "chain_input.h"

#define AS_IT_IS 0x80

static void check_inverse(const struct filter_chain *chain, uint8_t width,
			  const uint8_t *raw, size_t nbytes)
{
	uint8_t *exact = fuzz_copy(raw, nbytes);
	uint8_t *coded = fuzz_copy(raw, nbytes);
	uint8_t *again = fuzz_copy(raw, nbytes);
	uint8_t *scratch = fuzz_copy(raw, nbytes);

	memset(again, 0x5a, nbytes);
	filter_apply(chain, width, exact, nbytes, coded, scratch);
	FUZZ_CHECK(memcmp(exact, raw, nbytes) == 0);
	memset(scratch, 0xa5, nbytes);
	filter_invert(chain, width, coded, nbytes, again, scratch);
	FUZZ_CHECK(memcmp(again, raw, nbytes) == 0);
	free(exact);
	free(coded);
	free(again);
	free(scratch);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	uint8_t head = fuzz_take(&in);
	uint8_t width = (uint8_t)(1u << head % 4);
	bool as_it_is = (head & AS_IT_IS) != 0;
	struct filter_chain chain = chain_take(&in, as_it_is, width);

	if (nbytes < 2)
		return;
	if (filter_chain_valid(&chain) &&
	    filter_chain_width_min(&chain) <= width)
		check_inverse(&chain, width, in.data, in.nbytes);
	else
		FUZZ_CHECK(as_it_is);
}

/* Random steps before the file. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	if (file_nbytes + 1 + CHAIN_NBYTES > room.nbytes)
		return 0;
	room.data[0] = (uint8_t)(fuzz_random(&seed) & ~(uint64_t)AS_IT_IS);
	chain_random(room.data + 1, &seed);
	memcpy(room.data + 1 + CHAIN_NBYTES, file, file_nbytes);
	return 1 + CHAIN_NBYTES + file_nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
