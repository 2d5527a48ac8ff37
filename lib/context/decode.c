/* SPDX-License-Identifier: MIT */
/*
 * Decoding: up to four lanes side by side, each of which waits for its own last
 * element only.  Everything that is read here is hostile: streams are copied to
 * where a row cannot reach beyond them, and their ends are checked after each.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "base/sizes.h"
#include "context/context.h"
#include "context/lanes.h"
#include "context/rows.h"

/*
 * What a state modulo CONTEXT_SUM stands for, in the bits of one number: how
 * the state moves on, the symbol's magnitude, raw bits and sign.
 */
#define ENTRY_OFFSET 16
#define ENTRY_MAGNITUDE 32
#define ENTRY_NBITS 56
#define ENTRY_SIGN 63

struct lane {
	uint32_t state;
	unsigned bit; /* of the next byte of raw bits */
	const uint8_t *words;
	const uint8_t *words_end;
	const uint8_t *bits;
	const uint8_t *bits_end;
};

/* A row that a lane decodes. */
struct lane_row {
	size_t z;
	size_t y;
	struct context_row prepared;
	uint16_t *values;
	int16_t *misses;
	const uint8_t *holes; /* or NULL */
	struct context_west west;
};

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Contexts of a level in struct shared: more than there are, a power of 2. */
#define LEVEL_STRIDE 16

/* What all elements need. */
struct shared {
	const uint64_t *entries; /* of all tables */
	/* Where the table of a context begins. */
	uint16_t tables[CONTEXT_LEVELS_MAX * LEVEL_STRIDE];
	uint32_t w; /* weights */
	uint32_t ww;
};

struct decoder {
	struct context_model model;
	struct context_grid grid;
	struct shared shared;
	const uint8_t *holes;
	struct lane lanes[CONTEXT_LANES];
	struct context_row rows[CONTEXT_LANES];
};

static int damaged(struct nc3z_error *err, const char *what)
{
	return error_set(err, NC3Z_EDAMAGED, "context coding: invalid %s",
			 what);
}

static inline uint16_t take_word(struct lane *lane, uint32_t wanted)
{
	uint16_t word = load_le16(lane->words);

	lane->words += 2 * wanted;
	return word;
}

static inline uint32_t take_bits(struct lane *lane, unsigned nbits)
{
	uint32_t bits = load_le32(lane->bits) >> lane->bit;

	lane->bit += nbits;
	lane->bits += lane->bit / 8;
	lane->bit %= 8;
	return bits & ((1u << nbits) - 1);
}

/* The next difference of a lane, by a table. */
static inline uint32_t take_difference(struct lane *lane,
				       const uint64_t *table)
{
	uint32_t state = lane->state, is_low, magnitude, sign;
	uint64_t entry = table[state % CONTEXT_SUM];

	state = (uint32_t)(entry & 0xffff) * (state / CONTEXT_SUM) +
		(uint32_t)(entry >> ENTRY_OFFSET & 0xffff);
	is_low = state < CONTEXT_STATE_MIN;
	state <<= 16 * is_low;
	lane->state = state | (take_word(lane, is_low) & (0 - is_low));
	magnitude = (uint32_t)(entry >> ENTRY_MAGNITUDE & 0xffff) +
		    take_bits(lane, entry >> ENTRY_NBITS & 31);
	sign = 0 - (uint32_t)(entry >> ENTRY_SIGN);
	return (magnitude ^ sign) - sign;
}

static ALWAYS_INLINE void decode_elem(const struct shared *s, struct lane *lane,
			       struct context_west *west, struct lane_row *row,
			       size_t x)
{
	const struct context_row *prepared = &row->prepared;
	uint32_t p = prepared->sums[x] + prepared->w[x] * west->w +
		     prepared->ww[x] * west->ww;
	uint32_t activity =
		prepared->activity[x] +
		s->w * west->magnitude + s->ww * west->magnitude_ww;
	unsigned context = context_level(activity) * LEVEL_STRIDE +
			   context_in_level(activity, west->miss, p);
	uint32_t difference =
		take_difference(lane, s->entries + s->tables[context]);

	row->values[x] = (uint16_t)(context_predicted(p) + difference);
	row->misses[x] = context_wrap(difference);
	context_west_move(west, row->values[x], row->misses[x]);
}

