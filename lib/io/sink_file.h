/* A file as a sink, seen by the files of this folder that deal with it. */
#ifndef NC3Z_IO_SINK_FILE_H
#define NC3Z_IO_SINK_FILE_H

#include "io/sink.h"

struct file_sink {
	struct nc3z_sink base;
	int fd;
	char *path;      /* NULL: the caller's descriptor */
	char *folder;    /* of path */
	char *temporary; /* name of the temporary file if it has one */
	char *like;      /* a file whose attributes are taken over, or NULL */
	unsigned mode;   /* permissions, from commit on */
	bool is_named;   /* the temporary file has that name */
	bool replaces;
	bool is_sparse;
};

/* NULL for sinks that are no files. */
struct file_sink *sink_as_file(struct nc3z_sink *sink);

/* sink_place.c */

/* Writes at an offset, in sparse files only what is not zero. */
int sink_file_write_at(struct nc3z_sink *sink, uint64_t offset,
		       const void *data, size_t nbytes, struct nc3z_error *err);

/* A hole at the end is only there once the file is that long. */
int sink_file_set_length(const struct file_sink *f, struct nc3z_error *err);

/* sink_attributes.c: gives the file its mode, or the attributes of 'like'. */
int sink_set_attributes(const struct file_sink *f, struct nc3z_error *err);

#endif
