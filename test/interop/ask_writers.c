/* SPDX-License-Identifier: MIT */
#include "ask.h"

#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>

static void say(const char *what, int status)
{
	printf("%s %d\n", what, status);
}

static void ask_definitions(int ncid)
{
	const size_t chunks[NC_MAX_VAR_DIMS] = { 1 };
	int id = 0;

	say("redef", nc_redef(ncid));
	say("enddef", nc_enddef(ncid));
	say("set_fill", nc_set_fill(ncid, NC_NOFILL, &id));
	say("def_dim", nc_def_dim(ncid, "new_dimension", 3, &id));
	say("def_var", nc_def_var(ncid, "new_variable", NC_INT, 0, NULL, &id));
	say("rename_dim", nc_rename_dim(ncid, 0, "d"));
	say("rename_var", nc_rename_var(ncid, 0, "v"));
	say("rename_att", nc_rename_att(ncid, NC_GLOBAL, "title", "t"));
	say("del_att", nc_del_att(ncid, NC_GLOBAL, "title"));
	say("def_var_fill", nc_def_var_fill(ncid, 0, 1, NULL));
	say("def_var_deflate", nc_def_var_deflate(ncid, 0, 1, 1, 1));
	say("def_var_fletcher32", nc_def_var_fletcher32(ncid, 0, 1));
	say("def_var_chunking",
	    nc_def_var_chunking(ncid, 0, NC_CHUNKED, chunks));
	say("def_var_endian", nc_def_var_endian(ncid, 0, NC_ENDIAN_BIG));
	say("def_var_quantize", nc_def_var_quantize(ncid, 0, 1, 3));
	say("def_var_filter", nc_def_var_filter(ncid, 0, 1, 0, NULL));
	say("set_var_chunk_cache",
	    nc_set_var_chunk_cache(ncid, 0, 1000, 10, 0.5f));
}

static void ask_types(int ncid)
{
	char name[NC_MAX_NAME + 1];
	size_t n = 0;
	int id = 0;

	say("def_grp", nc_def_grp(ncid, "g", &id));
	say("rename_grp", nc_rename_grp(ncid, "g"));
	say("def_compound", nc_def_compound(ncid, 8, "c", &id));
	say("insert_compound", nc_insert_compound(ncid, 40, "f", 0, NC_INT));
	say("insert_array_compound",
	    nc_insert_array_compound(ncid, 40, "f", 0, NC_INT, 0, NULL));
	say("inq_compound_field",
	    nc_inq_compound_field(ncid, 40, 0, name, &n, &id, &id, NULL));
	say("inq_compound_fieldindex",
	    nc_inq_compound_fieldindex(ncid, 40, "f", &id));
	say("def_vlen", nc_def_vlen(ncid, "v", NC_INT, &id));
	say("def_enum", nc_def_enum(ncid, NC_INT, "e", &id));
	say("insert_enum", nc_insert_enum(ncid, 40, "m", &id));
	say("inq_enum_member", nc_inq_enum_member(ncid, 40, 0, name, &id));
	say("inq_enum_ident", nc_inq_enum_ident(ncid, 40, 0, name));
	say("def_opaque", nc_def_opaque(ncid, 8, "o", &id));
}

static void ask_values_in(int ncid)
{
	static const size_t start[NC_MAX_VAR_DIMS];
	static const int values[1] = { 1 };
	size_t count[NC_MAX_VAR_DIMS];
	ptrdiff_t stride[NC_MAX_VAR_DIMS];

	for (int i = 0; i < NC_MAX_VAR_DIMS; i++) {
		count[i] = 1;
		stride[i] = 1;
	}
	say("put_att",
	    nc_put_att_int(ncid, NC_GLOBAL, "new", NC_INT, 1, values));
	say("put_vara", nc_put_vara(ncid, 0, start, count, values));
	say("put_vars", nc_put_vars(ncid, 0, start, count, stride, values));
	say("put_varm",
	    nc_put_varm(ncid, 0, start, count, stride, stride, values));
}

void ask_writers(int ncid)
{
	int nvars = 0;

	ask_definitions(ncid);
	ask_types(ncid);
	/* libnetcdf 4.9.0 crashes where there is no variable. */
	if (nc_inq_nvars(ncid, &nvars) == NC_NOERR && nvars > 0)
		ask_values_in(ncid);
}
