/*
 * The way of a full block into the archive: choose filters, encode, append.
 *
 * Each stream has a model: the filters that were found on one of its blocks,
 * and how small that block became.  Every 16th block is searched and becomes the
 * model; so does every fourth that comes out much larger than the model.  The
 * blocks between use the model.  So what a block becomes depends on the bytes
 * of its stream up to there, never on timing.
 */
#ifndef NC3Z_WRITE_BLOCK_WRITER_H
#define NC3Z_WRITE_BLOCK_WRITER_H

#include "archive/archive.h"
#include "block/block.h"
#include "choose/choose.h"
#include "plan/plan_shape.h"

#define MODEL_EPOCH 16
#define MODEL_CHECK 4

struct model {
	struct block_recipe recipe;
	uint32_t raw_nbytes;
	uint32_t stored_nbytes;
};

struct block_writer {
	struct archive_writer *archive;
	struct choose_settings settings;
	const struct plan_hint *hints; /* one for each stream */
	struct model *models;          /* one for each stream */
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
