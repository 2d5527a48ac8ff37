/* SPDX-License-Identifier: MIT */
#include "request_walk.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

const struct slab_element *request_walk_find(const struct request_walk *w,
					     uint64_t linear)
{
	const struct slab_element *list = w->elements.list;
	uint64_t low = 0, high = w->elements.count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (list[middle].in < linear)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->elements.count && list[low].in == linear ? &list[low] :
								   NULL;
}

uint64_t request_walk_linear(const struct request_walk *w, uint32_t stream,
			     uint64_t block, uint64_t at)
{
	const struct hyperslab_variable *v = w->request->place;
	uint64_t offset = w->offset(w->context, stream, block, at), record = 0;

	if (!CHECK(offset != UINT64_MAX && offset >= v->begin))
		return UINT64_MAX;
	offset -= v->begin;
	if (v->record_nbytes) {
		record = offset / v->record_nbytes;
		offset %= v->record_nbytes;
	}
	CHECK(offset % w->request->width == 0);
	return (record * v->nbytes + offset) / w->request->width;
}

/* Which element of the variable a visit means by 'in'. */
static uint64_t linear_of(const struct request_walk *w,
			  const struct hyperslab_visit *visit, uint64_t in)
{
	if (visit->kind == PLAN_STRADDLES)
		return visit->straddler;
	if (visit->kind == PLAN_BEYOND && !w->request->grid)
		return in;
	return request_walk_linear(w, visit->stream, visit->block.block,
				   visit->skip + (in - visit->first) *
							 w->request->width);
}

/* Whether a block has all bytes of an element, of which the original has n. */
static void check_kind(const struct request_walk *w,
		       const struct hyperslab_visit *visit, uint64_t linear)
{
	const struct hyperslab_variable *v = w->request->place;
	uint64_t at = linear * w->request->width, n;
	uint64_t size = w->request->map->original_nbytes;

	at = v->begin + at / v->nbytes * v->record_nbytes + at % v->nbytes;
	n = at < size ? size - at : 0;
	if (visit->kind == PLAN_BEYOND)
		CHECK(n == 0);
	if (visit->kind == PLAN_IN_BLOCK)
		CHECK(n >= w->request->width);
	if (visit->kind == PLAN_STRADDLES)
		CHECK(n > 0 && (n < w->request->width || !w->request->grid));
}

static void check_taken_run(struct request_walk *w,
			    const struct hyperslab_visit *visit,
			    const struct hyperslab_run *run)
{
	CHECK(run->nelems > 0);
	for (uint64_t i = 0; i < run->nelems; i++) {
		uint64_t in = run->in_first + i * run->in_step, linear;
		const struct slab_element *e;

		CHECK(in >= visit->first && in < visit->end);
		linear = linear_of(w, visit, in);
		e = request_walk_find(w, linear);
		if (!CHECK(e))
			return;
		CHECK(w->seen[e - w->elements.list]++ == 0);
		/* What several elements go to is the last one's. */
		CHECK(w->request->grid ||
		      (uint64_t)(e - w->elements.list) == w->nseen);
		w->nseen++;
		CHECK(e->out == run->out_first + (ptrdiff_t)i * run->out_step);
		check_kind(w, visit, linear);
	}
}

/* Whether a block is wanted whole and its elements are neighbours. */
static bool are_neighbours(const struct request_walk *w,
			   const struct hyperslab_visit *visit)
{
	const struct hyperslab_visits *q = w->request;
	const struct plan_block b =
		plan_block_numbered(q->map, visit->stream, visit->block.block);
	const struct slab_element *first = NULL;

	if (b.nbytes % q->width != 0)
		return false;
	for (uint64_t at = 0; at < b.nbytes; at += q->width) {
		const struct slab_element *e = request_walk_find(
			w, request_walk_linear(w, visit->stream, b.block, at));

		if (!first)
			first = e;
		if (!e || e->out - first->out != (ptrdiff_t)(at / q->width))
			return false;
	}
	return true;
}

/* Of the visit in which the cursor stands; strides may hide neighbours. */
static void check_takes(const struct request_walk *w,
			const struct hyperslab_visit *visit, bool takes)
{
	const struct hyperslab_visits *q = w->request;
	bool expected;

	if (visit->kind != PLAN_IN_BLOCK || visit->stream != q->place->stream) {
		CHECK(!takes || visit->kind == PLAN_IN_BLOCK);
		return;
	}
	/* Blocks may begin inside elements. */
	if (!q->grid && (visit->block.stream_offset % q->width != 0 ||
			 visit->block.nbytes % q->width != 0)) {
		CHECK(!takes);
		return;
	}
	expected = are_neighbours(w, visit);
	CHECK(!takes || expected);
	if (q->grid && !w->slab->stride && !w->slab->imap)
		CHECK(takes == (expected && visit->skip == 0));
}

