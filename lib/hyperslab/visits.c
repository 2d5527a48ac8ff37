/* SPDX-License-Identifier: MIT */
/*
 * Chunks by projections: along each dimension a slab has the same elements in a
 * chunk wherever the chunk is along the others.  With chunk length c and
 * elements number i = 0, 1, ... of the slab at start + i stride, the chunk of
 * element i is (start + i stride) / c; what the chunk has of the slab ends
 * before its own end, and the next element is in the next chunk that is
 * touched, which need not be the next one.  The odometer over the dimensions
 * gives the chunks in ascending order.
 */
#include "hyperslab/visits.h"

#include "base/sizes.h"

/* Whether the chunks of a variable's stream are cut as its shape is. */
static bool fits_grid(const struct plan_grid *t, uint32_t width,
		      const struct hyperslab_request *slab)
{
	if (!t || t->width != width || t->rank != slab->rank)
		return false;
	for (uint32_t k = 0; k < t->rank; k++) {
		bool is_records = k == 0 && t->dims[0].length == 0;

		if (is_records ? !slab->is_record :
				 t->dims[k].length != slab->shape[k])
			return false;
	}
	return true;
}

/*
 * Whether no two elements go to the same place of the array, as far as that is
 * easy to see: every step is longer than all shorter ones reach together.
 * Otherwise the last one wins, in the order of linear indices.
 */
static bool is_one_to_one(const struct hyperslab *slab)
{
	uint64_t last = 0, reach = 0;

	for (size_t i = 0; i < slab->ndims; i++) {
		uint64_t step = UINT64_MAX, more = 0;

		/* The next longer step. */
		for (size_t k = 0; k < slab->ndims; k++) {
			const struct hyperslab_dim *d = &slab->dims[k];
			uint64_t length = d->out_step < 0 ?
						  -(uint64_t)d->out_step :
						  (uint64_t)d->out_step;

			if (length > last && length < step) {
				step = length;
				more = size_mul_max(d->count - 1, length,
						    UINT64_MAX);
			}
		}
		/* None if two are equal, or one is 0. */
		if (step == UINT64_MAX || step <= reach)
			return false;
		reach = size_add_max(reach, more, UINT64_MAX - 1);
		last = step;
	}
	return true;
}

static void init_dims(struct hyperslab_visits *request,
		      const struct hyperslab_request *slab)
{
	bool has_imap = slab->form == HYPERSLAB_VARM && slab->imap;
	ptrdiff_t packed = 1;

	for (size_t k = slab->rank; k-- > 0;) {
		struct hyperslab_visits_dim *d = &request->dims[k];

		d->extent = hyperslab_extent(slab, k);
		d->out_step = has_imap ? slab->imap[k] : packed;
		packed *= (ptrdiff_t)d->extent.count;
	}
}

int hyperslab_visits_init(struct hyperslab_visits *request,
			  const struct plan_map *map,
			  const struct hyperslab_variable *place,
			  uint32_t width, const struct hyperslab_request *slab,
			  struct nc3z_error *err)
{
	request->map = map;
	request->place = place;
	request->width = width;
	request->grid = NULL;
	NC3Z_TRY(hyperslab_init(&request->slab, slab, err));
	if (place->stream == PLAN_NO_STREAM || request->slab.nelems == 0)
		return NC3Z_OK;
	request->grid = map->plan->streams[place->stream].grid;
	if (fits_grid(request->grid, width, slab) &&
	    is_one_to_one(&request->slab))
		init_dims(request, slab);
	else
		request->grid = NULL;
	return NC3Z_OK;
}

/* How many chunks of a dimension have an element of the slab. */
static uint64_t count_chunks(const struct hyperslab_extent *e, uint32_t chunk)
{
	uint64_t last = e->start + (e->count - 1) * e->stride;

	/* Longer strides do not take two elements of one chunk. */
	return e->stride < chunk ? last / chunk - e->start / chunk + 1 :
				   e->count;
}

uint64_t hyperslab_visits_nblocks(const struct hyperslab_visits *request)
{
	const struct hyperslab_variable *place = request->place;
	const struct hyperslab *slab = &request->slab;
	uint64_t nblocks = 1, nbytes;

	if (slab->nelems == 0)
		return 0;
	if (request->grid) {
		for (uint32_t k = 0; k < request->grid->rank; k++)
			nblocks *= count_chunks(&request->dims[k].extent,
						request->grid->dims[k].chunk);
		return nblocks;
	}
	if (place->stream == PLAN_NO_STREAM)
		return slab->nelems;
	nbytes = size_mul_max(slab->in_last - slab->in_first + 1,
			      request->width, UINT64_MAX);
	nblocks = nbytes /
		  request->map->plan->streams[place->stream].block_nbytes;
	return size_min(nblocks + 1, slab->nelems);
}

