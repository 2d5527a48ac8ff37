/* SPDX-License-Identifier: MIT */
/*
 * An archive into another one, and what that would cost: nc3z_convert() with
 * the settings of the command line.
 */
#include <inttypes.h>
#include <stdio.h>

#include "compress/job.h"
#include "nc3z_tools.h"

/* The layout stays where --rechunk does not say otherwise. */
static struct nc3z_pack_options conversion_options(struct job *job)
{
	const struct settings *s = job->settings;
	struct nc3z_pack_options options = job_pack_options(job);

	options.chunks = s->rechunk.list;
	options.nchunks = s->rechunk.count;
	/* Oddities of an original were reported when it was packed. */
	options.warn = NULL;
	return options;
}

int job_plan_conversion(struct job *job)
{
	struct nc3z_pack_options options = conversion_options(job);

	return nc3z_plan_conversion(job->in, &options, &job->conversion,
				    &job->err);
}

/* As the library says it where it restores. */
static int check_size(struct job *job)
{
	uint64_t max_nbytes = job->settings->max_original_nbytes;

	if (max_nbytes == 0 || job->conversion.original_nbytes <= max_nbytes)
		return NC3Z_OK;
	job->err.status = NC3Z_ELIMIT;
	snprintf(job->err.text, sizeof(job->err.text),
		 "original is larger than the limit of %" PRIu64 " bytes",
		 max_nbytes);
	return NC3Z_ELIMIT;
}

static void announce(const struct job *job)
{
	const struct nc3z_conversion *c = &job->conversion;

	if (job->settings->quiet || c->ndecodings <= c->nblocks)
		return;
	message_note(job->name,
		     "%" PRIu64 " blocks are decoded %" PRIu64
		     " times in all: chunks need %" PRIu64
		     " bytes of memory, more than %" PRIu64,
		     c->nblocks, c->ndecodings, c->once_nbytes,
		     job->settings->max_memory_nbytes);
}

int job_convert(struct job *job)
{
	struct nc3z_pack_options options = conversion_options(job);
	int status = job_plan_conversion(job);

	if (status == NC3Z_OK)
		status = check_size(job);
	if (status != NC3Z_OK)
		return status;
	announce(job);
	progress_begin(&job->progress, job->name,
		       job->conversion.original_nbytes, false);
	return nc3z_convert(job->in, job->out, &options, NULL, &job->summary,
			    &job->err);
}
