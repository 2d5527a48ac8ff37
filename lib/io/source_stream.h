/* SPDX-License-Identifier: MIT */
/*
 * Sources that are read in order: pipes, and what a decompressor gives.  The
 * last bytes are kept, so that a reader may look at a few and then read them
 * again with what follows.
 */
#ifndef NC3Z_IO_SOURCE_STREAM_H
#define NC3Z_IO_SOURCE_STREAM_H

#include "io/source.h"

/* Where a stream's bytes come from. */
struct stream_origin {
	/*
	 * The next bytes, at least one and at most 'nbytes'; none only at the
	 * end.
	 */
	int (*read)(void *self, void *data, size_t nbytes, size_t *nbytes_ret,
		    struct nc3z_error *err);
	int (*check_unchanged)(void *self, struct nc3z_error *err);
	void (*close)(void *self);
};

/* Makes a source; 'self' is closed with it, not if this fails. */
int source_open_stream(const struct stream_origin *origin, void *self,
		       struct nc3z_source **source_ret, struct nc3z_error *err);

/* source_pipe.c: a descriptor that stays the caller's. */
int source_open_pipe(int fd, struct nc3z_source **source_ret,
		     struct nc3z_error *err);

/*
 * source_file.c: the first 'size' bytes of a regular file, whose descriptor
 * stays the caller's.
 */
int source_open_file(int fd, uint64_t size, struct nc3z_source **source_ret,
		     struct nc3z_error *err);

#endif
