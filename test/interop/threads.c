/* SPDX-License-Identifier: MIT */
/*
 * usage: threads PLUGIN ARCHIVE
 *
 * Several threads read all variables of one open archive at once, one index of
 * the first dimension after the other; each must get what one thread alone got.
 */
#include <dlfcn.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NTHREADS 4
#define NROUNDS 6
#define NELEMS_MAX 100000

static int ncid, nvars;
static double (*expected)[NELEMS_MAX];

/* Few enough values, or no answer at all. */
static int is_asked(int varid)
{
	int ndims = 0, dimids[NC_MAX_VAR_DIMS];
	size_t nelems = 1, length;
	nc_type type;

	if (nc_inq_var(ncid, varid, NULL, &type, &ndims, dimids, NULL) != 0 ||
	    type == NC_CHAR)
		return 0;
	for (int i = 0; i < ndims; i++) {
		nc_inq_dimlen(ncid, dimids[i], &length);
		nelems *= length;
	}
	return nelems <= NELEMS_MAX;
}

/* Reads a variable as programs do that go through it in order. */
static int read_slices(int varid, double *values)
{
	size_t start[NC_MAX_VAR_DIMS] = { 0 }, count[NC_MAX_VAR_DIMS];
	int ndims = 0, dimids[NC_MAX_VAR_DIMS];
	size_t nslices = 1, nelems = 1;

	nc_inq_varndims(ncid, varid, &ndims);
	nc_inq_vardimid(ncid, varid, dimids);
	for (int i = 0; i < ndims; i++) {
		nc_inq_dimlen(ncid, dimids[i], &count[i]);
		nelems *= i > 0 ? count[i] : 1;
	}
	if (ndims > 0) {
		nslices = count[0];
		count[0] = 1;
	}
	for (size_t i = 0; i < nslices; i++) {
		start[0] = i;
		if (nc_get_vara_double(ncid, varid, start, count,
				       values + i * nelems) != NC_NOERR)
			return 1;
	}
	return 0;
}

static void *read_all(void *result)
{
	double *values = calloc(NELEMS_MAX, sizeof(*values));
	int *nwrong = result;

	for (int i = 0; values && i < NROUNDS * nvars; i++) {
		int varid = i % nvars;

		if (!is_asked(varid))
			continue;
		memset(values, 0, sizeof(*expected));
		if (read_slices(varid, values) != 0 ||
		    memcmp(values, expected[varid], sizeof(*expected)) != 0)
			++*nwrong;
	}
	free(values);
	return NULL;
}

static int prepare(const char *plugin, const char *archive)
{
	int (*reg)(const char *library) = NULL;
	void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);

	if (handle)
		*(void **)&reg = dlsym(handle, "nc3z_netcdf_register");
	if (!reg || reg(NULL) != NC_NOERR ||
	    nc_open(archive, NC_NOWRITE, &ncid) != NC_NOERR ||
	    nc_inq_nvars(ncid, &nvars) != NC_NOERR)
		return 1;
	expected = calloc((size_t)nvars, sizeof(*expected));
	for (int varid = 0; expected && varid < nvars; varid++)
		if (is_asked(varid))
			nc_get_var_double(ncid, varid, expected[varid]);
	return expected == NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NTHREADS];
	int nwrong[NTHREADS] = { 0 }, total = 0;

	if (argc != 3 || prepare(argv[1], argv[2]) != 0) {
		puts("usage: threads PLUGIN ARCHIVE");
		return 2;
	}
	for (int i = 0; i < NTHREADS; i++)
		pthread_create(&threads[i], NULL, read_all, &nwrong[i]);
	for (int i = 0; i < NTHREADS; i++) {
		pthread_join(threads[i], NULL);
		total += nwrong[i];
	}
	printf("%d variables, %d wrong\n", nvars, total);
	free(expected);
	return nc_close(ncid) != NC_NOERR || total > 0 || nvars == 0;
}
