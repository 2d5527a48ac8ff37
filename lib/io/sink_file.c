/*
 * Files and pipes as sinks.
 *
 * A path is written to a temporary file beside it: one without a name where
 * the system can make such (O_TMPFILE, so that a killed process leaves
 * nothing), otherwise ".NAME.nc3z-PID.tmp".  Commit synchronises it, gives it
 * its name and synchronises the folder.  link() refuses to replace a file that
 * came into being meanwhile; replacing goes through a second name and
 * rename().
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sink.h"

/* write() takes no more at once on every system. */
#define WRITE_MAX ((size_t)1 << 30)

struct file_sink {
	struct nc3z_sink base;
	int fd;
	char *path;      /* NULL: the caller's descriptor */
	char *folder;    /* of path */
	char *temporary; /* name of the temporary file */
	bool is_named;   /* the temporary file has that name */
	bool replaces;
};

static int file_append(struct nc3z_sink *sink, const void *data, size_t nbytes,
		       struct nc3z_error *err)
{
	struct file_sink *f = (struct file_sink *)sink;
	size_t done = 0;

	while (done < nbytes) {
		size_t left = nbytes - done;
		ssize_t put = write(f->fd, (const char *)data + done,
				    left > WRITE_MAX ? WRITE_MAX : left);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return error_set_system(err, errno, "cannot write");
		done += (size_t)put;
	}
	return NC3Z_OK;
}

static int sync_folder(const char *folder, struct nc3z_error *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed;

	if (fd < 0)
		return error_set_system(err, errno, "cannot open folder");
	/* Some file systems have no such thing; then there is no need. */
	failed = fsync(fd) != 0 && errno != EINVAL;
	close(fd);
	return failed ? error_set_system(err, errno, "cannot sync folder") :
			NC3Z_OK;
}

/* Gives the temporary file a name; false with errno. */
static bool link_as(const struct file_sink *f, const char *name)
{
	char self[64];

	if (f->is_named)
		return link(f->temporary, name) == 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static int name_new(struct file_sink *f, struct nc3z_error *err)
{
	if (!link_as(f, f->path)) {
		if (errno == EEXIST)
			return error_set(err, NC3Z_EEXIST,
					 "output already exists");
		return error_set_system(err, errno, "cannot name output");
	}
	if (f->is_named)
		unlink(f->temporary);
	f->is_named = false;
	return NC3Z_OK;
}

static int name_replacing(struct file_sink *f, struct nc3z_error *err)
{
	if (!f->is_named && !link_as(f, f->temporary))
		return error_set_system(err, errno, "cannot name output");
	f->is_named = true;
	if (rename(f->temporary, f->path) != 0)
		return error_set_system(err, errno, "cannot name output");
	f->is_named = false;
	return NC3Z_OK;
}

static int file_commit(struct nc3z_sink *sink, struct nc3z_error *err)
{
	struct file_sink *f = (struct file_sink *)sink;

	if (!f->path)
		return NC3Z_OK;
	if (fsync(f->fd) != 0)
		return error_set_system(err, errno, "cannot write");
	NC3Z_TRY(f->replaces ? name_replacing(f, err) : name_new(f, err));
	return sync_folder(f->folder, err);
}

static void file_close(struct nc3z_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;

	if (f->is_named)
		unlink(f->temporary);
	if (f->path && f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->folder);
	free(f->temporary);
	free(f);
}

static const struct sink_ops file_ops = {
	.append = file_append,
	.commit = file_commit,
	.close = file_close,
};

int nc3z_sink_open_fd(int fd, struct nc3z_sink **sink_ret,
		      struct nc3z_error *err)
{
	struct file_sink *f = calloc(1, sizeof(*f));

	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->fd = fd;
	*sink_ret = &f->base;
	return NC3Z_OK;
}

/* Fills in path, folder and temporary. */
static bool set_names(struct file_sink *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t folder_nbytes = slash ? (size_t)(slash - path) + 1 : 0;
	size_t size = strlen(path) + 64;

	f->path = strdup(path);
	f->folder = folder_nbytes ? strndup(path, folder_nbytes) : strdup(".");
	f->temporary = malloc(size);
	if (!f->path || !f->folder || !f->temporary)
		return false;
	snprintf(f->temporary, size, "%.*s.%s.nc3z-%ld.tmp", (int)folder_nbytes,
		 path, path + folder_nbytes, (long)getpid());
	return true;
}

static int open_temporary(struct file_sink *f, struct nc3z_error *err)
{
#ifdef O_TMPFILE
	f->fd = open(f->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd >= 0 && access("/proc/self/fd", X_OK) == 0)
		return NC3Z_OK;
	if (f->fd >= 0)
		close(f->fd);
#endif
	f->fd = open(f->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return error_set_system(err, errno, "cannot create output");
	f->is_named = true;
	return NC3Z_OK;
}

static int open_path(struct file_sink *f, const char *path, unsigned mode,
		     struct nc3z_error *err)
{
	struct stat there;

	if (!set_names(f, path))
		return error_set_memory(err);
	if (!f->replaces && lstat(path, &there) == 0)
		return error_set(err, NC3Z_EEXIST, "output already exists");
	NC3Z_TRY(open_temporary(f, err));
	if (fchmod(f->fd, mode & 07777) != 0)
		return error_set_system(err, errno, "cannot set permissions");
	return NC3Z_OK;
}

int nc3z_sink_open_path(const char *path, unsigned flags, unsigned mode,
			struct nc3z_sink **sink_ret, struct nc3z_error *err)
{
	struct file_sink *f = calloc(1, sizeof(*f));
	int status;

	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->fd = -1;
	f->replaces = (flags & NC3Z_SINK_REPLACE) != 0;
	status = open_path(f, path, mode, err);
	if (status != NC3Z_OK)
		file_close(&f->base);
	else
		*sink_ret = &f->base;
	return status;
}
