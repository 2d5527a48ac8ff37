/* The first bytes of an original, for those who need its header. */
#ifndef NC3Z_READ_RESTORE_H
#define NC3Z_READ_RESTORE_H

#include "base/memory.h"
#include "io/source.h"

/*
 * Restores at least 'nbytes' bytes into 'head', reading the archive from its
 * beginning no further than that takes.  Returns what nc3z_restore() can
 * return.
 */
int restore_head(struct nc3z_source *in, uint64_t nbytes, struct buffer *head,
		 struct nc3z_error *err);

#endif
