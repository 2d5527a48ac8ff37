/* SPDX-License-Identifier: MIT */
/* All files of a command line. */
#ifndef NC3Z_TOOLS_BATCH_BATCH_H
#define NC3Z_TOOLS_BATCH_BATCH_H

#include "batch/job.h"

/* What is done with each file. */
struct batch_action {
	enum exit_status (*run)(struct job *job);
	bool in_order; /* prints about each, so one file after the other */
	bool samples;  /* some files, and one thread for each, will do */
};

/*
 * Collects the files that a command line names, deals with each, many small
 * ones side by side, and returns the most serious exit status.
 */
enum exit_status batch_run(const struct settings *settings, int noperands,
			   char **operands, const struct batch_action *action);

/* How many threads there are for all files. */
unsigned batch_count_threads(const struct settings *settings);

#endif