/*
 * 'nlanes' is a constant where this is called, and lanes are spelt out, so that
 * they are in registers and their instructions among each other.
 */
static ALWAYS_INLINE void
decode_side_by_side(struct decoder *d, struct lane_row *rows,
		    struct lane *const *of_rows, unsigned nlanes, size_t nelems)
{
	const struct shared *s = &d->shared;
	struct context_west west[CONTEXT_LANES];
	struct lane lanes[CONTEXT_LANES];

	for (unsigned i = 0; i < nlanes; i++) {
		west[i] = rows[i].west;
		lanes[i] = *of_rows[i];
	}
	for (size_t x = 0; x < nelems; x++) {
		decode_elem(s, &lanes[0], &west[0], &rows[0], x);
		if (nlanes > 1)
			decode_elem(s, &lanes[1], &west[1], &rows[1], x);
		if (nlanes > 2)
			decode_elem(s, &lanes[2], &west[2], &rows[2], x);
		if (nlanes > 3)
			decode_elem(s, &lanes[3], &west[3], &rows[3], x);
	}
	for (unsigned i = 0; i < nlanes; i++)
		*of_rows[i] = lanes[i];
}

static __attribute__((noinline)) void decode_4(struct decoder *d, struct lane_row *rows,
		     struct lane *const *lanes, size_t nelems)
{
	decode_side_by_side(d, rows, lanes, 4, nelems);
}

static void decode_with_holes(struct decoder *d, struct lane_row *row,
			      struct lane *lane, size_t nelems)
{
	struct context_west *west = &row->west;

	for (size_t x = 0; x < nelems; x++) {
		if (!row->holes[x]) {
			decode_elem(&d->shared, lane, west, row, x);
			continue;
		}
		row->values[x] = (uint16_t)west->w;
		row->misses[x] = (int16_t)west->miss;
		context_west_move(west, row->values[x], row->misses[x]);
	}
}

static void decode_rows(struct decoder *d, struct lane_row *rows,
			struct lane *const *lanes, unsigned nrows,
			size_t nelems)
{
	if (d->holes)
		for (unsigned i = 0; i < nrows; i++)
			decode_with_holes(d, &rows[i], lanes[i], nelems);
	else if (nrows == 4)
		decode_4(d, rows, lanes, nelems);
	else if (nrows == 3)
		decode_side_by_side(d, rows, lanes, 3, nelems);
	else if (nrows == 2)
		decode_side_by_side(d, rows, lanes, 2, nelems);
	else
		decode_side_by_side(d, rows, lanes, 1, nelems);
}

static void begin_row(struct decoder *d, unsigned lane, size_t z, size_t y,
		      struct lane_row *row)
{
	const struct context_grid *grid = &d->grid;
	size_t place = context_grid_place(grid, z, y);
	struct context_near near;

	*row = (struct lane_row){
		.z = z,
		.y = y,
		.prepared = d->rows[lane],
		.values = grid->values + place,
		.misses = grid->misses + place,
	};
	if (d->holes)
		row->holes = d->holes + (z * grid->plane_rows + y) * grid->row;
	context_grid_near(grid, z, y, &near);
	row->west = context_west_begin(grid->values[near.n],
				       grid->misses[near.n]);
	context_row_prepare(&d->model, grid, z, y, &row->prepared);
}

/*
 * Lanes do not reach beyond their streams by more than a row, for which there
 * is room.
 */
static bool lane_is_within(const struct lane *lane)
{
	return lane->words <= lane->words_end &&
	       lane->bits + (lane->bit > 0) <= lane->bits_end;
}

/* Elements of a row that are not beyond the end. */
static size_t count_elems(const struct decoder *d, const struct lane_row *row)
{
	return context_grid_row_elems(&d->grid, row->z, row->y);
}

/* Rows of different lanes, of which none sees another. */
static bool finish_rows(struct decoder *d, struct lane_row *rows,
			struct lane *const *lanes, unsigned nrows)
{
	const size_t row = d->grid.row;
	bool are_whole = true, ok = true;

