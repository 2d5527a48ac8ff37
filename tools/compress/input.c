/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* leases */
#include "compress/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

void input_init(struct input *input)
{
	*input = (struct input){ .dir_fd = AT_FDCWD, .fd = -1 };
}

static int fail(struct nc3z_error *err, int status, const char *text)
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
		return fail(
			err, NC3Z_ECHANGED,
			"a directory above it is not the one that was read");
	snprintf(text, sizeof(text), "cannot open: %s", strerror(sys_errno));
	fail(err, NC3Z_EIO, text);
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

/* Waits for whoever writes to a pipe; from then on reading waits, too. */
static int wait_for_writer(const struct input *input, struct nc3z_error *err)
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

int input_open(struct input *input, const struct file_name *file,
	       struct nc3z_error *err)
{
	input->fd = open_file(input, file);
	if (input->fd < 0)
		return errno == ELOOP && file->root ?
			       fail(err, NC3Z_ECHANGED,
				    "was a file and is a link now") :
			       fail_system(err, errno, file->root != NULL);
	if (fstat(input->fd, &input->stat) != 0)
		return fail_system(err, errno, file->root != NULL);
	if (S_ISDIR(input->stat.st_mode))
		return fail(err, NC3Z_EINVAL, "is a directory");
	if (S_ISFIFO(input->stat.st_mode) && !file->root)
		return wait_for_writer(input, err);
	if (!S_ISREG(input->stat.st_mode))
		return fail(err, NC3Z_EINVAL, "is not a regular file");
	return NC3Z_OK;
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

enum input_state input_look(const struct input *input)
{
	const struct stat *was = &input->stat;
	struct stat now, named;

	if (fstat(input->fd, &now) != 0 || now.st_size != was->st_size ||
	    !is_same_time(now.st_mtim, was->st_mtim))
		return INPUT_CHANGED;
	if (stat_name(input, &named) != 0)
		return errno == ENOENT && now.st_nlink == 0 ? INPUT_GONE :
							      INPUT_REPLACED;
	if (named.st_dev != now.st_dev || named.st_ino != now.st_ino)
		return INPUT_REPLACED;
	return is_same_time(now.st_ctim, was->st_ctim) ? INPUT_SAME :
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

int input_remove(const struct input *input)
{
	return input->dir_fd == AT_FDCWD ?
		       unlink(input->name) :
		       unlinkat(input->dir_fd, input->name, 0);
}

bool inputs_init(struct input_list *list, int count, char **names)
{
	*list = (struct input_list){
		.names = names,
		.files = calloc((size_t)count, sizeof(*list->files)),
		.sources = calloc((size_t)count, sizeof(*list->sources)),
	};
	if (!list->files || !list->sources)
		return false;
	list->count = count;
	for (int i = 0; i < count; i++)
		input_init(&list->files[i]);
	return true;
}

int inputs_open(struct input_list *list, int number, const char *output,
		struct nc3z_error *err)
{
	const struct file_name name = { .path = list->names[number] };
	struct input *input = &list->files[number];
	struct stat there;
	int status;

	if (nc3z_is_url(name.path))
		return fail(err, NC3Z_EINVAL,
			    "is a URL: download it first, and name the file");
	status = input_open(input, &name, err);
	if (status != NC3Z_OK)
		return status;
	if (stat(output, &there) == 0 && is_same_file(&there, &input->stat))
		return fail(err, NC3Z_EINVAL, "output is the input");
	return nc3z_source_open_fd(input->fd, &list->sources[number], err);
}

/* Bytes of a file's access list; 0 if it has none, -1 if it cannot be had. */
static ssize_t read_access_list(int fd, char *list, size_t list_nbytes)
{
	ssize_t nbytes =
		fgetxattr(fd, "system.posix_acl_access", list, list_nbytes);

	return nbytes < 0 && errno != ERANGE ? 0 : nbytes;
}

static bool has_same_access_list(const struct input *a, const struct input *b)
{
	char first[4096], second[4096];
	ssize_t nbytes = read_access_list(a->fd, first, sizeof(first));

	return nbytes >= 0 &&
	       nbytes == read_access_list(b->fd, second, sizeof(second)) &&
	       memcmp(first, second, (size_t)nbytes) == 0;
}

/* Whether who may read one input may read all of them. */
static bool have_same_readers(const struct input_list *list)
{
	const struct input *first = &list->files[0];

	for (int i = 1; i < list->count; i++) {
		const struct input *other = &list->files[i];

		if (first->stat.st_uid != other->stat.st_uid ||
		    first->stat.st_gid != other->stat.st_gid ||
		    first->stat.st_mode != other->stat.st_mode ||
		    !has_same_access_list(first, other))
			return false;
	}
	return true;
}

int inputs_open_sink(const struct input_list *list, const char *output,
		     bool replaces, struct nc3z_sink **sink_ret,
		     struct nc3z_error *err)
{
	unsigned flags = (have_same_readers(list) ? 0 : NC3Z_SINK_PRIVATE) |
			 (replaces ? NC3Z_SINK_REPLACE : 0);
	int status = nc3z_sink_open_path(output, flags, 0600, sink_ret, err);

	return status == NC3Z_OK ?
		       nc3z_sink_copy_attributes(*sink_ret, list->files[0].fd,
						 err) :
		       status;
}

void inputs_close(struct input_list *list)
{
	for (int i = 0; i < list->count; i++) {
		nc3z_source_close(list->sources[i]);
		input_close(&list->files[i]);
	}
	free(list->sources);
	free(list->files);
}
