/* SPDX-License-Identifier: MIT */
/* How an archive is told from other files: by its first bytes. */
#ifndef NC3Z_TOOLS_COMMON_ARCHIVE_MAGIC_H
#define NC3Z_TOOLS_COMMON_ARCHIVE_MAGIC_H

#include <stdbool.h>

/*
 * Whether a file begins as an archive does.  It was opened for this, and is
 * closed; -1 stands for one that could not be.
 */
bool archive_magic_check(int fd);

#endif
