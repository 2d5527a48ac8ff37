/* What a dataset has: dimensions, variables, types. */
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

/* The values that are in place of those that were never written. */
static void default_fill_value(int type, void *value_ret)
{
	static const signed char fill_byte = -127;
	static const char fill_char = 0;
	static const short fill_short = -32767;
	static const int fill_int = -2147483647;
	static const float fill_float = 9.9692099683868690e+36f;
	static const double fill_double = 9.9692099683868690e+36;
	static const unsigned char fill_ubyte = 255;
	static const unsigned short fill_ushort = 65535;
	static const unsigned fill_uint = 4294967295u;
	static const long long fill_int64 = -9223372036854775806ll;
	static const unsigned long long fill_uint64 = 18446744073709551614ull;
	static const void *const values[] = {
		[NC3Z_BYTE] = &fill_byte,     [NC3Z_CHAR] = &fill_char,
		[NC3Z_SHORT] = &fill_short,   [NC3Z_INT] = &fill_int,
		[NC3Z_FLOAT] = &fill_float,   [NC3Z_DOUBLE] = &fill_double,
		[NC3Z_UBYTE] = &fill_ubyte,   [NC3Z_USHORT] = &fill_ushort,
		[NC3Z_UINT] = &fill_uint,     [NC3Z_INT64] = &fill_int64,
		[NC3Z_UINT64] = &fill_uint64,
	};

	memcpy(value_ret, values[type], reader.type_nbytes(type));
}

static int inq_fill_value(const struct plugin_dataset *dataset, int varid,
			  int type, void *value_ret)
{
	int status = dataset_get_att(dataset, varid, "_FillValue", NC3Z_NAT,
				     value_ret);

	if (status != NETCDF_ENOTATT)
		return status;
	default_fill_value(type, value_ret);
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
