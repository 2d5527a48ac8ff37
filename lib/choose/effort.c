/* SPDX-License-Identifier: MIT */
#include "choose/effort.h"

#include "block/block.h"

/* Blocks up to this size may take more time for each of their bytes. */
#define SMALL_NBYTES ((size_t)64 << 10)

#define ALL_TRANSFORMS \
	(BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_DECIMAL | \
	 BLOCK_TRANSFORM_PALETTE)

/* For what takes longer to find. */
#define MORE_TRANSFORMS (ALL_TRANSFORMS | BLOCK_TRANSFORM_REPEAT)

#define TRIAL \
	.transforms = MORE_TRANSFORMS, .extrapolates = true, .nlaid_out = 2, \
	.nwhole = 1, .plain_codecs = 1u << NC3Z_CODEC_LZMA, .codecs_level = 6, \
	.small_level = 7, .small_nbytes = SMALL_NBYTES

/*
 * Time goes first to where it gains most: predictions, then splitting steps,
 * then the codec.  The price of reading is at the knee of the curve at the
 * default level ("A price of time" in the rationale): twice of it, and files
 * begin to grow.
 */
static const struct effort efforts[EFFORT_TRIAL_CLOSE + 1] = {
	[1] = { .transforms = BLOCK_TRANSFORM_DECIMAL,
		.few = true,
		.nwhole = 1,
		.small_level = 1,
		.price = 3072 },
	[2] = { .transforms = BLOCK_TRANSFORM_DECIMAL | BLOCK_TRANSFORM_DROP,
		.few = true,
		.nwhole = 1,
		.small_level = 5,
		.price = 3072 },
	[3] = { .transforms = ALL_TRANSFORMS,
		.few = true,
		.nwhole = 3,
		.small_level = 6,
		.price = 2048 },
	[4] = { .transforms = ALL_TRANSFORMS,
		.nwhole = 3,
		.small_level = 6,
		.small_nbytes = SMALL_NBYTES,
		.price = 2048 },
	[5] = { .transforms = MORE_TRANSFORMS,
		.extrapolates = true,
		.nlaid_out = 1,
		.nwhole = 3,
		.plain_level = 7,
		.small_level = 7,
		.small_nbytes = SMALL_NBYTES,
		.price = 2048 },
	[6] = { .transforms = MORE_TRANSFORMS,
		.extrapolates = true,
		.nlaid_out = 2,
		.nwhole = 3,
		.plain_level = 7,
		.fastest = true,
		.small_level = 7,
		.small_nbytes = SMALL_NBYTES,
		.price = 1024 },
	[7] = { .transforms = MORE_TRANSFORMS,
		.extrapolates = true,
		.nlaid_out = 2,
		.nwhole = 3,
		.plain_level = 7,
		.fastest = true,
		.small_level = 8,
		.small_nbytes = SMALL_NBYTES,
		.price = 512 },
	[8] = { .transforms = MORE_TRANSFORMS,
		.extrapolates = true,
		.nlaid_out = 2,
		.nwhole = 3,
		.plain_level = 8,
		.fastest = true,
		.small_level = 9,
		.small_nbytes = SMALL_NBYTES,
		.price = 256 },
	[9] = { .transforms = MORE_TRANSFORMS,
		.extrapolates = true,
		.nlaid_out = 2,
		.whole = true,
		.nwhole = 2,
		.codecs = 1u << NC3Z_CODEC_LZMA,
		.fastest = true,
		.plain_codecs = 1u << NC3Z_CODEC_LZMA,
		.small_level = 9 },
	/* LZMA's preset 3, in whose place 4 takes as long as 5. */
	[EFFORT_TRIAL] = { TRIAL, .others_level = 4 },
	[EFFORT_TRIAL_CLOSE] = { TRIAL },
};

const struct effort *effort_of(int level)
{
	return &efforts[level];
}
