/* SPDX-License-Identifier: MIT */
/*
 * Answers that are the same for all archives: what libnetcdf answers for a
 * classic file that was opened for reading.  Writing needs permission or define
 * mode, what belongs to netCDF-4 is not there, and there is one group.
 */
#include <string.h>

#include "netcdf-plugin/netcdf_copies.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define ANSWER(status, name, ...) \
	static int name(__VA_ARGS__) \
	{ \
		return status; \
	}

ANSWER(NETCDF_EPERM, create, const char *path, int mode, size_t initial_nbytes,
       int basepe, size_t *hint, void *parameters,
       const struct netcdf_table *table, int ncid)
ANSWER(NETCDF_EPERM, redef, int ncid)
ANSWER(NETCDF_ENOTINDEFINE, enddef, int ncid, size_t h_minfree, size_t v_align,
       size_t v_minfree, size_t r_align)
ANSWER(NETCDF_NOERR, sync, int ncid)
ANSWER(NETCDF_EPERM, set_fill, int ncid, int fillmode, int *old_mode)
ANSWER(NETCDF_ENOTINDEFINE, def_dim, int ncid, const char *name, size_t length,
       int *dimid)
ANSWER(NETCDF_EPERM, rename_dim, int ncid, int dimid, const char *name)
ANSWER(NETCDF_EPERM, rename_att, int ncid, int varid, const char *name,
       const char *new_name)
ANSWER(NETCDF_ENOTINDEFINE, del_att, int ncid, int varid, const char *name)
ANSWER(NETCDF_EPERM, put_att, int ncid, int varid, const char *name, int type,
       size_t nelems, const void *values, int memtype)
ANSWER(NETCDF_ENOTINDEFINE, def_var, int ncid, const char *name, int type,
       int ndims, const int *dimids, int *varid)
ANSWER(NETCDF_EPERM, rename_var, int ncid, int varid, const char *name)
ANSWER(NETCDF_EPERM, put_vara, int ncid, int varid, const size_t *start,
       const size_t *count, const void *values, int memtype)
ANSWER(NETCDF_EPERM, put_vars, int ncid, int varid, const size_t *start,
       const size_t *count, const ptrdiff_t *stride, const void *values,
       int memtype)
ANSWER(NETCDF_EPERM, put_varm, int ncid, int varid, const size_t *start,
       const size_t *count, const ptrdiff_t *stride, const ptrdiff_t *imap,
       const void *values, int memtype)
ANSWER(NETCDF_NOERR, var_par_access, int ncid, int varid, int access)
ANSWER(NETCDF_EPERM, def_var_fill, int ncid, int varid, int no_fill,
       const void *fill_value)
ANSWER(NETCDF_NOERR, show_metadata, int ncid)
ANSWER(NETCDF_ENOGRP, inq_grp_parent, int ncid, int *parent)
ANSWER(NETCDF_ENOGRP, inq_grp_full_ncid, int ncid, const char *name, int *group)
ANSWER(NETCDF_ENOTNC4, def_grp, int ncid, const char *name, int *group)
ANSWER(NETCDF_ENOTNC4, rename_grp, int ncid, const char *name)
ANSWER(NETCDF_ENOTNC4, inq_user_type, int ncid, int type, char *name,
       size_t *nbytes, int *base, size_t *nfields, int *kind)
ANSWER(NETCDF_ENOTNC4, def_compound, int ncid, size_t nbytes, const char *name,
       int *type)
ANSWER(NETCDF_ENOTNC4, insert_compound, int ncid, int type, const char *name,
       size_t offset, int field_type)
ANSWER(NETCDF_ENOTNC4, insert_array_compound, int ncid, int type,
       const char *name, size_t offset, int field_type, int ndims,
       const int *lengths)
ANSWER(NETCDF_ENOTNC4, inq_compound_field, int ncid, int type, int field,
       char *name, size_t *offset, int *field_type, int *ndims, int *lengths)
ANSWER(NETCDF_ENOTNC4, inq_compound_fieldindex, int ncid, int type,
       const char *name, int *field)
ANSWER(NETCDF_ENOTNC4, def_vlen, int ncid, const char *name, int base,
       int *type)
ANSWER(NETCDF_ENOTNC4, put_vlen_element, int ncid, int type, void *element,
       size_t nelems, const void *values)
ANSWER(NETCDF_ENOTNC4, get_vlen_element, int ncid, int type,
       const void *element, size_t *nelems, void *values)
ANSWER(NETCDF_ENOTNC4, def_enum, int ncid, int base, const char *name,
       int *type)
ANSWER(NETCDF_ENOTNC4, insert_enum, int ncid, int type, const char *name,
       const void *value)
ANSWER(NETCDF_ENOTNC4, inq_enum_member, int ncid, int type, int member,
       char *name, void *value)
ANSWER(NETCDF_ENOTNC4, inq_enum_ident, int ncid, int type, long long value,
       char *name)
ANSWER(NETCDF_ENOTNC4, def_opaque, int ncid, size_t nbytes, const char *name,
       int *type)
ANSWER(NETCDF_ENOTNC4, def_var_deflate, int ncid, int varid, int shuffle,
       int deflate, int level)
ANSWER(NETCDF_ENOTNC4, def_var_fletcher32, int ncid, int varid, int fletcher32)
ANSWER(NETCDF_ENOTNC4, def_var_chunking, int ncid, int varid, int contiguous,
       const size_t *chunks)
