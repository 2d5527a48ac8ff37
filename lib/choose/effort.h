/* SPDX-License-Identifier: MIT */
/* The effort that a level spends on a block. */
#ifndef NC3Z_CHOOSE_EFFORT_H
#define NC3Z_CHOOSE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effort {
	uint8_t transforms; /* splitting steps that are tried */
	bool few;           /* predictions only: the likely ones */
	bool extrapolates;  /* of numbers as well */
	unsigned nlaid_out; /* predictions whose other layouts are tried */
	bool whole;         /* the best are measured whole, not in samples */
	unsigned nwhole;    /* recipes that are tried on the whole block */
	/* Other codecs that are tried as well, a bit for each number. */
	uint8_t codecs;
	bool fastest; /* the fastest level of the codec is tried as well */
	/* And some with a recipe without filters, which is tried as well. */
	uint8_t plain_codecs;
	/* The level whose codec level it has for doubles; 0: none. */
	int plain_level;
	int codecs_level; /* whose codec levels are taken; 0: the level's own */
	int others_level; /* whose, for the other codecs; 0: the same */
	/* For text and small blocks: the level whose codec level is taken. */
	int small_level;
	size_t small_nbytes;
	/* Bytes that are spent to save readers 2^20 instructions (cost.h). */
	unsigned price;
};

/*
 * What finds out quickly what the highest level will make of an archive, and
 * what takes a little longer where there is little to try it on.
 */
#define EFFORT_TRIAL (NC3Z_LEVEL_MAX + 1)
#define EFFORT_TRIAL_CLOSE (NC3Z_LEVEL_MAX + 2)

/* For levels 0 to NC3Z_LEVEL_MAX, and these two. */
const struct effort *effort_of(int effort);

#endif