/* The part of a chunk that is in the slab from element number 'place' on. */
static void project(const struct hyperslab_visits *request, uint32_t k,
		    uint64_t place, struct hyperslab_projection *p)
{
	const struct hyperslab_extent *e = &request->dims[k].extent;
	uint32_t chunk = request->grid->dims[k].chunk;
	uint64_t inside;

	p->place = place;
	p->index = e->start + place * e->stride;
	p->chunk = p->index / chunk;
	inside = p->index - p->chunk * chunk;
	p->nelems = size_min(e->count - place,
			     (chunk - 1 - inside) / e->stride + 1);
}

/* The first elements of the slab along dimension 'k' and those after it. */
static void rewind_from(struct hyperslab_visits_cursor *cursor, uint32_t k)
{
	for (; k < cursor->request->grid->rank; k++)
		project(cursor->request, k, 0, &cursor->projections[k]);
}

/*
 * The next chunk along a dimension before 'end', and the first ones along those
 * after it; false if there is none.
 */
static bool next_chunk(struct hyperslab_visits_cursor *cursor, uint32_t end)
{
	for (uint32_t k = end; k-- > 0;) {
		struct hyperslab_projection *p = &cursor->projections[k];
		uint64_t place = p->place + p->nelems;

		if (place >= cursor->request->dims[k].extent.count)
			continue;
		project(cursor->request, k, place, p);
		rewind_from(cursor, k + 1);
		return true;
	}
	return false;
}

/* The first chunk of the request with at least this number. */
static bool seek_chunk(struct hyperslab_visits_cursor *cursor, uint64_t number)
{
	const struct hyperslab_visits *r = cursor->request;

	for (uint32_t k = 0; k < r->grid->rank; k++) {
		const struct plan_grid_dim *d = &r->grid->dims[k];
		const struct hyperslab_extent *e = &r->dims[k].extent;
		uint64_t chunk = number / d->chunk_weight;
		uint64_t begin = size_mul_max(chunk, d->chunk, UINT64_MAX);
		uint64_t place = 0;

		number %= d->chunk_weight;
		if (begin > e->start)
			place = size_div_up(begin - e->start, e->stride);
		if (place >= e->count)
			return next_chunk(cursor, k);
		project(r, k, place, &cursor->projections[k]);
		if (cursor->projections[k].chunk > chunk) {
			rewind_from(cursor, k + 1);
			return true;
		}
	}
	return true;
}

/* The slab of the wanted elements of a chunk. */
static void enter_chunk(struct hyperslab_visits_cursor *cursor)
{
	const struct hyperslab_visits *r = cursor->request;
	const struct plan_grid *t = r->grid;
	struct hyperslab *slab = &cursor->chunk_slab;
	uint64_t weight = 1, number = 0;

	slab->in_first = slab->in_last = slab->ndims = 0;
	slab->nelems = 1;
	slab->out_first = 0;
	for (uint32_t k = t->rank; k-- > 0;) {
		const struct plan_grid_dim *d = &t->dims[k];
		const struct hyperslab_projection *p = &cursor->projections[k];
		uint64_t step = r->dims[k].extent.stride * weight;
		uint64_t begin = p->chunk * d->chunk;

		slab->in_first += (p->index - begin) * weight;
		slab->in_last += (p->nelems - 1) * step;
		slab->out_first = hyperslab_out_add(slab->out_first, p->place,
						    r->dims[k].out_step);
		slab->nelems *= p->nelems;
		hyperslab_add_dim(slab, (struct hyperslab_dim){
						.count = p->nelems,
						.in_step = step,
						.out_step = r->dims[k].out_step,
					});
		number += p->chunk * d->chunk_weight;
		/* Of the records it is not used. */
		weight *= size_min(d->chunk, d->nindices - begin);
	}
	hyperslab_end_dims(slab);
	slab->in_last += slab->in_first;
	cursor->chunk = (struct plan_block){ .block = number };
	if (number < r->map->extents[r->place->stream].nblocks)
		cursor->chunk =
			plan_block_numbered(r->map, r->place->stream, number);
	hyperslab_seek(slab, 0, &cursor->elements);
}

