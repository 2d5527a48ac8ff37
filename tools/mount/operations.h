/* SPDX-License-Identifier: MIT */
/* The kernel's requests to a file system, answered from the tree. */
#ifndef NC3Z_TOOLS_MOUNT_OPERATIONS_H
#define NC3Z_TOOLS_MOUNT_OPERATIONS_H

#include "mount/fuse.h"

/* To be given a struct tree as user data. */
extern const struct fuse_lowlevel_ops operations;

/* Prepares what operations need; 0 or an errno. */
int operations_init(void);

#endif
