/* SPDX-License-Identifier: MIT */
/*
 * Reading ahead for those who go forward through a file.
 *
 * Most programs ask for one record after the other, of one variable or of all
 * in turn, or for the bytes of the original in their order, and work on each
 * before they ask for the next.  Meanwhile the file's workers decode the
 * blocks that come next into the cache.
 */
#ifndef NC3Z_READ_AHEAD_H
#define NC3Z_READ_AHEAD_H

#include "hyperslab/hyperslab.h"
#include "read/file.h"

/*
 * For one file, whose cache and map are there; NULL if out of memory.
 * 'max_nbytes' bounds what is decoded ahead, or it is one block of each
 * variable that is being read.
 */
struct ahead *ahead_new(struct nc3z_file *file, uint64_t max_nbytes);

/* The file's workers have ended.  NULL is allowed. */
void ahead_free(struct ahead *ahead);

/* For workers_new(): decodes a block that waits, if one does. */
void ahead_decode(void *file);

/*
 * These values, or bytes of the original, are about to be read.  By any number
 * of threads.
 */
void ahead_note_values(struct nc3z_file *file, int varid,
		       const struct hyperslab_request *slab);
void ahead_note_bytes(struct nc3z_file *file, uint64_t offset, uint64_t nbytes);

#endif
