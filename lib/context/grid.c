/* SPDX-License-Identifier: MIT */
#include "context/grid.h"

#include <string.h>

#include "base/sizes.h"

void context_grid_measure(struct context_grid *grid, size_t n, uint32_t row,
			  uint32_t plane_rows)
{
	*grid = (struct context_grid){
		.n = n,
		.row = row,
		.nrows = size_div_up(n, row),
		.plane_rows = plane_rows,
		.has_planes = plane_rows > 0,
		.row_tiles = size_div_up(row, CONTEXT_TILE_ELEMS),
	};
	if (!grid->has_planes)
		grid->plane_rows = size_div_up(grid->nrows, CONTEXT_LANES);
	if (grid->plane_rows > grid->nrows)
		grid->plane_rows = grid->nrows;
	grid->nplanes = size_div_up(grid->nrows, grid->plane_rows);
	grid->plane_tile_rows =
		size_div_up(grid->plane_rows, CONTEXT_TILE_ROWS);
}

bool context_grid_allocate(struct context_grid *grid, struct buffer *memory)
{
	size_t row = grid->row + 2 * CONTEXT_MARGIN;
	size_t count = (grid->nrows + 1) * row;

	if (!buffer_reserve(memory, count * 2 * sizeof(*grid->values)))
		return false;
	grid->values = (uint16_t *)(void *)memory->data;
	grid->misses = (int16_t *)(void *)(grid->values + count);
	memset(grid->values, 0, row * sizeof(*grid->values));
	memset(grid->misses, 0, row * sizeof(*grid->misses));
	return true;
}

/* The row above the first one of a plane. */
static size_t place_above(const struct context_grid *grid, size_t z)
{
	return grid->has_planes && z > 0 ? context_grid_place(grid, z - 1, 0) :
					   CONTEXT_MARGIN;
}

void context_grid_near(const struct context_grid *grid, size_t z, size_t y,
		       struct context_near *near)
{
	size_t above = place_above(grid, z);

	near->n = y > 0 ? context_grid_place(grid, z, y - 1) : above;
	near->nn = y > 1 ? context_grid_place(grid, z, y - 2) : above;
	near->t = near->tn = near->ts = CONTEXT_MARGIN;
	if (!grid->has_planes || z == 0)
		return;
	near->t = context_grid_place(grid, z - 1, y);
	near->tn = y > 0 ? context_grid_place(grid, z - 1, y - 1) :
			   place_above(grid, z - 1);
	near->ts = y + 1 < grid->plane_rows ?
			   context_grid_place(grid, z - 1, y + 1) :
			   near->t;
}

void context_grid_end_row(struct context_grid *grid, size_t z, size_t y)
{
	size_t place = context_grid_place(grid, z, y), row = grid->row;
	uint16_t *values = grid->values + place;
	int16_t *misses = grid->misses + place;

	for (size_t x = context_grid_row_elems(grid, z, y); x < row; x++) {
		values[x] = values[x - 1];
		misses[x] = misses[x - 1];
	}
	for (size_t k = 0; k < CONTEXT_MARGIN; k++) {
		values[row + k] = values[row - 1];
		misses[row + k] = misses[row - 1];
		*(values - k - 1) = *values;
		*(misses - k - 1) = *misses;
	}
}
