/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "check.h"
#include "write/recipe_cache.h"

#define NBLOCKS 70

static bool makes_one(uint32_t block)
{
	return block % RECIPE_CHECK == 0 || block % RECIPE_EPOCH == 1;
}

/* The block before this one whose cached recipe it uses. */
static uint32_t maker_before(uint32_t block)
{
	do
		block--;
	while (!makes_one(block));
	return block;
}

/* Which recipe_cache a block gets, by its number alone. */
static void check_handed_out(uint32_t block, const struct recipe_cache_use *m)
{
	CHECK((m->used == NULL) == (block % RECIPE_EPOCH == 0));
	CHECK((m->made != NULL) == makes_one(block));
}

static struct cached_recipe_contents contents_of(uint32_t stream,
						 uint32_t block)
{
	return (struct cached_recipe_contents){
		.recipe = { .width = 4, .codec = (uint8_t)(block % 4) },
		.raw_nbytes = stream * 1000 + block,
		.stored_nbytes = block,
	};
}

/* One block after the other: each uses what the last one made. */
static void test_in_order(void)
{
	struct recipe_cache *recipe_cache = recipe_cache_new(2);

	REQUIRE(recipe_cache);
	for (uint32_t b = 0; b < NBLOCKS; b++)
		for (uint32_t s = 0; s < 2; s++) {
			struct cached_recipe_contents c;
			struct recipe_cache_use m;

			REQUIRE(recipe_cache_hand_out(recipe_cache, s, b, &m));
			check_handed_out(b, &m);
			if (m.used) {
				c = cached_recipe_wait(recipe_cache, m.used);
				CHECK_EQ_U64(c.raw_nbytes,
					     s * 1000 + maker_before(b));
				CHECK_EQ_U64(c.recipe.width, 4);
			}
			c = contents_of(s, b);
			if (m.made)
				cached_recipe_make(recipe_cache, m.made, &c);
			recipe_cache_hand_back(&m);
			CHECK(!m.used && !m.made);
		}
	recipe_cache_free(recipe_cache);
	recipe_cache_free(NULL);
}

/* Handed out ahead, made and handed back late and in another order. */
static void test_ahead(void)
{
	struct recipe_cache_use all[NBLOCKS];
	struct recipe_cache *recipe_cache = recipe_cache_new(1);

	REQUIRE(recipe_cache);
	for (uint32_t b = 0; b < NBLOCKS; b++) {
		REQUIRE(recipe_cache_hand_out(recipe_cache, 0, b, &all[b]));
		check_handed_out(b, &all[b]);
	}
	for (uint32_t b = NBLOCKS; b-- > 0;) {
		struct cached_recipe_contents c = contents_of(0, b);

		if (all[b].made)
			cached_recipe_make(recipe_cache, all[b].made, &c);
	}
	for (uint32_t b = 0; b < NBLOCKS; b++) {
		if (all[b].used)
			CHECK_EQ_U64(cached_recipe_wait(recipe_cache,
							all[b].used)
					     .raw_nbytes,
				     maker_before(b));
		recipe_cache_hand_back(&all[b]);
	}
	recipe_cache_free(recipe_cache);
}

struct waiter {
	struct recipe_cache *recipe_cache;
	const struct cached_recipe *cached;
	uint32_t raw_nbytes;
	uint8_t width;
	bool is_decided;
	bool has_recipe;
};

/* Checks are for the main thread. */
static void *wait_for_cached(void *context)
{
	struct waiter *w = context;
	struct block_recipe recipe = { 0 };
	uint8_t codecs;

	w->raw_nbytes =
		cached_recipe_wait(w->recipe_cache, w->cached).raw_nbytes;
	w->is_decided = cached_recipe_is_decided(w->recipe_cache, w->cached);
	w->has_recipe =
		cached_recipe_get(w->recipe_cache, w->cached, &recipe, &codecs);
	w->width = recipe.width;
	return NULL;
}

