/* SPDX-License-Identifier: MIT */
/*
 * One block with one step, decoded once, for steps.py, which counts the
 * instructions of block_decode() that are not of the codec:
 *
 *	bench_steps		lists the steps
 *	bench_steps STEP WIDTH	prints the elements of the block, nothing
 *				where the step is not for the width
 *
 * The block has rows of 1024 elements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block/block.h"
#include "check.h"

#define ROW 1024
#define NELEMS (512 * ROW)

/* What a block is made of, so that the step suits it. */
enum contents {
	NOISE,    /* numbers between 0 and 1 */
	HUNDREDS, /* numbers with two decimals */
	DROPPED,  /* of which every third element is the same */
	FEW,      /* one of 200 numbers */
	CORNERS,  /* every other element is that 4 places before */
};

static const struct step {
	const char *name;
	enum contents contents;
	uint8_t transforms;
	enum nc3z_filter filters[2]; /* 0: none */
	uint32_t strides[3];         /* of deltas, between the filters */
} steps[] = {
	{ "none", NOISE, 0, { 0 }, { 0 } },
	{ "shuffle", NOISE, 0, { 0, NC3Z_FILTER_SHUFFLE }, { 0 } },
	{ "bitshuffle", NOISE, 0, { 0, NC3Z_FILTER_BITSHUFFLE }, { 0 } },
	{ "order", NOISE, 0, { NC3Z_FILTER_ORDER }, { 0 } },
	{ "zigzag", NOISE, 0, { NC3Z_FILTER_ZIGZAG }, { 0 } },
	{ "delta", NOISE, 0, { 0 }, { 1 } },
	{ "delta by row", NOISE, 0, { 0 }, { ROW } },
	{ "delta, delta by row", NOISE, 0, { 0 }, { 1, ROW } },
	{ "extrapolate by 1", NOISE, 0, { NC3Z_FILTER_EXTRAPOLATE }, { 1 } },
	{ "extrapolate by 1, 1, row",
	  NOISE,
	  0,
	  { NC3Z_FILTER_EXTRAPOLATE },
	  { 1, 1, ROW } },
	{ "drop", DROPPED, BLOCK_TRANSFORM_DROP, { 0 }, { 0 } },
	{ "repeat", CORNERS, BLOCK_TRANSFORM_REPEAT, { 0 }, { 0 } },
	{ "fraction", HUNDREDS, BLOCK_TRANSFORM_DECIMAL, { 0 }, { 0 } },
	{ "palette", FEW, BLOCK_TRANSFORM_PALETTE, { 0 }, { 0 } },
};
#define NSTEPS (sizeof(steps) / sizeof(*steps))

static void put(uint8_t *raw, uint8_t width, double x)
{
	const float f = (float)x;
	uint64_t bits = 0;

	if (width == 8)
		memcpy(&bits, &x, sizeof(x));
	else if (width == 4)
		memcpy(&bits, &f, 4);
	else
		bits = (uint64_t)(x * 1000);
	for (unsigned i = 0; i < width; i++)
		raw[i] = (uint8_t)(bits >> 8 * (width - 1 - i));
}

static void make(enum contents contents, uint8_t width, uint8_t *raw)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < NELEMS; i++) {
		uint64_t n = check_random(&seed);

		if (contents == DROPPED && n % 3 == 0)
			put(raw + i * width, width, -9.5);
		else if (contents == CORNERS && n % 2 == 0 && i >= 4)
			memcpy(raw + i * width, raw + (i - 4) * width, width);
		else if (contents == HUNDREDS)
			put(raw + i * width, width, (double)(n % 5000) / 100);
		else if (contents == FEW)
			put(raw + i * width, width,
			    1.0 / (double)(1 + n % 200));
		else
			put(raw + i * width, width,
			    (double)(n >> 11) * 0x1p-53);
	}
}

static struct block_recipe recipe_of(const struct step *step, uint8_t width)
{
	struct block_recipe r = {
		.width = width,
		.is_float = width >= 4,
		.transforms = step->transforms,
		.row_nelems = ROW,
		.codec = NC3Z_CODEC_ZSTD,
		.level = 1,
	};

	if (step->filters[0])
		filter_chain_add(&r.chain, step->filters[0], 0);
	for (unsigned i = 0; i < 3 && step->strides[i]; i++)
		filter_chain_add(&r.chain, NC3Z_FILTER_DELTA, step->strides[i]);
	if (step->filters[1])
		filter_chain_add(&r.chain, step->filters[1], 0);
	return r;
}

/* Not for elements of two bytes, which are integers here. */
static bool is_of_floats(const struct step *step)
{
	return step->filters[0] == NC3Z_FILTER_ORDER ||
	       step->filters[0] == NC3Z_FILTER_EXTRAPOLATE ||
	       step->transforms == BLOCK_TRANSFORM_DECIMAL;
}

static int run(const struct step *step, uint8_t width)
{
	static uint8_t raw[NELEMS * 8], out[NELEMS * 8];
	const struct block_recipe recipe = recipe_of(step, width);
	const size_t nbytes = (size_t)NELEMS * width;
	struct block_coder coder = { 0 };
	struct block_stored stored = { 0 };
	struct block_view view;
	int status;

	if (width < 4 && is_of_floats(step))
		return 0;
	make(step->contents, width, raw);
	status = block_encode(&coder, &recipe, raw, nbytes, &stored, NULL);
	view = (struct block_view){
		.description = stored.description.data,
		.description_nbytes = stored.description.nbytes,
		.payload = stored.payload.data,
		.payload_nbytes = stored.payload.nbytes,
	};
	if (status == NC3Z_OK)
		status = block_decode(&coder, &view, out, nbytes, NULL);
	/* A splitting step that did not suit leaves a block without steps. */
	if (status == NC3Z_OK && memcmp(out, raw, nbytes) == 0 &&
	    (step->transforms != 0) == (stored.description.data[0] != 0))
		printf("%d\n", NELEMS);
	else
		fprintf(stderr, "%s does not suit the block\n", step->name);
	block_stored_release(&stored);
	block_coder_release(&coder);
	return status;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < NSTEPS; i++)
		if (argc < 3)
			puts(steps[i].name);
		else if (strcmp(argv[1], steps[i].name) == 0)
			return run(&steps[i], (uint8_t)atoi(argv[2]));
	return 0;
}
