/* SPDX-License-Identifier: MIT */
#include "batch/report.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "batch/journal.h"
#include "batch/passed.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct settings *settings;
static struct report_totals totals; /* under the lock */
static bool lacked_memory;          /* a job that failed; the same */
static bool damaged_archive, damaged_hdf5;
static double begin;

/* Whether files are reported; a list on standard output says it all itself. */
static bool is_reported(void)
{
	return !settings->action->lists;
}

bool report_begin(const struct settings *of, size_t nfiles,
		  enum exit_status status)
{
	settings = of;
	totals.nfiles = nfiles;
	totals.status = status;
	begin = clock_seconds();
	return !of->journal || journal_open(of->journal, 0666 & ~of->umask);
}

struct line {
	char *text;
	size_t nbytes;
	FILE *to;
};

static bool begin_line(struct line *line)
{
	line->text = NULL;
	line->to = open_memstream(&line->text, &line->nbytes);
	if (!line->to)
		message_error(NULL, "out of memory");
	return line->to;
}

static bool end_line(struct line *line, bool to_journal, bool to_stdout)
{
	bool is_whole = fclose(line->to) == 0, ok = is_whole;

	if (!is_whole)
		message_error(NULL, "out of memory");
	if (is_whole && to_journal)
		ok = journal_append(line->text, line->nbytes);
	if (is_whole && to_stdout)
		fwrite(line->text, 1, line->nbytes, stdout);
	free(line->text);
	return ok;
}

static bool put_line(const struct job *job, enum exit_status status,
		     bool to_journal, bool to_stdout)
{
	struct line line;

	if (!begin_line(&line))
		return false;
	report_put_file(line.to, job, status);
	return end_line(&line, to_journal, to_stdout);
}

bool report_before_removal(struct job *job)
{
	if (!settings->journal)
		return true;
	job->outcome.is_journaled = true;
	return put_line(job, job->warned ? EXIT_WARNED : EXIT_DONE, true,
			false) &&
	       journal_sync();
}

/* What hints there will be. */
static void note_failure(const struct job *job)
{
	lacked_memory |= job->err.status == NC3Z_ENOMEM;
	if (job->err.status == NC3Z_EDAMAGED)
		*(input_is_hdf5(&job->input) ? &damaged_hdf5 :
					       &damaged_archive) = true;
}

static void count_job(const struct job *job, enum exit_status status)
{
	const struct outcome *outcome = &job->outcome;

	totals.ndone[outcome->kind]++;
	totals.nwarned += status == EXIT_WARNED;
	totals.nremoved += outcome->is_removed;
	totals.original_nbytes += job->summary.original_nbytes;
	totals.archive_nbytes += job->summary.archive_nbytes;
	if (outcome->kind != OUTCOME_FOUND)
		totals.worked_nbytes += settings->action->is_shallow ?
						job->summary.archive_nbytes :
						job->summary.original_nbytes;
	totals.status = exit_worse(status, totals.status);
	if (outcome->kind == OUTCOME_FAILED)
		note_failure(job);
	progress_set_files(totals.nfiles - report_nleft(&totals),
			   totals.nfiles);
}

enum exit_status report_job(struct job *job, enum exit_status status)
{
	struct outcome *outcome = &job->outcome;
	bool is_failed = status != EXIT_DONE && status != EXIT_WARNED;
	bool to_journal = settings->journal &&
			  (!outcome->is_journaled || is_failed);

	if (is_failed)
		outcome->kind = OUTCOME_FAILED;
	if (is_reported() && outcome->kind != OUTCOME_SKIPPED &&
	    (to_journal || settings->json) &&
	    !put_line(job, status, to_journal, settings->json))
		status = exit_worse(EXIT_FAILED, status);
	pthread_mutex_lock(&lock);
	count_job(job, status);
	pthread_mutex_unlock(&lock);
	return status;
}

bool report_is_first_foreign(void)
{
	bool is_first;

	pthread_mutex_lock(&lock);
	is_first = totals.nforeign++ == 0;
	pthread_mutex_unlock(&lock);
	return is_first;
}

void report_progress(uint64_t *original_nbytes_ret,
		     uint64_t *archive_nbytes_ret)
{
	pthread_mutex_lock(&lock);
	*original_nbytes_ret = totals.original_nbytes;
	*archive_nbytes_ret = totals.archive_nbytes;
	pthread_mutex_unlock(&lock);
}

size_t report_count(enum outcome_kind kind)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = totals.ndone[kind];
	pthread_mutex_unlock(&lock);
	return n;
}

