/* SPDX-License-Identifier: MIT */
/* The names that are shown of a directory, one after the other. */
#ifndef NC3Z_TOOLS_MOUNT_LISTING_H
#define NC3Z_TOOLS_MOUNT_LISTING_H

#include <limits.h>

#include "mount/tree.h"

struct listing;

struct listed {
	char name[NAME_MAX + 1]; /* as it is shown */
	const char *entry;       /* valid until the listing moves */
	struct shown shown;
	bool has_node; /* not "." or "..", nor what cannot be looked at */
	long next;     /* offset after it */
};

/* Opens a dir; 0 or an errno. */
int listing_open(struct tree *tree, struct node *dir,
		 struct listing **listing_ret);

/* NULL is allowed. */
void listing_close(struct listing *listing);

/* Goes to an offset: 0, or a 'next' of this listing. */
void listing_seek(struct listing *listing, long offset);

/*
 * The name that is shown next.  Does not move; listing_move() does.  0, an
 * errno, or -1 at the end.
 */
int listing_peek(struct listing *listing, struct listed *listed_ret);
void listing_move(struct listing *listing);

/* The descriptor of the dir; -1 if its entries are items. */
int listing_fd(const struct listing *listing);

#endif
