/* SPDX-License-Identifier: MIT */
/* How an archive is told from other files: by its first bytes, and its name. */
#ifndef NC3Z_TOOLS_COMMON_ARCHIVE_MAGIC_H
#define NC3Z_TOOLS_COMMON_ARCHIVE_MAGIC_H

#include <stdbool.h>

/* The suffix of archives, unless the user chooses another. */
#define NC3Z_SUFFIX ".nc3z"

/*
 * Whether a file begins as an archive does.  It was opened for this, and is
 * closed; -1 stands for one that could not be.
 */
bool archive_magic_check(int fd);

#endif