bool hyperslab_visits_seek(const struct hyperslab_visits *request,
			   uint64_t position,
			   struct hyperslab_visits_cursor *cursor_ret)
{
	cursor_ret->request = request;
	if (!request->grid)
		return hyperslab_seek(&request->slab, position,
				      &cursor_ret->elements);
	cursor_ret->elements.left.nelems = 0;
	if (!seek_chunk(cursor_ret, position)) {
		/* There is no next one either. */
		for (uint32_t k = 0; k < request->grid->rank; k++)
			cursor_ret->projections[k] =
				(struct hyperslab_projection){
					.place = request->dims[k].extent.count,
				};
		return false;
	}
	enter_chunk(cursor_ret);
	return true;
}

/* The visit of a chunk in which the cursor stands. */
static void chunk_visit(const struct hyperslab_visits_cursor *cursor,
			struct hyperslab_visit *w)
{
	const struct hyperslab_visits *r = cursor->request;
	uint64_t first = cursor->elements.left.in_first;
	uint64_t nelems = cursor->chunk.nbytes / r->width;

	w->stream = r->place->stream;
	w->block = cursor->chunk;
	w->first = first;
	w->skip = first * r->width;
	w->after = cursor->chunk.block + 1;
	if (first < nelems) {
		w->kind = PLAN_IN_BLOCK;
		w->end = nelems;
	} else if (w->skip < cursor->chunk.nbytes) {
		/* The variable ends in it. */
		w->kind = PLAN_STRADDLES;
		w->straddler = r->map->extents[w->stream].nbytes / r->width;
		w->end = first + 1;
	} else {
		w->kind = PLAN_BEYOND;
		w->end = UINT64_MAX;
	}
}

/* The visit that begins with an element, by the run in which it lies. */
static void run_visit(const struct hyperslab_visits *r, uint64_t element,
		      struct hyperslab_visit *w)
{
	struct plan_run run = { 0 };
	uint64_t offset, nelems;

	w->first = w->straddler = element;
	if (size_mul(element, r->width, &offset))
		run = hyperslab_variable_run(r->map, r->place, offset);
	if (run.nbytes == 0) {
		/* Later elements are even farther beyond the end. */
		w->kind = PLAN_BEYOND;
		w->end = w->after = UINT64_MAX;
		return;
	}
	w->stream = run.stream;
	w->block = plan_block_at(r->map, run.stream, run.stream_offset);
	w->skip = run.stream_offset - w->block.stream_offset;
	nelems = size_min(run.nbytes, w->block.nbytes - w->skip) / r->width;
	w->kind = nelems > 0 ? PLAN_IN_BLOCK : PLAN_STRADDLES;
	w->end = w->after = element + size_max(nelems, 1);
}

bool hyperslab_visits_next(struct hyperslab_visits_cursor *cursor, uint64_t end,
			   struct hyperslab_visit *visit_ret)
{
	const struct hyperslab_visits *r = cursor->request;
	const struct hyperslab_run *left = &cursor->elements.left;

	if (!r->grid) {
		if (left->nelems == 0 || left->in_first >= end)
			return false;
		run_visit(r, left->in_first, visit_ret);
		return true;
	}
	if (left->nelems == 0) {
		if (!next_chunk(cursor, r->grid->rank))
			return false;
		enter_chunk(cursor);
	}
	if (cursor->chunk.block >= end)
		return false;
	chunk_visit(cursor, visit_ret);
	return true;
}

bool hyperslab_visits_takes_block(const struct hyperslab_visits_cursor *cursor,
				  const struct hyperslab_visit *visit)
{
	const struct hyperslab_run *left = &cursor->elements.left;
	uint64_t nelems = visit->end - visit->first;

	return visit->kind == PLAN_IN_BLOCK && visit->skip == 0 &&
	       visit->block.nbytes == nelems * cursor->request->width &&
	       left->in_first == visit->first && left->nelems >= nelems &&
	       (nelems == 1 || (left->in_step == 1 && left->out_step == 1));
}

bool hyperslab_element_next_part(const struct hyperslab_visits *request,
				 uint64_t element,
				 struct hyperslab_element_part *part)
{
	struct plan_run run;

	part->done += part->nbytes;
	part->nbytes = 0;
	if (part->done == request->width)
		return false;
	run = hyperslab_variable_run(request->map, request->place,
				     element * request->width + part->done);
	if (run.nbytes == 0)
		return false;
	part->stream = run.stream;
	part->block =
		plan_block_at(request->map, run.stream, run.stream_offset);
	part->skip = (size_t)(run.stream_offset - part->block.stream_offset);
	part->nbytes = (size_t)size_min(
		size_min(run.nbytes, part->block.nbytes - part->skip),
		request->width - part->done);
	return true;
}
