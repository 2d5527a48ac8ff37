/* SPDX-License-Identifier: MIT */
/* Attributes with their values. */
#ifndef NC3Z_TOOLS_DUMP_ATTRIBUTE_H
#define NC3Z_TOOLS_DUMP_ATTRIBUTE_H

#include "nc3z.h"

struct attribute {
	struct nc3z_att att;
	void *values; /* of the attribute's own type; text ends with a NUL */
};

/*
 * By number.  Values are those of the first attribute of that name, as all
 * readers find them.
 */
int attribute_read(const struct nc3z_file *file, int varid, int attnum,
		   struct attribute *attribute_ret, struct nc3z_error *err);

/* By name; NC3Z_ENOTATT if there is none. */
int attribute_find(const struct nc3z_file *file, int varid, const char *name,
		   struct attribute *attribute_ret, struct nc3z_error *err);

void attribute_release(struct attribute *attribute);

/* A number of any type as a double. */
double number_of(int type, const void *value);

#endif
