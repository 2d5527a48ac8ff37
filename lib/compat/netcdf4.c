/* SPDX-License-Identifier: MIT */
/*
 * The calls that programs for netCDF-4 make on every file, with libnetcdf's
 * answers for classic ones; and the names, sizes and fill values of types.
 */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
	[NC_BYTE] = "byte",   [NC_CHAR] = "char",     [NC_SHORT] = "short",
	[NC_INT] = "int",     [NC_FLOAT] = "float",   [NC_DOUBLE] = "double",
	[NC_UBYTE] = "ubyte", [NC_USHORT] = "ushort", [NC_UINT] = "uint",
	[NC_INT64] = "int64", [NC_UINT64] = "uint64", [NC_STRING] = "string",
};

int nc_inq_type(int ncid, nc_type xtype, char *name, size_t *size)
{
	(void)ncid;
	if (xtype <= NC_NAT || xtype > NC_STRING)
		return NC_EBADTYPE;
	compat_copy_name(name, type_names[xtype]);
	if (size)
		*size = (size_t)nctypelen(xtype);
	return NC_NOERR;
}

int nctypelen(nc_type datatype)
{
	if (datatype == NC_STRING)
		return (int)sizeof(char *);
	return datatype > NC_NAT && datatype < NC_STRING ?
		       (int)nc3z_type_nbytes(datatype) :
		       -1;
}

int nc_inq_typeid(int ncid, const char *name, nc_type *typeidp)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	/* those of the first format, whatever the version of the file */
	for (int type = NC_BYTE; name && type <= NC_DOUBLE; type++) {
		if (strcmp(name, type_names[type]) != 0)
			continue;
		if (typeidp)
			*typeidp = type;
		return NC_NOERR;
	}
	return NC_ENOTNC4;
}

int nc_inq_typeids(int ncid, int *ntypes, int *typeids)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	(void)typeids;
	if (!status && ntypes)
		*ntypes = 0;
	return status;
}

int nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *size,
		     nc_type *base_nc_typep, size_t *nfieldsp, int *classp)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	(void)xtype;
	(void)name;
	(void)size;
	(void)base_nc_typep;
	(void)nfieldsp;
	(void)classp;
	return status ? status : NC_ENOTNC4;
}

int nc_inq_ncid(int ncid, const char *name, int *grp_ncid)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	(void)name;
	if (!status && grp_ncid)
		*grp_ncid = ncid;
	return status;
}

int nc_inq_grps(int ncid, int *numgrps, int *ncids)
{
	return nc_inq_typeids(ncid, numgrps, ncids);
}

int nc_inq_grpname(int ncid, char *name)
{
	return nc_inq_grpname_full(ncid, NULL, name);
}

int nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	if (lenp)
		*lenp = 1;
	compat_copy_name(full_name, "/");
	return NC_NOERR;
}

int nc_inq_grpname_len(int ncid, size_t *lenp)
{
	return nc_inq_grpname_full(ncid, lenp, NULL);
}

int nc_inq_grp_parent(int ncid, int *parent_ncid)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	(void)parent_ncid;
	return status ? status : NC_ENOGRP;
}

int nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid)
{
	return nc_inq_ncid(ncid, grp_name, grp_ncid);
}

int nc_inq_grp_full_ncid(int ncid, const char *full_name, int *grp_ncid)
{
	(void)full_name;
	return nc_inq_grp_parent(ncid, grp_ncid);
}

/*
 * The attribute as it is, even of another type; but no more bytes than a value
 * of the variable has, as the caller expects one.
 */
int nc_inq_var_fill(int ncid, int varid, int *no_fill, void *fill_valuep)
{
	nc_type type, att_type;
	size_t nelems;
	int status = nc_inq_vartype(ncid, varid, &type);

	if (status)
		return status;
	if (no_fill)
		*no_fill = 0;
	if (!fill_valuep)
		return NC_NOERR;
	status = nc_inq_att(ncid, varid, _FillValue, &att_type, &nelems);
	if (status == NC_ENOTATT) {
		memcpy(fill_valuep, nc3z_type_fill(type),
		       nc3z_type_nbytes(type));
		return NC_NOERR;
	}
	if (status)
		return status;
	if (nelems > nc3z_type_nbytes(type) / nc3z_type_nbytes(att_type))
		return NC_EBADTYPE;
	return nc_get_att(ncid, varid, _FillValue, fill_valuep);
}

/* libnetcdf looks at the variable only for the answer about shuffling. */
int nc_inq_var_deflate(int ncid, int varid, int *shufflep, int *deflatep,
		       int *deflate_levelp)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	if (deflatep)
		*deflatep = 0;
	if (deflate_levelp)
		*deflate_levelp = 0;
	if (!shufflep)
		return NC_NOERR;
	status = nc_inq_vartype(ncid, varid, NULL);
	if (!status)
		*shufflep = NC_NOSHUFFLE;
	return status;
}

int nc_inq_var_szip(int ncid, int varid, int *options_maskp,
		    int *pixels_per_blockp)
{
	return nc_inq_var_deflate(ncid, varid, NULL, options_maskp,
				  pixels_per_blockp);
}

int nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p)
{
	int status = nc_inq_vartype(ncid, varid, NULL);

	if (!status && fletcher32p)
		*fletcher32p = NC_NOCHECKSUM;
	return status;
}

int nc_inq_var_chunking(int ncid, int varid, int *storagep, size_t *chunksizesp)
{
	int status = nc_inq_vartype(ncid, varid, NULL);

	(void)chunksizesp;
	if (!status && storagep)
		*storagep = NC_CONTIGUOUS;
	return status;
}

int nc_inq_var_endian(int ncid, int varid, int *endianp)
{
	int status = nc_inq_vartype(ncid, varid, NULL);

	return status ? status : endianp ? NC_ENOTNC4 : NC_NOERR;
}

/* None is ever given. */
int nc_free_string(size_t len, char **data)
{
	for (size_t i = 0; data && i < len; i++)
		free(data[i]);
	return NC_NOERR;
}
