/* SPDX-License-Identifier: MIT */
/* What is kept of an archive, and of how many. */
#ifndef NC3Z_TOOLS_MOUNT_ARCHIVE_H
#define NC3Z_TOOLS_MOUNT_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "nc3z.h"

struct archives_limits {
	unsigned max_open;
	uint64_t max_memory_nbytes;
};

/* One archive; all but its item under the lock of the archives. */
struct archive {
	struct item *item;   /* that it is; NULL: a file */
	struct ahead *ahead; /* of an item */
	unsigned version;    /* of the item */
	int fd;              /* of a file; -1: none */
	struct stat stat;
	unsigned nopens;        /* by programs */
	unsigned nreads;        /* under way */
	bool is_opening;        /* by one of these reads */
	struct nc3z_file *file; /* NULL: not kept */
	uint64_t held_nbytes;
	struct timespec last_read;
	struct archive *older, *newer; /* while 'file' is kept */
	uint64_t cache_nbytes;         /* budget of 'file', or of the next */
	uint64_t read_nbytes;          /* since 'file' was opened */
};

#endif
