/* SPDX-License-Identifier: MIT */
/*
 * Chunks of an archive that is written, filled from the blocks of the one that
 * is read: what packing does with those that it has put off (write/sorter.h).
 *
 * For chunks that are filled together, each block that has bytes of them is
 * decoded once, in any layout.  That takes memory for a block in each thread.
 * The set of these blocks is known beforehand.
 */
#ifndef NC3Z_CONVERT_FILLER_H
#define NC3Z_CONVERT_FILLER_H

#include "parallel/crew.h"
#include "read/file.h"
#include "restore/decodings.h"
#include "write/sorter.h"

/* Zero-initialised it is empty. */
struct filler {
	struct decodings *decodings; /* what is counted in a rehearsal */

	/* The rest is its own. */
	struct nc3z_file *file;
	struct crew crew; /* whose buffers are for blocks */
	/* The chunks that are being filled, */
	const struct plan_map *map;
	uint32_t stream;
	const struct open_block *chunks;
	size_t nchunks;
	uint64_t first_offset; /* between these, in the original, */
	uint64_t end_offset;
	/* and the blocks that they touch: not 0, from 'at' to 'end' - 1. */
	struct decodings touched;
	uint64_t at;
	uint64_t end;
	uint32_t stream_at;
};

/*
 * A filler from an open archive.  File and decodings outlive it.  NC3Z_OK,
 * NC3Z_ENOMEM, NC3Z_EIO (threads cannot be had).
 */
int filler_init(struct filler *filler, struct nc3z_file *file,
		unsigned nthreads, struct nc3z_error *err);

void filler_release(struct filler *filler);

/*
 * A sorter_fill_fn; the context is a filler.  Returns what nc3z_pread()
 * returns.
 */
int filler_fill(void *context, const struct plan_map *map, uint32_t stream,
		const struct open_block *chunks, size_t nchunks,
		struct nc3z_error *err);

/* The same for a rehearsal: adds to filler->decodings what that decodes. */
int filler_count(void *context, const struct plan_map *map, uint32_t stream,
		 const struct open_block *chunks, size_t nchunks,
		 struct nc3z_error *err);

#endif
