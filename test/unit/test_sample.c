#include "check.h"
#include "choose/sample.h"

#define NELEMS 40000
#define SAMPLE_NBYTES 8192

static struct chooser chooser;

static uint8_t *make_raw(size_t nbytes)
{
	uint8_t *raw = malloc(nbytes);
	uint64_t seed = 61;

	for (size_t i = 0; i < nbytes; i++)
		raw[i] = (uint8_t)check_random(&seed);
	return raw;
}

/* What the chain makes of the whole block, but for shuffle. */
static uint8_t *filter_whole(const struct choose_input *input,
			     struct filter_chain chain)
{
	uint8_t *out = malloc(input->raw_nbytes);
	uint8_t *scratch = malloc(input->raw_nbytes);

	if (chain.nsteps > 0 &&
	    chain.steps[chain.nsteps - 1].id == FILTER_SHUFFLE)
		chain.nsteps--;
	filter_apply(&chain, input->hint.width, input->raw, input->raw_nbytes,
		     out, scratch);
	free(scratch);
	return out;
}

/* The sample with its planes put together again, the last one first. */
static uint8_t *unshuffle(size_t width)
{
	size_t nbytes = chooser.sample.nbytes, n = nbytes / width;
	uint8_t *out = malloc(nbytes);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < width; k++)
			out[i * width + width - 1 - k] =
				chooser.sample.data[k * n + i];
	return out;
}

/* The windows of the sample are pieces of the whole, in ascending order. */
static void check_windows(const struct choose_input *input,
			  const uint8_t *whole, const uint8_t *sample)
{
	size_t nbytes = chooser.sample.nbytes / SAMPLE_NWINDOWS, at = 0;

	for (size_t i = 0; i < SAMPLE_NWINDOWS; i++) {
		const uint8_t *window = sample + i * nbytes;

		while (at + nbytes <= input->raw_nbytes &&
		       memcmp(whole + at, window, nbytes) != 0)
			at += input->hint.width;
		if (!CHECK(at + nbytes <= input->raw_nbytes))
			return;
		CHECK(at >= input->raw_nbytes / SAMPLE_NWINDOWS * i);
		at += nbytes;
	}
}

static void check_chain(const struct choose_input *input,
			const struct filter_chain *chain)
{
	bool is_shuffled = chain->nsteps > 0 &&
			   chain->steps[chain->nsteps - 1].id == FILTER_SHUFFLE;
	uint8_t *whole = filter_whole(input, *chain), *sample = NULL;

	CHECK(sample_take(&chooser, input, chain, SAMPLE_NBYTES, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(chooser.sample.nbytes, SAMPLE_NBYTES);
	if (is_shuffled)
		sample = unshuffle(input->hint.width);
	check_windows(input, whole, sample ? sample : chooser.sample.data);
	free(sample);
	free(whole);
}

static void check_strides(const struct choose_input *input, uint32_t first,
			  uint32_t second)
{
	struct filter_chain chain = { 0 };

	if (input->hint.is_float)
		filter_chain_add(&chain, FILTER_ORDER, 0);
	filter_chain_add(&chain, FILTER_DELTA, first);
	if (second)
		filter_chain_add(&chain, FILTER_DELTA, second);
	filter_chain_add(&chain, FILTER_ZIGZAG, 0);
	check_chain(input, &chain);
	if (input->hint.width > 1)
		filter_chain_add(&chain, FILTER_SHUFFLE, 0);
	check_chain(input, &chain);
}

/* Short strides, long ones, and such that reach before the block. */
static void test_windows(void)
{
	static const uint32_t strides[] = { 1, 7, 300, 2100, 9000, 39999 };
	uint8_t *raw = make_raw(NELEMS * 8);

	for (uint8_t width = 1; width <= 8; width = (uint8_t)(2 * width)) {
		struct choose_input input = {
			.hint = { .width = width, .is_float = width >= 4 },
			.raw = raw,
			.raw_nbytes = (size_t)NELEMS * width,
		};
		struct filter_chain none = { 0 }, shuffle = { 0 };

		filter_chain_add(&shuffle, FILTER_SHUFFLE, 0);
		check_chain(&input, &none);
		if (width > 1)
			check_chain(&input, &shuffle);
		for (unsigned i = 0; i < 6; i++) {
			check_strides(&input, strides[i], 0);
			for (unsigned k = 0; k < 6; k++)
				check_strides(&input, strides[i], strides[k]);
		}
	}
	free(raw);
}

int main(void)
{
	RUN(test_windows);
	chooser_release(&chooser);
	return check_report();
}
