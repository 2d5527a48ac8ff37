/* SPDX-License-Identifier: MIT */
/*
 * A pool whose jobs leave their results where they belong: nothing is handed on
 * in order, and the first failure is all that comes back.
 *
 * One thread, the owner, calls all functions below.
 */
#ifndef NC3Z_PARALLEL_CREW_H
#define NC3Z_PARALLEL_CREW_H

#include "base/memory.h"
#include "parallel/pool.h"

/* Works a job off; 'buffer' is that of its worker, kept between jobs. */
typedef int crew_run_fn(void *context, const void *job, struct buffer *buffer,
			struct nc3z_error *err);

/* Makes the next job in zeroed memory at 'job'; false if there is none. */
typedef bool crew_next_fn(void *context, void *job);

/* Zero-initialised it is empty. */
struct crew {
	struct pool *pool;
	crew_run_fn *run;
	void *context;
	/* A ring of as many jobs as can be on their way. */
	size_t njobs;
	size_t job_nbytes;
	uint8_t *jobs;
	struct crew_result *results;
	struct buffer *buffers; /* one for each worker */
};

/*
 * A crew for jobs of 'job_nbytes' bytes that hold nothing but pointers and
 * numbers; 'context' is that of 'run'.  NC3Z_OK, NC3Z_ENOMEM, NC3Z_EIO (threads
 * cannot be had); it is to be released then, too.
 */
int crew_init(struct crew *crew, unsigned nthreads, size_t job_nbytes,
	      crew_run_fn *run, void *context, struct nc3z_error *err);

/*
 * Works off all jobs that 'next' makes, which is called by the owner.  Returns
 * the first failure in their order; after a failure no more are begun.
 */
int crew_work(struct crew *crew, crew_next_fn *next, void *context,
	      struct nc3z_error *err);

/* In a worker: its number, from 0, less than that of threads. */
static inline unsigned crew_worker(const struct crew *crew,
				   const struct buffer *buffer)
{
	return (unsigned)(buffer - crew->buffers);
}

void crew_release(struct crew *crew);

#endif
