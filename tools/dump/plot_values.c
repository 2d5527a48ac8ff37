#include <math.h>
#include <stdlib.h>

#include "dump/plot.h"

int plot_choose_axes(struct plot *plot)
{
	const struct dump_hyperslab *slab = &plot->selection->slab;
	struct plot_axis *axes[] = { &plot->x, &plot->y };
	int naxes = 0, status = NC3Z_OK;

	plot->x = plot->y = (struct plot_axis){
		.dim = -1,
		.count = 1,
		.stride = 1,
		.step = 1,
		.nread = 1,
		.varid = -1,
	};
	for (int dim = slab->ndims - 1; dim >= 0 && naxes < 2; dim--)
		if (slab->count[dim] > 1 && status == NC3Z_OK)
			status = plot_axis_init(axes[naxes++], plot, dim);
	return status;
}

/* Where more values are than places, at least one is left for each place. */
static void thin(struct plot_axis *axis, size_t places)
{
	axis->step = axis->count > places ? axis->count / places : 1;
	axis->nread = (axis->count + axis->step - 1) / axis->step;
}

/* The first index of all dimensions but those that are drawn. */
static bool make_slab(struct dump_hyperslab *slab, const struct plot *plot)
{
	const struct plot_axis *axes[] = { &plot->x, &plot->y };

	if (!dump_hyperslab_init(slab, &plot->var))
		return false;
	for (int dim = 0; dim < slab->ndims; dim++) {
		slab->start[dim] = plot->selection->slab.start[dim];
		slab->count[dim] = 1;
	}
	for (int i = 0; i < 2; i++) {
		if (axes[i]->dim < 0)
			continue;
		slab->count[axes[i]->dim] = axes[i]->nread;
		slab->stride[axes[i]->dim] =
			(ptrdiff_t)(axes[i]->stride * axes[i]->step);
	}
	return true;
}

static void find_range(struct plot *plot)
{
	plot->lo = INFINITY;
	plot->hi = -INFINITY;
	plot->nmissing = 0;
	for (size_t i = 0; i < plot->nvalues; i++) {
		double v = plot->values[i];

		if (!isfinite(v)) {
			plot->nmissing++;
			continue;
		}
		plot->lo = v < plot->lo ? v : plot->lo;
		plot->hi = v > plot->hi ? v : plot->hi;
	}
}

static int no_memory(struct plot *plot)
{
	plot->dump->err = (struct nc3z_error){
		.status = NC3Z_ENOMEM,
		.offset = NC3Z_NO_OFFSET,
		.text = "out of memory",
	};
	return NC3Z_ENOMEM;
}

int plot_read(struct plot *plot, size_t across, size_t down)
{
	struct dump_hyperslab slab = { 0 };
	int status = NC3Z_ENOMEM;

	thin(&plot->x, across);
	thin(&plot->y, down);
	plot->nvalues = plot->x.nread * plot->y.nread;
	plot->values = calloc(plot->nvalues, sizeof(*plot->values));
	if (plot->values && make_slab(&slab, plot)) {
		struct nc3z_hyperslab wanted = { slab.start, slab.count,
						 slab.stride, NULL };

		status = nc3z_get(plot->dump->file, plot->selection->varid,
				  &wanted, NC3Z_DOUBLE | NC3Z_UNPACKED,
				  plot->values, &plot->dump->err);
	} else {
		status = no_memory(plot);
	}
	dump_hyperslab_release(&slab);
	if (status == NC3Z_OK)
		find_range(plot);
	return status;
}

double plot_value(const struct plot *plot, int x, int y, int across, int down)
{
	size_t row, column = plot_axis_index(&plot->x, x, across);

	row = plot_axis_index(&plot->y, plot->y.is_downward ? y : down - 1 - y,
			      down);
	return plot->values[row / plot->y.step * plot->x.nread +
			    column / plot->x.step];
}

int plot_level(const struct plot *plot, double value, int n)
{
	/* Halves, as the range itself may be more than a double holds. */
	double span = plot->hi / 2 - plot->lo / 2;
	int level;

	if (!isfinite(value))
		return -1;
	if (!(span > 0))
		return n / 2;
	level = (int)((value / 2 - plot->lo / 2) / span * n);
	return level < n ? level : n - 1;
}
