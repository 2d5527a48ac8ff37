/* SPDX-License-Identifier: MIT */
/*
 * Values of variables.  Strides and maps go down to the library whole, which
 * takes the values from decoded blocks; libnetcdf's own way would be one call
 * per value.
 */
#include "netcdf-plugin/dataset.h"

/* Types of netCDF-4 are invalid here; for text, NC_ECHAR comes first. */
static int foreign_type_status(const struct plugin_dataset *dataset, int varid)
{
	struct nc3z_var var;

	if (reader.inq_var(dataset->file, varid, &var, NULL) != NC3Z_OK)
		return NETCDF_ENOTVAR;
	return var.type == NC3Z_CHAR ? NETCDF_ECHAR : NETCDF_EBADTYPE;
}

int dataset_get(struct plugin_dataset *dataset, int varid, enum nc3z_form form,
		const struct nc3z_hyperslab *slab, int memtype, void *values)
{
	struct nc3z_error err;
	int status;

	if (reader.type_nbytes(memtype) == 0 && memtype != NC3Z_NAT)
		return foreign_type_status(dataset, varid);
	status = reader.get_form(dataset->file, varid, form, slab, memtype,
				 values, &err);
	return dataset_status(dataset, status, &err);
}
