/* SPDX-License-Identifier: MIT */
/*
 * Directories are entered from their descriptors, so that nobody can put a link
 * in the place of one that is being read.  None stays open while those in it
 * are entered: trees may be deeper than a process may have files open.
 */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/files.h"

struct file_root *files_add_root(struct file_names *names, const char *path,
				 size_t nbytes, const struct stat *stat)
{
	struct file_root *root = malloc(sizeof(*root) + nbytes + 1);

	if (!root)
		message_out_of_memory();
	root->next = names->roots;
	names->roots = root;
	root->device = stat->st_dev;
	root->inode = stat->st_ino;
	memcpy(root->path, path, nbytes);
	root->path[nbytes] = '\0';
	wanted_root_init(&root->wanted, root->path);
	return root;
}

int files_open_below(const struct file_root *root, const char *path,
		     size_t nbytes, int flags)
{
	const int on_the_way = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int fd = open(root->path, on_the_way), next, sys_errno;
	char name[NAME_MAX + 1];
	struct stat stat;

	if (fd >= 0 && (fstat(fd, &stat) != 0 || stat.st_dev != root->device ||
			stat.st_ino != root->inode)) {
		close(fd);
		errno = ESTALE;
		return -1;
	}
	for (size_t at = 0, n; fd >= 0 && at < nbytes; at += n + 1) {
		n = strcspn(path + at, "/");
		snprintf(name, sizeof(name), "%.*s", (int)n, path + at);
		next = openat(fd, name, on_the_way | O_NOFOLLOW);
		/* It was a directory, and no link. */
		sys_errno = errno == ENOTDIR || errno == ELOOP ? ESTALE : errno;
		close(fd);
		errno = sys_errno;
		fd = next;
	}
	if (fd < 0 || flags == O_PATH)
		return fd;
	next = openat(fd, ".", flags | O_DIRECTORY | O_CLOEXEC);
	sys_errno = errno;
	close(fd);
	errno = sys_errno;
	return next;
}

int files_open_dir(const struct file_name *file, const char **entry_ret)
{
	const char *path = file->path + file->from_root;
	const char *slash = strrchr(path, '/');

	*entry_ret = slash ? slash + 1 : path;
	return files_open_below(file->root, path,
				slash ? (size_t)(slash - path) : 0, O_PATH);
}
