/*
 * Values of variables and attributes.
 *
 * nc3z_get() tells the forms apart by which of stride and imap are there, and
 * with that checks in the order of libnetcdf.  A call that leaves its last
 * argument out is still the call it is: nc_get_vars() is given strides of 1,
 * and nc_get_varm() the imap of packed values unless all strides are 1, when
 * libnetcdf takes it for nc_get_vara(), too.
 */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <stdbool.h>
#include <stdlib.h>

static bool has_strides(const struct nc3z_hyperslab *slab, int ndims)
{
	for (int i = 0; slab->stride && i < ndims; i++)
		if (slab->stride[i] != 1)
			return true;
	return false;
}

static void fill_ones(ptrdiff_t *stride, int ndims)
{
	for (int i = 0; i < ndims; i++)
		stride[i] = 1;
}

static void fill_packed(ptrdiff_t *imap, const size_t *count, int ndims)
{
	size_t step = 1;

	for (int i = ndims; i-- > 0;) {
		imap[i] = (ptrdiff_t)step;
		/* wraps where the counts are refused */
		step *= count[i];
	}
}

/* libnetcdf tells "the file" from other wrong variables in these calls only. */
static int status_of_no_var(int varid, nc_type memtype,
			    const struct nc3z_compat_slab *slab)
{
	bool is_told = slab->form == NC3Z_COMPAT_VAR1 ||
		       (slab->form == NC3Z_COMPAT_VARA && slab->count &&
			memtype != NC_NAT);

	return varid == NC_GLOBAL && is_told && slab->start ? NC_EGLOBAL :
							      NC_ENOTVAR;
}

/* What a call reads, and into what. */
struct target {
	struct nc3z_file *file;
	int varid;
	int memtype;
	void *values;
};

static int get_slab(const struct target *target,
		    const struct nc3z_hyperslab *slab)
{
	struct nc3z_error err;
	int status;

	err.sys_errno = 0;
	status = nc3z_get(target->file, target->varid, slab, target->memtype,
			  target->values, &err);
	return compat_status(status, &err);
}

static int get_var1(const struct target *target, const size_t *index)
{
	struct nc3z_error err;
	int status;

	err.sys_errno = 0;
	status = nc3z_get_var1(target->file, target->varid, index,
			       target->memtype, target->values, &err);
	return compat_status(status, &err);
}

static int get_vars(const struct target *target, struct nc3z_hyperslab *slab,
		    const struct nc3z_var *var)
{
	ptrdiff_t *ones;
	int status;

	if (slab->stride || var->ndims == 0)
		return get_slab(target, slab);
	ones = calloc((size_t)var->ndims, sizeof(*ones));
	if (!ones)
		return NC_ENOMEM;
	fill_ones(ones, var->ndims);
	slab->stride = ones;
	status = get_slab(target, slab);
	free(ones);
	return status;
}

static int get_varm(const struct target *target, struct nc3z_hyperslab *slab,
		    const struct nc3z_var *var)
{
	ptrdiff_t *packed;
	int status;

	if (slab->imap)
		return get_slab(target, slab);
	if (!has_strides(slab, var->ndims)) {
		slab->stride = NULL;
		return get_slab(target, slab);
	}
	packed = calloc((size_t)var->ndims, sizeof(*packed));
	if (!packed)
		return NC_ENOMEM;
	fill_packed(packed, slab->count ? slab->count : var->shape, var->ndims);
	slab->imap = packed;
	status = get_slab(target, slab);
	free(packed);
	return status;
}

static int get_form(const struct target *target,
		    const struct nc3z_compat_slab *from,
		    const struct nc3z_var *var)
{
	struct nc3z_hyperslab slab = { .start = from->start,
				       .count = from->count };

	switch (from->form) {
	case NC3Z_COMPAT_VAR:
		return get_slab(target, NULL);
	case NC3Z_COMPAT_VAR1:
		return get_var1(target, from->start);
	case NC3Z_COMPAT_VARS:
		slab.stride = from->stride;
		return get_vars(target, &slab, var);
	case NC3Z_COMPAT_VARM:
		slab.stride = from->stride;
		slab.imap = from->imap;
		return get_varm(target, &slab, var);
	default:
		return get_slab(target, &slab);
	}
}

int nc3z_compat_get(int ncid, int varid, const struct nc3z_compat_slab *slab,
		    nc_type memtype, void *values)
{
	struct target target = { .varid = varid,
				 .memtype = memtype,
				 .values = values };
	struct nc3z_var var;
	int status = compat_file(ncid, &target.file);

	if (status)
		return status;
	if (nc3z_inq_var(target.file, varid, &var, NULL) != NC3Z_OK)
		return status_of_no_var(varid, memtype, slab);
	if (memtype == NC_STRING)
		return var.type == NC_CHAR ? NC_ECHAR : NC_EBADTYPE;
	return get_form(&target, slab, &var);
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
	return compat_status(
		nc3z_get_att(file, varid, name, memtype, values, NULL), NULL);
}
