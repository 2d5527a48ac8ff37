/*
 * Values of variables.  Strides and maps go down to the library whole, which
 * takes the values from decoded blocks; libnetcdf's own way would be one call
 * per value.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "netcdf-plugin/dataset.h"

/* A type of netCDF-4 is no type here, but a text has first say. */
static int foreign_type_status(const struct plugin_dataset *dataset, int varid)
{
	struct nc3z_var var;

	if (reader.inq_var(dataset->file, varid, &var, NULL) != NC3Z_OK)
		return NETCDF_ENOTVAR;
	return var.type == NC3Z_CHAR ? NETCDF_ECHAR : NETCDF_EBADTYPE;
}

int dataset_get(struct plugin_dataset *dataset, int varid,
		const struct nc3z_hyperslab *slab, int memtype, void *values)
{
	struct nc3z_error err;
	int status;

	if (reader.type_nbytes(memtype) == 0 && memtype != NC3Z_NAT)
		return foreign_type_status(dataset, varid);
	status = reader.get(dataset->file, varid, slab, memtype, values, &err);
	return dataset_status(dataset, status, &err);
}

/* The map that places values as if there were none. */
static ptrdiff_t *packed_map(const struct nc3z_var *var,
			     const struct nc3z_hyperslab *slab)
{
	size_t step = 1;
	ptrdiff_t *map = malloc((size_t)var->ndims * sizeof(*map));

	for (int i = var->ndims; map && i-- > 0;) {
		map[i] = (ptrdiff_t)step;
		/* Counts too large are refused before any value is placed. */
		step *= slab->count ? slab->count[i] : (size_t)var->shape[i];
	}
	return map;
}

static bool has_strides(const struct nc3z_var *var,
			const struct nc3z_hyperslab *slab)
{
	for (int i = 0; slab->stride && i < var->ndims; i++)
		if (slab->stride[i] != 1)
			return true;
	return false;
}

/*
 * Of wrong arguments, a call with a map reports another one than a call
 * without, also where the map is NULL.
 */
int dataset_get_mapped(struct plugin_dataset *dataset, int varid,
		       const struct nc3z_hyperslab *slab, int memtype,
		       void *values)
{
	struct nc3z_hyperslab mapped = *slab;
	struct nc3z_var var;
	ptrdiff_t *map = NULL;
	int status;

	if (!slab->imap &&
	    reader.inq_var(dataset->file, varid, &var, NULL) == NC3Z_OK) {
		if (has_strides(&var, slab))
			map = packed_map(&var, slab);
		else
			mapped.stride = NULL;
		mapped.imap = map;
	}
	status = dataset_get(dataset, varid, &mapped, memtype, values);
	free(map);
	return status;
}
