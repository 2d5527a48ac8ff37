/* SPDX-License-Identifier: MIT */
/*
 * Requests on one variable, linear or in chunks, fixed or in records, in an
 * original that may end anywhere: every wanted element exactly once, from the
 * bytes where the oracle has it, to the place that the list of the request says.
 */
#include "check.h"
#include "oracle.h"
#include "request_walk.h"
#include "slab.h"

#define RANK_MAX 6

struct made {
	struct plan plan;
	uint32_t stream;
	struct hyperslab_variable place;
	uint32_t width;
	bool has_shape; /* the chunks are those of the request's shape */
	struct plan_map map;
	struct oracle whole; /* of an original that has everything */
	struct slab_request s;
	struct slab_elements elements;
	struct hyperslab_visits request;
	struct request_walk walk;
};

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return check_random_below(seed, limit);
}

static struct plan_stream *add_stream(struct plan *plan, bool is_record,
				      uint64_t begin, uint64_t nbytes)
{
	struct plan_stream *s = &plan->streams[plan->nstreams++];

	*s = (struct plan_stream){ .is_record = is_record,
				   .width = 1,
				   .block_nbytes = 1000,
				   .panel_nrecords = is_record,
				   .members = calloc(1, sizeof(*s->members)),
				   .nmembers = 1 };
	s->members[0] = (struct plan_member){
		.variable = PLAN_NO_VARIABLE,
		.begin = begin,
		.nbytes = nbytes,
	};
	return s;
}

/* What is before, after and beside the variable. */
static void add_rest(struct made *m, uint64_t beside)
{
	const struct hyperslab_variable *v = &m->place;
	struct plan *plan = &m->plan;
	uint64_t end = v->begin + v->nbytes;

	plan->record_begin = v->record_nbytes ? v->begin : 0;
	plan->record_nbytes = v->record_nbytes;
	plan->nrecords = v->record_nbytes ? v->nrecords : 0;
	if (beside > 0)
		add_stream(plan, true, end, beside);
	if (v->record_nbytes)
		end = plan_record_end(plan);
	if (v->begin > 0)
		add_stream(plan, false, 0, v->begin);
	if (end < PLAN_OFFSET_END)
		add_stream(plan, false, end, PLAN_OFFSET_END - end);
}

/* Chunks for the shape; sometimes of all dimensions joined. */
static void add_chunks(struct made *m, struct plan_stream *s, uint64_t *seed)
{
	size_t first = m->s.request.is_record, rank = m->s.request.rank;
	struct plan_grid *t;
	uint64_t nelems = m->place.nbytes / m->width;

	m->has_shape = rank == 1 || below(seed, 8) != 0;
	if (!m->has_shape)
		rank = first + 1;
	t = oracle_add_grid(s, (uint32_t)rank);
	for (size_t k = 0; k < rank; k++) {
		uint64_t length = m->s.shape[k];

		if (!m->has_shape && k >= first)
			length = nelems;
		t->dims[k].length = k < first ? 0 : length;
		if (k < first)
			length += 3;
		if (below(seed, 3) == 0)
			length = 1 + below(seed, length);
		t->dims[k].chunk = (uint32_t)(1 + below(seed, length));
	}
}

static void make_plan(struct made *m, uint64_t *seed)
{
	bool is_record = m->s.request.is_record;
	struct hyperslab_variable *v = &m->place;
	uint64_t beside = is_record ? below(seed, 3) * below(seed, 9) : 0;
	struct plan_stream *s;

	*v = (struct hyperslab_variable){ .begin = below(seed, 20),
					  .nbytes = m->width,
					  .nrecords = 1 };
	for (size_t k = is_record; k < m->s.request.rank; k++)
		v->nbytes *= m->s.shape[k];
	if (is_record) {
		v->record_nbytes = v->nbytes + beside;
		v->nrecords = m->s.shape[0] && below(seed, 2) ? m->s.shape[0] :
								UINT64_MAX;
	}
	m->plan = (struct plan){ .streams = calloc(4, sizeof(*s)) };
	s = add_stream(&m->plan, is_record, v->begin, v->nbytes);
	s->width = (uint8_t)m->width;
	s->block_nbytes = (uint32_t)(1 + below(seed, 300));
	s->panel_nrecords = is_record ? (uint32_t)(1 + below(seed, 7)) : 0;
	if (m->s.request.rank > 0 && below(seed, 4))
		add_chunks(m, s, seed);
	add_rest(m, beside);
	v->stream = below(seed, 10) ? 0 : PLAN_NO_STREAM;
}

static uint64_t offset_of(const struct made *m, uint64_t linear)
{
	const struct hyperslab_variable *v = &m->place;
	uint64_t at = linear * m->width;

	return v->begin + at / v->nbytes * v->record_nbytes + at % v->nbytes;
}

static uint64_t offset_in(const void *context, uint32_t stream, uint64_t block,
			  uint64_t at)
{
	const struct made *m = context;
	const struct oracle_stream *s = &m->whole.streams[stream];

	return stream == m->stream && block < s->nblocks &&
			       at < s->blocks[block].nbytes ?
		       s->offsets[s->blocks[block].stream_offset + at] :
		       UINT64_MAX;
}

