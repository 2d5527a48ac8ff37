/* SPDX-License-Identifier: MIT */
/* The end of a job. */
#ifndef NC3Z_TOOLS_BATCH_JOB_FINISH_H
#define NC3Z_TOOLS_BATCH_JOB_FINISH_H

#include "batch/job.h"

/* Gives the output its name, and removes the input. */
enum exit_status job_finish_output(struct job *job);

/* The same where the output was there. */
enum exit_status job_finish_found(struct job *job);

#endif
