/* SPDX-License-Identifier: MIT */
/* The interface of libfuse, in the version that operations are written for. */
#ifndef NC3Z_TOOLS_MOUNT_FUSE_H
#define NC3Z_TOOLS_MOUNT_FUSE_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#endif
