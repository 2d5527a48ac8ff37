/* SPDX-License-Identifier: MIT */
/* A file as a sink, seen by the files of this directory that deal with it. */
#ifndef NC3Z_IO_SINK_FILE_H
#define NC3Z_IO_SINK_FILE_H

#include "io/sink.h"
#include "io/source.h"

struct file_sink {
	struct nc3z_sink base;
	int fd;
	int dir_fd;      /* paths begin there, or AT_FDCWD; the caller's */
	char *path;      /* NULL: the caller's descriptor */
	char *dir;       /* of path */
	char *temporary; /* name of the temporary file if it has one */
	int like_fd;     /* whose attributes are taken over, or -1; caller's */
	unsigned mode;   /* permissions, from commit on */
	struct source_member member; /* whose attributes these are, else */
	bool is_named;               /* the temporary file has that name */
	bool is_synced; /* attributes are set, all is on disk but the name */
	bool is_private;
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

/* sink_name.c */

/* Fills in path, directory and temporary; false if out of memory. */
bool sink_set_names(struct file_sink *f, const char *path);

/* NC3Z_EEXIST if something is there that must not be replaced. */
int sink_check_path(const struct file_sink *f, struct nc3z_error *err);

/* Opens the temporary file and locks it. */
int sink_open_temporary(struct file_sink *f, struct nc3z_error *err);

/* Gives the file its name and synchronises the directory. */
int sink_give_name(struct file_sink *f, struct nc3z_error *err);

/* Removes the temporary name if there is one. */
void sink_drop_temporary(const struct file_sink *f);

/* sink_attributes.c */

/* Gives the file its mode, or the attributes of 'like_fd' or a member. */
int sink_set_attributes(const struct file_sink *f, struct nc3z_error *err);

/* Takes off the access list that a directory gives to new files. */
int sink_remove_access_list(const struct file_sink *f, struct nc3z_error *err);

#endif
