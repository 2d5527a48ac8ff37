/* SPDX-License-Identifier: MIT */
/* The names by which the files of a shelf are shown. */
#ifndef NC3Z_TOOLS_MOUNT_SHELF_NAMES_H
#define NC3Z_TOOLS_MOUNT_SHELF_NAMES_H

#include <string.h>

#include "mount/shelf.h"

/* A file, and where it is shown. */
struct placed {
	char *path; /* components between single slashes */
	enum item_kind kind;
	char *url;
	size_t number;
	size_t order; /* in which it was added */
};

static inline bool shelf_ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

/*
 * Settles the paths of all files that were added, and sorts them by these;
 * false if out of memory, or where there are too many of a name.
 */
bool shelf_settle_names(struct shelf *shelf);

#endif
