/* SPDX-License-Identifier: MIT */
/*
 * Reads part of a variable: one plane, and every second value of a row.
 *
 *	read_slab FILE VARIABLE
 *
 * FILE is an archive or a plain classic file; the program does not care.  The
 * variable has two dimensions or more, such as time, lat and lon: of all before
 * the last two, the first index is taken.
 */
#include <nc3z.h>
#include <stdio.h>

#define NDIMS_MAX 8

/* Physical values, whatever type they have in the file; missing ones are NaN. */
#define TYPE (NC3Z_FLOAT | NC3Z_UNPACKED)

static int print_slabs(struct nc3z_file *file, int varid, int ndims,
		       struct nc3z_error *err)
{
	size_t start[NDIMS_MAX] = { 0 }, count[NDIMS_MAX];
	ptrdiff_t stride[NDIMS_MAX];
	float plane[2][3], row[2];
	int status;

	for (int i = 0; i < ndims; i++) {
		count[i] = 1;
		stride[i] = 1;
	}

	/* Two rows of three values, from the second row on. */
	start[ndims - 2] = 1;
	count[ndims - 2] = 2;
	count[ndims - 1] = 3;
	status = nc3z_get_vara(file, varid, start, count, TYPE, plane, err);
	if (status != NC3Z_OK)
		return status;
	for (int i = 0; i < 2; i++)
		printf("%g %g %g\n", (double)plane[i][0], (double)plane[i][1],
		       (double)plane[i][2]);

	/* The first and the third value of the first row. */
	start[ndims - 2] = 0;
	count[ndims - 2] = 1;
	count[ndims - 1] = 2;
	stride[ndims - 1] = 2;
	status = nc3z_get_vars(file, varid, start, count, stride, TYPE, row,
			       err);
	if (status == NC3Z_OK)
		printf("%g %g\n", (double)row[0], (double)row[1]);
	return status;
}

int main(int argc, char **argv)
{
	struct nc3z_file *file = NULL;
	struct nc3z_error err;
	struct nc3z_var var;
	int varid = 0, status;

	if (argc != 3) {
		fprintf(stderr, "usage: read_slab FILE VARIABLE\n");
		return 2;
	}
	status = nc3z_open(argv[1], NULL, &file, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_varid(file, argv[2], &varid, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_var(file, varid, &var, &err);
	if (status != NC3Z_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
	} else if (var.ndims < 2 || var.ndims > NDIMS_MAX) {
		fprintf(stderr, "%s: %s has %d dimensions, not 2 to %d\n",
			argv[1], var.name, var.ndims, NDIMS_MAX);
		status = NC3Z_EINVAL;
	} else {
		status = print_slabs(file, varid, var.ndims, &err);
		if (status != NC3Z_OK)
			fprintf(stderr, "%s: %s\n", argv[1], err.text);
	}
	nc3z_close(file);
	return status != NC3Z_OK;
}
