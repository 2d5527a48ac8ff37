/* SPDX-License-Identifier: MIT */
#include "parallel/crew.h"

#include <stdlib.h>
#include <string.h>

struct crew_result {
	int status;
	struct nc3z_error err;
};

/* In a worker. */
static void crew_run(void *context, void *job, unsigned worker)
{
	struct crew *crew = context;
	size_t number =
		(size_t)((uint8_t *)job - crew->jobs) / crew->job_nbytes;
	struct crew_result *result = &crew->results[number];

	result->status = crew->run(crew->context, job, &crew->buffers[worker],
				   &result->err);
}

int crew_init(struct crew *crew, unsigned nthreads, size_t job_nbytes,
	      crew_run_fn *run_job, void *context, struct nc3z_error *err)
{
	const struct pool_setup setup = {
		.nthreads = nthreads,
		.max_nbytes = nthreads > 1 ? 2 * (uint64_t)nthreads : 0,
		.run = crew_run,
		.context = crew,
	};

	*crew = (struct crew){
		.run = run_job,
		.context = context,
		/* One more than the pool takes before it is full. */
		.njobs = 2 * (size_t)nthreads + 2,
		.job_nbytes = job_nbytes,
	};
	NC3Z_TRY(pool_new(&setup, &crew->pool, err));
	crew->jobs = memory_alloc(crew->njobs, job_nbytes);
	crew->results = memory_alloc(crew->njobs, sizeof(*crew->results));
	crew->buffers =
		memory_alloc(pool_nworkers(crew->pool), sizeof(*crew->buffers));
	return crew->jobs && crew->results && crew->buffers ?
		       NC3Z_OK :
		       error_set_memory(err);
}

/* Waits for the oldest job, which is number 'ndone'. */
static void take_result(struct crew *crew, uint64_t ndone, int *status,
			struct nc3z_error *err)
{
	const struct crew_result *result = &crew->results[ndone % crew->njobs];

	pool_take(crew->pool);
	if (result->status == NC3Z_OK || *status != NC3Z_OK)
		return;
	*status = result->status;
	if (err)
		*err = result->err;
}

int crew_work(struct crew *crew, crew_next_fn *next, void *context,
	      struct nc3z_error *err)
{
	uint64_t nsubmitted = 0, ndone = 0;
	int status = NC3Z_OK;

	while (status == NC3Z_OK) {
		uint8_t *job = crew->jobs +
			       nsubmitted % crew->njobs * crew->job_nbytes;

		memset(job, 0, crew->job_nbytes);
		if (!next(context, job))
			break;
		if (!pool_submit(crew->pool, job, 1))
			status = error_set_memory(err);
		else
			nsubmitted++;
		for (; pool_is_full(crew->pool); ndone++)
			take_result(crew, ndone, &status, err);
	}
	for (; ndone < nsubmitted; ndone++)
		take_result(crew, ndone, &status, err);
	return status;
}

void crew_release(struct crew *crew)
{
	for (unsigned i = 0; crew->buffers && i < pool_nworkers(crew->pool);
	     i++)
		buffer_release(&crew->buffers[i]);
	pool_free(crew->pool);
	free(crew->buffers);
	free(crew->results);
	free(crew->jobs);
	*crew = (struct crew){ 0 };
}
