/* SPDX-License-Identifier: MIT */
#include "batch/deadline.h"

#include <pthread.h>

#include "common/clock.h"

/*
 * What a file takes in addition to its bytes, in bytes: without it small files
 * would count for nothing.
 */
#define FILE_NBYTES 65536.0

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double begin, limit;
/* Under the lock, of jobs with one thread and with all: */
static struct {
	double nbytes;
	double seconds;
} known[2];

void deadline_begin(void)
{
	begin = clock_seconds();
}

void deadline_set(double seconds)
{
	limit = seconds;
}

/* The rate is the mean so far; before there is one, a file is tried. */
bool deadline_allows(uint64_t nbytes, bool has_all_threads)
{
	double left = begin + limit - clock_seconds(), takes = 0;

	if (limit <= 0)
		return true;
	pthread_mutex_lock(&lock);
	if (known[has_all_threads].nbytes > 0)
		takes = ((double)nbytes + FILE_NBYTES) *
			known[has_all_threads].seconds /
			known[has_all_threads].nbytes;
	pthread_mutex_unlock(&lock);
	return left > 0 && takes <= left;
}

void deadline_learn(uint64_t nbytes, bool has_all_threads, double seconds)
{
	pthread_mutex_lock(&lock);
	known[has_all_threads].nbytes += (double)nbytes + FILE_NBYTES;
	known[has_all_threads].seconds += seconds;
	pthread_mutex_unlock(&lock);
}
