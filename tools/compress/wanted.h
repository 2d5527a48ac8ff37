/* SPDX-License-Identifier: MIT */
/* Which files are taken of those that are there. */
#ifndef NC3Z_TOOLS_COMPRESS_WANTED_H
#define NC3Z_TOOLS_COMPRESS_WANTED_H

#include <sys/stat.h>

#include "compress/settings.h"

/*
 * Whether --exclude and --include leave a file or a directory that was found,
 * by its path below the directory that was named.
 */
bool wanted_by_name(const struct settings *settings, const char *path,
		    bool is_directory);

/* Whether a file is old enough for --older-than. */
bool wanted_by_age(const struct settings *settings, const struct stat *stat);

#endif
