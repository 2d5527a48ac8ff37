/* SPDX-License-Identifier: MIT */
#include "context/model.h"

#include <string.h>

#include "base/cursor.h"
#include "base/sizes.h"
#include "context/grid.h"

/* Symbols of one value each: 0 and three of either sign. */
#define EXACT_SYMBOLS 7

struct context_symbol context_symbol(unsigned number)
{
	unsigned j = number - EXACT_SYMBOLS, nbits = j / 4 + 1;

	if (number < EXACT_SYMBOLS)
		return (struct context_symbol){
			.magnitude = (uint16_t)((number + 1) / 2),
			.is_negative = number > 0 && number % 2 == 0,
		};
	return (struct context_symbol){
		.magnitude = (uint16_t)((2 + j / 2 % 2) << nbits),
		.nbits = (uint8_t)nbits,
		.is_negative = j % 2,
	};
}

size_t context_count_tiles(size_t n, uint32_t row, uint32_t plane_rows)
{
	struct context_grid grid;
	size_t last;

	context_grid_measure(&grid, n, row, plane_rows);
	last = context_grid_plane_rows(&grid, grid.nplanes - 1);
	return ((grid.nplanes - 1) * grid.plane_tile_rows +
		size_div_up(last, CONTEXT_TILE_ROWS)) *
	       grid.row_tiles;
}

size_t context_model_nbytes_max(size_t n)
{
	/* With one tile for each element, which is more than there can be. */
	return 8192 + n;
}

static int damaged_model(struct nc3z_error *err, const char *what)
{
	return error_set(err, NC3Z_EDAMAGED, "context coding: invalid %s",
			 what);
}

static int read_predictors(struct cursor *c, struct context_model *m,
			   struct nc3z_error *err)
{
	unsigned count = context_neighbours(m->plane_rows > 0);

	for (unsigned i = 0; i < m->npredictors; i++)
		m->predictors[i].constant = (int32_t)cursor_le32(c);
	for (unsigned i = 0; i < m->npredictors; i++) {
		int16_t *coefficients = m->predictors[i].coefficients;

		for (unsigned k = 0; k < count; k++) {
			int16_t x = (int16_t)cursor_le16(c);

			if (x > CONTEXT_COEFFICIENT_MAX ||
			    x < -CONTEXT_COEFFICIENT_MAX)
				return damaged_model(err, "coefficient");
			coefficients[k] = x;
		}
	}
	return NC3Z_OK;
}

/* 'count' bytes that are less than 'end'. */
static const uint8_t *take_numbers(struct cursor *c, size_t count, uint8_t end)
{
	const uint8_t *numbers = cursor_take(c, count);

	for (size_t i = 0; numbers && i < count; i++)
		if (numbers[i] >= end)
			return NULL;
	return numbers;
}

static bool read_frequencies(struct cursor *c, struct context_model *m)
{
	size_t count = (size_t)m->ntables * CONTEXT_SYMBOLS;
	const uint8_t *low = cursor_take(c, count);
	const uint8_t *high = cursor_take(c, count);

	if (!low || !high)
		return false;
	for (size_t i = 0; i < m->ntables; i++) {
		uint32_t sum = 0;

		for (size_t k = 0; k < CONTEXT_SYMBOLS; k++) {
			size_t at = i * CONTEXT_SYMBOLS + k;
			uint16_t f = (uint16_t)(low[at] | high[at] << 8);

			m->frequencies[i][k] = f;
			sum += f;
		}
		if (sum != CONTEXT_SUM)
			return false;
	}
	return true;
}

static bool read_head(struct cursor *c, size_t n, uint8_t width,
		      struct context_model *m)
{
	m->base = cursor_le64(c);
	m->row = cursor_le32(c);
	m->plane_rows = cursor_le32(c);
	m->npredictors = cursor_u8(c);
	m->ntables = cursor_u8(c);
	m->nlevels = cursor_u8(c);
	return cursor_ok(c) && (width == 8 || m->base >> 8 * width == 0) &&
	       m->row >= CONTEXT_ROW_MIN && m->row <= n && m->npredictors > 0 &&
	       m->npredictors <= CONTEXT_PREDICTORS_MAX && m->ntables > 0 &&
	       m->ntables <= CONTEXT_TABLES_MAX && m->nlevels > 0 &&
	       m->nlevels <= CONTEXT_LEVELS_MAX;
}

static int read_tables(struct cursor *c, struct context_model *m,
		       struct nc3z_error *err)
{
	const size_t count = (size_t)m->nlevels * CONTEXT_LEVEL_CONTEXTS;
	const uint8_t *numbers = take_numbers(c, count, m->ntables);

	if (!numbers)
		return damaged_model(err, "map of contexts");
	memcpy(m->tables, numbers, count);
	/* Higher levels take the tables of the highest one. */
	for (size_t i = count; i < CONTEXT_CONTEXTS_MAX; i++)
		m->tables[i] = m->tables[i - CONTEXT_LEVEL_CONTEXTS];
	if (!read_frequencies(c, m))
		return damaged_model(err, "frequencies");
	return NC3Z_OK;
}

int context_model_read(const uint8_t *bytes, size_t nbytes, size_t n,
		       uint8_t width, struct context_model *model,
		       struct nc3z_error *err)
{
	struct cursor c;
	const uint8_t *weights;
	unsigned nweights;

	cursor_init(&c, bytes, nbytes);
	*model = (struct context_model){ 0 };
	if (!read_head(&c, n, width, model))
		return damaged_model(err, "head of the model");
	nweights = context_misses(model->plane_rows > 0);
	weights = take_numbers(&c, nweights, CONTEXT_WEIGHT_MAX + 1);
	if (!weights)
		return damaged_model(err, "weights");
	memcpy(model->weights, weights, nweights);
	NC3Z_TRY(read_predictors(&c, model, err));
	if (model->npredictors > 1) {
		model->tiles = take_numbers(
			&c,
			context_count_tiles(n, model->row, model->plane_rows),
			model->npredictors);
		if (!model->tiles)
			return damaged_model(err, "tiles");
	}
	NC3Z_TRY(read_tables(&c, model, err));
	return cursor_ok(&c) && cursor_left(&c) == 0 ?
		       NC3Z_OK :
		       damaged_model(err, "length of the model");
}
