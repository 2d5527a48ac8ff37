/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/archives_kept.h"

#include <unistd.h>

#include "mount/ahead.h"

#define IDLE_SECONDS 30

void archives_append(struct archives *a, struct archive *archive)
{
	archive->older = a->newest;
	archive->newer = NULL;
	if (a->newest)
		a->newest->newer = archive;
	else
		a->oldest = archive;
	a->newest = archive;
}

void archives_take_out(struct archives *a, struct archive *archive)
{
	if (archive->older)
		archive->older->newer = archive->newer;
	else
		a->oldest = archive->newer;
	if (archive->newer)
		archive->newer->older = archive->older;
	else
		a->newest = archive->older;
}

void archives_close_unused_fd(struct archive *archive)
{
	if (archive->nopens == 0 && !archive->file && archive->fd >= 0) {
		close(archive->fd);
		archive->fd = -1;
	}
}

/* Takes the file away; it is closed when the lock has been left. */
struct nc3z_file *archives_take_file(struct archives *a,
				     struct archive *archive)
{
	struct nc3z_file *file = archive->file;

	archives_take_out(a, archive);
	a->nkept--;
	a->held_nbytes -= archive->held_nbytes;
	archive->held_nbytes = 0;
	archive->file = NULL;
	if (archive->ahead)
		ahead_clear(archive->ahead);
	archives_close_unused_fd(archive);
	return file;
}

void archives_keep(struct archives *a, struct archive *archive,
		   struct nc3z_file *file)
{
	archive->file = file;
	archive->read_nbytes = 0;
	archives_append(a, archive);
	if (++a->nkept == 1)
		pthread_cond_signal(&a->wake);
}

static bool is_idle(const struct archive *archive)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return archive->nreads == 0 &&
	       now.tv_sec - archive->last_read.tv_sec >= IDLE_SECONDS;
}

/* The file that was read longest ago and is in nobody's hands. */
static struct nc3z_file *take_oldest(struct archives *a)
{
	struct archive *archive = a->oldest;

	while (archive && archive->nreads > 0)
		archive = archive->newer;
	return archive ? archives_take_file(a, archive) : NULL;
}

static bool is_full(const struct archives *a)
{
	return a->nkept > a->limits.max_open ||
	       a->held_nbytes > a->limits.max_memory_nbytes;
}

/* With the lock, which is left meanwhile. */
void archives_trim(struct archives *a)
{
	struct nc3z_file *file;

	while (is_full(a) && (file = take_oldest(a))) {
		pthread_mutex_unlock(&a->lock);
		nc3z_close(file);
		pthread_mutex_lock(&a->lock);
	}
}

/* Until some archive is idle, or one more is kept, or all ends. */
static void wait_for_idle(struct archives *a)
{
	struct timespec until;

	if (!a->oldest) {
		pthread_cond_wait(&a->wake, &a->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	if (a->oldest->nreads == 0)
		until = a->oldest->last_read;
	until.tv_sec += IDLE_SECONDS;
	pthread_cond_timedwait(&a->wake, &a->lock, &until);
}

void *archives_sweep(void *archives)
{
	struct archives *a = archives;
	struct nc3z_file *file;

	pthread_mutex_lock(&a->lock);
	while (!a->stops) {
		if (!a->oldest || !is_idle(a->oldest)) {
			wait_for_idle(a);
			continue;
		}
		file = archives_take_file(a, a->oldest);
		pthread_mutex_unlock(&a->lock);
		nc3z_close(file);
		pthread_mutex_lock(&a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}
