/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* AT_SYMLINK_NOFOLLOW */
#include "batch/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

/* Nobody holds a lock for longer than a few calls of the system take. */
#define WAIT_SECONDS 10.0
#define PAUSE_MIN_NS 200000L
#define PAUSE_MAX_NS 50000000L

/* What became of trying to get a lock. */
enum taken {
	TAKEN_NOT, /* with errno */
	TAKEN_BY_OTHER,
	TAKEN,
};

/* Threads of this process need not ask the system. */
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

/* The lock of the directory that a name is in; false if out of memory. */
static bool set_lock(struct removal_lock *lock, struct removal_name beside)
{
	const char *slash = strrchr(beside.path, '/');
	int dir_nbytes = slash ? (int)(slash - beside.path) + 1 : 0;
	size_t size = (size_t)dir_nbytes + sizeof(REMOVAL_LOCK);

	*lock = (struct removal_lock){ .dir_fd = beside.dir_fd, .fd = -1 };
	lock->path = malloc(size);
	if (!lock->path)
		return false;
	snprintf(lock->path, size, "%.*s%s", dir_nbytes, beside.path,
		 REMOVAL_LOCK);
	return true;
}

/* Whether the name is that of the file that is open. */
static bool is_named(const struct removal_lock *lock, int fd)
{
	struct stat named, ours;

	return fstatat(lock->dir_fd, lock->path, &named, AT_SYMLINK_NOFOLLOW) ==
		       0 &&
	       fstat(fd, &ours) == 0 && named.st_dev == ours.st_dev &&
	       named.st_ino == ours.st_ino;
}

static void close_lock(struct removal_lock *lock)
{
	int sys_errno = errno;

	if (lock->fd >= 0)
		close(lock->fd);
	lock->fd = -1;
	errno = sys_errno;
}

/* The name goes while the lock is held, so that nobody waits for its file. */
static void release(struct removal_lock *lock)
{
	int sys_errno = errno;

	if (lock->fd >= 0)
		(void)!unlinkat(lock->dir_fd, lock->path, 0);
	close_lock(lock);
	errno = sys_errno;
}

static int open_lock(const struct removal_lock *lock, int flags)
{
	return openat(lock->dir_fd, lock->path,
		      flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
			      O_CLOEXEC,
		      0600);
}

/* Locks what is open.  Where that fails, a file that is new is a lock. */
static enum taken lock_open(struct removal_lock *lock, bool is_new)
{
	bool is_locked = flock(lock->fd, LOCK_EX | LOCK_NB) == 0 ||
			 (is_new && errno != EWOULDBLOCK);

	/* Who held it until now has removed the name. */
	if (is_locked && is_named(lock, lock->fd))
		return TAKEN;
	close_lock(lock);
	return TAKEN_BY_OTHER;
}

static enum taken take(struct removal_lock *lock)
{
	bool is_new;

	lock->fd = open_lock(lock, O_CREAT | O_EXCL);
	is_new = lock->fd >= 0;
	if (!is_new && errno != EEXIST)
		return TAKEN_NOT;
	if (!is_new)
		lock->fd = open_lock(lock, 0);
	/* Gone again, or that of another user. */
	return lock->fd < 0 ? TAKEN_BY_OTHER : lock_open(lock, is_new);
}

/*
 * The lock of the directory where the file is that stays: often the same one.
 * Where this user can make no file, this user can remove none.
 */
static enum taken take_second(struct removal_lock *second,
			      const struct removal_lock *first)
{
	enum taken taken;

	if (is_named(second, first->fd))
		return TAKEN;
	taken = take(second);
	if (taken == TAKEN_NOT &&
	    (errno == EACCES || errno == EPERM || errno == EROFS))
		return TAKEN;
	return taken;
}

static enum taken take_both(struct removal *r)
{
	enum taken taken = take(&r->locks[0]);

	if (taken != TAKEN)
		return taken;
	taken = take_second(&r->locks[1], &r->locks[0]);
	/* Another process may have them the other way round. */
	if (taken != TAKEN)
		release(&r->locks[0]);
	return taken;
}

static enum taken wait_for_both(struct removal *r)
{
	double end = clock_seconds() + WAIT_SECONDS;
	struct timespec pause = { .tv_nsec = PAUSE_MIN_NS };
	enum taken taken;

	while ((taken = take_both(r)) == TAKEN_BY_OTHER) {
		errno = EBUSY;
		if (clock_seconds() > end)
			break;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MAX_NS)
			pause.tv_nsec *= 2;
	}
	return taken;
}

static void release_names(struct removal *r)
{
	int sys_errno = errno;

	free(r->locks[0].path);
	free(r->locks[1].path);
	errno = sys_errno;
}

int removal_begin(struct removal *removal, struct removal_name goes,
		  struct removal_name stays)
{
	bool has_names = set_lock(&removal->locks[0], goes);

	has_names = set_lock(&removal->locks[1], stays) && has_names;
	if (!has_names) {
		release_names(removal);
		errno = ENOMEM;
		return -1;
	}
	pthread_mutex_lock(&threads);
	if (wait_for_both(removal) == TAKEN)
		return 0;
	pthread_mutex_unlock(&threads);
	release_names(removal);
	return -1;
}

void removal_end(struct removal *removal)
{
	release(&removal->locks[1]);
	release(&removal->locks[0]);
	pthread_mutex_unlock(&threads);
	release_names(removal);
}

void removal_clear(struct removal_name beside)
{
	struct removal_lock lock;

	if (!set_lock(&lock, beside))
		return;
	lock.fd = open_lock(&lock, 0);
	if (lock.fd >= 0 && lock_open(&lock, false) == TAKEN)
		release(&lock);
	free(lock.path);
}
