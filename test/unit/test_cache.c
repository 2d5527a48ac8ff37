/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>

#include "check.h"
#include "parallel/cache.h"

#define BUFFER_NBYTES 100
#define NKEYS 40
#define NTHREADS 8

#define OWNER 7
#define OTHER_OWNER 8

/* Counts how often each key was filled; keys from NKEYS on cannot be. */
struct filler_state {
	pthread_mutex_t lock;
	unsigned nfills[NKEYS];
	unsigned nfailures;
	unsigned nyields; /* how long filling takes */
	unsigned nwrong;  /* what threads found wrong */
};

static uint8_t byte_of(uint64_t key, size_t i)
{
	return (uint8_t)(key * 31 + i);
}

static struct cache_key key_of(uint64_t owner, uint64_t number)
{
	return (struct cache_key){ .owner = owner, .number = number };
}

static int fill(void *context, struct cache_key wanted, uint8_t *data,
		size_t nbytes, struct nc3z_error *err)
{
	uint64_t key = wanted.number;
	struct filler_state *state = context;

	for (unsigned i = 0; i < state->nyields; i++)
		sched_yield();
	pthread_mutex_lock(&state->lock);
	if (key < NKEYS)
		state->nfills[key]++;
	else
		state->nfailures++;
	pthread_mutex_unlock(&state->lock);
	if (key >= NKEYS)
		return error_set(err, NC3Z_EDAMAGED, "key %d", (int)key);
	for (size_t i = 0; i < nbytes; i++)
		data[i] = byte_of(key, i);
	return NC3Z_OK;
}

struct fixture {
	struct filler_state state;
	struct cache_filler filler;
	struct cache *cache;
};

static void set_up(struct fixture *f, uint64_t max_nbytes)
{
	*f = (struct fixture){ .filler = { .fill = fill } };
	f->filler.context = &f->state;
	pthread_mutex_init(&f->state.lock, NULL);
	f->cache = cache_new(max_nbytes);
	CHECK(f->cache != NULL);
}

static void tear_down(struct fixture *f)
{
	cache_free(f->cache);
	pthread_mutex_destroy(&f->state.lock);
}

static bool is_right(const struct cache_entry *entry, uint64_t key)
{
	for (size_t i = 0; i < entry->nbytes; i++)
		if (entry->data[i] != byte_of(key, i))
			return false;
	return entry->nbytes == BUFFER_NBYTES;
}

/* Gets a key, looks at it, gives it back. */
static void visit(struct fixture *f, uint64_t key, size_t used_nbytes)
{
	struct cache_entry *entry;

	REQUIRE(cache_get(f->cache, key_of(OWNER, key), BUFFER_NBYTES,
			  &f->filler, &entry, NULL) == NC3Z_OK);
	CHECK(is_right(entry, key));
	cache_put(f->cache, entry, used_nbytes);
}

static void test_filled_once(void)
{
	struct fixture f;

	set_up(&f, UINT64_MAX);
	for (int round = 0; round < 3; round++)
		for (uint64_t key = 0; key < NKEYS; key++)
			visit(&f, key, 1);
	for (uint64_t key = 0; key < NKEYS; key++)
		CHECK_EQ_U64(f.state.nfills[key], 1);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, NKEYS);
	CHECK_EQ_U64(cache_stats(f.cache).nbytes_held, NKEYS * BUFFER_NBYTES);
	tear_down(&f);
}

static bool is_there(struct fixture *f, uint64_t key)
{
	struct cache_entry *entry = cache_find(f->cache, key_of(OWNER, key));

	if (entry)
		cache_put(f->cache, entry, 0);
	return entry != NULL;
}

static void test_least_recently_used_leaves(void)
{
	struct fixture f;

	set_up(&f, 3 * BUFFER_NBYTES);
	visit(&f, 0, 1);
	visit(&f, 1, 1);
	visit(&f, 2, 1);
	visit(&f, 0, 1);
	visit(&f, 3, 1);
	CHECK(is_there(&f, 0));
	CHECK(!is_there(&f, 1));
	CHECK(is_there(&f, 2));
	CHECK(is_there(&f, 3));
	CHECK_EQ_U64(cache_stats(f.cache).nbytes_held, 3 * BUFFER_NBYTES);
	tear_down(&f);
}

