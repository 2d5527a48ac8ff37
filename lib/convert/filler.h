/* SPDX-License-Identifier: MIT */
/*
 * Chunks of an archive that is written, filled from the blocks of the one that
 * is read: what packing does with those that it has put off (write/sorter.h).
 *
 * For chunks that are filled together, each block that has bytes of them is
 * decoded once, in any layout.  That takes memory for a
 * block in each thread, and for a list of what blocks have of which chunks.
 * The set of these blocks is known beforehand.
 */
#ifndef NC3Z_CONVERT_FILLER_H
#define NC3Z_CONVERT_FILLER_H

#include "restore/decodings.h"
#include "convert/filler_touch.h"
#include "parallel/crew.h"

/* Zero-initialised it is empty. */
struct filler {
	struct decodings *decodings; /* what is counted in a rehearsal */

	/* The rest is its own. */
	struct crew crew; /* whose buffers are for blocks */
	/* The chunks that are being filled, and what they touch. */
	struct filler_touches touches;
};

/*
 * A filler for the chunks of 'target', which is made from the header of 'file'.
 * File and decodings outlive it.  NC3Z_OK, NC3Z_ENOMEM, NC3Z_EIO (threads
 * cannot be had).
 */
int filler_init(struct filler *filler, struct nc3z_file *file,
		const struct plan *target, unsigned nthreads,
		struct nc3z_error *err);

void filler_release(struct filler *filler);

/*
 * A sorter_fill_fn; the context is a filler.  Returns what nc3z_pread()
 * returns; NC3Z_EDAMAGED for chunks of another plan than 'target'.
 */
int filler_fill(void *context, const struct plan_map *map, uint32_t stream,
		const struct open_block *chunks, size_t nchunks,
		struct nc3z_error *err);

/* The same for a rehearsal: adds to filler->decodings what that decodes. */
int filler_count(void *context, const struct plan_map *map, uint32_t stream,
		 const struct open_block *chunks, size_t nchunks,
		 struct nc3z_error *err);

#endif