bool report_any(void)
{
	bool is_any;

	pthread_mutex_lock(&lock);
	is_any = totals.nfiles > totals.ndone[OUTCOME_SKIPPED];
	pthread_mutex_unlock(&lock);
	return is_any;
}

/* "3 packed, 1 found, ..." */
static void put_counts(FILE *to, const struct report_totals *t)
{
	const char *before = "";
	size_t nleft = report_nleft(t), npassed = passed_count();

	for (int i = OUTCOME_END - 1; i >= 0; i--) {
		if (t->ndone[i] == 0 || i == OUTCOME_SKIPPED)
			continue;
		fprintf(to, "%s%zu %s", before, t->ndone[i],
			i == OUTCOME_FOUND ? "already done" :
					     report_word((enum outcome_kind)i));
		before = ", ";
	}
	if (t->nremoved > 0)
		fprintf(to, "%s%zu removed", before, t->nremoved);
	before = t->nremoved > 0 ? ", " : before;
	if (nleft > 0)
		fprintf(to, "%s%zu left", before, nleft);
	before = nleft > 0 ? ", " : before;
	if (npassed > 0) {
		fprintf(to, "%s%zu skipped", before, npassed);
		passed_put_kinds(to);
	}
}

static void put_sizes(FILE *to, const struct report_totals *t)
{
	fputs("; ", to);
	message_put_size(to, (double)t->original_nbytes);
	fputs(", archives ", to);
	message_put_size(to, (double)t->archive_nbytes);
	fprintf(to, ", ratio %.2f",
		(double)t->original_nbytes / (double)t->archive_nbytes);
}

static void print_summary(const struct report_totals *t)
{
	size_t nbytes;
	char *text = NULL;
	FILE *to = open_memstream(&text, &nbytes);

	if (!to)
		return;
	put_counts(to, t);
	if (t->archive_nbytes > 0)
		put_sizes(to, t);
	fprintf(to, "; %.1f s", t->seconds);
	if (t->worked_nbytes > 0)
		fprintf(to, ", %.1f MB/s",
			(double)t->worked_nbytes / 1e6 /
				(t->seconds > 1e-3 ? t->seconds : 1e-3));
	if (fclose(to) == 0)
		message_note(NULL, "%s", text);
	free(text);
}

static bool has_summary(const struct report_totals *t)
{
	return is_reported() && !settings->quiet &&
	       (t->nfiles > (settings->recursive ? 0 : 1) ||
		(settings->verbose && passed_count() > 0));
}

static bool write_summary(const struct report_totals *t)
{
	struct line line;
	bool ok;

	if (!is_reported() || !(settings->json || settings->journal))
		return true;
	if (!begin_line(&line))
		return false;
	report_put_summary(line.to, settings->action, t);
	ok = end_line(&line, true, settings->json);
	return journal_sync() && ok;
}

/* What to do about failures, after the last message. */
static void print_hints(enum exit_status status, bool lacks_memory)
{
	enum batch_input takes = settings->action->takes;

	if (settings->quiet)
		return;
	if (damaged_hdf5)
		message_hint("a damaged netCDF-4 file: restore it from a copy; "
			     "ncdump and nccopy may still read values");
	if (damaged_archive && status == EXIT_DAMAGED &&
	    takes != TAKES_CLASSIC && takes != TAKES_NETCDF4)
		message_hint(HINT_DAMAGED);
	if (lacks_memory)
		message_hint(takes == TAKES_CLASSIC ?
				     "fewer threads (-T1) need less memory, as "
				     "do lower levels and smaller blocks (-b)" :
				     "fewer threads (-T1) need less memory");
}

enum exit_status report_end(enum exit_status status)
{
	struct report_totals t;
	bool lacks_memory;

	pthread_mutex_lock(&lock);
	t = totals;
	lacks_memory = lacked_memory;
	pthread_mutex_unlock(&lock);
	t.seconds = clock_seconds() - begin;
	if (report_nleft(&t) > 0)
		status = exit_worse(EXIT_MORE, status);
	t.status = status;
	print_hints(status, lacks_memory);
	if (t.nforeign > 1 && !settings->quiet)
		message_note(NULL,
			     "%zu outputs have another owner or group than "
			     "their inputs had",
			     t.nforeign);
	if (has_summary(&t))
		print_summary(&t);
	if (!write_summary(&t))
		status = exit_worse(EXIT_FAILED, status);
	return status;
}

enum exit_status report_end_early(void)
{
	enum exit_status status;

	pthread_mutex_lock(&lock);
	status = totals.status;
	pthread_mutex_unlock(&lock);
	status = report_end(status);
	fflush(stdout);
	return status;
}
