/* SPDX-License-Identifier: MIT */
/* Attributes of a dataset. */
#include <stdlib.h>

#include "netcdf-plugin/dataset.h"

static int find_att(const struct plugin_dataset *dataset, int varid,
		    const char *name, struct nc3z_att *att_ret)
{
	struct nc3z_error err;
	struct nc3z_var var;
	const char *form;
	char *made;
	int status;

	if (varid != NC3Z_GLOBAL &&
	    reader.inq_var(dataset->file, varid, &var, NULL) != NC3Z_OK)
		return NETCDF_ENOTVAR;
	if (!name)
		return NETCDF_EBADNAME;
	form = dataset_name(dataset, name, &made);
	status = form ? reader.inq_att(dataset->file, varid, form, att_ret,
				       &err) :
			NC3Z_ENOTATT;
	free(made);
	return dataset_status(dataset, status, &err);
}

int dataset_inq_att(const struct plugin_dataset *dataset, int varid,
		    const char *name, int *type_ret, size_t *nelems_ret)
{
	struct nc3z_att att;
	int status = find_att(dataset, varid, name, &att);

	if (status != NETCDF_NOERR)
		return status;
	if (type_ret)
		*type_ret = att.type;
	if (nelems_ret)
		*nelems_ret = (size_t)att.nelems;
	return NETCDF_NOERR;
}

int dataset_inq_attid(const struct plugin_dataset *dataset, int varid,
		      const char *name, int *attnum_ret)
{
	struct nc3z_att att;
	int status = find_att(dataset, varid, name, &att);

	if (status == NETCDF_NOERR && attnum_ret)
		*attnum_ret = att.attnum;
	return status;
}

int dataset_inq_attname(const struct plugin_dataset *dataset, int varid,
			int attnum, char *name_ret)
{
	struct nc3z_error err;
	struct nc3z_att att;
	int status;

	status = reader.inq_attnum(dataset->file, varid, attnum, &att, &err);
	if (status == NC3Z_OK && name_ret)
		dataset_copy_name(name_ret, att.name);
	return dataset_status(dataset, status, &err);
}

int dataset_get_att(const struct plugin_dataset *dataset, int varid,
		    const char *name, int memtype, void *values)
{
	struct nc3z_error err;
	struct nc3z_att att;
	int status = find_att(dataset, varid, name, &att);

	/* Nothing is nothing, in every type. */
	if (status != NETCDF_NOERR || att.nelems == 0)
		return status;
	if (reader.type_nbytes(memtype) == 0 && memtype != NC3Z_NAT)
		return att.type == NC3Z_CHAR ? NETCDF_ECHAR : NETCDF_EBADTYPE;
	status = reader.get_att(dataset->file, varid, att.name, memtype, values,
				&err);
	return dataset_status(dataset, status, &err);
}
