/* SPDX-License-Identifier: MIT */
/*
 * Choosing how to encode a block: splitting steps, filters, codec, level.  The
 * choice is a function of the bytes and the settings alone, so that the same
 * input gives the same archive.
 */
#ifndef NC3Z_CHOOSE_CHOOSE_H
#define NC3Z_CHOOSE_CHOOSE_H

#include "block/block.h"

/* Facts about the bytes of a stream, known before looking at them. */
struct choose_hint {
	uint8_t width;         /* of an element, in bytes */
	bool is_float;         /* IEEE 754 elements */
	bool is_text;          /* characters, or a mixture of bytes */
	uint32_t row_nelems;   /* elements in a row, 0 if there are none */
	uint32_t plane_nelems; /* elements in a plane, 0 if there are none */
};

/* Raw bytes of a block, and what is known of them. */
struct choose_input {
	struct choose_hint hint;
	const uint8_t *raw;
	size_t raw_nbytes;
};

/* Settings of a whole archive. */
struct choose_settings {
	int effort; /* a level, or a trial: effort_of() */
	uint8_t codec;
	const int *stop; /* NULL, or whether to stop, set by other threads */
};

/*
 * Working memory, kept between calls: one for each thread.  Zero-initialised
 * it is empty.
 */
struct chooser {
	const int *stop; /* as in the settings */
	struct block_coder coder;
	struct block_prepared prepared;
	struct block_stored trial;
};

void chooser_release(struct chooser *chooser);

/* Recipes to try on a whole block, the most promising first. */
#define CHOOSE_RECIPES_MAX 7

struct choose_recipes {
	unsigned count;   /* at least 1 */
	bool is_constant; /* the block: it says nothing of other blocks */
	unsigned price;   /* of time (effort.h) */
	struct block_recipe list[CHOOSE_RECIPES_MAX];
};

/*
 * Finds the recipes that may cost least (cost.h), by samples of the block.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int choose_recipes(struct chooser *chooser,
		   const struct choose_settings *settings,
		   const struct choose_input *input, struct choose_recipes *ret,
		   struct nc3z_error *err);

/* A recipe, and the block encoded with it. */
struct choose_result {
	struct block_recipe recipe;
	struct block_stored *stored;
	size_t nbytes; /* of 'stored'; SIZE_MAX: nothing was encoded yet */
};

/*
 * Encodes a block with one recipe after the other.  What the choice holds,
 * also before the call, is kept unless the result costs less (cost.h).
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM, NC3Z_EIO with ECANCELED if told to stop.
 */
int choose_smallest(struct chooser *chooser, const struct choose_input *input,
		    const struct choose_recipes *recipes,
		    struct choose_result *choice, struct nc3z_error *err);

#endif
