/* SPDX-License-Identifier: MIT */
/*
 * The calls that programs for netCDF-4 make on every file: one group, no types
 * of its own, nothing compressed.  nf_inq_type() gives the name, which
 * netcdf-fortran leaves out, and nf_inq_var_chunking() what C is told, where
 * libnetcdf 4.9.0 crashes or gives NC_EBADID.
 */
#include "fortran/fortran.h"

#include <string.h>

#define DEFINE_ID_BY_NAME(name_) \
	int nf_inq_##name_##_(const int *ncid, const char *name, int *id, \
			      size_t name_nbytes) \
	{ \
		int status; \
\
		CALL_WITH_STRING(status, name, \
				 nc_inq_##name_(*ncid, string, id)); \
		return status; \
	}

DEFINE_ID_BY_NAME(ncid)
DEFINE_ID_BY_NAME(grp_ncid)
DEFINE_ID_BY_NAME(grp_full_ncid)
DEFINE_ID_BY_NAME(typeid)

int nf_inq_grp_parent_(const int *ncid, int *parent)
{
	return nc_inq_grp_parent(*ncid, parent);
}

int nf_inq_grpname_(const int *ncid, char *name, size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];

	return nc3zf_give_text(nc_inq_grpname(*ncid, string), string, name,
			       name_nbytes);
}

int nf_inq_grpname_len_(const int *ncid, int *length)
{
	size_t c_length = 0;
	int status = nc_inq_grpname_len(*ncid, &c_length);

	return nc3zf_give_length(status, c_length, length);
}

int nf_inq_grpname_full_(const int *ncid, int *length, char *name,
			 size_t name_nbytes)
{
	int status = nf_inq_grpname_len_(ncid, length);

	nf_inq_grpname_(ncid, name, name_nbytes);
	return status;
}

int nf_inq_grps_(const int *ncid, int *ngroups, int *groups)
{
	*ngroups = 0;
	groups[0] = 0;
	return nc_inq_grps(*ncid, ngroups, groups);
}

int nf_inq_typeids_(const int *ncid, int *ntypes, int *types)
{
	types[0] = 0;
	return nc_inq_typeids(*ncid, ntypes, types);
}

static int give_ids(int status, int count, int *count_ret, int *ids)
{
	if (status)
		return status;
	*count_ret = count;
	for (int i = 0; i < count; i++)
		ids[i]++;
	return NC_NOERR;
}

int nf_inq_varids_(const int *ncid, int *nvars, int *varids)
{
	int count = 0, status;

	varids[0] = 0;
	status = nc_inq_varids(*ncid, &count, varids);
	return give_ids(status, count, nvars, varids);
}

int nf_inq_dimids_(const int *ncid, int *ndims, int *dimids, const int *parents)
{
	int count = 0, status;

	dimids[0] = 0;
	status = nc_inq_dimids(*ncid, &count, dimids, *parents);
	return give_ids(status, count, ndims, dimids);
}

int nf_inq_type_(const int *ncid, const int *type, char *name, int *nbytes,
		 size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];
	size_t c_nbytes = 0;
	int status = nc_inq_type(*ncid, *type, string, &c_nbytes);

	nc3zf_give_text(status, string, name, name_nbytes);
	return nc3zf_give_length(status, c_nbytes, nbytes);
}

int nf_inq_user_type_(const int *ncid, const int *type, char *name, int *nbytes,
		      int *base, int *nfields, int *kind, size_t name_nbytes)
{
	(void)nbytes;
	(void)base;
	(void)nfields;
	(void)kind;
	memset(name, ' ', name_nbytes);
	return nc_inq_user_type(*ncid, *type, NULL, NULL, NULL, NULL, NULL);
}

int nf_inq_var_deflate_(const int *ncid, const int *varid, int *shuffle,
			int *deflate, int *level)
{
	return nc_inq_var_deflate(*ncid, *varid - 1, shuffle, deflate, level);
}

int nf_inq_var_szip_(const int *ncid, const int *varid, int *options,
		     int *pixels)
{
	return nc_inq_var_szip(*ncid, *varid - 1, options, pixels);
}

int nf_inq_var_fletcher32_(const int *ncid, const int *varid, int *fletcher32)
{
	return nc_inq_var_fletcher32(*ncid, *varid - 1, fletcher32);
}

int nf_inq_var_endian_(const int *ncid, const int *varid, int *endian)
{
	return nc_inq_var_endian(*ncid, *varid - 1, endian);
}

/* A variable that is contiguous has no chunks: their lengths are 0. */
int nf_inq_var_chunking_(const int *ncid, const int *varid, int *storage,
			 int *chunks)
{
	int ndims = 0;

	*storage = 0;
	chunks[0] = 0;
	nc_inq_varndims(*ncid, *varid - 1, &ndims);
	for (int i = 0; i < ndims; i++)
		chunks[i] = 0;
	return nc_inq_var_chunking(*ncid, *varid - 1, storage, NULL);
}

int nf_inq_var_fill_(const int *ncid, const int *varid, int *no_fill,
		     void *value)
{
	return nc_inq_var_fill(*ncid, *varid - 1, no_fill, value);
}
