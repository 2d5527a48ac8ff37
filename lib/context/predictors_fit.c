/* SPDX-License-Identifier: MIT */
/*
 * Iteratively reweighted least squares: elements that are missed by far, and
 * those of tiles where all are missed by far, count less, so that the sum of
 * the logarithms becomes less rather than that of the squares.
 */
#include "context/predictors_fit.h"

#include <stdlib.h>

#include "context/cost.h"
#include "context/fit.h"
#include "context/lanes.h"

/* About how many elements are looked at: they suffice for so few numbers. */
#define NELEMS_WANTED 65536
/* Of fewer elements predictors are not fitted. */
#define NELEMS_MIN 64

struct fitting {
	const struct context_grid *grid;
	const uint8_t *holes;
	const uint32_t *misses;
	double middle; /* about the mean of all values */
	bool has_planes;
	struct context_fit fits[CONTEXT_PREDICTORS_MAX];
	uint32_t nelems[CONTEXT_PREDICTORS_MAX];
};

/* The neighbours that a predictor looks at. */
static unsigned neighbours_of(const struct fitting *f, unsigned number)
{
	return context_neighbours(f->has_planes &&
				  number >= CONTEXT_FLAT_WITH_PLANES);
}

/* The values of an element's neighbours. */
static void gather(const struct context_grid *grid,
		   const struct context_near *near,
		   const struct context_west *west, size_t x, int32_t *out)
{
	const uint16_t *n = grid->values + near->n + x;
	const uint16_t *t = grid->values + near->t + x;
	const uint16_t *tn = grid->values + near->tn + x;

	out[CONTEXT_W] = (int32_t)west->w;
	out[CONTEXT_WW] = (int32_t)west->ww;
	out[CONTEXT_N] = n[0];
	out[CONTEXT_NW] = *(n - 1);
	out[CONTEXT_NE] = n[1];
	out[CONTEXT_NN] = grid->values[near->nn + x];
	out[CONTEXT_NEE] = n[2];
	out[CONTEXT_NWW] = *(n - 2);
	out[CONTEXT_T] = t[0];
	out[CONTEXT_TW] = *(t - 1);
	out[CONTEXT_TN] = tn[0];
	out[CONTEXT_TE] = t[1];
	out[CONTEXT_TS] = grid->values[near->ts + x];
	out[CONTEXT_TNW] = *(tn - 1);
}

/*
 * About what an element misses, by the logarithm of the cost of twice that and
 * 1, with a straight line between powers of 2.
 */
static double miss_of(uint32_t log)
{
	return (double)(UINT64_C(1) << (log >> 16)) *
	       (0.5 + (double)(log & 0xffff) / (2.0 * CONTEXT_BIT));
}

/*
 * Terms: 1, all neighbours but N less N, N less the middle of all; and the
 * element less N.  Differences keep the sums apart that values would drown.
 */
static void add_elem(struct fitting *f, unsigned number,
		     const struct context_predictor *p,
		     const int32_t *neighbours, int32_t value, double usual)
{
	double terms[CONTEXT_FIT_MAX + 1], miss = p->constant / 512.0 - value;
	const double n = neighbours[CONTEXT_N];
	unsigned count = 0;

	terms[count++] = 1;
	terms[count++] = n - f->middle;
	for (unsigned k = 0; k < neighbours_of(f, number); k++) {
		miss += p->coefficients[k] / 512.0 * neighbours[k];
		if (k != CONTEXT_N)
			terms[count++] = neighbours[k] - n;
	}
	terms[count] = value - n;
	miss = miss < 0 ? -miss : miss;
	context_fit_add(&f->fits[number], terms,
			1 / ((miss + 0.4) * (miss * 0.3 + usual + 0.3)));
	f->nelems[number]++;
}

