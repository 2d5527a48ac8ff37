/*
 * Small files are dealt with side by side, each by one thread; large ones one
 * after the other, each by all threads.  Lists and standard output are always
 * in the order of the command line.
 */
#include "compress/batch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "compress/conversions.h"
#include "compress/job.h"
#include "compress/list.h"
#include "compress/passed.h"
#include "common/progress.h"

/* A file of at least so many bytes is worth all threads. */
#define LARGE_NBYTES (UINT64_C(8) << 20)
#define SIDE_MAX 256u

struct batch {
	const struct settings *settings;
	const struct file_names *names;
	unsigned nthreads;
	pthread_mutex_t lock;
	/* Under the lock: */
	size_t next;
	size_t ndone;
	enum exit_status status;
	uint64_t original_nbytes;
	uint64_t archive_nbytes;
	struct progress progress; /* of the small files */
};

static void begin_list(const struct settings *s)
{
	if (s->action == ACTION_LIST)
		list_begin(s);
	else if (s->dry_run)
		conversions_begin(s);
}

static void add_to_list(const struct settings *s, const struct job *job)
{
	if (s->action == ACTION_LIST)
		list_add(s, &job->summary, &job->streams, job->name);
	else if (s->dry_run)
		conversions_add(s, &job->conversion, job->name);
}

static void end_list(const struct settings *s)
{
	if (s->action == ACTION_LIST)
		list_end(s);
	else if (s->dry_run)
		conversions_end(s);
}

static void run_one(struct batch *b, size_t i, unsigned nthreads)
{
	struct job job = {
		.settings = b->settings,
		.file = &b->names->list[i],
		.nthreads = nthreads,
		.shows_progress = nthreads == b->nthreads,
	};
	enum exit_status status = job_run(&job);

	pthread_mutex_lock(&b->lock);
	b->status = exit_worse(status, b->status);
	b->ndone += job.summary.archive_nbytes > 0;
	b->original_nbytes += job.summary.original_nbytes;
	b->archive_nbytes += job.summary.archive_nbytes;
	if (!job.shows_progress)
		progress_update(&b->progress, b->original_nbytes,
				b->archive_nbytes);
	pthread_mutex_unlock(&b->lock);
	if (status == EXIT_DONE)
		add_to_list(b->settings, &job);
	stream_list_release(&job.streams);
	free(job.name);
}

static bool is_large(const struct batch *b, size_t i)
{
	return b->names->list[i].nbytes >= LARGE_NBYTES;
}

static void *work(void *argument)
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
	progress_begin(&b->progress, "small files", nbytes,
		       b->settings->action == ACTION_RESTORE ||
			       b->settings->action == ACTION_TEST);
}

static void run_side_by_side(struct batch *b)
{
	pthread_t threads[SIDE_MAX];
	unsigned n = 0;

	begin_progress(b);
	while (n < b->nthreads && n < SIDE_MAX &&
	       pthread_create(&threads[n], NULL, work, b) == 0)
		n++;
	if (n == 0)
		work(b);
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

	return b->names->count > 1 && b->nthreads > 1 && !s->to_stdout &&
	       s->action != ACTION_LIST && s->action != ACTION_MANIFEST &&
	       !s->dry_run && !s->output;
}

static unsigned count_threads(const struct settings *s)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (s->nthreads > 0)
		return s->nthreads;
	return n < 1 ? 1 : n > (long)SIDE_MAX ? SIDE_MAX : (unsigned)n;
}

static void summarize(const struct batch *b)
{
	if (!b->settings->verbose || b->ndone < 2 ||
	    b->settings->action == ACTION_LIST ||
	    b->settings->action == ACTION_MANIFEST)
		return;
	message_note(NULL,
		     "%zu files, %" PRIu64 " bytes, archives %" PRIu64
		     " bytes, ratio %.2f",
		     b->ndone, b->original_nbytes, b->archive_nbytes,
		     (double)b->original_nbytes / (double)b->archive_nbytes);
}

enum exit_status batch_run(const struct settings *settings,
			   const struct file_names *names)
{
	struct batch b = {
		.settings = settings,
		.names = names,
		.nthreads = count_threads(settings),
	};

	pthread_mutex_init(&b.lock, NULL);
	begin_list(settings);
	if (has_no_order(&b))
		run_side_by_side(&b);
	else
		for (size_t i = 0; i < names->count; i++)
			run_one(&b, i, b.nthreads);
	end_list(settings);
	summarize(&b);
	passed_summarize(settings);
	pthread_mutex_destroy(&b.lock);
	return b.status;
}
