/* SPDX-License-Identifier: MIT */
/*
 * Names of files that are written.
 *
 * The temporary file has no name where the system can make such (O_TMPFILE, so
 * that a killed process leaves nothing), otherwise ".NAME.nc3z-tmp".  link()
 * refuses to replace a file that came into being meanwhile; replacing goes
 * through the temporary name and rename().
 *
 * Whoever writes a temporary file holds a lock on it.  A temporary name that
 * is found but not locked was left by a process that was killed; it is
 * removed.
 */
#define _GNU_SOURCE /* O_TMPFILE, renameat2(), syncfs() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sizes.h"
#include "io/sink_file.h"
#include "nc3z_tools.h"

/* A temporary name adds to the name: ".", "-", a hash, the suffix. */
#define TEMPORARY_SUFFIX ".nc3z-tmp"
#define HASH_NDIGITS 16
#define TEMPORARY_NBYTES (1 + 1 + HASH_NDIGITS + sizeof(TEMPORARY_SUFFIX) - 1)

/* So many bytes any file system has for a name; most have 255. */
#define NAME_NBYTES_MIN 64
#define NAME_NBYTES_MAX 255

/* The calls of the system, from the directory that paths begin in. */

static bool is_anywhere(const struct file_sink *f)
{
	return f->dir_fd == AT_FDCWD;
}

static int open_at(const struct file_sink *f, const char *path, int flags)
{
	flags |= O_CLOEXEC;
	return is_anywhere(f) ? open(path, flags, 0600) :
				openat(f->dir_fd, path, flags, 0600);
}

static int stat_at(const struct file_sink *f, const char *path,
		   struct stat *stat_ret)
{
	return is_anywhere(f) ?
		       lstat(path, stat_ret) :
		       fstatat(f->dir_fd, path, stat_ret, AT_SYMLINK_NOFOLLOW);
}

static int unlink_at(const struct file_sink *f, const char *path)
{
	return is_anywhere(f) ? unlink(path) : unlinkat(f->dir_fd, path, 0);
}

static int rename_at(const struct file_sink *f, const char *from,
		     const char *to)
{
	return is_anywhere(f) ? rename(from, to) :
				renameat(f->dir_fd, from, f->dir_fd, to);
}

static uint64_t hash_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

/* How much of a name goes into a temporary name, which has its limit too. */
static size_t name_part_nbytes(const struct file_sink *f, const char *name)
{
	long limit = is_anywhere(f) ? pathconf(f->dir, _PC_NAME_MAX) :
				      fpathconf(f->dir_fd, _PC_NAME_MAX);
	size_t most = limit < NAME_NBYTES_MIN ? NAME_NBYTES_MAX : (size_t)limit;
	size_t n = strlen(name);

	most = (size_t)size_min(most, NAME_NBYTES_MAX) - TEMPORARY_NBYTES;
	if (n <= most)
		return n;
	/* Not within a character: some file systems want UTF-8. */
	while (most > 1 && ((unsigned char)name[most] & 0xc0) == 0x80)
		most--;
	return most;
}

bool sink_set_names(struct file_sink *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t dir_nbytes = slash ? (size_t)(slash - path) + 1 : 0;
	const char *name = path + dir_nbytes;
	size_t size = strlen(path) + TEMPORARY_NBYTES + 1, part;
	char hash[1 + HASH_NDIGITS + 1] = "";

	f->path = strdup(path);
	f->dir = dir_nbytes ? strndup(path, dir_nbytes) : strdup(".");
	f->temporary = malloc(size);
	if (!f->path || !f->dir || !f->temporary)
		return false;
	part = name_part_nbytes(f, name);
	/* Names that begin alike must not have one temporary name. */
	if (name[part] != '\0')
		snprintf(hash, sizeof(hash), "-%016" PRIx64, hash_of(name));
	snprintf(f->temporary, size, "%.*s.%.*s%s" TEMPORARY_SUFFIX,
		 (int)dir_nbytes, path, (int)part, name, hash);
	return true;
}

static const char *temporary_name(const struct file_sink *f)
{
	const char *slash = strrchr(f->temporary, '/');

	return slash ? slash + 1 : f->temporary;
}

