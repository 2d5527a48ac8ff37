/* SPDX-License-Identifier: MIT */
/*
 * Removing a file because another one is there: one process at a time in each
 * directory.
 *
 * A run that packs x.nc and removes it relies on the archive; a run that
 * restores the archive and removes that relies on x.nc.  Each looks once more
 * whether the other file is there, and removes its own, while it holds the lock
 * of both directories, so that one of them finds the other's file gone.
 *
 * The lock is a file, ".removing.nc3z-tmp", that is locked with flock().  That
 * holds between machines where the file system passes such locks on (NFS,
 * Lustre with "flock").  Where there are no locks, who has made the file has
 * the lock.
 */
#ifndef NC3Z_TOOLS_BATCH_REMOVAL_H
#define NC3Z_TOOLS_BATCH_REMOVAL_H

#include <stdbool.h>

#define REMOVAL_LOCK ".removing.nc3z-tmp"

/* A name, from a directory on as openat() has it. */
struct removal_name {
	int dir_fd;
	const char *path;
};

struct removal_lock {
	int dir_fd;
	char *path;
	int fd; /* -1: not held */
};

struct removal {
	struct removal_lock locks[2];
};

/*
 * Before the last look at a file that stays, and the removal of one that goes;
 * waits for other processes for a while.  0, or -1 with errno: EBUSY if
 * the lock cannot be had.
 */
int removal_begin(struct removal *removal, struct removal_name goes,
		  struct removal_name stays);

/* After a removal that began; keeps errno. */
void removal_end(struct removal *removal);

/*
 * Removes a lock that a killed process has left in the directory of a name.
 */
void removal_clear(struct removal_name beside);

#endif
