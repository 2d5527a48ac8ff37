/* SPDX-License-Identifier: MIT */
/*
 * A file that can be read by all in a directory that only one can enter is
 * his: the directories of the mirror are as closed as those of the tree.
 *
 * Inputs are removed once their outputs are on disk, so directories that are
 * made have to be there, too, before anybody finds them.
 */
#define _GNU_SOURCE /* O_PATH */
#include "batch/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/sync.h"

/* Who finds a directory that another thread makes waits until it is on disk. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Keeps errno. */
static int fail_with(int fd)
{
	int sys_errno = errno;

	close(fd);
	errno = sys_errno;
	return -1;
}

static int open_directory(const char *path)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = open(path, flags);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = open(path, flags);
	return fd < 0 || sync_directory(fd, "..", fd) == 0 ? fd : fail_with(fd);
}

/* As for files, whose owner or group cannot be kept: nobody gets more. */
static int set_attributes(int fd, const struct stat *like)
{
	mode_t owner = like->st_mode >> 6 & 07, group = like->st_mode >> 3 & 07;
	mode_t other = like->st_mode & 07, inherits = like->st_mode & S_ISGID;

	(void)!fremovexattr(fd, "system.posix_acl_access");
	(void)!fremovexattr(fd, "system.posix_acl_default");
	if (fchown(fd, (uid_t)-1, like->st_gid) != 0) {
		group = other = group & other;
		inherits = 0;
	}
	if (fchown(fd, like->st_uid, (gid_t)-1) != 0) {
		group &= owner;
		other &= owner;
	}
	/* The files have to get in. */
	return fchmod(fd, inherits | owner << 6 | group << 3 | other | 0300);
}

/* The directory of a name, made like that of 'like_fd', or as mkdir(1) does. */
static int open_entry(int directory_fd, const char *name, int like_fd)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(directory_fd, name, flags);
	struct stat like;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (like_fd >= 0 && fstat(like_fd, &like) != 0)
		return -1;
	if (mkdirat(directory_fd, name, like_fd >= 0 ? 0700 : 0777) != 0)
		return errno == EEXIST ? openat(directory_fd, name, flags) : -1;
	fd = openat(directory_fd, name, flags);
	if (fd >= 0 && ((like_fd >= 0 && set_attributes(fd, &like) != 0) ||
			sync_directory(directory_fd, ".", fd) != 0))
		return fail_with(fd);
	return fd;
}

/* Goes one directory down, in both trees if there are two. */
static bool step_down(int *fd, int *like_fd, const char *name)
{
	int like = *like_fd < 0 ? -1 :
				  openat(*like_fd, name,
					 O_PATH | O_DIRECTORY | O_NOFOLLOW |
						 O_CLOEXEC);
	int next = *like_fd >= 0 && like < 0 ? -1 : open_entry(*fd, name, like);
	int sys_errno = errno;

	close(*fd);
	if (*like_fd >= 0)
		close(*like_fd);
	errno = sys_errno;
	*fd = next;
	*like_fd = like;
	return next >= 0;
}

static int open_locked(const char *directory, const char *root,
		       const char *below)
{
	int fd = open_directory(directory), like_fd = -1;
	char name[NAME_MAX + 1];
	const char *slash;

	if (fd >= 0 && root) {
		like_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (like_fd < 0)
			return fail_with(fd);
	}
	for (; fd >= 0 && (slash = strchr(below, '/')); below = slash + 1) {
		/* Tars have such names, and file systems do not. */
		if (slash - below > NAME_MAX) {
			errno = ENAMETOOLONG;
			fd = fail_with(fd);
			break;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(slash - below),
			 below);
		if (!step_down(&fd, &like_fd, name))
			break;
	}
	if (like_fd >= 0)
		close(like_fd);
	return fd;
}

int mirror_open(const char *directory, const char *root, const char *below)
{
	int fd, sys_errno;

	pthread_mutex_lock(&lock);
	fd = open_locked(directory, root, below);
	sys_errno = errno;
	pthread_mutex_unlock(&lock);
	errno = sys_errno;
	return fd;
}
