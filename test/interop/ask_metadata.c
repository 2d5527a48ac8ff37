/* SPDX-License-Identifier: MIT */
#include "ask.h"

#include <netcdf_filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that files do not have, or have in another form. */
static const char *const odd_names[] = {
	"", "absent", "time", "\xc3\xa4", "a\xcc\x88", "\xe4", "\xff", "/", "_",
};

#define NODD (sizeof(odd_names) / sizeof(odd_names[0]))

/* Names in files can be longer than they should be. */
#define NAME_NBYTES 65536

static void print_name(const char *name)
{
	putchar(' ');
	for (; *name; name++)
		printf(*name > ' ' && *name < 127 ? "%c" : "\\%02x",
		       (unsigned char)*name);
}

static void ask_look_ups(int ncid, const char *name)
{
	int id = -9, status = nc_inq_dimid(ncid, name, &id);

	print_name(name);
	printf(": inq_dimid %d %d", status, id);
	id = -9;
	status = nc_inq_varid(ncid, name, &id);
	printf(", inq_varid %d %d", status, id);
	id = -9;
	status = nc_inq_attid(ncid, NC_GLOBAL, name, &id);
	printf(", inq_attid %d %d\n", status, id);
}

static void ask_dims(int ncid, int ndims)
{
	static char name[NAME_NBYTES];
	size_t length;

	for (int dimid = -1; dimid <= ndims; dimid++) {
		int status;

		length = 99;
		name[0] = '\0';
		status = nc_inq_dim(ncid, dimid, name, &length);
		printf("inq_dim %d: %d %zu", dimid, status, length);
		print_name(name);
		putchar('\n');
		if (name[0])
			ask_look_ups(ncid, name);
	}
}

static void ask_att_values(int ncid, int varid, const char *name, size_t nelems)
{
	for (size_t i = 0; i < ngetters; i++) {
		size_t nbytes = getters[i].nbytes * (nelems + 1);
		void *values = fresh(nbytes);
		int status = getters[i].get_att(ncid, varid, name, values);

		printf(" %s %d %llx", getters[i].name, status,
		       digest(values, nbytes));
		free(values);
	}
	putchar('\n');
}

static void ask_att(int ncid, int varid, const char *name)
{
	nc_type type = -9;
	size_t nelems = 99;
	int status = nc_inq_att(ncid, varid, name, &type, &nelems);
	int attnum = -9, found = nc_inq_attid(ncid, varid, name, &attnum);

	printf("inq_att %d", varid);
	print_name(name);
	printf(": %d %d %zu, %d %d;", status, type, nelems, found, attnum);
	ask_att_values(ncid, varid, name, nelems);
}

static void ask_atts(int ncid, int varid, int natts)
{
	static char name[NAME_NBYTES];

	for (int attnum = -1; attnum <= natts; attnum++) {
		int status;

		name[0] = '\0';
		status = nc_inq_attname(ncid, varid, attnum, name);
		printf("inq_attname %d %d: %d\n", varid, attnum, status);
		if (status == NC_NOERR)
			ask_att(ncid, varid, name);
	}
	for (size_t i = 0; i < NODD; i++)
		ask_att(ncid, varid, odd_names[i]);
}

/* What only netCDF-4 files have, of a variable. */
static void ask_var_storage(int ncid, int varid)
{
	int a = -9, b = -9, c = -9, status;
	size_t n = 99, chunks[NC_MAX_VAR_DIMS] = { 0 };
	unsigned filter = 99, params[8] = { 0 };
	float preemption = -9;

	status = nc_inq_var_deflate(ncid, varid, &a, &b, &c);
	printf("deflate %d %d %d %d;", status, a, b, c);
	status = nc_inq_var_fletcher32(ncid, varid, &a);
	printf(" fletcher32 %d %d;", status, a);
	status = nc_inq_var_chunking(ncid, varid, &b, chunks);
	printf(" chunking %d %d %zu;", status, b, chunks[0]);
	status = nc_inq_var_endian(ncid, varid, &c);
	printf(" endian %d %d;", status, c);
	status = nc_inq_var_szip(ncid, varid, &a, &b);
	printf(" szip %d %d %d;", status, a, b);
	status = nc_inq_var_filter_ids(ncid, varid, &n, params);
	printf(" filter_ids %d %zu;", status, n);
	status = nc_inq_var_filter_info(ncid, varid, 1, &n, params);
	printf(" filter_info %d %zu;", status, n);
	status = nc_inq_var_filter(ncid, varid, &filter, &n, params);
	printf(" filter %d %u %zu;", status, filter, n);
	status = nc_inq_var_quantize(ncid, varid, &a, &b);
	printf(" quantize %d %d %d;", status, a, b);
	status = nc_get_var_chunk_cache(ncid, varid, &n, chunks, &preemption);
	printf(" cache %d %zu %.1f\n", status, n, (double)preemption);
}

