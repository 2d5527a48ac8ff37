/* SPDX-License-Identifier: MIT */
/*
 * The elements of a block in rows, and rows in planes or quarters: values and
 * what their predictions missed, with what lies outside of the rows.  Section
 * "Context coding" of the specification, "Places" and "Neighbours".
 */
#ifndef NC3Z_CONTEXT_GRID_H
#define NC3Z_CONTEXT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* Quarters; planes and quarters take turns in as many lanes. */
#define CONTEXT_LANES 4

/* One predictor serves so many rows and elements of them. */
#define CONTEXT_TILE_ROWS 8
#define CONTEXT_TILE_ELEMS 16

/* Elements beside a row on either side that its neighbours reach for. */
#define CONTEXT_MARGIN 2

struct context_grid {
	size_t n;
	size_t row; /* elements */
	size_t nrows;
	size_t plane_rows; /* of a plane or quarter, but for the last one */
	size_t nplanes;    /* planes or quarters with at least one row */
	bool has_planes;   /* that see each other */
	size_t row_tiles;
	size_t plane_tile_rows;

	/* Of each place; first a row of zeros, margins beside each row. */
	uint16_t *values;
	int16_t *misses;
};

/* 'row' is 1 to n; 'plane_rows' is 0 if there are no planes. */
void context_grid_measure(struct context_grid *grid, size_t n, uint32_t row,
			  uint32_t plane_rows);

/* The grid's rows in 'memory', whose former contents are lost; or false. */
bool context_grid_allocate(struct context_grid *grid, struct buffer *memory);

/* Rows of plane or quarter z. */
static inline size_t context_grid_plane_rows(const struct context_grid *grid,
					     size_t z)
{
	size_t before = z * grid->plane_rows;

	return grid->nrows - before < grid->plane_rows ? grid->nrows - before :
							 grid->plane_rows;
}

/* Elements of a row: all, but for the last one. */
static inline size_t context_grid_row_elems(const struct context_grid *grid,
					    size_t z, size_t y)
{
	size_t before = (z * grid->plane_rows + y) * grid->row;

	return grid->n - before < grid->row ? grid->n - before : grid->row;
}

/* The first of the tiles that a row lies in. */
static inline size_t context_grid_tile(const struct context_grid *grid,
				       size_t z, size_t y)
{
	return (z * grid->plane_tile_rows + y / CONTEXT_TILE_ROWS) *
	       grid->row_tiles;
}

/* The first element of a row in 'values' and 'misses'. */
static inline size_t context_grid_place(const struct context_grid *grid,
					size_t z, size_t y)
{
	return (z * grid->plane_rows + y + 1) *
		       (grid->row + 2 * CONTEXT_MARGIN) +
	       CONTEXT_MARGIN;
}

/* Where the rows that neighbours lie in begin. */
struct context_near {
	size_t n;
	size_t nn;
	size_t t;
	size_t tn;
	size_t ts;
};

void context_grid_near(const struct context_grid *grid, size_t z, size_t y,
		       struct context_near *near);

/* Completes a row whose first 'nelems' elements are there. */
void context_grid_end_row(struct context_grid *grid, size_t z, size_t y);

#endif
