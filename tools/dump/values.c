/* SPDX-License-Identifier: MIT */
/*
 * Few values are read at once, through the cache, as small variables share
 * blocks.  Many are read by an iterator, whose boxes are runs: some indices of
 * one dimension, the outer ones single, the inner ones whole.
 */
#include "dump/values.h"

#include <stdlib.h>
#include <string.h>

#define BOX_NBYTES_MAX ((size_t)1 << 20)

/* Iterators go through no more dimensions. */
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

/* The box is all of the slab; its values are read at once. */
static int get(struct dump *dump, const struct nc3z_iterator_var *var,
	       const struct nc3z_hyperslab *slab, size_t nelems,
	       values_fn *take, void *context)
{
	void *values = malloc(BOX_NBYTES_MAX);
	int status = values ? nc3z_get(var->file, var->varid, slab, NC3Z_NAT,
				       values, &dump->err) :
			      NC3Z_ENOMEM;

	if (status == NC3Z_OK)
		take(context, values, nelems);
	free(values);
	return status;
}

/* Index by index of the first dimension that has several. */
static enum exit_status split_slab(struct dump *dump, int varid,
				   const struct nc3z_var *var,
				   const struct dump_hyperslab *slab,
				   values_fn *take, void *context)
{
	enum exit_status status = EXIT_DONE;
	size_t n = (size_t)slab->ndims, nbytes = n * sizeof(size_t), d = 0;
	size_t *own = malloc(2 * nbytes);
	const struct dump_hyperslab part = { slab->ndims, own, own + n,
					     slab->stride };

	if (!own)
		return dump_no_memory(dump);
	memcpy(part.start, slab->start, nbytes);
	memcpy(part.count, slab->count, nbytes);
	while (slab->count[d] == 1)
		d++;
	part.count[d] = 1;
	for (size_t i = 0;
	     i < slab->count[d] && status == EXIT_DONE && !ferror(stdout);
	     i++) {
		status = dump_values(dump, varid, var, &part, take, context);
		part.start[d] += (size_t)slab->stride[d];
	}
	free(own);
	return status;
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
	size_t nelems = BOX_NBYTES_MAX / nc3z_type_nbytes(var->type);
	size_t *box = calloc((size_t)slab->ndims + 1, sizeof(*box));
	bool is_one = box && is_one_box(slab, &nelems, box);
	int status = NC3Z_ENOMEM;

	if (box && !is_one && slab->ndims > ITERATOR_NDIMS_MAX) {
		free(box);
		return split_slab(dump, varid, var, slab, take, context);
	}
	if (is_one)
		status = get(dump, &wanted, &h, nelems, take, context);
	else if (box)
		status = iterate(dump, &wanted, &h, box, take, context);
	free(box);
	if (status == NC3Z_ENOMEM)
		return dump_no_memory(dump);
	return status == NC3Z_OK ? EXIT_DONE : dump_fail(dump, var->name);
}
