#include "block/block.h"

void block_coder_release(struct block_coder *coder)
{
	codec_state_release(&coder->codecs);
	buffer_release(&coder->filtered);
	buffer_release(&coder->scratch);
}

static bool reserve_working_memory(struct block_coder *coder, size_t nbytes)
{
	return buffer_reserve(&coder->filtered, nbytes) &&
	       buffer_reserve(&coder->scratch, nbytes);
}

static bool ends_in_shuffle(const struct filter_chain *chain)
{
	return chain->nsteps > 0 &&
	       chain->steps[chain->nsteps - 1].id == FILTER_SHUFFLE;
}

void block_stored_release(struct block_stored *stored)
{
	buffer_release(&stored->description);
	buffer_release(&stored->payload);
}

/* Filters: '*in_ret' is the result, in the coder's memory or 'raw' itself. */
static int apply_chain(struct block_coder *coder,
		       const struct block_recipe *recipe, const uint8_t *raw,
		       size_t raw_nbytes, const uint8_t **in_ret,
		       struct nc3z_error *err)
{
	*in_ret = raw;
	if (recipe->chain.nsteps == 0)
		return NC3Z_OK;
	if (!reserve_working_memory(coder, raw_nbytes))
		return error_set_memory(err);
	filter_apply(&recipe->chain, recipe->width, raw, raw_nbytes,
		     coder->filtered.data, coder->scratch.data);
	*in_ret = coder->filtered.data;
	return NC3Z_OK;
}

/* Encodes; the payload stays empty if that is not smaller. */
static int encode_smaller(struct block_coder *coder,
			  const struct block_recipe *recipe, const uint8_t *in,
			  size_t in_nbytes, struct buffer *payload,
			  struct nc3z_error *err)
{
	struct codec_settings how = {
		.codec = recipe->codec,
		.level = recipe->level,
	};
	struct codec_buffers buffers = {
		.in = in,
		.in_nbytes = in_nbytes,
		.out = payload->data,
		.out_nbytes = in_nbytes - 1,
	};

	if (ends_in_shuffle(&recipe->chain))
		how.plane_nbytes = in_nbytes / recipe->width;
	return codec_encode(&coder->codecs, &how, &buffers, &payload->nbytes,
			    err);
}

int block_encode(struct block_coder *coder, const struct block_recipe *recipe,
		 const uint8_t *raw, size_t raw_nbytes,
		 struct block_stored *stored, struct nc3z_error *err)
{
	struct block_description d = { .nparts = 1 };
	struct block_part *part = &d.parts[0];
	struct buffer *payload = &stored->payload;
	bool stores = recipe->codec == NC3Z_CODEC_STORE;
	const uint8_t *in;

	*part = (struct block_part){
		.codec = recipe->codec,
		.width = recipe->width,
		.chain = recipe->chain,
		.nbytes = (uint32_t)raw_nbytes,
	};
	payload->nbytes = 0;
	if (!buffer_reserve(payload, raw_nbytes))
		return error_set_memory(err);
	NC3Z_TRY(apply_chain(coder, recipe, raw, raw_nbytes, &in, err));
	if (!stores)
		NC3Z_TRY(encode_smaller(coder, recipe, in, raw_nbytes, payload,
					err));
	if (payload->nbytes == 0) {
		part->codec = NC3Z_CODEC_STORE;
		/* Filters gain nothing then, but may have been asked for. */
		part->chain.nsteps = stores ? recipe->chain.nsteps : 0;
		buffer_append(payload, stores ? in : raw, raw_nbytes);
	}
	part->stored_nbytes = (uint32_t)payload->nbytes;
	stored->description.nbytes = 0;
	if (!block_description_write(&d, &stored->description))
		return error_set_memory(err);
	return NC3Z_OK;
}

static int decode_part(struct block_coder *coder, const struct block_part *part,
		       const uint8_t *stored, uint8_t *out,
		       struct nc3z_error *err)
{
	struct codec_buffers buffers = {
		.in = stored,
		.in_nbytes = part->stored_nbytes,
		.out = out,
		.out_nbytes = part->nbytes,
	};

	if (part->chain.nsteps == 0)
		return codec_decode(&coder->codecs, part->codec, &buffers, err);
	if (!reserve_working_memory(coder, part->nbytes))
		return error_set_memory(err);
	buffers.out = coder->filtered.data;
	NC3Z_TRY(codec_decode(&coder->codecs, part->codec, &buffers, err));
	filter_invert(&part->chain, part->width, coder->filtered.data,
		      part->nbytes, out, coder->scratch.data);
	return NC3Z_OK;
}

int block_decode(struct block_coder *coder, const struct block_view *stored,
		 uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct block_description d;

	NC3Z_TRY(block_description_read(stored, raw_nbytes, &d, err));
	/* Without splitting steps the one part is the block. */
	if (d.parts[0].nbytes != raw_nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "part of %lu bytes in a block of %lu",
				 (unsigned long)d.parts[0].nbytes,
				 (unsigned long)raw_nbytes);
	return decode_part(coder, &d.parts[0], stored->payload, raw, err);
}
