/* SPDX-License-Identifier: MIT */
#include "batch/places.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A name in a directory, or, with an empty name, a file itself. */
struct place {
	dev_t device;
	ino_t inode;
	struct timespec changed;
	char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *inputs, *outputs, *written_files; /* trees, under the lock */

static int compare(const void *first, const void *second)
{
	const struct place *a = first, *b = second;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct place *make_place(const struct stat *stat, const char *name)
{
	size_t nbytes = strlen(name) + 1;
	struct place *place = malloc(sizeof(*place) + nbytes);

	if (!place)
		return NULL;
	place->device = stat->st_dev;
	place->inode = stat->st_ino;
	place->changed = stat->st_ctim;
	memcpy(place->name, name, nbytes);
	return place;
}

/* 1 if it was not there, 0 if it was, -1 if memory runs out. */
static int add(void **tree, const struct stat *stat, const char *name)
{
	struct place *place = make_place(stat, name), **found = NULL;
	bool is_new;

	pthread_mutex_lock(&lock);
	if (place)
		found = tsearch(place, tree, compare);
	is_new = found && *found == place;
	if (found)
		(*found)->changed = place->changed;
	pthread_mutex_unlock(&lock);
	if (!is_new)
		free(place);
	return found ? is_new : -1;
}

bool places_add_input(const struct stat *dir, const char *name)
{
	return add(&inputs, dir, name) != 0;
}

bool places_claim(const struct stat *dir, const char *name)
{
	return add(&outputs, dir, name) == 1;
}

void places_add_written(const struct stat *file)
{
	add(&written_files, file, "");
}

enum places_written places_find_written(const struct stat *file)
{
	struct place *place = make_place(file, ""), **found;
	enum places_written written = WRITTEN_ELSEWHERE;

	/* To be told that it must not be replaced does no harm. */
	if (!place)
		return WRITTEN_HERE;
	pthread_mutex_lock(&lock);
	found = tfind(place, &written_files, compare);
	if (found)
		written = (*found)->changed.tv_sec == place->changed.tv_sec &&
					  (*found)->changed.tv_nsec ==
						  place->changed.tv_nsec ?
				  WRITTEN_HERE :
				  WRITTEN_SINCE;
	pthread_mutex_unlock(&lock);
	free(place);
	return written;
}
