/* SPDX-License-Identifier: MIT */
/* Looking for the marks that records begin with, a buffer at a time. */
#ifndef NC3Z_SALVAGE_MARKS_H
#define NC3Z_SALVAGE_MARKS_H

#include "io/source.h"

struct salvage_mark_finder {
	struct nc3z_source *source;
	uint8_t *buffer;
	size_t capacity;
	uint64_t offset; /* of the buffer */
	size_t nbytes;
};

int mark_finder_init(struct salvage_mark_finder *f, struct nc3z_source *source,
		     struct nc3z_error *err);
void mark_finder_release(struct salvage_mark_finder *f);

/*
 * Goes to the next mark at or after '*offset'; '*mark_ret' is that of
 * format.h, of which four bytes were compared, or NULL at the end.
 */
int mark_find(struct salvage_mark_finder *f, uint64_t *offset,
	      const char **mark_ret, struct nc3z_error *err);

#endif
