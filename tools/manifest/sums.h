/* SPDX-License-Identifier: MIT */
/*
 * Sums over many files: archives with their originals, and all other files
 * in directories; by directory, or by a part of their names.
 */
#ifndef NC3Z_TOOLS_MANIFEST_SUMS_H
#define NC3Z_TOOLS_MANIFEST_SUMS_H

#include "batch/job.h"

/* Before the first file; false after a message. */
bool sums_begin(const struct settings *settings);

/* Looks at the end of an archive, or at the size of another file. */
enum exit_status sums_add(struct job *job);

/* Prints them all. */
void sums_end(const struct settings *settings);

#endif
