/* SPDX-License-Identifier: MIT */
/* Doing a job. */
#ifndef NC3Z_TOOLS_BATCH_JOB_RUN_H
#define NC3Z_TOOLS_BATCH_JOB_RUN_H

#include "batch/job.h"

/*
 * Does the action of the settings with the job's file, and says what went
 * wrong, if anything did.  Input and output are closed then.
 */
enum exit_status job_run(struct job *job);

#endif
