/* SPDX-License-Identifier: MIT */
/* Shared by the files of this directory. */
#ifndef NC3Z_BLOCK_INTERNAL_H
#define NC3Z_BLOCK_INTERNAL_H

#include "block/block.h"

/* encode.c */

struct block_bytes {
	const uint8_t *data;
	size_t nbytes;
	size_t limit; /* what is made of them has to be less: 1 to nbytes */
};

/*
 * Appends to the payload what the codec makes of 'in'; '*nbytes_ret' is 0 if
 * that is not less than the limit.
 */
int block_encode_smaller(struct block_coder *coder,
			 const struct codec_settings *how,
			 struct block_bytes in, struct buffer *payload,
			 size_t *nbytes_ret, struct nc3z_error *err);

/*
 * Encodes the bytes of a part whose width, chain and length are set, appends
 * them to the payload and completes the part.  Only codecs and levels of the
 * recipe are used.
 */
int block_encode_part(struct block_coder *coder,
		      const struct block_recipe *recipe, const uint8_t *raw,
		      struct block_part *part, struct buffer *payload,
		      struct nc3z_error *err);

/*
 * last_mask.c: whether that is the mask of a block of 'nelems' elements that
 * the recipe makes the same of.
 */
bool block_last_mask_is(const struct block_last_mask *last,
			const struct block_recipe *recipe, const uint8_t *mask,
			size_t nelems);

/* Keeps what was made of a mask; false if there is no memory. */
bool block_last_mask_set(struct block_last_mask *last,
			 const struct block_recipe *recipe, const uint8_t *mask,
			 size_t nelems, const struct block_part *part,
			 const uint8_t *stored);

/* prepare.c */

/* A block that is being split. */
struct block_splitting {
	struct block_coder *coder;
	const struct block_recipe *recipe;
	struct block_prepared *p;
	struct nc3z_error *err;
	uint8_t main_width;
};

/* sides.c */

/* A way of writing a part down. */
struct block_side {
	const uint8_t *raw;
	struct filter_chain chain;
};

/*
 * Encodes a part beside the main one in each of some ways, or, if it is long,
 * in the one that looks best; the smallest stays in p->sides.
 */
int block_add_side(struct block_splitting *w, const struct block_part *like,
		   const struct block_side *candidates, unsigned ncandidates,
		   unsigned *best_ret);

/* The chain of a recipe, without what is of no use for the main part. */
void block_main_chain(const struct block_prepared *prepared,
		      const struct block_recipe *recipe,
		      struct filter_chain *chain_ret);

/*
 * gather.c: what probes of a part need of it so that a chain predicts from
 * true neighbours.
 */
struct block_gathering {
	/* With strides for what was gathered, and without layout. */
	struct filter_chain chain;
	uint32_t moves[FILTER_STEPS_MAX]; /* the long strides */
	unsigned nmoves;
	uint64_t margin; /* elements in front of the probe */
	size_t probe;    /* elements */
};

/* 'is_whole': the probe is the part. */
void block_gathering_init(struct block_gathering *g,
			  const struct filter_chain *chain, size_t probe,
			  bool is_whole);

/* Elements that are gathered; the last of them are the probe. */
size_t block_gathering_nelems(const struct block_gathering *g);

/*
 * Gathers for the probe that begins at element 'first'; 'before' stands for
 * the bytes before the first element.
 */
void block_gather(const struct block_gathering *g, const uint8_t *elems,
		  size_t width, size_t first, uint8_t before, uint8_t *out);

/* The value that order and the filters after it take for 0. */
uint8_t block_gathering_zero(const struct block_gathering *g);

#endif
