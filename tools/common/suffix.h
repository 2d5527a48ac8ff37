/* SPDX-License-Identifier: MIT */
/* Kinds of files, told by the ends of their names. */
#ifndef NC3Z_TOOLS_COMMON_SUFFIX_H
#define NC3Z_TOOLS_COMMON_SUFFIX_H

#include <stdbool.h>
#include <string.h>

/* The suffix of archives, unless the user chooses another. */
#define NC3Z_SUFFIX ".nc3z"

/* No name is longer. */
#define SUFFIX_NBYTES_MAX 255

/* Of classic files, and of what nc3convert makes of them. */
#define CLASSIC_SUFFIX ".nc"
#define NETCDF4_SUFFIX ".nc4"

/* Whether the last part of a path ends in a suffix, after something else. */
static inline bool file_has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && path[n - m - 1] != '/' &&
	       strcmp(path + n - m, suffix) == 0;
}

#endif