/* The recipe can be had before the rest. */
static void test_decided(void)
{
	struct recipe_cache *recipe_cache = recipe_cache_new(1);
	struct cached_recipe_contents c = contents_of(0, 7);
	struct recipe_cache_use made, used;
	struct block_recipe recipe;
	uint8_t codecs;

	REQUIRE(recipe_cache &&
		recipe_cache_hand_out(recipe_cache, 0, 0, &made) &&
		recipe_cache_hand_out(recipe_cache, 0, 1, &used));
	c.recipe.width = 8;
	CHECK(!cached_recipe_is_decided(recipe_cache, used.used));
	cached_recipe_decide(recipe_cache, made.made, &c.recipe);
	CHECK(cached_recipe_is_decided(recipe_cache, used.used));
	CHECK(cached_recipe_get(recipe_cache, used.used, &recipe, &codecs));
	CHECK_EQ_U64(recipe.width, 8);
	c.recipe.width = 2;
	c.codecs = 4;
	cached_recipe_make(recipe_cache, made.made, &c);
	CHECK(cached_recipe_get(recipe_cache, used.used, &recipe, &codecs));
	CHECK_EQ_U64(recipe.width, 2);
	CHECK_EQ_U64(codecs, 4);
	CHECK_EQ_U64(cached_recipe_wait(recipe_cache, used.used).raw_nbytes, 7);
	recipe_cache_hand_back(&made);
	recipe_cache_hand_back(&used);
	recipe_cache_free(recipe_cache);
}

/* A constant block leaves no recipe. */
static void test_empty(void)
{
	struct recipe_cache *recipe_cache = recipe_cache_new(1);
	struct cached_recipe_contents c = { .is_empty = true };
	struct recipe_cache_use made, used;
	struct block_recipe recipe;
	uint8_t codecs;

	REQUIRE(recipe_cache &&
		recipe_cache_hand_out(recipe_cache, 0, 0, &made) &&
		recipe_cache_hand_out(recipe_cache, 0, 1, &used));
	cached_recipe_make(recipe_cache, made.made, &c);
	CHECK(cached_recipe_is_decided(recipe_cache, used.used));
	CHECK(!cached_recipe_get(recipe_cache, used.used, &recipe, &codecs));
	recipe_cache_hand_back(&made);
	recipe_cache_hand_back(&used);
	recipe_cache_free(recipe_cache);
}

/* Several threads wait for one cached recipe. */
static void test_waiting(void)
{
	struct recipe_cache *recipe_cache = recipe_cache_new(1);
	struct recipe_cache_use first, made, used[3];
	struct cached_recipe_contents c = contents_of(0, 7);
	struct waiter waiters[3];
	pthread_t threads[3];

	REQUIRE(recipe_cache &&
		recipe_cache_hand_out(recipe_cache, 0, 0, &first) &&
		recipe_cache_hand_out(recipe_cache, 0, 1, &made));
	for (uint32_t i = 0; i < 3; i++) {
		REQUIRE(recipe_cache_hand_out(recipe_cache, 0, i + 2,
					      &used[i]));
		waiters[i] = (struct waiter){ .recipe_cache = recipe_cache,
					      .cached = used[i].used };
		REQUIRE(pthread_create(&threads[i], NULL, wait_for_cached,
				       &waiters[i]) == 0);
	}
	cached_recipe_make(recipe_cache, made.made, &c);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		CHECK(waiters[i].is_decided);
		CHECK(waiters[i].has_recipe);
		CHECK_EQ_U64(waiters[i].raw_nbytes, 7);
		CHECK_EQ_U64(waiters[i].width, 4);
		recipe_cache_hand_back(&used[i]);
	}
	recipe_cache_hand_back(&made);
	recipe_cache_hand_back(&first);
	recipe_cache_free(recipe_cache);
}

int main(void)
{
	RUN(test_in_order);
	RUN(test_ahead);
	RUN(test_decided);
	RUN(test_empty);
	RUN(test_waiting);
	return check_report();
}
