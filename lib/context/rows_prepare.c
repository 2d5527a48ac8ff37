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

void context_rows_input_init(struct context_rows_input *in,
			     const struct context_grid *grid,
			     const struct context_span *span)
{
	in->grid = grid;
	context_grid_near(grid, span->z, span->y, &in->near);
	in->near.n += span->first;
	in->near.nn += span->first;
	in->near.t += span->first;
	in->near.tn += span->first;
	in->near.ts += span->first;
}

/* Where the run of tiles of one predictor ends that begins at 'first'. */
static size_t end_of_run(const uint8_t *tiles, size_t first, size_t n)
{
	size_t i = first / CONTEXT_TILE_ELEMS, end = first;

	while (end < n && tiles[end / CONTEXT_TILE_ELEMS] == tiles[i])
		end += CONTEXT_TILE_ELEMS;
	return end < n ? end : n;
}

void context_row_prepare(const struct context_model *model,
			 const struct context_grid *grid,
			 const struct context_span *span,
			 const struct context_row *out)
{
	const struct context_row_kernels *kernels = context_row_kernels();
	const uint8_t *tiles = model->tiles;
	struct context_rows_input in;

	context_rows_input_init(&in, grid, span);
	if (tiles)
		tiles += context_grid_tile(grid, span->z, span->y) +
			 span->first / CONTEXT_TILE_ELEMS;
	else
		kernels->predict(&in, &model->predictors[0], 0, span->n, out);
	for (size_t first = 0, end; tiles && first < span->n; first = end) {
		uint8_t number = tiles[first / CONTEXT_TILE_ELEMS];

		end = end_of_run(tiles, first, span->n);
		kernels->predict(&in, &model->predictors[number], first, end,
				 out);
	}
	kernels->weigh(&in, model->weights, span->n, out);
}
