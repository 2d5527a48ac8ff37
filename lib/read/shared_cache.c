/* SPDX-License-Identifier: MIT */
/*
 * A child that was forked gets a cache of its own for the files that it opens.
 * It keeps the parent's for those that it inherited, whose locks are free at
 * the moment of the fork.
 */
#include "read/shared_cache.h"

#include <pthread.h>
#include <stdlib.h>

struct shared_cache {
	struct cache *cache;
	unsigned nfiles;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct shared_cache *current; /* NULL as long as no file needs it */
static uint64_t budget_nbytes = NC3Z_CACHE_NBYTES_DEFAULT;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	if (current)
		cache_lock(current->cache);
}

static void in_parent(void)
{
	if (current)
		cache_unlock(current->cache);
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	if (current)
		cache_unlock(current->cache);
	current = NULL;
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

static struct shared_cache *make_cache(void)
{
	struct shared_cache *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return NULL;
	shared->cache = cache_new(budget_nbytes);
	if (!shared->cache) {
		free(shared);
		return NULL;
	}
	return shared;
}

struct shared_cache *shared_cache_take(void)
{
	struct shared_cache *shared;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&lock);
	if (!current)
		current = make_cache();
	shared = current;
	if (shared)
		shared->nfiles++;
	pthread_mutex_unlock(&lock);
	return shared;
}

void shared_cache_give(struct shared_cache *shared)
{
	bool is_last;

	pthread_mutex_lock(&lock);
	is_last = --shared->nfiles == 0;
	if (is_last && shared == current)
		current = NULL;
	pthread_mutex_unlock(&lock);
	if (is_last) {
		cache_free(shared->cache);
		free(shared);
	}
}

struct cache *shared_cache_of(struct shared_cache *shared)
{
	return shared->cache;
}

unsigned shared_cache_nfiles(struct shared_cache *shared)
{
	unsigned nfiles;

	pthread_mutex_lock(&lock);
	nfiles = shared->nfiles;
	pthread_mutex_unlock(&lock);
	return nfiles;
}

uint64_t nc3z_set_cache_nbytes(uint64_t nbytes)
{
	uint64_t before;

	pthread_mutex_lock(&lock);
	before = budget_nbytes;
	budget_nbytes = nbytes;
	if (current)
		cache_set_max_nbytes(current->cache, nbytes);
	pthread_mutex_unlock(&lock);
	return before;
}
