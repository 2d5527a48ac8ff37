/* SPDX-License-Identifier: MIT */
/*
 * Reading ahead of programs that read an object on a server in order: the
 * kernel asks for 128 KiB at a time, which is little for a request.
 */
#ifndef NC3Z_TOOLS_MOUNT_AHEAD_H
#define NC3Z_TOOLS_MOUNT_AHEAD_H

#include <pthread.h>
#include <stdbool.h>

#include "mount/archive_bytes.h"
#include "nc3z.h"

/* One for each file; any number of threads may read. */
struct ahead {
	pthread_mutex_t lock;
	/* Under the lock: */
	char *data; /* AHEAD_NBYTES from malloc(); NULL: nothing yet */
	uint64_t offset;
	size_t nbytes;
	bool has_end;     /* the file ends with what is there */
	uint64_t next;    /* where reading in order would go on */
	uint64_t inorder; /* bytes that were read in order */
};

#define AHEAD_NBYTES ((size_t)8 << 20)

/* Reads as nc3z_pread() does. */
typedef int ahead_read_fn(void *self, const struct archive_bytes *bytes,
			  size_t *nbytes_ret, struct nc3z_error *err);

void ahead_init(struct ahead *ahead);
void ahead_release(struct ahead *ahead);

/* Forgets what was read. */
void ahead_clear(struct ahead *ahead);

/* Reads bytes, and more of them if the last reads were in order. */
int ahead_read(struct ahead *ahead, ahead_read_fn *read, void *self,
	       const struct archive_bytes *bytes, size_t *nbytes_ret,
	       struct nc3z_error *err);

#endif
