/* The first bytes of an original, for those who need its header. */
#ifndef NC3Z_RESTORE_RESTORE_H
#define NC3Z_RESTORE_RESTORE_H

#include "base/memory.h"
#include "io/source.h"
#include "nc3z.h"

/*
 * Restores at least 'nbytes' bytes into 'head', reading the archive from its
 * beginning no further than that takes.  Returns what nc3z_restore() can
 * return.
 */
int restore_head(struct nc3z_source *in, uint64_t nbytes, struct buffer *head,
		 struct nc3z_error *err);

/*
 * Whether an original that has so many bytes, or more, may be restored;
 * NC3Z_ELIMIT if not.
 */
int restore_check_size(const struct nc3z_restore_options *options,
		       uint64_t nbytes, struct nc3z_error *err);

#endif
