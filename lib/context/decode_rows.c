/* SPDX-License-Identifier: MIT */
#include "context/decode_rows.h"

#include "base/bytes.h"

/*
 * What a state modulo CONTEXT_SUM stands for, in the bits of one number: how
 * the state moves on, the symbol's magnitude, raw bits and sign.
 */
#define ENTRY_OFFSET 16
#define ENTRY_MAGNITUDE 32
#define ENTRY_NBITS 56
#define ENTRY_SIGN 63

#define ALWAYS_INLINE inline __attribute__((always_inline))

static inline uint16_t take_word(struct context_lane *lane, uint32_t wanted)
{
	uint16_t word = load_le16(lane->words);

	lane->words += 2 * wanted;
	return word;
}

static inline uint32_t take_bits(struct context_lane *lane, unsigned nbits)
{
	uint32_t bits = load_le32(lane->bits) >> lane->bit;

	lane->bit += nbits;
	lane->bits += lane->bit / 8;
	lane->bit %= 8;
	return bits & ((1u << nbits) - 1);
}

/* The next difference of a lane, by a table. */
static inline uint32_t take_difference(struct context_lane *lane,
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

static ALWAYS_INLINE void decode_elem(const struct context_steps *s,
				      struct context_lane *lane,
				      struct context_west *west,
				      const struct context_lane_row *row,
				      size_t x)
{
	const struct context_row *prepared = &row->prepared;
	uint32_t p = prepared->sums[x] + prepared->w[x] * west->w +
		     prepared->ww[x] * west->ww;
	uint32_t activity = prepared->activity[x] + s->w * west->magnitude +
			    s->ww * west->magnitude_ww;
	unsigned context = context_level(activity) * CONTEXT_LEVEL_STRIDE +
			   context_in_level(activity, west->miss, p);
	uint32_t difference =
		take_difference(lane, s->entries + s->tables[context]);
	uint16_t value;
	int16_t miss;

	value = (uint16_t)(context_predicted(p) + difference);
	miss = context_wrap(difference);
	row->values[x] = value;
	row->misses[x] = miss;
	context_west_move(west, value, miss);
}

/*
 * 'nrows' is a constant where this is called, and lanes are spelt out, so that
 * they are in registers and their instructions among each other.
 */
static ALWAYS_INLINE void decode_side_by_side(const struct context_steps *s,
					      struct context_lane_row *rows,
					      unsigned nrows, size_t nelems)
{
	struct context_west west[CONTEXT_LANES];
	struct context_lane lanes[CONTEXT_LANES];

	for (unsigned i = 0; i < nrows; i++) {
		west[i] = rows[i].west;
		lanes[i] = *rows[i].lane;
	}
	for (size_t x = 0; x < nelems; x++) {
		decode_elem(s, &lanes[0], &west[0], &rows[0], x);
		if (nrows > 1)
			decode_elem(s, &lanes[1], &west[1], &rows[1], x);
		if (nrows > 2)
			decode_elem(s, &lanes[2], &west[2], &rows[2], x);
		if (nrows > 3)
			decode_elem(s, &lanes[3], &west[3], &rows[3], x);
	}
	for (unsigned i = 0; i < nrows; i++) {
		rows[i].west = west[i];
		*rows[i].lane = lanes[i];
	}
}

static void decode_with_holes(const struct context_steps *s,
			      struct context_lane_row *row, size_t nelems)
{
	struct context_west west = row->west;

	for (size_t x = 0; x < nelems; x++) {
		if (!row->holes[x]) {
			decode_elem(s, row->lane, &west, row, x);
			continue;
		}
		row->values[x] = (uint16_t)west.w;
		row->misses[x] = (int16_t)west.miss;
		context_west_move(&west, row->values[x], row->misses[x]);
	}
	row->west = west;
}

#define DEFINE_DECODE(nrows) \
	static void decode_##nrows(const struct context_steps *s, \
				   struct context_lane_row *rows, \
				   size_t nelems) \
	{ \
		decode_side_by_side(s, rows, nrows, nelems); \
	}

DEFINE_DECODE(1)
DEFINE_DECODE(2)
DEFINE_DECODE(3)
DEFINE_DECODE(4)

void context_decode_rows(const struct context_steps *steps,
			 struct context_lane_row *rows, unsigned nrows,
			 size_t nelems)
{
	static void (*const decode[])(const struct context_steps *steps,
				      struct context_lane_row *rows,
				      size_t nelems) = { decode_1, decode_2,
							 decode_3, decode_4 };

	if (!rows->holes) {
		decode[nrows - 1](steps, rows, nelems);
		return;
	}
	for (unsigned i = 0; i < nrows; i++)
		decode_with_holes(steps, &rows[i], nelems);
}

bool context_lane_is_within(const struct context_lane *lane)
{
	return lane->words <= lane->words_end &&
	       lane->bits + (lane->bit > 0) <= lane->bits_end;
}

bool context_lane_is_done(const struct context_lane *lane)
{
	return lane->state == CONTEXT_STATE_MIN &&
	       lane->words == lane->words_end &&
	       lane->bits + (lane->bit > 0) == lane->bits_end &&
	       *lane->bits >> lane->bit == 0;
}

static void make_entries(const struct context_model *model, uint64_t *entries)
{
	for (unsigned i = 0; i < model->ntables; i++) {
		for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
			struct context_symbol s = context_symbol(k);
			uint64_t f = model->frequencies[i][k];
			uint64_t entry =
				f | (uint64_t)s.magnitude << ENTRY_MAGNITUDE |
				(uint64_t)s.nbits << ENTRY_NBITS |
				(uint64_t)s.is_negative << ENTRY_SIGN;

			for (uint64_t offset = 0; offset < f; offset++)
				*entries++ = entry | offset << ENTRY_OFFSET;
		}
	}
}

void context_steps_init(struct context_steps *steps,
			const struct context_model *model, uint64_t *entries)
{
	make_entries(model, entries);
	steps->entries = entries;
	steps->w = model->weights[CONTEXT_MISS_W];
	steps->ww = model->weights[CONTEXT_MISS_WW];
	for (size_t i = 0; i < CONTEXT_CONTEXTS_MAX; i++)
		steps->tables[i / CONTEXT_LEVEL_CONTEXTS *
				      CONTEXT_LEVEL_STRIDE +
			      i % CONTEXT_LEVEL_CONTEXTS] =
			(uint16_t)(model->tables[i] * CONTEXT_SUM);
}
