/* Archives of files with tiles in them. */
#ifndef READ_TILED_H
#define READ_TILED_H

#include "blob.h"

/*
 * The archive of a file, in which streams of one variable without padding have
 * tiles of random lengths; empty, after a failed check, if that fails.  '*n_ret'
 * is the number of tiled streams.
 */
struct blob tiled_make(const struct blob *file, uint64_t *seed,
		       uint32_t *n_ret);

#endif
