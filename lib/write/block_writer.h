/*
 * The way of a full block into the archive: choose filters, encode, append.
 *
 * The filters of a stream are searched on every BLOCK_WRITER_EPOCH-th block
 * and used for those that follow; a block that comes out much larger than the
 * one they were found on is searched by itself.  So what a block becomes
 * depends on its own bytes and those of the first block of its epoch, never on
 * timing.
 */
#ifndef NC3Z_WRITE_BLOCK_WRITER_H
#define NC3Z_WRITE_BLOCK_WRITER_H

#include "archive/archive.h"
#include "block/block.h"
#include "choose/choose.h"
#include "plan/plan_shape.h"

#define BLOCK_WRITER_EPOCH 16

/* What was found on the first block of an epoch. */
struct stream_recipe {
	struct block_recipe recipe;
	uint32_t raw_nbytes;
	uint32_t stored_nbytes;
};

struct block_writer {
	struct archive_writer *archive;
	struct choose_settings settings;
	const struct plan_hint *hints; /* one for each stream */
	struct stream_recipe *recipes; /* one for each stream */
	struct block_coder coder;
	struct block_stored stored;
	const struct buffer *plan; /* as bytes, for the identity */
};

int block_writer_init(struct block_writer *w, struct archive_writer *archive,
		      const struct choose_settings *settings,
		      const struct plan_hint *hints, uint32_t nstreams,
		      struct nc3z_error *err);

/* Encodes and appends a block; blocks of a stream come in order. */
int block_writer_put(struct block_writer *w, uint32_t stream, uint32_t block,
		     const uint8_t *raw, size_t raw_nbytes,
		     struct nc3z_error *err);

void block_writer_release(struct block_writer *w);

#endif
