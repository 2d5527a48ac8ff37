/* SPDX-License-Identifier: MIT */
/*
 * A pool of threads that turn jobs into results, in the order in which the
 * jobs were submitted.
 *
 * One thread, the owner, calls all functions below.  It submits jobs and takes
 * them back, oldest first; in between, workers run them, and so does the owner
 * while the job that it wants back is not done.  Jobs are started in the order
 * of submission, but for those that are not ready yet: these are left for
 * later.  What makes a job ready, or lets it go on, is done by an earlier one.
 * No job reads or writes a file; what must happen in order is done by the owner
 * with the jobs it gets back.
 *
 * The serial twin (one thread, the owner) runs each job when it is taken back.
 */
#ifndef NC3Z_PARALLEL_POOL_H
#define NC3Z_PARALLEL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct pool;

/*
 * Runs a job.  'worker' is the number of the thread, less than the number of
 * threads; anything with this number is used by one job at a time.
 */
typedef void pool_run_fn(void *context, void *job, unsigned worker);

/*
 * Whether a job can run; called with the pool locked, by any thread.  A job
 * that is ready stays so.
 */
typedef bool pool_is_ready_fn(void *context, void *job);

struct pool_setup {
	/* At most, with the owner; 0 and 1 give the serial twin. */
	unsigned nthreads;
	uint64_t max_nbytes; /* jobs may hold together: see pool_is_full() */
	pool_run_fn *run;
	pool_is_ready_fn *is_ready; /* NULL: all jobs are */
	void *context;              /* of these */
};

/*
 * Returns NC3Z_OK, NC3Z_ENOMEM.  If there are no more threads to be had, the
 * pool has fewer.
 */
int pool_new(const struct pool_setup *setup, struct pool **pool_ret,
	     struct nc3z_error *err);

/* Threads of the pool with the owner. */
unsigned pool_nworkers(const struct pool *pool);

/*
 * Whether the oldest job should be taken back before another is submitted.
 * Never true while the pool has no job.
 */
bool pool_is_full(const struct pool *pool);

/* Submits a job that holds 'nbytes' bytes; false if out of memory. */
bool pool_submit(struct pool *pool, void *job, uint64_t nbytes);

/* By any thread, when jobs have become ready. */
void pool_wake(struct pool *pool);

/* Waits for the oldest job and hands it back; NULL if there is none. */
void *pool_take(struct pool *pool);

/* Ends the threads.  All jobs have been taken back.  NULL is allowed. */
void pool_free(struct pool *pool);

#endif
