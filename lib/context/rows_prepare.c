/* SPDX-License-Identifier: MIT */
/* Which kernels run, and over which elements of a row. */
#include "context/rows.h"

const struct context_row_kernels *context_row_kernels(void)
{
#ifdef NC3Z_HAVE_AVX2
	if (__builtin_cpu_supports("avx2"))
		return &context_rows_avx2;
#endif
	return &context_rows_plain;
}

void context_row_prepare(const struct context_model *model,
			 const struct context_grid *grid, size_t z, size_t y,
			 const struct context_row *out)
{
	const struct context_row_kernels *kernels = context_row_kernels();
	const size_t tile = context_grid_tile(grid, z, y);
	struct context_near near;
	const struct context_rows_input in = { grid, &near };
	size_t first = 0;

	context_grid_near(grid, z, y, &near);
	/* Runs of tiles of one predictor. */
	while (first < grid->row) {
		size_t i = first / CONTEXT_TILE_ELEMS, end = grid->row;
		uint8_t number = model->tiles ? model->tiles[tile + i] : 0;

		while (model->tiles && i < grid->row_tiles &&
		       model->tiles[tile + i] == number)
			i++;
		if (model->tiles && i * CONTEXT_TILE_ELEMS < end)
			end = i * CONTEXT_TILE_ELEMS;
		kernels->predict(&in, &model->predictors[number], first, end,
				 out);
		first = end;
	}
	kernels->weigh(&in, model->weights, out);
}
