/* SPDX-License-Identifier: MIT */
/*
 * The values of a slab in row-major order, a bounded box at a time, so that
 * memory does not grow with the variable.
 */
#ifndef NC3Z_TOOLS_DUMP_BOXES_H
#define NC3Z_TOOLS_DUMP_BOXES_H

#include "dump/hyperslab.h"

struct boxes {
	struct nc3z_file *file;
	int varid;
	const struct dump_hyperslab *slab;
	size_t *at; /* in each dimension, in counts, where the next begins */
	size_t *start;
	size_t *count;
	int split; /* the dimension that the box has a part of */
	size_t max_nelems;
	bool is_done;
	void *values; /* of the box that was read last */
};

/* Values are of the variable's own type; false if memory runs out. */
bool boxes_begin(struct boxes *p, struct nc3z_file *file, int varid,
		 const struct dump_hyperslab *slab);

/* Reads the next box into 'values'; '*nelems_ret' is 0 at the end. */
int boxes_next(struct boxes *p, size_t *nelems_ret, struct nc3z_error *err);

void boxes_release(struct boxes *p);

#endif