	for (unsigned i = 0; i < nrows; i++)
		are_whole &= count_elems(d, &rows[i]) == row;
	if (are_whole && nrows > 0)
		decode_rows(d, rows, lanes, nrows, row);
	for (unsigned i = 0; !are_whole && i < nrows; i++)
		decode_rows(d, &rows[i], &lanes[i], 1,
			    count_elems(d, &rows[i]));
	for (unsigned i = 0; i < nrows; i++) {
		context_grid_end_row(&d->grid, rows[i].z, rows[i].y);
		ok &= lane_is_within(lanes[i]);
	}
	return ok;
}

/*
 * Rows in the order in which lanes come to them.  Planes begin two rows after
 * the one before, and no lane begins its next plane before the last lane is two
 * rows from the end of its own.
 */
static bool decode_all(struct decoder *d)
{
	const struct context_grid *grid = &d->grid;
	const size_t lag = grid->has_planes ? 2 : 0;
	const size_t period =
		size_max(grid->plane_rows, lag * CONTEXT_LANES);
	const size_t nsteps =
		size_div_up(grid->nplanes, CONTEXT_LANES) * period +
		lag * (CONTEXT_LANES - 1);

	for (size_t step = 0; step < nsteps; step++) {
		struct lane_row rows[CONTEXT_LANES];
		struct lane *lanes[CONTEXT_LANES];
		unsigned nrows = 0;

		for (unsigned i = 0; i < CONTEXT_LANES && step >= lag * i;
		     i++) {
			size_t t = step - lag * i, y = t % period;
			size_t z = t / period * CONTEXT_LANES + i;

			if (z >= grid->nplanes ||
			    y >= context_grid_plane_rows(grid, z))
				continue;
			begin_row(d, i, z, y, &rows[nrows]);
			lanes[nrows++] = &d->lanes[i];
		}
		if (!finish_rows(d, rows, lanes, nrows))
			return false;
	}
	return true;
}

/* A lane that was read to its end. */
static bool lane_is_done(const struct lane *lane)
{
	return lane->state == CONTEXT_STATE_MIN &&
	       lane->words == lane->words_end &&
	       lane->bits + (lane->bit > 0) == lane->bits_end &&
	       *lane->bits >> lane->bit == 0;
}

static void set_shared(const struct context_model *model,
		       const uint64_t *entries, struct shared *s)
{
	s->entries = entries;
	s->w = model->weights[CONTEXT_MISS_W];
	s->ww = model->weights[CONTEXT_MISS_WW];
	for (size_t i = 0; i < CONTEXT_CONTEXTS_MAX; i++)
		s->tables[i / CONTEXT_LEVEL_CONTEXTS * LEVEL_STRIDE +
			  i % CONTEXT_LEVEL_CONTEXTS] =
			(uint16_t)(model->tables[i] * CONTEXT_SUM);
}

static void make_entries(const struct context_model *model, uint64_t *entries)
{
	for (unsigned i = 0; i < model->ntables; i++) {
		for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
			struct context_symbol s = context_symbol(k);
			uint64_t f = model->frequencies[i][k];
			uint64_t entry = f |
					 (uint64_t)s.magnitude
						 << ENTRY_MAGNITUDE |
					 (uint64_t)s.nbits << ENTRY_NBITS |
					 (uint64_t)s.is_negative << ENTRY_SIGN;

			for (uint64_t offset = 0; offset < f; offset++)
				*entries++ = entry | offset << ENTRY_OFFSET;
		}
	}
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

static int read_lanes(struct decoder *d, struct cursor *c,
		      struct buffer *streams, struct nc3z_error *err)
{
	/* An element takes a word and 14 bits at most. */
	const size_t margin = 2 * d->grid.row + 8;
	uint64_t nwords[CONTEXT_LANES], nbytes[CONTEXT_LANES];

