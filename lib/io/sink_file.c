/*
 * Files and pipes as sinks.
 *
 * A path is written to a temporary file beside it: one without a name where
 * the system can make such (O_TMPFILE, so that a killed process leaves
 * nothing), otherwise ".NAME.nc3z-tmp".  Commit synchronises it, gives it its
 * name and synchronises the folder.  link() refuses to replace a file that
 * came into being meanwhile; replacing goes through the temporary name and
 * rename().
 *
 * Whoever writes a temporary file holds a lock on it.  A temporary name that
 * is found but not locked was left by a process that was killed; it is
 * removed.
 */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sink_file.h"
#include "io/source_stream.h"

/* So much of a name goes into a temporary name, which has its limit too. */
#define NAME_PART_MAX 200

static int file_append(struct nc3z_sink *sink, const void *data, size_t nbytes,
		       struct nc3z_error *err)
{
	return sink_file_write_at(sink, sink->position, data, nbytes, err);
}

static int sync_folder(const char *folder, struct nc3z_error *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool failed;

	/* Who may write to a folder may still not be allowed to open it. */
	if (fd < 0)
		return errno == EACCES ? NC3Z_OK :
					 error_set_system(err, errno,
							  "cannot open folder");
	/* Some file systems have no such thing; then there is no need. */
	failed = fsync(fd) != 0 && errno != EINVAL;
	close(fd);
	return failed ? error_set_system(err, errno, "cannot sync folder") :
			NC3Z_OK;
}

/*
 * Removes a temporary name that a killed process has left.  NC3Z_EEXIST if its
 * writer is alive; where there are no locks nobody can be known to be.
 */
static int clear_stale(const char *temporary, struct nc3z_error *err)
{
	int fd = open(temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool is_alive = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
			errno == EWOULDBLOCK;

	if (fd >= 0 && !is_alive)
		unlink(temporary);
	if (fd >= 0)
		close(fd);
	return is_alive ? error_set(err, NC3Z_EEXIST,
				    "output is being written by another "
				    "process") :
			  NC3Z_OK;
}

/* Whether the temporary name is still that of our file. */
static int check_temporary(const struct file_sink *f, struct nc3z_error *err)
{
	struct stat ours, named;

	if (fstat(f->fd, &ours) == 0 && lstat(f->temporary, &named) == 0 &&
	    ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
		return NC3Z_OK;
	return error_set(err, NC3Z_ECHANGED,
			 "temporary file was taken away by another process");
}

/* Gives a file without a name one; false with errno. */
static bool link_unnamed(const struct file_sink *f, const char *name)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Renames without replacing; false with errno. */
static bool rename_new(const char *from, const char *to)
{
	struct stat there;

	if (link(from, to) == 0) {
		unlink(from);
		return true;
	}
	/* Some file systems have no links. */
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return false;
	if (lstat(to, &there) == 0) {
		errno = EEXIST;
		return false;
	}
	return rename(from, to) == 0;
}

static int name_new(struct file_sink *f, struct nc3z_error *err)
{
	bool done;

	if (f->is_named)
		NC3Z_TRY(check_temporary(f, err));
	done = f->is_named ? rename_new(f->temporary, f->path) :
			     link_unnamed(f, f->path);
	if (!done && errno == EEXIST)
		return error_set(err, NC3Z_EEXIST, "output already exists");
	if (!done)
		return error_set_system(err, errno, "cannot name output");
	f->is_named = false;
	return NC3Z_OK;
}

static int name_replacing(struct file_sink *f, struct nc3z_error *err)
{
	if (!f->is_named) {
		NC3Z_TRY(clear_stale(f->temporary, err));
		if (!link_unnamed(f, f->temporary))
			return error_set_system(err, errno,
						"cannot name output");
		f->is_named = true;
	}
	NC3Z_TRY(check_temporary(f, err));
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
	NC3Z_TRY(sink_file_set_length(f, err));
	NC3Z_TRY(sink_set_attributes(f, err));
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
	free(f->like);
	free(f);
}

static const struct sink_ops file_ops = {
	.append = file_append,
	.write_at = sink_file_write_at,
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
	size_t size = strlen(path) + 32;

	f->path = strdup(path);
	f->folder = folder_nbytes ? strndup(path, folder_nbytes) : strdup(".");
	f->temporary = malloc(size);
	if (!f->path || !f->folder || !f->temporary)
		return false;
	snprintf(f->temporary, size, "%.*s.%.*s.nc3z-tmp", (int)folder_nbytes,
		 path, NAME_PART_MAX, path + folder_nbytes);
	return true;
}

static int open_named(struct file_sink *f, struct nc3z_error *err)
{
	f->fd = open(f->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return error_set_system(err, errno, "cannot create output");
	f->is_named = true;
	return NC3Z_OK;
}

static int open_temporary(struct file_sink *f, struct nc3z_error *err)
{
	NC3Z_TRY(clear_stale(f->temporary, err));
#ifdef O_TMPFILE
	f->fd = open(f->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd >= 0 && access("/proc/self/fd", X_OK) != 0) {
		close(f->fd);
		f->fd = -1;
	}
#endif
	if (f->fd < 0)
		NC3Z_TRY(open_named(f, err));
	/* Some file systems have no locks: then nobody else has one. */
	(void)!flock(f->fd, LOCK_EX | LOCK_NB);
	return f->is_named ? check_temporary(f, err) : NC3Z_OK;
}

static int open_path(struct file_sink *f, const char *path, unsigned mode,
		     struct nc3z_error *err)
{
	struct stat there;

	if (!set_names(f, path))
		return error_set_memory(err);
	f->mode = mode & 0777;
	if (lstat(path, &there) == 0) {
		if (!f->replaces)
			return error_set(err, NC3Z_EEXIST,
					 "output already exists");
		if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
			return error_set(err, NC3Z_EEXIST,
					 "output exists and is not a regular "
					 "file");
	}
	return open_temporary(f, err);
}

int nc3z_sink_open_path(const char *path, unsigned flags, unsigned mode,
			struct nc3z_sink **sink_ret, struct nc3z_error *err)
{
	struct file_sink *f = calloc(1, sizeof(*f));
	int status;

	if (!f)
		return error_set_memory(err);
	f->base.ops = &file_ops;
	f->base.has_places = true;
	f->fd = -1;
	f->replaces = (flags & NC3Z_SINK_REPLACE) != 0;
	f->is_sparse = (flags & NC3Z_SINK_SPARSE) != 0;
	status = open_path(f, path, mode, err);
	if (status != NC3Z_OK)
		file_close(&f->base);
	else
		*sink_ret = &f->base;
	return status;
}

const char *nc3z_sink_temporary(const struct nc3z_sink *sink)
{
	const struct file_sink *f = (const struct file_sink *)sink;

	return sink->ops == &file_ops && f->is_named ? f->temporary : NULL;
}

int nc3z_source_open_sink(struct nc3z_sink *sink,
			  struct nc3z_source **source_ret,
			  struct nc3z_error *err)
{
	const struct file_sink *f = sink_as_file(sink);

	if (!f || !f->path)
		return error_set(err, NC3Z_EINVAL,
				 "output cannot be read back");
	NC3Z_TRY(sink_file_set_length(f, err));
	return source_open_file(f->fd, sink->position, source_ret, err);
}
