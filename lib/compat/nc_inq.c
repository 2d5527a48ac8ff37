/* SPDX-License-Identifier: MIT */
/*
 * Dimensions, variables, attributes and types.  Every pointer may be NULL,
 * also the few that libnetcdf needs.
 */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <string.h>

void compat_copy_name(char *to, const char *name)
{
	size_t name_nbytes;

	if (!to)
		return;
	name_nbytes = strlen(name);
	if (name_nbytes > NC_MAX_NAME)
		name_nbytes = NC_MAX_NAME;
	memcpy(to, name, name_nbytes);
	to[name_nbytes] = '\0';
}

int nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	if (!status)
		nc3z_inq(file, ndimsp, nvarsp, nattsp, unlimdimidp);
	return status;
}

int nc_inq_ndims(int ncid, int *ndimsp)
{
	return nc_inq(ncid, ndimsp, NULL, NULL, NULL);
}

int nc_inq_nvars(int ncid, int *nvarsp)
{
	return nc_inq(ncid, NULL, nvarsp, NULL, NULL);
}

int nc_inq_natts(int ncid, int *nattsp)
{
	return nc_inq(ncid, NULL, NULL, nattsp, NULL);
}

int nc_inq_unlimdim(int ncid, int *unlimdimidp)
{
	return nc_inq(ncid, NULL, NULL, NULL, unlimdimidp);
}

int nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp)
{
	int unlimdimid, status = nc_inq_unlimdim(ncid, &unlimdimid);

	if (status)
		return status;
	if (nunlimdimsp)
		*nunlimdimsp = unlimdimid != -1;
	if (unlimdimidsp && unlimdimid != -1)
		unlimdimidsp[0] = unlimdimid;
	return NC_NOERR;
}

static void give_numbers(int count, int *countp, int *numbers)
{
	if (countp)
		*countp = count;
	for (int i = 0; numbers && i < count; i++)
		numbers[i] = i;
}

int nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents)
{
	int count, status = nc_inq_ndims(ncid, &count);

	(void)include_parents;
	if (!status)
		give_numbers(count, ndims, dimids);
	return status;
}

int nc_inq_varids(int ncid, int *nvars, int *varids)
{
	int count, status = nc_inq_nvars(ncid, &count);

	if (!status)
		give_numbers(count, nvars, varids);
	return status;
}

int nc_inq_dimid(int ncid, const char *name, int *idp)
{
	struct nc3z_file *file;
	int dimid, status = compat_file(ncid, &file);

	if (status)
		return status;
	if (!name)
		return NC_EBADNAME;
	status = nc3z_inq_dimid(file, name, &dimid, NULL);
	if (status == NC3Z_OK && idp)
		*idp = dimid;
	return nc3z_netcdf_status(status, NULL);
}

int nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp)
{
	struct nc3z_file *file;
	struct nc3z_dim dim;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	status = nc3z_inq_dim(file, dimid, &dim, NULL);
	if (status != NC3Z_OK)
		return nc3z_netcdf_status(status, NULL);
	compat_copy_name(name, dim.name);
	if (lenp)
		*lenp = (size_t)dim.length;
	return NC_NOERR;
}

/* Without a pointer to an answer libnetcdf does not look at the number. */
int nc_inq_dimname(int ncid, int dimid, char *name)
{
	struct nc3z_file *file;

	return name ? nc_inq_dim(ncid, dimid, name, NULL) :
		      compat_file(ncid, &file);
}

int nc_inq_dimlen(int ncid, int dimid, size_t *lenp)
{
	struct nc3z_file *file;

	return lenp ? nc_inq_dim(ncid, dimid, NULL, lenp) :
		      compat_file(ncid, &file);
}

int nc_inq_varid(int ncid, const char *name, int *varidp)
{
	struct nc3z_file *file;
	int varid, status = compat_file(ncid, &file);

	if (status)
		return status;
	if (!name)
		return NC_EBADNAME;
	status = nc3z_inq_varid(file, name, &varid, NULL);
	if (status == NC3Z_OK && varidp)
		*varidp = varid;
	return nc3z_netcdf_status(status, NULL);
}

static int find_var(int ncid, int varid, struct nc3z_var *var_ret)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	return nc3z_netcdf_status(nc3z_inq_var(file, varid, var_ret, NULL),
				  NULL);
}

int nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp,
	       int *dimidsp, int *nattsp)
{
	struct nc3z_var var;
	int status = find_var(ncid, varid, &var);

	if (status)
		return status;
	compat_copy_name(name, var.name);
	if (xtypep)
		*xtypep = var.type;
	if (ndimsp)
		*ndimsp = var.ndims;
	for (int i = 0; dimidsp && i < var.ndims; i++)
		dimidsp[i] = var.dimids[i];
	if (nattsp)
		*nattsp = var.natts;
	return NC_NOERR;
}

int nc_inq_varname(int ncid, int varid, char *name)
{
	return nc_inq_var(ncid, varid, name, NULL, NULL, NULL, NULL);
}

int nc_inq_vartype(int ncid, int varid, nc_type *xtypep)
{
	return nc_inq_var(ncid, varid, NULL, xtypep, NULL, NULL, NULL);
}

int nc_inq_varndims(int ncid, int varid, int *ndimsp)
{
	return nc_inq_var(ncid, varid, NULL, NULL, ndimsp, NULL, NULL);
}

int nc_inq_vardimid(int ncid, int varid, int *dimidsp)
{
	return nc_inq_var(ncid, varid, NULL, NULL, NULL, dimidsp, NULL);
}

int nc_inq_varnatts(int ncid, int varid, int *nattsp)
{
	if (varid == NC_GLOBAL)
		return nc_inq_natts(ncid, nattsp);
	return nc_inq_var(ncid, varid, NULL, NULL, NULL, NULL, nattsp);
}

static int find_att(int ncid, int varid, const char *name,
		    struct nc3z_att *att_ret)
{
	struct nc3z_file *file;
	struct nc3z_var var;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	if (!name) {
		status = varid == NC_GLOBAL ? NC_NOERR :
					      find_var(ncid, varid, &var);
		return status ? status : NC_EBADNAME;
	}
	return nc3z_netcdf_status(
		nc3z_inq_att(file, varid, name, att_ret, NULL), NULL);
}

int nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep,
	       size_t *lenp)
{
	struct nc3z_att att;
	int status = find_att(ncid, varid, name, &att);

	if (status)
		return status;
	if (xtypep)
		*xtypep = att.type;
	if (lenp)
		*lenp = (size_t)att.nelems;
	return NC_NOERR;
}

int nc_inq_atttype(int ncid, int varid, const char *name, nc_type *xtypep)
{
	return nc_inq_att(ncid, varid, name, xtypep, NULL);
}

int nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp)
{
	return nc_inq_att(ncid, varid, name, NULL, lenp);
}

int nc_inq_attid(int ncid, int varid, const char *name, int *idp)
{
	struct nc3z_att att;
	int status = find_att(ncid, varid, name, &att);

	if (!status && idp)
		*idp = att.attnum;
	return status;
}

int nc_inq_attname(int ncid, int varid, int attnum, char *name)
{
	struct nc3z_file *file;
	struct nc3z_att att;
	int status = compat_file(ncid, &file);

	if (status)
		return status;
	status = nc3z_inq_attnum(file, varid, attnum, &att, NULL);
	if (status == NC3Z_OK)
		compat_copy_name(name, att.name);
	return nc3z_netcdf_status(status, NULL);
}
