/* SPDX-License-Identifier: MIT */
/*
 * What afl-fuzz loads to change inputs as libFuzzer would: by the target's own
 * mutate(), which for instance gives a changed archive the right checksums.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

struct mutator {
	uint64_t random_state;
	uint8_t out[FUZZ_NBYTES_MAX];
};

/* As include/afl-fuzz.h of AFL++ has them. */
void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *in, size_t in_nbytes, uint8_t **out,
		       uint8_t *other, size_t other_nbytes, size_t max_nbytes);
void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned seed)
{
	struct mutator *m = calloc(1, sizeof(*m));

	(void)afl;
	if (m) {
		m->random_state = seed;
		fuzz_mutate_seed(seed);
	}
	return m;
}

size_t afl_custom_fuzz(void *data, uint8_t *in, size_t in_nbytes, uint8_t **out,
		       uint8_t *other, size_t other_nbytes, size_t max_nbytes)
{
	struct mutator *m = data;

	(void)other;
	(void)other_nbytes;
	if (max_nbytes > sizeof(m->out))
		max_nbytes = sizeof(m->out);
	if (in_nbytes > max_nbytes)
		in_nbytes = max_nbytes;
	memcpy(m->out, in, in_nbytes);
	*out = m->out;
	return LLVMFuzzerCustomMutator(m->out, in_nbytes, max_nbytes,
				       (unsigned)fuzz_random(&m->random_state));
}

void afl_custom_deinit(void *data)
{
	free(data);
}
