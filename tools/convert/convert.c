/* SPDX-License-Identifier: MIT */
#include "convert/convert.h"

#include <inttypes.h>

#include "batch/job_run.h"
#include "nc3z_tools.h"

static void announce(const struct job *job, const struct nc3z_conversion *c)
{
	if (job->settings->quiet || c->ndecodings <= c->nblocks)
		return;
	message_note(job->name,
		     "%" PRIu64 " blocks are decoded %" PRIu64
		     " times in all: chunks need %" PRIu64
		     " bytes of memory, more than %" PRIu64,
		     c->nblocks, c->ndecodings, c->once_nbytes,
		     job->settings->max_memory_nbytes);
}

static int to_netcdf4(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);

	progress_begin(&job->progress, job->name, job->file->nbytes, false);
	return nc3z_write_netcdf4(job->in, job->out, &options, &job->summary,
				  &job->err);
}

static int to_classic(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	return nc3z_restore_netcdf4(job->in, job->out, &options, &job->summary,
				    &job->err);
}

static int to_archive(struct job *job)
{
	struct nc3z_restore_options how = job_restore_options(job);
	struct nc3z_pack_options options = job_pack_options(job);
	struct nc3z_source *original;
	int status =
		nc3z_source_open_netcdf4(job->in, &how, &original, &job->err);

	if (status != NC3Z_OK)
		return status;
	options.warn = NULL;
	progress_begin(&job->progress, job->name, job->file->nbytes, false);
	status = nc3z_pack(original, job->out, &options, &job->summary,
			   &job->err);
	nc3z_source_close(original);
	return status;
}

static int convert(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);
	struct nc3z_conversion conversion;
	int status;

	/* Oddities of an original were reported when it was packed. */
	options.warn = NULL;
	status =
		nc3z_plan_conversion(job->in, &options, &conversion, &job->err);
	if (status != NC3Z_OK)
		return status;
	announce(job, &conversion);
	progress_begin(&job->progress, job->name, conversion.original_nbytes,
		       false);
	return nc3z_convert(job->in, job->out, &options, NULL, &job->summary,
			    &job->err);
}

enum exit_status convert_run(struct job *job)
{
	switch (job->settings->target) {
	case TARGET_NETCDF4:
		return job_write(job, to_netcdf4);
	case TARGET_CLASSIC:
		return job_write(job, to_classic);
	case TARGET_NC3Z:
		return job_write(job, to_archive);
	default:
		return job_write(job, convert);
	}
}
