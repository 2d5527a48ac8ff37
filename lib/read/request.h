/* SPDX-License-Identifier: MIT */
/*
 * One request for values: the visits of a hyperslab, each read once, by one
 * thread or several.  nc3z_get() makes one, an iterator many.
 */
#ifndef NC3Z_READ_REQUEST_H
#define NC3Z_READ_REQUEST_H

#include "classic/unpack.h"
#include "hyperslab/visits.h"
#include "read/file.h"
#include "read/block_store.h"

/* Shared by the threads of a request. */
struct read_request {
	struct nc3z_file *file;
	const struct nc3z_var *var;
	const struct hyperslab_visits *wanted;
	struct values_conversion conversion;
	size_t width;        /* of an external value */
	size_t native_width; /* of one in memory */
	uint8_t *out;
	/* NULL: blocks come through the file's cache. */
	struct block_store *kept;
	/* The rest is its own. */
	bool is_parallel;
	pthread_mutex_t lock; /* if it is parallel, for everything below */
	uint64_t next;        /* position that nobody has taken yet */
	int status;
	uint64_t failed_at;
	struct nc3z_error error;
	bool out_of_range;
	bool truncated;
};

/* The variable and how it is read; NC3Z_ENOTVAR. */
int request_variable(struct read_request *q, struct nc3z_file *file, int varid,
		     struct nc3z_error *err);

/*
 * The type in memory, an enum nc3z_type, which may be NC3Z_UNPACKED.
 * 'unpacking' is filled then and must outlive the request.  NC3Z_EBADTYPE,
 * NC3Z_ECHAR, NC3Z_ELIMIT.
 */
int request_type(struct read_request *q, int memtype,
		 struct values_unpacking *unpacking, struct nc3z_error *err);

/*
 * Checks a slab, whose shape is filled in, and makes 'wanted' of it, which must
 * outlive the request.  Returns what nc3z_get() returns for a bad one.
 */
int request_slab(struct read_request *q, struct hyperslab_request *slab,
		 struct hyperslab_visits *wanted, struct nc3z_error *err);

/* How many threads the request is worth. */
unsigned request_threads(const struct read_request *q);

/*
 * Works the request off, with the help of threads that end with it.  Returns
 * what nc3z_get() returns.
 */
int request_run(struct read_request *q, unsigned nthreads,
		struct nc3z_error *err);

#endif
