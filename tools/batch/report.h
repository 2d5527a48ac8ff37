/* SPDX-License-Identifier: MIT */
/*
 * What a run has done: a line of JSON for each file, on standard output and in
 * a journal, and a summary of all.  Any thread may call these.
 */
#ifndef NC3Z_TOOLS_BATCH_REPORT_H
#define NC3Z_TOOLS_BATCH_REPORT_H

#include "batch/job.h"

/*
 * Before the first of so many files, which were collected with this status;
 * false after a message.
 */
bool report_begin(const struct settings *settings, size_t nfiles,
		  enum exit_status status);

/*
 * Reports a job that has ended.  The status of the job, or a graver one if that
 * cannot be written.
 */
enum exit_status report_job(struct job *job, enum exit_status status);

/*
 * Has it on the disk that a file is done before its input goes; false after a
 * message.
 */
bool report_before_removal(struct job *job);

/*
 * Counts an output with another owner or group than the input, which is about
 * to be removed; whether it is the first.
 */
bool report_is_first_foreign(void);

/* The bytes that have been done so far. */
void report_progress(uint64_t *original_nbytes_ret,
		     uint64_t *archive_nbytes_ret);

/* How many files came to this. */
size_t report_count(enum outcome_kind kind);

/* Whether there was any file, less those that were skipped. */
bool report_any(void);

/* After the last file; the status of the run, or a graver one. */
enum exit_status report_end(enum exit_status status);

/*
 * The same for a run that a signal ends: files that are open count as left.
 * Another thread may be anywhere.
 */
enum exit_status report_end_early(void);

/* report_line.c: lines of JSON. */

struct report_totals {
	size_t nfiles; /* of the run */
	size_t ndone[OUTCOME_END];
	size_t nwarned;
	size_t nremoved;
	size_t nforeign; /* see above */
	uint64_t original_nbytes;
	uint64_t archive_nbytes;
	uint64_t worked_nbytes; /* less those that were found */
	double seconds;
	enum exit_status status;
};

/* How many have not been dealt with. */
size_t report_nleft(const struct report_totals *totals);

/* The words for what is done to files, and for what came of one. */
const char *report_action(const struct batch_action *action);
const char *report_word(enum outcome_kind kind);

void report_put_file(FILE *to, const struct job *job, enum exit_status status);
void report_put_summary(FILE *to, const struct batch_action *action,
			const struct report_totals *totals);

#endif
