/* SPDX-License-Identifier: MIT */
/*
 * Each tile takes, of the predictions that are usual for images and fields,
 * the one that misses it by least: the sum of the logarithms of what it misses,
 * and the bits to say which it is.  Then predictions are fitted to the tiles
 * that have them, and tiles choose again.
 */
#include "context/predictors.h"

#include <string.h>

#include "base/sizes.h"
#include "context/predictors_fit.h"

/* How often predictors are fitted, and tiles assigned to them. */
#define FITS 3
#define ASSIGNMENTS 3

/* Costs of tiles are in units of so many of cost.h, as a power of 2. */
#define COST_SHIFT 4

/* Misses whose costs are looked up. */
#define SMALL_MISSES 2048

/*
 * What costs of elements leave out: about the bits that say how large a miss
 * is.  Measured on 90 blocks: between 0.8 and 1.4 bits for each element, less
 * where hardly anything is missed.
 */
#define COST_LEFT_OUT (CONTEXT_BIT * 7 / 10 >> COST_SHIFT)

/* In units of 1 / 4, in the order of enum context_neighbour. */
struct fixed {
	int8_t coefficients[CONTEXT_NEIGHBOURS];
};

/* Those of the row and the rows above. */
static const struct fixed flat[] = {
	{ { 4 } },
	{ { 8, -4 } },
	{ { 0, 0, 4 } },
	{ { 4, 0, 4, -4 } },
	{ { 4, 0, -4, 0, 4 } },
	{ { 2, 0, 2, -1, 1 } },
	{ { 0, 0, 8, 0, 0, -4 } },
	{ { 1, 0, 1, 1, 1 } },
};

/*
 * Those that know the plane before, and some that might learn of it; before
 * them come the first of those that do not, which plane 0 needs.
 */
static const struct fixed deep[] = {
	{ { [CONTEXT_T] = 4 } },
	{ { [CONTEXT_W] = 4, [CONTEXT_T] = 4, [CONTEXT_TW] = -4 } },
	{ { [CONTEXT_N] = 4, [CONTEXT_T] = 4, [CONTEXT_TN] = -4 } },
	{ { [CONTEXT_W] = 4,
	    [CONTEXT_N] = 4,
	    [CONTEXT_NW] = -4,
	    [CONTEXT_T] = 4,
	    [CONTEXT_TW] = -4,
	    [CONTEXT_TN] = -4,
	    [CONTEXT_TNW] = 4 } },
	{ { [CONTEXT_W] = 2,
	    [CONTEXT_N] = 2,
	    [CONTEXT_T] = 4,
	    [CONTEXT_TW] = -2,
	    [CONTEXT_TN] = -2 } },
	{ { [CONTEXT_W] = 2,
	    [CONTEXT_N] = 2,
	    [CONTEXT_T] = 4,
	    [CONTEXT_TW] = -1,
	    [CONTEXT_TN] = -1,
	    [CONTEXT_TE] = -1,
	    [CONTEXT_TS] = -1 } },
	{ { 4, 0, 4, -4 } },
	{ { 8, -4 } },
	{ { 1, 0, 1, 1, 1 } },
	{ { [CONTEXT_W] = 3, [CONTEXT_T] = 1 } },
};

/* A search on its way. */
struct search {
	const struct context_choice *choice;
	struct context_model *model;
	size_t ntiles;
	size_t count; /* of predictors */
	uint32_t *costs;
	uint32_t *fitted; /* costs of those that were fitted */
	uint8_t *tiles;
	uint16_t small[SMALL_MISSES]; /* what they cost */
};

