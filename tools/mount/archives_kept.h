/* SPDX-License-Identifier: MIT */
/* The archives whose file is kept, by their last read. */
#ifndef NC3Z_TOOLS_MOUNT_ARCHIVES_KEPT_H
#define NC3Z_TOOLS_MOUNT_ARCHIVES_KEPT_H

#include <pthread.h>

#include "mount/archive.h"

struct archives {
	struct archives_limits limits;
	pthread_mutex_t lock;
	pthread_cond_t opened; /* some archive; or failed to */
	pthread_cond_t wake;   /* of the sweeper */
	pthread_t sweeper;
	bool has_sweeper;
	/* Under the lock, the archives whose file is kept: */
	bool stops;
	unsigned nkept;
	uint64_t held_nbytes;
	struct archive *oldest, *newest; /* by their last read */
};

/* All with the lock, but for the last. */

/* Puts an archive after the newest, takes it out. */
void archives_append(struct archives *archives, struct archive *archive);
void archives_take_out(struct archives *archives, struct archive *archive);

/* An archive has a file from now on. */
void archives_keep(struct archives *archives, struct archive *archive,
		   struct nc3z_file *file);

/*
 * Takes the file away, and the descriptor if no program needs it.  The file is
 * to be closed when the lock has been left.
 */
struct nc3z_file *archives_take_file(struct archives *archives,
				     struct archive *archive);

/* Closes files until no more are kept than allowed; leaves the lock for it. */
void archives_trim(struct archives *archives);

void archives_close_unused_fd(struct archive *archive);

/* The sweeper: closes what is idle, until all stops. */
void *archives_sweep(void *archives);

#endif
