/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include "blob.h"
#include "check.h"

static void *grow(void *array, uint64_t count, size_t size)
{
	/* At every power of two. */
	if ((count & (count - 1)) == 0)
		array = realloc(array, (size_t)(count ? 2 * count : 1) * size);
	if (!array)
		abort();
	return array;
}

static void add_byte(struct oracle_stream *s, uint64_t offset)
{
	s->offsets = grow(s->offsets, s->nbytes, sizeof(*s->offsets));
	s->offsets[s->nbytes++] = offset;
}

/* Cuts the bytes from 'begin' on, which are a span. */
static void cut_span(struct oracle_stream *s, uint64_t begin,
		     uint32_t block_nbytes)
{
	while (begin < s->nbytes) {
		uint64_t left = s->nbytes - begin;

		s->blocks = grow(s->blocks, s->nblocks, sizeof(*s->blocks));
		s->blocks[s->nblocks++] = (struct oracle_block){
			.stream_offset = begin,
			.nbytes = left < block_nbytes ? left : block_nbytes,
		};
		begin += block_nbytes;
	}
}

static void walk_fixed(struct oracle_stream *out, const struct plan_stream *s,
		       uint64_t size)
{
	for (uint32_t i = 0; i < s->nmembers; i++)
		for (uint64_t k = 0; k < s->members[i].nbytes; k++) {
			if (s->members[i].begin + k >= size)
				break;
			add_byte(out, s->members[i].begin + k);
		}
	cut_span(out, 0, s->block_nbytes);
}

static void walk_panel(struct oracle_stream *out, const struct plan *plan,
		       const struct plan_stream *s, uint64_t first,
		       uint64_t size)
{
	for (uint32_t i = 0; i < s->nmembers; i++)
		for (uint64_t r = first; r < first + s->panel_nrecords; r++) {
			uint64_t at =
				s->members[i].begin + r * plan->record_nbytes;

			if (r >= plan->nrecords || at >= size)
				break;
			for (uint64_t k = 0; k < s->members[i].nbytes; k++)
				if (at + k < size)
					add_byte(out, at + k);
		}
}

static void walk_records(struct oracle_stream *out, const struct plan *plan,
			 const struct plan_stream *s, uint64_t size)
{
	for (uint64_t first = 0;
	     first < plan->nrecords &&
	     plan->record_begin + first * plan->record_nbytes < size;
	     first += s->panel_nrecords) {
		uint64_t begin = out->nbytes;

		walk_panel(out, plan, s, first, size);
		cut_span(out, begin, s->block_nbytes);
	}
}

/* Row-major counting; false behind the last. */
static bool count_on(uint64_t *index, const uint64_t *end, uint32_t rank)
{
	for (uint32_t k = rank; k-- > 0;) {
		if (++index[k] < end[k])
			return true;
		index[k] = 0;
	}
	return false;
}

/* What a walk through the chunks of a stream needs to know. */
struct chunk_walk {
	const struct plan *plan;
	const struct plan_stream *s;
	uint64_t size;
	uint64_t lengths[PLAN_RANK_MAX]; /* of records those that are there */
	uint64_t nchunks[PLAN_RANK_MAX];
};

/* The bytes of one element that the original has. */
static void add_element(struct oracle_stream *out, const struct chunk_walk *w,
			const uint64_t *index)
{
	const struct plan_stream *s = w->s;
	uint64_t at = s->members[0].begin, element = 0;

	for (uint32_t k = 0; k < s->grid->rank; k++) {
		if (k == 0 && s->is_record)
			at += index[0] * w->plan->record_nbytes;
		else
			element = element * w->lengths[k] + index[k];
	}
	at += element * s->width;
	for (uint32_t i = 0; i < s->width && at + i < w->size; i++)
		add_byte(out, at + i);
}

/* The bytes of the chunk at a place of the grid. */
static void walk_chunk(struct oracle_stream *out, const struct chunk_walk *w,
		       const uint64_t *chunk)
{
	const struct plan_grid *t = w->s->grid;
	uint64_t index[PLAN_RANK_MAX], at[PLAN_RANK_MAX] = { 0 };
	uint64_t chunks[PLAN_RANK_MAX];
	bool is_inside;

	for (uint32_t k = 0; k < t->rank; k++)
		chunks[k] = t->dims[k].chunk;
	do {
		is_inside = true;
		for (uint32_t k = 0; k < t->rank; k++) {
			index[k] = chunk[k] * chunks[k] + at[k];
			is_inside = is_inside && index[k] < w->lengths[k];
		}
		if (is_inside)
			add_element(out, w, index);
	} while (count_on(at, chunks, t->rank));
}