static void set_fixed(struct context_model *model)
{
	const bool has_planes = model->plane_rows > 0;
	const size_t nflat = has_planes ? CONTEXT_FLAT_WITH_PLANES :
					  sizeof(flat) / sizeof(*flat);
	const size_t ndeep = has_planes ? sizeof(deep) / sizeof(*deep) : 0;

	model->npredictors = (uint8_t)(nflat + ndeep);
	for (size_t i = 0; i < nflat + ndeep; i++) {
		const struct fixed *from = i < nflat ? &flat[i] :
						       &deep[i - nflat];
		struct context_predictor *p = &model->predictors[i];

		*p = (struct context_predictor){ 0 };
		for (unsigned k = 0; k < CONTEXT_NEIGHBOURS; k++)
			p->coefficients[k] =
				(int16_t)(from->coefficients[k] * 128);
	}
}

/* The cost of an element of a tile. */
static inline uint32_t cost_of_miss(const struct search *s, uint16_t magnitude)
{
	return magnitude < SMALL_MISSES ?
		       s->small[magnitude] :
		       context_log2(s->choice->logs, 2u * magnitude + 1) >>
			       COST_SHIFT;
}

/* Adds what a prediction misses of a span to the costs of its tiles. */
static void add_costs(const struct search *s, const uint16_t *magnitudes,
		      const uint8_t *holes, size_t n, uint32_t *costs)
{
	for (size_t x = 0; x < n; costs += s->count) {
		size_t end = size_min(x + CONTEXT_TILE_ELEMS, n);
		uint32_t sum = 0;

		for (; x < end; x++)
			if (!holes || !holes[x])
				sum += cost_of_miss(s, magnitudes[x]);
		*costs += sum;
	}
}

/* Adds the costs of a span by all predictors. */
static void measure_span(const struct search *s,
			 const struct context_span *span, uint32_t *costs)
{
	const struct context_row_kernels *kernels = context_row_kernels();
	const struct context_grid *grid = s->choice->grid;
	const struct context_row *row = &s->choice->row;
	const uint8_t *holes = s->choice->holes;
	const uint16_t *values = grid->values +
				 context_grid_place(grid, span->z, span->y) +
				 span->first;
	size_t tile = context_grid_tile(grid, span->z, span->y) +
		      span->first / CONTEXT_TILE_ELEMS;
	struct context_rows_input in;
	uint16_t magnitudes[CONTEXT_SPAN], west[2];

	context_rows_input_init(&in, grid, span);
	if (holes)
		holes += (span->z * grid->plane_rows + span->y) * grid->row +
			 span->first;
	west[0] = west[1] = grid->values[in.near.n];
	if (span->first > 0) {
		west[0] = *(values - 1);
		west[1] = *(values - 2);
	}
	for (size_t i = 0; i < s->count; i++) {
		kernels->predict(&in, &s->model->predictors[i], 0, span->n,
				 row);
		kernels->miss(row, values, west, span->n, magnitudes);
		add_costs(s, magnitudes, holes, span->n,
			  costs + tile * s->count + i);
	}
}

