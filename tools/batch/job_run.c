/* SPDX-License-Identifier: MIT */
#include "batch/job_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "batch/job_finish.h"
#include "batch/job_found.h"
#include "batch/job_input.h"
#include "batch/job_output.h"

/* "ratio 2.34", and what of it was there. */
static void say_copied(const struct job *job, char *text, size_t nbytes)
{
	const struct nc3z_summary *s = &job->summary;

	text[0] = '\0';
	if (s->ncopied > 0)
		snprintf(text, nbytes,
			 ", %" PRIu64 " of %" PRIu64 " blocks copied",
			 s->ncopied, s->nblocks);
}

static void say_done(const struct job *job)
{
	char copied[64];

	if (!job->settings->verbose || job->settings->is_part)
		return;
	say_copied(job, copied, sizeof(copied));
	if (job->outcome.kind == OUTCOME_FOUND)
		message_note(job->name, job->outcome.is_removed ?
						"already done, removed" :
						"already done");
	else
		message_note(job->name,
			     "%" PRIu64 " bytes, archive %" PRIu64
			     " bytes, ratio %.2f%s",
			     job->summary.original_nbytes,
			     job->summary.archive_nbytes,
			     (double)job->summary.original_nbytes /
				     (double)job->summary.archive_nbytes,
			     copied);
}

/* What came of it if all goes well. */
static enum outcome_kind kind_of_success(const struct settings *s)
{
	return s->action == ACTION_RESTORE ? OUTCOME_RESTORED :
	       s->action == ACTION_CONVERT ? OUTCOME_CONVERTED :
					     OUTCOME_PACKED;
}

/* An archive's SHA-256 is taken while the archive is written. */
static int begin_digest(struct job *job)
{
	const struct settings *s = job->settings;

	if (!(s->journal || s->json) || s->action == ACTION_RESTORE)
		return NC3Z_OK;
	return nc3z_sink_start_sha256(job->out, &job->err);
}

int job_digest_archive(struct job *job)
{
	const struct settings *s = job->settings;

	if (!(s->journal || s->json) || !job_reads_file(job))
		return NC3Z_OK;
	job->outcome.has_archive_sha256 = true;
	return nc3z_source_sha256(job->in, job->outcome.archive_sha256,
				  &job->err);
}

static int end_digest(struct job *job)
{
	const struct settings *s = job->settings;

	if (s->action == ACTION_RESTORE)
		return job_digest_archive(job);
	if (!(s->journal || s->json))
		return NC3Z_OK;
	job->outcome.has_archive_sha256 = true;
	return nc3z_sink_sha256(job->out, job->outcome.archive_sha256,
				&job->err);
}

static int write_output(struct job *job, int (*write)(struct job *))
{
	int status = begin_digest(job);

	if (status == NC3Z_OK)
		status = write(job);
	return status == NC3Z_OK ? end_digest(job) : status;
}

/* Whether the archive that is there is of no use: packs without it. */
static bool is_done_anew(struct job *job)
{
	if (job->err.status != NC3Z_EOLDER)
		return false;
	if (job->settings->verbose)
		message_note(job->name, "packed anew: %s", job->err.text);
	job->packs_anew = true;
	job->begins_again = true;
	return true;
}

enum exit_status job_write(struct job *job, int (*write)(struct job *))
{
	enum exit_status status = job_open_input_unless(job, job_is_gone);

	if (job->outcome.kind == OUTCOME_FOUND)
		say_done(job);
	if (status != EXIT_DONE || job->outcome.kind == OUTCOME_FOUND ||
	    job_skips_at_once(job))
		return status;
	status = job_open_output(job);
	if (status != EXIT_DONE)
		return status;
	if (job->outcome.kind != OUTCOME_FOUND &&
	    write_output(job, write) != NC3Z_OK)
		return is_done_anew(job) ? EXIT_FAILED :
		       job_skips(job)    ? EXIT_DONE :
					   job_fail(job, job->name);
	if (job->outcome.kind == OUTCOME_FOUND) {
		status = job_finish_found(job);
	} else {
		job->outcome.kind = kind_of_success(job->settings);
		status = job_finish_output(job);
	}
	if (status == EXIT_DONE)
		say_done(job);
	return job->warned ? exit_worse(EXIT_WARNED, status) : status;
}

enum exit_status job_run(struct job *job, enum exit_status (*act)(struct job *))
{
	enum exit_status status;

	job_begin(job);
	status = act(job);
	while (job->begins_again) {
		/* Looks again: another run may have made what is there. */
		job_begin_again(job);
		status = act(job);
	}
	job_end(job);
	if (status != EXIT_DONE && status != EXIT_WARNED)
		job->summary = (struct nc3z_summary){ 0 };
	if (job->shows_progress)
		progress_clear();
	return status;
}
