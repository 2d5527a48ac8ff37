/* SPDX-License-Identifier: MIT */
/* Estimates from samples: exact for small parts, near the truth for others. */
#include "block/block.h"
#include "check.h"
#include "layouts.h"

#define NBYTES 400000

static struct block_coder coder;
static struct block_prepared prepared;
static struct block_stored stored;
static uint8_t raw[NBYTES];

/* A wave with some noise, the same everywhere. */
static void make_raw(void)
{
	uint64_t seed = 3;

	for (size_t i = 0; i < NBYTES / 4; i++) {
		uint32_t x = (uint32_t)(i % 1000 * (1000 - i % 1000)) +
			     (uint32_t)check_random_below(&seed, 16);

		for (unsigned k = 0; k < 4; k++)
			raw[4 * i + k] = (uint8_t)(x >> 8 * (3 - k));
	}
}

static void check_estimate(const struct block_recipe *recipe, size_t nbytes,
			   size_t sample_nbytes, unsigned percent)
{
	size_t estimate, truth;

	CHECK(block_prepare(&coder, recipe, raw, nbytes, &prepared, NULL) ==
	      NC3Z_OK);
	CHECK(block_sample(&coder, &prepared, recipe, sample_nbytes, &estimate,
			   NULL) == NC3Z_OK);
	CHECK(block_encode_prepared(&coder, &prepared, recipe, &stored, NULL) ==
	      NC3Z_OK);
	truth = stored.description.nbytes + stored.payload.nbytes;
	if (!CHECK(estimate <= truth + truth * percent / 100 + percent) ||
	    !CHECK(truth <= estimate + truth * percent / 100 + percent))
		printf("  %zu bytes, sample %zu: %zu, not %zu\n", nbytes,
		       sample_nbytes, estimate, truth);
}

static void test_chains(void)
{
	const unsigned n = layouts_count();

	make_raw();
	for (unsigned i = 0; i < 3 * n; i++) {
		struct block_recipe recipe = {
			.width = 4,
			.codec = NC3Z_CODEC_ZSTD,
			.level = 1,
		};

		if (i >= n)
			filter_chain_add(&recipe.chain, NC3Z_FILTER_DELTA,
					 i < 2 * n ? 1 : 1000);
		layouts_add(&recipe.chain, i % n, 100);
		check_estimate(&recipe, 4096, 4096, 0);
		check_estimate(&recipe, 4096, 1 << 20, 0);
		check_estimate(&recipe, NBYTES, NBYTES, 0);
		check_estimate(&recipe, NBYTES, NBYTES / 2, 25);
	}
}

/* Nothing to sample, and less than a probe. */
static void test_little(void)
{
	struct block_recipe recipe = {
		.width = 8,
		.codec = NC3Z_CODEC_ZSTD,
		.level = 1,
	};

	make_raw();
	filter_chain_add(&recipe.chain, NC3Z_FILTER_BITSHUFFLE, 0);
	for (size_t nbytes = 1; nbytes < 100; nbytes++)
		check_estimate(&recipe, nbytes, 10, 10);
	memset(raw, 7, 1000);
	check_estimate(&recipe, 1000, 100, 0);
	CHECK(block_is_constant(&prepared));
}

static void test_release(void)
{
	block_prepared_release(&prepared);
	block_prepared_release(&prepared);
	block_coder_release(&coder);
	block_stored_release(&stored);
}

int main(void)
{
	RUN(test_chains);
	RUN(test_little);
	RUN(test_release);
	return check_report();
}
