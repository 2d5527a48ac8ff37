/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "check.h"
#include "parallel/crew.h"

#define NJOBS 300

struct job {
	unsigned number;
};

/* What the jobs leave behind, each in a place of its own. */
struct work {
	unsigned next;
	unsigned end;
	unsigned nruns[NJOBS];
	unsigned fails_from; /* as do all after it */
};

static int run(void *context, const void *argument, struct buffer *buffer,
	       struct nc3z_error *err)
{
	struct work *work = context;
	const struct job *job = argument;

	if (!buffer_reserve(buffer, sizeof(job->number)))
		return error_set_memory(err);
	memcpy(buffer->data, &job->number, sizeof(job->number));
	work->nruns[job->number]++;
	if (job->number >= work->fails_from)
		return error_set(err, NC3Z_EDAMAGED, "job %u", job->number);
	return NC3Z_OK;
}

static bool next(void *context, void *argument)
{
	struct work *work = context;
	struct job *job = argument;

	CHECK(job->number == 0); /* zeroed, also when its place was used */
	if (work->next == work->end)
		return false;
	job->number = work->next++;
	return true;
}

/* Every job runs once, whatever the number of threads, and again after that. */
static void check_all(unsigned nthreads)
{
	struct work work = { .end = NJOBS, .fails_from = NJOBS };
	struct crew crew;

	REQUIRE(crew_init(&crew, nthreads, sizeof(struct job), run, &work,
			  NULL) == NC3Z_OK);
	for (unsigned round = 1; round <= 3; round++) {
		work.next = 0;
		CHECK(crew_work(&crew, next, &work, NULL) == NC3Z_OK);
		for (unsigned i = 0; i < NJOBS; i++)
			CHECK_EQ_U64(work.nruns[i], round);
	}
	work.next = work.end;
	CHECK(crew_work(&crew, next, &work, NULL) == NC3Z_OK);
	crew_release(&crew);
	CHECK(crew.pool == NULL);
}

/* The first failure in the order of the jobs comes back, and it ends soon. */
static void check_failure(unsigned nthreads)
{
	struct work work = { .end = NJOBS, .fails_from = 40 };
	struct nc3z_error err;
	struct crew crew;

	REQUIRE(crew_init(&crew, nthreads, sizeof(struct job), run, &work,
			  NULL) == NC3Z_OK);
	CHECK(crew_work(&crew, next, &work, &err) == NC3Z_EDAMAGED);
	CHECK(strcmp(err.text, "job 40") == 0);
	CHECK(work.next > 40 && work.next <= 41 + 2 * nthreads + 2);
	for (unsigned i = 0; i < work.next; i++)
		CHECK_EQ_U64(work.nruns[i], 1);
	/* It can go on with others. */
	work = (struct work){ .end = 10, .fails_from = NJOBS };
	CHECK(crew_work(&crew, next, &work, &err) == NC3Z_OK);
	CHECK_EQ_U64(work.nruns[9], 1);
	crew_release(&crew);
}

static void test_all(void)
{
	for (unsigned nthreads = 1; nthreads <= 4; nthreads++)
		check_all(nthreads);
}

static void test_failure(void)
{
	for (unsigned nthreads = 1; nthreads <= 4; nthreads++)
		check_failure(nthreads);
}

int main(void)
{
	RUN(test_all);
	RUN(test_failure);
	return check_report();
}
