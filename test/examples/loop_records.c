/* SPDX-License-Identifier: MIT */
/*
 * For each record, for each record variable: the sum of its values.
 *
 *	loop_records FILE
 *
 * The loop goes through all variables for one record before it goes to the
 * next.  The blocks that are needed again stay in the file's cache, so each is
 * decoded once.
 */
#include <nc3z.h>
#include <stdio.h>
#include <stdlib.h>

#define NDIMS_MAX 8

/* The sum of one record of a variable. */
static int sum_record(struct nc3z_file *file, int varid,
		      const struct nc3z_var *var, size_t record, double *sum,
		      struct nc3z_error *err)
{
	size_t start[NDIMS_MAX] = { record }, count[NDIMS_MAX] = { 1 };
	size_t nelems = 1;
	double *values;
	int status;

	for (int i = 1; i < var->ndims; i++) {
		count[i] = (size_t)var->shape[i];
		nelems *= count[i];
	}
	values = malloc((nelems + 1) * sizeof(*values));
	if (!values)
		return NC3Z_ENOMEM;
	status = nc3z_get_vara_double(file, varid, start, count, values, err);
	*sum = 0;
	for (size_t i = 0; status == NC3Z_OK && i < nelems; i++)
		*sum += values[i];
	free(values);
	return status;
}

static int sum_all(struct nc3z_file *file, struct nc3z_error *err)
{
	struct nc3z_dim records;
	struct nc3z_var var;
	int nvars, unlimdimid, status;
	double sum;

	nc3z_inq(file, NULL, &nvars, NULL, &unlimdimid);
	if (unlimdimid < 0)
		return NC3Z_OK;
	status = nc3z_inq_dim(file, unlimdimid, &records, err);
	if (status != NC3Z_OK)
		return status;
	for (size_t r = 0; r < records.length; r++)
		for (int v = 0; v < nvars; v++) {
			nc3z_inq_var(file, v, &var, NULL);
			if (!var.is_record || var.type == NC3Z_CHAR ||
			    var.ndims > NDIMS_MAX)
				continue;
			status = sum_record(file, v, &var, r, &sum, err);
			if (status != NC3Z_OK)
				return status;
			printf("%s(%zu): %g\n", var.name, r, sum);
		}
	return NC3Z_OK;
}

int main(int argc, char **argv)
{
	struct nc3z_file *file = NULL;
	struct nc3z_error err = { 0 };
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: loop_records FILE\n");
		return 2;
	}
	status = nc3z_open(argv[1], NULL, &file, &err);
	if (status == NC3Z_OK)
		status = sum_all(file, &err);
	if (status != NC3Z_OK)
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
	nc3z_close(file);
	return status != NC3Z_OK;
}
