/* SPDX-License-Identifier: MIT */
/* The contents of a dataset: dimensions, variables, types. */
#include <stdlib.h>
#include <string.h>

#include "netcdf-plugin/dataset.h"

int dataset_inq_format(const struct plugin_dataset *dataset, int *format_ret)
{
	int version = reader.inq_format(dataset->file);

	if (format_ret)
		*format_ret = version == 1 ? NETCDF_FORMAT_CLASSIC :
			      version == 2 ? NETCDF_FORMAT_64BIT_OFFSET :
					     NETCDF_FORMAT_CDF5;
	return NETCDF_NOERR;
}

int dataset_inq_format_extended(const struct plugin_dataset *dataset,
				int *format_ret, int *mode_ret)
{
	int version = reader.inq_format(dataset->file);

	if (format_ret)
		*format_ret = NETCDF_FORMATX_NC3;
	if (mode_ret)
		*mode_ret = (dataset->mode & ~NETCDF_NETCDF4) |
			    (version == 2 ? NETCDF_64BIT_OFFSET :
			     version == 5 ? NETCDF_64BIT_DATA :
					    0);
	return NETCDF_NOERR;
}

/*
 * libnetcdf normalizes the names that it is asked for, not those of files.
 * ASCII is normal.
 */
const char *dataset_name(const struct plugin_dataset *dataset, const char *name,
			 char **made_ret)
{
	const unsigned char *bytes = (const unsigned char *)name;
	unsigned char *made = NULL;

	*made_ret = NULL;
	while (*bytes != '\0' && *bytes < 0x80)
		bytes++;
	if (*bytes == '\0' || !dataset->normalize)
		return name;
	if (dataset->normalize((const unsigned char *)name, &made) != 0)
		return NULL;
	*made_ret = (char *)made;
	return *made_ret;
}

void dataset_copy_name(char *name_ret, const char *name)
{
	size_t n = strnlen(name, NETCDF_MAX_NAME);

	memcpy(name_ret, name, n);
	name_ret[n] = '\0';
}

int dataset_inq_dim(const struct plugin_dataset *dataset, int dimid,
		    char *name_ret, size_t *length_ret)
{
	struct nc3z_dim dim;

	if (reader.inq_dim(dataset->file, dimid, &dim, NULL) != NC3Z_OK)
		return NETCDF_EBADDIM;
	if (name_ret)
		dataset_copy_name(name_ret, dim.name);
	if (length_ret)
		*length_ret = (size_t)dim.length;
	return NETCDF_NOERR;
}

int dataset_inq_dimid(const struct plugin_dataset *dataset, const char *name,
		      int *dimid_ret)
{
	char *made;
	const char *form = dataset_name(dataset, name, &made);
	int dimid = -1;

	if (form && *form)
		reader.inq_dimid(dataset->file, form, &dimid, NULL);
	free(made);
	if (dimid < 0)
		return NETCDF_EBADDIM;
	if (dimid_ret)
		*dimid_ret = dimid;
	return NETCDF_NOERR;
}

int dataset_inq_varid(const struct plugin_dataset *dataset, const char *name,
		      int *varid_ret)
{
	char *made;
	const char *form = dataset_name(dataset, name, &made);
	int varid = -1;

	if (form && *form)
		reader.inq_varid(dataset->file, form, &varid, NULL);
	free(made);
	if (varid < 0)
		return NETCDF_ENOTVAR;
	if (varid_ret)
		*varid_ret = varid;
	return NETCDF_NOERR;
}

static int inq_fill_value(const struct plugin_dataset *dataset, int varid,
			  int type, void *value_ret)
{
	int status = dataset_get_att(dataset, varid, "_FillValue", NC3Z_NAT,
				     value_ret);

	if (status != NETCDF_ENOTATT)
		return status;
	memcpy(value_ret, reader.type_fill(type), reader.type_nbytes(type));
	return NETCDF_NOERR;
}

int dataset_inq_var(const struct plugin_dataset *dataset, int varid,
		    const struct plugin_var *var_ret)
{
	struct nc3z_var var;

	if (reader.inq_var(dataset->file, varid, &var, NULL) != NC3Z_OK)
		return NETCDF_ENOTVAR;
	if (var_ret->name)
		dataset_copy_name(var_ret->name, var.name);
	if (var_ret->type)
		*var_ret->type = var.type;
	if (var_ret->ndims)
		*var_ret->ndims = var.ndims;
	for (int i = 0; var_ret->dimids && i < var.ndims; i++)
		var_ret->dimids[i] = var.dimids[i];
	if (var_ret->natts)
		*var_ret->natts = var.natts;
	if (var_ret->no_fill)
		*var_ret->no_fill = 0;
	if (var_ret->fill_value)
		return inq_fill_value(dataset, varid, var.type,
				      var_ret->fill_value);
	return NETCDF_NOERR;
}

int dataset_inq_type(int type, char *name_ret, size_t *nbytes_ret)
{
	const char *name = type == NETCDF_STRING ? "string" :
						   reader.type_name(type);

	if (*name == '\0')
		return NETCDF_EBADTYPE;
	if (name_ret)
		dataset_copy_name(name_ret, name);
	if (nbytes_ret)
		*nbytes_ret = type == NETCDF_STRING ? sizeof(char *) :
						      reader.type_nbytes(type);
	return NETCDF_NOERR;
}
