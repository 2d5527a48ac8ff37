/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ask_typeids(int ncid)
{
	static const char *const names[] = {
		"byte",   "char",   "short",  "int",  "float",
		"double", "ubyte",  "ushort", "uint", "int64",
		"uint64", "string", "?",      "",
	};
	nc_type type = -9;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		PRINT_INT("typeid", nc_inq_typeid(ncid, names[i], &type), type);
}

void ask_file(int ncid)
{
	int a = -9, b = -9, c = -9, d = -9;
	size_t size = 99;
	char name[NC_MAX_NAME + 1];
	int status = nc_inq(ncid, &a, &b, &c, &d);

	printf("inq: %d, %d %d %d %d\n", status, a, b, c, d);
	print_status("inq nothing", nc_inq(ncid, NULL, NULL, NULL, NULL));
	PRINT_INT("ndims", nc_inq_ndims(ncid, &a), a);
	PRINT_INT("nvars", nc_inq_nvars(ncid, &a), a);
	PRINT_INT("natts", nc_inq_natts(ncid, &a), a);
	PRINT_INT("unlimdim", nc_inq_unlimdim(ncid, &a), a);
	a = b = -9;
	PRINT_INT("unlimdims", nc_inq_unlimdims(ncid, &a, &b), a);
	printf("unlimdims: %d\n", b);
	PRINT_INT("unlimdims count", nc_inq_unlimdims(ncid, &a, NULL), a);
	PRINT_INT("format", nc_inq_format(ncid, &a), a);
	print_status("format nothing", nc_inq_format(ncid, NULL));
	PRINT_INT("format extended", nc_inq_format_extended(ncid, &a, &b), a);
	PRINT_INT("mode", nc_inq_format_extended(ncid, NULL, &b), b);

	PRINT_INT("inq_ncid", nc_inq_ncid(ncid, "x", &a), a == ncid);
	PRINT_INT("grps", nc_inq_grps(ncid, &a, NULL), a);
	PRINT_NAME("grpname", nc_inq_grpname(ncid, name), name);
	PRINT_NAME("grpname_full", nc_inq_grpname_full(ncid, &size, name),
		   name);
	PRINT_SIZE("grpname_len", nc_inq_grpname_len(ncid, &size), size);
	print_status("grp_parent", nc_inq_grp_parent(ncid, &a));
	print_status("grp_ncid", nc_inq_grp_ncid(ncid, "x", &a));
	print_status("grp_full_ncid", nc_inq_grp_full_ncid(ncid, "/x", &a));
	PRINT_INT("typeids", nc_inq_typeids(ncid, &a, NULL), a);
	ask_typeids(ncid);
	print_status("user_type",
		     nc_inq_user_type(ncid, 40, name, &size, &a, &size, &b));
	print_status("sync", nc_sync(ncid));
}

static void ask_types(int ncid)
{
	for (int type = -1; type < 20; type++) {
		char name[NC_MAX_NAME + 1];
		size_t size = 99;
		int status = nc_inq_type(ncid, type, name, &size);

		print_name("type", status, name);
		print_size("type size", status, size);
		print_status("type nothing",
			     nc_inq_type(ncid, type, NULL, NULL));
		printf("typelen: %d\n", nctypelen(type));
	}
}

static void print_ids(const int *ids, int n)
{
	printf("IDs: %016llx\n",
	       (unsigned long long)sum(ids, (size_t)n * sizeof(*ids)));
}

static void ask_dims(int ncid)
{
	int ndims = 2, dimid, status;
	char name[2000];
	size_t length;

	if (nc_inq_ndims(ncid, &ndims) == NC_NOERR && ndims < 10000) {
		int *dimids = calloc((size_t)ndims + 1, sizeof(*dimids)), n = 0;

		PRINT_INT("dimids", nc_inq_dimids(ncid, &n, dimids, 1), n);
		print_ids(dimids, ndims);
		free(dimids);
	}
	for (int i = -1; i <= ndims && i < 400; i++) {
		length = 99;
		status = nc_inq_dim(ncid, i, name, &length);
		print_name("dim", status, name);
		print_size("dim", status, length);
		PRINT_NAME("dimname", nc_inq_dimname(ncid, i, name), name);
		PRINT_SIZE("dimlen", nc_inq_dimlen(ncid, i, &length), length);
		print_status("dim", nc_inq_dim(ncid, i, NULL, NULL));
		print_status("dimname", nc_inq_dimname(ncid, i, NULL));
		print_status("dimlen", nc_inq_dimlen(ncid, i, NULL));
		if (status == NC_NOERR)
			PRINT_INT("dimid", nc_inq_dimid(ncid, name, &dimid),
				  dimid);
	}
	print_status("dimid", nc_inq_dimid(ncid, "no such dimension", &dimid));
	print_status("dimid", nc_inq_dimid(ncid, "", NULL));
}

/* libnetcdf writes more than a value where the attribute holds more. */
static int has_sound_fill(int ncid, int varid)
{
	nc_type type, att_type;
	size_t nelems;

	if (nc_inq_vartype(ncid, varid, &type) ||
	    nc_inq_att(ncid, varid, "_FillValue", &att_type, &nelems))
		return 1;
	return nelems * (size_t)nctypelen(att_type) <= (size_t)nctypelen(type);
}

