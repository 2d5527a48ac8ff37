/* SPDX-License-Identifier: MIT */
/*
 * Encoding: what prepare.c made, through filters and codec; then the
 * description.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "block/internal.h"

static bool reserve_working_memory(struct block_coder *coder, size_t nbytes)
{
	return buffer_reserve(&coder->filtered, nbytes) &&
	       buffer_reserve(&coder->scratch, nbytes);
}

int block_encode_smaller(struct block_coder *coder,
			 const struct codec_settings *how,
			 struct block_bytes in, struct buffer *payload,
			 size_t *nbytes_ret, struct nc3z_error *err)
{
	struct codec_buffers buffers = {
		.in = in.data,
		.in_nbytes = in.nbytes,
		.out_nbytes = in.limit - 1,
	};

	if (!buffer_reserve(payload, payload->nbytes + in.limit))
		return error_set_memory(err);
	buffers.out = payload->data + payload->nbytes;
	NC3Z_TRY(codec_encode(&coder->codecs, how, &buffers, nbytes_ret, err));
	payload->nbytes += *nbytes_ret;
	return NC3Z_OK;
}

/* A part that is filtered, and where it goes. */
struct filtered_part {
	const uint8_t *in;
	size_t plane_nbytes; /* see struct codec_settings */
	struct block_part *part;
	struct buffer *payload;
};

/*
 * Moves the last 'nbytes' bytes of the payload, which a codec has made of a
 * part, to where 'before' bytes of another one were.
 */
static void put_in_place(struct buffer *payload, size_t before, uint8_t codec,
			 size_t nbytes, struct block_part *part)
{
	uint8_t *data = payload->data + payload->nbytes - nbytes;

	memmove(data - before, data, nbytes);
	payload->nbytes -= before;
	part->codec = codec;
	part->stored_nbytes = (uint32_t)nbytes;
}

/*
 * Appends what the codec makes of a part, in place of what another has made of
 * it, if it is less than 'limit'.
 */
static int try_codec(struct block_coder *coder,
		     const struct codec_settings *how, size_t limit,
		     const struct filtered_part *f, struct nc3z_error *err)
{
	struct block_part *part = f->part;
	struct buffer *payload = f->payload;
	struct block_bytes bytes = { f->in, part->nbytes, limit };
	bool is_first = part->codec == NC3Z_CODEC_STORE;
	size_t nbytes;

	NC3Z_TRY(
		block_encode_smaller(coder, how, bytes, payload, &nbytes, err));
	if (nbytes > 0)
		put_in_place(payload, is_first ? 0 : part->stored_nbytes,
			     how->codec, nbytes, part);
	return NC3Z_OK;
}

/* Parts up to this size cost little, whatever is tried. */
#define SHORT_NBYTES ((size_t)64 << 10)

/*
 * LZMA is tried where the codec leaves at least 1 / LZMA_SHARE of a part: of
 * less it hardly gains, and takes longest.  It is read slowly, and has to be
 * smaller by 1 / LZMA_GAIN.
 */
#define LZMA_SHARE 16
#define LZMA_GAIN 50

/*
 * LZMA has to make less than so much of a part; 0: it need not be tried, as
 * that is less than two fifths of what the codec leaves.  Of 1,671 parts of 18
 * files LZMA left 0.446 times as much or more.
 */
static size_t limit_of_lzma(const struct block_recipe *recipe, size_t before)
{
	size_t limit = before - before / LZMA_GAIN;

	if (recipe->too_many_nbytes > 0)
		limit = (size_t)size_min(limit, recipe->too_many_nbytes);
	return limit < before / 5 * 2 ? 0 : limit;
}

static int try_fastest(struct block_coder *coder,
		       const struct block_recipe *recipe,
		       const struct filtered_part *f, struct nc3z_error *err)
{
	const struct codec_settings how = {
		.codec = recipe->codec,
		.level = codec_level(recipe->codec, 1),
		.plane_nbytes = f->plane_nbytes,
	};

	return recipe->others >> recipe->codec & 1 ?
		       try_codec(coder, &how, f->part->stored_nbytes, f, err) :
		       NC3Z_OK;
}

