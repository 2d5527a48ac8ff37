/* SPDX-License-Identifier: MIT */
/*
 * The values of a slab in row-major order, a bounded box at a time, so that
 * memory does not grow with the variable.
 */
#ifndef NC3Z_TOOLS_DUMP_VALUES_H
#define NC3Z_TOOLS_DUMP_VALUES_H

#include "dump/dump.h"

/* Takes the next values, of the variable's own type; it may change them. */
typedef void values_fn(void *context, void *values, size_t nelems);

enum exit_status dump_values(struct dump *dump, int varid,
			     const struct nc3z_var *var,
			     const struct dump_hyperslab *slab, values_fn *take,
			     void *context);

#endif
