/* SPDX-License-Identifier: MIT */
/*
 * A canonical dimension d has 'count' places, 'in_step' apart.  As strides are
 * at least 1 and indices stay inside the shape, all places of the faster
 * dimensions lie within one step: the odometer over the dimensions ascends,
 * and the place of an index is found by one division for each dimension.
 *
 * Places in the caller's array are added up without regard to overflow: with
 * an imap they are the caller's business, and wrap as the caller's would.
 */
#include "hyperslab/hyperslab.h"

#include "base/sizes.h"

struct hyperslab_extent
hyperslab_extent(const struct hyperslab_request *request, size_t i)
{
	struct hyperslab_extent e = { .count = request->shape[i], .stride = 1 };

	if (request->form != HYPERSLAB_VAR)
		e.start = request->start[i];
	if (request->form == HYPERSLAB_VAR1)
		e.count = 1;
	else if (request->form != HYPERSLAB_VAR && request->count)
		e.count = request->count[i];
	if (request->form >= HYPERSLAB_VARS && request->stride)
		e.stride = (uint64_t)request->stride[i];
	return e;
}

static bool takes_nothing(const struct hyperslab_request *request)
{
	for (size_t i = 0; i < request->rank; i++)
		if (hyperslab_extent(request, i).count == 0)
			return true;
	return false;
}

void hyperslab_add_dim(struct hyperslab *slab, struct hyperslab_dim dim)
{
	struct hyperslab_dim *last;

	if (dim.count == 1)
		return;
	if (slab->ndims > 0) {
		last = &slab->dims[slab->ndims - 1];
		if (dim.in_step == last->count * last->in_step &&
		    dim.out_step ==
			    hyperslab_out_add(0, last->count, last->out_step)) {
			last->count *= dim.count;
			return;
		}
	}
	slab->dims[slab->ndims++] = dim;
}

void hyperslab_end_dims(struct hyperslab *slab)
{
	if (slab->ndims == 0)
		slab->dims[slab->ndims++] = (struct hyperslab_dim){
			.count = 1,
			.in_step = 1,
			.out_step = 1,
		};
}

int hyperslab_init(struct hyperslab *slab,
		   const struct hyperslab_request *request,
		   struct nc3z_error *err)
{
	bool has_imap = request->form == HYPERSLAB_VARM && request->imap;
	uint64_t weight = 1; /* elements from one index to the next */

	slab->nelems = slab->in_first = slab->in_last = slab->ndims = 0;
	slab->out_first = 0;
	if (takes_nothing(request))
		return NC3Z_OK;
	slab->nelems = 1;
	for (size_t i = request->rank; i-- > 0;) {
		struct hyperslab_extent e = hyperslab_extent(request, i);
		uint64_t last = e.start + (e.count - 1) * e.stride;

		if (!size_mul(last, weight, &last) ||
		    !size_add(slab->in_last, last, &slab->in_last) ||
		    slab->in_last >= INT64_MAX)
			return error_set(err, NC3Z_ELIMIT, "too many elements");
		slab->in_first += e.start * weight;
		hyperslab_add_dim(
			slab,
			(struct hyperslab_dim){
				.count = e.count,
				.in_step = e.stride * weight,
				.out_step = has_imap ? request->imap[i] :
						       (ptrdiff_t)slab->nelems,
			});
		slab->nelems *= e.count;
		weight = size_mul_max(weight, request->shape[i], UINT64_MAX);
	}
	hyperslab_end_dims(slab);
	return NC3Z_OK;
}

/* The cursor on element 'at' of the row in which it stands. */
static void enter_row(struct hyperslab_cursor *cursor, uint64_t at)
{
	const struct hyperslab_dim *dim = &cursor->slab->dims[0];

	cursor->left = (struct hyperslab_run){
		.in_first = cursor->row_in + at * dim->in_step,
		.in_step = dim->in_step,
		.nelems = dim->count - at,
		.out_first =
			hyperslab_out_add(cursor->row_out, at, dim->out_step),
		.out_step = dim->out_step,
	};
}

/*
 * Moves the odometer to the next place of dimension 'd', carrying to slower
 * ones, and enters the row there; false if there is none.
 */
static bool advance_cursor(struct hyperslab_cursor *cursor, size_t d)
{
	for (; d < cursor->slab->ndims; d++) {
		const struct hyperslab_dim *dim = &cursor->slab->dims[d];

		if (++cursor->row[d] < dim->count) {
			cursor->row_in += dim->in_step;
			cursor->row_out = hyperslab_out_add(cursor->row_out, 1,
							    dim->out_step);
			enter_row(cursor, 0);
			return true;
		}
		cursor->row_in -= (dim->count - 1) * dim->in_step;
		cursor->row_out = hyperslab_out_add(
			cursor->row_out, 1 - dim->count, dim->out_step);
		cursor->row[d] = 0;
	}
	cursor->left.nelems = 0;
	return false;
}

/* The cursor on the first row of the slab. */
static void rewind_rows(const struct hyperslab *slab,
			struct hyperslab_cursor *cursor)
{
	cursor->slab = slab;
	cursor->row_in = slab->in_first;
	cursor->row_out = slab->out_first;
	for (size_t d = 0; d < slab->ndims; d++)
		cursor->row[d] = 0;
}

bool hyperslab_seek(const struct hyperslab *slab, uint64_t linear,
		    struct hyperslab_cursor *cursor_ret)
{
	uint64_t ahead, place;

	cursor_ret->slab = slab;
	cursor_ret->left = (struct hyperslab_run){ 0 };
	if (slab->nelems == 0)
		return false;
	rewind_rows(slab, cursor_ret);
	ahead = linear > slab->in_first ? linear - slab->in_first : 0;
	for (size_t d = slab->ndims; d-- > 1;) {
		const struct hyperslab_dim *dim = &slab->dims[d];

		place = ahead / dim->in_step;
		/* Past the end of this dimension. */
		if (place >= dim->count)
			return advance_cursor(cursor_ret, d + 1);
		ahead -= place * dim->in_step;
		cursor_ret->row[d] = place;
		cursor_ret->row_in += place * dim->in_step;
		cursor_ret->row_out = hyperslab_out_add(cursor_ret->row_out,
							place, dim->out_step);
	}
	place = size_div_up(ahead, slab->dims[0].in_step);
	if (place >= slab->dims[0].count)
		return advance_cursor(cursor_ret, 1);
	enter_row(cursor_ret, place);
	return true;
}

bool hyperslab_next_run(struct hyperslab_cursor *cursor, uint64_t in_end,
			struct hyperslab_run *run_ret)
{
	struct hyperslab_run *left = &cursor->left;
	uint64_t room, taken;

	if (left->nelems == 0 || left->in_first >= in_end)
		return false;
	*run_ret = *left;
	room = in_end - left->in_first;
	/* Most rows end before the block does: no division for them. */
	if ((left->nelems - 1) * left->in_step < room) {
		advance_cursor(cursor, 1);
		return true;
	}
	taken = left->in_step == 1 ? room : size_div_up(room, left->in_step);
	run_ret->nelems = taken;
	left->in_first += taken * left->in_step;
	left->out_first =
		hyperslab_out_add(left->out_first, taken, left->out_step);
	left->nelems -= taken;
	return true;
}
