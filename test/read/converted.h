/* SPDX-License-Identifier: MIT */
/* Archives packed and converted in memory, for tests of conversion. */
#ifndef READ_CONVERTED_H
#define READ_CONVERTED_H

#include "blob.h"
#include "nc3z.h"

/* How an archive is laid out; zero is the default of each. */
struct way {
	const char *chunks[2]; /* NULL: none */
	uint32_t block_nbytes;
	int level; /* 0: 1, which is fast */
	int codec; /* 0: zstd */
	uint64_t max_memory_nbytes;
	unsigned nthreads; /* 0: 1 */
};

/* For nc3z_pack() and nc3z_convert(); points into 'way'. */
struct nc3z_pack_options way_options(const struct way *way);

/* The archive of a file; empty if that fails, with the status. */
struct blob way_pack(const struct blob *file, const struct way *way,
		     int *status_ret);

/*
 * The archive converted; empty if that fails, with the status.  A way without
 * block size keeps that of the archive.  'conversion_ret' may be NULL.
 */
struct blob way_convert(const struct blob *archive, const struct way *way,
			struct nc3z_conversion *conversion_ret,
			int *status_ret);

/* What nc3z_plan_conversion() says. */
int way_plan(const struct blob *archive, const struct way *way,
	     struct nc3z_conversion *conversion_ret);

#endif
