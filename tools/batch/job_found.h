/* SPDX-License-Identifier: MIT */
/* An output that is there already. */
#ifndef NC3Z_TOOLS_BATCH_JOB_FOUND_H
#define NC3Z_TOOLS_BATCH_JOB_FOUND_H

#include "batch/job.h"

/*
 * Looks at an output that is there already: EXIT_DONE if it is to be written,
 * EXIT_NOTHING if it is done.
 */
enum exit_status job_look_for_output(struct job *job);

/*
 * What the tail of such a file says, an archive or an exact netCDF-4 file; a
 * library status.
 */
int job_summarize_found(struct job *job, int fd,
			struct nc3z_summary *summary_ret);

/* What has the output's name now; false if it cannot be opened. */
bool job_stat_output(const struct job *job, struct stat *stat_ret);

/* Whether that is still the file of this name, as it was. */
bool job_found_is_same(const struct job *job);

/*
 * Whether somebody else may have made the output while this job made its own:
 * then the job is done once more, from the beginning.
 */
bool job_made_meanwhile(struct job *job);

/*
 * Whether an input that is not there any more may be done, and whether it is:
 * its output, which has a name now, is whole.  Another run was first, and has
 * removed the input.
 */
bool job_may_be_done_elsewhere(const struct job *job);
bool job_was_done_elsewhere(struct job *job);

/* Makes sure that an output that was found is on the disk, before --rm. */
enum exit_status job_secure_found(struct job *job);

#endif
