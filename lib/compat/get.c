/* SPDX-License-Identifier: MIT */
/* Values of variables and attributes. */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <stdbool.h>

/* The forms have the same numbers in both headers. */
_Static_assert((int)NC3Z_COMPAT_VAR == NC3Z_FORM_VAR &&
		       (int)NC3Z_COMPAT_VAR1 == NC3Z_FORM_VAR1 &&
		       (int)NC3Z_COMPAT_VARA == NC3Z_FORM_VARA &&
		       (int)NC3Z_COMPAT_VARS == NC3Z_FORM_VARS &&
		       (int)NC3Z_COMPAT_VARM == NC3Z_FORM_VARM,
	       "forms differ");

/* libnetcdf tells "the file" from other wrong variables in these calls only. */
static int status_of_no_var(int varid, nc_type memtype,
			    const struct nc3z_compat_hyperslab *slab)
{
	bool is_told = slab->form == NC3Z_COMPAT_VAR1 ||
		       (slab->form == NC3Z_COMPAT_VARA && slab->count &&
			memtype != NC_NAT);

	return varid == NC_GLOBAL && is_told && slab->start ? NC_EGLOBAL :
							      NC_ENOTVAR;
}

int nc3z_compat_get(int ncid, int varid,
		    const struct nc3z_compat_hyperslab *slab, nc_type memtype,
		    void *values)
{
	const struct nc3z_hyperslab place = {
		.start = slab->start,
		.count = slab->count,
		.stride = slab->stride,
		.imap = slab->imap,
	};
	struct nc3z_error err;
	struct compat_entry *entry;
	struct nc3z_var var;
	int status = compat_find(ncid, &entry);

	if (status)
		return status;
	if (nc3z_inq_var(entry->file, varid, &var, NULL) != NC3Z_OK)
		return status_of_no_var(varid, memtype, slab);
	if (memtype == NC_STRING)
		return var.type == NC_CHAR ? NC_ECHAR : NC_EBADTYPE;
	err.sys_errno = 0;
	status = nc3z_get_form(entry->file, varid, (enum nc3z_form)slab->form,
			       &place, memtype, values, &err);
	return compat_status(entry->path, status, &err);
}

int nc3z_compat_get_att(int ncid, int varid, const char *name, nc_type memtype,
			void *values)
{
	struct nc3z_file *file;
	nc_type type;
	size_t nelems;
	int status = nc_inq_att(ncid, varid, name, &type, &nelems);

	if (status || nelems == 0)
		return status;
	if (memtype == NC_STRING)
		return type == NC_CHAR ? NC_ECHAR : NC_EBADTYPE;
	status = compat_file(ncid, &file);
	if (status)
		return status;
	return nc3z_netcdf_status(
		nc3z_get_att(file, varid, name, memtype, values, NULL), NULL);
}
