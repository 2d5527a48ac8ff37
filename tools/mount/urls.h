/* SPDX-License-Identifier: MIT */
/* The items that a command line names by URLs. */
#ifndef NC3Z_TOOLS_MOUNT_URLS_H
#define NC3Z_TOOLS_MOUNT_URLS_H

#include "mount/mount_settings.h"
#include "mount/shelf.h"

/* A shelf of all URLs; NULL after a message.  Nothing is fetched. */
struct shelf *urls_collect(const struct mount_settings *settings);

#endif
