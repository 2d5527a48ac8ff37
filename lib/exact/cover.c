/* SPDX-License-Identifier: MIT */
#include "exact/cover.h"

#include <stdlib.h>

#include "base/sizes.h"

/* What a stream has at a time, unless it is chunked. */
#define BLOCK_NBYTES (UINT32_C(1) << 20)

static bool is_record(const struct exact_variable *v)
{
	return (v->flags & EXACT_RECORDS) != 0;
}

static struct plan_grid *grid_of(const struct exact_variable *v)
{
	struct plan_grid *t = plan_grid_new(v->rank);

	for (uint32_t k = 0; t && k < v->rank; k++) {
		t->dims[k].length = k == 0 && is_record(v) ? 0 : v->lengths[k];
		t->dims[k].chunk = (uint32_t)v->chunks[k];
	}
	return t;
}

static int add_variable(struct plan *plan, const struct exact_description *d,
			uint32_t variable, struct nc3z_error *err)
{
	const struct exact_variable *v = &d->variables[variable];
	const bool is_chunked = (v->flags & EXACT_CHUNKED) != 0;
	struct plan_stream *s = &plan->streams[plan->nstreams++];

	*s = (struct plan_stream){
		.is_record = is_record(v),
		.width = v->width,
		.grid = is_chunked ? grid_of(v) : NULL,
		.block_nbytes = BLOCK_NBYTES,
		.members = memory_alloc(1, sizeof(*s->members)),
		.nmembers = 1,
	};
	if (!s->members || (is_chunked && !s->grid))
		return error_set_memory(err);
	s->members[0] = (struct plan_member){
		.variable = variable,
		.begin = v->begin,
		.nbytes = v->nbytes,
	};
	return NC3Z_OK;
}

/* Records whose values are in a range, of the first one. */
static int place_records(struct plan *plan, const struct exact_description *d,
			 uint64_t begin, uint64_t end, struct nc3z_error *err)
{
	uint64_t before;

	if (!size_mul(d->numrecs - 1, d->record_nbytes, &before) ||
	    !size_add(before, end, &end) || end > PLAN_OFFSET_END)
		return error_set(err, NC3Z_EDAMAGED,
				 "description is wrong: records lie outside");
	plan->record_begin = begin;
	/* Of one record the distance may be any. */
	plan->record_nbytes =
		size_min(d->record_nbytes, PLAN_OFFSET_END - begin);
	plan->nrecords = d->numrecs;
	return NC3Z_OK;
}

static int add_variables(struct plan *plan, const struct exact_description *d,
			 struct nc3z_error *err)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < d->nvariables; i++) {
		const struct exact_variable *v = &d->variables[i];

		/* Without records, variables of them have no bytes. */
		if (v->nchunks == 0)
			continue;
		NC3Z_TRY(add_variable(plan, d, i, err));
		if (!is_record(v))
			continue;
		begin = size_min(begin, v->begin);
		end = size_max(end,
			       size_add_max(v->begin, v->nbytes, UINT64_MAX));
	}
	return end > 0 ? place_records(plan, d, begin, end, err) : NC3Z_OK;
}

int cover_init(struct cover *cover, const struct exact_description *description,
	       uint64_t original_nbytes, struct nc3z_error *err)
{
	struct plan *plan = &cover->plan;
	int status;

	*cover = (struct cover){ 0 };
	plan->streams = memory_alloc(description->nvariables + 2,
				     sizeof(*plan->streams));
	if (!plan->streams)
		return error_set_memory(err);
	NC3Z_TRY(add_variables(plan, description, err));
	cover->first_rest = plan->nstreams;
	NC3Z_TRY(plan_fill_gaps(plan, err));
	status = plan_finish(plan, err);
	if (status == NC3Z_EDAMAGED)
		return error_set(err, NC3Z_EDAMAGED,
				 "description is wrong: variables overlap");
	NC3Z_TRY(status);
	return plan_map_init(&cover->map, plan, original_nbytes, err);
}

bool cover_is_rest(const struct cover *cover, uint64_t offset,
		   uint64_t *nbytes_ret)
{
	struct plan_place place = plan_place_at(&cover->plan, offset);
	const struct plan_owner *owner = place.owner;
	const struct plan_stream *s = &cover->plan.streams[owner->stream];

	*nbytes_ret = size_min(s->members[owner->member].nbytes - place.skip,
			       cover->map.original_nbytes - offset);
	return owner->stream >= cover->first_rest;
}

uint64_t cover_rest_nbytes(const struct cover *cover)
{
	uint64_t nbytes = 0;

	for (uint32_t i = cover->first_rest; i < cover->plan.nstreams; i++)
		nbytes += cover->map.extents[i].nbytes;
	return nbytes;
}

void cover_release(struct cover *cover)
{
	plan_map_release(&cover->map);
	plan_release(&cover->plan);
}
