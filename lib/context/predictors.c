/* SPDX-License-Identifier: MIT */
/*
 * Each tile takes, of the predictions that are usual for images and fields,
 * the one that misses it by least: the sum of the logarithms of what it misses,
 * and the bits to say which it is.
 */
#include "context/predictors.h"

#include <string.h>

#include "base/sizes.h"
#include "context/lanes.h"

#define FIXED_MAX 14
#define FIXED_WITHOUT_PLANES 8

/* In units of 1 / 4. */
struct fixed {
	int8_t coefficients[CONTEXT_NEIGHBOURS];
};

/* In the order of enum context_neighbour. */
static const struct fixed fixed[FIXED_MAX] = {
	{ { 4 } },
	{ { 8, -4 } },
	{ { 0, 0, 4 } },
	{ { 4, 0, 4, -4 } },
	{ { 0, 0, 8, 0, 0, -4 } },
	{ { 4, 0, -4, 0, 4 } },
	{ { 2, 0, 2, -1, 1 } },
	{ { 1, 0, 1, 1, 1 } },
	{ { [CONTEXT_T] = 4 } },
	{ { [CONTEXT_W] = 4, [CONTEXT_T] = 4, [CONTEXT_TW] = -4 } },
	{ { [CONTEXT_N] = 4, [CONTEXT_T] = 4, [CONTEXT_TN] = -4 } },
	{ { [CONTEXT_W] = 4, [CONTEXT_N] = 4, [CONTEXT_NW] = -4,
	    [CONTEXT_T] = 4, [CONTEXT_TW] = -4, [CONTEXT_TN] = -4,
	    [CONTEXT_TNW] = 4 } },
	{ { [CONTEXT_W] = 2, [CONTEXT_N] = 2, [CONTEXT_T] = 4,
	    [CONTEXT_TW] = -2, [CONTEXT_TN] = -2 } },
	{ { [CONTEXT_W] = 2, [CONTEXT_N] = 2, [CONTEXT_T] = 4,
	    [CONTEXT_TW] = -1, [CONTEXT_TN] = -1, [CONTEXT_TE] = -1,
	    [CONTEXT_TS] = -1 } },
};

static void set_fixed(struct context_model *model)
{
	model->npredictors =
		model->plane_rows > 0 ? FIXED_MAX : FIXED_WITHOUT_PLANES;
	for (unsigned i = 0; i < model->npredictors; i++) {
		struct context_predictor *p = &model->predictors[i];

		*p = (struct context_predictor){ 0 };
		for (unsigned k = 0; k < CONTEXT_NEIGHBOURS; k++)
			p->coefficients[k] =
				(int16_t)(fixed[i].coefficients[k] * 128);
	}
}

/* Adds what a prediction misses of a row to the costs of the row's tiles. */
static void add_costs(const struct context_choice *choice, size_t z, size_t y,
		      const uint8_t *holes, uint32_t *costs, size_t step)
{
	const struct context_grid *grid = choice->grid;
	const struct context_row *row = &choice->row;
	const uint16_t *values = grid->values + context_grid_place(grid, z, y);
	size_t nelems = context_grid_row_elems(grid, z, y);
	struct context_west west;
	struct context_near near;

	context_grid_near(grid, z, y, &near);
	west = context_west_begin(grid->values[near.n], 0);
	for (size_t x = 0; x < nelems; x++) {
		uint32_t p = row->sums[x] + row->w[x] * west.w +
			     row->ww[x] * west.ww;
		int16_t miss = context_wrap((uint32_t)values[x] -
					    context_predicted(p));

		context_west_move(&west, values[x], 0);
		if (holes && holes[x])
			continue;
		costs[x / CONTEXT_TILE_ELEMS * step] +=
			context_log2(choice->logs,
				     2 * context_magnitude(miss) + 1) >>
			4;
	}
}

