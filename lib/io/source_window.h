/* SPDX-License-Identifier: MIT */
/* A part of a source as a source. */
#ifndef NC3Z_IO_SOURCE_WINDOW_H
#define NC3Z_IO_SOURCE_WINDOW_H

#include "io/source.h"

/* Whom the source that the window is in belongs to; 'let_go' may be NULL. */
struct window_owner {
	void *self;
	void (*let_go)(void *self); /* called when the window is closed */
};

/*
 * The bytes of a range, which lies in the source.  The source must stay open
 * until the owner is let go, which is not done if this fails.  NC3Z_ENOMEM.
 */
int source_window_open(struct nc3z_source *in, const struct nc3z_range *range,
		       const struct window_owner *owner,
		       struct nc3z_source **source_ret, struct nc3z_error *err);

/*
 * The same, for reading once from its first byte to its last: all of it is
 * announced now.
 */
int source_window_stream(struct nc3z_source *in, const struct nc3z_range *range,
			 const struct window_owner *owner,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err);

#endif
