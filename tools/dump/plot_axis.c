/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dump/attribute.h"
#include "dump/plot.h"
#include "dump/time_attributes.h"

/* The coordinate 'i' of the part; the index itself without coordinates. */
static int coordinate(const struct plot_axis *axis, const struct plot *plot,
		      size_t i, double *value_ret)
{
	size_t index = axis->start + i * axis->stride, one = 1;
	struct nc3z_hyperslab at = { .start = &index, .count = &one };

	*value_ret = (double)index;
	if (axis->varid < 0)
		return NC3Z_OK;
	return nc3z_get(plot->dump->file, axis->varid, &at,
			NC3Z_DOUBLE | NC3Z_UNPACKED, value_ret,
			&plot->dump->err);
}

/* A variable of the dimension's name that has numbers along it alone. */
static int find_coordinates(const struct plot *plot, const char *name,
			    int dimid)
{
	const struct nc3z_file *file = plot->dump->file;
	struct nc3z_var var;
	int varid;

	if (nc3z_inq_varid(file, name, &varid, NULL) != NC3Z_OK ||
	    nc3z_inq_var(file, varid, &var, NULL) != NC3Z_OK ||
	    var.ndims != 1 || var.dimids[0] != dimid || var.type == NC3Z_CHAR)
		return -1;
	return varid;
}

/* Heights go up, depths go down, whichever way they are stored. */
static bool is_positive_down(const struct plot *plot, int varid)
{
	bool is_down = false;
	struct attribute a;

	if (attribute_find(plot->dump->file, varid, "positive", &a, NULL) !=
	    NC3Z_OK)
		return false;
	if (a.att.type == NC3Z_CHAR)
		is_down = strcmp(a.values, "down") == 0;
	attribute_release(&a);
	return is_down;
}

static int find_direction(struct plot_axis *axis, const struct plot *plot)
{
	double first, last;
	int status = coordinate(axis, plot, 0, &first);

	if (status == NC3Z_OK)
		status = coordinate(axis, plot, axis->count - 1, &last);
	if (status == NC3Z_OK)
		axis->is_downward = (first > last) !=
				    is_positive_down(plot, axis->varid);
	return status;
}

int plot_axis_init(struct plot_axis *axis, struct plot *plot, int dim)
{
	const struct dump_hyperslab *slab = &plot->selection->slab;
	struct dump *dump = plot->dump;
	struct nc3z_dim info;
	int status = nc3z_inq_dim(dump->file, plot->var.dimids[dim], &info,
				  &dump->err);

	if (status != NC3Z_OK)
		return status;
	*axis = (struct plot_axis){
		.dim = dim,
		.name = info.name,
		.start = slab->start[dim],
		.count = slab->count[dim],
		.stride = (size_t)slab->stride[dim],
		.varid = find_coordinates(plot, info.name,
					  plot->var.dimids[dim]),
		.time_separator = dump->settings->time_separator,
	};
	if (axis->varid < 0)
		return NC3Z_OK;
	axis->is_time =
		time_axis_find_known(dump, axis->varid, info.name, &axis->time);
	return find_direction(axis, plot);
}

/* The length of "1990-01-01 12:30:6.25" without its seconds. */
static size_t before_parts(const char *label)
{
	size_t n = strcspn(label, "."), all = strlen(label);

	while (n < all && n > 0 && label[n] != ':')
		n--;
	return n;
}

/* A date, in quotes, without them, seconds that have parts, and a midnight. */
static void put_time(const struct plot_axis *axis, double value,
		     char label[PLOT_LABEL_NBYTES])
{
	char midnight[] = "?00:00:00";
	size_t n = time_put_rounded(&axis->time, value, axis->time_separator,
				    label);
	size_t rest = strlen(midnight);

	if (n >= 2 && label[0] == '"') {
		n -= 2;
		memmove(label, label + 1, n);
	}
	label[n] = '\0';
	n = before_parts(label);
	label[n] = '\0';
	midnight[0] = axis->time_separator;
	if (n > rest && strcmp(label + n - rest, midnight) == 0)
		label[n - rest] = '\0';
}

int plot_axis_label(const struct plot_axis *axis, const struct plot *plot,
		    size_t i, char label[PLOT_LABEL_NBYTES])
{
	double value;
	int status = coordinate(axis, plot, i, &value);

	if (status != NC3Z_OK)
		return status;
	if (!isfinite(value))
		label[0] = '\0';
	else if (axis->is_time)
		put_time(axis, value, label);
	else if (axis->varid < 0)
		snprintf(label, PLOT_LABEL_NBYTES, "%zu",
			 axis->start + i * axis->stride);
	else
		plot_put_number(value, label);
	return NC3Z_OK;
}

size_t plot_axis_index(const struct plot_axis *axis, int at, int n)
{
	size_t i = (size_t)((at + .5) / n * (double)axis->count);

	return i < axis->count ? i : axis->count - 1;
}

void plot_put_name(const struct plot *plot, int varid, const char *name,
		   char *to, size_t to_nbytes)
{
	struct attribute a;

	snprintf(to, to_nbytes, "%s", name);
	if (varid < 0 || attribute_find(plot->dump->file, varid, "units", &a,
					NULL) != NC3Z_OK)
		return;
	if (a.att.type == NC3Z_CHAR && *(const char *)a.values != '\0')
		snprintf(to, to_nbytes, "%.400s (%.400s)", name,
			 (const char *)a.values);
	attribute_release(&a);
}
