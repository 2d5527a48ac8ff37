#include "compress/outputs.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *claimed; /* a tree of paths, under the lock */

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

bool outputs_claim(const char *path)
{
	char *copy = strdup(path);
	char **found;
	bool is_new;

	if (!copy)
		return false;
	pthread_mutex_lock(&lock);
	found = tsearch(copy, &claimed, compare);
	is_new = found && *found == copy;
	pthread_mutex_unlock(&lock);
	if (!is_new)
		free(copy);
	return is_new;
}
