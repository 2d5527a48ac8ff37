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

#include "hyperslab/visits.h"
#include "read/file.h"

struct announce_block {
	uint32_t stream;
	uint64_t block;
};

/*
 * All but announce_ahead() return a number for source_forget(), to be called
 * when the request has ended, however it has.
 */

/* Blocks in the order in which they are read; each once or more. */
uint64_t announce_blocks(struct nc3z_file *file,
			 const struct announce_block *blocks, size_t nblocks);

/*
 * The same for blocks that will be read some time: nothing between them is
 * fetched, so that nothing is left when all have been read.
 */
void announce_ahead(struct nc3z_file *file, const struct announce_block *blocks,
		    size_t nblocks);

/* Blocks of a request that are not in the file's cache. */
uint64_t announce_request(struct nc3z_file *file,
			  const struct hyperslab_visits *wanted);

/* Blocks of a range of the original that are not in the file's cache. */
uint64_t announce_original(struct nc3z_file *file, uint64_t offset,
			   uint64_t nbytes);

#endif
