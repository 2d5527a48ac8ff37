/* SPDX-License-Identifier: MIT */
#include "compress/estimates.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "common/clock.h"
#include "common/message.h"
#include "nc3z_tools.h"

/* For all files, of each thread; and so many files at least have a share. */
#define SECONDS 4.0
#define SHARES 64

/*
 * The highest level takes so long that few files can be tried with it: more are
 * with the default level, which tells how files differ, and those few tell how
 * the levels do.
 */
#define QUICK_LEVEL NC3Z_LEVEL_DEFAULT

/* Bytes and seconds for each byte of a file, summed over files. */
struct rates {
	double nfiles;
	double original;
	double archive;
	double seconds;
};

/* Files are tried in the proportion of their sizes, so each counts once. */
struct tried {
	struct rates quick;
	struct rates quick_both; /* of those that were tried with both levels */
	struct rates full_both;
};

struct line {
	char *name;
	struct nc3z_estimate estimate;
	bool is_sampled;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct nc3z_estimate totals;
static size_t nfiles, nsampled;
static double spent[2];       /* with the level, with the quick one */
static struct tried tried[2]; /* classic files, compressed ones */
static struct line *lines;

/* Whether a file is tried with two levels; it can then be read twice. */
static bool has_quick(const struct job *job)
{
	return job->settings->level == NC3Z_LEVEL_MAX && !job->packed_as &&
	       !job->is_stream;
}

/* Seconds that a file may take; 0: it is like the others. */
static double allow(const struct job *job, bool is_quick)
{
	double all = SECONDS * batch_count_threads(job->settings) /
		     (has_quick(job) ? 2 : 1);
	double shares = job->nfiles < SHARES ? (double)job->nfiles : SHARES;
	double left;

	pthread_mutex_lock(&lock);
	left = all - spent[is_quick];
	/* Nothing else would tell of such files. */
	if (tried[job->packed_as != NULL].quick.nfiles == 0)
		left = all;
	pthread_mutex_unlock(&lock);
	return left > 0 ? all / shares : 0;
}

static int try_level(struct job *job, int level, bool is_quick,
		     struct nc3z_estimate *e)
{
	struct nc3z_pack_options options = job_pack_options(job);
	double begin = clock_processor_seconds();
	int status;

	options.level = level;
	status = nc3z_estimate(job->in, &options, allow(job, is_quick), e,
			       &job->err);
	pthread_mutex_lock(&lock);
	spent[is_quick] += clock_processor_seconds() - begin;
	pthread_mutex_unlock(&lock);
	return status;
}

static void add_rates(struct rates *r, double nbytes,
		      const struct nc3z_estimate *e)
{
	if (nbytes <= 0)
		return;
	r->nfiles++;
	r->original += (double)e->original_nbytes / nbytes;
	r->archive += (double)e->archive_nbytes / nbytes;
	r->seconds += e->seconds / nbytes;
}

static double quotient(double a, double b)
{
	return b > 0 ? a / b : 1;
}

/* What was not tried is like other files, as far as it was not. */
static void complete(const struct tried *t, double nbytes, bool is_full,
		     struct nc3z_estimate *e)
{
	const struct rates *r = &t->quick;
	double n = r->nfiles > 0 ? r->nfiles : 1;

