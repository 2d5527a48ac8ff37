/* SPDX-License-Identifier: MIT */
/*
 * A box is a box: some indices of one dimension, the outer ones single, the
 * inner ones whole.  Which dimension that is follows from how many values the
 * inner ones have: as much as possible is read at a time.
 */
#include "dump/boxes.h"

#include <stdlib.h>

#define BOX_NBYTES_MAX ((size_t)1 << 20)

bool boxes_begin(struct boxes *p, struct nc3z_file *file, int varid,
		 const struct dump_hyperslab *slab)
{
	size_t n = slab->ndims > 0 ? (size_t)slab->ndims : 1, nbytes;
	struct nc3z_var var;

	*p = (struct boxes){
		.file = file,
		.varid = varid,
		.slab = slab,
		.at = calloc(n, sizeof(*p->at)),
		.start = calloc(n, sizeof(*p->start)),
		.count = calloc(n, sizeof(*p->count)),
		.is_done = dump_hyperslab_is_empty(slab),
	};
	nbytes = nc3z_inq_var(file, varid, &var, NULL) == NC3Z_OK ?
			 nc3z_type_nbytes(var.type) :
			 0;
	p->max_nelems = nbytes > 0 ? BOX_NBYTES_MAX / nbytes : 0;
	p->values = malloc(BOX_NBYTES_MAX);
	if (p->at && p->start && p->count && p->values && nbytes > 0)
		return true;
	boxes_release(p);
	return false;
}

void boxes_release(struct boxes *p)
{
	free(p->at);
	free(p->start);
	free(p->count);
	free(p->values);
	*p = (struct boxes){ 0 };
}

/* Sets start and count of the next box, and returns its values. */
static size_t choose_box(struct boxes *p)
{
	const struct dump_hyperslab *s = p->slab;
	size_t nelems = 1;
	int split = 0;

	for (int i = s->ndims - 1; i >= 0; i--) {
		size_t rest = s->count[i] - p->at[i];
		size_t room = p->max_nelems / nelems;

		if (i < split)
			room = 1;
		p->start[i] = s->start[i] + p->at[i] * (size_t)s->stride[i];
		p->count[i] = rest < room ? rest : room;
		nelems *= p->count[i];
		if (p->count[i] < s->count[i] && i > split)
			split = i;
	}
	p->split = split;
	return nelems;
}

/* Moves past the box. */
static void advance(struct boxes *p)
{
	size_t step = p->slab->ndims > 0 ? p->count[p->split] : 0;

	for (int i = p->split; i >= 0 && step > 0; i--) {
		p->at[i] += step;
		if (p->at[i] < p->slab->count[i])
			return;
		p->at[i] = 0;
		step = 1;
	}
	p->is_done = true;
}

int boxes_next(struct boxes *p, size_t *nelems_ret, struct nc3z_error *err)
{
	struct nc3z_hyperslab slab = {
		.start = p->start,
		.count = p->count,
		.stride = p->slab->stride,
	};
	int status;

	*nelems_ret = 0;
	if (p->is_done)
		return NC3Z_OK;
	*nelems_ret = choose_box(p);
	status = nc3z_get(p->file, p->varid, &slab, NC3Z_NAT, p->values, err);
	advance(p);
	return status;
}