/* The costs of all tiles by all predictors; for each tile side by side. */
static void measure(const struct search *s, uint32_t *costs)
{
	const struct context_grid *grid = s->choice->grid;

	memset(costs, 0, s->ntiles * s->count * sizeof(*costs));
	for (size_t r = 0; r < grid->nrows; r++) {
		struct context_span span = {
			.z = r / grid->plane_rows,
			.y = r % grid->plane_rows,
		};
		size_t n = context_grid_row_elems(grid, span.z, span.y);

		for (; span.first < n; span.first += span.n) {
			span.n = size_min(n - span.first, CONTEXT_SPAN);
			measure_span(s, &span, costs);
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
		prices[i] =
			(context_log2(logs, (uint32_t)(2 * (ntiles + count))) -
			 context_log2(logs, 2 * used[i] + 1)) >>
			COST_SHIFT;
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

/* The assignment of tiles that is best for its own prices. */
static void assign_all(const struct search *s)
{
	uint32_t prices[CONTEXT_PREDICTORS_MAX] = { 0 };

	for (unsigned round = 0; round < ASSIGNMENTS; round++) {
		assign(s->costs, s->ntiles, s->count, prices, s->tiles);
		set_prices(s->choice->logs, s->tiles, s->ntiles, s->count,
			   prices);
	}
}

/* For each tile, what its elements miss, as context_predictors_fit() wants. */
static void set_misses(const struct search *s, uint32_t *misses)
{
	const uint32_t tile = CONTEXT_TILE_ROWS * CONTEXT_TILE_ELEMS;

	for (size_t t = 0; t < s->ntiles; t++)
		misses[t] = s->costs[t * s->count + s->tiles[t]] /
			    (tile >> COST_SHIFT);
}

/* What the tiles of a predictor cost. */
static uint64_t cost_of(const struct search *s, const uint32_t *costs,
			unsigned number)
{
	uint64_t sum = 0;

	for (size_t t = 0; t < s->ntiles; t++)
		if (s->tiles[t] == number)
			sum += costs[t * s->count + number];
	return sum;
}

/*
 * Fits predictors to their tiles, and keeps those that cost less; false if out
 * of memory.
 */
static bool improve(struct search *s)
{
	struct context_predictor before[CONTEXT_PREDICTORS_MAX];
	struct context_model *model = s->model;

	memcpy(before, model->predictors, sizeof(before));
	set_misses(s, s->fitted);
	if (!context_predictors_fit(s->choice->grid, s->choice->holes,
				    s->fitted, model))
		return false;
	measure(s, s->fitted);
	for (unsigned i = 0; i < s->count; i++) {
		bool pays = cost_of(s, s->fitted, i) < cost_of(s, s->costs, i);

		if (!pays)
			model->predictors[i] = before[i];
		for (size_t t = 0; pays && t < s->ntiles; t++)
			s->costs[t * s->count + i] =
				s->fitted[t * s->count + i];
	}
	return true;
}

/* The least number of bytes that the elements will probably take. */
static uint64_t estimate(const struct search *s)
{
	const uint64_t n = s->choice->nkept;
	uint64_t cost = 0;

	for (unsigned i = 0; i < s->count; i++)
		cost += cost_of(s, s->costs, i);
	cost += size_min(cost, n * COST_LEFT_OUT);
	return cost / (8 * (CONTEXT_BIT >> COST_SHIFT));
}

static bool init(struct search *s, struct buffer *tiles, struct buffer *costs)
{
	const struct context_model *model = s->model;
	size_t matrix;

	set_fixed(s->model);
	s->count = model->npredictors;
	s->ntiles = context_count_tiles(s->choice->grid->n, model->row,
					model->plane_rows);
	matrix = s->ntiles * s->count;
	if (!buffer_reserve(tiles, s->ntiles) ||
	    !buffer_reserve(costs, 2 * matrix * sizeof(*s->costs)))
		return false;
	s->costs = (uint32_t *)(void *)costs->data;
	s->fitted = s->costs + matrix;
	s->tiles = tiles->data;
	s->model->tiles = s->tiles;
	for (uint32_t i = 0; i < SMALL_MISSES; i++)
		s->small[i] =
			(uint16_t)(context_log2(s->choice->logs, 2 * i + 1) >>
				   COST_SHIFT);
	return true;
}

int context_predictors_choose(const struct context_choice *choice,
			      struct buffer *tiles, struct buffer *costs,
			      struct context_model *model, bool *pays_ret,
			      struct nc3z_error *err)
{
	struct search s = { .choice = choice, .model = model };

	if (!init(&s, tiles, costs))
		return error_set_memory(err);
	measure(&s, s.costs);
	assign_all(&s);
	*pays_ret = estimate(&s) <= choice->limit;
	for (unsigned i = 0; *pays_ret && i < FITS; i++) {
		if (!improve(&s))
			return error_set_memory(err);
		assign_all(&s);
	}
	leave_out_unused(model, s.tiles, s.ntiles);
	return NC3Z_OK;
}
