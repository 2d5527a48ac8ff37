/* SPDX-License-Identifier: MIT */
/* The names by which the files of a shelf are shown. */
#ifndef NC3Z_TOOLS_MOUNT_SHELF_NAMES_H
#define NC3Z_TOOLS_MOUNT_SHELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "mount/naming.h"

enum item_kind {
	ITEM_DIRECTORY,
	ITEM_TAR,     /* on a server: a directory once it is opened */
	ITEM_PLAIN,   /* a file that is shown as it is */
	ITEM_ARCHIVE, /* by its name; it is shown decoded */
};

/* A file, and where it is shown. */
struct placed {
	char *path; /* components between single slashes */
	enum item_kind kind;
	char *url;
	size_t number;
	size_t order; /* in which it was added */
};

/* All that were added; zero-initialised they are none. */
struct placed_list {
	struct placed *list;
	size_t count, capacity;
};

void placed_release(struct placed_list *placed);

/* Takes over path and URL, NULL if there is none; 0 or ENOMEM. */
int placed_add(struct placed_list *placed, const struct placed *one);

/*
 * Settles the paths of all, and sorts them by these; false if out of memory, or
 * where there are too many of a name.  'name' is that of the tar they are in,
 * for messages.
 */
bool placed_settle_names(struct placed_list *placed,
			 const struct naming *naming, const char *name);

#endif
