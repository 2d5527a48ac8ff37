/* SPDX-License-Identifier: MIT */
/*
 * Where bytes go: the struct nc3z_sink of the public interface seen from
 * inside.  Bytes are appended or, where that is possible, each is written once
 * at its place; nothing is ever changed.
 */
#ifndef NC3Z_IO_SINK_H
#define NC3Z_IO_SINK_H

#include <stdbool.h>

#include "base/status.h"

struct sha256;

struct nc3z_sink {
	const struct sink_ops *ops;
	struct sha256 *hash; /* of the bytes appended, or NULL */
	uint64_t position;   /* bytes appended so far */
	/* Whether bytes can be written at their places, and be read back. */
	bool has_places;
};

struct sink_ops {
	/* All bytes or an error: NC3Z_EIO, NC3Z_ENOMEM, NC3Z_ELIMIT. */
	int (*append)(struct nc3z_sink *sink, const void *data, size_t nbytes,
		      struct nc3z_error *err);
	/* For sinks that have places; otherwise as append. */
	int (*write_at)(struct nc3z_sink *sink, uint64_t offset,
			const void *data, size_t nbytes,
			struct nc3z_error *err);
	/* What was written so far, of those. */
	int (*open_source)(struct nc3z_sink *sink,
			   struct nc3z_source **source_ret,
			   struct nc3z_error *err);
	int (*commit)(struct nc3z_sink *sink, struct nc3z_error *err);
	void (*close)(struct nc3z_sink *sink);
};

/* sink.c */
int sink_append(struct nc3z_sink *sink, const void *data, size_t nbytes,
		struct nc3z_error *err);

/*
 * Writes bytes at their place.  A sink is either appended to or written so;
 * when all bytes are there, sink_end() says how many they are.
 */
int sink_write_at(struct nc3z_sink *sink, uint64_t offset, const void *data,
		  size_t nbytes, struct nc3z_error *err);
void sink_end(struct nc3z_sink *sink, uint64_t nbytes);

/* NC3Z_EINVAL if a job has written to it: a sink takes one. */
int sink_check_unused(const struct nc3z_sink *sink, struct nc3z_error *err);

/*
 * A file gets the time and, of the permissions in its mode, those of the member
 * of a tar that the source is, if it is one.
 */
void sink_take_after(struct nc3z_sink *sink, const struct nc3z_source *source);

#endif
