/* SPDX-License-Identifier: MIT */
/*
 * The system mounts anything over anything: files below are hidden, and a
 * second mount has to be ended before the first one.  Hardly anybody wants it.
 */
#define _GNU_SOURCE
#include "mount/mount_point.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"

/* Asks the system, and no file system that might have died. */
static bool is_mounted(const char *path)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *mount;
	bool found = false;

	/* The last one is the one to be seen. */
	while (mounts && (mount = getmntent(mounts)))
		if (strcmp(mount->mnt_dir, path) == 0)
			found = strcmp(mount->mnt_type, "fuse.nc3mount") == 0;
	if (mounts)
		endmntent(mounts);
	return found;
}

static bool is_link_back(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* What cannot be listed may be mounted over. */
static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry = NULL;

	do
		entry = dir ? readdir(dir) : NULL;
	while (entry && is_link_back(entry->d_name));
	if (dir)
		closedir(dir);
	return !entry;
}

static bool is_same(const struct stat *a, int fd)
{
	struct stat b;

	return fd >= 0 && fstat(fd, &b) == 0 && a->st_dev == b.st_dev &&
	       a->st_ino == b.st_ino;
}

bool mount_point_check(const char *path, const char *name, int root_fd)
{
	struct stat stat_of;

	if (is_mounted(path)) {
		message_error(name, "nc3mount is already mounted there: "
				    "unmount it first (fusermount3 -u), or "
				    "mount over it with -o nonempty");
		return false;
	}
	if (stat(path, &stat_of) != 0) {
		message_error(name, "cannot mount there: %s", strerror(errno));
		return false;
	}
	if (!S_ISDIR(stat_of.st_mode)) {
		message_error(name, "cannot mount there: it is not a "
				    "directory");
		return false;
	}
	if (is_same(&stat_of, root_fd) || is_empty(path))
		return true;
	message_error(name, "files in this directory would be hidden: mount on "
			    "an empty one, or use -o "
			    "nonempty");
	return false;
}
