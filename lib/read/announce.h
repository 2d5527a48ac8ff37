/* SPDX-License-Identifier: MIT */
/*
 * Tells a slow source which blocks of a file will be read, before they are: the
 * segments of the index that say where they are, then their records, joined to
 * as few ranges as are worth it (io/ranges.h).  Blocks that are not slow to
 * read, and failures, change nothing: what was not announced is read all the
 * same.
 */
#ifndef NC3Z_READ_ANNOUNCE_H
#define NC3Z_READ_ANNOUNCE_H

#include "hyperslab/request.h"
#include "read/file.h"

/* The announced ranges; none if zero-initialised. */
struct announced {
	struct nc3z_range *ranges;
	size_t nranges;
};

struct announce_block {
	uint32_t stream;
	uint64_t block;
};

/* Blocks in the order in which they are read; each once or more. */
void announce_blocks(struct nc3z_file *file,
		     const struct announce_block *blocks, size_t nblocks,
		     struct announced *announced);

/*
 * The same for blocks that will be read some time: nothing between them is
 * fetched, so that nothing is left when all have been read.
 */
void announce_ahead(struct nc3z_file *file, const struct announce_block *blocks,
		    size_t nblocks);

/* Blocks of a request that are not in the file's cache. */
void announce_request(struct nc3z_file *file, const struct plan_request *wanted,
		      struct announced *announced);

/* Blocks of a range of the original that are not in the file's cache. */
void announce_original(struct nc3z_file *file, uint64_t offset, uint64_t nbytes,
		       struct announced *announced);

/* Cancels: the rest of it will not be read. */
void announced_forget(struct announced *announced, struct nc3z_file *file);

#endif
