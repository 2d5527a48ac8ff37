/* SPDX-License-Identifier: MIT */
/* The outputs of a run: no two jobs write the same. */
#ifndef NC3Z_TOOLS_BATCH_OUTPUTS_H
#define NC3Z_TOOLS_BATCH_OUTPUTS_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Notes that a file of this name, without directories, is being written in a
 * directory, however that was reached; false if it has been before in this run,
 * or if memory runs out.  Any thread may call these.
 */
bool outputs_claim(const struct stat *dir, const char *name);

/* Notes a file that this run has written. */
void outputs_add_written(const struct stat *file);

/* Whether a file is one of these: on some systems two names are one. */
bool outputs_have_written(const struct stat *file);

#endif
