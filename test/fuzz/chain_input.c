/* SPDX-License-Identifier: MIT */
#include "chain_input.h"

#include "base/bytes.h"

#define STEP_NBYTES 5

/* Order can only be the first step, a layout only the last. */
static uint8_t likely_id(uint8_t byte, unsigned step, unsigned nsteps)
{
	if (step == 0 && byte % 4 == 0)
		return byte & 4 ? NC3Z_FILTER_ORDER : NC3Z_FILTER_EXTRAPOLATE;
	if (step + 1 == nsteps && byte % 4 <= 2)
		return (uint8_t)(NC3Z_FILTER_SHUFFLE + byte % 2);
	return byte % 4 == 3 ? NC3Z_FILTER_ZIGZAG : NC3Z_FILTER_DELTA;
}

static void add_step(struct filter_chain *chain, const uint8_t *step,
		     bool as_it_is, unsigned nsteps)
{
	uint8_t id = as_it_is ? step[0] :
				likely_id(step[0], chain->nsteps, nsteps);
	uint32_t stride = load_le32(step + 1);

	if (!as_it_is && stride == 0)
		stride = 1;
	if (!filter_has_stride(id) && !as_it_is)
		stride = 0;
	filter_chain_add(chain, id, stride);
}

struct filter_chain chain_take(struct fuzz_bytes *in, bool as_it_is,
			       uint8_t width)
{
	struct filter_chain chain = { 0 };
	unsigned nsteps = fuzz_take(in) % (FILTER_STEPS_MAX + 1);

	for (unsigned i = 0; i < nsteps && in->nbytes >= STEP_NBYTES; i++) {
		add_step(&chain, in->data, as_it_is, nsteps);
		in->data += STEP_NBYTES;
		in->nbytes -= STEP_NBYTES;
	}
	/* It needs the right number of deltas, and wide elements. */
	if (!as_it_is && !(filter_chain_valid(&chain) &&
			   filter_chain_width_min(&chain) <= width))
		chain.steps[0].id = NC3Z_FILTER_ORDER;
	return chain;
}

void chain_random(uint8_t out[CHAIN_NBYTES], uint64_t *state)
{
	for (size_t i = 0; i < CHAIN_NBYTES; i++)
		out[i] = (uint8_t)fuzz_random(state);
	for (size_t at = 1; at < CHAIN_NBYTES; at += STEP_NBYTES)
		if (fuzz_random_below(state, 2) == 0)
			store_le32(out + at + 1,
				   (uint32_t)fuzz_random_below(state, 40));
}
