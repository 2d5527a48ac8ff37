/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* syncfs() */
#include "common/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sync_directory(int dir_fd, const char *path, int fd)
{
	int directory =
		openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status;

	if (directory < 0)
		return errno == EACCES ? syncfs(fd) : -1;
	/* Some file systems cannot do that with directories. */
	status = fsync(directory) == 0 || errno == EINVAL || errno == EROFS ?
			 0 :
			 -1;
	close(directory);
	return status;
}

int sync_directory_of(int dir_fd, const char *path, int fd)
{
	const char *slash = strrchr(path, '/');
	char *directory;
	int status;

	if (!slash)
		return sync_directory(dir_fd, ".", fd);
	directory = strndup(path, (size_t)(slash - path) + 1);
	if (!directory) {
		errno = ENOMEM;
		return -1;
	}
	status = sync_directory(dir_fd, directory, fd);
	free(directory);
	return status;
}
