/* SPDX-License-Identifier: MIT */
/*
 * Encoding: a model is chosen, elements become symbols and raw bits, in the
 * order of the lanes, and lanes are written from their last symbol to their
 * first, as rANS wants it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sizes.h"
#include "context/context.h"
#include "context/lanes.h"
#include "context/predictors.h"
#include "context/rows.h"
#include "context/tables.h"
#include "context/weights.h"

/* Of fewer elements the model costs more than it gains. */
#define NELEMS_MIN 1024
/* The level of zstd for the model. */
#define MODEL_LEVEL 19

/* An element as it is coded. */
struct coded {
	uint16_t context;
	uint16_t bits;
	uint8_t symbol;
};

struct lane {
	struct coded *coded;
	size_t n;
};

struct encoder {
	const struct context_field *field;
	size_t limit;
	struct context_model model;
	struct context_grid grid;
	struct context_logs logs;
	struct context_row row;
	struct lane lanes[CONTEXT_LANES];
	struct context_counts counts;
	uint16_t starts[CONTEXT_TABLES_MAX][CONTEXT_SYMBOLS];
};

#define DEFINE_RANGE(bits) \
	/* The least element and the range, of elements as signed or not. */ \
	static uint64_t range_##bits(const struct filter_elems *shape, \
				     const void *elems, uint64_t flip, \
				     uint64_t *base_ret) \
	{ \
		const uint##bits##_t *x = elems; \
		uint##bits##_t least = (uint##bits##_t) ~0u, most = 0; \
\
		for (size_t i = 0; i < shape->n; i++) { \
			uint##bits##_t v = (uint##bits##_t)(x[i] ^ flip); \
\
			if (shape->holes && shape->holes[i]) \
				continue; \
			least = v < least ? v : least; \
			most = v > most ? v : most; \
		} \
		*base_ret = (uint##bits##_t)(least ^ flip); \
		return (uint##bits##_t)(most - least); \
	} \
\
	/* A row of values; holes take what is to their left. */ \
	static void load_##bits(const struct encoder *e, size_t first, \
				size_t n, uint16_t west, uint16_t *values) \
	{ \
		const uint##bits##_t *x = e->field->elems; \
		const uint8_t *holes = e->field->shape.holes; \
\
		for (size_t i = 0; i < n; i++) { \
			if (!holes || !holes[first + i]) \
				west = (uint16_t)(uint##bits##_t)( \
					x[first + i] - e->model.base); \
			values[i] = west; \
		} \
	}

DEFINE_RANGE(8)
DEFINE_RANGE(16)
DEFINE_RANGE(32)

static uint64_t range_of(const struct context_field *field, uint64_t flip,
			 uint64_t *base_ret)
{
	const struct filter_elems *shape = &field->shape;

	return shape->width == 1 ?
		       range_8(shape, field->elems, flip, base_ret) :
	       shape->width == 2 ?
		       range_16(shape, field->elems, flip, base_ret) :
		       range_32(shape, field->elems, flip, base_ret);
}

/* Finds the base; false if values do not fit 16 bits. */
static bool find_base(const struct context_field *field, uint64_t *base_ret)
{
	uint64_t top = UINT64_C(1) << (8 * field->shape.width - 1);
	uint64_t base, signed_base;
	uint64_t range = range_of(field, 0, &base);
	uint64_t signed_range = range_of(field, top, &signed_base);

	*base_ret = signed_range < range ? signed_base : base;
	return (signed_range < range ? signed_range : range) <= UINT16_MAX;
}

static bool suits(const struct context_field *field)
{
	const struct filter_elems *shape = &field->shape;

	return shape->width <= 4 && shape->nkept >= NELEMS_MIN &&
	       field->row >= CONTEXT_ROW_MIN && field->row <= shape->n;
}

static void load_values(struct encoder *e)
{
	struct context_grid *grid = &e->grid;
	uint8_t width = e->field->shape.width;

	for (size_t r = 0; r < grid->nrows; r++) {
		size_t z = r / grid->plane_rows, y = r % grid->plane_rows;
		size_t n = context_grid_row_elems(grid, z, y);
		uint16_t *values =
			grid->values + context_grid_place(grid, z, y);
		struct context_near near;
		uint16_t west;

		context_grid_near(grid, z, y, &near);
		west = grid->values[near.n];
		if (width == 1)
			load_8(e, r * grid->row, n, west, values);
		else if (width == 2)
			load_16(e, r * grid->row, n, west, values);
		else
			load_32(e, r * grid->row, n, west, values);
		context_grid_end_row(grid, z, y);
	}
}

/* The symbol for a difference, and its raw bits. */
static uint8_t symbol_of(int16_t difference, uint16_t *bits_ret)
{
	uint32_t magnitude = context_magnitude(difference);
	unsigned sign = difference < 0, e;

	*bits_ret = 0;
	if (magnitude < 4)
		return (uint8_t)(magnitude > 0 ? 2 * magnitude - 1 + sign : 0);
	e = 30 - (unsigned)__builtin_clz(magnitude);
	*bits_ret = (uint16_t)(magnitude & ((1u << e) - 1));
	return (uint8_t)(7 + 4 * (e - 1) + 2 * (magnitude >> e & 1) + sign);
}

/*
 * Codes a span, whose values are there, with what is to its left, and sets what
 * was missed.
 */
static struct coded *code_span(const struct encoder *e,
			       const struct context_span *span,
			       struct context_west *west, struct coded *coded)
{
	const struct context_grid *grid = &e->grid;
	const struct context_row *row = &e->row;
	const uint8_t *weights = e->model.weights, *holes = NULL;
	const size_t place =
		context_grid_place(grid, span->z, span->y) + span->first;

	if (e->field->shape.holes)
		holes = e->field->shape.holes +
			(span->z * grid->plane_rows + span->y) * grid->row +
			span->first;
	context_row_prepare(&e->model, grid, span, row);
	for (size_t x = 0; x < span->n; x++) {
		uint32_t p = row->sums[x] + row->w[x] * west->w +
			     row->ww[x] * west->ww;
		uint32_t activity =
			row->activity[x] +
			weights[CONTEXT_MISS_W] * west->magnitude +
			weights[CONTEXT_MISS_WW] * west->magnitude_ww;
		uint16_t value = grid->values[place + x];
		int16_t miss = (int16_t)west->miss;

		if (!holes || !holes[x]) {
			miss = context_wrap((uint32_t)value -
					    context_predicted(p));
			coded->context =
				(uint16_t)(context_level(activity) *
						   CONTEXT_LEVEL_CONTEXTS +
					   context_in_level(activity,
							    west->miss, p));
			coded->symbol = symbol_of(miss, &coded->bits);
			coded++;
		}
		grid->misses[place + x] = miss;
		context_west_move(west, value, miss);
	}
	return coded;
}

static struct coded *code_row(struct encoder *e, size_t z, size_t y,
			      struct coded *coded)
{
	struct context_grid *grid = &e->grid;
	const size_t n = context_grid_row_elems(grid, z, y);
	struct context_span span = { .z = z, .y = y };
	struct context_west west;
	struct context_near near;

	context_grid_near(grid, z, y, &near);
	west = context_west_begin(grid->values[near.n], grid->misses[near.n]);
	for (; span.first < n; span.first += span.n) {
		span.n = size_min(n - span.first, CONTEXT_SPAN);
		coded = code_span(e, &span, &west, coded);
	}
	context_grid_end_row(grid, z, y);
	return coded;
}

/* All elements, for the lanes that their planes or quarters are in. */
static void code_all(struct encoder *e)
{
	struct context_grid *grid = &e->grid;

	memset(&e->counts, 0, sizeof(e->counts));
	for (unsigned i = 0; i < CONTEXT_LANES; i++)
		e->lanes[i].n = 0;
	for (size_t r = 0; r < grid->nrows; r++) {
		size_t z = r / grid->plane_rows;
		struct lane *lane = &e->lanes[z % CONTEXT_LANES];
		struct coded *coded = lane->coded + lane->n;
		struct coded *end = code_row(e, z, r % grid->plane_rows, coded);

		lane->n += (size_t)(end - coded);
		for (; coded < end; coded++)
			e->counts.of[coded->context][coded->symbol]++;
	}
}

static bool reserve(struct context_coder *coder, struct encoder *e)
{
	const size_t row = e->grid.row;
	struct coded *coded;

	if (!context_grid_allocate(&e->grid, &coder->grid) ||
	    !buffer_reserve(&coder->rows, CONTEXT_ROW_NBYTES) ||
	    !buffer_reserve(&coder->symbols,
			    e->grid.nrows * row * sizeof(*coded)))
		return false;
	e->row = context_row_in(coder->rows.data);
	coded = (struct coded *)(void *)coder->symbols.data;
	for (unsigned i = 0; i < CONTEXT_LANES; i++) {
		e->lanes[i].coded = coded;
		for (size_t z = i; z < e->grid.nplanes; z += CONTEXT_LANES)
			coded += context_grid_plane_rows(&e->grid, z) * row;
	}
	return true;
}

static int choose_model(struct context_coder *coder, struct encoder *e,
			bool *pays_ret, struct nc3z_error *err)
{
	const struct context_choice choice = {
		.logs = &e->logs,
		.grid = &e->grid,
		.holes = e->field->shape.holes,
		.nkept = e->field->shape.nkept,
		.limit = e->limit,
		.row = e->row,
	};

	context_logs_init(&e->logs);
	context_weights_init(&e->model);
	NC3Z_TRY(context_predictors_choose(&choice, &coder->tiles,
					   &coder->streams, &e->model, pays_ret,
					   err));
	if (!*pays_ret)
		return NC3Z_OK;
	/* What is missed does not depend on the weights. */
	code_all(e);
	context_weights_fit(&e->grid, e->field->shape.holes, &e->model);
	code_all(e);
	if (!context_tables_choose(&e->logs, &e->counts, &e->model))
		return error_set_memory(err);
	return NC3Z_OK;
}

static void set_starts(struct encoder *e)
{
	for (unsigned i = 0; i < e->model.ntables; i++) {
		uint16_t start = 0;

		for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
			e->starts[i][k] = start;
			start += e->model.frequencies[i][k];
		}
	}
}

