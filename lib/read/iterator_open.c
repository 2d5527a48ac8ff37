/* SPDX-License-Identifier: MIT */
/*
 * Making an iterator, and predicting its cost before it runs.
 */
#include <stdlib.h>

#include "base/options.h"
#include "base/sizes.h"
#include "read/iterator.h"

void nc3z_iterator_options_init_sized(struct nc3z_iterator_options *options,
				      size_t options_nbytes)
{
	const struct nc3z_iterator_options defaults = {
		.max_memory_nbytes = NC3Z_ITERATOR_MEMORY_DEFAULT,
	};

	options_init(options, options_nbytes, &defaults, sizeof(defaults));
}

static int differ(struct nc3z_error *err)
{
	return error_set(err, NC3Z_EINVAL,
			 "variables do not have the same shape");
}

static int check_shape(const struct nc3z_var *a, const struct nc3z_var *b,
		       struct nc3z_error *err)
{
	if (a->ndims != b->ndims)
		return differ(err);
	for (int k = 0; k < a->ndims; k++)
		if (a->shape[k] != b->shape[k])
			return differ(err);
	return NC3Z_OK;
}

/* The number of the first variable that is of the same file. */
static uint32_t file_number(const struct nc3z_iterator_var *vars, size_t var)
{
	uint32_t number = 0;

	while (vars[number].file != vars[var].file)
		number++;
	return number;
}

static int init_vars(struct nc3z_iterator *it,
		     const struct nc3z_iterator_var *vars,
		     struct nc3z_error *err)
{
	for (size_t v = 0; v < it->nvars; v++) {
		struct iterator_var *var = &it->vars[v];
		struct read_request *q = &var->request;

		NC3Z_TRY(request_variable(q, vars[v].file, vars[v].varid, err));
		NC3Z_TRY(
			request_type(q, vars[v].memtype, &var->unpacking, err));
		NC3Z_TRY(check_shape(it->vars[0].request.var, q->var, err));
		var->file = file_number(vars, v);
	}
	if (it->vars[0].request.var->ndims > PLAN_RANK_MAX)
		return error_set(err, NC3Z_ELIMIT, "more than %d dimensions",
				 PLAN_RANK_MAX);
	return NC3Z_OK;
}

/* The range to cover along each dimension. */
static int init_extents(struct nc3z_iterator *it,
			const struct nc3z_hyperslab *slab,
			struct nc3z_error *err)
{
	struct hyperslab_request request = { .form = HYPERSLAB_VAR };
	struct read_request q = it->vars[0].request;
	struct hyperslab_visits wanted;

	if (slab && slab->imap)
		return error_set(err, NC3Z_EINVAL, "boxes cannot have an imap");
	if (slab) {
		request.form = slab->stride ? HYPERSLAB_VARS : HYPERSLAB_VARA;
		request.start = slab->start;
		request.count = slab->count;
		request.stride = slab->stride;
	}
	NC3Z_TRY(request_slab(&q, &request, &wanted, err));
	it->boxes.rank = request.rank;
	it->is_empty = wanted.slab.nelems == 0;
	for (size_t k = 0; k < request.rank; k++)
		it->boxes.dims[k].extent = hyperslab_extent(&request, k);
	return NC3Z_OK;
}

static int choose_boxes(struct nc3z_iterator *it, const size_t *lengths,
			const struct hyperslab_boxes_aim *aim,
			struct nc3z_error *err)
{
	uint64_t nbytes;

	for (size_t k = 0; lengths && k < it->boxes.rank; k++) {
		struct hyperslab_boxes_dim *d = &it->boxes.dims[k];

		if (lengths[k] == 0)
			return error_set(err, NC3Z_EINVAL,
					 "a box has length 0");
		d->length = size_min(lengths[k], d->extent.count);
		d->is_by_index = false;
		hyperslab_boxes_dim_finish(d);
	}
	if (!lengths)
		hyperslab_boxes_choose(&it->boxes, aim);
	nbytes = size_mul_max(hyperslab_boxes_box_nelems(&it->boxes),
			      aim->element_nbytes, UINT64_MAX);
	if (nbytes > aim->budget_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "a box has %llu bytes, which is more than the "
				 "memory for it",
				 (unsigned long long)nbytes);
	hyperslab_boxes_group(&it->boxes, aim);
	for (size_t k = 0; k < it->boxes.rank; k++)
		it->lengths[k] =
			(size_t)hyperslab_boxes_longest(&it->boxes.dims[k], 1);
	return NC3Z_OK;
}

/* Boxes and stages. */
static int plan_it(struct nc3z_iterator *it,
		   const struct nc3z_iterator_options *options,
		   struct nc3z_error *err)
{
	struct hyperslab_boxes_aim aim = {
		.nvars = it->nvars,
		.budget_nbytes = options->max_memory_nbytes,
	};
	struct hyperslab_grain *grains =
		memory_alloc(it->nvars, sizeof(*grains));
	int status;

	if (!grains)
		return error_set_memory(err);
	for (size_t v = 0; v < it->nvars; v++) {
		const struct read_request *q = &it->vars[v].request;

		hyperslab_grain_of(&q->file->map,
				   &q->file->places[q->var - q->file->vars],
				   (uint32_t)q->width, it->boxes.rank,
				   q->var->shape, &grains[v]);
		aim.element_nbytes += q->native_width;
	}
	aim.grains = grains;
	status = choose_boxes(it, options->box, &aim, err);
	free(grains);
	return status;
}