static void ask_var_extras(int ncid, int varid)
{
	int a = -9, b = -9, c = -9, status;
	size_t chunks[MAX_RANK];

	status = nc_inq_var_deflate(ncid, varid, &a, &b, &c);
	printf("deflate: %d %d %d %d\n", status, a, b, c);
	print_status("deflate",
		     nc_inq_var_deflate(ncid, varid, NULL, NULL, NULL));
	a = b = -9;
	status = nc_inq_var_szip(ncid, varid, &a, &b);
	printf("szip: %d %d %d\n", status, a, b);
	a = -9;
	PRINT_INT("fletcher32", nc_inq_var_fletcher32(ncid, varid, &a), a);
	PRINT_INT("chunking", nc_inq_var_chunking(ncid, varid, &a, chunks), a);
	PRINT_INT("endian", nc_inq_var_endian(ncid, varid, &a), a);
	print_status("endian", nc_inq_var_endian(ncid, varid, NULL));
	a = -9;
	fill_buffer();
	if (has_sound_fill(ncid, varid)) {
		status = nc_inq_var_fill(ncid, varid, &a, buffer);
		printf("fill: %d %d %016llx\n", status, a,
		       (unsigned long long)sum(buffer, 16));
	}
	PRINT_INT("no_fill", nc_inq_var_fill(ncid, varid, &a, NULL), a);
}

static void ask_var(int ncid, int varid)
{
	char name[2000];
	int ndims = -9, natts = -9, status;
	int dimids[NC_MAX_VAR_DIMS];
	nc_type type = -9;

	memset(dimids, CANARY, sizeof(dimids));
	status = nc_inq_var(ncid, varid, name, &type, &ndims, dimids, &natts);
	print_name("var", status, name);
	printf("var: %d %d %d %016llx\n", type, ndims, natts,
	       (unsigned long long)sum(dimids, sizeof(dimids)));
	PRINT_NAME("varname", nc_inq_varname(ncid, varid, name), name);
	PRINT_INT("vartype", nc_inq_vartype(ncid, varid, &type), type);
	PRINT_INT("varndims", nc_inq_varndims(ncid, varid, &ndims), ndims);
	print_status("vardimid", nc_inq_vardimid(ncid, varid, dimids));
	PRINT_INT("varnatts", nc_inq_varnatts(ncid, varid, &natts), natts);
	print_status("varnatts", nc_inq_varnatts(ncid, varid, NULL));
	print_status("varname", nc_inq_varname(ncid, varid, NULL));
	if (status == NC_NOERR)
		PRINT_INT("varid", nc_inq_varid(ncid, name, &varid), varid);
	ask_var_extras(ncid, varid);
}

#define GET_ATT(suffix) \
	case __COUNTER__ - FIRST_ATT: \
		return nc_get_att##suffix(ncid, varid, name, (void *)buffer);

enum {
	FIRST_ATT = __COUNTER__ + 1
};

static int get_att(int ncid, int varid, const char *name, int memtype)
{
	switch (memtype) {
		FOR_ALL_TYPES(GET_ATT)
	default:
		abort();
	}
}

static void read_att(int ncid, int varid, const char *name, nc_type type,
		     size_t nelems)
{
	int nan = 0, status;

	if (nelems > MAX_NELEMS)
		return;
	if (nc_get_att_double(ncid, varid, name, (double *)buffer) == NC_NOERR)
		nan = has_nan((double *)buffer, nelems);
	for (int memtype = 0; memtype < NMEMTYPES; memtype++) {
		fill_buffer();
		status = get_att(ncid, varid, name, memtype);
		printf("get_att %d: %d", memtype, status);
		if ((status == NC_NOERR || status == NC_ERANGE) &&
		    !(nan && is_integer(memtype, type)))
			printf(" %016llx", (unsigned long long)sum(
						   buffer, 8 * nelems + 64));
		printf("\n");
	}
}

static void ask_atts(int ncid, int varid)
{
	int natts = 1, attnum = -9, status;
	char name[2000];
	nc_type type = -9;
	size_t nelems = 99;

	nc_inq_varnatts(ncid, varid, &natts);
	for (int i = -1; i <= natts && i < 300; i++) {
		status = nc_inq_attname(ncid, varid, i, name);
		print_name("attname", status, name);
		if (status)
			continue;
		status = nc_inq_att(ncid, varid, name, &type, &nelems);
		printf("att: %d %d %zu\n", status, type, nelems);
		PRINT_INT("attid", nc_inq_attid(ncid, varid, name, &attnum),
			  attnum);
		PRINT_INT("atttype", nc_inq_atttype(ncid, varid, name, &type),
			  type);
		PRINT_SIZE("attlen", nc_inq_attlen(ncid, varid, name, &nelems),
			   nelems);
		print_status("att", nc_inq_att(ncid, varid, name, NULL, NULL));
		print_status("attid", nc_inq_attid(ncid, varid, name, NULL));
		if (status == NC_NOERR)
			read_att(ncid, varid, name, type, nelems);
	}
	print_status("att", nc_inq_att(ncid, varid, "no such", &type, NULL));
	print_status("att NULL", nc_inq_att(ncid, varid, NULL, &type, NULL));
	print_status("attid", nc_inq_attid(ncid, varid, "no such", &attnum));
	print_status("get_att", nc_get_att(ncid, varid, "no such", buffer));
}

static void ask_vars(int ncid)
{
	int nvars = 1;

	nc_inq_nvars(ncid, &nvars);
	if (nvars < 10000) {
		int *varids = calloc((size_t)nvars + 1, sizeof(*varids)), n = 0;

		PRINT_INT("varids", nc_inq_varids(ncid, &n, varids), n);
		print_ids(varids, nvars);
		free(varids);
	}
	for (int varid = -1; varid <= nvars && varid < 400; varid++) {
		ask_var(ncid, varid);
		ask_atts(ncid, varid);
	}
	print_status("varid", nc_inq_varid(ncid, "no such variable", &nvars));
}

void ask_metadata(int ncid)
{
	ask_file(ncid);
	ask_types(ncid);
	ask_dims(ncid);
	ask_vars(ncid);
}
