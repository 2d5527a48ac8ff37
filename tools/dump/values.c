/* SPDX-License-Identifier: MIT */
/*
 * Few values are read at once, through the cache, as small variables share
 * blocks.  Many are read by an iterator, whose boxes are runs: some indices of
 * one dimension, the outer ones single, the inner ones whole.
 */
#include "dump/values.h"

#include <stdlib.h>

#define BOX_NBYTES_MAX ((size_t)1 << 20)

/* Iterators go through no more dimensions: values are read at once. */
#define ITERATOR_NDIMS_MAX 32

static int iterate(struct dump *dump, const struct nc3z_iterator_var *var,
		   const struct nc3z_hyperslab *slab, const size_t *box,
		   values_fn *take, void *context)
{
	struct nc3z_iterator *iterator = NULL;
	struct nc3z_iterator_options options;
	struct nc3z_box next;
	int status;

	nc3z_iterator_options_init(&options);
	options.box = box;
	status = nc3z_iterator_open(var, 1, slab, &options, &iterator,
				    &dump->err);
	while (status == NC3Z_OK && !ferror(stdout)) {
		status = nc3z_iterator_next(iterator, &next, &dump->err);
		if (status != NC3Z_OK || next.nelems == 0)
			break;
		take(context, next.values[0], next.nelems);
	}
	nc3z_iterator_close(iterator);
	return status;
}

/* Sets a box of up to 'nelems' values, and that to what they are. */
static bool is_one_box(const struct dump_hyperslab *slab, size_t *nelems,
		       size_t *box)
{
	size_t room = *nelems;
	bool is_one = true;

	*nelems = 1;
	for (int i = slab->ndims - 1; i >= 0; i--) {
		box[i] = slab->count[i] < room ? slab->count[i] : room;
		is_one = is_one && box[i] == slab->count[i];
		room = is_one ? room / box[i] : 1;
		*nelems *= box[i];
	}
	return is_one;
}

enum exit_status dump_values(struct dump *dump, int varid,
			     const struct nc3z_var *var,
			     const struct dump_hyperslab *slab, values_fn *take,
			     void *context)
{
	const struct nc3z_iterator_var wanted = { dump->file, varid, NC3Z_NAT };
	const struct nc3z_hyperslab h = { .start = slab->start,
					  .count = slab->count,
					  .stride = slab->stride };
	size_t width = nc3z_type_nbytes(var->type), nelems;
	size_t *box = calloc((size_t)slab->ndims + 1, sizeof(*box));
	void *values = NULL;
	int status = NC3Z_ENOMEM;

	nelems = (var->ndims > ITERATOR_NDIMS_MAX ? SIZE_MAX / 2 :
						    BOX_NBYTES_MAX) /
		 width;
	if (box && !is_one_box(slab, &nelems, box))
		status = iterate(dump, &wanted, &h, box, take, context);
	else if (box && (values = malloc(nelems * width)))
		status = nc3z_get(dump->file, varid, &h, NC3Z_NAT, values,
				  &dump->err);
	if (values && status == NC3Z_OK)
		take(context, values, nelems);
	free(values);
	free(box);
	if (status == NC3Z_ENOMEM)
		return dump_no_memory(dump);
	return status == NC3Z_OK ? EXIT_DONE : dump_fail(dump, var->name);
}
