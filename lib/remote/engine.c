/* SPDX-License-Identifier: MIT */
#include "remote/engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct engine engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.parked = PTHREAD_COND_INITIALIZER,
};

double engine_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct host *engine_host(const char *origin)
{
	struct host *h = engine.hosts;

	while (h && strcmp(h->origin, origin) != 0)
		h = h->next;
	if (h)
		return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->origin = strdup(origin);
	if (!h->origin) {
		free(h);
		return NULL;
	}
	h->next = engine.hosts;
	engine.hosts = h;
	return h;
}
