/* SPDX-License-Identifier: MIT */
/*
 * What --dry-run finds out, in the time that it has for all files, and prints.
 */
#ifndef NC3Z_TOOLS_COMPRESS_ESTIMATES_H
#define NC3Z_TOOLS_COMPRESS_ESTIMATES_H

#include "batch/job.h"

/*
 * Any thread: estimates what an input that is open would become, from the file
 * itself while there is time, and sets what is reported of it.  Returns what
 * the library does.
 */
int estimates_make(struct job *job);

/* The sum, after so many files that need no packing. */
void estimates_end(const struct settings *settings, size_t ndone);

#endif
