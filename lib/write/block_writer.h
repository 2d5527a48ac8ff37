/* SPDX-License-Identifier: MIT */
/*
 * The way of full blocks into the archive: a pool of threads chooses filters
 * and encodes, the caller's thread appends what comes out, in the order in
 * which the blocks were put in.
 */
#ifndef NC3Z_WRITE_BLOCK_WRITER_H
#define NC3Z_WRITE_BLOCK_WRITER_H

#include "archive/archive.h"
#include "choose/choose.h"
#include "parallel/pool.h"
#include "plan/shape.h"
#include "write/equal_blocks.h"
#include "write/recipe_cache.h"

struct block_writer {
	struct archive_writer *archive;
	struct choose_settings settings;
	const struct plan_hint *hints;     /* one for each stream */
	const struct plan_stream *streams; /* of these */
	const struct buffer *plan;         /* as bytes, for the identity */
	struct recipe_cache *recipe_cache;
	struct pool *pool;
	struct chooser *choosers;         /* one for each worker */
	struct pack_job *spare;           /* jobs to be used again */
	struct older *older;              /* NULL: none */
	struct older_block *older_blocks; /* one for each worker */
	struct equal_blocks equal;
	bool has_identity;
	uint64_t ncopied; /* of the older archive's */
};

/* The parts a block writer works with; all of them outlive it. */
struct block_writer_setup {
	struct archive_writer *archive;
	struct choose_settings settings;
	const struct plan_hint *hints;
	const struct plan_stream *streams;
	const struct buffer *plan;
	struct older *older; /* NULL: none */
	uint32_t nstreams;
	uint32_t block_nbytes; /* the largest */
	unsigned nthreads;
};

int block_writer_init(struct block_writer *w,
		      const struct block_writer_setup *setup,
		      struct nc3z_error *err);

/*
 * Takes a block, whose memory ('raw', from malloc()) is then the block
 * writer's, also after a failure.  Blocks of a stream come in order.  A
 * failure may be that of an earlier block.
 */
int block_writer_put(struct block_writer *w, uint32_t stream, uint32_t block,
		     uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err);

/*
 * The same for a block that is in another part of the archive: it is encoded
 * for the cached recipes that it leaves, and not appended.  What the first
 * blocks of a part use comes from the blocks of their stream from the last one
 * on that RECIPE_EPOCH divides, of which each that RECIPE_CHECK divides has to
 * be rehearsed.
 */
int block_writer_rehearse(struct block_writer *w, uint32_t stream,
			  uint32_t block, uint8_t *raw, size_t raw_nbytes,
			  struct nc3z_error *err);

/* Waits until all blocks have been appended. */
int block_writer_finish(struct block_writer *w, struct nc3z_error *err);

void block_writer_release(struct block_writer *w);

#endif