static int try_lzma(struct block_coder *coder,
		    const struct block_recipe *recipe,
		    const struct filtered_part *f, struct nc3z_error *err)
{
	const size_t nbytes = f->part->nbytes, left = f->part->stored_nbytes;
	const size_t limit = limit_of_lzma(recipe, left);
	const struct codec_settings how = {
		.codec = NC3Z_CODEC_LZMA,
		.level = codec_level(NC3Z_CODEC_LZMA, recipe->others_level),
		.plane_nbytes = f->plane_nbytes,
	};

	if (!(recipe->others >> NC3Z_CODEC_LZMA & 1) || limit == 0 ||
	    (nbytes > SHORT_NBYTES && left < nbytes / LZMA_SHARE))
		return NC3Z_OK;
	return try_codec(coder, &how, limit, f, err);
}

/*
 * Encodes the filtered part 'in' with the codec that makes least of it, or
 * stores it where none makes it smaller.
 */
static int finish_part(struct block_coder *coder,
		       const struct block_recipe *recipe, const uint8_t *in,
		       struct block_part *part, struct buffer *payload,
		       struct nc3z_error *err)
{
	const struct filtered_part f = {
		.in = in,
		.plane_nbytes = filter_plane_nbytes(&part->chain, part->width,
						    part->nbytes),
		.part = part,
		.payload = payload,
	};
	const struct codec_settings how = {
		.codec = recipe->codec,
		.level = recipe->level,
		.plane_nbytes = f.plane_nbytes,
	};

	part->codec = NC3Z_CODEC_STORE;
	part->stored_nbytes = part->nbytes;
	if (recipe->codec != NC3Z_CODEC_STORE)
		NC3Z_TRY(try_codec(coder, &how, part->nbytes, &f, err));
	NC3Z_TRY(try_fastest(coder, recipe, &f, err));
	NC3Z_TRY(try_lzma(coder, recipe, &f, err));
	if (part->codec != NC3Z_CODEC_STORE)
		return NC3Z_OK;
	return buffer_append(payload, in, part->nbytes) ? NC3Z_OK :
							  error_set_memory(err);
}

int block_encode_part(struct block_coder *coder,
		      const struct block_recipe *recipe, const uint8_t *raw,
		      struct block_part *part, struct buffer *payload,
		      struct nc3z_error *err)
{
	size_t before = payload->nbytes;

	if (part->chain.nsteps == 0)
		return finish_part(coder, recipe, raw, part, payload, err);
	if (!reserve_working_memory(coder, part->nbytes))
		return error_set_memory(err);
	filter_apply(&part->chain, part->width, raw, part->nbytes,
		     coder->filtered.data, coder->scratch.data);
	NC3Z_TRY(finish_part(coder, recipe, coder->filtered.data, part, payload,
			     err));
	/* Filters that gained nothing need not be undone. */
	if (part->codec == NC3Z_CODEC_STORE &&
	    recipe->codec != NC3Z_CODEC_STORE) {
		memcpy(payload->data + before, raw, part->nbytes);
		part->chain.nsteps = 0;
	}
	return NC3Z_OK;
}

void block_main_chain(const struct block_prepared *prepared,
		      const struct block_recipe *recipe,
		      struct filter_chain *chain_ret)
{
	const struct block_description *d = &prepared->description;
	bool is_integer = block_has_integers(prepared);
	uint8_t width;

	*chain_ret = recipe->chain;
	if (d->nsplits == 0 || d->nparts == 0)
		return;
	width = d->parts[d->nparts - 1].width;
	*chain_ret = (struct filter_chain){ 0 };
	for (unsigned i = 0; i < recipe->chain.nsteps; i++) {
		const struct filter_step *step = &recipe->chain.steps[i];

		if ((is_integer && filter_is_of_floats(step->id)) ||
		    (step->id == NC3Z_FILTER_SHUFFLE && width == 1))
			continue;
		filter_chain_add(chain_ret, step->id, step->stride);
	}
}

/*
 * Runs the steps before the layout over the main part of a block that was
 * split, in coder->filtered and coder->scratch; '*elems_ret' are the elements
 * that are left.
 */
