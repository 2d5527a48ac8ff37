/* SPDX-License-Identifier: MIT */
/*
 * lib/context/weights.c: the weight goes to the neighbours that say what will be
 * missed, whichever they are, and holes say nothing.
 */
#include "check.h"
#include "context/weights.h"

#define ROW 64
#define NROWS 96
#define PLANE_ROWS 16

/* Elements whose misses are of one size. */
enum alike {
	OF_A_ROW,    /* in a row, which W and WW tell */
	OF_A_COLUMN, /* in a column, N and NN */
	OF_A_PLACE,  /* in the same place of all planes, T */
	NONE
};

static size_t number_of(enum alike alike, size_t r, size_t x)
{
	return alike == OF_A_ROW    ? r :
	       alike == OF_A_COLUMN ? x :
	       alike == OF_A_PLACE  ? r % PLANE_ROWS * ROW + x :
				      0;
}

/* Misses of less than 'most'; 'holes', unless NULL, have the one to the left. */
static void fill(struct context_grid *grid, enum alike alike, unsigned most,
		 uint8_t *holes)
{
	uint64_t seed = 7;
	static int16_t sizes[ROW * NROWS];

	for (size_t i = 0; i < ROW * NROWS; i++)
		sizes[i] = (int16_t)check_random_below(&seed, most);
	for (size_t r = 0; r < NROWS; r++) {
		size_t z = r / grid->plane_rows, y = r % grid->plane_rows;
		int16_t *misses = grid->misses + context_grid_place(grid, z, y);

		for (size_t x = 0; x < ROW; x++) {
			int sign = check_random(&seed) >> 63 ? 1 : -1;

			misses[x] =
				(int16_t)(sign * sizes[number_of(alike, r, x)]);
			if (!holes)
				continue;
			holes[r * ROW + x] = x > 0 &&
					     check_random_below(&seed, 4) == 0;
			if (holes[r * ROW + x])
				misses[x] = misses[x - 1];
		}
		context_grid_end_row(grid, z, y);
	}
}

/* The sum of the weights in 'mask' after a fit, and the largest other one. */
static unsigned fit(enum alike alike, unsigned most, bool has_planes,
		    bool has_holes, unsigned mask, unsigned *most_other_ret)
{
	static uint8_t holes[ROW * NROWS];
	struct context_model model = { .plane_rows = has_planes ? PLANE_ROWS :
								  0 };
	struct buffer memory = { 0 };
	struct context_grid grid;
	unsigned sum = 0;

	context_grid_measure(&grid, (size_t)ROW * NROWS, ROW, model.plane_rows);
	if (!context_grid_allocate(&grid, &memory))
		abort();
	fill(&grid, alike, most, has_holes ? holes : NULL);
	context_weights_init(&model);
	context_weights_fit(&grid, has_holes ? holes : NULL, &model);
	*most_other_ret = 0;
	for (unsigned i = 0; i < context_misses(has_planes); i++)
		if (mask >> i & 1)
			sum += model.weights[i];
		else if (model.weights[i] > *most_other_ret)
			*most_other_ret = model.weights[i];
	buffer_release(&memory);
	return sum;
}

/*
 * What is missed is about a sixteenth of the activity.  The usual weights give
 * each of these neighbours at most six.
 */
static void test_neighbours(void)
{
	static const struct {
		enum alike alike;
		unsigned mask;
		bool needs_planes;
	} cases[] = {
		{ OF_A_ROW, 1u << CONTEXT_MISS_W | 1u << CONTEXT_MISS_WW,
		  false },
		{ OF_A_COLUMN, 1u << CONTEXT_MISS_N | 1u << CONTEXT_MISS_NN,
		  false },
		{ OF_A_PLACE, 1u << CONTEXT_MISS_T, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (unsigned how = 0; how < 4; how++) {
			bool has_planes = how & 1 || cases[i].needs_planes;
			bool has_holes = how >> 1 && i == 0;
			unsigned most_other, sum;

			sum = fit(cases[i].alike, 1000, has_planes, has_holes,
				  cases[i].mask, &most_other);
			CHECK(sum >= 12 && sum <= 18);
			CHECK(2 * most_other <= sum);
		}
}

/* Nothing is missed, and nothing to be learnt: the usual weights stay. */
static void test_nothing_missed(void)
{
	struct context_model usual = { 0 };
	unsigned most_other, sum = 0;

	context_weights_init(&usual);
	for (unsigned i = 0; i < context_misses(false); i++)
		sum += usual.weights[i];
	CHECK_EQ_U64(fit(NONE, 1, false, false, ~0u, &most_other), sum);
	CHECK_EQ_U64(most_other, 0);
}

int main(void)
{
	RUN(test_neighbours);
	RUN(test_nothing_missed);
	return check_report();
}