static void test_used_up_leaves_first(void)
{
	struct fixture f;

	set_up(&f, 3 * BUFFER_NBYTES);
	visit(&f, 0, 1);
	visit(&f, 1, 60);
	visit(&f, 1, 40); /* now all of it has been used */
	visit(&f, 2, 1);
	visit(&f, 3, 1);
	CHECK(is_there(&f, 0));
	CHECK(!is_there(&f, 1));
	visit(&f, 4, 1);
	CHECK(!is_there(&f, 2));
	tear_down(&f);
}

/* Gets a key that was filled ahead, uses all of it. */
static void pass(struct fixture *f, uint64_t key)
{
	struct cache_entry *entry =
		cache_reserve(f->cache, key_of(OWNER, key), BUFFER_NBYTES);

	REQUIRE(entry != NULL);
	CHECK(cache_fill(f->cache, entry, &f->filler, NULL) == NC3Z_OK);
	visit(f, key, BUFFER_NBYTES);
	CHECK_EQ_U64(f->state.nfills[key], 1);
}

/* Whoever goes forward gets along with a part of the budget. */
static void test_passing_takes_a_part(void)
{
	const uint64_t part = NKEYS / 4 + 1;
	struct fixture f;

	set_up(&f, NKEYS * BUFFER_NBYTES);
	for (uint64_t key = 0; key < NKEYS; key++)
		pass(&f, key);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, part);
	/* The last ones are there, for those who come back a little: they */
	for (uint64_t key = 0; key < NKEYS; key++)
		CHECK(is_there(&f, key) == (key >= NKEYS - part));
	/* stay then, and so does all that is read otherwise. */
	for (int round = 0; round < 3; round++)
		for (uint64_t key = 0; key < NKEYS; key++)
			visit(&f, key, BUFFER_NBYTES);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, NKEYS);
	for (uint64_t key = 0; key < NKEYS; key++)
		CHECK_EQ_U64(f.state.nfills[key], key < NKEYS - part ? 2 : 1);
	tear_down(&f);
}

/* Also where the memory of the one that leaves does not suit. */
static void test_passing_with_other_lengths(void)
{
	struct cache_entry *entry;
	struct fixture f;

	set_up(&f, UINT64_C(8) * BUFFER_NBYTES);
	for (uint64_t key = 0; key < 5; key++)
		pass(&f, key);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 3);
	REQUIRE(cache_get(f.cache, key_of(OWNER, 5), 3 * BUFFER_NBYTES,
			  &f.filler, &entry, NULL) == NC3Z_OK);
	cache_put(f.cache, entry, 1);
	CHECK(!is_there(&f, 2));
	CHECK_EQ_U64(cache_stats(f.cache).nbytes_held, 5 * BUFFER_NBYTES);
	tear_down(&f);
}

static void test_pinned_stays(void)
{
	struct cache_entry *pinned[4];
	struct fixture f;

	set_up(&f, 2 * BUFFER_NBYTES);
	for (uint64_t key = 0; key < 4; key++)
		REQUIRE(cache_get(f.cache, key_of(OWNER, key), BUFFER_NBYTES,
				  &f.filler, &pinned[key], NULL) == NC3Z_OK);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 4);
	for (uint64_t key = 0; key < 4; key++)
		CHECK(is_right(pinned[key], key));
	for (unsigned i = 0; i < 4; i++)
		cache_put(f.cache, pinned[i], 1);
	visit(&f, 5, 1);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 2);
	tear_down(&f);
}

static void test_nothing_fits(void)
{
	struct fixture f;

	set_up(&f, 0);
	for (uint64_t key = 0; key < 5; key++)
		visit(&f, key, 1);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 1);
	tear_down(&f);
}

