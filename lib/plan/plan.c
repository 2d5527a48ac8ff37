/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <stdlib.h>

#include "base/sizes.h"

#define RECORD_SECTION UINT32_MAX

void plan_release(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		free(plan->streams[i].members);
		free(plan->streams[i].grid);
	}
	free(plan->streams);
	free(plan->fixed.list);
	free(plan->slots.list);
	*plan = (struct plan){ 0 };
}

uint64_t plan_record_end(const struct plan *plan)
{
	uint64_t nbytes = size_mul_max(plan->record_nbytes, plan->nrecords,
				       PLAN_OFFSET_END);

	return size_add_max(plan->record_begin, nbytes, PLAN_OFFSET_END);
}

static uint64_t stream_reach(const struct plan *plan,
			     const struct plan_stream *s)
{
	const struct plan_grid *t = s->grid;

	if (!t)
		return PLAN_WINDOW_NBYTES;
	if (s->is_record)
		return size_mul_max(t->dims[0].chunk, plan->record_nbytes,
				    PLAN_OFFSET_END);
	return t->dims[0].chunk * t->dims[0].weight * s->width;
}

uint64_t plan_reach_nbytes(const struct plan *plan)
{
	uint64_t reach = PLAN_WINDOW_NBYTES;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		reach = size_max(reach, stream_reach(plan, &plan->streams[i]));
	return reach;
}

uint64_t plan_chunks_reach_nbytes(const struct plan *plan,
				  uint64_t original_nbytes)
{
	uint64_t of_records = size_min(plan_record_end(plan), original_nbytes) -
			      size_min(plan->record_begin, original_nbytes);
	uint64_t reach = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		uint64_t limit = s->is_record ? of_records : original_nbytes;

		if (s->grid)
			reach = size_max(
				reach, size_min(limit, stream_reach(plan, s)));
	}
	return reach;
}

