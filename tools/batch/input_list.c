/* SPDX-License-Identifier: MIT */
#include "batch/input_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

bool inputs_init(struct input_list *list, int count, char **names)
{
	*list = (struct input_list){
		.names = names,
		.tars = calloc((size_t)count, sizeof(*list->tars)),
		.files = calloc((size_t)count, sizeof(*list->files)),
		.sources = calloc((size_t)count, sizeof(*list->sources)),
	};
	if (!list->tars || !list->files || !list->sources)
		return false;
	list->count = count;
	for (int i = 0; i < count; i++)
		input_init(&list->files[i]);
	return true;
}

static int open_member(int fd, const char *member,
		       struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct nc3z_source *whole;
	struct nc3z_tar *tar;
	size_t number;
	int status = nc3z_source_open_fd(fd, &whole, err);

	if (status != NC3Z_OK)
		return status;
	status = nc3z_tar_open(whole, &tar, err);
	if (status != NC3Z_OK) {
		nc3z_source_close(whole);
		return status;
	}
	status = nc3z_tar_find(tar, member, &number, err);
	if (status == NC3Z_OK)
		status = nc3z_tar_open_member(tar, number, 0, source_ret, err);
	nc3z_tar_close(tar);
	return status;
}

static int open_file(struct input_list *list, int number, const char *output,
		     const char *member, struct nc3z_error *err)
{
	char *tar = list->tars[number];
	const struct file_name name = {
		.path = tar ? tar : list->names[number],
	};
	struct input *input = &list->files[number];
	struct stat there;
	int status = input_open(input, &name, err);

	if (status != NC3Z_OK)
		return status;
	if (stat(output, &there) == 0 && is_same_file(&there, &input->stat))
		return input_refuse(err, NC3Z_EINVAL, "output is the input");
	return tar ? open_member(input->fd, member, &list->sources[number],
				 err) :
		     nc3z_source_open_fd(input->fd, &list->sources[number],
					 err);
}

int inputs_open(struct input_list *list, int number, const char *output,
		struct nc3z_error *err)
{
	char *member = NULL;
	int status;

	if (nc3z_is_url(list->names[number]))
		return input_refuse(
			err, NC3Z_EINVAL,
			"is a URL: download it first, and name the file");
	list->tars[number] = nc3z_tar_split(list->names[number], &member);
	status = open_file(list, number, output, member, err);
	free(member);
	return status;
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
	struct stat there;

	if (status == NC3Z_EEXIST && !replaces && stat(output, &there) == 0)
		return input_refuse(err, status,
				    "output already exists: -o names another "
				    "one, -f replaces it");
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
		free(list->tars[i]);
	}
	free((void *)list->tars);
	free(list->sources);
	free(list->files);
}
