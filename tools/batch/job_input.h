/* SPDX-License-Identifier: MIT */
/* The input of a job. */
#ifndef NC3Z_TOOLS_BATCH_JOB_INPUT_H
#define NC3Z_TOOLS_BATCH_JOB_INPUT_H

#include "batch/job.h"

/* Opens the input. */
enum exit_status job_open_input(struct job *job);

/* The same; EXIT_NOTHING for one that is not there, and 'is_done' says so. */
enum exit_status job_open_input_unless(struct job *job,
				       bool (*is_done)(struct job *));

/*
 * Whether an error is that of a file that was not meant, and skips it: it was
 * found in a directory and is no classic file.
 */
bool job_skips(struct job *job);

/*
 * The same of an input that is open, before anything about its output matters.
 */
bool job_skips_at_once(struct job *job);

/* Whether the input is a classic file, and does not hold one. */
bool job_input_is_classic(struct job *job);

/* The SHA-256 of what the input holds, read once more; a library status. */
int job_digest_input(struct job *job, unsigned char sha256_ret[32]);

/*
 * Decodes all of an archive or an exact netCDF-4 file, and checks it; a library
 * status.
 */
int job_verify(struct job *job, struct nc3z_source *in,
	       struct nc3z_summary *summary_ret);

#endif
