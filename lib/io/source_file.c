/* SPDX-License-Identifier: MIT */
/*
 * Files as sources, read by offset from where their descriptor stood.
 * Descriptors that cannot seek are handed on to source_pipe.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/sizes.h"
#include "io/file.h"
#include "io/source_stream.h"
#include "nc3z_tools.h"

struct file_source {
	struct nc3z_source base;
	int fd;
	bool owns_fd;
	/* At the beginning: */
	uint64_t start; /* position of the descriptor */
	struct file_state state;
};

static int read_at(struct nc3z_source *source, uint64_t offset, void *data,
		   size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	struct file_source *f = (struct file_source *)source;
	size_t done = 0;

	while (done < nbytes) {
		ssize_t got = file_read_at(f->fd, (char *)data + done,
					   nbytes - done,
					   f->start + offset + done);

		if (got < 0)
			return error_set_system(err, errno, "cannot read");
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*nbytes_ret = done;
	return NC3Z_OK;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/*
 * Of two statuses with the same size and time of modification: whether bytes
 * may have been written in between all the same.  A time of change alone tells
 * that of a writer who sets the other time back; it also comes with new links
 * and permissions, which are seen.
 */
static bool has_hidden_change(const struct file_state *a,
			      const struct file_state *b)
{
	return !is_same_time(a->changed, b->changed) &&
	       a->nlinks == b->nlinks && a->permissions == b->permissions &&
	       a->owner == b->owner && a->group == b->group;
}

static int check_unchanged(struct nc3z_source *source, struct nc3z_error *err)
{
	struct file_source *f = (struct file_source *)source;
	struct file_state now;

	if (file_inquire(f->fd, &now) != 0)
		return error_set_system(err, errno, "cannot read");
	if (now.nbytes != f->state.nbytes ||
	    !is_same_time(now.modified, f->state.modified) ||
	    has_hidden_change(&f->state, &now))
		return error_set(err, NC3Z_ECHANGED,
				 "file changed while it was read");
	return NC3Z_OK;
}

static void close_file(struct nc3z_source *source)
{
	struct file_source *f = (struct file_source *)source;

	if (f->owns_fd)
		file_close(f->fd);
	free(f);
}

static const struct source_ops file_ops = {
	.read_at = read_at,
	.check_unchanged = check_unchanged,
	.close = close_file,
};

static int open_file(int fd, const struct file_state *state, uint64_t start,
		     struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct file_source *f = calloc(1, sizeof(*f));

	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->base.can_seek = true;
	f->base.size = state->nbytes - size_min(start, state->nbytes);
	f->fd = fd;
	f->start = start;
	f->state = *state;
	*source_ret = &f->base;
	return NC3Z_OK;
}

int source_open_file(int fd, uint64_t size, struct nc3z_source **source_ret,
		     struct nc3z_error *err)
{
	struct file_state state;

	if (file_inquire(fd, &state) != 0)
		return error_set_system(err, errno, "cannot read");
	NC3Z_TRY(open_file(fd, &state, 0, source_ret, err));
	(*source_ret)->size = size;
	return NC3Z_OK;
}

int nc3z_source_open_fd(int fd, struct nc3z_source **source_ret,
			struct nc3z_error *err)
{
	NC3Z_NEED(err, source_ret);

	struct file_state state;
	int64_t start;

	if (file_inquire(fd, &state) != 0)
		return error_set_system(err, errno, "cannot read");
	start = state.kind == FILE_REGULAR ? file_position(fd) : -1;
	return start < 0 ?
		       source_open_pipe(fd, source_ret, err) :
		       open_file(fd, &state, (uint64_t)start, source_ret, err);
}

int nc3z_source_open_path(const char *path, struct nc3z_source **source_ret,
			  struct nc3z_error *err)
{
	int fd = file_open(path);
	struct file_state state;
	int status;

	if (fd < 0)
		return error_set_system(err, errno, "cannot open");
	if (file_inquire(fd, &state) != 0)
		status = error_set_system(err, errno, "cannot read");
	else if (state.kind == FILE_DIRECTORY)
		status = error_set(err, NC3Z_EINVAL, "is a directory");
	else if (state.kind != FILE_REGULAR)
		status = error_set(err, NC3Z_EINVAL, "is not a regular file");
	else
		status = open_file(fd, &state, 0, source_ret, err);
	if (status == NC3Z_OK)
		((struct file_source *)*source_ret)->owns_fd = true;
	else
		file_close(fd);
	return status;
}
