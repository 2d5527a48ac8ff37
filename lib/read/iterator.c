/* SPDX-License-Identifier: MIT */
/*
 * Going through the boxes of an iterator.
 *
 * A stage is read when its first box is asked for.  Where boxes lie in it as
 * runs they are handed out from there, otherwise each is copied.  A stage that
 * cannot be read is read again box by box, so that damage costs only the boxes
 * that it is in, and little memory only time.
 */
#include "read/iterator.h"

#include <string.h>

static uint64_t nstages(const struct hyperslab_boxes_dim *d)
{
	return d->nboxes / d->group + (d->nboxes % d->group != 0);
}

void stage_begin(const struct nc3z_iterator *it, struct stage_cursor *stage)
{
	*stage = (struct stage_cursor){ .is_at_end = it->is_empty };
}

void stage_next(const struct nc3z_iterator *it, struct stage_cursor *stage)
{
	for (size_t k = it->boxes.rank; k-- > 0;) {
		if (++stage->at[k] < nstages(&it->boxes.dims[k]))
			return;
		stage->at[k] = 0;
	}
	stage->is_at_end = true;
}

void stage_boxes(const struct nc3z_iterator *it,
		 const struct stage_cursor *stage, struct box_range *range_ret)
{
	for (size_t k = 0; k < it->boxes.rank; k++) {
		const struct hyperslab_boxes_dim *d = &it->boxes.dims[k];
		uint64_t begin = stage->at[k] * d->group;

		range_ret->begin[k] = begin;
		range_ret->end[k] = d->nboxes - begin > d->group ?
					    begin + d->group :
					    d->nboxes;
	}
}

static struct hyperslab_interval elements(const struct nc3z_iterator *it,
					  size_t k,
					  const struct box_range *range)
{
	return hyperslab_boxes_interval(&it->boxes.dims[k], range->begin[k],
					range->end[k] - range->begin[k]);
}

int iterator_request(const struct nc3z_iterator *it, size_t var,
		     const struct box_range *range,
		     struct hyperslab_visits *wanted,
		     struct read_request *q_ret, struct nc3z_error *err)
{
	size_t start[PLAN_RANK_MAX], count[PLAN_RANK_MAX];
	ptrdiff_t stride[PLAN_RANK_MAX];
	struct hyperslab_request slab = {
		.form = HYPERSLAB_VARS,
		.start = start,
		.count = count,
		.stride = stride,
	};

	for (size_t k = 0; k < it->boxes.rank; k++) {
		const struct hyperslab_extent *e = &it->boxes.dims[k].extent;
		struct hyperslab_interval i = elements(it, k, range);

		start[k] = (size_t)(e->start + i.place * e->stride);
		count[k] = (size_t)i.nelems;
		stride[k] = (ptrdiff_t)e->stride;
	}
	*q_ret = it->vars[var].request;
	return request_slab(q_ret, &slab, wanted, err);
}

/* Reads boxes of a variable to where its stage is. */
static int read_boxes(struct nc3z_iterator *it, size_t var,
		      const struct box_range *range, struct block_store *kept,
		      struct nc3z_error *err)
{
	struct hyperslab_visits wanted;
	unsigned nthreads;
	struct read_request q;

	NC3Z_TRY(iterator_request(it, var, range, &wanted, &q, err));
	q.out = it->vars[var].stage;
	q.kept = kept;
	kept->file = it->vars[var].file;
	nthreads = q.file->is_archive && !request_is_regular(&wanted) ?
			   1 :
			   request_threads(&q);
	return request_run(&q, nthreads, err);
}

static bool is_failure(int status)
{
	return status != NC3Z_OK && status != NC3Z_ERANGE &&
	       status != NC3Z_ETRUNCATED;
}

/* Of all variables; complaints about values come after failures. */
static void note_failure(struct nc3z_iterator *it, int status,
			 const struct nc3z_error *error)
{
	if (status == NC3Z_OK || is_failure(it->status) ||
	    (it->status != NC3Z_OK && !is_failure(status)))
		return;
	it->status = status;
	it->error = *error;
}

/* The requests of a stage, with the blocks that are kept for later ones. */
static int read_vars(struct nc3z_iterator *it, struct nc3z_error *err)
{
	struct lookahead *f = &it->lookahead;
	struct nc3z_error error;
	uint64_t ndecoded;

	if (!f->ring)
		NC3Z_TRY(lookahead_init(f, it, &it->stage, err));
	for (size_t v = 0; v < it->nvars; v++) {
		NC3Z_TRY(lookahead_begin(f, it, &ndecoded, err));
		lookahead_announce(f, it);
		note_failure(it,
			     read_boxes(it, v, &it->range, &f->kept, &error),
			     &error);
		NC3Z_TRY(lookahead_end(f, it, err));
	}
	return NC3Z_OK;
}

