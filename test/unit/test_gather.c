/* SPDX-License-Identifier: MIT */
/* Filtered probes are what they are in the whole part. */
#include "block/internal.h"
#include "check.h"

#define NELEMS 40000
#define WINDOW 512

static uint8_t raw[NELEMS * 8];
static uint8_t whole[NELEMS * 8];
static uint8_t scratch[NELEMS * 8];

static void make_raw(void)
{
	uint64_t seed = 61;

	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = (uint8_t)check_random(&seed);
}

/* Gathers one probe and filters it: the last elements are the probe. */
static void check_window(const struct filter_chain *chain, uint8_t width,
			 size_t first)
{
	struct block_gathering g;
	uint8_t *gathered, *filtered, *other;
	size_t nbytes;

	block_gathering_init(&g, chain, WINDOW, false);
	CHECK(filter_chain_valid(&g.chain));
	nbytes = block_gathering_nelems(&g) * width;
	gathered = malloc(nbytes);
	filtered = malloc(nbytes);
	other = malloc(nbytes);
	block_gather(&g, raw, width, first, block_gathering_zero(&g), gathered);
	filter_apply(&g.chain, width, gathered, nbytes, filtered, other);
	CHECK_MEM_EQ(filtered + nbytes - (size_t)WINDOW * width,
		     whole + first * width, (size_t)WINDOW * width);
	free(gathered);
	free(filtered);
	free(other);
}

static void check_chain(const struct filter_chain *chain, uint8_t width)
{
	static const size_t firsts[] = {
		0, 1, 100, 511, 9000, NELEMS - WINDOW
	};

	filter_apply(chain, width, raw, (size_t)NELEMS * width, whole, scratch);
	for (unsigned i = 0; i < 6; i++)
		check_window(chain, width, firsts[i]);
}

static void check_strides(uint8_t width, uint32_t first, uint32_t second)
{
	struct filter_chain chain = { 0 };

	if (width >= 4)
		filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	filter_chain_add(&chain, NC3Z_FILTER_DELTA, first);
	if (second)
		filter_chain_add(&chain, NC3Z_FILTER_DELTA, second);
	filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	check_chain(&chain, width);
}

/* Short strides, long ones, and such that reach before the part. */
static void test_windows(void)
{
	static const uint32_t strides[] = { 1, 7, 120, 300, 9000, 39999 };

	make_raw();
	for (uint8_t width = 1; width <= 8; width = (uint8_t)(2 * width))
		for (unsigned i = 0; i < 6; i++) {
			check_strides(width, strides[i], 0);
			for (unsigned k = 0; k < 6; k++)
				check_strides(width, strides[i], strides[k]);
		}
}

/* The layout is left to others, and the whole needs nothing beside it. */
static void test_chains(void)
{
	struct filter_chain chain = { 0 };
	struct block_gathering g;

	filter_chain_add(&chain, NC3Z_FILTER_DELTA, 100000);
	filter_chain_add(&chain, NC3Z_FILTER_DELTA, 3);
	filter_chain_add(&chain, NC3Z_FILTER_BITSHUFFLE, 0);
	block_gathering_init(&g, &chain, 1000, true);
	CHECK_EQ_U64(block_gathering_nelems(&g), 1000);
	CHECK_EQ_U64(g.chain.nsteps, 2);
	CHECK_EQ_U64(g.chain.steps[0].stride, 100000);
	block_gathering_init(&g, &chain, 1000, false);
	CHECK_EQ_U64(block_gathering_nelems(&g), 2 * 1003);
	CHECK_EQ_U64(g.chain.nsteps, 2);
	CHECK_EQ_U64(g.chain.steps[0].stride, 1003);
	CHECK_EQ_U64(g.chain.steps[1].stride, 3);
}

int main(void)
{
	RUN(test_windows);
	RUN(test_chains);
	return check_report();
}