/* Something with the temporary name stays where it is. */
static int fail_with_stale(const struct file_sink *f, struct nc3z_error *err)
{
	return error_set(err, NC3Z_EIO,
			 "a temporary file is in the way and cannot be removed "
			 "(%s): %s",
			 strerror(errno), temporary_name(f));
}

/*
 * Opens what has the temporary name, to see whether it is locked; -1 with
 * errno.  Who made it need not be allowed to write to it any more.
 */
static int open_stale(const struct file_sink *f, int *lock_ret)
{
	int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd = open_at(f, f->temporary, O_RDWR | flags);

	*lock_ret = LOCK_EX;
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		/* Some systems give only such locks to those who read. */
		*lock_ret = LOCK_SH;
		fd = open_at(f, f->temporary, O_RDONLY | flags);
	}
	return fd;
}

/* Whether there is such a name; keeps errno. */
static bool is_there(const struct file_sink *f, const char *path)
{
	int sys_errno = errno;
	struct stat stat;
	bool is_there = stat_at(f, path, &stat) == 0 || errno != ENOENT;

	errno = sys_errno;
	return is_there;
}

/*
 * Removes a temporary name that a killed process has left.  NC3Z_EEXIST if its
 * writer is alive; where there are no locks nobody can be known to be.
 * NC3Z_EIO if it cannot be removed.
 */
static int clear_stale(const struct file_sink *f, struct nc3z_error *err)
{
	int lock, fd = open_stale(f, &lock);
	bool is_alive = fd >= 0 && flock(fd, lock | LOCK_NB) != 0 &&
			errno == EWOULDBLOCK;
	bool is_gone = fd < 0 && errno == ENOENT;

	/* A link was made by nobody who writes here. */
	if (fd < 0 && errno == ELOOP)
		is_gone = unlink_at(f, f->temporary) == 0 || errno == ENOENT;
	else if (fd >= 0 && !is_alive)
		is_gone = unlink_at(f, f->temporary) == 0 || errno == ENOENT;
	if (is_alive) {
		close(fd);
		return error_set(
			err, NC3Z_EEXIST,
			"output is being written by another process: wait "
			"for it");
	}
	/* Nothing could be opened: the output will tell why. */
	if (fd < 0 && !is_gone)
		is_gone = !is_there(f, f->temporary);
	if (!is_gone)
		fail_with_stale(f, err);
	if (fd >= 0)
		close(fd);
	return is_gone ? NC3Z_OK : NC3Z_EIO;
}

int sink_check_path(const struct file_sink *f, struct nc3z_error *err)
{
	struct stat there, target;

	if (stat_at(f, f->path, &there) != 0)
		/* No name that is too long, in no directory, is worth work. */
		return errno == ENOENT ?
			       NC3Z_OK :
			       error_set_system(err, errno,
						"cannot create output");
	if (!f->replaces) {
		/* Of a run that was killed once the output had its name. */
		(void)clear_stale(f, NULL);
		return error_set(err, NC3Z_EEXIST, "output already exists");
	}
	if (S_ISLNK(there.st_mode) &&
	    fstatat(f->dir_fd, f->path, &target, 0) == 0 &&
	    !S_ISREG(target.st_mode))
		return error_set(err, NC3Z_EEXIST,
				 "output is a link to something other than a "
				 "regular file");
	if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
		return error_set(err, NC3Z_EEXIST,
				 "output exists and is not a regular file");
	return NC3Z_OK;
}