/* A lane's words end at 'end'; returns how many bytes there are before it. */
static size_t write_words(const struct encoder *e, const struct coded *coded,
			  size_t ncoded, uint8_t *end, uint32_t *state_ret)
{
	uint32_t state = CONTEXT_STATE_MIN;
	uint8_t *words = end;

	for (size_t i = ncoded; i-- > 0;) {
		unsigned table = e->model.tables[coded[i].context];
		unsigned symbol = coded[i].symbol;
		uint32_t f = e->model.frequencies[table][symbol];

		if (state >= (uint64_t)f << (32 - CONTEXT_SUM_BITS)) {
			words -= 2;
			store_le16(words, (uint16_t)state);
			state >>= 16;
		}
		state = (state / f << CONTEXT_SUM_BITS) +
			e->starts[table][symbol] + state % f;
	}
	*state_ret = state;
	return (size_t)(end - words);
}

/* Returns the number of bytes. */
static size_t write_bits(const struct coded *coded, size_t ncoded,
			 uint8_t *bytes)
{
	uint64_t bits = 0;
	unsigned nbits = 0;
	uint8_t *out = bytes;

	for (size_t i = 0; i < ncoded; i++) {
		bits |= (uint64_t)coded[i].bits << nbits;
		nbits += context_symbol(coded[i].symbol).nbits;
		for (; nbits >= 8; nbits -= 8, bits >>= 8)
			*out++ = (uint8_t)bits;
	}
	if (nbits > 0)
		*out++ = (uint8_t)bits;
	return (size_t)(out - bytes);
}

