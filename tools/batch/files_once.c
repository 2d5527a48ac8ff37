/* SPDX-License-Identifier: MIT */
/*
 * A file that is named twice, or named and found in a directory, is one file:
 * the second time its output would be that of another input, or with --rm the
 * file would be gone.
 */
#define _GNU_SOURCE /* tdestroy() */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "batch/files.h"

/* A name in a directory, however that was reached. */
struct place {
	dev_t device;
	ino_t inode;
	const char *name;
};

/* The directory of the file before, which most files share. */
struct last_directory {
	const char *path;
	size_t nbytes;
	struct stat stat;
	bool is_there;
};

static int compare(const void *first, const void *second)
{
	const struct place *a = first, *b = second;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* False if the directory cannot be looked at. */
static bool set_place(struct place *place, struct last_directory *last,
		      const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t nbytes = slash ? (size_t)(slash - path) + 1 : 0;
	char *directory;

	if (!last->path || last->nbytes != nbytes ||
	    memcmp(last->path, path, nbytes) != 0) {
		directory = slash ? strndup(path, nbytes) : strdup(".");
		last->is_there = directory && stat(directory, &last->stat) == 0;
		free(directory);
		last->path = path;
		last->nbytes = nbytes;
	}
	place->device = last->stat.st_dev;
	place->inode = last->stat.st_ino;
	place->name = path + nbytes;
	return last->is_there;
}

/* Whether it is the first of its place, or that cannot be told. */
static bool is_first(void **places, struct place *place,
		     struct last_directory *last, const struct file_name *file)
{
	struct place **found;

	if (file->member || file->tar || strcmp(file->path, "-") == 0 ||
	    nc3z_is_url(file->path) || !set_place(place, last, file->path))
		return true;
	found = tsearch(place, places, compare);
	return !found || *found == place;
}

static void keep_all(void *place)
{
	(void)place;
}

void files_drop_repeated(struct file_names *names)
{
	struct place *list = calloc(names->count + 1, sizeof(*list));
	struct last_directory last = { 0 };
	void *places = NULL;
	char **dropped = calloc(names->count + 1, sizeof(*dropped));
	size_t kept = 0, ndropped = 0;

	for (size_t i = 0; list && dropped && i < names->count; i++) {
		struct file_name file = names->list[i];

		if (is_first(&places, &list[i], &last, &file))
			names->list[kept++] = file;
		else
			dropped[ndropped++] = file.path;
	}
	if (list && dropped)
		names->count = kept;
	tdestroy(places, keep_all);
	/* Places and the last directory point into paths. */
	while (ndropped > 0)
		free(dropped[--ndropped]);
	free((void *)dropped);
	free(list);
}