static int alloc_values(struct nc3z_iterator *it, struct nc3z_error *err)
{
	uint64_t stage = hyperslab_boxes_stage_nelems(&it->boxes);
	uint64_t box = hyperslab_boxes_are_runs(&it->boxes) ?
			       0 :
			       hyperslab_boxes_box_nelems(&it->boxes);

	for (size_t v = 0; v < it->nvars; v++) {
		struct iterator_var *var = &it->vars[v];
		size_t width = var->request.native_width;

		var->stage = memory_alloc(stage, width);
		if (!var->stage)
			return error_set_memory(err);
		it->values_nbytes += (stage + box) * width;
		if (box == 0)
			continue;
		var->box = memory_alloc(box, width);
		if (!var->box)
			return error_set_memory(err);
	}
	return NC3Z_OK;
}

static int init(struct nc3z_iterator *it, const struct nc3z_iterator_var *vars,
		const struct nc3z_hyperslab *slab,
		const struct nc3z_iterator_options *options,
		struct nc3z_error *err)
{
	NC3Z_TRY(init_vars(it, vars, err));
	NC3Z_TRY(init_extents(it, slab, err));
	if (!it->is_empty) {
		NC3Z_TRY(plan_it(it, options, err));
		NC3Z_TRY(alloc_values(it, err));
		it->kept_nbytes =
			options->max_memory_nbytes - it->values_nbytes;
	}
	stage_begin(it, &it->stage);
	return lookahead_init(&it->lookahead, it, &it->stage, err);
}

int nc3z_iterator_open(const struct nc3z_iterator_var *vars, size_t nvars,
		       const struct nc3z_hyperslab *slab,
		       const struct nc3z_iterator_options *options,
		       struct nc3z_iterator **iterator_ret,
		       struct nc3z_error *err)
{
	NC3Z_NEED(err, vars && iterator_ret);

	struct nc3z_iterator_options own;
	struct nc3z_iterator *it;
	int status;

	nc3z_iterator_options_init(&own);
	NC3Z_TRY(options_copy(&own, sizeof(own), options, err));
	if (nvars == 0 || nvars > UINT32_MAX)
		return error_set(err, NC3Z_EINVAL, "no variables to read");
	for (size_t i = 0; i < nvars; i++)
		NC3Z_NEED(err, vars[i].file);
	it = memory_alloc(1, sizeof(*it));
	if (!it)
		return error_set_memory(err);
	it->nvars = nvars;
	it->vars = memory_alloc(nvars, sizeof(*it->vars));
	it->values = memory_alloc(nvars, sizeof(*it->values));
	status = it->vars && it->values ? init(it, vars, slab, &own, err) :
					  error_set_memory(err);
	if (status == NC3Z_OK)
		*iterator_ret = it;
	else
		nc3z_iterator_close(it);
	return status;
}

void nc3z_iterator_close(struct nc3z_iterator *iterator)
{
	struct nc3z_iterator *it = iterator;

	if (!it)
		return;
	lookahead_release(&it->lookahead, it);
	for (size_t v = 0; it->vars && v < it->nvars; v++) {
		free(it->vars[v].stage);
		free(it->vars[v].box);
	}
	free(it->vars);
	free(it->values);
	free(it);
}

static int count_decoded(const struct nc3z_iterator *it, uint64_t *ndecoded_ret,
			 struct nc3z_error *err)
{
	struct lookahead f;
	struct stage_cursor stage;
	int status;

	*ndecoded_ret = 0;
	stage_begin(it, &stage);
	NC3Z_TRY(lookahead_init(&f, it, &stage, err));
	status = NC3Z_OK;
	while (!stage.is_at_end && status == NC3Z_OK) {
		for (size_t v = 0; v < it->nvars && status == NC3Z_OK; v++) {
			uint64_t n = 0;

			status = lookahead_begin(&f, it, &n, err);
			*ndecoded_ret += n;
			if (status == NC3Z_OK)
				status = lookahead_end(&f, it, err);
		}
		stage_next(it, &stage);
	}
	lookahead_release(&f, it);
	return status;
}

/* All blocks that hold values, each once. */
static int count_blocks(const struct nc3z_iterator *it, uint64_t *nblocks_ret,
			struct nc3z_error *err)
{
	struct touched_blocks all = { 0 };
	struct box_range range = { { 0 }, { 0 } };
	int status = NC3Z_OK;

	for (size_t k = 0; k < it->boxes.rank; k++)
		range.end[k] = it->boxes.dims[k].nboxes;
	for (size_t v = 0; v < it->nvars && status == NC3Z_OK; v++) {
		struct hyperslab_visits wanted;
		struct read_request q;

		status = iterator_request(it, v, &range, &wanted, &q, err);
		if (status == NC3Z_OK && q.file->is_archive)
			status = touched_blocks_add(&all, &wanted,
						    it->vars[v].file, err);
	}
	touched_blocks_join(&all);
	*nblocks_ret = all.count;
	touched_blocks_release(&all);
	return status;
}

int nc3z_iterator_inq(struct nc3z_iterator *iterator,
		      struct nc3z_iterator_plan *plan_ret,
		      struct nc3z_error *err)
{
	NC3Z_NEED(err, iterator && plan_ret);

	const struct nc3z_iterator *it = iterator;

	*plan_ret = (struct nc3z_iterator_plan){
		.box = it->lengths,
		.memory_nbytes = it->values_nbytes,
	};
	if (it->is_empty)
		return NC3Z_OK;
	plan_ret->nboxes = hyperslab_boxes_count(&it->boxes);
	NC3Z_TRY(count_blocks(it, &plan_ret->nblocks, err));
	return count_decoded(it, &plan_ret->nblocks_decoded, err);
}