ANSWER(NETCDF_ENOTNC4, def_var_endian, int ncid, int varid, int endianness)
ANSWER(NETCDF_ENOTNC4, def_var_filter, int ncid, int varid, unsigned filter,
       size_t nparams, const unsigned *params)
ANSWER(NETCDF_ENOTNC4, set_var_chunk_cache, int ncid, int varid, size_t nbytes,
       size_t nelems, float preemption)
ANSWER(NETCDF_ENOTNC4, get_var_chunk_cache, int ncid, int varid, size_t *nbytes,
       size_t *nelems, float *preemption)
ANSWER(NETCDF_ENOFILTER, inq_var_filter_info, int ncid, int varid,
       unsigned filter, size_t *nparams, unsigned *params)
ANSWER(NETCDF_ENOTNC4, def_var_quantize, int ncid, int varid, int mode, int nsd)
ANSWER(NETCDF_ENOTNC4, inq_var_quantize, int ncid, int varid, int *mode,
       int *nsd)
ANSWER(NETCDF_ENOFILTER, inq_filter_avail, int ncid, unsigned filter)

int answer_filter_actions(int ncid, int varid, int action, void *arguments)
{
	return NETCDF_ENOTNC4;
}

static int inq_var_filter_ids(int ncid, int varid, size_t *nfilters_ret,
			      unsigned *filters_ret)
{
	if (nfilters_ret)
		*nfilters_ret = 0;
	return NETCDF_NOERR;
}

static int inq_type(int ncid, int type, char *name_ret, size_t *nbytes_ret)
{
	return dataset_inq_type(type, name_ret, nbytes_ret);
}

static int inq_typeid(int ncid, const char *name, int *type_ret)
{
	for (int type = NC3Z_BYTE; type <= NC3Z_DOUBLE; type++) {
		if (strcmp(name, reader.type_name(type)) != 0)
			continue;
		if (type_ret)
			*type_ret = type;
		return NETCDF_NOERR;
	}
	return NETCDF_ENOTNC4;
}

static int inq_typeids(int ncid, int *ntypes_ret, int *types_ret)
{
	if (ntypes_ret)
		*ntypes_ret = 0;
	return NETCDF_NOERR;
}

static int inq_type_equal(int ncid, int type, int other_ncid, int other_type,
			  int *equal_ret)
{
	if (!equal_ret)
		return NETCDF_NOERR;
	if (type <= 0 || other_type <= 0)
		return NETCDF_EINVAL;
	*equal_ret = type == other_type && type <= NC3Z_UINT64;
	return NETCDF_NOERR;
}

static int inq_ncid(int ncid, const char *name, int *group_ret)
{
	if (group_ret)
		*group_ret = ncid;
	return NETCDF_NOERR;
}

static int inq_grps(int ncid, int *ngroups_ret, int *groups_ret)
{
	if (ngroups_ret)
		*ngroups_ret = 0;
	return NETCDF_NOERR;
}

static int inq_grpname(int ncid, char *name_ret)
{
	if (name_ret)
		dataset_copy_name(name_ret, "/");
	return NETCDF_NOERR;
}

static int inq_grpname_full(int ncid, size_t *length_ret, char *name_ret)
{
	if (length_ret)
		*length_ret = 1;
	return inq_grpname(ncid, name_ret);
}

const struct netcdf_table answers = {
	.create = create,
	.redef = redef,
	.enddef = enddef,
	.sync = sync,
	.set_fill = set_fill,
	.inq_type = inq_type,
	.def_dim = def_dim,
	.rename_dim = rename_dim,
	.rename_att = rename_att,
	.del_att = del_att,
	.put_att = put_att,
	.def_var = def_var,
	.rename_var = rename_var,
	.put_vara = put_vara,
	.put_vars = put_vars,
	.put_varm = put_varm,
	.var_par_access = var_par_access,
	.def_var_fill = def_var_fill,
	.show_metadata = show_metadata,
	.inq_ncid = inq_ncid,
	.inq_grps = inq_grps,
	.inq_grpname = inq_grpname,
	.inq_grpname_full = inq_grpname_full,
	.inq_grp_parent = inq_grp_parent,
	.inq_grp_full_ncid = inq_grp_full_ncid,
	.inq_typeids = inq_typeids,
	.inq_type_equal = inq_type_equal,
	.def_grp = def_grp,
	.rename_grp = rename_grp,
	.inq_user_type = inq_user_type,
	.inq_typeid = inq_typeid,
	.def_compound = def_compound,
	.insert_compound = insert_compound,
	.insert_array_compound = insert_array_compound,
	.inq_compound_field = inq_compound_field,
	.inq_compound_fieldindex = inq_compound_fieldindex,
	.def_vlen = def_vlen,
	.put_vlen_element = put_vlen_element,
	.get_vlen_element = get_vlen_element,
	.def_enum = def_enum,
	.insert_enum = insert_enum,
	.inq_enum_member = inq_enum_member,
	.inq_enum_ident = inq_enum_ident,
	.def_opaque = def_opaque,
	.def_var_deflate = def_var_deflate,
	.def_var_fletcher32 = def_var_fletcher32,
	.def_var_chunking = def_var_chunking,
	.def_var_endian = def_var_endian,
	.def_var_filter = def_var_filter,
	.set_var_chunk_cache = set_var_chunk_cache,
	.get_var_chunk_cache = get_var_chunk_cache,
	.filters.inq_var_filter_ids = inq_var_filter_ids,
	.inq_var_filter_info = inq_var_filter_info,
	.def_var_quantize = def_var_quantize,
	.inq_var_quantize = inq_var_quantize,
	.inq_filter_avail = inq_filter_avail,
};
