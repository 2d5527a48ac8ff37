/* SPDX-License-Identifier: MIT */
#include "manifest/archive.h"

#include <string.h>

#include "batch/job_input.h"
#include "common/suffix.h"
#include "manifest/line.h"
#include "nc3z_tools.h"

int archive_check_quickly(struct nc3z_source *in,
			  const struct nc3z_restore_options *options,
			  struct nc3z_summary *summary_ret,
			  struct nc3z_error *err)
{
	return nc3z_source_is_hdf5(in) ?
		       input_restore(in, NULL, options, summary_ret, err) :
		       nc3z_verify_quick(in, options, summary_ret, err);
}

static int check(struct job *job)
{
	struct nc3z_restore_options options = job_restore_options(job);

	return archive_check_quickly(job->in, &options, &job->summary,
				     &job->err);
}

static enum exit_status print_lines(struct job *job)
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
	    check(job) != NC3Z_OK)
		return job_fail(job, job->name);
	line_print(sha256, sizeof(sha256), job->name, strlen(job->name));
	/* x.nc of x.nc4. */
	line_print(job->summary.sha256, sizeof(sha256), job->name,
		   strlen(job->name) - (is_netcdf4 ? 1 : strlen(suffix)));
	return EXIT_DONE;
}

const struct batch_action archive_lines_action = {
	.run = print_lines,
	.takes = TAKES_ARCHIVES,
	.lists = true,
	.anywhere = true,
};

const struct batch_action archive_quick_action = {
	.work = check,
	.takes = TAKES_ARCHIVES,
	.none_found = "no archive was found (for exact netCDF-4, type find DIR "
		      "-name '*.nc4' -print0 | nc3manifest --quick "
		      "--files0-from=-)",
	.outcome = OUTCOME_VERIFIED,
	.anywhere = true,
	.is_shallow = true,
};