static void check_visit(struct request_walk *w,
			struct hyperslab_visits_cursor *cursor,
			const struct hyperslab_visit *visit)
{
	bool takes = hyperslab_visits_takes_block(cursor, visit);
	uint32_t width = w->request->width;
	struct hyperslab_run run;
	unsigned nruns = 0;

	check_takes(w, visit, takes);
	CHECK(visit->end > visit->first);
	if (visit->kind == PLAN_IN_BLOCK)
		CHECK(visit->skip + (visit->end - visit->first) * width <=
		      visit->block.nbytes);
	while (hyperslab_visits_run(cursor, visit, &run)) {
		check_taken_run(w, visit, &run);
		nruns++;
		if (takes)
			CHECK(run.nelems == visit->end - visit->first &&
			      run.nelems * width == visit->block.nbytes);
	}
	CHECK(nruns > 0 && (!takes || nruns == 1));
}

/* All visits up to 'end', ascending; how many blocks of chunks. */
static uint64_t check_visits(struct request_walk *w,
			     struct hyperslab_visits_cursor *cursor,
			     uint64_t end, uint64_t *after)
{
	struct hyperslab_visit visit;
	uint64_t nblocks = 0;

	/* What is not set must not be looked at. */
	memset(&visit, 0xa5, sizeof(visit));
	while (hyperslab_visits_next(cursor, end, &visit)) {
		CHECK(visit.after > *after ||
		      (visit.after == *after && w->request->grid));
		nblocks += visit.after > *after;
		*after = visit.after;
		check_visit(w, cursor, &visit);
	}
	CHECK(!hyperslab_visits_next(cursor, end, &visit));
	return nblocks;
}

/* Everything came; once more from the start. */
static void forget(struct request_walk *w)
{
	CHECK(w->nseen == w->elements.count);
	memset(w->seen, 0, (size_t)w->elements.count);
	w->nseen = 0;
}

/* From the first to the last, as one thread does it. */
static void check_alone(struct request_walk *w)
{
	struct hyperslab_visits_cursor cursor;
	uint64_t after = 0, nblocks;

	memset(&cursor, 0xa5, sizeof(cursor));
	CHECK(hyperslab_visits_seek(w->request, 0, &cursor) ==
	      (w->elements.count > 0));
	nblocks = check_visits(w, &cursor, UINT64_MAX, &after);
	if (w->request->grid)
		CHECK(nblocks == hyperslab_visits_nblocks(w->request));
	forget(w);
}

/* Block by block, each with a cursor of its own, as several threads do it. */
static void check_shared(struct request_walk *w)
{
	uint64_t position = 0, after = 0;
	struct hyperslab_visits_cursor cursor;
	struct hyperslab_visit visit;

	memset(&cursor, 0xa5, sizeof(cursor));
	while (hyperslab_visits_seek(w->request, position, &cursor)) {
		if (!CHECK(hyperslab_visits_next(&cursor, UINT64_MAX,
						 &visit)) ||
		    !CHECK(visit.after > position))
			return;
		check_visits(w, &cursor, visit.after, &after);
		position = visit.after;
		memset(&cursor, 0xa5, sizeof(cursor));
	}
	CHECK(!hyperslab_visits_next(&cursor, UINT64_MAX, &visit));
	forget(w);
}

/*
 * Chunks are not in the order of linear indices: only where no two elements go
 * to the same place.
 */
static int by_value(const void *a, const void *b)
{
	ptrdiff_t x = *(const ptrdiff_t *)a, y = *(const ptrdiff_t *)b;

	return x < y ? -1 : x > y;
}

static void check_places(const struct request_walk *w)
{
	uint64_t n = w->elements.count;
	ptrdiff_t *places = calloc((size_t)n + 1, sizeof(*places));
	bool is_twice = false;

	if (!places)
		abort();
	for (uint64_t i = 0; i < n; i++)
		places[i] = w->elements.list[i].out;
	qsort(places, (size_t)n, sizeof(*places), by_value);
	for (uint64_t i = 1; i < n; i++)
		is_twice = is_twice || places[i] == places[i - 1];
	CHECK(!is_twice);
	free(places);
}

void request_walk_check(struct request_walk *w)
{
	w->nseen = 0;
	check_alone(w);
	check_shared(w);
	if (w->request->grid)
		check_places(w);
}
