/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>

#include "check.h"
#include "parallel/pool.h"

#define NJOBS 500
#define NWORKERS_MAX 8

struct job {
	unsigned number;
	unsigned nruns;
	unsigned worker;
};

/* What the workers share; all of it is under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_busy[NWORKERS_MAX];
static unsigned nbusy_twice;
static unsigned nfinished;

/* A number belongs to one job at a time. */
static void enter(unsigned worker)
{
	pthread_mutex_lock(&lock);
	nbusy_twice += is_busy[worker];
	is_busy[worker] = true;
	pthread_mutex_unlock(&lock);
}

static void leave(unsigned worker)
{
	pthread_mutex_lock(&lock);
	is_busy[worker] = false;
	nfinished++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Some jobs are done much later than those behind them. */
static void run(void *context, void *argument, unsigned worker)
{
	struct job *job = argument;

	(void)context;
	enter(worker);
	for (unsigned i = 0; i < job->number % 7 * 5; i++)
		sched_yield();
	job->nruns++;
	job->worker = worker;
	leave(worker);
}

static void make_jobs(struct job *jobs)
{
	for (unsigned i = 0; i < NJOBS; i++)
		jobs[i] = (struct job){ .number = i };
}

static void check_taken(const struct pool *pool, const struct job *job,
			const struct job *expected)
{
	CHECK(job == expected);
	if (!job)
		return;
	CHECK_EQ_U64(job->nruns, 1);
	CHECK(job->worker < pool_nworkers(pool));
}

/* All jobs in, then all out: more than the ring has room for at first. */
static void check_all_at_once(unsigned nthreads)
{
	const struct pool_setup setup = { .nthreads = nthreads, .run = run };
	static struct job jobs[NJOBS];
	struct pool *pool;

	make_jobs(jobs);
	REQUIRE(pool_new(&setup, &pool, NULL) == NC3Z_OK);
	CHECK_EQ_U64(pool_nworkers(pool), nthreads > 1 ? nthreads : 1);
	CHECK(pool_take(pool) == NULL);
	for (unsigned i = 0; i < NJOBS; i++)
		CHECK(pool_submit(pool, &jobs[i], 1));
	for (unsigned i = 0; i < NJOBS; i++)
		check_taken(pool, pool_take(pool), &jobs[i]);
	CHECK(pool_take(pool) == NULL);
	pool_free(pool);
	CHECK_EQ_U64(nbusy_twice, 0);
}

/* As its users do: take the oldest whenever it is full. */
static void check_queue(unsigned nthreads)
{
	const struct pool_setup setup = {
		.nthreads = nthreads,
		.max_nbytes = 100,
		.run = run,
	};
	static struct job jobs[NJOBS];
	unsigned ntaken = 0;
	uint64_t held = 0;
	struct pool *pool;

	make_jobs(jobs);
	REQUIRE(pool_new(&setup, &pool, NULL) == NC3Z_OK);
	for (unsigned i = 0; i < NJOBS; i++) {
		CHECK(pool_submit(pool, &jobs[i], i % 40));
		held += i % 40;
		CHECK(pool_is_full(pool) == (held > 100));
		while (pool_is_full(pool)) {
			held -= ntaken % 40;
			check_taken(pool, pool_take(pool), &jobs[ntaken++]);
		}
	}
	while (ntaken < NJOBS)
		check_taken(pool, pool_take(pool), &jobs[ntaken++]);
	CHECK(!pool_is_full(pool));
	pool_free(pool);
}

static void test_order(void)
{
	for (unsigned nthreads = 0; nthreads <= NWORKERS_MAX; nthreads++) {
		check_all_at_once(nthreads);
		check_queue(nthreads);
	}
}

/* A job that waits until all before it are finished. */
static void run_waiting(void *context, void *argument, unsigned worker)
{
	struct job *job = argument;

	(void)context;
	pthread_mutex_lock(&lock);
	while (nfinished < job->number)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	run(NULL, job, worker);
}

static void test_waiting_jobs(void)
{
	static struct job jobs[NJOBS];

	for (unsigned nthreads = 0; nthreads <= NWORKERS_MAX; nthreads += 2) {
		const struct pool_setup setup = {
			.nthreads = nthreads,
			.run = run_waiting,
		};
		struct pool *pool;

		make_jobs(jobs);
		nfinished = 0;
		REQUIRE(pool_new(&setup, &pool, NULL) == NC3Z_OK);
		for (unsigned i = 0; i < NJOBS; i++)
			CHECK(pool_submit(pool, &jobs[i], 1));
		for (unsigned i = 0; i < NJOBS; i++)
			check_taken(pool, pool_take(pool), &jobs[i]);
		pool_free(pool);
	}
}

/* Jobs of which every third is ready once its neighbour has run. */
struct chain {
	struct pool *pool;
	bool has_run[NJOBS]; /* under the lock */
	unsigned noutrun;    /* jobs that ran before an earlier one */
};

static void run_chained(void *context, void *argument, unsigned worker)
{
	struct chain *chain = context;
	struct job *job = argument;

	run(NULL, job, worker);
	pthread_mutex_lock(&lock);
	chain->has_run[job->number] = true;
	chain->noutrun += job->number > 0 && !chain->has_run[job->number - 1];
	pthread_mutex_unlock(&lock);
	pool_wake(chain->pool);
}

static bool is_chained_ready(void *context, void *argument)
{
	struct chain *chain = context;
	const struct job *job = argument;
	bool is_ready;

	pthread_mutex_lock(&lock);
	is_ready = job->number % 3 != 1 || chain->has_run[job->number - 1];
	pthread_mutex_unlock(&lock);
	return is_ready;
}

/* Jobs that are not ready are left for later, and come back in order. */
static void test_ready(void)
{
	static struct job jobs[NJOBS];

	for (unsigned nthreads = 0; nthreads <= NWORKERS_MAX; nthreads++) {
		struct chain chain = { 0 };
		const struct pool_setup setup = {
			.nthreads = nthreads,
			.run = run_chained,
			.is_ready = is_chained_ready,
			.context = &chain,
		};

		make_jobs(jobs);
		REQUIRE(pool_new(&setup, &chain.pool, NULL) == NC3Z_OK);
		for (unsigned i = 0; i < NJOBS; i++)
			CHECK(pool_submit(chain.pool, &jobs[i], 1));
		for (unsigned i = 0; i < NJOBS; i++)
			check_taken(chain.pool, pool_take(chain.pool),
				    &jobs[i]);
		pool_free(chain.pool);
		if (nthreads <= 1)
			CHECK_EQ_U64(chain.noutrun, 0);
	}
}

static bool is_let_go; /* under the lock */

static bool is_first_let_go(void *context, void *argument)
{
	const struct job *job = argument;
	bool is_ready;

	(void)context;
	pthread_mutex_lock(&lock);
	is_ready = job->number > 0 || is_let_go;
	pthread_mutex_unlock(&lock);
	return is_ready;
}

/* A job that is not ready does not keep a worker from the next one. */
static void test_overtaking(void)
{
	const struct pool_setup setup = {
		.nthreads = 2,
		.run = run,
		.is_ready = is_first_let_go,
	};
	struct job jobs[2] = { { .number = 0 }, { .number = 1 } };
	struct pool *pool;

	nfinished = 0;
	REQUIRE(pool_new(&setup, &pool, NULL) == NC3Z_OK);
	CHECK(pool_submit(pool, &jobs[0], 1) && pool_submit(pool, &jobs[1], 1));
	pthread_mutex_lock(&lock);
	while (nfinished == 0)
		pthread_cond_wait(&changed, &lock);
	CHECK_EQ_U64(jobs[0].nruns, 0);
	CHECK_EQ_U64(jobs[1].nruns, 1);
	is_let_go = true;
	pthread_mutex_unlock(&lock);
	pool_wake(pool);
	check_taken(pool, pool_take(pool), &jobs[0]);
	check_taken(pool, pool_take(pool), &jobs[1]);
	pool_free(pool);
}

/* The serial twin does nothing before it is asked for. */
static void test_serial_twin(void)
{
	const struct pool_setup setup = {
		.nthreads = 1,
		.max_nbytes = 10,
		.run = run,
	};
	struct job job = { 0 };
	struct pool *pool;

	REQUIRE(pool_new(&setup, &pool, NULL) == NC3Z_OK);
	CHECK(pool_submit(pool, &job, 11));
	CHECK_EQ_U64(job.nruns, 0);
	CHECK(pool_is_full(pool));
	check_taken(pool, pool_take(pool), &job);
	pool_free(pool);
	pool_free(NULL);
}

int main(void)
{
	RUN(test_order);
	RUN(test_waiting_jobs);
	RUN(test_ready);
	RUN(test_overtaking);
	RUN(test_serial_twin);
	return check_report();
}
