/* SPDX-License-Identifier: MIT */
/*
 * Bytes of the original sorted into the blocks of their streams.
 *
 * Bytes come in the order of the original; a linear stream has at most one
 * block that is being filled, a chunked one those of a band.  A block is handed
 * on when it is full, at the end of the original as far as it was filled.
 * Which bytes go where is the plan's arithmetic; how long the original is
 * becomes known at its end only.
 *
 * Where bands take more memory than is allowed, and the original can be read
 * again, some of their chunks are not filled when their bytes come: only the
 * CRC-32 of these is kept.  When such a chunk would be full, it is read again,
 * together with as many of those after it as there is room for.  So blocks are
 * handed on in the same order with any amount of memory, and an original that
 * has changed when it is read again is detected.
 *
 * Which chunks these are follows from the plan and the memory alone, so that it
 * can be rehearsed: the same steps without bytes.
 */
#ifndef NC3Z_WRITE_SORTER_H
#define NC3Z_WRITE_SORTER_H

#include "plan/walk.h"
#include "write/chunks_memory.h"
#include "write/refill.h"

/* Takes a block that is complete, and its memory, to be freed with free(). */
typedef int sorter_block_fn(void *context, uint32_t stream, uint32_t block,
			    uint8_t *raw, size_t raw_nbytes,
			    struct nc3z_error *err);

/*
 * Fills chunks of a stream, one after the other in it, that were put off:
 * 'filled_nbytes' bytes of each at its 'raw'; when rehearsing there are
 * neither.
 */
typedef int sorter_fill_fn(void *context, const struct plan_map *map,
			   uint32_t stream, const struct open_block *chunks,
			   size_t nchunks, struct nc3z_error *err);

/* The plan that bytes are sorted by, where blocks go, the source to reread. */
struct sorter_setup {
	const struct plan *plan;
	uint64_t max_nbytes;   /* for the chunks of bands */
	sorter_block_fn *take; /* NULL: this is a rehearsal */
	/* How chunks are filled later; both NULL: that cannot be done. */
	refill_read_fn *read;
	sorter_fill_fn *fill; /* goes before */
	void *context;
};

struct sorter {
	const struct plan *plan;
	struct plan_map map; /* of an original without end */
	struct plan_walk walk;
	struct open_block *open;
	uint64_t *first_open; /* of each stream; one more: how many there are */
	uint64_t position;    /* in the original */
	sorter_block_fn *take;
	sorter_fill_fn *fill;
	void *context;
	struct refill refill;
	uint64_t chunk_nbytes;     /* of chunks that are open and not put off */
	uint64_t most_nbytes;      /* that these ever had */
	uint64_t max_chunk_nbytes; /* room for those that are opened, */
	uint64_t max_nbytes;       /* and for those that are read again */
};

/*
 * NC3Z_ELIMIT if bands of chunks take more than is allowed and the original
 * cannot be read again, or if they have too many chunks even so.
 */
int sorter_init(struct sorter *sorter, const struct sorter_setup *setup,
		struct nc3z_error *err);

/*
 * Begins in the middle of the original, after 'position' bytes of it: blocks
 * that are open there are filled by reading these again, for which there must
 * be a function.  NC3Z_ELIMIT, NC3Z_ENOMEM, and what reading returns.
 */
int sorter_start(struct sorter *sorter, uint64_t position,
		 struct nc3z_error *err);

/* The next bytes of the original. */
int sorter_put(struct sorter *sorter, const uint8_t *data, size_t data_nbytes,
	       struct nc3z_error *err);

/* The original ends here; 'map' is the plan's for its size. */
int sorter_end(struct sorter *sorter, const struct plan_map *map,
	       struct nc3z_error *err);

/*
 * In place of these two, when rehearsing: goes through an original of 'size'
 * bytes, chunk by chunk.
 */
int sorter_rehearse(struct sorter *sorter, uint64_t size,
		    struct nc3z_error *err);

void sorter_release(struct sorter *sorter);

#endif
