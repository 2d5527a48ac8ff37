/* SPDX-License-Identifier: MIT */
#include "exact/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/sizes.h"
#include "filter/filter.h"

void chunk_box_of(const struct exact_variable *v, uint64_t number,
		  struct chunk_box *box)
{
	for (size_t k = v->rank; k-- > 0;) {
		uint64_t n = exact_chunks_along(v, k);

		box->start[k] = number % n * v->chunks[k];
		box->count[k] =
			size_min(v->chunks[k], v->lengths[k] - box->start[k]);
		number /= n;
	}
}

static const struct filter_chain shuffle = {
	.nsteps = 1,
	.steps = { { .id = NC3Z_FILTER_SHUFFLE } }
};

/* What deflate gets. */
static int arrange(const struct exact_variable *v, const uint8_t *raw,
		   uint8_t *out, struct nc3z_error *err)
{
	size_t nbytes = (size_t)v->chunk_nbytes;
	uint8_t *scratch;

	if (!(v->flags & EXACT_SHUFFLED)) {
		byte_order_reverse(v->width, raw, nbytes / v->width, out);
		return NC3Z_OK;
	}
	scratch = malloc(nbytes);
	if (!scratch)
		return error_set_memory(err);
	filter_apply(&shuffle, v->width, raw, nbytes, out, scratch);
	free(scratch);
	return NC3Z_OK;
}

int chunk_encode(const struct exact_variable *v, struct chunk_encoder *encoder,
		 const uint8_t *raw, uint8_t *out, size_t *nbytes_ret,
		 struct nc3z_error *err)
{
	const struct codec_settings how = { .codec = NC3Z_CODEC_DEFLATE,
					    .level = encoder->level };
	struct codec_buffers buffers = {
		.in_nbytes = (size_t)v->chunk_nbytes,
		.out = out,
		.out_nbytes = (size_t)exact_stored_nbytes_max(v),
	};
	uint8_t *arranged;
	int status;

	if (!(v->flags & EXACT_DEFLATED)) {
		*nbytes_ret = buffers.in_nbytes;
		return arrange(v, raw, out, err);
	}
	arranged = malloc(buffers.in_nbytes);
	if (!arranged)
		return error_set_memory(err);
	buffers.in = arranged;
	status = arrange(v, raw, arranged, err);
	if (status == NC3Z_OK)
		status = codec_encode(&encoder->codecs, &how, &buffers,
				      nbytes_ret, err);
	free(arranged);
	return status;
}

int exact_inflate(const struct codec_buffers *buffers, struct nc3z_error *err)
{
	struct codec_state codecs = { 0 };
	int status = codec_decode(&codecs, NC3Z_CODEC_DEFLATE, buffers, err);

	codec_state_release(&codecs);
	return status;
}

int chunk_decode(const struct exact_variable *v, const uint8_t *stored,
		 size_t stored_nbytes, uint8_t *raw, struct nc3z_error *err)
{
	size_t nbytes = (size_t)v->chunk_nbytes, n = nbytes / v->width;
	const bool is_shuffled = (v->flags & EXACT_SHUFFLED) != 0;
	const struct filter_elems elems = { .width = v->width,
					    .n = n,
					    .nkept = n };
	uint8_t *coded = is_shuffled ? malloc(nbytes) : raw;
	const struct codec_buffers buffers = { stored, stored_nbytes, coded,
					       nbytes };
	int status = NC3Z_OK;

	if (!coded)
		return error_set_memory(err);
	if (v->flags & EXACT_DEFLATED)
		status = exact_inflate(&buffers, err);
	else
		memcpy(coded, stored, nbytes);
	/* Shuffle alone needs no room of its own. */
	if (status == NC3Z_OK && is_shuffled) {
		filter_restore(&shuffle, &elems, coded, raw, NULL);
		byte_order_big(v->width, raw, n, raw);
	} else if (status == NC3Z_OK) {
		byte_order_reverse(v->width, raw, n, raw);
	}
	if (is_shuffled)
		free(coded);
	return status;
}
