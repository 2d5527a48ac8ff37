/* SPDX-License-Identifier: MIT */
/*
 * Small files are dealt with side by side, each by one thread; large ones one
 * after the other, each by all threads.  Lists and standard output are always
 * in the order of the command line.
 */
#include "batch/batch.h"

#include <pthread.h>
#include <stdio.h>

#include "common/clock.h"
#include "common/progress.h"
#include "batch/deadline.h"
#include "batch/job_run.h"
#include "batch/journal.h"
#include "batch/passed.h"
#include "batch/report.h"
#include "batch/signals.h"
#include "nc3z_tools.h"

/* A file of at least so many bytes is worth all threads. */
#define LARGE_NBYTES (UINT64_C(8) << 20)
#define SIDE_MAX 256u
/* Whatever the limit of stacks is. */
#define STACK_NBYTES ((size_t)2 << 20)

struct batch {
	const struct settings *settings;
	const struct batch_action *action; /* the settings' */
	const struct file_names *names;
	unsigned nthreads;
	pthread_mutex_t lock;
	/* Under the lock: */
	size_t next;
	enum exit_status status;
	struct progress progress; /* of the small files */
};

static void show_progress(struct batch *b)
{
	uint64_t original_nbytes, archive_nbytes;

	report_progress(&original_nbytes, &archive_nbytes);
	progress_update(&b->progress, original_nbytes, archive_nbytes);
}

static void end_one(struct batch *b, struct job *job, enum exit_status status)
{
	status = report_job(job, status);
	pthread_mutex_lock(&b->lock);
	b->status = exit_worse(status, b->status);
	if (!job->shows_progress)
		show_progress(b);
	pthread_mutex_unlock(&b->lock);
}

static void run_one(struct batch *b, size_t i, unsigned nthreads)
{
	struct job job = {
		.settings = b->settings,
		.file = &b->names->list[i],
		.nfiles = b->names->count,
		.nthreads = nthreads,
		.shows_progress = nthreads == b->nthreads &&
				  !b->action->samples,
	};
	bool has_all = nthreads == b->nthreads;
	enum exit_status status;

	if (!deadline_allows(job.file->nbytes, has_all))
		return;
	status = job_run(&job);
	if (job.outcome.kind != OUTCOME_FOUND)
		deadline_learn(job.file->nbytes, has_all,
			       clock_seconds() - job.outcome.begin);
	end_one(b, &job, status);
	job_release(&job);
}

static bool is_large(const struct batch *b, size_t i)
{
	return !b->action->samples && b->names->list[i].nbytes >= LARGE_NBYTES;
}

static void *batch_work(void *argument)
{
	struct batch *b = argument;
	size_t i;

	for (;;) {
		pthread_mutex_lock(&b->lock);
		i = b->next++;
		pthread_mutex_unlock(&b->lock);
		if (i >= b->names->count)
			return NULL;
		if (!is_large(b, i))
			run_one(b, i, 1);
	}
}

/* Progress is that of all small files together. */
static void begin_progress(struct batch *b)
{
	uint64_t nbytes = 0;

	for (size_t i = 0; i < b->names->count; i++)
		if (!is_large(b, i))
			nbytes += b->names->list[i].nbytes;
	progress_begin(&b->progress,
		       b->action->samples ? "sampled" : "small files", nbytes,
		       b->action->takes == TAKES_ARCHIVES ||
			       b->action->makes == MAKES_CLASSIC);
}

static void run_side_by_side(struct batch *b)
{
	pthread_t threads[SIDE_MAX];
	pthread_attr_t attributes;
	unsigned n = 0;

	begin_progress(b);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_NBYTES);
	while (n < b->nthreads && n < SIDE_MAX &&
	       pthread_create(&threads[n], &attributes, batch_work, b) == 0)
		n++;
	pthread_attr_destroy(&attributes);
	if (n == 0)
		batch_work(b);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	progress_clear();
	for (size_t i = 0; i < b->names->count; i++)
		if (is_large(b, i))
			run_one(b, i, b->nthreads);
}

/* Whether the order of the files cannot be seen from outside. */
static bool has_no_order(const struct batch *b)
{
	const struct settings *s = b->settings;

	if (b->action->samples)
		return true;
	return b->names->count > 1 && b->nthreads > 1 && !s->to_stdout &&
	       !b->action->lists && !s->output;
}

unsigned batch_count_threads(const struct settings *s)
{
	unsigned n = s->nthreads > 0 ? s->nthreads : nc3z_count_processors();

	return n > SIDE_MAX ? SIDE_MAX : n;
}

/* No monitor must take a disk that is not there for one where all is well. */
static enum exit_status check_found(const struct settings *s)
{
	if (report_any() || passed_any())
		return EXIT_DONE;
	if (!s->quiet)
		message_warning(NULL, "%s",
				s->action->none_found ? s->action->none_found :
							"no archive was found");
	return EXIT_NOTHING;
}

static enum exit_status run_all(struct batch *b)
{
	signals_at_end(report_end_early);
	pthread_mutex_init(&b->lock, NULL);
	if (has_no_order(b))
		run_side_by_side(b);
	else
		for (size_t i = 0; i < b->names->count; i++)
			run_one(b, i, b->nthreads);
	if (b->status == EXIT_DONE)
		b->status = check_found(b->settings);
	b->status =
		exit_worse(files_check_tars(b->names, b->settings), b->status);
	passed_summarize(b->settings);
	b->status = report_end(b->status);
	journal_close();
	pthread_mutex_destroy(&b->lock);
	return b->status;
}

/* What whoever has made the plan cannot know. */
static enum exit_status print_plan(const struct settings *s)
{
	printf("%s%c%s%c%s%c", report_action(s->action), '\0', s->suffix, '\0',
	       s->output_dir ? s->output_dir : "", '\0');
	return EXIT_DONE;
}

enum exit_status batch_run(const struct settings *settings, int noperands,
			   char **operands)
{
	struct file_names names = { 0 };
	struct batch b = {
		.settings = settings,
		.action = settings->action,
		.names = &names,
		.nthreads = batch_count_threads(settings),
	};
	enum exit_status status = EXIT_FAILED;

	if (settings->is_plan)
		return print_plan(settings);
	deadline_set(settings->until_seconds);
	signals_start(settings->journal || settings->until_seconds > 0);
	b.status = files_collect(&names, settings, noperands, operands);
	if (b.action->samples)
		files_spread(&names);
	if (report_begin(settings, names.count, b.status))
		status = run_all(&b);
	files_release(&names);
	return status;
}
