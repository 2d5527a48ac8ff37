/* SPDX-License-Identifier: MIT */
/*
 * The speed of a current from its two components: mean and greatest value.
 *
 *	cc speed.c -o speed $(pkg-config --cflags --libs nc3z) -lm
 *	speed U V MIB [VARIABLE_U VARIABLE_V]
 *
 * U and V are files, archives or not, perhaps the same one.  Their variables
 * (default: "u" and "v") have the same shape.  They may be larger than memory:
 * both are read in boxes of MIB MiB.  Packed values are unpacked; where one of
 * them is missing, there is no speed.
 */
#include <inttypes.h>
#include <math.h>
#include <nc3z.h>
#include <stdio.h>
#include <stdlib.h>

struct speeds {
	double sum;
	double max;
	uint64_t n;
};

static void add_box(struct speeds *s, const struct nc3z_box *box)
{
	const float *u = box->values[0], *v = box->values[1];

	for (size_t i = 0; i < box->nelems; i++) {
		double speed = sqrt((double)u[i] * (double)u[i] +
				    (double)v[i] * (double)v[i]);

		if (isnan(speed))
			continue;
		s->sum += speed;
		s->max = speed > s->max ? speed : s->max;
		s->n++;
	}
}

static int go_through(struct nc3z_iterator *iterator, struct nc3z_error *err)
{
	struct nc3z_iterator_plan plan;
	struct speeds speeds = { 0, 0, 0 };
	struct nc3z_box box;
	int status;

	status = nc3z_iterator_inq(iterator, &plan, err);
	if (status != NC3Z_OK)
		return status;
	printf("%" PRIu64 " boxes, %" PRIu64 " blocks, %" PRIu64 " decoded\n",
	       plan.nboxes, plan.nblocks, plan.nblocks_decoded);
	for (;;) {
		status = nc3z_iterator_next(iterator, &box, err);
		if (status != NC3Z_OK || box.nelems == 0)
			break;
		add_box(&speeds, &box);
	}
	if (status == NC3Z_OK)
		printf("%" PRIu64 " speeds, mean %.6g, max %.6g\n", speeds.n,
		       speeds.sum / (double)speeds.n, speeds.max);
	return status;
}

/* Opens a file and finds its variable. */
static int open_var(const char *path, const char *name,
		    struct nc3z_iterator_var *var, struct nc3z_error *err)
{
	int status = nc3z_open(path, NULL, &var->file, err);

	var->memtype = NC3Z_FLOAT | NC3Z_UNPACKED;
	if (status == NC3Z_OK)
		status = nc3z_inq_varid(var->file, name, &var->varid, err);
	return status;
}

int main(int argc, char **argv)
{
	struct nc3z_iterator_var vars[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	struct nc3z_iterator_options options;
	struct nc3z_iterator *iterator = NULL;
	struct nc3z_error err;
	int status;

	if (argc != 4 && argc != 6) {
		fprintf(stderr,
			"usage: speed U V MIB [VARIABLE_U VARIABLE_V]\n");
		return 2;
	}
	nc3z_iterator_options_init(&options);
	options.max_memory_nbytes = (uint64_t)(atof(argv[3]) * 1048576);
	status = open_var(argv[1], argc > 4 ? argv[4] : "u", &vars[0], &err);
	if (status == NC3Z_OK)
		status = open_var(argv[2], argc > 4 ? argv[5] : "v", &vars[1],
				  &err);
	if (status == NC3Z_OK)
		status = nc3z_iterator_open(vars, 2, NULL, &options, &iterator,
					    &err);
	if (status == NC3Z_OK)
		status = go_through(iterator, &err);
	if (status != NC3Z_OK)
		fprintf(stderr, "speed: %s\n", err.text);
	nc3z_iterator_close(iterator);
	nc3z_close(vars[0].file);
	nc3z_close(vars[1].file);
	return status != NC3Z_OK;
}
