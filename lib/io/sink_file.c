/* SPDX-License-Identifier: MIT */
/*
 * Files and pipes as sinks.
 *
 * A path is written to a temporary file beside it.  Commit synchronises it,
 * gives it its name and synchronises the directory (sink_name.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/sink_file.h"
#include "io/source_stream.h"
#include "nc3z_tools.h"

static int file_append(struct nc3z_sink *sink, const void *data, size_t nbytes,
		       struct nc3z_error *err)
{
	return sink_file_write_at(sink, sink->position, data, nbytes, err);
}

static int file_open_source(struct nc3z_sink *sink,
			    struct nc3z_source **source_ret,
			    struct nc3z_error *err)
{
	const struct file_sink *f = (const struct file_sink *)sink;

	NC3Z_TRY(sink_file_set_length(f, err));
	return source_open_file(f->fd, sink->position, source_ret, err);
}

static int file_sync(struct file_sink *f, struct nc3z_error *err)
{
	if (!f->path || f->is_synced)
		return NC3Z_OK;
	NC3Z_TRY(sink_file_set_length(f, err));
	NC3Z_TRY(sink_set_attributes(f, err));
	if (fsync(f->fd) != 0)
		return error_set_output(err, errno, "cannot write output");
	f->is_synced = true;
	return NC3Z_OK;
}

static int file_commit(struct nc3z_sink *sink, struct nc3z_error *err)
{
	struct file_sink *f = (struct file_sink *)sink;

	NC3Z_TRY(file_sync(f, err));
	return f->path ? sink_give_name(f, err) : NC3Z_OK;
}

static void file_close(struct nc3z_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;

	sink_drop_temporary(f);
	if (f->path && f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->dir);
	free(f->temporary);
	free(f);
}

static const struct sink_ops file_ops = {
	.append = file_append,
	.write_at = sink_file_write_at,
	.open_source = file_open_source,
	.commit = file_commit,
	.close = file_close,
};

struct file_sink *sink_as_file(struct nc3z_sink *sink)
{
	return sink->ops == &file_ops ? (struct file_sink *)sink : NULL;
}

int nc3z_sink_open_fd(int fd, struct nc3z_sink **sink_ret,
		      struct nc3z_error *err)
{
	NC3Z_NEED(err, sink_ret);

	struct file_sink *f = calloc(1, sizeof(*f));

	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->fd = fd;
	f->like_fd = -1;
	*sink_ret = &f->base;
	return NC3Z_OK;
}

static int open_path(struct file_sink *f, const char *path, unsigned mode,
		     struct nc3z_error *err)
{
	if (!sink_set_names(f, path))
		return error_set_memory(err);
	f->mode = mode & 0777;
	NC3Z_TRY(sink_check_path(f, err));
	NC3Z_TRY(sink_open_temporary(f, err));
	return f->is_private ? sink_remove_access_list(f, err) : NC3Z_OK;
}

int nc3z_sink_open_at(int dir_fd, const char *path, unsigned flags,
		      unsigned mode, struct nc3z_sink **sink_ret,
		      struct nc3z_error *err)
{
	const unsigned known = NC3Z_SINK_REPLACE | NC3Z_SINK_SPARSE |
			       NC3Z_SINK_PRIVATE;
	struct file_sink *f;
	int status;

	if ((flags & ~known) != 0)
		return error_set(err, NC3Z_EINVAL, "unknown flags %#x",
				 flags & ~known);
	f = calloc(1, sizeof(*f));
	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->base.has_places = true;
	f->fd = -1;
	f->dir_fd = dir_fd;
	f->like_fd = -1;
	f->is_private = (flags & NC3Z_SINK_PRIVATE) != 0;
	f->replaces = (flags & NC3Z_SINK_REPLACE) != 0;
	f->is_sparse = (flags & NC3Z_SINK_SPARSE) != 0;
	status = open_path(f, path, mode, err);
	if (status != NC3Z_OK)
		file_close(&f->base);
	else
		*sink_ret = &f->base;
	return status;
}

int nc3z_sink_open_path(const char *path, unsigned flags, unsigned mode,
			struct nc3z_sink **sink_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, path && sink_ret);
	return nc3z_sink_open_at(AT_FDCWD, path, flags, mode, sink_ret, err);
}

int nc3z_sink_sync(struct nc3z_sink *sink, struct nc3z_error *err)
{
	struct file_sink *f = sink_as_file(sink);

	return f ? file_sync(f, err) : NC3Z_OK;
}

const char *nc3z_sink_temporary(const struct nc3z_sink *sink)
{
	const struct file_sink *f = (const struct file_sink *)sink;

	return sink->ops == &file_ops && f->is_named ? f->temporary : NULL;
}