static void read_stage(struct nc3z_iterator *it)
{
	struct nc3z_error error;
	int status;

	it->status = NC3Z_OK;
	stage_boxes(it, &it->stage, &it->range);
	memcpy(it->at, it->range.begin, sizeof(it->at));
	status = read_vars(it, &error);
	/* Where it was is not known: it begins anew with the next stage. */
	if (status != NC3Z_OK)
		lookahead_release(&it->lookahead, it);
	note_failure(it, status, &error);
	it->is_broken = is_failure(it->status);
	it->is_read = true;
}

/* Copies a box of 'count' from a stage, row by row. */
struct box_copy {
	size_t rank;
	size_t stage_count[PLAN_RANK_MAX];
	size_t skip[PLAN_RANK_MAX]; /* of the stage before the box */
	const size_t *count;
};

/* How many elements of a stage are before the box. */
static size_t elements_before(const struct box_copy *c)
{
	size_t before = 0;

	for (size_t k = 0; k < c->rank; k++)
		before = before * c->stage_count[k] + c->skip[k];
	return before;
}

static void copy_rows(const struct box_copy *c, const uint8_t *stage,
		      uint8_t *box, size_t width)
{
	size_t row[PLAN_RANK_MAX] = { 0 }, step_box[PLAN_RANK_MAX];
	size_t weight = width, k, nbytes;

	for (k = c->rank; k-- > 0; weight *= c->stage_count[k])
		step_box[k] = weight;
	stage += elements_before(c) * width;
	nbytes = c->count[c->rank - 1] * width;
	do {
		memcpy(box, stage, nbytes);
		box += nbytes;
		for (k = c->rank - 1; k-- > 0;) {
			stage += step_box[k];
			if (++row[k] < c->count[k])
				break;
			stage -= row[k] * step_box[k];
			row[k] = 0;
		}
	} while (k != SIZE_MAX);
}

/* The values of the box that comes next, of all variables. */
static void place_values(struct nc3z_iterator *it, const struct box_copy *c)
{
	for (size_t v = 0; v < it->nvars; v++) {
		struct iterator_var *var = &it->vars[v];
		size_t width = var->request.native_width;

		if (it->is_broken) {
			it->values[v] = var->stage;
		} else if (!var->box) {
			it->values[v] = var->stage + elements_before(c) * width;
		} else {
			copy_rows(c, var->stage, var->box, width);
			it->values[v] = var->box;
		}
	}
}

/* The box that comes next, as a range. */
static void this_box(const struct nc3z_iterator *it, struct box_range *range)
{
	for (size_t k = 0; k < it->boxes.rank; k++) {
		range->begin[k] = it->at[k];
		range->end[k] = it->at[k] + 1;
	}
}

static void describe_box(struct nc3z_iterator *it, struct nc3z_box *box,
			 struct box_copy *c)
{
	struct box_range range;

	this_box(it, &range);
	*box = (struct nc3z_box){
		.number = it->nboxes_given++,
		.nelems = 1,
		.start = it->start,
		.count = it->count,
		.values = it->values,
	};
	c->rank = it->boxes.rank;
	c->count = it->count;
	for (size_t k = 0; k < c->rank; k++) {
		const struct hyperslab_extent *e = &it->boxes.dims[k].extent;
		struct hyperslab_interval stage = elements(it, k, &it->range);
		struct hyperslab_interval i = elements(it, k, &range);

		it->start[k] = (size_t)(e->start + i.place * e->stride);
		it->count[k] = (size_t)i.nelems;
		box->nelems *= it->count[k];
		c->stage_count[k] = (size_t)stage.nelems;
		c->skip[k] = (size_t)(i.place - stage.place);
	}
}

/* After the last box of a stage comes the next stage. */
static void step_box(struct nc3z_iterator *it)
{
	for (size_t k = it->boxes.rank; k-- > 0;) {
		if (++it->at[k] < it->range.end[k])
			return;
		it->at[k] = it->range.begin[k];
	}
	it->is_read = false;
	stage_next(it, &it->stage);
}

/* Reads a box of a stage that could not be read. */
static int read_one(struct nc3z_iterator *it, const struct box_range *range,
		    struct nc3z_error *err)
{
	struct block_store none = { 0 };
	struct nc3z_error error;

	it->status = NC3Z_OK;
	for (size_t v = 0; v < it->nvars; v++)
		note_failure(it, read_boxes(it, v, range, &none, &error),
			     &error);
	if (it->status != NC3Z_OK && err)
		*err = it->error;
	return it->status;
}

int nc3z_iterator_next(struct nc3z_iterator *iterator, struct nc3z_box *box_ret,
		       struct nc3z_error *err)
{
	NC3Z_NEED(err, iterator && box_ret);

	struct nc3z_iterator *it = iterator;
	struct box_range range;
	struct box_copy copy;
	int status;

	*box_ret = (struct nc3z_box){ .number = it->nboxes_given };
	if (it->stage.is_at_end)
		return NC3Z_OK;
	if (!it->is_read)
		read_stage(it);
	this_box(it, &range);
	describe_box(it, box_ret, &copy);
	place_values(it, &copy);
	if (it->is_broken) {
		status = read_one(it, &range, err);
	} else {
		status = it->status;
		if (status != NC3Z_OK && err)
			*err = it->error;
	}
	step_box(it);
	return status;
}
