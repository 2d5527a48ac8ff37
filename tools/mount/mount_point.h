/* SPDX-License-Identifier: MIT */
/* Where something is to be mounted. */
#ifndef NC3Z_TOOLS_MOUNT_MOUNT_POINT_H
#define NC3Z_TOOLS_MOUNT_MOUNT_POINT_H

#include <stdbool.h>

/*
 * Whether a directory can be mounted over without hiding anything: nothing of
 * nc3mount is there, and it is empty or the directory 'root_fd', which is to be
 * shown there; -1: none is.  'path' is the one from realpath(), 'name' the
 * user's.  False after a message.
 */
bool mount_point_check(const char *path, const char *name, int root_fd);

#endif
