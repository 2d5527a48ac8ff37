/* SPDX-License-Identifier: MIT */
/*
 * Rows of up to four lanes at the same time: the innermost loop of decoding.
 * It does not look where streams end: there have to be bytes to read after
 * them, and context_lane_is_within() is asked after each row.
 */
#ifndef NC3Z_CONTEXT_DECODE_ROWS_H
#define NC3Z_CONTEXT_DECODE_ROWS_H

#include "context/grid.h"
#include "context/lanes.h"
#include "context/model.h"
#include "context/rows.h"

/* How many bytes after a stream so many elements may reach. */
#define CONTEXT_STREAM_MARGIN(nelems) (2 * (nelems) + 8)

/* A lane that is read. */
struct context_lane {
	uint32_t state;
	unsigned bit; /* of the next byte of raw bits */
	const uint8_t *words;
	const uint8_t *words_end;
	const uint8_t *bits;
	const uint8_t *bits_end;
};

/* A row that a lane decodes. */
struct context_lane_row {
	struct context_lane *lane;
	struct context_row prepared;
	struct context_west west;
	uint16_t *values;
	int16_t *misses;
	const uint8_t *holes; /* or NULL */
};

/* Contexts of a level below: more than there are, a power of 2. */
#define CONTEXT_LEVEL_STRIDE 16

/* What all elements need. */
struct context_steps {
	const uint64_t *entries; /* of all tables */
	/* Where the table of a context begins. */
	uint16_t tables[CONTEXT_LEVELS_MAX * CONTEXT_LEVEL_STRIDE];
	uint32_t w; /* weights */
	uint32_t ww;
};

/* Bytes that context_steps_init() needs for the entries. */
static inline size_t context_entries_nbytes(const struct context_model *model)
{
	return (size_t)model->ntables * CONTEXT_SUM * sizeof(uint64_t);
}

/* 'entries' stays with the steps. */
void context_steps_init(struct context_steps *steps,
			const struct context_model *model, uint64_t *entries);

/*
 * Decodes 'nelems' elements, of which all but the elements to the left was
 * prepared, of 1 to 4 rows of different lanes.  All of these have holes, or
 * none.
 */
void context_decode_rows(const struct context_steps *steps,
			 struct context_lane_row *rows, unsigned nrows,
			 size_t nelems);

/* Whether a lane has not been read beyond its end. */
bool context_lane_is_within(const struct context_lane *lane);

/* Whether a lane has been read to its end, as the format wants it. */
bool context_lane_is_done(const struct context_lane *lane);

#endif
