/* SPDX-License-Identifier: MIT */
#include "manifest/archive.h"

#include <string.h>

#include "batch/job_input.h"
#include "batch/job_run.h"
#include "common/suffix.h"
#include "manifest/line.h"
#include "nc3z_tools.h"

/* Every stored byte; what is netCDF-4 is decoded. */
static int check_quickly(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	return nc3z_source_is_hdf5(job->in) ?
		       nc3z_restore_netcdf4(job->in, NULL, &options,
					    &job->summary, &job->err) :
		       nc3z_verify_quick(job->in, &options, &job->summary,
					 &job->err);
}

enum exit_status archive_write_lines(struct job *job)
{
	const bool is_netcdf4 = file_has_suffix(job->name, NETCDF4_SUFFIX);
	const char *suffix = is_netcdf4 ? NETCDF4_SUFFIX :
					  job->settings->suffix;
	unsigned char sha256[sizeof(job->summary.sha256)];
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	if (job->is_stream || !file_has_suffix(job->name, suffix))
		return job_refuse(job, "a manifest needs names with the "
				       "suffix of an archive: use -S");
	if (nc3z_source_sha256(job->in, sha256, &job->err) != NC3Z_OK ||
	    check_quickly(job) != NC3Z_OK)
		return job_fail(job, job->name);
	line_print(sha256, sizeof(sha256), job->name, strlen(job->name));
	/* x.nc of x.nc4. */
	line_print(job->summary.sha256, sizeof(sha256), job->name,
		   strlen(job->name) - (is_netcdf4 ? 1 : strlen(suffix)));
	return EXIT_DONE;
}

enum exit_status archive_check_quickly(struct job *job)
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE)
		return status;
	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	if (check_quickly(job) != NC3Z_OK || job_digest_archive(job) != NC3Z_OK)
		return job_fail(job, job->name);
	job->outcome.kind = OUTCOME_VERIFIED;
	if (job->settings->verbose)
		message_note(job->name, "stored bytes are OK");
	return EXIT_DONE;
}
