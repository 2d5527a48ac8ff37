/* SPDX-License-Identifier: MIT */
/* --output-dir: the directories of a tree in another place. */
#ifndef NC3Z_TOOLS_BATCH_MIRROR_H
#define NC3Z_TOOLS_BATCH_MIRROR_H

#include "batch/files.h"

/*
 * Opens the directory, in 'directory', that corresponds to the one in which a
 * file was found, and makes those that are missing, with owner and permissions
 * of the originals; 'directory' itself, if it is missing, for its owner alone.
 * What it has made is on disk.
 * For a file that was named it is 'directory'.  -1 with errno.
 */
int mirror_open(const char *directory, const struct file_name *file);

#endif
