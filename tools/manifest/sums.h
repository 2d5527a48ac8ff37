/* SPDX-License-Identifier: MIT */
/*
 * Sums over many files: archives with their originals, and all other files
 * in directories; by directory, or by a part of their names.
 */
#ifndef NC3Z_TOOLS_MANIFEST_SUMS_H
#define NC3Z_TOOLS_MANIFEST_SUMS_H

#include "batch/action.h"
#include "manifest/options.h"

/* Before the first file; false after a message. */
bool sums_begin(const struct manifest_settings *settings);

/* Looks at the end of each archive, or at the size of another file. */
extern const struct batch_action sums_action;

/* Prints them all. */
void sums_end(void);

#endif