static void walk_chunks(struct oracle_stream *out, const struct plan *plan,
			const struct plan_stream *s, uint64_t size)
{
	struct chunk_walk w = { .plan = plan, .s = s, .size = size };
	const struct plan_grid *t = s->grid;
	uint64_t chunk[PLAN_RANK_MAX] = { 0 };

	for (uint32_t k = 0; k < t->rank; k++) {
		w.lengths[k] = t->dims[k].length;
		while (k == 0 && s->is_record &&
		       w.lengths[0] < plan->nrecords &&
		       s->members[0].begin +
				       w.lengths[0] * plan->record_nbytes <
			       size)
			w.lengths[0]++;
		w.nchunks[k] = (w.lengths[k] + t->dims[k].chunk - 1) /
			       t->dims[k].chunk;
	}
	if (w.lengths[0] == 0)
		return;
	for (bool is_over = false, more = true; more;
	     more = count_on(chunk, w.nchunks, t->rank)) {
		uint64_t begin = out->nbytes;

		walk_chunk(out, &w, chunk);
		/* Chunks that have bytes must come before those that have not. */
		CHECK(out->nbytes == begin || !is_over);
		is_over = out->nbytes == begin;
		cut_span(out, begin, UINT32_MAX);
	}
}

void oracle_make(struct oracle *oracle, const struct plan *plan,
		 uint64_t original_nbytes)
{
	oracle->nstreams = plan->nstreams;
	oracle->streams = calloc(plan->nstreams, sizeof(*oracle->streams));
	if (!oracle->streams)
		abort();
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (s->grid)
			walk_chunks(&oracle->streams[i], plan, s,
				    original_nbytes);
		else if (s->is_record)
			walk_records(&oracle->streams[i], plan, s,
				     original_nbytes);
		else
			walk_fixed(&oracle->streams[i], s, original_nbytes);
	}
}

void oracle_release(struct oracle *oracle)
{
	for (uint32_t i = 0; i < oracle->nstreams; i++) {
		free(oracle->streams[i].offsets);
		free(oracle->streams[i].blocks);
	}
	free(oracle->streams);
	*oracle = (struct oracle){ 0 };
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
	return (uint32_t)check_random_below(seed, limit);
}

static struct plan_stream *add_stream(struct plan *plan, bool is_record,
				      uint64_t *seed)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	struct plan_stream *s;

	plan->streams =
		grow(plan->streams, plan->nstreams, sizeof(*plan->streams));
	s = &plan->streams[plan->nstreams++];
	*s = (struct plan_stream){
		.is_record = is_record,
		.width = widths[below(seed, 4)],
		.block_nbytes = 1 + below(seed, 1 + below(seed, 60)),
		.panel_nrecords = is_record ? 1 + below(seed, 6) : 0,
	};
	return s;
}

/* Members of a stream ascend. */
static void add_member(struct plan_stream *s, uint64_t begin, uint64_t nbytes,
		       uint64_t *seed)
{
	s->members = grow(s->members, s->nmembers, sizeof(*s->members));
	s->members[s->nmembers++] = (struct plan_member){
		.variable = below(seed, 2) ? below(seed, 9) : PLAN_NO_VARIABLE,
		.begin = begin,
		.nbytes = nbytes,
	};
}

/* What members a range may go to. */
struct spread {
	bool is_record;
	bool has_chunks;
};

/* A panel of several records of several members is one block. */
static void widen_blocks(struct plan_stream *s)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < s->nmembers; i++)
		nbytes += s->members[i].nbytes;
	nbytes *= s->panel_nrecords;
	if (s->nmembers > 1 && s->panel_nrecords > 1 &&
	    nbytes > s->block_nbytes)
		s->block_nbytes = (uint32_t)nbytes;
}

struct plan_grid *oracle_add_grid(struct plan_stream *s, uint32_t rank)
{
	s->grid = plan_grid_new(rank);
	if (!s->grid)
		abort();
	return s->grid;
}

