/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* leases */
#include "batch/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void input_init(struct input *input)
{
	*input = (struct input){ .dir_fd = AT_FDCWD, .fd = -1 };
}

int input_refuse(struct nc3z_error *err, int status, const char *text)
{
	*err = (struct nc3z_error){
		.status = status,
		.offset = NC3Z_NO_OFFSET,
		.stream = NC3Z_NO_NUMBER,
		.block = NC3Z_NO_NUMBER,
	};
	snprintf(err->text, sizeof(err->text), "%s", text);
	return status;
}

static int fail_system(struct nc3z_error *err, int sys_errno, bool is_found)
{
	char text[sizeof(err->text)];

	/* As files_open_dir() has it. */
	if (sys_errno == ESTALE && is_found)
		return input_refuse(
			err, NC3Z_ECHANGED,
			"a directory above it was replaced meanwhile");
	snprintf(text, sizeof(text), "cannot open: %s", strerror(sys_errno));
	input_refuse(err, NC3Z_EIO, text);
	err->sys_errno = sys_errno;
	return NC3Z_EIO;
}

static int open_file(struct input *input, const struct file_name *file)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

	input->name = file->path;
	if (!file->root)
		return open(file->path, flags);
	input->dir_fd = files_open_dir(file, &input->name);
	if (input->dir_fd < 0)
		return -1;
	return openat(input->dir_fd, input->name, flags | O_NOFOLLOW);
}

int input_open(struct input *input, const struct file_name *file,
	       struct nc3z_error *err)
{
	input->fd = open_file(input, file);
	if (input->fd < 0)
		return errno == ELOOP && file->root ?
			       input_refuse(err, NC3Z_ECHANGED,
					    "was a file, but is a link now") :
			       fail_system(err, errno, file->root != NULL);
	if (fstat(input->fd, &input->stat) != 0)
		return fail_system(err, errno, file->root != NULL);
	if (S_ISDIR(input->stat.st_mode))
		return input_refuse(err, NC3Z_EINVAL, "is a directory");
	if (!S_ISREG(input->stat.st_mode) &&
	    (!input_is_pipe(input) || file->root))
		return input_refuse(err, NC3Z_EINVAL, "is not a regular file");
	return NC3Z_OK;
}

int input_wait(const struct input *input, struct nc3z_error *err)
{
	struct pollfd wanted = { .fd = input->fd, .events = POLLIN };
	int flags = fcntl(input->fd, F_GETFL);
	int found;

	do
		found = poll(&wanted, 1, -1);
	while (found < 0 && errno == EINTR);
	return found >= 0 && flags >= 0 &&
			       fcntl(input->fd, F_SETFL, flags & ~O_NONBLOCK) ==
				       0 ?
		       NC3Z_OK :
		       fail_system(err, errno, false);
}

void input_close(struct input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	if (input->dir_fd >= 0)
		close(input->dir_fd);
	input_init(input);
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* A link that was named is followed, as when it was opened. */
static int stat_name(const struct input *input, struct stat *stat_ret)
{
	return input->dir_fd == AT_FDCWD ?
		       stat(input->name, stat_ret) :
		       fstatat(input->dir_fd, input->name, stat_ret,
			       AT_SYMLINK_NOFOLLOW);
}

bool input_stat_anew(int fd, struct stat *stat_ret)
{
#ifdef STATX_BASIC_STATS /* not in musl before 1.2.5 */
	struct statx now;

	(void)!statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC,
		     STATX_BASIC_STATS, &now);
#endif
	return fstat(fd, stat_ret) == 0;
}

bool input_is_hdf5(const struct input *input)
{
	struct nc3z_source *in;
	bool is_hdf5;

	if (nc3z_source_open_fd(input->fd, &in, NULL) != NC3Z_OK)
		return false;
	is_hdf5 = nc3z_source_is_hdf5(in);
	nc3z_source_close(in);
	return is_hdf5;
}

bool input_has_bytes(const struct input *input)
{
	struct stat now;

	return fstat(input->fd, &now) == 0 &&
	       now.st_size == input->stat.st_size &&
	       is_same_time(now.st_mtim, input->stat.st_mtim);
}

enum input_state input_look(const struct input *input)
{
	struct stat now, named;

	if (!input_has_bytes(input) || fstat(input->fd, &now) != 0)
		return INPUT_CHANGED;
	/* It may have lost its name a moment ago. */
	if (stat_name(input, &named) != 0)
		return errno != ENOENT || fstat(input->fd, &now) != 0 ?
			       INPUT_REPLACED :
		       now.st_nlink == 0 ? INPUT_GONE :
					   INPUT_RENAMED;
	if (named.st_dev != now.st_dev || named.st_ino != now.st_ino)
		return INPUT_REPLACED;
	return is_same_time(now.st_ctim, input->stat.st_ctim) ? INPUT_SAME :
								INPUT_TOUCHED;
}

bool input_has_stat(const struct input *input, const struct stat *stat)
{
	struct stat now;

	return fstat(input->fd, &now) == 0 && now.st_size == stat->st_size &&
	       is_same_time(now.st_mtim, stat->st_mtim) &&
	       is_same_time(now.st_ctim, stat->st_ctim);
}

bool input_is_written(const struct input *input)
{
	/* Other errors: not the owner, or a file system that cannot tell. */
	return fcntl(input->fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
}

void input_let_go(const struct input *input)
{
	(void)!fcntl(input->fd, F_SETLEASE, F_UNLCK);
}
