/* SPDX-License-Identifier: MIT */
#include "write/recipe_cache.h"

#include <pthread.h>
#include <stdlib.h>

struct cached_recipe {
	unsigned nusers;              /* the owner's */
	struct cached_recipe *before; /* that its block used, or NULL */
	uint32_t block;               /* that makes it */
	/* Under the lock: */
	bool is_decided; /* the recipe is there, or left */
	bool is_made;    /* all of it is there */
	bool is_same;    /* the one of the older archive */
	bool is_left;    /* to be made when it is wanted */
	bool is_claimed; /* by a worker that makes it then */
	struct cached_recipe_contents contents;
};

struct recipe_cache {
	struct cached_recipe **last; /* of each stream; the owner's */
	uint32_t nstreams;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

struct recipe_cache *recipe_cache_new(uint32_t nstreams)
{
	struct recipe_cache *recipe_cache = calloc(1, sizeof(*recipe_cache));

	if (!recipe_cache)
		return NULL;
	recipe_cache->nstreams = nstreams;
	recipe_cache->last =
		memory_alloc(nstreams, sizeof(*recipe_cache->last));
	if (!recipe_cache->last) {
		free(recipe_cache);
		return NULL;
	}
	pthread_mutex_init(&recipe_cache->lock, NULL);
	pthread_cond_init(&recipe_cache->changed, NULL);
	return recipe_cache;
}

static void drop(struct cached_recipe *cached)
{
	while (cached && --cached->nusers == 0) {
		struct cached_recipe *before = cached->before;

		free(cached);
		cached = before;
	}
}

void recipe_cache_free(struct recipe_cache *recipe_cache)
{
	if (!recipe_cache)
		return;
	for (uint32_t i = 0; i < recipe_cache->nstreams; i++)
		drop(recipe_cache->last[i]);
	pthread_cond_destroy(&recipe_cache->changed);
	pthread_mutex_destroy(&recipe_cache->lock);
	free(recipe_cache->last);
	free(recipe_cache);
}

bool recipe_cache_hand_out(struct recipe_cache *recipe_cache, uint32_t stream,
			   uint32_t block, struct recipe_cache_use *ret)
{
	struct cached_recipe **last = &recipe_cache->last[stream];

	*ret = (struct recipe_cache_use){ 0 };
	if (block % RECIPE_EPOCH != 0) {
		ret->used = *last;
		ret->used->nusers++;
	}
	if (!makes_cached_recipe(block))
		return true;
	ret->made = calloc(1, sizeof(*ret->made));
	if (!ret->made) {
		recipe_cache_hand_back(ret);
		return false;
	}
	ret->made->nusers = 2; /* the block and the stream */
	ret->made->block = block;
	ret->made->before = ret->used;
	if (ret->used)
		ret->used->nusers++;
	drop(*last);
	*last = ret->made;
	return true;
}

void recipe_cache_hand_back(struct recipe_cache_use *block)
{
	drop(block->used);
	drop(block->made);
	*block = (struct recipe_cache_use){ 0 };
}

bool cached_recipe_is_decided(struct recipe_cache *recipe_cache,
			      const struct cached_recipe *cached)
{
	bool is_decided;

	pthread_mutex_lock(&recipe_cache->lock);
	is_decided = cached->is_decided;
	pthread_mutex_unlock(&recipe_cache->lock);
	return is_decided;
}

bool cached_recipe_get(struct recipe_cache *recipe_cache,
		       const struct cached_recipe *cached,
		       struct block_recipe *recipe_ret, uint8_t *codecs_ret)
{
	bool is_empty;

	pthread_mutex_lock(&recipe_cache->lock);
	*recipe_ret = cached->contents.recipe;
	*codecs_ret = cached->contents.codecs;
	is_empty = cached->contents.is_empty;
	pthread_mutex_unlock(&recipe_cache->lock);
	return !is_empty;
}

struct cached_recipe_contents
cached_recipe_wait(struct recipe_cache *recipe_cache,
		   const struct cached_recipe *cached)
{
	struct cached_recipe_contents contents;

	pthread_mutex_lock(&recipe_cache->lock);
	while (!cached->is_made)
		pthread_cond_wait(&recipe_cache->changed, &recipe_cache->lock);
	contents = cached->contents;
	pthread_mutex_unlock(&recipe_cache->lock);
	return contents;
}

void cached_recipe_decide(struct recipe_cache *recipe_cache,
			  struct cached_recipe *cached,
			  const struct block_recipe *recipe)
{
	pthread_mutex_lock(&recipe_cache->lock);
	cached->contents.recipe = *recipe;
	cached->is_decided = true;
	pthread_cond_broadcast(&recipe_cache->changed);
	pthread_mutex_unlock(&recipe_cache->lock);
}

void cached_recipe_make(struct recipe_cache *recipe_cache,
			struct cached_recipe *cached,
			const struct cached_recipe_contents *contents)
{
	pthread_mutex_lock(&recipe_cache->lock);
	cached->contents = *contents;
	cached->is_decided = true;
	cached->is_made = true;
	pthread_cond_broadcast(&recipe_cache->changed);
	pthread_mutex_unlock(&recipe_cache->lock);
}

void cached_recipe_keep(struct recipe_cache *recipe_cache,
			struct cached_recipe *cached, bool is_left)
{
	pthread_mutex_lock(&recipe_cache->lock);
	cached->is_same = true;
	cached->is_left = is_left;
	cached->is_decided = is_left;
	pthread_mutex_unlock(&recipe_cache->lock);
}

bool cached_recipe_is_kept(struct recipe_cache *recipe_cache,
			   const struct cached_recipe *cached)
{
	bool is_same;

	pthread_mutex_lock(&recipe_cache->lock);
	is_same = cached->is_same;
	pthread_mutex_unlock(&recipe_cache->lock);
	return is_same;
}

/* Whether the caller has to make it; another worker may be about to. */
static bool claim(struct recipe_cache *recipe_cache,
		  struct cached_recipe *cached)
{
	bool is_free;

	pthread_mutex_lock(&recipe_cache->lock);
	while (cached->is_claimed && !cached->is_made)
		pthread_cond_wait(&recipe_cache->changed, &recipe_cache->lock);
	is_free = cached->is_left && !cached->is_made;
	cached->is_claimed = is_free;
	pthread_mutex_unlock(&recipe_cache->lock);
	return is_free;
}

int cached_recipe_recall(struct recipe_cache *recipe_cache,
			 struct cached_recipe *cached, cached_recipe_fn *make,
			 void *context)
{
	struct recipe_cache_use use = {
		.used = cached->before,
		.made = cached,
	};
	struct cached_recipe_contents contents = { .is_empty = true };
	int status = NC3Z_OK;

	if (!claim(recipe_cache, cached))
		return NC3Z_OK;
	if (use.used)
		status = cached_recipe_recall(recipe_cache, use.used, make,
					      context);
	if (status == NC3Z_OK)
		status = make(context, cached->block, &use, &contents);
	cached_recipe_make(recipe_cache, cached, &contents);
	return status;
}
