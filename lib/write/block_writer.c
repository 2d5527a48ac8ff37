#include "write/block_writer.h"

#include <stdlib.h>
#include <string.h>

/* "Much larger": 15 % per byte. */
#define WORSE_NUMERATOR 23
#define WORSE_DENOMINATOR 20

int block_writer_init(struct block_writer *w, struct archive_writer *archive,
		      const struct choose_settings *settings,
		      const struct plan_hint *hints, uint32_t nstreams,
		      struct nc3z_error *err)
{
	*w = (struct block_writer){
		.archive = archive,
		.settings = *settings,
		.hints = hints,
		.models = memory_alloc(nstreams, sizeof(*w->models)),
	};
	return w->models ? NC3Z_OK : error_set_memory(err);
}

void block_writer_release(struct block_writer *w)
{
	free(w->models);
	block_coder_release(&w->coder);
	block_stored_release(&w->stored);
	*w = (struct block_writer){ 0 };
}

static uint32_t stored_nbytes(const struct block_writer *w)
{
	return (uint32_t)(w->stored.description.nbytes +
			  w->stored.payload.nbytes);
}

static int encode_with(struct block_writer *w, const struct model *model,
		       const uint8_t *raw, size_t raw_nbytes,
		       struct nc3z_error *err)
{
	return block_encode(&w->coder, &model->recipe, raw, raw_nbytes,
			    &w->stored, err);
}

/* Searches the filters for a block and encodes it with them. */
static int make_model(struct block_writer *w, uint32_t stream,
		      const uint8_t *raw, size_t raw_nbytes,
		      struct model *model, struct nc3z_error *err)
{
	const struct plan_hint *hint = &w->hints[stream];
	struct choose_input input = {
		.hint = {
			.width = hint->width,
			.is_float = hint->is_float,
			.is_text = hint->is_text,
			.row_nelems = hint->row_nelems,
			.plane_nelems = hint->plane_nelems,
		},
		.raw = raw,
		.raw_nbytes = raw_nbytes,
	};

	NC3Z_TRY(choose_recipe(&w->coder, &w->settings, &input, &model->recipe,
			       err));
	NC3Z_TRY(encode_with(w, model, raw, raw_nbytes, err));
	model->raw_nbytes = (uint32_t)raw_nbytes;
	model->stored_nbytes = stored_nbytes(w);
	return NC3Z_OK;
}

static bool is_much_worse(const struct model *model, uint64_t raw_nbytes,
			  uint64_t nbytes)
{
	return nbytes * model->raw_nbytes * WORSE_DENOMINATOR >
	       (uint64_t)model->stored_nbytes * raw_nbytes * WORSE_NUMERATOR;
}

static int encode(struct block_writer *w, uint32_t stream, uint32_t block,
		  const uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct model *model = &w->models[stream];

	if (block % MODEL_EPOCH == 0)
		return make_model(w, stream, raw, raw_nbytes, model, err);
	NC3Z_TRY(encode_with(w, model, raw, raw_nbytes, err));
	if (block % MODEL_CHECK != 0 ||
	    !is_much_worse(model, raw_nbytes, stored_nbytes(w)))
		return NC3Z_OK;
	return make_model(w, stream, raw, raw_nbytes, model, err);
}

static int append(struct block_writer *w, struct archive_block *block,
		  bool *collides_ret, struct nc3z_error *err)
{
	block->description = w->stored.description.data;
	block->description_nbytes = w->stored.description.nbytes;
	block->payload = w->stored.payload.data;
	block->payload_nbytes = w->stored.payload.nbytes;
	return archive_writer_block(w->archive, block, collides_ret, err);
}

/*
 * Stores a block whose encoded form looks like another format at the wrong
 * place, as differences of ever longer stride until it does not.
 */
static int append_disguised(struct block_writer *w, struct archive_block *block,
			    const uint8_t *raw, struct nc3z_error *err)
{
	bool collides = true;

	for (uint32_t stride = 1; collides; stride++) {
		struct block_recipe recipe = {
			.width = 1,
			.codec = NC3Z_CODEC_STORE,
		};

		if (stride > block->raw_nbytes)
			return error_set(err, NC3Z_ELIMIT,
					 "archive would look like an HDF5 "
					 "file");
		filter_chain_add(&recipe.chain, FILTER_DELTA, stride);
		NC3Z_TRY(block_encode(&w->coder, &recipe, raw,
				      block->raw_nbytes, &w->stored, err));
		NC3Z_TRY(append(w, block, &collides, err));
	}
	return NC3Z_OK;
}

/* The identity of the archive: plan and first raw block. */
static int set_identity(struct block_writer *w, const uint8_t *raw,
			size_t raw_nbytes, struct nc3z_error *err)
{
	return archive_identity(w->plan->data, w->plan->nbytes, raw, raw_nbytes,
				w->archive->identity, err);
}

int block_writer_put(struct block_writer *w, uint32_t stream, uint32_t block,
		     const uint8_t *raw, size_t raw_nbytes,
		     struct nc3z_error *err)
{
	struct archive_block record = {
		.stream = stream,
		.block = block,
		.raw_nbytes = (uint32_t)raw_nbytes,
		.raw_crc = crc32_of(raw, raw_nbytes),
	};
	bool collides;

	if (w->archive->index.nblocks == 0)
		NC3Z_TRY(set_identity(w, raw, raw_nbytes, err));
	NC3Z_TRY(encode(w, stream, block, raw, raw_nbytes, err));
	NC3Z_TRY(append(w, &record, &collides, err));
	return collides ? append_disguised(w, &record, raw, err) : NC3Z_OK;
}