static void add_row(struct fitting *f, const struct context_model *model,
		    size_t z, size_t y)
{
	const struct context_grid *grid = f->grid;
	const uint16_t *values = grid->values + context_grid_place(grid, z, y);
	const size_t first = (z * grid->plane_rows + y) * grid->row;
	const size_t tiles = context_grid_tile(grid, z, y);
	size_t n = context_grid_row_elems(grid, z, y);
	struct context_near near;
	struct context_west west;

	context_grid_near(grid, z, y, &near);
	west = context_west_begin(grid->values[near.n], 0);
	for (size_t x = 0; x < n; x++) {
		size_t tile = tiles + x / CONTEXT_TILE_ELEMS;
		unsigned number = model->tiles ? model->tiles[tile] : 0;
		int32_t neighbours[CONTEXT_NEIGHBOURS];

		gather(grid, &near, &west, x, neighbours);
		context_west_move(&west, values[x], 0);
		/* Nothing is to be learnt of the plane before plane 0. */
		if (f->has_planes && z == 0 &&
		    number >= CONTEXT_FLAT_WITH_PLANES)
			continue;
		if (!f->holes || !f->holes[first + x])
			add_elem(f, number, &model->predictors[number],
				 neighbours, values[x],
				 miss_of(f->misses[tile]));
	}
}

/* Sets a predictor to the factors of the terms, if that can be. */
static void set_predictor(const struct fitting *f, unsigned number,
			  const double *factors, struct context_predictor *p)
{
	struct context_predictor new = { 0 };
	double constant = factors[0] - factors[1] * f->middle;
	int x, n = 512;

	if (!context_fit_round(constant * 512, 1e9, &x))
		return;
	new.constant = x;
	for (unsigned k = 0, i = 2; k < neighbours_of(f, number); k++) {
		if (k == CONTEXT_N)
			continue;
		if (!context_fit_round(factors[i++] * 512,
				       CONTEXT_COEFFICIENT_MAX, &x))
			return;
		new.coefficients[k] = (int16_t)x;
		n -= x;
	}
	if (!context_fit_round(factors[1] * 512, CONTEXT_COEFFICIENT_MAX, &x))
		return;
	n += x;
	if (n > CONTEXT_COEFFICIENT_MAX || n < -CONTEXT_COEFFICIENT_MAX)
		return;
	new.coefficients[CONTEXT_N] = (int16_t)n;
	*p = new;
}

/* Of some values here and there. */
static double middle_of(const struct context_grid *grid)
{
	size_t step = grid->nrows / 64 + 1, count = 0;
	double sum = 0;

	for (size_t r = 0; r < grid->nrows; r += step, count++)
		sum += grid->values[context_grid_place(grid, 0, r)];
	return sum / (double)count;
}

bool context_predictors_fit(const struct context_grid *grid,
			    const uint8_t *holes, const uint32_t *misses,
			    struct context_model *model)
{
	const size_t step = grid->n / NELEMS_WANTED + 1;
	struct fitting *f = calloc(1, sizeof(*f)); /* much for a stack */

	if (!f)
		return false;
	f->grid = grid;
	f->holes = holes;
	f->misses = misses;
	f->middle = middle_of(grid);
	f->has_planes = grid->has_planes;
	for (unsigned i = 0; i < model->npredictors; i++)
		f->fits[i].count = neighbours_of(f, i) + 1;
	/* Rows of a plane are as many as the step tells, of others others. */
	for (size_t r = 0; r < grid->nrows; r++) {
		size_t z = r / grid->plane_rows, y = r % grid->plane_rows;

		if ((y + z) % step == 0)
			add_row(f, model, z, y);
	}
	for (unsigned i = 0; i < model->npredictors; i++) {
		double factors[CONTEXT_FIT_MAX];

		if (f->nelems[i] >= NELEMS_MIN &&
		    context_fit_solve(&f->fits[i], factors))
			set_predictor(f, i, factors, &model->predictors[i]);
	}
	free(f);
	return true;
}
