/* SPDX-License-Identifier: MIT */
/* An archive of an older state of its file. */
#ifndef NC3Z_TOOLS_BATCH_JOB_OLDER_H
#define NC3Z_TOOLS_BATCH_JOB_OLDER_H

#include "batch/job.h"

/*
 * Whether the input, a classic file or an exact netCDF-4 file, has every byte
 * of an archive's original, which then is an older state of it, or this state.
 */
bool job_has_grown_from(struct job *job, int archive_fd,
			const struct nc3z_summary *archive);

#endif
