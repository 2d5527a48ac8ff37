/* SPDX-License-Identifier: MIT */
/* Archives of files that a test has in memory, and files opened from there. */
#ifndef READ_PACKED_H
#define READ_PACKED_H

#include <stdbool.h>

#include "blob.h"
#include "nc3z.h"

/* How to pack and open; zero is the default of each. */
struct manner {
	uint32_t block_nbytes;
	const char *chunks; /* NULL: none */
	int level;          /* 0: 1, which is fast */
	int codec;          /* 0: zstd */
	unsigned nthreads;  /* of a request; 0: 1 */
	bool has_no_cache;  /* whatever cache_nbytes is */
	uint64_t cache_nbytes;
	bool ignores_truncation;
};

/* The archive of a file; empty, after a failed check, if that fails. */
struct blob packed_make(const struct blob *file, const struct manner *manner);

/*
 * Opens an archive or a plain file, which must outlive the handle; NULL, after
 * a failed check, if that fails.
 */
struct nc3z_file *packed_open(const struct blob *bytes,
			      const struct manner *manner);

/* The options of a manner. */
struct nc3z_open_options packed_options(const struct manner *manner);

#endif
