/* SPDX-License-Identifier: MIT */
/* The output of a job. */
#ifndef NC3Z_TOOLS_BATCH_JOB_OUTPUT_H
#define NC3Z_TOOLS_BATCH_JOB_OUTPUT_H

#include "batch/job.h"

/*
 * Names the output and looks for it: EXIT_DONE if it is to be written,
 * EXIT_NOTHING if it is there already, and done.
 */
enum exit_status job_look_ahead(struct job *job);

/* Whether the input could not be opened because another run is done with it. */
bool job_is_gone(struct job *job);

/* The same as job_look_ahead(), and opens it if it is to be written. */
enum exit_status job_open_output(struct job *job);

/*
 * Says why an output could not be made, and if it is there already, what to do;
 * or has the job done once more, if somebody has made it meanwhile.
 */
enum exit_status job_refuse_existing(struct job *job);

/* Whether no other job of this run has written what is there. */
enum exit_status job_check_written(struct job *job);

#endif