static void ask_var(int ncid, int varid)
{
	static char name[NAME_NBYTES];
	int dimids[NC_MAX_VAR_DIMS], ndims = 0, natts = -9, no_fill = -9;
	unsigned char fill[8] = { 0 };
	nc_type type = -9;
	int status;

	name[0] = '\0';
	status = nc_inq_var(ncid, varid, name, &type, &ndims, dimids, &natts);
	printf("inq_var %d: %d type %d natts %d dims", varid, status, type,
	       natts);
	for (int i = 0; i < ndims; i++)
		printf(" %d", dimids[i]);
	print_name(name);
	status = nc_inq_var_fill(ncid, varid, &no_fill, fill);
	printf("; fill %d %d %llx; ", status, no_fill, digest(fill, 8));
	ask_var_storage(ncid, varid);
	if (natts >= 0)
		ask_atts(ncid, varid, natts);
	if (name[0])
		ask_look_ups(ncid, name);
}

static void ask_format(int ncid)
{
	int format = -9, extended = -9, mode = -9, status;

	status = nc_inq_format(ncid, &format);
	printf("inq_format %d %d\n", status, format);
	status = nc_inq_format_extended(ncid, &extended, &mode);
	printf("inq_format_extended %d %d %#x\n", status, extended,
	       (unsigned)mode);
}

static void ask_types(int ncid)
{
	static const char *const names[] = { "nat",   "byte",   "float",
					     "int64", "string", "absent" };
	char name[NC_MAX_NAME + 1];
	int id, status, equal;
	size_t n;

	for (nc_type type = -1; type <= 14; type++) {
		n = 99;
		name[0] = '\0';
		status = nc_inq_type(ncid, type, name, &n);
		printf("inq_type %d: %d %s %zu", type, status, name, n);
		equal = -9;
		status = nc_inq_type_equal(ncid, type, ncid, NC_INT, &equal);
		printf(", equal %d %d", status, equal);
		status = nc_inq_user_type(ncid, type, name, &n, &id, &n, &id);
		printf(", user %d\n", status);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		nc_type type = -9;

		status = nc_inq_typeid(ncid, names[i], &type);
		printf("inq_typeid %s: %d %d\n", names[i], status, type);
	}
	id = -9;
	status = nc_inq_typeids(ncid, &id, NULL);
	printf("inq_typeids %d %d\n", status, id);
}

static void ask_groups(int ncid)
{
	char name[NC_MAX_NAME + 1] = "";
	int n = -9, group = -9, status;
	size_t length = 99;

	status = nc_inq_grps(ncid, &n, &group);
	printf("inq_grps %d %d\n", status, n);
	status = nc_inq_grpname(ncid, name);
	printf("inq_grpname %d %s\n", status, name);
	status = nc_inq_grpname_full(ncid, &length, name);
	printf("inq_grpname_full %d %s %zu\n", status, name, length);
	status = nc_inq_grp_parent(ncid, &group);
	printf("inq_grp_parent %d\n", status);
	status = nc_inq_ncid(ncid, "absent", &group);
	printf("inq_ncid %d %d\n", status, group == ncid);
	status = nc_inq_grp_full_ncid(ncid, "/absent", &group);
	printf("inq_grp_full_ncid %d\n", status);
	status = nc_inq_grp_ncid(ncid, "absent", &group);
	printf("inq_grp_ncid %d\n", status);
	printf("show_metadata %d, sync %d\n", nc_show_metadata(ncid),
	       nc_sync(ncid));
	printf("filter_avail %d\n", nc_inq_filter_avail(ncid, 1));
}

static void print_ids(const char *what, int status, int n, const int *ids)
{
	printf("%s %d %d %llx\n", what, status, n,
	       digest(ids, (size_t)n * sizeof(*ids)));
}

static void ask_lists(int ncid, int ndims, int nvars)
{
	int *ids = fresh(sizeof(int) * (size_t)(ndims + nvars + 1)), n = 0;
	int status = nc_inq_dimids(ncid, &n, ids, 1);

	print_ids("inq_dimids", status, n, ids);
	status = nc_inq_varids(ncid, &n, ids);
	print_ids("inq_varids", status, n, ids);
	status = nc_inq_unlimdims(ncid, &n, ids);
	print_ids("inq_unlimdims", status, n, ids);
	free(ids);
}

void ask_metadata(int ncid)
{
	int ndims = 0, nvars = 0, natts = 0, unlimdim = -9;
	int status = nc_inq(ncid, &ndims, &nvars, &natts, &unlimdim);

	printf("inq %d %d %d %d %d\n", status, ndims, nvars, natts, unlimdim);
	status = nc_inq_unlimdim(ncid, &unlimdim);
	printf("inq_unlimdim %d %d\n", status, unlimdim);
	ask_format(ncid);
	ask_lists(ncid, ndims, nvars);
	ask_dims(ncid, ndims);
	ask_atts(ncid, NC_GLOBAL, natts);
	for (int varid = -1; varid <= nvars; varid++)
		ask_var(ncid, varid);
	for (size_t i = 0; i < NODD; i++)
		ask_look_ups(ncid, odd_names[i]);
	ask_types(ncid);
	ask_groups(ncid);
}
