/* SPDX-License-Identifier: MIT */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not every system takes more at once. */
#define READ_MAX ((size_t)1 << 30)

int file_open(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void file_close(int fd)
{
	close(fd);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static enum file_kind kind_of(mode_t mode)
{
	return S_ISREG(mode) ? FILE_REGULAR :
	       S_ISDIR(mode) ? FILE_DIRECTORY :
			       FILE_OTHER;
}

int file_inquire(int fd, struct file_state *state)
{
	struct stat stat;

	if (fstat(fd, &stat) != 0)
		return -1;
	*state = (struct file_state){
		.kind = kind_of(stat.st_mode),
		.nbytes = (uint64_t)stat.st_size,
#ifdef __APPLE__
		.modified = stat.st_mtimespec,
		.changed = stat.st_ctimespec,
#else
		.modified = stat.st_mtim,
		.changed = stat.st_ctim,
#endif
		.nlinks = stat.st_nlink,
		.permissions = stat.st_mode,
		.owner = stat.st_uid,
		.group = stat.st_gid,
	};
	return 0;
}

int64_t file_position(int fd)
{
	return lseek(fd, 0, SEEK_CUR);
}

ssize_t file_read_at(int fd, void *data, size_t nbytes, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(fd, data, nbytes > READ_MAX ? READ_MAX : nbytes,
			    (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t file_read_next(int fd, void *data, size_t nbytes)
{
	ssize_t got;

	do
		got = read(fd, data, nbytes > READ_MAX ? READ_MAX : nbytes);
	while (got < 0 && errno == EINTR);
	return got;
}
