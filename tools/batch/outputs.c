/* SPDX-License-Identifier: MIT */
#include "batch/outputs.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A name in a directory, or, with an empty name, a file itself. */
struct output {
	dev_t device;
	ino_t inode;
	char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *outputs; /* a tree, under the lock */

static int compare(const void *first, const void *second)
{
	const struct output *a = first, *b = second;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct output *make(const struct stat *stat, const char *name)
{
	size_t nbytes = strlen(name) + 1;
	struct output *output = malloc(sizeof(*output) + nbytes);

	if (!output)
		return NULL;
	output->device = stat->st_dev;
	output->inode = stat->st_ino;
	memcpy(output->name, name, nbytes);
	return output;
}

/* False if it is there already. */
static bool add(const struct stat *stat, const char *name)
{
	struct output *output = make(stat, name), **found;
	bool is_new;

	if (!output)
		return false;
	pthread_mutex_lock(&lock);
	found = tsearch(output, &outputs, compare);
	is_new = found && *found == output;
	pthread_mutex_unlock(&lock);
	if (!is_new)
		free(output);
	return is_new;
}

bool outputs_claim(const struct stat *dir, const char *name)
{
	return add(dir, name);
}

void outputs_add_written(const struct stat *file)
{
	add(file, "");
}

bool outputs_have_written(const struct stat *file)
{
	struct output *output = make(file, "");
	bool found;

	/* To be told that it must not be replaced does no harm. */
	if (!output)
		return true;
	pthread_mutex_lock(&lock);
	found = tfind(output, &outputs, compare) != NULL;
	pthread_mutex_unlock(&lock);
	free(output);
	return found;
}
