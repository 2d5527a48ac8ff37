/* SPDX-License-Identifier: MIT */
/* The output of a job. */
#ifndef NC3Z_TOOLS_BATCH_JOB_OUTPUT_H
#define NC3Z_TOOLS_BATCH_JOB_OUTPUT_H

#include "batch/job.h"

/* Names the output, and opens it if it has to be written. */
enum exit_status job_open_output(struct job *job);

#endif
