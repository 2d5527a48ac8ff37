/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/urls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"

static int add_url(struct shelf *shelf, const char *url, const char *path)
{
	char *name = message_name(url);
	int status = nc3z_is_url(url) ? shelf_add_url(shelf, url, path) :
					ENOENT;

	if (status == ENOENT)
		message_error(name, "is not an http://, https:// or s3:// URL");
	else if (status == EINVAL)
		message_error(name, "does not give a file name: give one in a "
				    "list (--urls)");
	else if (status != 0)
		message_error(name, "out of memory");
	free(name);
	return status;
}

/*
 * "URL", or "URL, tab, PATH"; empty lines and comments are passed over.  A line
 * that is cut off may be another file's URL, or give it another name.
 */
static int add_line(struct shelf *shelf, const char *from, char *line,
		    size_t nbytes)
{
	char *path;

	if (line[nbytes - 1] != '\n' || strlen(line) < nbytes) {
		message_error(from, "%s",
			      strlen(line) < nbytes ?
				      "a line has a NUL byte" :
				      "the last line does not end in a "
				      "newline, so the list may be cut off: "
				      "make it again");
		return EINVAL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] == '\0' || line[0] == '#')
		return 0;
	path = strchr(line, '\t');
	if (path)
		*path++ = '\0';
	return add_url(shelf, line, path);
}

static int add_list(struct shelf *shelf, const char *from)
{
	FILE *list = fopen(from, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t nbytes;
	int status = 0;

	if (!list) {
		status = errno;
		message_error(from, "cannot open: %s", strerror(status));
		return status;
	}
	while (status == 0 && (nbytes = getline(&line, &size, list)) > 0)
		status = add_line(shelf, from, line, (size_t)nbytes);
	if (status == 0 && ferror(list)) {
		status = EIO;
		message_error(from, "cannot read: %s", strerror(errno));
	}
	free(line);
	fclose(list);
	return status;
}

/* What is shown is as old as the mount, and belongs to who mounts. */
static struct stat status_now(void)
{
	struct stat stat = {
		.st_mode = S_IFDIR | 0444,
		.st_uid = geteuid(),
		.st_gid = getegid(),
	};

	clock_gettime(CLOCK_REALTIME, &stat.st_mtim);
	stat.st_ctim = stat.st_atim = stat.st_mtim;
	return stat;
}

struct shelf *urls_collect(const struct mount_settings *settings)
{
	const struct stat stat = status_now();
	struct shelf *shelf = shelf_new(&settings->naming, &stat, "");
	int status = shelf ? 0 : ENOMEM;

	for (int i = 0; status == 0 && i < settings->nurls; i++)
		status = add_url(shelf, settings->urls[i], NULL);
	if (status == 0 && settings->urls_file)
		status = add_list(shelf, settings->urls_file);
	if (status == 0) {
		status = shelf_finish(shelf);
		if (status != 0)
			message_error(NULL, "out of memory");
	}
	if (status == 0)
		return shelf;
	shelf_free(shelf);
	return NULL;
}