/* The costs of all tiles by all predictors; for each tile side by side. */
static void measure(const struct context_choice *choice,
		    const struct context_model *model, uint32_t *costs)
{
	const struct context_row_kernels *kernels = context_row_kernels();
	const struct context_grid *grid = choice->grid;
	const size_t count = model->npredictors;

	for (size_t r = 0; r < grid->nrows; r++) {
		size_t z = r / grid->plane_rows, y = r % grid->plane_rows;
		size_t tile = context_grid_tile(grid, z, y);
		const uint8_t *holes = choice->holes;
		struct context_near near;
		const struct context_rows_input in = { grid, &near };

		context_grid_near(grid, z, y, &near);
		for (size_t i = 0; i < count; i++) {
			kernels->predict(&in, &model->predictors[i], 0,
					 grid->row, &choice->row);
			add_costs(choice, z, y,
				  holes ? holes + r * grid->row : NULL,
				  costs + tile * count + i, count);
		}
	}
}

/* Each tile takes its cheapest predictor, with the prices of the numbers. */
static void assign(const uint32_t *costs, size_t ntiles, size_t count,
		   const uint32_t *prices, uint8_t *tiles)
{
	for (size_t t = 0; t < ntiles; t++) {
		const uint32_t *of = costs + t * count;
		size_t best = 0;

		for (size_t i = 1; i < count; i++)
			if (of[i] + prices[i] < of[best] + prices[best])
				best = i;
		tiles[t] = (uint8_t)best;
	}
}

/* What it costs to say which predictor a tile has. */
static void set_prices(const struct context_logs *logs, const uint8_t *tiles,
		       size_t ntiles, size_t count, uint32_t *prices)
{
	uint32_t used[CONTEXT_PREDICTORS_MAX] = { 0 };

	for (size_t t = 0; t < ntiles; t++)
		used[tiles[t]]++;
	for (size_t i = 0; i < count; i++)
		prices[i] = (context_log2(logs, (uint32_t)(2 * (ntiles +
								count))) -
			     context_log2(logs, 2 * used[i] + 1)) >>
			    4;
}

/* Predictors that no tile has go. */
static void leave_out_unused(struct context_model *model, uint8_t *tiles,
			     size_t ntiles)
{
	bool is_used[CONTEXT_PREDICTORS_MAX] = { false };
	uint8_t numbers[CONTEXT_PREDICTORS_MAX], count = 0;

	for (size_t t = 0; t < ntiles; t++)
		is_used[tiles[t]] = true;
	for (unsigned i = 0; i < model->npredictors; i++) {
		numbers[i] = count;
		if (is_used[i])
			model->predictors[count++] = model->predictors[i];
	}
	for (size_t t = 0; t < ntiles; t++)
		tiles[t] = numbers[tiles[t]];
	model->npredictors = count;
	model->tiles = count > 1 ? tiles : NULL;
}

bool context_predictors_choose(const struct context_choice *choice,
			       struct buffer *tiles, struct buffer *costs,
			       struct context_model *model)
{
	const struct context_grid *grid = choice->grid;
	size_t ntiles = context_count_tiles(grid->n, model->row,
					    model->plane_rows);
	uint32_t prices[CONTEXT_PREDICTORS_MAX] = { 0 };
	uint32_t *of;

	set_fixed(model);
	if (!buffer_reserve(tiles, ntiles) ||
	    !buffer_reserve(costs, ntiles * model->npredictors * sizeof(*of)))
		return false;
	of = (uint32_t *)(void *)costs->data;
	memset(of, 0, ntiles * model->npredictors * sizeof(*of));
	measure(choice, model, of);
	for (unsigned round = 0; round < 3; round++) {
		assign(of, ntiles, model->npredictors, prices, tiles->data);
		set_prices(choice->logs, tiles->data, ntiles,
			   model->npredictors, prices);
	}
	leave_out_unused(model, tiles->data, ntiles);
	return true;
}
