/* SPDX-License-Identifier: MIT */
#include "context_input.h"

#include <zstd.h>

#include "base/bytes.h"

#define HEAD_NBYTES 5
#define HOLES 4
#define SYMBOLS 63
#define SUM 1024
#define LANES 4

bool context_input_open(struct context_input *in, const uint8_t *data,
			size_t nbytes)
{
	struct filter_elems *shape = &in->shape;
	size_t left, model_nbytes;
	const uint8_t *p;

	*in = (struct context_input){ 0 };
	if (nbytes < HEAD_NBYTES)
		return false;
	p = data + HEAD_NBYTES;
	left = nbytes - HEAD_NBYTES;
	shape->width = (uint8_t)(1u << data[0] % 4);
	shape->n = 1 + load_le16(data + 1) % CONTEXT_INPUT_NELEMS_MAX;
	shape->nkept = shape->n;
	if (data[0] & HOLES) {
		if (left < shape->n)
			return false;
		blob_put(&in->holes, p, shape->n);
		for (size_t i = 0; i < shape->n; i++) {
			in->holes.data[i] &= 1;
			shape->nkept -= in->holes.data[i];
		}
		shape->holes = in->holes.data;
		p += shape->n;
		left -= shape->n;
	}
	model_nbytes = load_le16(data + 3);
	if (model_nbytes > left)
		model_nbytes = left;
	blob_put(&in->model, p, model_nbytes);
	blob_put(&in->lanes, p + model_nbytes, left - model_nbytes);
	return shape->nkept > 0;
}

void context_input_close(struct context_input *in)
{
	blob_release(&in->holes);
	blob_release(&in->model);
	blob_release(&in->lanes);
}

struct blob context_input_store(const struct context_input *in)
{
	size_t room = ZSTD_compressBound(in->model.nbytes), nbytes;
	struct blob stored = { 0 };

	blob_le(&stored, 0, 4);
	nbytes = ZSTD_compress(blob_extend(&stored, room), room, in->model.data,
			       in->model.nbytes, 1);
	if (ZSTD_isError(nbytes))
		abort();
	stored.nbytes = 4 + nbytes;
	store_le32(stored.data, (uint32_t)nbytes);
	blob_put(&stored, in->lanes.data, in->lanes.nbytes);
	return stored;
}

static size_t count_tiles(const struct context_wish *wish)
{
	size_t nrows = (wish->n + wish->row - 1) / wish->row, tile_rows = 0;
	size_t plane_rows = wish->plane_rows ? wish->plane_rows :
					       (nrows + LANES - 1) / LANES;

	for (size_t r = 0; r < nrows; r++)
		tile_rows += r % plane_rows % 8 == 0;
	return tile_rows * ((wish->row + 15) / 16);
}

void context_model_make(const struct context_wish *wish, struct blob *model)
{
	const size_t npredictors = wish->npredictors, ntables = wish->ntables;
	const size_t nweights = wish->plane_rows ? 9 : 6;
	const size_t ncoefficients = wish->plane_rows ? 14 : 8;

	blob_le(model, CONTEXT_MODEL_BASE, 8);
	blob_le(model, wish->row, 4);
	blob_le(model, wish->plane_rows, 4);
	blob_le(model, npredictors, 1);
	blob_le(model, ntables, 1);
	blob_le(model, wish->nlevels, 1);
	blob_fill(model, 0, nweights);
	blob_fill(model, 0, (4 + 2 * ncoefficients) * npredictors);
	for (size_t i = npredictors > 1 ? count_tiles(wish) : 0; i > 0; i--)
		blob_le(model, i % npredictors, 1);
	for (size_t i = 0; i < 12u * wish->nlevels; i++)
		blob_le(model, i % ntables, 1);
	/* Low bytes, then high ones; the difference 0 has them all. */
	blob_fill(model, 0, SYMBOLS * ntables);
	for (size_t i = 0; i < SYMBOLS * ntables; i++)
		blob_le(model, i % SYMBOLS == 0 ? SUM / 256 : 0, 1);
}

void context_lanes_make(struct blob *lanes)
{
	for (unsigned i = 0; i < LANES; i++) {
		blob_le(lanes, 65536, 4); /* the least state */
		blob_le(lanes, 0, 8);
	}
}
