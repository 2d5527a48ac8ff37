/* SPDX-License-Identifier: MIT */
/* A part of a variable: for each dimension a start, a count and a stride. */
#ifndef NC3Z_TOOLS_DUMP_HYPERSLAB_H
#define NC3Z_TOOLS_DUMP_HYPERSLAB_H

#include <stdbool.h>
#include <stddef.h>

#include "nc3z.h"

/* The arrays have an element for each dimension, and at least one. */
struct dump_hyperslab {
	int ndims;
	size_t *start;
	size_t *count;
	ptrdiff_t *stride;
};

/*
 * All of a variable.  False, with errno, if memory runs out or a dimension is
 * longer than a program of 32 bits can count (EOVERFLOW).
 */
bool dump_hyperslab_init(struct dump_hyperslab *slab,
			 const struct nc3z_var *var);

void dump_hyperslab_release(struct dump_hyperslab *slab);

bool dump_hyperslab_is_empty(const struct dump_hyperslab *slab);

/*
 * Parses the text between the brackets of "name[0, 10:20, lon=::2]".  Returns
 * false after writing to 'why' what is wrong where.
 */
bool dump_hyperslab_parse(struct dump_hyperslab *slab,
			  const struct nc3z_file *file,
			  const struct nc3z_var *var, const char *text,
			  char *why, size_t why_nbytes);

#endif
