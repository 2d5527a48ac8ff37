/* SPDX-License-Identifier: MIT */
/* All files of a command line. */
#ifndef NC3Z_TOOLS_BATCH_BATCH_H
#define NC3Z_TOOLS_BATCH_BATCH_H

#include "batch/action.h"

/*
 * Collects the files that a command line names, does the action of the settings
 * with each, many small ones side by side, and returns the most serious exit
 * status.
 */
enum exit_status batch_run(const struct settings *settings, int noperands,
			   char **operands);

/* How many threads there are for all files. */
unsigned batch_count_threads(const struct settings *settings);

#endif