static bool make(struct made *m, uint64_t *seed)
{
	uint64_t end = 1;

	make_plan(m, seed);
	if (!CHECK(plan_finish(&m->plan, NULL) == NC3Z_OK))
		return false;
	for (size_t k = 0; k < m->s.request.rank; k++)
		end *= m->s.shape[k];
	end = end ? offset_of(m, end - 1) + m->width : m->place.begin;
	/* Records may go on behind those that are asked for. */
	oracle_make(&m->whole, &m->plan, end + 40);
	if (below(seed, 2))
		end = below(seed, end + 30);
	slab_list_make(&m->elements, &m->s);
	m->walk = (struct request_walk){
		.request = &m->request,
		.slab = &m->s.request,
		.elements = m->elements,
		.offset = offset_in,
		.context = m,
		.seen = calloc(m->elements.count + 1, 1),
	};
	/* What is not set must not be looked at. */
	memset(&m->request, 0xa5, sizeof(m->request));
	return CHECK(plan_map_init(&m->map, &m->plan, end, NULL) == NC3Z_OK) &&
	       CHECK(hyperslab_check(&m->s.request, NULL) == HYPERSLAB_OK) &&
	       CHECK(hyperslab_visits_init(&m->request, &m->map, &m->place,
					   m->width, &m->s.request,
					   NULL) == NC3Z_OK) &&
	       CHECK_EQ_U64(m->request.slab.nelems, m->elements.count);
}

static void release(struct made *m)
{
	free(m->walk.seen);
	slab_list_release(&m->elements);
	oracle_release(&m->whole);
	plan_map_release(&m->map);
	plan_release(&m->plan);
}

/* Which chunks the request touches, by the list. */
static uint8_t *touched_chunks(const struct made *m, uint64_t *nchunks_ret)
{
	const struct oracle_stream *s = &m->whole.streams[m->stream];
	uint8_t *touched = calloc(s->nblocks + 1, 1);

	for (uint64_t i = 0; i < s->nblocks; i++)
		for (uint64_t at = 0; at < s->blocks[i].nbytes; at += m->width)
			if (request_walk_find(&m->walk,
					      request_walk_linear(&m->walk,
								  m->stream, i,
								  at)))
				touched[i] = 1;
	*nchunks_ret = s->nblocks;
	return touched;
}

/* The first touched chunk from every number on. */
static void check_seeks(const struct made *m)
{
	struct hyperslab_visits_cursor cursor;
	struct hyperslab_visit w;
	uint64_t nchunks, expected;
	uint8_t *touched = touched_chunks(m, &nchunks);

	for (uint64_t number = 0; number < nchunks + 3; number++) {
		for (expected = number; expected < nchunks; expected++)
			if (touched[expected])
				break;
		memset(&cursor, 0xa5, sizeof(cursor));
		CHECK(hyperslab_visits_seek(&m->request, number, &cursor) ==
		      (expected < nchunks));
		CHECK(!hyperslab_visits_next(&cursor, number, &w));
		if (expected >= nchunks)
			continue;
		REQUIRE(hyperslab_visits_next(&cursor, UINT64_MAX, &w));
		CHECK_EQ_U64(w.block.block, expected);
		CHECK(!hyperslab_visits_next(&cursor, expected, &w));
		CHECK(hyperslab_visits_next(&cursor, expected + 1, &w));
	}
	CHECK(!hyperslab_visits_seek(&m->request, UINT64_MAX, &cursor));
	free(touched);
}

/* How often what was tested. */
static struct {
	unsigned chunked;
	unsigned truncated;
	unsigned skipping;
	unsigned in_order;
	unsigned mapped;
} counts;

static void count(const struct made *m)
{
	const struct plan_grid *t = m->request.grid;

	counts.in_order += !t && m->place.stream == 0 && m->has_shape &&
			   m->plan.streams[0].grid && m->elements.count > 0;
	if (!t)
		return;
	counts.chunked++;
	counts.mapped += m->s.request.imap && m->elements.count > 1;
	counts.truncated += m->map.extents[0].nbytes <
			    m->whole.streams[0].nbytes;
	for (uint32_t k = 0; k < t->rank; k++)
		counts.skipping += m->s.request.stride && m->s.count[k] > 1 &&
				   m->s.stride[k] > (int)t->dims[k].chunk;
}

static void test_random(void)
{
	static struct made m;
	uint64_t seed = 71;

	for (int i = 0; i < 60000; i++) {
		size_t rank = (size_t)below(&seed, RANK_MAX + 1);
		uint64_t limit = rank < 2 ? 100 : rank < 4 ? 9 : 4;

		for (size_t k = 0; k < rank; k++)
			m.s.shape[k] = 1 + below(&seed, limit);
		slab_random(&m.s, rank, &seed);
		m.width = 1u << below(&seed, 4);
		m.has_shape = false;
		if (!make(&m, &seed))
			return;
		request_walk_check(&m.walk);
		if (m.request.grid)
			check_seeks(&m);
		count(&m);
		release(&m);
	}
	CHECK(counts.chunked > 20000);
	CHECK(counts.truncated > 5000);
	CHECK(counts.skipping > 500);
	CHECK(counts.in_order > 100);
	CHECK(counts.mapped > 500);
}

/* No records: nothing, whatever is asked for. */
static void test_no_records(void)
{
	static struct made m;
	uint64_t seed = 72;

	for (int i = 0; i < 200; i++) {
		m.s.shape[0] = 0;
		m.s.shape[1] = 3;
		slab_random(&m.s, 2, &seed);
		m.s.request.is_record = true;
		m.width = 4;
		if (!make(&m, &seed))
			return;
		CHECK(m.request.grid == NULL);
		CHECK_EQ_U64(hyperslab_visits_nblocks(&m.request), 0);
		request_walk_check(&m.walk);
		release(&m);
	}
}

int main(void)
{
	RUN(test_random);
	RUN(test_no_records);
	return check_report();
}
