/* SPDX-License-Identifier: MIT */
#include "ask.h"

#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>

/* Names that files do not have, or have in another form. */
static const char *const odd_names[] = {
	"", "absent", "time", "\xc3\xa4", "a\xcc\x88", "\xe4", "\xff", "/", "_",
};

#define NODD (sizeof(odd_names) / sizeof(odd_names[0]))

static void ask_odd_names(int ncid, int nvars)
{
	for (size_t i = 0; i < NODD; i++) {
		int id = -9, status = nc_inq_dimid(ncid, odd_names[i], &id);

		printf("odd name %zu: inq_dimid %d %d", i, status, id);
		id = -9;
		status = nc_inq_varid(ncid, odd_names[i], &id);
		printf(", inq_varid %d %d, inq_attid", status, id);
		for (int varid = NC_GLOBAL; varid <= nvars; varid++) {
			id = -9;
			status = nc_inq_attid(ncid, varid, odd_names[i], &id);
			printf(" %d %d", status, id);
		}
		putchar('\n');
	}
}

/* What only netCDF-4 files have, of a variable. */
static void ask_var_storage(int ncid, int varid)
{
	int mode = -9, digits = -9, status;
	size_t n = 99, nslots = 99;
	unsigned filter = 99, params[8] = { 0 };
	float preemption = -9;

	status = nc_inq_var_filter_ids(ncid, varid, &n, params);
	printf("filter_ids %d %zu;", status, n);
	status = nc_inq_var_filter_info(ncid, varid, 1, &n, params);
	printf(" filter_info %d %zu;", status, n);
	status = nc_inq_var_filter(ncid, varid, &filter, &n, params);
	printf(" filter %d %u %zu;", status, filter, n);
	status = nc_inq_var_quantize(ncid, varid, &mode, &digits);
	printf(" quantize %d %d %d;", status, mode, digits);
	status = nc_get_var_chunk_cache(ncid, varid, &n, &nslots, &preemption);
	printf(" cache %d %zu %.1f\n", status, n, (double)preemption);
}

static void ask_type_relations(int ncid)
{
	char name[NC_MAX_NAME + 1];
	int equal, id, status;
	size_t n = 0;

	for (nc_type type = -1; type <= 14; type++) {
		equal = -9;
		status = nc_inq_type_equal(ncid, type, ncid, NC_INT, &equal);
		printf("type %d: equal %d %d", type, status, equal);
		status = nc_inq_user_type(ncid, type, name, &n, &id, &n, &id);
		printf(", user %d\n", status);
	}
}

void ask_beyond(int ncid)
{
	int nvars = 0;

	nc_inq_nvars(ncid, &nvars);
	ask_odd_names(ncid, nvars);
	for (int varid = -1; varid <= nvars; varid++)
		ask_var_storage(ncid, varid);
	ask_type_relations(ncid);
	printf("show_metadata %d\n", nc_show_metadata(ncid));
	printf("filter_avail %d\n", nc_inq_filter_avail(ncid, 1));
}