/*
 * Appends states and lengths, words and raw bits of all lanes.  Those are
 * written to 'streams' first: words grow downwards, and come before all bits.
 */
static bool write_lanes(struct encoder *e, struct buffer *streams,
			struct buffer *out)
{
	struct {
		uint8_t *words, *bits;
		size_t words_nbytes, bits_nbytes;
	} parts[CONTEXT_LANES];
	size_t n = e->field->shape.nkept, before = 0;
	bool ok = buffer_reserve(streams, 4 * n);

	for (unsigned i = 0; ok && i < CONTEXT_LANES; i++) {
		const struct lane *lane = &e->lanes[i];
		uint8_t *end;
		uint32_t state;

		end = streams->data + 2 * (before + lane->n);
		parts[i].words_nbytes =
			write_words(e, lane->coded, lane->n, end, &state);
		parts[i].words = end - parts[i].words_nbytes;
		parts[i].bits = streams->data + 2 * (n + before);
		parts[i].bits_nbytes =
			write_bits(lane->coded, lane->n, parts[i].bits);
		before += lane->n;
		ok = buffer_le32(out, state) &&
		     buffer_le32(out, (uint32_t)parts[i].words_nbytes / 2) &&
		     buffer_le32(out, (uint32_t)parts[i].bits_nbytes);
	}
	for (unsigned i = 0; ok && i < CONTEXT_LANES; i++)
		ok = buffer_append(out, parts[i].words, parts[i].words_nbytes);
	for (unsigned i = 0; ok && i < CONTEXT_LANES; i++)
		ok = buffer_append(out, parts[i].bits, parts[i].bits_nbytes);
	return ok;
}

