/* SPDX-License-Identifier: MIT */
/* --output-dir: the directories of a tree, or of a tar, in another place. */
#ifndef NC3Z_TOOLS_BATCH_MIRROR_H
#define NC3Z_TOOLS_BATCH_MIRROR_H

/*
 * Opens the directory, in 'directory', of the path 'below', and makes those
 * that are missing: with owner and permissions of the same ones in 'root', or
 * as tar(1) does if that is NULL; 'directory' itself, if it is missing, for its
 * owner alone.  No link below 'directory' is followed.  What it has made is on
 * disk.  -1 with errno.
 */
int mirror_open(const char *directory, const char *root, const char *below);

#endif