static int predict(struct block_coder *coder,
		   const struct block_prepared *prepared, uint8_t width,
		   const struct filter_chain *chain, const uint8_t **elems_ret,
		   struct nc3z_error *err)
{
	const size_t nbytes = prepared->nelems * width;
	const struct filter_elems elems = {
		.width = width,
		.n = prepared->nelems,
		.holes = prepared->has_holes ? prepared->holes.data : NULL,
		.nkept = prepared->nkept,
	};
	uint8_t *out, *scratch;

	if (!reserve_working_memory(coder, nbytes))
		return error_set_memory(err);
	out = coder->filtered.data;
	scratch = coder->scratch.data;
	memcpy(filter_place(chain, out, scratch), prepared->main.data, nbytes);
	*elems_ret = filter_predict(chain, &elems, out, scratch);
	return NC3Z_OK;
}

/* The main part of a block that was split. */
static int encode_main(struct block_coder *coder,
		       const struct block_prepared *prepared,
		       const struct block_recipe *recipe,
		       struct block_part *part, struct buffer *payload,
		       struct nc3z_error *err)
{
	const uint8_t *elems = NULL;

	block_main_chain(prepared, recipe, &part->chain);
	NC3Z_TRY(predict(coder, prepared, part->width, &part->chain, &elems,
			 err));
	/* Without filters, parts are big-endian. */
	if (part->chain.nsteps == 0)
		filter_store(part->width, elems, prepared->nkept,
			     coder->filtered.data);
	else
		filter_lay_out(&part->chain, part->width, prepared->nkept,
			       coder->filtered.data, coder->scratch.data);
	return finish_part(coder, recipe, coder->filtered.data, part, payload,
			   err);
}

/* As it is, when nothing has helped. */
static int store(const struct block_prepared *prepared,
		 struct block_description *d, struct block_stored *stored,
		 struct nc3z_error *err)
{
	*d = (struct block_description){ .nparts = 1 };
	d->parts[0].width = 1;
	d->parts[0].nbytes = (uint32_t)prepared->raw_nbytes;
	d->parts[0].stored_nbytes = (uint32_t)prepared->raw_nbytes;
	stored->payload.nbytes = 0;
	stored->description.nbytes = 0;
	if (!buffer_append(&stored->payload, prepared->raw,
			   prepared->raw_nbytes) ||
	    !block_description_write(d, &stored->description))
		return error_set_memory(err);
	return NC3Z_OK;
}

int block_encode_prepared(struct block_coder *coder,
			  const struct block_prepared *prepared,
			  const struct block_recipe *recipe,
			  struct block_stored *stored, struct nc3z_error *err)
{
	struct block_description d = prepared->description;

	stored->payload.nbytes = 0;
	stored->description.nbytes = 0;
	/* A payload of no bytes has an address all the same. */
	if (!buffer_reserve(&stored->payload, 1))
		return error_set_memory(err);
	if (d.nsplits == 0) {
		d.parts[0].chain = recipe->chain;
		NC3Z_TRY(block_encode_part(coder, recipe, prepared->raw,
					   &d.parts[0], &stored->payload, err));
	} else if (d.nparts > 0) {
		if (!buffer_append(&stored->payload, prepared->sides.data,
				   prepared->sides.nbytes))
			return error_set_memory(err);
		NC3Z_TRY(encode_main(coder, prepared, recipe,
				     &d.parts[d.nparts - 1], &stored->payload,
				     err));
	}
	if (!block_description_write(&d, &stored->description))
		return error_set_memory(err);
	stored->codecs = 0;
	for (unsigned i = 0; i < d.nparts; i++)
		stored->codecs |= (uint8_t)(1u << d.parts[i].codec);
	if (d.nsplits > 0 && stored->payload.nbytes >= prepared->raw_nbytes)
		return store(prepared, &d, stored, err);
	return NC3Z_OK;
}

int block_encode(struct block_coder *coder, const struct block_recipe *recipe,
		 const uint8_t *raw, size_t raw_nbytes,
		 struct block_stored *stored, struct nc3z_error *err)
{
	if (!coder->prepared)
		coder->prepared = calloc(1, sizeof(*coder->prepared));
	if (!coder->prepared)
		return error_set_memory(err);
	NC3Z_TRY(block_prepare(coder, recipe, raw, raw_nbytes, coder->prepared,
			       err));
	return block_encode_prepared(coder, coder->prepared, recipe, stored,
				     err);
}
