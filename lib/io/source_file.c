/* SPDX-License-Identifier: MIT */
/*
 * Files as sources, read with pread() from where their descriptor stood.
 * Descriptors that cannot seek are handed on to source_pipe.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sizes.h"
#include "io/source_stream.h"

/* pread() takes no more at once on every system. */
#define READ_MAX ((size_t)1 << 30)

struct file_source {
	struct nc3z_source base;
	int fd;
	bool owns_fd;
	uint64_t start;   /* position of the descriptor at the beginning */
	struct stat stat; /* at the beginning */
};

static int file_read_at(struct nc3z_source *source, uint64_t offset, void *data,
			size_t nbytes, size_t *nbytes_ret,
			struct nc3z_error *err)
{
	struct file_source *f = (struct file_source *)source;
	size_t done = 0;

	while (done < nbytes) {
		size_t left = nbytes - done;
		ssize_t got = pread(f->fd, (char *)data + done,
				    left > READ_MAX ? READ_MAX : left,
				    (off_t)(f->start + offset + done));

		if (got < 0 && errno == EINTR)
			continue;
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
static bool has_hidden_change(const struct stat *a, const struct stat *b)
{
	return !is_same_time(a->st_ctim, b->st_ctim) &&
	       a->st_nlink == b->st_nlink && a->st_mode == b->st_mode &&
	       a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static int file_check_unchanged(struct nc3z_source *source,
				struct nc3z_error *err)
{
	struct file_source *f = (struct file_source *)source;
	struct stat now;

	if (fstat(f->fd, &now) != 0)
		return error_set_system(err, errno, "cannot read");
	if (now.st_size != f->stat.st_size ||
	    !is_same_time(now.st_mtim, f->stat.st_mtim) ||
	    has_hidden_change(&f->stat, &now))
		return error_set(err, NC3Z_ECHANGED,
				 "file changed while it was read");
	return NC3Z_OK;
}

static void file_close(struct nc3z_source *source)
{
	struct file_source *f = (struct file_source *)source;

	if (f->owns_fd)
		close(f->fd);
	free(f);
}

static const struct source_ops file_ops = {
	.read_at = file_read_at,
	.check_unchanged = file_check_unchanged,
	.close = file_close,
};

static int open_file(int fd, const struct stat *stat, uint64_t start,
		     struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct file_source *f = calloc(1, sizeof(*f));
	uint64_t size = (uint64_t)stat->st_size;

	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->base.can_seek = true;
	f->base.size = size - size_min(start, size);
	f->fd = fd;
	f->start = start;
	f->stat = *stat;
	*source_ret = &f->base;
	return NC3Z_OK;
}

int source_open_file(int fd, uint64_t size, struct nc3z_source **source_ret,
		     struct nc3z_error *err)
{
	struct stat stat;

	if (fstat(fd, &stat) != 0)
		return error_set_system(err, errno, "cannot read");
	NC3Z_TRY(open_file(fd, &stat, 0, source_ret, err));
	(*source_ret)->size = size;
	return NC3Z_OK;
}

int nc3z_source_open_fd(int fd, struct nc3z_source **source_ret,
			struct nc3z_error *err)
{
	struct stat stat;
	off_t start;

	if (fstat(fd, &stat) != 0)
		return error_set_system(err, errno, "cannot read");
	start = S_ISREG(stat.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
	return start < 0 ?
		       source_open_pipe(fd, source_ret, err) :
		       open_file(fd, &stat, (uint64_t)start, source_ret, err);
}

int nc3z_source_open_path(const char *path, struct nc3z_source **source_ret,
			  struct nc3z_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	int status;

	if (fd < 0)
		return error_set_system(err, errno, "cannot open");
	if (fstat(fd, &stat) != 0)
		status = error_set_system(err, errno, "cannot read");
	else if (S_ISDIR(stat.st_mode))
		status = error_set(err, NC3Z_EINVAL, "is a directory");
	else if (!S_ISREG(stat.st_mode))
		status = error_set(err, NC3Z_EINVAL, "is not a regular file");
	else
		status = open_file(fd, &stat, 0, source_ret, err);
	if (status == NC3Z_OK)
		((struct file_source *)*source_ret)->owns_fd = true;
	else
		close(fd);
	return status;
}
