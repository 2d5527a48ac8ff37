/* SPDX-License-Identifier: MIT */
/*
 * Reads part of a variable: one plane, and every second value of a row.
 *
 *	read_slab FILE VARIABLE
 *
 * FILE is an archive or a plain classic file; the program does not care.  The
 * variable has two dimensions.
 */
#include <nc3z.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct nc3z_file *file = NULL;
	struct nc3z_error err;
	struct nc3z_var var;
	int varid = 0, status;
	float plane[2][3], row[2];

	if (argc != 3) {
		fprintf(stderr, "usage: read_slab FILE VARIABLE\n");
		return 2;
	}
	status = nc3z_open(argv[1], NULL, &file, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_varid(file, argv[2], &varid, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_var(file, varid, &var, &err);
	if (status == NC3Z_OK && var.ndims != 2) {
		fprintf(stderr, "%s: %s has %d dimensions, not 2\n", argv[1],
			var.name, var.ndims);
		nc3z_close(file);
		return 1;
	}

	/* Two rows of three values, whatever type they have in the file. */
	if (status == NC3Z_OK) {
		const size_t start[] = { 1, 0 }, count[] = { 2, 3 };

		status = nc3z_get_vara_float(file, varid, start, count,
					     plane[0], &err);
	}

	/* The first and the third value of the first row. */
	if (status == NC3Z_OK) {
		const size_t start[] = { 0, 0 }, count[] = { 1, 2 };
		const ptrdiff_t stride[] = { 1, 2 };

		status = nc3z_get_vars_float(file, varid, start, count, stride,
					     row, &err);
	}

	if (status == NC3Z_OK) {
		for (int i = 0; i < 2; i++)
			printf("%g %g %g\n", (double)plane[i][0],
			       (double)plane[i][1], (double)plane[i][2]);
		printf("%g %g\n", (double)row[0], (double)row[1]);
	} else {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
	}
	nc3z_close(file);
	return status != NC3Z_OK;
}
