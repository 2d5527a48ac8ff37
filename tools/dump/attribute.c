/* SPDX-License-Identifier: MIT */
#include "dump/attribute.h"

#include <stdlib.h>

int attribute_find(const struct nc3z_file *file, int varid, const char *name,
		   struct attribute *attribute_ret, struct nc3z_error *err)
{
	struct attribute a = { 0 };
	int status = nc3z_inq_att(file, varid, name, &a.att, err);

	if (status != NC3Z_OK)
		return status;
	/* The library has seen all these values in the header. */
	a.values =
		calloc((size_t)a.att.nelems + 1, nc3z_type_nbytes(a.att.type));
	if (!a.values) {
		if (err)
			*err = (struct nc3z_error){
				.status = NC3Z_ENOMEM,
				.offset = NC3Z_NO_OFFSET,
				.text = "out of memory",
			};
		return NC3Z_ENOMEM;
	}
	status = nc3z_get_att(file, varid, name, NC3Z_NAT, a.values, err);
	if (status != NC3Z_OK) {
		attribute_release(&a);
		return status;
	}
	*attribute_ret = a;
	return NC3Z_OK;
}

int attribute_read(const struct nc3z_file *file, int varid, int attnum,
		   struct attribute *attribute_ret, struct nc3z_error *err)
{
	struct nc3z_att att;
	int status = nc3z_inq_attnum(file, varid, attnum, &att, err);

	if (status != NC3Z_OK)
		return status;
	return attribute_find(file, varid, att.name, attribute_ret, err);
}

void attribute_release(struct attribute *attribute)
{
	free(attribute->values);
	attribute->values = NULL;
}

double number_of(int type, const void *value)
{
	switch (type) {
	case NC3Z_BYTE:
		return *(const signed char *)value;
	case NC3Z_SHORT:
		return *(const short *)value;
	case NC3Z_INT:
		return *(const int *)value;
	case NC3Z_FLOAT:
		return *(const float *)value;
	case NC3Z_DOUBLE:
		return *(const double *)value;
	case NC3Z_USHORT:
		return *(const unsigned short *)value;
	case NC3Z_UINT:
		return *(const unsigned int *)value;
	case NC3Z_INT64:
		return (double)*(const long long *)value;
	case NC3Z_UINT64:
		return (double)*(const unsigned long long *)value;
	default:
		return *(const unsigned char *)value;
	}
}