static bool is_valid_width(uint8_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

static bool finish_chunks(const struct plan *plan, struct plan_stream *s)
{
	struct plan_grid *t = s->grid;
	const struct plan_member *m = s->members;
	uint64_t nrecords = 0;

	if (s->nmembers != 1 || !is_valid_width(s->width))
		return false;
	if (s->is_record) {
		if (plan->record_nbytes == 0 || m->begin >= PLAN_OFFSET_END)
			return false;
		/* One for the record that the end of all offsets cuts. */
		nrecords = (PLAN_OFFSET_END - m->begin) / plan->record_nbytes;
		nrecords = size_min(nrecords + 1, plan->nrecords);
	}
	if (!plan_grid_finish(t, s->width, nrecords, m->nbytes))
		return false;
	s->block_nbytes = plan_grid_chunk_nbytes(t);
	s->panel_nrecords = s->is_record ? t->dims[0].chunk : 0;
	return true;
}

/* The fields of a stream, and what its members add up to. */
static int finish_stream(const struct plan *plan, struct plan_stream *s,
			 struct nc3z_error *err)
{
	s->nbytes = 0;
	if (s->grid && !finish_chunks(plan, s))
		return error_set(err, NC3Z_EDAMAGED, "plan: invalid chunks");
	if (!is_valid_width(s->width) || s->nmembers == 0 ||
	    s->block_nbytes < 1 || s->block_nbytes > NC3Z_BLOCK_NBYTES_MAX ||
	    s->is_record != (s->panel_nrecords != 0) ||
	    s->panel_nrecords > PLAN_PANEL_NRECORDS_MAX)
		return error_set(err, NC3Z_EDAMAGED, "plan: invalid stream");
	for (uint32_t i = 0; i < s->nmembers; i++) {
		struct plan_member *m = &s->members[i];

		m->before = s->nbytes;
		if ((i > 0 && m->begin <= s->members[i - 1].begin) ||
		    m->nbytes == 0 || m->nbytes > PLAN_OFFSET_END ||
		    m->begin > PLAN_OFFSET_END - m->nbytes ||
		    !size_add(s->nbytes, m->nbytes, &s->nbytes) ||
		    s->nbytes > PLAN_OFFSET_END)
			return error_set(err, NC3Z_EDAMAGED,
					 "plan: invalid member");
	}
	if (s->is_record && s->nbytes > UINT64_MAX / s->panel_nrecords)
		return error_set(err, NC3Z_EDAMAGED, "plan: panel too large");
	if (s->nmembers > 1 && s->panel_nrecords > 1 &&
	    s->nbytes * s->panel_nrecords > s->block_nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "plan: panel of several members is longer "
				 "than a block");
	return NC3Z_OK;
}

static int by_begin(const void *a, const void *b)
{
	const struct plan_owner *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* All members of fixed or of record streams, by where they begin. */
static int list_owners(const struct plan *plan, bool is_record,
		       struct plan_owners *owners, struct nc3z_error *err)
{
	size_t capacity = 1;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		if (plan->streams[i].is_record == is_record)
			capacity += plan->streams[i].nmembers;
	owners->list = memory_alloc(capacity, sizeof(*owners->list));
	if (!owners->list)
		return error_set_memory(err);
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (s->is_record != is_record)
			continue;
		for (uint32_t j = 0; j < s->nmembers; j++)
			owners->list[owners->count++] = (struct plan_owner){
				.begin = s->members[j].begin,
				.stream = i,
				.member = j,
			};
	}
	if (!is_record && plan->record_nbytes > 0)
		owners->list[owners->count++] = (struct plan_owner){
			.begin = plan->record_begin,
			.stream = RECORD_SECTION,
		};
	qsort(owners->list, owners->count, sizeof(*owners->list), by_begin);
	return NC3Z_OK;
}

static uint64_t end_of(const struct plan *plan, const struct plan_owner *o)
{
	return o->stream == RECORD_SECTION ?
		       plan_record_end(plan) :
		       o->begin + plan->streams[o->stream]
					  .members[o->member]
					  .nbytes;
}

/* Whether the owners follow each other from 'at' to 'end'. */
static bool chunks(const struct plan *plan, const struct plan_owners *owners,
		   uint64_t at, uint64_t end)
{
	for (size_t i = 0; i < owners->count; i++) {
		const struct plan_owner *o = &owners->list[i];

		if (o->begin != at)
			return false;
		at = end_of(plan, o);
	}
	return at == end;
}

/* Where members overlap, there is no gap: plan_finish() finds that. */
static int add_gaps(struct plan *plan, bool is_record, uint64_t at,
		    uint64_t end, struct nc3z_error *err)
{
	struct plan_stream *s = &plan->streams[plan->nstreams];
	struct plan_owners owners = { 0 };

	NC3Z_TRY(list_owners(plan, is_record, &owners, err));
	*s = (struct plan_stream){
		.is_record = is_record,
		.width = 1,
		.block_nbytes = NC3Z_BLOCK_NBYTES_MAX,
		.panel_nrecords = is_record,
		.members = memory_alloc(owners.count + 1, sizeof(*s->members)),
	};
	for (size_t i = 0; s->members && i <= owners.count; i++) {
		uint64_t next = i < owners.count ? owners.list[i].begin : end;

		if (at < next)
			s->members[s->nmembers++] = (struct plan_member){
				.variable = PLAN_NO_VARIABLE,
				.begin = at,
				.nbytes = next - at,
			};
		if (i < owners.count)
			at = end_of(plan, &owners.list[i]);
	}
	free(owners.list);
	if (!s->members)
		return error_set_memory(err);
	if (s->nmembers > 0)
		plan->nstreams++;
	else
		free(s->members);
	return NC3Z_OK;
}

int plan_fill_gaps(struct plan *plan, struct nc3z_error *err)
{
	NC3Z_TRY(add_gaps(plan, true, plan->record_begin,
			  plan->record_begin + plan->record_nbytes, err));
	return add_gaps(plan, false, 0, PLAN_OFFSET_END, err);
}

int plan_finish(struct plan *plan, struct nc3z_error *err)
{
	if (plan->header_nbytes > PLAN_HEADER_NBYTES_MAX)
		return error_set(err, NC3Z_EDAMAGED, "plan: header too long");
	if (plan->record_begin > PLAN_OFFSET_END ||
	    plan->record_nbytes > PLAN_OFFSET_END - plan->record_begin ||
	    (plan->record_nbytes > 0) != (plan->nrecords > 0) ||
	    (plan->record_nbytes == 0 && plan->record_begin > 0))
		return error_set(err, NC3Z_EDAMAGED,
				 "plan: invalid record section");
	for (uint32_t i = 0; i < plan->nstreams; i++)
		NC3Z_TRY(finish_stream(plan, &plan->streams[i], err));
	NC3Z_TRY(list_owners(plan, false, &plan->fixed, err));
	NC3Z_TRY(list_owners(plan, true, &plan->slots, err));
	if (!chunks(plan, &plan->fixed, 0, PLAN_OFFSET_END) ||
	    !chunks(plan, &plan->slots, plan->record_begin,
		    plan->record_begin + plan->record_nbytes))
		return error_set(err, NC3Z_EDAMAGED,
				 "plan: members do not cover the original");
	return NC3Z_OK;
}