/* A chunked stream at 'begin', if it is not too long; where it ends. */
static uint64_t add_chunked(struct plan *plan, uint64_t begin, uint64_t end,
			    bool is_record, uint64_t *seed)
{
	struct plan_stream *s = add_stream(plan, is_record, seed);
	uint32_t rank = 1 + below(seed, 6);
	struct plan_grid *t = oracle_add_grid(s, rank);
	uint64_t nbytes = s->width;

	for (uint32_t k = 0; k < rank; k++) {
		struct plan_grid_dim *d = &t->dims[k];

		d->length = 1 + below(seed, rank < 3 ? 9 : 4);
		d->chunk = 1 + below(seed, (uint32_t)d->length);
		if (k == 0 && is_record)
			d->length = 0;
		else
			nbytes *= d->length;
	}
	if (nbytes > end - begin) {
		free(t);
		plan->nstreams--;
		return begin;
	}
	add_member(s, begin, nbytes, seed);
	return begin + nbytes;
}

/* Cuts a range into members, which go to new streams or to earlier ones. */
static void spread(struct plan *plan, uint64_t begin, uint64_t end,
		   const struct spread *how, uint64_t *seed)
{
	bool is_record = how->is_record;

	while (begin < end) {
		uint64_t nbytes = 1 + below(seed, 1 + below(seed, 40));
		struct plan_stream *s = NULL;

		if (how->has_chunks && below(seed, 2)) {
			begin = add_chunked(plan, begin, end, is_record, seed);
			continue;
		}
		if (nbytes > end - begin || below(seed, 12) == 0)
			nbytes = end - begin;
		if (plan->nstreams > 0 && below(seed, 3) != 0)
			s = &plan->streams[below(seed, plan->nstreams)];
		if (!s || s->is_record != is_record || s->grid)
			s = add_stream(plan, is_record, seed);
		add_member(s, begin, nbytes, seed);
		begin += nbytes;
	}
}

static void random_plan(struct plan *plan, bool has_chunks, uint64_t *seed)
{
	const struct spread fixed = { .has_chunks = has_chunks };
	const struct spread record = { .has_chunks = has_chunks,
				       .is_record = true };

	uint64_t begin;

	*plan = (struct plan){ .header_nbytes = below(seed, 30) };
	begin = below(seed, 60);
	if (below(seed, 4) != 0) {
		plan->record_nbytes = 1 + below(seed, 50);
		plan->nrecords = below(seed, 4) ? 1 + below(seed, 14) :
						  UINT64_MAX;
	}
	if (has_chunks)
		begin *= 3;
	spread(plan, 0, begin, &fixed, seed);
	if (plan->record_nbytes > 0) {
		if (has_chunks)
			plan->record_nbytes += below(seed, 200);
		plan->record_begin = begin;
		spread(plan, begin, begin + plan->record_nbytes, &record, seed);
		begin = plan_record_end(plan);
	}
	spread(plan, begin, PLAN_OFFSET_END, &fixed, seed);
	for (uint32_t i = 0; i < plan->nstreams; i++)
		widen_blocks(&plan->streams[i]);
}

void oracle_random_plan(struct plan *plan, uint64_t *seed)
{
	random_plan(plan, false, seed);
}

void oracle_random_chunked_plan(struct plan *plan, uint64_t *seed)
{
	random_plan(plan, true, seed);
}

static bool same_grid(const struct plan_grid *a, const struct plan_grid *b)
{
	if (!a || !b)
		return !a && !b;
	for (uint32_t k = 0; k < a->rank; k++)
		if (a->rank != b->rank ||
		    a->dims[k].length != b->dims[k].length ||
		    a->dims[k].chunk != b->dims[k].chunk)
			return false;
	return true;
}

static bool same_stream(const struct plan_stream *a,
			const struct plan_stream *b)
{
	if (a->is_record != b->is_record || a->width != b->width ||
	    a->nmembers != b->nmembers || !same_grid(a->grid, b->grid))
		return false;
	if (!a->grid && (a->block_nbytes != b->block_nbytes ||
			 a->panel_nrecords != b->panel_nrecords))
		return false;
	for (uint32_t i = 0; i < a->nmembers; i++)
		if (a->members[i].variable != b->members[i].variable ||
		    a->members[i].begin != b->members[i].begin ||
		    a->members[i].nbytes != b->members[i].nbytes)
			return false;
	return true;
}

bool oracle_same_plan(const struct plan *a, const struct plan *b)
{
	bool same = a->header_nbytes == b->header_nbytes &&
		    a->record_begin == b->record_begin &&
		    a->record_nbytes == b->record_nbytes &&
		    a->nrecords == b->nrecords && a->nstreams == b->nstreams;

	for (uint32_t i = 0; same && i < a->nstreams; i++)
		same = same_stream(&a->streams[i], &b->streams[i]);
	return same;
}
