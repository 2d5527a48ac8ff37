/* SPDX-License-Identifier: MIT */
/*
 * Several threads read from one open file at the same time, each its own part
 * of a variable of one dimension, and add up what they read.
 *
 *	many_threads FILE VARIABLE
 *
 * A file needs no lock.  Each call runs in the thread that makes it, as
 * 'nthreads' is 1: the threads of this program are enough.
 */
#include <nc3z.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NTHREADS 4

struct part {
	struct nc3z_file *file;
	int varid;
	size_t start;
	size_t count;
	double sum;
	int status;
	struct nc3z_error err; /* each call fills its own */
};

static void *sum_part(void *argument)
{
	struct part *p = argument;
	double *values = malloc((p->count + 1) * sizeof(*values));

	p->sum = 0;
	p->status = NC3Z_ENOMEM;
	if (values)
		p->status = nc3z_get_vara_double(p->file, p->varid, &p->start,
						 &p->count, values, &p->err);
	for (size_t i = 0; p->status == NC3Z_OK && i < p->count; i++)
		p->sum += values[i];
	free(values);
	return NULL;
}

/* Prints the sum of a variable, which its threads read. */
static int sum_variable(struct nc3z_file *file, int varid, size_t nelems)
{
	struct part parts[NTHREADS];
	pthread_t threads[NTHREADS];
	double sum = 0;
	int status = NC3Z_OK;

	for (size_t i = 0; i < NTHREADS; i++) {
		parts[i] = (struct part){ .file = file, .varid = varid };
		parts[i].start = nelems * i / NTHREADS;
		parts[i].count = nelems * (i + 1) / NTHREADS - parts[i].start;
		if (pthread_create(&threads[i], NULL, sum_part, &parts[i]) != 0)
			abort();
	}
	for (int i = 0; i < NTHREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += parts[i].sum;
		if (parts[i].status != NC3Z_OK) {
			status = parts[i].status;
			fprintf(stderr, "%s\n", parts[i].err.text);
		}
	}
	if (status == NC3Z_OK)
		printf("%zu values, sum %g\n", nelems, sum);
	return status;
}

int main(int argc, char **argv)
{
	struct nc3z_open_options options;
	struct nc3z_file *file = NULL;
	struct nc3z_error err = { 0 };
	struct nc3z_var var;
	int varid = 0, status;

	if (argc != 3) {
		fprintf(stderr, "usage: many_threads FILE VARIABLE\n");
		return 2;
	}
	nc3z_open_options_init(&options);
	options.nthreads = 1;
	status = nc3z_open(argv[1], &options, &file, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_varid(file, argv[2], &varid, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_var(file, varid, &var, &err);
	if (status != NC3Z_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
	} else if (var.ndims != 1) {
		fprintf(stderr, "%s: %s has %d dimensions, not 1\n", argv[1],
			var.name, var.ndims);
		status = NC3Z_EINVAL;
	} else {
		status = sum_variable(file, varid, (size_t)var.nelems);
	}
	nc3z_close(file);
	return status != NC3Z_OK;
}
