/* SPDX-License-Identifier: MIT */
/* The members of a tar, read from its headers one after the other. */
#ifndef NC3Z_TAR_TAR_READER_H
#define NC3Z_TAR_TAR_READER_H

#include "io/source.h"
#include "tar/tar_header.h"

/* Reads headers, and with a slow source more than one in a request. */
struct tar_reader {
	struct nc3z_source *source; /* that can seek */
	struct buffer window;
	uint64_t window_offset;
	size_t step;     /* how much is read at once */
	uint64_t resume; /* see tar_read_entry() */
};

void tar_reader_init(struct tar_reader *r, struct nc3z_source *source);
void tar_reader_release(struct tar_reader *r);

struct tar_entry {
	char *name; /* from malloc(), without "./"; NULL: the tar ends here */
	char *link; /* of a hard link: the name of its file, likewise */
	enum tar_kind kind;     /* of TAR_FILE the bytes are these: */
	uint64_t header_offset; /* of the first of its headers */
	uint64_t offset;
	uint64_t nbytes;
	struct source_member file;
	uint64_t next_offset; /* where the next one begins */
};

void tar_entry_release(struct tar_entry *entry);

/*
 * The member whose headers begin at an offset; the end of the source is one of
 * the tar, too.  NC3Z_EDAMAGED if there is no header, or if the source ends
 * before the member does; NC3Z_EUNSUPPORTED, NC3Z_EIO, NC3Z_ECHANGED,
 * NC3Z_ENOMEM.
 *
 * After NC3Z_EDAMAGED, 'r->resume' is where another header may follow, after
 * all that was read; 0 where the tar is cut off.
 */
int tar_read_entry(struct tar_reader *r, uint64_t offset,
		   struct tar_entry *entry_ret, struct nc3z_error *err);

/*
 * Goes from '*offset' to the next block that is a header, or to 'limit' or the
 * end of the source.  NC3Z_EIO, NC3Z_ECHANGED, NC3Z_ENOMEM.
 */
int tar_find_header(struct tar_reader *r, uint64_t limit, uint64_t *offset,
		    struct nc3z_error *err);

#endif