static void test_failure(void)
{
	struct nc3z_error err = { 0 };
	struct cache_entry *entry;
	struct fixture f;

	set_up(&f, UINT64_MAX);
	for (int i = 0; i < 2; i++) {
		CHECK(cache_get(f.cache, key_of(OWNER, NKEYS), BUFFER_NBYTES,
				&f.filler, &entry, &err) == NC3Z_EDAMAGED);
		CHECK(entry == NULL);
		CHECK_STR_EQ(err.text, "key 40");
	}
	CHECK_EQ_U64(f.state.nfailures, 2);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 0);
	visit(&f, 1, 1);
	tear_down(&f);
}

/* Checks of the unit tests are for one thread. */
static void note(struct fixture *f, bool is_so)
{
	pthread_mutex_lock(&f->state.lock);
	f->state.nwrong += !is_so;
	pthread_mutex_unlock(&f->state.lock);
}

static void *visit_reserved(void *argument)
{
	struct fixture *f = argument;
	struct cache_entry *entry = cache_find(f->cache, key_of(OWNER, 1));

	note(f, entry && is_right(entry, 1));
	if (entry)
		cache_put(f->cache, entry, 1);
	return NULL;
}

/* Who reserves fills; others wait for it and do not fill it once more. */
static void test_reserving(void)
{
	struct cache_key key = key_of(OWNER, 1), bad = key_of(OWNER, NKEYS);
	struct cache_entry *entry;
	pthread_t thread;
	struct fixture f;

	set_up(&f, UINT64_MAX);
	CHECK(!cache_is_filling(f.cache, key));
	entry = cache_reserve(f.cache, key, BUFFER_NBYTES);
	REQUIRE(entry != NULL);
	CHECK(cache_is_filling(f.cache, key));
	CHECK(cache_reserve(f.cache, key, BUFFER_NBYTES) == NULL);
	REQUIRE(pthread_create(&thread, NULL, visit_reserved, &f) == 0);
	CHECK(cache_fill(f.cache, entry, &f.filler, NULL) == NC3Z_OK);
	pthread_join(thread, NULL);
	CHECK_EQ_U64(f.state.nwrong, 0);
	CHECK(!cache_is_filling(f.cache, key));
	CHECK(cache_reserve(f.cache, key, BUFFER_NBYTES) == NULL);
	CHECK_EQ_U64(f.state.nfills[1], 1);

	for (int i = 0; i < 2; i++) {
		entry = cache_reserve(f.cache, bad, BUFFER_NBYTES);
		REQUIRE(entry != NULL);
		CHECK(cache_fill(f.cache, entry, &f.filler, NULL) ==
		      NC3Z_EDAMAGED);
		CHECK(!cache_has(f.cache, bad));
	}
	tear_down(&f);
}

/* Different lengths: the memory of one that leaves does not suit all. */
static void test_lengths(void)
{
	struct cache_entry *entry;
	struct fixture f;

	set_up(&f, 1000);
	for (uint64_t i = 0; i < 2000; i++) {
		size_t nbytes = (size_t)(1 + i * 7919 % 997);

		REQUIRE(cache_get(f.cache, key_of(OWNER, i % NKEYS), nbytes,
				  &f.filler, &entry, NULL) == NC3Z_OK);
		/* A key stands for one length; this one may be an older. */
		if (entry->nbytes == nbytes)
			CHECK(entry->data[nbytes - 1] ==
			      byte_of(i % NKEYS, nbytes - 1));
		cache_put(f.cache, entry, nbytes);
		CHECK(cache_stats(f.cache).nbytes_held <= 1000);
	}
	tear_down(&f);
}

static void *visit_all(void *argument)
{
	struct fixture *f = argument;
	struct cache_entry *entry;

	for (uint64_t key = 0; key < NKEYS; key++) {
		bool got = cache_get(f->cache, key_of(OWNER, key),
				     BUFFER_NBYTES, &f->filler, &entry,
				     NULL) == NC3Z_OK;

		note(f, got && is_right(entry, key));
		if (got)
			cache_put(f->cache, entry, 1);
	}
	return NULL;
}

