/* SPDX-License-Identifier: MIT */
/*
 * Least squares: weights that make the activity 16 times what is missed, where
 * elements count by how little is missed around them.
 */
#include "context/weights.h"

#include <string.h>

#include "context/fit.h"
#include "context/lanes.h"

/* About how many elements are looked at. */
#define NELEMS_WANTED 65536
/* The activity for what is missed. */
#define SCALE 16

void context_weights_init(struct context_model *model)
{
	static const uint8_t planes[CONTEXT_MISSES] = { 3, 1, 3, 2, 2,
							1, 2, 1, 1 };
	static const uint8_t rows[CONTEXT_MISS_T] = { 4, 2, 4, 2, 2, 2 };

	if (model->plane_rows > 0)
		memcpy(model->weights, planes, sizeof(planes));
	else
		memcpy(model->weights, rows, sizeof(rows));
}

/* What was missed around an element, and, last, of itself. */
static void add_elem(struct context_fit *fit, const struct context_grid *grid,
		     const struct context_near *near,
		     const struct context_west *west, size_t x, int16_t miss)
{
	const int16_t *n = grid->misses + near->n + x;
	const int16_t *t = grid->misses + near->t + x;
	double terms[CONTEXT_FIT_MAX + 1] = {
		[CONTEXT_MISS_W] = west->magnitude,
		[CONTEXT_MISS_WW] = west->magnitude_ww,
		[CONTEXT_MISS_N] = context_magnitude(n[0]),
		[CONTEXT_MISS_NW] = context_magnitude(*(n - 1)),
		[CONTEXT_MISS_NE] = context_magnitude(n[1]),
		[CONTEXT_MISS_NN] =
			context_magnitude(grid->misses[near->nn + x]),
		[CONTEXT_MISS_T] = context_magnitude(t[0]),
		[CONTEXT_MISS_TE] = context_magnitude(t[1]),
		[CONTEXT_MISS_TS] =
			context_magnitude(grid->misses[near->ts + x]),
	};
	double usual = 0.3, most;

	for (unsigned i = 0; i < fit->count; i++)
		usual += terms[i] / fit->count;
	/* One that is missed by far says little. */
	most = 3 * usual + 2;
	terms[fit->count] = context_magnitude(miss);
	if (terms[fit->count] > most)
		terms[fit->count] = most;
	context_fit_add(fit, terms, 1 / (usual * usual));
}

static void add_row(struct context_fit *fit, const struct context_grid *grid,
		    const uint8_t *holes, size_t z, size_t y)
{
	const size_t place = context_grid_place(grid, z, y);
	const size_t n = context_grid_row_elems(grid, z, y);
	const int16_t *misses = grid->misses + place;
	struct context_near near;
	struct context_west west;

	context_grid_near(grid, z, y, &near);
	west = context_west_begin(0, grid->misses[near.n]);
	for (size_t x = 0; x < n; x++) {
		if (!holes || !holes[x])
			add_elem(fit, grid, &near, &west, x, misses[x]);
		context_west_move(&west, 0, misses[x]);
	}
}

void context_weights_fit(const struct context_grid *grid, const uint8_t *holes,
			 struct context_model *model)
{
	const size_t step = grid->n / NELEMS_WANTED + 1;
	struct context_fit fit = { .count = context_misses(grid->has_planes) };
	double factors[CONTEXT_FIT_MAX];
	int weights[CONTEXT_MISSES], sum = 0;

	for (size_t r = 0; r < grid->nrows; r++) {
		size_t z = r / grid->plane_rows, y = r % grid->plane_rows;

		if ((y + z) % step == 0)
			add_row(&fit, grid,
				holes ? holes + r * grid->row : NULL, z, y);
	}
	if (!context_fit_solve(&fit, factors))
		return;
	for (unsigned i = 0; i < fit.count; i++) {
		if (!context_fit_round(factors[i] * SCALE, 1e6, &weights[i]))
			return;
		weights[i] = weights[i] < 0 ? 0 : weights[i];
		if (weights[i] > CONTEXT_WEIGHT_MAX)
			weights[i] = CONTEXT_WEIGHT_MAX;
		sum += weights[i];
	}
	for (unsigned i = 0; sum > 0 && i < fit.count; i++)
		model->weights[i] = (uint8_t)weights[i];
}
