/* SPDX-License-Identifier: MIT */
#include "compress/actions.h"

#include <stdio.h>

#include "batch/job_input.h"
#include "batch/job_output.h"
#include "common/suffix.h"
#include "compress/estimates.h"
#include "compress/list.h"
#include "compress/options.h"

static int pack(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);

	progress_begin(&job->progress, job->name,
		       job->packed_as ? 0 : job->file->nbytes, false);
	return nc3z_pack(job->in, job->out, &options, &job->summary, &job->err);
}

static int pack_part(struct job *job)
{
	const struct compress_settings *c = compress_settings(job->settings);
	const struct timespec *mtime = &job->input.stat.st_mtim;
	struct nc3z_pack_options options = job_pack_options(job);
	const struct nc3z_part part = {
		.number = c->part_number,
		.count = c->part_count,
		.mtime_s = mtime->tv_sec,
		.mtime_ns = (uint32_t)mtime->tv_nsec,
	};

	progress_begin(&job->progress, job->name, job->file->nbytes, false);
	return nc3z_pack_part(job->in, job->out, &options, &part, &job->summary,
			      &job->err);
}

static int restore(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	return input_restore(job->in, job->out, &options, &job->summary,
			     &job->err);
}

static int test(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	return input_restore(job->in, NULL, &options, &job->summary, &job->err);
}

static enum exit_status run_estimate(struct job *job)
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE || job_skips_at_once(job))
		return status;
	if (job->settings->update)
		status = job_look_ahead(job);
	if (status == EXIT_NOTHING)
		job->outcome.kind = OUTCOME_FOUND;
	if (status != EXIT_DONE)
		return status == EXIT_NOTHING ? EXIT_DONE : status;
	if (estimates_make(job) != NC3Z_OK)
		return job_skips(job) ? EXIT_DONE : job_fail(job, job->name);
	job->outcome.kind = OUTCOME_ESTIMATED;
	return EXIT_DONE;
}

static enum exit_status run_list(struct job *job)
{
	enum exit_status status = job_open_input(job);
	struct stream_list streams = { 0 };
	int result;

	if (status != EXIT_DONE)
		return status;
	result = input_summarize(job->in, &job->summary, &job->err);
	if (result == NC3Z_OK && job->settings->verbose &&
	    !nc3z_source_is_hdf5(job->in))
		result = stream_list_read(&streams, &job->in, &job->err);
	if (result == NC3Z_OK)
		list_add(job->settings, &job->summary, &streams, job->name);
	else
		status = job_fail(job, job->name);
	stream_list_release(&streams);
	return status;
}

static const struct batch_action action_pack = {
	.work = pack,
	.takes = TAKES_CLASSIC,
	.makes = MAKES_ARCHIVE,
	.endings =
		(const struct batch_ending[]){
			{ ".gz", "%" },
			{ ".bz2", "%" },
			{ ".zst", "%" },
			{ ".xz", "%" },
			{ "", "%" },
		},
	.none_found = "found neither a file to pack nor an archive",
	.outcome = OUTCOME_PACKED,
};

static const struct batch_action action_restore = {
	.work = restore,
	.takes = TAKES_ARCHIVES,
	.makes = MAKES_CLASSIC,
	.endings =
		(const struct batch_ending[]){
			{ "%", "" },
			{ NETCDF4_SUFFIX, CLASSIC_SUFFIX },
			{ NULL, NULL },
		},
	.unnamed = "name does not have the suffix of an archive: use -o, -c or "
		   "-S",
	.outcome = OUTCOME_RESTORED,
	.anywhere = true,
};

static const struct batch_action action_test = {
	.work = test,
	.takes = TAKES_ARCHIVES,
	.none_found = "no archive was found (for exact netCDF-4, type find DIR "
		      "-name '*.nc4' -print0 | nc3compress -t --files0-from=-)",
	.outcome = OUTCOME_VERIFIED,
	.anywhere = true,
};

static const struct batch_action action_list = {
	.run = run_list,
	.takes = TAKES_ARCHIVES,
	.lists = true,
	.peeks = true,
	.anywhere = true,
};

/* A dry run takes the options of the run that it stands for. */
static void choose_estimate(struct settings *s, struct batch_action *action)
{
	s->update |= s->remove && !s->force;
	s->leaves_odd = s->remove && !s->remove_all;
	s->remove = s->remove_all = s->verify = false;
	s->journal = NULL;
	action->run = run_estimate;
	action->outcome = OUTCOME_ESTIMATED;
	action->samples = true;
}

static void choose_part(const struct compress_settings *c,
			struct batch_action *action)
{
	static char text[40];
	static const struct batch_ending ending = { "", text };

	snprintf(text, sizeof(text), "%%.part-sha256");
	if (c->part_number > 0)
		snprintf(text, sizeof(text), "%%.part-%u-of-%u", c->part_number,
			 c->part_count);
	action->work = pack_part;
	action->makes = MAKES_PART;
	action->endings = &ending;
}

void actions_choose(struct settings *s)
{
	static const struct batch_action *const actions[] = {
		[COMPRESS_PACK] = &action_pack,
		[COMPRESS_RESTORE] = &action_restore,
		[COMPRESS_TEST] = &action_test,
		[COMPRESS_LIST] = &action_list,
	};
	static struct batch_action action;
	const struct compress_settings *c = compress_settings(s);

	action = *actions[c->mode];
	if (c->dry_run)
		choose_estimate(s, &action);
	else if (c->is_part)
		choose_part(c, &action);
	s->action = &action;
}
