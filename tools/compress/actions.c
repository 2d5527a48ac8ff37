/* SPDX-License-Identifier: MIT */
#include "compress/actions.h"

#include "batch/job_input.h"
#include "batch/job_output.h"
#include "batch/job_run.h"
#include "compress/estimates.h"
#include "compress/list.h"
#include "nc3z_tools.h"

static int pack_part(struct job *job, const struct nc3z_pack_options *options)
{
	const struct timespec *mtime = &job->input.stat.st_mtim;
	const struct nc3z_part part = {
		.number = job->settings->part_number,
		.count = job->settings->part_count,
		.mtime_s = mtime->tv_sec,
		.mtime_ns = (uint32_t)mtime->tv_nsec,
	};

	return nc3z_pack_part(job->in, job->out, options, &part, &job->summary,
			      &job->err);
}

static int pack(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);

	progress_begin(&job->progress, job->name,
		       job->packed_as ? 0 : job->file->nbytes, false);
	if (job->settings->is_part)
		return pack_part(job, &options);
	return nc3z_pack(job->in, job->out, &options, &job->summary, &job->err);
}

static enum exit_status run_pack(struct job *job)
{
	return job_write(job, pack);
}

static int restore(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	if (nc3z_source_is_hdf5(job->in))
		return nc3z_restore_netcdf4(job->in, job->out, &options,
					    &job->summary, &job->err);
	return nc3z_restore(job->in, job->out, &options, &job->summary,
			    &job->err);
}

static enum exit_status run_restore(struct job *job)
{
	return job_write(job, restore);
}

static enum exit_status run_estimate(struct job *job)
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE || job_skips_at_once(job))
		return status;
	if (job->settings->update)
		status = job_look_ahead(job);
	if (status != EXIT_DONE || job->outcome.kind == OUTCOME_FOUND)
		return status;
	if (estimates_make(job) != NC3Z_OK)
		return job_skips(job) ? EXIT_DONE : job_fail(job, job->name);
	job->outcome.kind = OUTCOME_ESTIMATED;
	return EXIT_DONE;
}

static int verify(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	return nc3z_source_is_hdf5(job->in) ?
		       nc3z_restore_netcdf4(job->in, NULL, &options,
					    &job->summary, &job->err) :
		       nc3z_verify(job->in, &options, &job->summary, &job->err);
}

static enum exit_status run_test(struct job *job)
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	if (verify(job) != NC3Z_OK || job_digest_archive(job) != NC3Z_OK)
		return job_fail(job, job->name);
	job->outcome.kind = OUTCOME_VERIFIED;
	if (job->settings->verbose)
		message_note(job->name, "OK");
	return EXIT_DONE;
}

static enum exit_status run_list(struct job *job)
{
	enum exit_status status = job_open_input(job);
	struct stream_list streams = { 0 };
	bool is_netcdf4;
	int result;

	if (status != EXIT_DONE)
		return status;
	is_netcdf4 = nc3z_source_is_hdf5(job->in);
	result = is_netcdf4 ? nc3z_summarize_netcdf4(job->in, &job->summary,
						     &job->err) :
			      nc3z_summarize(job->in, &job->summary, &job->err);
	if (result == NC3Z_OK && job->settings->verbose && !is_netcdf4)
		result = stream_list_read(&streams, &job->in, &job->err);
	if (result == NC3Z_OK)
		list_add(job->settings, &job->summary, &streams, job->name);
	else
		status = job_fail(job, job->name);
	stream_list_release(&streams);
	return status;
}

struct batch_action actions_choose(const struct settings *settings)
{
	switch (settings->action) {
	case ACTION_RESTORE:
		return (struct batch_action){ .run = run_restore };
	case ACTION_TEST:
		return (struct batch_action){ .run = run_test };
	case ACTION_LIST:
		return (struct batch_action){ .run = run_list,
					      .in_order = true };
	default:
		return settings->dry_run ?
			       (struct batch_action){ .run = run_estimate,
						      .samples = true } :
			       (struct batch_action){ .run = run_pack };
	}
}
