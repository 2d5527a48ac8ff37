/* SPDX-License-Identifier: MIT */
/* A list of file names, each ended by a NUL, as "find -print0" writes it. */
#ifndef NC3Z_TOOLS_BATCH_NAME_LIST_H
#define NC3Z_TOOLS_BATCH_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct name_list {
	char *text; /* the names and their NULs; from malloc() */
	size_t nbytes;
};

/*
 * Reads a list whole, "-" from standard input; false after a message.  What
 * wrote it may have been stopped: a name that was cut off may be that of a
 * directory above the file, so such a list is refused as a whole.
 */
bool name_list_read(struct name_list *list, const char *from);

#endif
