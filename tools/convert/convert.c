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
	return job_write(job, convert);
}
