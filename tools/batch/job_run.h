/* SPDX-License-Identifier: MIT */
/* Doing a job. */
#ifndef NC3Z_TOOLS_BATCH_JOB_RUN_H
#define NC3Z_TOOLS_BATCH_JOB_RUN_H

#include "batch/job.h"

/*
 * Does what 'act' does with the job's file, which says what went wrong, if
 * anything did.  Input and output are closed then.
 */
enum exit_status job_run(struct job *job,
			 enum exit_status (*act)(struct job *));

/*
 * An 'act' that makes a file: opens input and output, calls 'write', which
 * returns a status of the library, gives the output its name and removes the
 * input, as the settings say.
 */
enum exit_status job_write(struct job *job, int (*write)(struct job *));

/*
 * Takes the SHA-256 of an archive that was read, for reports; not of one from
 * a pipe or a server, which would be read again.  A status of the library.
 */
int job_digest_archive(struct job *job);

#endif
