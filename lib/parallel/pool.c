/* SPDX-License-Identifier: MIT */
/*
 * Jobs lie in a ring in the order of submission.  Three positions go round:
 * 'taken' (the owner's), 'started' (the workers': all jobs before it are) and
 * 'submitted' (the owner's); taken <= started <= submitted.  The ring grows
 * when it is full, which only the owner does, under the lock.
 *
 * While the owner waits for a job it runs others: a thread for each processor
 * and one that mostly waits for them would be one too many, and schedulers
 * are slow to move two busy threads apart.
 */
#include "parallel/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "parallel/threads.h"

enum slot_state {
	SLOT_WAITS,
	SLOT_RUNS,
	SLOT_DONE,
};

struct slot {
	void *job;
	uint64_t nbytes;
	enum slot_state state; /* under the lock */
};

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

struct pool {
	struct pool_setup setup;
	uint64_t held_nbytes; /* the owner's */
	struct worker *workers;
	unsigned nthreads; /* beside the owner */

	pthread_mutex_t lock;
	pthread_cond_t job_there; /* workers wait */
	pthread_cond_t job_done;  /* the owner waits */
	/* Under the lock: */
	struct slot *ring;
	size_t capacity; /* a power of two */
	uint64_t taken;
	uint64_t started;
	uint64_t submitted;
	bool is_ending;
};

#define RING_FIRST 64

/* Among so many jobs one that is ready is looked for. */
#define LOOK_AHEAD 64

static struct slot *slot_at(const struct pool *pool, uint64_t position)
{
	return &pool->ring[position & (pool->capacity - 1)];
}

/* The first job that nobody has started and that is ready; under the lock. */
static bool find_ready(struct pool *pool, uint64_t *position_ret)
{
	const struct pool_setup *setup = &pool->setup;
	uint64_t ahead = pool->submitted - pool->started;
	uint64_t end =
		pool->started + (ahead < LOOK_AHEAD ? ahead : LOOK_AHEAD);

	for (uint64_t i = pool->started; i < end; i++) {
		struct slot *slot = slot_at(pool, i);

		if (slot->state != SLOT_WAITS)
			continue;
		if (setup->is_ready &&
		    !setup->is_ready(setup->context, slot->job))
			continue;
		*position_ret = i;
		return true;
	}
	return false;
}

/* Runs a job that is ready; under the lock but for the run. */
static void run_job(struct pool *pool, uint64_t position, unsigned worker)
{
	void *job = slot_at(pool, position)->job;

	slot_at(pool, position)->state = SLOT_RUNS;
	while (pool->started < pool->submitted &&
	       slot_at(pool, pool->started)->state != SLOT_WAITS)
		pool->started++;
	pthread_mutex_unlock(&pool->lock);
	pool->setup.run(pool->setup.context, job, worker);
	pthread_mutex_lock(&pool->lock);
	slot_at(pool, position)->state = SLOT_DONE;
	if (position == pool->taken)
		pthread_cond_signal(&pool->job_done);
}

static void *pool_work(void *argument)
{
	struct worker *self = argument;
	struct pool *pool = self->pool;
	uint64_t position;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		bool found = find_ready(pool, &position);

		if (found)
			run_job(pool, position, self->number);
		else if (pool->is_ending)
			break;
		else
			pthread_cond_wait(&pool->job_there, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static int start_threads(struct pool *pool, unsigned nthreads,
			 struct nc3z_error *err)
{
	pool->workers = memory_alloc(nthreads, sizeof(*pool->workers));
	if (!pool->workers)
		return error_set_memory(err);
	while (pool->nthreads < nthreads) {
		struct worker *w = &pool->workers[pool->nthreads];

		w->pool = pool;
		w->number = pool->nthreads;
		if (!threads_start(&w->thread, pool_work, w))
			break;
		pool->nthreads++;
	}
	return NC3Z_OK;
}

int pool_new(const struct pool_setup *setup, struct pool **pool_ret,
	     struct nc3z_error *err)
{
	struct pool *pool = calloc(1, sizeof(*pool));
	int status = NC3Z_OK;

	if (!pool)
		return error_set_memory(err);
	pool->setup = *setup;
	pool->capacity = RING_FIRST;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->job_there, NULL);
	pthread_cond_init(&pool->job_done, NULL);
	pool->ring = memory_alloc(pool->capacity, sizeof(*pool->ring));
	if (!pool->ring)
		status = error_set_memory(err);
	else if (setup->nthreads > 1)
		status = start_threads(pool, setup->nthreads - 1, err);
	if (status != NC3Z_OK)
		pool_free(pool);
	else
		*pool_ret = pool;
	return status;
}

unsigned pool_nworkers(const struct pool *pool)
{
	return pool->nthreads + 1;
}

bool pool_is_full(const struct pool *pool)
{
	return pool->held_nbytes > pool->setup.max_nbytes;
}

/* Twice the room; called under the lock. */
static bool grow_pool(struct pool *pool)
{
	struct slot *ring =
		memory_alloc(2 * (uint64_t)pool->capacity, sizeof(*ring));

	if (!ring)
		return false;
	for (uint64_t i = pool->taken; i != pool->submitted; i++)
		ring[i & (2 * pool->capacity - 1)] = *slot_at(pool, i);
	free(pool->ring);
	pool->ring = ring;
	pool->capacity *= 2;
	return true;
}

bool pool_submit(struct pool *pool, void *job, uint64_t nbytes)
{
	bool has_room;

	pthread_mutex_lock(&pool->lock);
	has_room = pool->submitted - pool->taken < pool->capacity ||
		   grow_pool(pool);
	if (has_room) {
		*slot_at(pool, pool->submitted++) = (struct slot){
			.job = job,
			.nbytes = nbytes,
		};
		pthread_cond_signal(&pool->job_there);
	}
	pthread_mutex_unlock(&pool->lock);
	if (has_room)
		pool->held_nbytes += nbytes;
	return has_room;
}

void pool_wake(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pthread_cond_broadcast(&pool->job_there);
	pthread_cond_signal(&pool->job_done);
	pthread_mutex_unlock(&pool->lock);
}

void *pool_take(struct pool *pool)
{
	struct slot taken;
	uint64_t position;

	if (pool->taken == pool->submitted)
		return NULL;
	pthread_mutex_lock(&pool->lock);
	while (slot_at(pool, pool->taken)->state != SLOT_DONE)
		if (find_ready(pool, &position))
			run_job(pool, position, pool->nthreads);
		else
			pthread_cond_wait(&pool->job_done, &pool->lock);
	taken = *slot_at(pool, pool->taken);
	pool->taken++;
	pthread_mutex_unlock(&pool->lock);
	pool->held_nbytes -= taken.nbytes;
	return taken.job;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->is_ending = true;
	pthread_cond_broadcast(&pool->job_there);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->nthreads; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->job_done);
	pthread_cond_destroy(&pool->job_there);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool->ring);
	free(pool);
}
