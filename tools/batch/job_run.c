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

	if (!job->settings->verbose ||
	    job->settings->action->makes == MAKES_PART)
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

static bool wants_digest(const struct job *job)
{
	return job->settings->journal || job->settings->json;
}

/* Not of an archive from a pipe or a server, which would be read again. */
static int digest_archive(struct job *job)
{
	if (!wants_digest(job) || !job_reads_file(job))
		return NC3Z_OK;
	job->outcome.has_archive_sha256 = true;
	return nc3z_source_sha256(job->in, job->outcome.archive_sha256,
				  &job->err);
}

/* The SHA-256 of an archive that is made is taken while it is written. */
static int write_output(struct job *job)
{
	const struct batch_action *action = job->settings->action;
	bool is_archive = action->makes != MAKES_CLASSIC;
	int status = NC3Z_OK;

	if (is_archive && wants_digest(job))
		status = nc3z_sink_start_sha256(job->out, &job->err);
	if (status == NC3Z_OK)
		status = action->work(job);
	if (status != NC3Z_OK || !wants_digest(job))
		return status;
	if (!is_archive)
		return digest_archive(job);
	job->outcome.has_archive_sha256 = true;
	return nc3z_sink_sha256(job->out, job->outcome.archive_sha256,
				&job->err);
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

/* Makes a file: input and output are open. */
static enum exit_status make_file(struct job *job)
{
	if (write_output(job) != NC3Z_OK)
		return is_done_anew(job) ? EXIT_FAILED :
		       job_skips(job)    ? EXIT_DONE :
					   job_fail(job, job->name);
	job->outcome.kind = job->settings->action->outcome;
	return job_finish_output(job);
}

/*
 * Opens input and output, makes the output, gives it its name and removes the
 * input, as the settings say.
 */
static enum exit_status run_write(struct job *job)
{
	enum exit_status status = job_open_input_unless(job, job_is_gone);

	if (status == EXIT_DONE && job_skips_at_once(job))
		return EXIT_DONE;
	if (status == EXIT_DONE)
		status = job_open_output(job);
	if (status == EXIT_DONE) {
		status = make_file(job);
	} else if (status == EXIT_NOTHING) {
		job->outcome.kind = OUTCOME_FOUND;
		status = job_finish_found(job);
	}
	if (status != EXIT_DONE || job->outcome.kind == OUTCOME_SKIPPED)
		return status;
	say_done(job);
	return job->warned ? EXIT_WARNED : EXIT_DONE;
}

/* Only reads. */
static enum exit_status run_check(struct job *job)
{
	const struct batch_action *action = job->settings->action;
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	if (action->work(job) != NC3Z_OK || digest_archive(job) != NC3Z_OK)
		return job_fail(job, job->name);
	job->outcome.kind = action->outcome;
	if (job->settings->verbose)
		message_note(job->name,
			     action->is_shallow ? "stored bytes are OK" : "OK");
	return EXIT_DONE;
}

enum exit_status job_run(struct job *job)
{
	const struct batch_action *action = job->settings->action;
	enum exit_status (*run)(struct job *) = action->run ? action->run :
						action->makes == MAKES_NOTHING ?
							      run_check :
							      run_write;
	enum exit_status status;

	job_begin(job);
	status = run(job);
	while (job->begins_again) {
		/* Looks again: another run may have made what is there. */
		job_begin_again(job);
		status = run(job);
	}
	job_end(job);
	if (status != EXIT_DONE && status != EXIT_WARNED)
		job->summary = (struct nc3z_summary){ 0 };
	if (job->shows_progress)
		progress_clear();
	return status;
}
