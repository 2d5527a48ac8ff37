/* SPDX-License-Identifier: MIT */
/*
 * Decoding: up to four lanes side by side, each of which waits for its own last
 * element only.  Everything that is read here is hostile: streams are copied to
 * where a row cannot reach beyond them, and their ends are checked after each.
 */
#include <string.h>

#include "base/cursor.h"
#include "base/sizes.h"
#include "context/context.h"
#include "context/decode_rows.h"

struct field_reader {
	struct context_model model;
	struct context_grid grid;
	struct context_steps steps;
	const uint8_t *holes;
	struct context_lane lanes[CONTEXT_LANES];
	struct context_row rows[CONTEXT_LANES];
};

static int damaged_payload(struct nc3z_error *err, const char *what)
{
	return error_set(err, NC3Z_EDAMAGED, "context coding: invalid %s",
			 what);
}

/* A row that a lane begins. */
static void begin_row(struct field_reader *r, unsigned lane,
		      struct context_span *span, struct context_lane_row *row)
{
	const struct context_grid *grid = &r->grid;
	size_t place = context_grid_place(grid, span->z, span->y);
	struct context_near near;

	context_grid_near(grid, span->z, span->y, &near);
	*row = (struct context_lane_row){
		.lane = &r->lanes[lane],
		.prepared = r->rows[lane],
		.west = context_west_begin(grid->values[near.n],
					   grid->misses[near.n]),
		.values = grid->values + place,
		.misses = grid->misses + place,
		.holes = r->holes,
	};
	if (r->holes)
		row->holes +=
			(span->z * grid->plane_rows + span->y) * grid->row;
}

/* To the next span of a row. */
static void move_on(struct context_span *span, struct context_lane_row *row)
{
	span->first += span->n;
	row->values += span->n;
	row->misses += span->n;
	if (row->holes)
		row->holes += span->n;
}

/* The spans at up to four places, of which none sees another. */
static bool decode_spans(struct field_reader *r, struct context_span *spans,
			 struct context_lane_row *rows, unsigned nrows)
{
	bool are_equal = true, ok = true;

	for (unsigned i = 0; i < nrows; i++) {
		context_row_prepare(&r->model, &r->grid, &spans[i],
				    &rows[i].prepared);
		are_equal &= spans[i].n == spans[0].n;
	}
	if (are_equal)
		context_decode_rows(&r->steps, rows, nrows, spans[0].n);
	for (unsigned i = 0; !are_equal && i < nrows; i++)
		context_decode_rows(&r->steps, &rows[i], 1, spans[i].n);
	for (unsigned i = 0; i < nrows; i++) {
		move_on(&spans[i], &rows[i]);
		ok &= context_lane_is_within(rows[i].lane);
	}
	return ok;
}

/* Of the rows at up to four places, those that have more elements. */
static unsigned keep_unfinished(const struct field_reader *r,
				struct context_span *spans,
				struct context_lane_row *rows, unsigned nrows)
{
	unsigned nleft = 0;

	for (unsigned i = 0; i < nrows; i++) {
		size_t n = context_grid_row_elems(&r->grid, spans[i].z,
						  spans[i].y);

		if (spans[i].first == n)
			continue;
		spans[nleft] = spans[i];
		spans[nleft].n = size_min(n - spans[i].first, CONTEXT_SPAN);
		rows[nleft++] = rows[i];
	}
	return nleft;
}

static bool decode_step(struct field_reader *r, struct context_span *spans,
			const unsigned *lanes, unsigned nrows)
{
	struct context_lane_row rows[CONTEXT_LANES];
	struct context_span begun[CONTEXT_LANES];
	unsigned nleft = nrows;

	for (unsigned i = 0; i < nrows; i++) {
		begun[i] = spans[i];
		begin_row(r, lanes[i], &spans[i], &rows[i]);
	}
	while ((nleft = keep_unfinished(r, spans, rows, nleft)) > 0)
		if (!decode_spans(r, spans, rows, nleft))
			return false;
	for (unsigned i = 0; i < nrows; i++)
		context_grid_end_row(&r->grid, begun[i].z, begun[i].y);
	return true;
}

/*
 * Rows in the order in which lanes come to them.  Each plane begins two rows
 * after the one before.  Short planes take more steps than they have rows, so
 * that the first lane's next plane comes two rows after the last lane's, too.
 */
static bool decode_all(struct field_reader *r)
{
	const struct context_grid *grid = &r->grid;
	const size_t lag = grid->has_planes ? 2 : 0;
	const size_t period = size_max(grid->plane_rows, lag * CONTEXT_LANES);
	const size_t nsteps =
		size_div_up(grid->nplanes, CONTEXT_LANES) * period +
		lag * (CONTEXT_LANES - 1);

	for (size_t step = 0; step < nsteps; step++) {
		struct context_span spans[CONTEXT_LANES];
		unsigned lanes[CONTEXT_LANES], nrows = 0;

		for (unsigned i = 0; i < CONTEXT_LANES; i++) {
			size_t t = step - lag * i;
			struct context_span p = {
				.z = t / period * CONTEXT_LANES + i,
				.y = t % period,
			};

			if (step < lag * i || p.z >= grid->nplanes ||
			    p.y >= context_grid_plane_rows(grid, p.z))
				continue;
			spans[nrows] = p;
			lanes[nrows++] = i;
		}
		if (!decode_step(r, spans, lanes, nrows))
			return false;
	}
	return true;
}

/* Copies a stream to where bytes after it can be read, too. */
static const uint8_t *copy_stream(struct buffer *streams, const uint8_t *bytes,
				  size_t nbytes, size_t margin)
{
	uint8_t *copy = streams->data + streams->nbytes;

	memcpy(copy, bytes, nbytes);
	memset(copy + nbytes, 0, margin);
	streams->nbytes += nbytes + margin;
	return copy;
}

