/* SPDX-License-Identifier: MIT */
/*
 * Checks at compile time that what the plug-in knows of netcdf-c is what the
 * installed version says: numbers, and the places of all functions.
 */
#include <netcdf.h>
#include <netcdf_dispatch.h>
#include <netcdf_mem.h>
#include <stddef.h>
#include <stdio.h>

#include "nc3z.h"
#include "netcdf-plugin/netcdf_copies.h"
#include "netcdf-plugin/names.h"

#define SAME(theirs, ours) \
	_Static_assert((int)(theirs) == (int)(ours), #theirs " is not " #ours)

#define SLOT_IS(theirs, ours) \
	_Static_assert(offsetof(struct NC_Dispatch, theirs) == \
			       offsetof(struct netcdf_table, ours), \
		       #theirs " is elsewhere")

#define SLOT(name) SLOT_IS(name, name)

SAME(NC_EINVAL, NETCDF_EINVAL);
SAME(NC_EPERM, NETCDF_EPERM);
SAME(NC_ENOTINDEFINE, NETCDF_ENOTINDEFINE);
SAME(NC_ENOTATT, NETCDF_ENOTATT);
SAME(NC_EBADTYPE, NETCDF_EBADTYPE);
SAME(NC_EBADDIM, NETCDF_EBADDIM);
SAME(NC_ENOTVAR, NETCDF_ENOTVAR);
SAME(NC_EGLOBAL, NETCDF_EGLOBAL);
SAME(NC_ENOTNC, NETCDF_ENOTNC);
SAME(NC_ECHAR, NETCDF_ECHAR);
SAME(NC_EBADNAME, NETCDF_EBADNAME);
SAME(NC_ENOMEM, NETCDF_ENOMEM);
SAME(NC_EIO, NETCDF_EIO);
SAME(NC_ENOTNC4, NETCDF_ENOTNC4);
SAME(NC_ENOGRP, NETCDF_ENOGRP);
SAME(NC_ENOFILTER, NETCDF_ENOFILTER);

SAME(NC_WRITE, NETCDF_WRITE);
SAME(NC_UDF0, NETCDF_UDF0);
SAME(NC_UDF1, NETCDF_UDF1);
SAME(NC_64BIT_DATA, NETCDF_64BIT_DATA);
SAME(NC_64BIT_OFFSET, NETCDF_64BIT_OFFSET);
SAME(NC_NETCDF4, NETCDF_NETCDF4);
SAME(NC_INMEMORY, NETCDF_INMEMORY);
SAME(NC_FORMAT_CLASSIC, NETCDF_FORMAT_CLASSIC);
SAME(NC_FORMAT_64BIT_OFFSET, NETCDF_FORMAT_64BIT_OFFSET);
SAME(NC_FORMAT_CDF5, NETCDF_FORMAT_CDF5);
SAME(NC_FORMATX_NC3, NETCDF_FORMATX_NC3);
SAME(NC_FORMATX_UDF0, NETCDF_FORMATX_UDF0);
SAME(NC_FORMATX_UDF1, NETCDF_FORMATX_UDF1);
SAME(NC_MAX_NAME, NETCDF_MAX_NAME);
SAME(NC_CONTIGUOUS, NETCDF_CONTIGUOUS);
SAME(NC_STRING, NETCDF_STRING);
SAME(NC_MEMIO_LOCKED, NETCDF_MEMIO_LOCKED);
SAME(sizeof(NC_memio), sizeof(struct netcdf_memio));
SAME(NC_GLOBAL, NC3Z_GLOBAL);
SAME(NC_BYTE, NC3Z_BYTE);
SAME(NC_CHAR, NC3Z_CHAR);
SAME(NC_SHORT, NC3Z_SHORT);
SAME(NC_INT, NC3Z_INT);
SAME(NC_FLOAT, NC3Z_FLOAT);
SAME(NC_DOUBLE, NC3Z_DOUBLE);
SAME(NC_UBYTE, NC3Z_UBYTE);
SAME(NC_USHORT, NC3Z_USHORT);
SAME(NC_UINT, NC3Z_UINT);
SAME(NC_INT64, NC3Z_INT64);
SAME(NC_UINT64, NC3Z_UINT64);
_Static_assert(sizeof(ARCHIVE_MAGIC) - 1 <= NC_MAX_MAGIC_NUMBER_LEN,
	       "the magic number is too long");

SLOT(model);
SLOT(dispatch_version);
SLOT(create);
SLOT(open);
SLOT(redef);
SLOT_IS(_enddef, enddef);
SLOT(sync);
SLOT(abort);
SLOT(close);
SLOT(set_fill);
SLOT(inq_format);
SLOT(inq_format_extended);
SLOT(inq);
SLOT(inq_type);
SLOT(def_dim);
SLOT(inq_dimid);
SLOT(inq_dim);
SLOT(inq_unlimdim);
SLOT(rename_dim);
SLOT(inq_att);
SLOT(inq_attid);
SLOT(inq_attname);
SLOT(rename_att);
SLOT(del_att);
SLOT(get_att);
SLOT(put_att);
SLOT(def_var);
SLOT(inq_varid);
SLOT(rename_var);
SLOT(get_vara);
SLOT(put_vara);
SLOT(get_vars);
SLOT(put_vars);
SLOT(get_varm);
SLOT(put_varm);
SLOT(inq_var_all);
SLOT(var_par_access);
SLOT(def_var_fill);
SLOT(show_metadata);
SLOT(inq_unlimdims);
SLOT(inq_ncid);
SLOT(inq_grps);
SLOT(inq_grpname);
SLOT(inq_grpname_full);
SLOT(inq_grp_parent);
SLOT(inq_grp_full_ncid);
SLOT(inq_varids);
SLOT(inq_dimids);
SLOT(inq_typeids);
SLOT(inq_type_equal);
SLOT(def_grp);
SLOT(rename_grp);
SLOT(inq_user_type);
SLOT(inq_typeid);
SLOT(def_compound);
SLOT(insert_compound);
SLOT(insert_array_compound);
SLOT(inq_compound_field);
SLOT(inq_compound_fieldindex);
SLOT(def_vlen);
SLOT(put_vlen_element);
SLOT(get_vlen_element);
SLOT(def_enum);
SLOT(insert_enum);
SLOT(inq_enum_member);
SLOT(inq_enum_ident);
SLOT(def_opaque);
SLOT(def_var_deflate);
SLOT(def_var_fletcher32);
SLOT(def_var_chunking);
SLOT(def_var_endian);
SLOT(def_var_filter);
SLOT(set_var_chunk_cache);
SLOT(get_var_chunk_cache);
#if NC_DISPATCH_VERSION >= 3
SLOT_IS(inq_var_filter_ids, filters);
SLOT(inq_var_filter_info);
#endif
#if NC_DISPATCH_VERSION >= 4
SLOT(def_var_quantize);
SLOT(inq_var_quantize);
#endif
#if NC_DISPATCH_VERSION >= 5
SLOT(inq_filter_avail);
#endif

/* A table of ours has no empty place: libnetcdf does not look. */
static int count_empty(const struct netcdf_table *table)
{
	const char *slots = (const char *)table;
	int nempty = 0;

	for (size_t at = offsetof(struct netcdf_table, create);
	     at < sizeof(*table); at += sizeof(table->create)) {
		int (*slot)(void);

		*(void **)&slot = *(void *const *)(slots + at);
		if (!slot) {
			printf("slot at %zu is empty\n", at);
			nempty++;
		}
	}
	return nempty;
}

int main(void)
{
	struct netcdf_table table;
	int nempty = 0;

	for (int copy = 0; copy < COPIES_MAX; copy++) {
		table_init(&table, copy);
		nempty += count_empty(&table);
	}
	return nempty > 0;
}