	for (unsigned i = 0; i < CONTEXT_LANES; i++) {
		d->lanes[i].state = cursor_le32(c);
		nwords[i] = cursor_le32(c);
		nbytes[i] = cursor_le32(c);
		if (!cursor_ok(c) || d->lanes[i].state < CONTEXT_STATE_MIN)
			return damaged(err, "state of a lane");
	}
	if (!buffer_reserve(streams,
			    cursor_left(c) + 2 * CONTEXT_LANES * margin))
		return error_set_memory(err);
	streams->nbytes = 0;
	for (unsigned i = 0; i < 2 * CONTEXT_LANES; i++) {
		struct lane *lane = &d->lanes[i % CONTEXT_LANES];
		bool is_words = i < CONTEXT_LANES;
		uint64_t length = is_words ? 2 * nwords[i] :
					     nbytes[i % CONTEXT_LANES];
		const uint8_t *bytes = cursor_take(c, length), *copy;

		if (!bytes)
			return damaged(err, "length of a lane");
		copy = copy_stream(streams, bytes, length, margin);
		*(is_words ? &lane->words : &lane->bits) = copy;
		*(is_words ? &lane->words_end : &lane->bits_end) =
			copy + length;
	}
	return cursor_left(c) == 0 ? NC3Z_OK :
				     damaged(err, "length of the lanes");
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
	    !codec_zstd_content(buffers.in, nbytes,
				context_model_nbytes_max(n),
				&buffers.out_nbytes))
		return damaged(err, "length of the model");
	if (!buffer_reserve(&coder->model, buffers.out_nbytes))
		return error_set_memory(err);
	buffers.out = coder->model.data;
	coder->model.nbytes = buffers.out_nbytes;
	return codec_decode(codecs, NC3Z_CODEC_ZSTD, &buffers, err);
}

/* Working memory of the sizes that the model wants. */
static int reserve(struct context_coder *coder, struct decoder *d,
		   struct nc3z_error *err)
{
	size_t row = d->grid.row;
	uint32_t *memory;

	if (!context_grid_allocate(&d->grid, &coder->grid) ||
	    !buffer_reserve(&coder->rows,
			    CONTEXT_LANES * row * CONTEXT_ROW_NBYTES) ||
	    !buffer_reserve(&coder->tables, d->model.ntables * CONTEXT_SUM *
						    sizeof(uint64_t)))
		return error_set_memory(err);
	memory = (uint32_t *)(void *)coder->rows.data;
	for (unsigned i = 0; i < CONTEXT_LANES; i++, memory += 4 * row)
		d->rows[i] = (struct context_row){
			.sums = memory,
			.w = memory + row,
			.ww = memory + 2 * row,
			.activity = memory + 3 * row,
		};
	make_entries(&d->model, (uint64_t *)(void *)coder->tables.data);
	set_shared(&d->model, (const uint64_t *)(const void *)coder->tables.data,
		   &d->shared);
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

static void hand_out(const struct decoder *d, uint8_t width, void *elems)
{
	const struct context_grid *grid = &d->grid;

	if (width == 1)
		hand_out_8(grid, d->model.base, elems);
	else if (width == 2)
		hand_out_16(grid, d->model.base, elems);
	else if (width == 4)
		hand_out_32(grid, d->model.base, elems);
	else
		hand_out_64(grid, d->model.base, elems);
}

int context_decode(struct context_coder *coder, struct codec_state *codecs,
		   const uint8_t *stored, size_t stored_nbytes,
		   const struct filter_elems *shape, void *elems,
		   struct nc3z_error *err)
{
	struct decoder d = { .holes = shape->holes };
	struct cursor c;

	cursor_init(&c, stored, stored_nbytes);
	NC3Z_TRY(open_model(coder, codecs, &c, shape->n, err));
	NC3Z_TRY(context_model_read(coder->model.data, coder->model.nbytes,
				    shape->n, shape->width, &d.model, err));
	context_grid_measure(&d.grid, shape->n, d.model.row,
			     d.model.plane_rows);
	NC3Z_TRY(reserve(coder, &d, err));
	NC3Z_TRY(read_lanes(&d, &c, &coder->streams, err));
	if (!decode_all(&d))
		return damaged(err, "end of a lane");
	for (unsigned i = 0; i < CONTEXT_LANES; i++)
		if (!lane_is_done(&d.lanes[i]))
			return damaged(err, "end of a lane");
	hand_out(&d, shape->width, elems);
	return NC3Z_OK;
}