static int read_lanes(struct field_reader *r, struct cursor *c,
		      struct buffer *streams, struct nc3z_error *err)
{
	const size_t margin = CONTEXT_STREAM_MARGIN(CONTEXT_SPAN);
	uint64_t nwords[CONTEXT_LANES], nbytes[CONTEXT_LANES];

	for (unsigned i = 0; i < CONTEXT_LANES; i++) {
		r->lanes[i].state = cursor_le32(c);
		nwords[i] = cursor_le32(c);
		nbytes[i] = cursor_le32(c);
		if (!cursor_ok(c) || r->lanes[i].state < CONTEXT_STATE_MIN)
			return damaged_payload(err, "state of a lane");
	}
	if (!buffer_reserve(streams,
			    cursor_left(c) + 2 * CONTEXT_LANES * margin))
		return error_set_memory(err);
	streams->nbytes = 0;
	for (unsigned i = 0; i < 2 * CONTEXT_LANES; i++) {
		struct context_lane *lane = &r->lanes[i % CONTEXT_LANES];
		bool is_words = i < CONTEXT_LANES;
		uint64_t length = is_words ? 2 * nwords[i] :
					     nbytes[i % CONTEXT_LANES];
		const uint8_t *bytes = cursor_take(c, length), *copy;

		if (!bytes)
			return damaged_payload(err, "length of a lane");
		copy = copy_stream(streams, bytes, length, margin);
		*(is_words ? &lane->words : &lane->bits) = copy;
		*(is_words ? &lane->words_end : &lane->bits_end) =
			copy + length;
	}
	return cursor_left(c) == 0 ?
		       NC3Z_OK :
		       damaged_payload(err, "length of the lanes");
}

/* The bytes of the model, in coder->model. */
static int open_model(struct context_coder *coder, struct codec_state *codecs,
		      struct cursor *c, size_t n, struct nc3z_error *err)
{
	uint32_t nbytes = cursor_le32(c);
	struct codec_buffers buffers = {
		.in = cursor_take(c, nbytes),
		.in_nbytes = nbytes,
	};

	if (!buffers.in ||
	    !codec_zstd_content(buffers.in, nbytes, context_model_nbytes_max(n),
				&buffers.out_nbytes))
		return damaged_payload(err, "length of the model");
	if (!buffer_reserve(&coder->model, buffers.out_nbytes))
		return error_set_memory(err);
	buffers.out = coder->model.data;
	coder->model.nbytes = buffers.out_nbytes;
	return codec_decode(codecs, NC3Z_CODEC_ZSTD, &buffers, err);
}

/* Working memory of the sizes that the model wants. */
static int reserve(struct context_coder *coder, struct field_reader *r,
		   struct nc3z_error *err)
{
	if (!context_grid_allocate(&r->grid, &coder->grid) ||
	    !buffer_reserve(&coder->rows, CONTEXT_LANES * CONTEXT_ROW_NBYTES) ||
	    !buffer_reserve(&coder->tables, context_entries_nbytes(&r->model)))
		return error_set_memory(err);
	for (size_t i = 0; i < CONTEXT_LANES; i++)
		r->rows[i] = context_row_in(coder->rows.data +
					    i * CONTEXT_ROW_NBYTES);
	context_steps_init(&r->steps, &r->model,
			   (uint64_t *)(void *)coder->tables.data);
	return NC3Z_OK;
}

#define DEFINE_HAND_OUT(bits) \
	static void hand_out_##bits(const struct context_grid *grid, \
				    uint64_t base, void *elems) \
	{ \
		uint##bits##_t *out = elems; \
\
		for (size_t r = 0; r < grid->nrows; r++) { \
			const uint16_t *values = \
				grid->values + context_grid_place(grid, 0, r); \
			size_t n = context_grid_row_elems(grid, 0, r); \
\
			for (size_t x = 0; x < n; x++) \
				out[x] = (uint##bits##_t)(base + values[x]); \
			out += n; \
		} \
	}

DEFINE_HAND_OUT(8)
DEFINE_HAND_OUT(16)
DEFINE_HAND_OUT(32)
DEFINE_HAND_OUT(64)

static void hand_out(const struct field_reader *r, uint8_t width, void *elems)
{
	const struct context_grid *grid = &r->grid;

	if (width == 1)
		hand_out_8(grid, r->model.base, elems);
	else if (width == 2)
		hand_out_16(grid, r->model.base, elems);
	else if (width == 4)
		hand_out_32(grid, r->model.base, elems);
	else
		hand_out_64(grid, r->model.base, elems);
}

int context_decode(struct context_coder *coder, struct codec_state *codecs,
		   const struct filter_elems *shape,
		   const struct codec_buffers *buffers, struct nc3z_error *err)
{
	struct field_reader r = { .holes = shape->holes };
	struct cursor c;

	cursor_init(&c, buffers->in, buffers->in_nbytes);
	NC3Z_TRY(open_model(coder, codecs, &c, shape->n, err));
	NC3Z_TRY(context_model_read(coder->model.data, coder->model.nbytes,
				    shape->n, shape->width, &r.model, err));
	context_grid_measure(&r.grid, shape->n, r.model.row,
			     r.model.plane_rows);
	NC3Z_TRY(reserve(coder, &r, err));
	NC3Z_TRY(read_lanes(&r, &c, &coder->streams, err));
	if (!decode_all(&r))
		return damaged_payload(err, "end of a lane");
	for (unsigned i = 0; i < CONTEXT_LANES; i++)
		if (!context_lane_is_done(&r.lanes[i]))
			return damaged_payload(err, "end of a lane");
	hand_out(&r, shape->width, buffers->out);
	return NC3Z_OK;
}
