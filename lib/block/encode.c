/*
 * Encoding: the parts that prepare.c made, one after the other, through their
 * filters and the codec; then the description.
 */
#include "block/internal.h"

static bool reserve_working_memory(struct block_coder *coder, size_t nbytes)
{
	return buffer_reserve(&coder->filtered, nbytes) &&
	       buffer_reserve(&coder->scratch, nbytes);
}

/* Filters: '*in_ret' is the result, in the coder's memory or 'raw' itself. */
static int apply_chain(struct block_coder *coder, const struct block_part *part,
		       const uint8_t *raw, const uint8_t **in_ret,
		       struct nc3z_error *err)
{
	*in_ret = raw;
	if (part->chain.nsteps == 0)
		return NC3Z_OK;
	if (!reserve_working_memory(coder, part->nbytes))
		return error_set_memory(err);
	filter_apply(&part->chain, part->width, raw, part->nbytes,
		     coder->filtered.data, coder->scratch.data);
	*in_ret = coder->filtered.data;
	return NC3Z_OK;
}

int block_encode_smaller(struct block_coder *coder,
			 const struct codec_settings *how, const uint8_t *in,
			 size_t in_nbytes, struct buffer *payload,
			 size_t *nbytes_ret, struct nc3z_error *err)
{
	struct codec_buffers buffers = {
		.in = in,
		.in_nbytes = in_nbytes,
		.out_nbytes = in_nbytes - 1,
	};

	if (!buffer_reserve(payload, payload->nbytes + in_nbytes))
		return error_set_memory(err);
	buffers.out = payload->data + payload->nbytes;
	NC3Z_TRY(codec_encode(&coder->codecs, how, &buffers, nbytes_ret, err));
	payload->nbytes += *nbytes_ret;
	return NC3Z_OK;
}

/* Encodes the bytes of a part whose width, chain and length are set. */
static int encode_part(struct block_coder *coder,
		       const struct block_recipe *recipe, const uint8_t *raw,
		       struct block_part *part, struct buffer *payload,
		       struct nc3z_error *err)
{
	struct codec_settings how = {
		.codec = recipe->codec,
		.level = recipe->level,
		.plane_nbytes = filter_plane_nbytes(&part->chain, part->width,
						    part->nbytes),
	};
	bool stores = recipe->codec == NC3Z_CODEC_STORE;
	size_t nbytes = 0;
	const uint8_t *in;

	NC3Z_TRY(apply_chain(coder, part, raw, &in, err));
	if (!stores)
		NC3Z_TRY(block_encode_smaller(coder, &how, in, part->nbytes,
					      payload, &nbytes, err));
	part->codec = recipe->codec;
	part->stored_nbytes = (uint32_t)nbytes;
	if (nbytes > 0)
		return NC3Z_OK;
	part->codec = NC3Z_CODEC_STORE;
	part->stored_nbytes = part->nbytes;
	/* Filters gain nothing then, but may have been asked for. */
	if (!stores)
		part->chain.nsteps = 0;
	return buffer_append(payload, stores ? in : raw, part->nbytes) ?
		       NC3Z_OK :
		       error_set_memory(err);
}

int block_encode_prepared(struct block_coder *coder,
			  const struct block_prepared *prepared,
			  const struct block_recipe *recipe,
			  struct block_stored *stored, struct nc3z_error *err)
{
	struct block_description d = prepared->description;

	stored->payload.nbytes = 0;
	stored->description.nbytes = 0;
	if (d.nsplits == 0) {
		d.parts[0].chain = recipe->chain;
		NC3Z_TRY(encode_part(coder, recipe, prepared->raw, &d.parts[0],
				     &stored->payload, err));
	}
	return block_description_write(&d, &stored->description) ?
		       NC3Z_OK :
		       error_set_memory(err);
}

int block_encode(struct block_coder *coder, const struct block_recipe *recipe,
		 const uint8_t *raw, size_t raw_nbytes,
		 struct block_stored *stored, struct nc3z_error *err)
{
	struct block_prepared prepared = { 0 };
	int status;

	status = block_prepare(coder, recipe, raw, raw_nbytes, &prepared, err);
	if (status == NC3Z_OK)
		status = block_encode_prepared(coder, &prepared, recipe, stored,
					       err);
	block_prepared_release(&prepared);
	return status;
}
