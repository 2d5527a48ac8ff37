/* SPDX-License-Identifier: MIT */
/* Jobs that write no file: testing, listing, planning, manifests. */
#include <string.h>

#include "common/suffix.h"
#include "compress/job.h"
#include "compress/manifest.h"
#include "nc3z_tools.h"

static enum exit_status run_plan(struct job *job)
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	return job_plan_conversion(job) == NC3Z_OK ? EXIT_DONE :
						     job_fail(job, job->name);
}

static enum exit_status run_estimate(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	if (nc3z_estimate(job->in, &options, &job->estimate, &job->err) !=
	    NC3Z_OK)
		return job_skips(job) ? EXIT_DONE : job_fail(job, job->name);
	job->summary.original_nbytes = job->estimate.original_nbytes;
	job->summary.archive_nbytes = job->estimate.archive_nbytes;
	job->outcome.kind = OUTCOME_ESTIMATED;
	return EXIT_DONE;
}

static int verify(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	return job->settings->quick ?
		       nc3z_verify_quick(job->in, &options, &job->summary,
					 &job->err) :
		       nc3z_verify(job->in, &options, &job->summary, &job->err);
}

/* For reports; what came from a pipe or a server is not read again. */
static int digest_archive(struct job *job)
{
	const struct settings *s = job->settings;

	if (!(s->journal || s->json) || !job_reads_file(job))
		return NC3Z_OK;
	job->outcome.has_archive_sha256 = true;
	return nc3z_source_sha256(job->in, job->outcome.archive_sha256,
				  &job->err);
}

static enum exit_status run_test(struct job *job)
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	if (verify(job) != NC3Z_OK || digest_archive(job) != NC3Z_OK)
		return job_fail(job, job->name);
	job->outcome.kind = OUTCOME_VERIFIED;
	if (job->settings->verbose)
		message_note(job->name, job->settings->quick ?
						"stored bytes are OK" :
						"OK");
	return EXIT_DONE;
}

/* Two lines: of the archive, and of the file that restoring it makes. */
static enum exit_status run_manifest(struct job *job)
{
	const char *suffix = job->settings->suffix;
	unsigned char sha256[sizeof(job->summary.sha256)];
	enum exit_status status;

	if (job->is_stream || !file_has_suffix(job->name, suffix))
		return job_refuse(job, "a manifest needs names with the "
				       "suffix of an archive: use -S");
	status = job_open_input(job);
	if (status != EXIT_DONE)
		return status;
	if (nc3z_source_sha256(job->in, sha256, &job->err) != NC3Z_OK ||
	    nc3z_verify_quick(job->in, NULL, &job->summary, &job->err) !=
		    NC3Z_OK)
		return job_fail(job, job->name);
	manifest_print(sha256, job->name, strlen(job->name));
	manifest_print(job->summary.sha256, job->name,
		       strlen(job->name) - strlen(suffix));
	return EXIT_DONE;
}

static enum exit_status run_list(struct job *job)
{
	enum exit_status status = job_open_input(job);
	int result;

	if (status != EXIT_DONE)
		return status;
	result = nc3z_summarize(job->in, &job->summary, &job->err);
	if (result == NC3Z_OK && job->settings->verbose)
		result = stream_list_read(&job->streams, &job->in, &job->err);
	return result == NC3Z_OK ? EXIT_DONE : job_fail(job, job->name);
}

enum exit_status job_read(struct job *job)
{
	switch (job->settings->action) {
	case ACTION_LIST:
		return run_list(job);
	case ACTION_MANIFEST:
		return run_manifest(job);
	case ACTION_PACK:
		return run_estimate(job);
	case ACTION_CONVERT:
		return run_plan(job);
	default:
		return run_test(job);
	}
}
