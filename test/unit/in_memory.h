/* SPDX-License-Identifier: MIT */
/*
 * Sources and sinks in the memory of a test.  That they can be opened is
 * checked here.
 */
#ifndef UNIT_IN_MEMORY_H
#define UNIT_IN_MEMORY_H

#include "blob.h"
#include "nc3z.h"

/* The bytes must outlive the source. */
struct nc3z_source *memory_source(const void *data, size_t nbytes);

/* As large as it has to be. */
struct nc3z_sink *memory_sink(void);
/* Appends what is in a sink to 'out', and closes the sink. */
void memory_sink_take(struct nc3z_sink *sink, struct blob *out);

/* Appends the archive of a file; nothing, after a failed check, if that fails. */
void memory_pack(const struct blob *file,
		 const struct nc3z_pack_options *options, struct blob *archive);

/* Restores an archive, and appends the original; the status. */
int memory_restore(const struct blob *archive, struct blob *original);

/* A call that reads a copy of just that size and may set an error. */
struct exact_read {
	uint8_t *copy;
	struct nc3z_source *source;
	struct nc3z_error err;
};

void exact_read_begin(struct exact_read *r, const void *data, size_t nbytes);
/* Checks that the error is that of the status, and returns the status. */
int exact_read_end(struct exact_read *r, int status);

#endif