/* Appends the model's frame and its length. */
static int write_model(struct context_coder *coder, struct codec_state *codecs,
		       const struct encoder *e, struct buffer *out,
		       struct nc3z_error *err)
{
	const struct codec_settings how = {
		.codec = NC3Z_CODEC_ZSTD,
		.level = MODEL_LEVEL,
	};
	struct codec_buffers buffers = { 0 };
	size_t length_at = out->nbytes, nbytes;

	coder->model.nbytes = 0;
	if (!context_model_write(&e->model, e->grid.n, &coder->model) ||
	    !buffer_le32(out, 0))
		return error_set_memory(err);
	buffers.in = coder->model.data;
	buffers.in_nbytes = coder->model.nbytes;
	/* What cannot be made smaller grows by less. */
	buffers.out_nbytes = buffers.in_nbytes + buffers.in_nbytes / 128 + 64;
	if (!buffer_reserve(out, out->nbytes + buffers.out_nbytes))
		return error_set_memory(err);
	buffers.out = out->data + out->nbytes;
	NC3Z_TRY(codec_encode(codecs, &how, &buffers, &nbytes, err));
	if (nbytes == 0)
		return error_set_memory(err);
	out->nbytes += nbytes;
	store_le32(out->data + length_at, (uint32_t)nbytes);
	return NC3Z_OK;
}

static int encode(struct context_coder *coder, struct codec_state *codecs,
		  struct encoder *e, struct buffer *out, struct nc3z_error *err)
{
	bool pays;

	context_grid_measure(&e->grid, e->field->shape.n, e->model.row,
			     e->model.plane_rows);
	if (!reserve(coder, e))
		return error_set_memory(err);
	load_values(e);
	NC3Z_TRY(choose_model(coder, e, &pays, err));
	if (!pays)
		return NC3Z_OK;
	set_starts(e);
	NC3Z_TRY(write_model(coder, codecs, e, out, err));
	if (!write_lanes(e, &coder->streams, out))
		return error_set_memory(err);
	return NC3Z_OK;
}

int context_encode(struct context_coder *coder, struct codec_state *codecs,
		   const struct context_field *field, size_t limit,
		   struct buffer *out, struct nc3z_error *err)
{
	size_t before = out->nbytes;
	struct encoder *e;
	uint64_t base;
	int status;

	if (!suits(field) || !find_base(field, &base))
		return NC3Z_OK;
	e = memory_alloc(1, sizeof(*e));
	if (!e)
		return error_set_memory(err);
	e->field = field;
	e->limit = limit;
	e->model.base = base;
	e->model.row = field->row;
	/* One plane sees no other. */
	if ((uint64_t)field->plane_rows * field->row < field->shape.n)
		e->model.plane_rows = field->plane_rows;
	status = encode(coder, codecs, e, out, err);
	free(e);
	if (status != NC3Z_OK || out->nbytes - before > limit)
		out->nbytes = before;
	return status;
}
