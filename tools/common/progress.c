/* SPDX-License-Identifier: MIT */
#include "common/progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"

/* Seconds before the first line and between two. */
#define FIRST_AFTER 1.0
#define NEXT_AFTER 0.2

static bool is_off;
static atomic_bool line_is_there;
static atomic_size_t files_done, total_files;

void progress_off(void)
{
	is_off = true;
}

void progress_set_files(size_t ndone, size_t nfiles)
{
	files_done = ndone;
	total_files = nfiles;
}

void progress_begin(struct progress *p, const char *name, uint64_t total_nbytes,
		    bool counts_archive)
{
	*p = (struct progress){
		.is_on = !is_off && isatty(STDERR_FILENO),
		.name = name,
		.total_nbytes = total_nbytes,
		.counts_archive = counts_archive,
		.begin = clock_seconds(),
	};
	p->shown = p->begin + FIRST_AFTER - NEXT_AFTER;
}

static void print_progress(const struct progress *p, double seconds,
			   uint64_t original, uint64_t archive)
{
	uint64_t done = p->counts_archive ? archive : original;

	fprintf(stderr, "\r\033[K%s: ", p->name);
	if (total_files > 1)
		fprintf(stderr, "%zu of %zu files, ", files_done, total_files);
	fprintf(stderr, "%.1f MB, %.0f MB/s", (double)original / 1e6,
		(double)original / 1e6 / seconds);
	if (archive > 0)
		fprintf(stderr, ", ratio %.2f",
			(double)original / (double)archive);
	if (p->total_nbytes > 0 && done > 0 && done <= p->total_nbytes)
		fprintf(stderr, ", %.0f %%, %.0f s left",
			100.0 * (double)done / (double)p->total_nbytes,
			seconds * (double)(p->total_nbytes - done) /
				(double)done);
	fflush(stderr);
}

void progress_update(void *context, uint64_t original_nbytes,
		     uint64_t archive_nbytes)
{
	struct progress *p = context;
	double t = p->is_on ? clock_seconds() : 0;

	if (!p->is_on || t - p->shown < NEXT_AFTER)
		return;
	p->shown = t;
	flockfile(stderr);
	print_progress(p, t - p->begin, original_nbytes, archive_nbytes);
	line_is_there = true;
	funlockfile(stderr);
}

void progress_clear(void)
{
	flockfile(stderr);
	if (line_is_there)
		fputs("\r\033[K", stderr);
	line_is_there = false;
	funlockfile(stderr);
}
