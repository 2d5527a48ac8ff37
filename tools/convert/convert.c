/* SPDX-License-Identifier: MIT */
#include "convert/convert.h"

#include <inttypes.h>

#include "batch/job.h"
#include "common/suffix.h"

static void announce_decodings(const struct job *job,
			       const struct nc3z_conversion *c)
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
	announce_decodings(job, &conversion);
	progress_begin(&job->progress, job->name, conversion.original_nbytes,
		       false);
	return nc3z_convert(job->in, job->out, &options, NULL, &job->summary,
			    &job->err);
}

static const struct batch_ending from_netcdf4[] = {
	{ NETCDF4_SUFFIX, CLASSIC_SUFFIX },
	{ NULL, NULL },
};
static const struct batch_ending from_netcdf4_to_archive[] = {
	{ NETCDF4_SUFFIX, CLASSIC_SUFFIX "%" },
	{ NULL, NULL },
};
static const struct batch_ending to_netcdf4_endings[] = {
	{ CLASSIC_SUFFIX "%", NETCDF4_SUFFIX },
	{ "%", NETCDF4_SUFFIX },
	{ CLASSIC_SUFFIX, NETCDF4_SUFFIX },
	{ "", NETCDF4_SUFFIX },
};
static const struct batch_ending same_ending = { "", "" };

#define UNNAMED "name does not end in " NETCDF4_SUFFIX ": use -o"

const struct batch_action convert_actions[] = {
	[TARGET_AS_IS] = {
		.work = convert,
		.takes = TAKES_ARCHIVES,
		.makes = MAKES_ARCHIVE,
		.endings = &same_ending,
		.outcome = OUTCOME_CONVERTED,
		.seeks = true,
		.verifies = true,
	},
	[TARGET_NETCDF4] = {
		.work = to_netcdf4,
		.takes = TAKES_BOTH,
		.makes = MAKES_NETCDF4,
		.endings = to_netcdf4_endings,
		.outcome = OUTCOME_CONVERTED,
		.seeks = true,
		.verifies = true,
	},
	[TARGET_CLASSIC] = {
		.work = to_classic,
		.takes = TAKES_NETCDF4,
		.makes = MAKES_CLASSIC,
		.endings = from_netcdf4,
		.unnamed = UNNAMED,
		.outcome = OUTCOME_RESTORED,
		.seeks = true,
	},
	[TARGET_NC3Z] = {
		.work = to_archive,
		.takes = TAKES_NETCDF4,
		.makes = MAKES_ARCHIVE,
		.endings = from_netcdf4_to_archive,
		.unnamed = UNNAMED,
		.outcome = OUTCOME_CONVERTED,
		.seeks = true,
		.verifies = true,
	},
};
