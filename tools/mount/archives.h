/* SPDX-License-Identifier: MIT */
/*
 * Open archives, in bounded number and memory.
 *
 * An archive that a program has open keeps its descriptor, so that it can be
 * read to the end even if its name is gone.  The library's memory for it,
 * mainly decoded blocks, comes with the first read and goes when too many
 * archives or blocks are kept, or after some seconds without a read; with it
 * goes the descriptor, unless a program has the archive open still.
 *
 * An archive gets little memory for blocks at first, which is enough to read
 * it from one end to the other if it is cut into runs; memory that is used
 * again and again is fast.  If blocks have to be decoded many times, as with
 * chunks or at random places, it gets more.
 */
#ifndef NC3Z_TOOLS_MOUNT_ARCHIVES_H
#define NC3Z_TOOLS_MOUNT_ARCHIVES_H

#include "mount/archive.h"
#include "mount/archive_bytes.h"

#define ARCHIVES_MAX_OPEN_DEFAULT 64
#define ARCHIVES_MAX_MEMORY_DEFAULT (UINT64_C(512) << 20)

struct archives;

void archive_init(struct archive *archive);

/* It is a version of an item, not a file.  False if out of memory. */
bool archive_set_item(struct archive *archive, struct item *item,
		      unsigned version);

/* NULL if out of memory. */
struct archives *archives_new(const struct archives_limits *limits);

/*
 * Starts the thread that closes what is idle; to be called when the process
 * has forked for the last time.  An errno.
 */
int archives_start(struct archives *archives);

/* All archives have been dropped.  NULL is allowed. */
void archives_free(struct archives *archives);

/* A program opens an archive; the descriptor, -1 for an item, is taken over. */
void archives_open(struct archives *archives, struct archive *archive, int fd,
		   const struct stat *stat);

/* A program closes it. */
void archives_close(struct archives *archives, struct archive *archive);

/*
 * Reads bytes of the original of an open archive, as nc3z_pread().
 * NC3Z_ECHANGED if the archive is not what it was when it was opened.
 */
int archives_read(struct archives *archives, struct archive *archive,
		  const struct archive_bytes *bytes, size_t *nbytes_ret,
		  struct nc3z_error *err);

/* Closes what is kept of an archive, which no program has open any more. */
void archives_drop(struct archives *archives, struct archive *archive);

struct archives_usage {
	unsigned nkept;
	uint64_t held_nbytes;
};

struct archives_usage archives_usage(struct archives *archives);

#endif
