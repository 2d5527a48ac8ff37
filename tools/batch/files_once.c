/* SPDX-License-Identifier: MIT */
/*
 * A file that is named twice, or named and found in a directory, is one file:
 * the second time its output would be that of another input, or with --rm the
 * file would be gone.
 */
#define _XOPEN_SOURCE 700 /* strndup() */
#include <stdlib.h>
#include <string.h>

#include "batch/files.h"
#include "batch/places.h"

/* The directory of the file before, which most files share. */
struct last_directory {
	char *path; /* with the slash, "" for the current one; or NULL */
	struct stat stat;
	bool is_there;
};

static void look_at_directory(struct last_directory *last, const char *path,
			      size_t nbytes)
{
	if (last->path && strlen(last->path) == nbytes &&
	    memcmp(last->path, path, nbytes) == 0)
		return;
	free(last->path);
	last->path = strndup(path, nbytes);
	if (!last->path)
		message_out_of_memory();
	last->is_there = stat(nbytes > 0 ? last->path : ".", &last->stat) == 0;
}

/* Whether it is the first of its place, or that cannot be told. */
static bool is_first(struct last_directory *last, const struct file_name *file)
{
	const char *slash = strrchr(file->path, '/');
	size_t nbytes = slash ? (size_t)(slash - file->path) + 1 : 0;

	if (file->member || strcmp(file->path, "-") == 0 ||
	    nc3z_is_url(file->path))
		return true;
	look_at_directory(last, file->path, nbytes);
	return !last->is_there ||
	       places_add_input(&last->stat, file->path + nbytes);
}

void files_drop_repeated(struct file_names *names)
{
	struct last_directory last = { .path = NULL };
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++)
		if (is_first(&last, &names->list[i]))
			names->list[kept++] = names->list[i];
		else
			free(names->list[i].path);
	names->count = kept;
	free(last.path);
}
