/* SPDX-License-Identifier: MIT */
/* Changes of inputs where libFuzzer is not there to make them. */
#include <string.h>

#include "fuzz.h"

static uint64_t random_state;

void fuzz_mutate_seed(uint64_t seed)
{
	random_state = seed;
}

static void change_bytes(uint8_t *data, size_t nbytes)
{
	static const uint8_t telling[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	uint64_t r = fuzz_random(&random_state);
	size_t at = (size_t)fuzz_random_below(&random_state, nbytes);

	if (r % 2)
		data[at] ^= (uint8_t)(1u << (r >> 8) % 8);
	else
		data[at] = telling[(r >> 8) % sizeof(telling)];
}

/* A few bytes taken out, or put in twice. */
static size_t change_length(uint8_t *data, size_t nbytes, size_t max_nbytes)
{
	size_t at = (size_t)fuzz_random_below(&random_state, nbytes);
	size_t n = 1 + (size_t)fuzz_random_below(&random_state, 8);

	if (n > nbytes - at)
		n = nbytes - at;
	if (fuzz_random(&random_state) % 2) {
		memmove(data + at, data + at + n, nbytes - at - n);
		return nbytes - n;
	}
	if (n > max_nbytes - nbytes)
		n = max_nbytes - nbytes;
	memmove(data + at + n, data + at, nbytes - at);
	return nbytes + n;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t nbytes, size_t max_nbytes)
{
	if (nbytes > 0 && fuzz_random(&random_state) % 4 == 0)
		nbytes = change_length(data, nbytes, max_nbytes);
	if (nbytes == 0 && max_nbytes > 0)
		data[nbytes++] = (uint8_t)fuzz_random(&random_state);
	for (unsigned i = 0; i < 3 && nbytes > 0; i++)
		change_bytes(data, nbytes);
	return nbytes;
}