	if (e->original_nbytes == 0)
		e->original_nbytes = (uint64_t)(nbytes * r->original / n);
	if (e->archive_nbytes == 0) {
		e->archive_nbytes = (uint64_t)(nbytes * r->archive / n) + 1;
		e->seconds = nbytes * r->seconds / n;
	}
	if (is_full)
		return;
	e->archive_nbytes = (uint64_t)((double)e->archive_nbytes *
				       quotient(t->full_both.archive,
						t->quick_both.archive));
	e->seconds *= quotient(t->full_both.seconds, t->quick_both.seconds);
}

static void keep_line(const struct job *job, const struct nc3z_estimate *e)
{
	struct line *grown = realloc(lines, (nfiles + 1) * sizeof(*grown));
	char *name = strdup(job->name);

	if (!grown || !name)
		message_out_of_memory();
	lines = grown;
	lines[nfiles] = (struct line){ name, *e,
				       .is_sampled = job->outcome.is_sampled };
}

static void add_estimate(struct job *job, const struct nc3z_estimate *e)
{
	pthread_mutex_lock(&lock);
	nsampled += job->outcome.is_sampled;
	totals.original_nbytes += e->original_nbytes;
	totals.archive_nbytes += e->archive_nbytes;
	totals.seconds += e->seconds;
	if (!job->settings->json && job->settings->verbose)
		keep_line(job, e);
	nfiles++;
	pthread_mutex_unlock(&lock);
	job->summary.original_nbytes = e->original_nbytes;
	job->summary.archive_nbytes = e->archive_nbytes;
	job->outcome.processor_seconds = e->seconds;
}

int estimates_make(struct job *job)
{
	struct tried *t = &tried[job->packed_as != NULL];
	double nbytes = (double)job->file->nbytes;
	int level = has_quick(job) ? QUICK_LEVEL : job->settings->level;
	struct nc3z_estimate quick, full = { 0 };
	bool is_full;
	int status =
		try_level(job, level, level != job->settings->level, &quick);

	if (status == NC3Z_OK && has_quick(job) && quick.archive_nbytes > 0)
		status = try_level(job, job->settings->level, false, &full);
	if (status != NC3Z_OK)
		return status;
	is_full = full.archive_nbytes > 0;
	/* The quick one has seen more blocks. */
	if (full.default_nbytes > 0)
		full.archive_nbytes = (uint64_t)((double)quick.archive_nbytes *
						 (double)full.stored_nbytes /
						 (double)full.default_nbytes);
	job->outcome.is_sampled = quick.archive_nbytes > 0;
	pthread_mutex_lock(&lock);
	if (job->outcome.is_sampled)
		add_rates(&t->quick, nbytes, &quick);
	if (is_full) {
		add_rates(&t->quick_both, nbytes, &quick);
		add_rates(&t->full_both, nbytes, &full);
		quick = full;
	}
	complete(t, nbytes, is_full, &quick);
	pthread_mutex_unlock(&lock);
	add_estimate(job, &quick);
	return NC3Z_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->name,
		      ((const struct line *)b)->name);
}

/* Files were sampled in an order of its own. */
static void print_lines(void)
{
	qsort(lines, nfiles, sizeof(*lines), compare_names);
	printf("%15s %15s %7s %9s  name\n", "original", "estimated", "ratio",
	       "seconds");
	for (size_t i = 0; i < nfiles; i++) {
		const struct nc3z_estimate *e = &lines[i].estimate;

		printf("%15" PRIu64 " %15" PRIu64 " %7.2f %9.2f %c",
		       e->original_nbytes, e->archive_nbytes,
		       (double)e->original_nbytes / (double)e->archive_nbytes,
		       e->seconds, lines[i].is_sampled ? ' ' : '~');
		message_put_text(stdout, lines[i].name);
		putchar('\n');
		free(lines[i].name);
	}
	free(lines);
}

void estimates_end(const struct settings *settings, size_t ndone)
{
	double original = (double)totals.original_nbytes;
	double saved = original - (double)totals.archive_nbytes;
	unsigned nthreads = batch_count_threads(settings);

	if (settings->json)
		return;
	if (lines)
		print_lines();
	if (ndone > 0)
		printf("%zu file%s already done\n", ndone,
		       ndone == 1 ? "" : "s");
	if (nfiles == 0)
		return;
	printf("%zu file%s, %" PRIu64 " bytes, archives about %" PRIu64
	       " bytes, ratio %.2f: saves %.0f %%\n",
	       nfiles, nfiles == 1 ? "" : "s", totals.original_nbytes,
	       totals.archive_nbytes, original / (double)totals.archive_nbytes,
	       original > 0 ? 100 * saved / original : 0);
	if (nsampled < nfiles)
		printf("%zu of them were sampled; the others were taken to be "
		       "like them\n",
		       nsampled);
	printf("%.1f s of one processor, %.1f s with %u threads, if the disks "
	       "keep up\n",
	       totals.seconds, totals.seconds / nthreads, nthreads);
}
