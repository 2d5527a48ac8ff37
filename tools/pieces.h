/*
 * The values of a slab in row-major order, a bounded piece at a time, so that
 * memory does not grow with the variable.
 */
#ifndef NC3Z_TOOLS_PIECES_H
#define NC3Z_TOOLS_PIECES_H

#include "slab.h"

struct pieces {
	struct nc3z_file *file;
	int varid;
	const struct slab *slab;
	size_t *at; /* in each dimension, in counts, where the next begins */
	size_t *start;
	size_t *count;
	int split; /* the dimension that the piece has a part of */
	size_t max_nelems;
	bool is_done;
	void *values; /* of the piece that was read last */
};

/* Values are of the variable's own type; false if memory runs out. */
bool pieces_begin(struct pieces *p, struct nc3z_file *file, int varid,
		  const struct slab *slab);

/* Reads the next piece into 'values'; '*nelems_ret' is 0 at the end. */
int pieces_next(struct pieces *p, size_t *nelems_ret, struct nc3z_error *err);

void pieces_release(struct pieces *p);

#endif