/* Whether the temporary name is still that of our file. */
static int check_temporary(const struct file_sink *f, struct nc3z_error *err)
{
	struct stat ours, named;

	if (fstat(f->fd, &ours) == 0 && stat_at(f, f->temporary, &named) == 0 &&
	    ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
		return NC3Z_OK;
	return error_set(err, NC3Z_ECHANGED,
			 "temporary file was removed by another process");
}

static int open_named(struct file_sink *f, struct nc3z_error *err)
{
	f->fd = open_at(f, f->temporary, O_CREAT | O_EXCL | O_RDWR);
	if (f->fd < 0)
		return error_set_system(err, errno, "cannot create output");
	f->is_named = true;
	return NC3Z_OK;
}

int sink_open_temporary(struct file_sink *f, struct nc3z_error *err)
{
	struct nc3z_error stale = { 0 };
	int status = clear_stale(f, &stale);

	/* A file without a name may do without this one to the end. */
	if (status == NC3Z_EEXIST || (status != NC3Z_OK && f->replaces)) {
		if (err)
			*err = stale;
		return status;
	}
#ifdef O_TMPFILE
	f->fd = open_at(f, f->dir, O_TMPFILE | O_RDWR);
	if (f->fd >= 0 && access("/proc/self/fd", X_OK) != 0) {
		close(f->fd);
		f->fd = -1;
	}
#endif
	if (f->fd < 0 && status != NC3Z_OK && err)
		*err = stale;
	if (f->fd < 0)
		NC3Z_TRY(status != NC3Z_OK ? status : open_named(f, err));
	/* Some file systems have no locks: then nobody else has one. */
	(void)!flock(f->fd, LOCK_EX | LOCK_NB);
	return f->is_named ? check_temporary(f, err) : NC3Z_OK;
}

void sink_drop_temporary(const struct file_sink *f)
{
	if (f->is_named)
		unlink_at(f, f->temporary);
}

/* Gives a file without a name one; false with errno. */
static bool link_unnamed(const struct file_sink *f, const char *name)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, f->dir_fd, name, AT_SYMLINK_FOLLOW) == 0;
}

/* How file systems without links, or without that call, say so. */
static bool is_lacking(int sys_errno)
{
	return sys_errno == EPERM || sys_errno == EOPNOTSUPP ||
	       sys_errno == ENOSYS || sys_errno == EMLINK ||
	       sys_errno == EINVAL || sys_errno == EIO;
}

int nc3z_rename_new(int dir_fd, const char *from, const char *to)
{
	struct stat there;

	if (linkat(dir_fd, from, dir_fd, to, 0) == 0) {
		unlinkat(dir_fd, from, 0);
		return 0;
	}
	if (!is_lacking(errno))
		return -1;
#ifdef RENAME_NOREPLACE
	if (renameat2(dir_fd, from, dir_fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (!is_lacking(errno))
		return -1;
#endif
	if (fstatat(dir_fd, to, &there, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(dir_fd, from, dir_fd, to);
}

static int name_new(struct file_sink *f, struct nc3z_error *err)
{
	bool done;

	if (f->is_named)
		NC3Z_TRY(check_temporary(f, err));
	done = f->is_named ?
		       nc3z_rename_new(f->dir_fd, f->temporary, f->path) == 0 :
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
		NC3Z_TRY(clear_stale(f, err));
		if (!link_unnamed(f, f->temporary))
			return errno == EEXIST ?
				       fail_with_stale(f, err) :
				       error_set_system(err, errno,
							"cannot name output");
		f->is_named = true;
	}
	NC3Z_TRY(check_temporary(f, err));
	if (rename_at(f, f->temporary, f->path) != 0)
		return error_set_system(err, errno, "cannot name output");
	f->is_named = false;
	return NC3Z_OK;
}

static int sync_dir(const struct file_sink *f, struct nc3z_error *err)
{
	int fd = open_at(f, f->dir, O_RDONLY | O_DIRECTORY);
	bool failed;

	/* Who may write to a directory may still not be allowed to open it. */
	if (fd < 0 && errno == EACCES)
		return syncfs(f->fd) == 0 ?
			       NC3Z_OK :
			       error_set_system(err, errno,
						"cannot sync directory");
	if (fd < 0)
		return error_set_system(err, errno, "cannot open directory");
	/* Some file systems have no such thing; then there is no need. */
	failed = fsync(fd) != 0 && errno != EINVAL;
	close(fd);
	return failed ? error_set_system(err, errno, "cannot sync directory") :
			NC3Z_OK;
}

int sink_give_name(struct file_sink *f, struct nc3z_error *err)
{
	NC3Z_TRY(f->replaces ? name_replacing(f, err) : name_new(f, err));
	return sync_dir(f, err);
}
