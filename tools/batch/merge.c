/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* AT_FDCWD */
#include "batch/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "batch/signals.h"

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

static int open_file(struct merge *m, int number, const char *member)
{
	char *tar = m->tars[number];
	const struct file_name name = {
		.path = tar ? tar : m->names[number],
	};
	struct input *input = &m->files[number];
	struct nc3z_source **source = &m->sources[number];
	struct stat there;
	int status = input_open(input, &name, &m->err);

	if (status != NC3Z_OK)
		return status;
	if (input_is_pipe(input))
		return input_refuse(&m->err, NC3Z_EINVAL, INPUT_NEEDS_FILE);
	if (stat(m->settings->output, &there) == 0 &&
	    is_same_file(&there, &input->stat))
		return input_refuse(&m->err, NC3Z_EINVAL,
				    "output is the input: name another");
	return tar ? open_member(input->fd, member, source, &m->err) :
		     nc3z_source_open_fd(input->fd, source, &m->err);
}

static int open_input(struct merge *m, int number)
{
	char *member = NULL;
	int status;

	if (nc3z_is_url(m->names[number]))
		return input_refuse(
			&m->err, NC3Z_EINVAL,
			"is a URL: download it first, and name the file");
	m->tars[number] = nc3z_tar_split(m->names[number], &member);
	status = open_file(m, number, member);
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
static bool have_same_readers(const struct merge *m)
{
	const struct input *first = &m->files[0];

	for (int i = 1; i < m->count; i++) {
		const struct input *other = &m->files[i];

		if (first->stat.st_uid != other->stat.st_uid ||
		    first->stat.st_gid != other->stat.st_gid ||
		    first->stat.st_mode != other->stat.st_mode ||
		    !has_same_access_list(first, other))
			return false;
	}
	return true;
}

static int open_output(struct merge *m)
{
	const char *output = m->settings->output;
	bool replaces = m->settings->force;
	unsigned flags = (have_same_readers(m) ? 0 : NC3Z_SINK_PRIVATE) |
			 (replaces ? NC3Z_SINK_REPLACE : 0);
	int status = nc3z_sink_open_path(output, flags, 0600, &m->out, &m->err);
	struct stat there;

	if (status == NC3Z_EEXIST && !replaces && stat(output, &there) == 0)
		return input_refuse(&m->err, status,
				    "output already exists: -o names another "
				    "one, -f replaces it");
	if (status != NC3Z_OK)
		return status;
	signals_watch(AT_FDCWD, nc3z_sink_temporary(m->out));
	return nc3z_sink_copy_attributes(m->out, m->files[0].fd, &m->err);
}

enum exit_status merge_fail(const struct merge *m, const char *file)
{
	const char *output = m->settings->output;

	if (m->err.is_output && file != output)
		message_error(file, "%s (%s)", m->err.text, output);
	else
		message_error(file, "%s", m->err.text);
	return exit_of_error(&m->err);
}

static enum exit_status run(struct merge *m,
			    enum exit_status (*make)(struct merge *m))
{
	for (int i = 0; i < m->count; i++)
		if (open_input(m, i) != NC3Z_OK)
			return merge_fail(m, m->names[i]);
	return open_output(m) == NC3Z_OK ? make(m) :
					   merge_fail(m, m->settings->output);
}

enum exit_status merge_run(const struct settings *settings, int count,
			   char **names,
			   enum exit_status (*make)(struct merge *m))
{
	const size_t n = (size_t)count;
	struct merge m = {
		.settings = settings,
		.count = count,
		.names = names,
		.tars = calloc(n, sizeof(*m.tars)),
		.files = calloc(n, sizeof(*m.files)),
		.sources = calloc(n, sizeof(*m.sources)),
	};
	enum exit_status status;

	if (!m.tars || !m.files || !m.sources)
		message_out_of_memory();
	for (int i = 0; i < count; i++)
		input_init(&m.files[i]);
	signals_start(false);
	status = run(&m, make);
	signals_unwatch(m.out ? nc3z_sink_temporary(m.out) : NULL);
	nc3z_sink_close(m.out);
	for (int i = 0; i < count; i++) {
		nc3z_source_close(m.sources[i]);
		input_close(&m.files[i]);
		free(m.tars[i]);
	}
	free((void *)m.tars);
	free(m.sources);
	free(m.files);
	return status;
}