static void run_threads(void *(*body)(void *), struct fixture *f)
{
	pthread_t threads[NTHREADS];

	for (unsigned i = 0; i < NTHREADS; i++)
		REQUIRE(pthread_create(&threads[i], NULL, body, f) == 0);
	for (unsigned i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ_U64(f->state.nwrong, 0);
}

static void test_many_waiters_one_fill(void)
{
	struct fixture f;

	set_up(&f, UINT64_MAX);
	f.state.nyields = 50;
	run_threads(visit_all, &f);
	for (uint64_t key = 0; key < NKEYS; key++)
		CHECK_EQ_U64(f.state.nfills[key], 1);
	tear_down(&f);
}

static void test_threads_in_little_room(void)
{
	struct fixture f;

	set_up(&f, 5 * BUFFER_NBYTES);
	f.state.nyields = 3;
	run_threads(visit_all, &f);
	CHECK(cache_stats(f.cache).nheld >= 1);
	/* One more visit, with nothing pinned, gets it within its budget. */
	visit(&f, 0, 1);
	CHECK(cache_stats(f.cache).nbytes_held <=
	      (5 + NTHREADS) * BUFFER_NBYTES);
	tear_down(&f);
}

static void *fail_often(void *argument)
{
	struct fixture *f = argument;
	struct cache_entry *entry;

	for (int i = 0; i < 20; i++)
		note(f, cache_get(f->cache, key_of(OWNER, NKEYS), BUFFER_NBYTES,
				  &f->filler, &entry, NULL) == NC3Z_EDAMAGED);
	return NULL;
}

/* Each thread gets the error for itself. */
static void test_waiting_for_a_failure(void)
{
	struct fixture f;

	set_up(&f, UINT64_MAX);
	f.state.nyields = 20;
	run_threads(fail_often, &f);
	CHECK_EQ_U64(f.state.nfailures, 20 * NTHREADS);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 0);
	tear_down(&f);
}

/* Owners have keys of their own, and each can take its buffers with it. */
static void test_owners(void)
{
	struct cache_entry *ours, *theirs;
	struct fixture f;

	set_up(&f, UINT64_MAX);
	for (uint64_t key = 0; key < NKEYS; key++) {
		REQUIRE(cache_get(f.cache, key_of(OWNER, key), BUFFER_NBYTES,
				  &f.filler, &ours, NULL) == NC3Z_OK);
		REQUIRE(cache_get(f.cache, key_of(OTHER_OWNER, key),
				  BUFFER_NBYTES, &f.filler, &theirs,
				  NULL) == NC3Z_OK);
		CHECK(ours != theirs);
		CHECK_EQ_U64(f.state.nfills[key], 2);
		cache_put(f.cache, ours, 0);
		cache_put(f.cache, theirs, 0);
	}
	CHECK_EQ_U64(cache_stats_of(f.cache, OWNER).nheld, NKEYS);
	cache_drop(f.cache, OWNER);
	CHECK_EQ_U64(cache_stats_of(f.cache, OWNER).nheld, 0);
	CHECK_EQ_U64(cache_stats_of(f.cache, OTHER_OWNER).nheld, NKEYS);
	CHECK(!cache_find(f.cache, key_of(OWNER, 3)));
	theirs = cache_find(f.cache, key_of(OTHER_OWNER, 3));
	REQUIRE(theirs != NULL);
	cache_put(f.cache, theirs, 0);
	/* A smaller budget holds at once. */
	cache_set_max_nbytes(f.cache, 3 * BUFFER_NBYTES);
	CHECK_EQ_U64(cache_max_nbytes(f.cache), 3 * BUFFER_NBYTES);
	CHECK_EQ_U64(cache_stats(f.cache).nheld, 3);
	tear_down(&f);
}

int main(void)
{
	RUN(test_filled_once);
	RUN(test_least_recently_used_leaves);
	RUN(test_used_up_leaves_first);
	RUN(test_passing_takes_a_part);
	RUN(test_passing_with_other_lengths);
	RUN(test_pinned_stays);
	RUN(test_nothing_fits);
	RUN(test_failure);
	RUN(test_reserving);
	RUN(test_lengths);
	RUN(test_many_waiters_one_fill);
	RUN(test_threads_in_little_room);
	RUN(test_waiting_for_a_failure);
	RUN(test_owners);
	return check_report();
}
