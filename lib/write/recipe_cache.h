/* SPDX-License-Identifier: MIT */
/*
 * Cached recipes: the filters that were found on one block of a stream, and
 * how small that block became.
 *
 * Every RECIPE_EPOCH-th block of a stream is searched and makes a cached
 * recipe; every RECIPE_CHECK-th, and the one after the first, makes one too, a
 * new one if it comes out much larger than the one before, otherwise the same
 * again.  The blocks between use the last one.  So what a block becomes depends
 * on the bytes of its stream up to there, never on timing.  First blocks are
 * often unlike the others: the top of the atmosphere, a time without waves.
 *
 * A recipe may be known before its block is encoded, so that the
 * blocks after it need not wait for that.
 *
 * A block that is copied from an older archive leaves its cached recipe to be
 * made when a block wants it that is not copied: it is the same as when that
 * archive was made if all cached recipes before it in its epoch are, and the
 * bytes of its own block.
 *
 * The owner of the jobs hands cached recipes out and takes them back, in the
 * order of the blocks; workers use and make them.  A cached recipe is made by
 * an earlier job than those that use it.
 */
#ifndef NC3Z_WRITE_RECIPE_CACHE_H
#define NC3Z_WRITE_RECIPE_CACHE_H

#include "block/block.h"

#define RECIPE_EPOCH 64
#define RECIPE_CHECK 4

/* A cached recipe, once it is made. */
struct cached_recipe_contents {
	bool is_empty; /* made by a constant block: says nothing of others */
	struct block_recipe recipe;
	uint8_t codecs; /* that the block has: others need not be tried */
	uint32_t raw_nbytes;
	uint32_t stored_nbytes;
};

/* Whether a block came out much larger with a recipe: 15 % per byte. */
static inline bool
cached_recipe_is_much_worse(const struct cached_recipe_contents *cached,
			    uint64_t raw_nbytes, uint64_t nbytes)
{
	return nbytes * cached->raw_nbytes * 20 >
	       (uint64_t)cached->stored_nbytes * raw_nbytes * 23;
}

/* Whether a block of a stream makes a cached recipe. */
static inline bool makes_cached_recipe(uint64_t block)
{
	return block % RECIPE_CHECK == 0 || block % RECIPE_EPOCH == 1;
}

struct cached_recipe;
struct recipe_cache;

/* NULL if out of memory. */
struct recipe_cache *recipe_cache_new(uint32_t nstreams);

/* All recipe_cache have been handed back.  NULL is allowed. */
void recipe_cache_free(struct recipe_cache *recipe_cache);

/* The recipe_cache of one block; each may be NULL. */
struct recipe_cache_use {
	struct cached_recipe *used; /* NULL: searches without one */
	struct cached_recipe *made; /* NULL: makes none */
};

/*
 * By the owner: the recipe_cache of the next block of a stream.  False if out
 * of memory.
 */
bool recipe_cache_hand_out(struct recipe_cache *recipe_cache, uint32_t stream,
			   uint32_t block, struct recipe_cache_use *ret);

/* By the owner: a block needs its recipe_cache no more. */
void recipe_cache_hand_back(struct recipe_cache_use *block);

/* By any thread: whether the recipe of a cached recipe is known. */
bool cached_recipe_is_decided(struct recipe_cache *recipe_cache,
			      const struct cached_recipe *cached);

/* By a worker: of a cached recipe that is decided; false if it is empty. */
bool cached_recipe_get(struct recipe_cache *recipe_cache,
		       const struct cached_recipe *cached,
		       struct block_recipe *recipe_ret, uint8_t *codecs_ret);

/* By a worker: waits until a cached recipe is made. */
struct cached_recipe_contents
cached_recipe_wait(struct recipe_cache *recipe_cache,
		   const struct cached_recipe *cached);

/* By a worker, which makes the cached recipe later: its recipe will be this. */
void cached_recipe_decide(struct recipe_cache *recipe_cache,
			  struct cached_recipe *cached,
			  const struct block_recipe *recipe);

/* By a worker, for each one to be made, also if its block failed. */
void cached_recipe_make(struct recipe_cache *recipe_cache,
			struct cached_recipe *cached,
			const struct cached_recipe_contents *contents);

/*
 * By a worker: one to be made is the same as in the older archive; with
 * 'is_left' its block was copied.  Before it is decided.
 */
void cached_recipe_keep(struct recipe_cache *recipe_cache,
			struct cached_recipe *cached, bool is_left);

/* By any thread: whether one that is decided is the same. */
bool cached_recipe_is_kept(struct recipe_cache *recipe_cache,
			   const struct cached_recipe *cached);

/* Makes the cached recipe of a block in what 'use' says. */
typedef int cached_recipe_fn(void *context, uint32_t block,
			     const struct recipe_cache_use *use,
			     struct cached_recipe_contents *contents);

/*
 * By a worker: makes one that is decided if it was left, after those before it
 * that were; or waits for the worker that does.  Returns what 'make' returns.
 */
int cached_recipe_recall(struct recipe_cache *recipe_cache,
			 struct cached_recipe *cached, cached_recipe_fn *make,
			 void *context);

#endif
