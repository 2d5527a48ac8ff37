/* SPDX-License-Identifier: MIT */
/*
 * Plans of random headers: who shares a stream with whom, how long panels and
 * blocks are, and how far a block reaches over the original, all by the rules
 * that the headers plan.h and plan_shape.h state.
 */
#include "check.h"
#include "oracle.h"
#include "plan/map.h"
#include "plan/shape.h"
#include "shape.h"

/* A plan and what it was made from. */
struct made {
	const struct shape *shape;
	uint32_t block_nbytes;
	enum plan_joining joining;
	struct blob bytes;
	struct classic_header header;
	struct layout layout;
	struct plan plan;
	struct plan_hint *hints;
};

static bool make_joined(const struct shape *shape, uint32_t block_nbytes,
			enum plan_joining joining, struct made *m)
{
	const struct plan_shaping shaping = { .block_nbytes = block_nbytes,
					      .joining = joining };
	bool more;

	*m = (struct made){ .shape = shape,
			    .block_nbytes = block_nbytes,
			    .joining = joining };
	shape_write(shape, &m->bytes);
	return CHECK(classic_header_parse(m->bytes.data, m->bytes.nbytes, true,
					  &m->header, &more,
					  NULL) == NC3Z_OK) &&
	       CHECK(layout_of_header(&m->header, &m->layout, NULL) ==
		     NC3Z_OK) &&
	       CHECK(plan_shape(&m->header, &m->layout, &shaping, &m->plan,
				&m->hints, NULL) == NC3Z_OK);
}

static bool make(const struct shape *shape, uint32_t block_nbytes,
		 struct made *m)
{
	return make_joined(shape, block_nbytes, PLAN_JOIN_SMALL, m);
}

static void release(struct made *m)
{
	free(m->hints);
	plan_release(&m->plan);
	layout_release(&m->layout);
	classic_header_release(&m->header);
	blob_release(&m->bytes);
}

/* Records in one window. */
static uint64_t window_nrecords(const struct made *m, bool is_record)
{
	uint64_t n;

	if (!is_record)
		return 1;
	n = PLAN_WINDOW_NBYTES / m->layout.record_nbytes;
	if (n > m->layout.nrecords)
		n = m->layout.nrecords;
	return n > 0 ? n : 1;
}

static uint64_t width_of(const struct made *m, uint32_t variable)
{
	return shape_type_nbytes(m->shape->vars[variable].type);
}

static bool is_small(const struct made *m, const struct layout_extent *e,
		     bool is_record)
{
	return e->nbytes < PLAN_SMALL_NBYTES &&
	       e->nbytes * window_nrecords(m, is_record) < PLAN_SMALL_NBYTES;
}

/* Bytes in one window of all small variables of a width. */
static uint64_t sum_of_small(const struct made *m,
			     const struct layout_extents *extents,
			     uint64_t width, bool is_record)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < extents->count; i++) {
		const struct layout_extent *e = &extents->list[i];

		if (e->variable != CLASSIC_NO_VARIABLE &&
		    is_small(m, e, is_record) &&
		    width_of(m, e->variable) == width)
			sum += e->nbytes * window_nrecords(m, is_record);
	}
	return sum;
}

/* The member that holds the first byte of an extent, and its stream. */
static const struct plan_member *find(const struct made *m,
				      const struct layout_extent *e,
				      bool is_record,
				      const struct plan_stream **stream_ret)
{
	for (uint32_t i = 0; i < m->plan.nstreams; i++) {
		const struct plan_stream *s = &m->plan.streams[i];

		for (uint32_t k = 0; k < s->nmembers; k++)
			if (s->is_record == is_record &&
			    s->members[k].begin <= e->begin &&
			    e->begin - s->members[k].begin <
				    s->members[k].nbytes) {
				*stream_ret = s;
				return &s->members[k];
			}
	}
	return NULL;
}

static void check_extent(const struct made *m,
			 const struct layout_extents *extents,
			 const struct layout_extent *e, bool is_record)
{
	const struct plan_stream *s = NULL;
	const struct plan_member *member = find(m, e, is_record, &s);
	uint64_t width = 1;
	bool small;

	REQUIRE(member != NULL);
	CHECK(e->nbytes <= member->begin + member->nbytes - e->begin);
	small = e->variable == CLASSIC_NO_VARIABLE || is_small(m, e, is_record);
	if (e->variable != CLASSIC_NO_VARIABLE)
		width = width_of(m, e->variable);
	if (e->variable == CLASSIC_NO_VARIABLE ||
	    (small &&
	     (width == 1 || sum_of_small(m, extents, width, is_record) <
				    PLAN_SMALL_NBYTES))) {
		CHECK(member->variable == PLAN_NO_VARIABLE);
		CHECK_EQ_U64(s->width, 1);
		return;
	}
	CHECK_EQ_U64(member->variable, e->variable);
	CHECK_EQ_U64(member->begin, e->begin);
	CHECK_EQ_U64(member->nbytes, e->nbytes);
	CHECK_EQ_U64(s->width, width);
	if (!small)
		CHECK_EQ_U64(s->nmembers, 1);
	else
		CHECK(s->members[0].variable != PLAN_NO_VARIABLE);
}

/* The number of blocks of a span cannot be less with such blocks. */
static void check_blocks(const struct made *m, uint32_t i)
{
	const struct plan_stream *s = &m->plan.streams[i];
	const struct plan_hint *hint = &m->hints[i];
	uint64_t plane = (uint64_t)hint->plane_nelems * hint->width;
	uint64_t row = (uint64_t)hint->row_nelems * hint->width;
	uint64_t unit = hint->width, span = s->nbytes, most;

	if (s->is_record)
		span *= s->panel_nrecords;
	if (span <= m->block_nbytes) {
		CHECK_EQ_U64(s->block_nbytes, span);
		return;
	}
	if (plane > 0 && plane <= m->block_nbytes)
		unit = plane;
	else if (row > 0 && row <= m->block_nbytes)
		unit = row;
	most = m->block_nbytes / unit * unit;
	CHECK(s->block_nbytes <= most);
	CHECK_EQ_U64(s->block_nbytes % unit, 0);
	CHECK_EQ_U64((span - 1) / s->block_nbytes, (span - 1) / most);
}

static void check_panel(const struct made *m, const struct plan_stream *s)
{
	uint64_t window = window_nrecords(m, s->is_record), most;

	if (!s->is_record) {
		CHECK_EQ_U64(s->panel_nrecords, 0);
		return;
	}
	most = m->block_nbytes / s->nbytes;
	if (most > window)
		most = window;
	if (most == 0)
		most = 1;
	CHECK_EQ_U64(s->panel_nrecords, most);
	/* A panel of a group is one block. */
	if (s->nmembers > 1 && s->members[0].variable != PLAN_NO_VARIABLE)
		CHECK(s->nbytes <= m->block_nbytes);
	if (s->nmembers > 1 && s->panel_nrecords > 1)
		CHECK(s->nbytes * s->panel_nrecords <= s->block_nbytes);
}

static void check_members(const struct made *m, const struct plan_stream *s)
{
	for (uint32_t i = 1; i < s->nmembers; i++) {
		CHECK(s->members[i - 1].begin < s->members[i].begin);
		CHECK(s->members[i].begin - s->members[0].begin <=
		      (s->is_record || m->joining != PLAN_JOIN_SMALL ?
			       PLAN_WINDOW_NBYTES :
			       PLAN_REACH_NBYTES));
	}
	for (uint32_t i = 0; i < s->nmembers; i++)
		CHECK((s->members[i].variable == PLAN_NO_VARIABLE) ==
		      (s->members[0].variable == PLAN_NO_VARIABLE));
	check_panel(m, s);
}

static void check_stream(const struct made *m, uint32_t i)
{
	const struct plan_stream *s = &m->plan.streams[i];
	const struct plan_hint *hint = &m->hints[i];
	uint32_t type;

	check_members(m, s);
	check_blocks(m, i);
	CHECK_EQ_U64(hint->width, s->width);
	if (s->members[0].variable == PLAN_NO_VARIABLE) {
		CHECK(hint->is_text && !hint->is_float);
		CHECK(hint->row_nelems == 0 && hint->plane_nelems == 0);
		return;
	}
	if (s->nmembers > 1)
		CHECK(hint->row_nelems == 0 && hint->plane_nelems == 0);
	type = m->shape->vars[s->members[0].variable].type;
	CHECK(hint->is_text == (type == CLASSIC_CHAR));
	if (s->nmembers == 1)
		CHECK(hint->is_float ==
		      (type == CLASSIC_FLOAT || type == CLASSIC_DOUBLE));
}

/* Widens [low, high) by the bytes of a member in part of a panel. */
static void widen(const struct plan *plan, const struct plan_stream *s,
		  const struct plan_member *member, uint64_t first_record,
		  uint64_t from, uint64_t to, uint64_t range[2])
{
	uint64_t length = s->is_record ? plan->record_nbytes : 0;
	uint64_t low = member->begin +
		       (first_record + from / member->nbytes) * length +
		       from % member->nbytes;
	uint64_t high = member->begin +
			(first_record + (to - 1) / member->nbytes) * length +
			(to - 1) % member->nbytes + 1;

	range[0] = low < range[0] ? low : range[0];
	range[1] = high > range[1] ? high : range[1];
}

/* How far apart in the original the bytes of a block of a whole span are. */
static uint64_t reach(const struct plan *plan, const struct plan_stream *s,
		      uint64_t span_nbytes, const struct plan_block *block)
{
	uint64_t nrecords = s->is_record ? s->panel_nrecords : 1;
	uint64_t first_record = block->stream_offset / span_nbytes * nrecords;
	uint64_t at = block->stream_offset % span_nbytes;
	uint64_t end = at + block->nbytes, begin = 0;
	uint64_t range[2] = { UINT64_MAX, 0 };

	for (uint32_t i = 0; i < s->nmembers; i++) {
		uint64_t n = s->members[i].nbytes * nrecords;
		uint64_t from = at > begin ? at - begin : 0;
		uint64_t to = end > begin ? end - begin : 0;

		to = to < n ? to : n;
		if (from < to)
			widen(plan, s, &s->members[i], first_record, from, to,
			      range);
		begin += n;
	}
	return range[1] - range[0];
}

/* Blocks here and there of each stream, incomplete spans left out. */
static void check_window(const struct made *m, uint64_t *seed)
{
	struct plan_map map;

	REQUIRE(plan_map_init(&map, &m->plan, PLAN_OFFSET_END, NULL) ==
		NC3Z_OK);
	for (uint32_t i = 0; i < m->plan.nstreams; i++) {
		const struct plan_stream *s = &m->plan.streams[i];
		const struct plan_extent *e = &map.extents[i];
		uint64_t nspans = e->nbytes / e->span_nbytes;

		for (int k = 0; k < 8 && nspans > 0; k++) {
			uint64_t b = check_random_below(
				seed, nspans * e->span_nblocks);
			struct plan_block block =
				plan_block_numbered(&map, i, k ? b : 0);

			CHECK(block.nbytes > 0 &&
			      block.nbytes <= s->block_nbytes);
			CHECK(reach(&m->plan, s, e->span_nbytes, &block) <=
			      PLAN_WINDOW_NBYTES + s->block_nbytes);
		}
	}
	plan_map_release(&map);
}

/* Written and read it is the same, which says that it keeps all rules. */
static void check_code(const struct made *m)
{
	struct buffer b = { 0 };
	struct plan again;

	REQUIRE(plan_write(&m->plan, &b));
	CHECK(plan_read(b.data, b.nbytes, &again, NULL) == NC3Z_OK);
	CHECK(oracle_same_plan(&m->plan, &again));
	plan_release(&again);
	buffer_release(&b);
}

static void check_made(const struct made *m, uint64_t *seed)
{
	CHECK_EQ_U64(m->plan.header_nbytes, m->bytes.nbytes);
	CHECK_EQ_U64(m->plan.record_begin, m->layout.record_begin);
	CHECK_EQ_U64(m->plan.record_nbytes, m->layout.record_nbytes);
	CHECK_EQ_U64(m->plan.nrecords, m->layout.nrecords);
	for (size_t i = 0; i < m->layout.fixed.count; i++)
		check_extent(m, &m->layout.fixed, &m->layout.fixed.list[i],
			     false);
	for (size_t i = 0; i < m->layout.slots.count; i++)
		check_extent(m, &m->layout.slots, &m->layout.slots.list[i],
			     true);
	for (uint32_t i = 0; i < m->plan.nstreams; i++)
		check_stream(m, i);
	check_window(m, seed);
	check_code(m);
}

/* The blocks that are open at the same time, one of each record stream. */
static void check_open_blocks(const struct made *m)
{
	uint64_t sum = 0;

	if (m->layout.record_nbytes == 0 ||
	    m->layout.record_nbytes > PLAN_WINDOW_NBYTES)
		return;
	for (uint32_t i = 0; i < m->plan.nstreams; i++)
		if (m->plan.streams[i].is_record)
			sum += m->plan.streams[i].block_nbytes;
	CHECK(sum <= PLAN_WINDOW_NBYTES);
}

static void check_random_shapes(const struct shape_limits *limits, int count,
				uint64_t seed)
{
	static const uint32_t block_sizes[] = { 1 << 12, 1 << 14, 1 << 16,
						1 << 20, 1 << 26, 5000 };

	for (int i = 0; i < count; i++) {
		struct shape shape;
		struct made m;

		shape_random(&shape, limits, &seed);
		if (i % 8 == 7)
			shape_disturb(&shape, &seed);
		if (i % 5 == 4)
			shape.numrecs = shape.version == 5 ? UINT64_MAX :
							     UINT32_MAX;
		if (!make(&shape, block_sizes[i % 6], &m))
			return;
		check_made(&m, &seed);
		check_open_blocks(&m);
		release(&m);
	}
}

static void test_small_shapes(void)
{
	static const struct shape_limits limits = { .max_length = 20,
						    .max_nrecords = 100,
						    .max_nvars = 24 };

	check_random_shapes(&limits, 2500, 29);
}

static void test_large_shapes(void)
{
	static const struct shape_limits limits = { .max_length = 1000,
						    .max_nrecords = 1000000,
						    .max_nvars = 24 };

	check_random_shapes(&limits, 2500, 30);
}

/* Whether two variables are of one kind. */
static bool is_one_kind(const struct made *m, uint32_t a, uint32_t b)
{
	const struct plan_hint x = plan_hint_of_variable(&m->header, a);
	const struct plan_hint y = plan_hint_of_variable(&m->header, b);

	if (m->joining == PLAN_JOIN_WIDTH)
		return x.width == y.width;
	return x.width == y.width && x.is_float == y.is_float &&
	       x.is_text == y.is_text && x.row_nelems == y.row_nelems;
}

/*
 * Streams of variables have one kind each, and no kind is in two that both
 * sections or both records could hold.
 */
static void check_kinds(const struct made *m)
{
	for (uint32_t i = 0; i < m->plan.nstreams; i++) {
		const struct plan_stream *s = &m->plan.streams[i];
		uint32_t first = s->members[0].variable;

		if (first == PLAN_NO_VARIABLE)
			continue;
		CHECK(m->joining != PLAN_JOIN_ALL);
		for (uint32_t k = 1; k < s->nmembers; k++)
			CHECK(is_one_kind(m, first, s->members[k].variable));
		for (uint32_t k = 0; k < i; k++) {
			const struct plan_stream *t = &m->plan.streams[k];

			if (t->is_record == s->is_record &&
			    t->members[0].variable != PLAN_NO_VARIABLE)
				CHECK(!is_one_kind(m, first,
						   t->members[0].variable));
		}
	}
}

/* The header, the bytes after the data, and the records. */
static void check_number(const struct made *m)
{
	if (m->joining == PLAN_JOIN_ALL)
		CHECK(m->plan.nstreams <= (m->layout.slots.count > 0 ? 3 : 2));
}

static void test_joined(void)
{
	static const struct shape_limits limits = { .max_length = 20,
						    .max_nrecords = 100,
						    .max_nvars = 12 };
	uint64_t seed = 31;

	for (int i = 0; i < 1500; i++) {
		struct shape shape;
		struct made m;

		shape_random(&shape, &limits, &seed);
		if (i % 8 == 7)
			shape_disturb(&shape, &seed);
		if (!make_joined(&shape, PLAN_JOINED_NBYTES,
				 (enum plan_joining)(1 + i % 3), &m))
			return;
		if (i % 8 != 7) {
			check_kinds(&m);
			check_number(&m);
		}
		for (uint32_t k = 0; k < m.plan.nstreams; k++)
			check_members(&m, &m.plan.streams[k]);
		check_window(&m, &seed);
		check_code(&m);
		check_open_blocks(&m);
		release(&m);
	}
}

/* (t, 7, 10, 20), (7, 10, 20), (t, 20), (20), (t), and lengths of 1. */
static void test_rows_and_planes(void)
{
	static const struct {
		uint32_t rank;
		uint32_t dimids[SHAPE_RANK_MAX];
		uint32_t row, plane;
	} cases[] = {
		{ 4, { 0, 1, 2, 3 }, 20, 200 },
		{ 3, { 1, 2, 3 }, 20, 200 },
		{ 2, { 2, 3 }, 20, 0 },
		{ 3, { 0, 2, 3 }, 20, 200 },
		{ 2, { 0, 3 }, 20, 0 },
		{ 1, { 3 }, 0, 0 },
		{ 1, { 0 }, 0, 0 },
		{ 3, { 1, 3, 4 }, 20, 0 },
		{ 4, { 0, 2, 4, 3 }, 20, 200 },
		{ 3, { 4, 4, 3 }, 20, 0 },
		{ 4, { 1, 1, 2, 3 }, 20, 200 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct shape shape = { .version = 2,
				       .numrecs = 5000,
				       .ndims = 5,
				       .dims = { 0, 7, 10, 20, 1 },
				       .nvars = 1 };
		struct made m;
		uint32_t s = 0;

		shape.vars[0].type = CLASSIC_FLOAT;
		shape.vars[0].rank = cases[i].rank;
		memcpy(shape.vars[0].dimids, cases[i].dimids,
		       sizeof(cases[i].dimids));
		shape_place(&shape, 0);
		if (!make(&shape, 4096, &m))
			return;
		while (s < m.plan.nstreams &&
		       m.plan.streams[s].members[0].variable != 0)
			s++;
		if (s < m.plan.nstreams) { /* not too small */
			CHECK_EQ_U64(m.hints[s].row_nelems, cases[i].row);
			CHECK_EQ_U64(m.hints[s].plane_nelems, cases[i].plane);
			CHECK(m.hints[s].is_float && !m.hints[s].is_text);
		} else {
			CHECK(i == 2 || i == 5 || i == 7 || i == 9);
		}
		release(&m);
	}
}

/* A limit is a limit: one byte less than it, and it. */
static void test_small_limit(void)
{
	for (uint64_t length = 1023; length <= 1024; length++) {
		struct shape shape = {
			.version = 1, .ndims = 1, .dims = { length }, .nvars = 1
		};
		struct made m;

		shape.vars[0].type = CLASSIC_INT;
		shape.vars[0].rank = 1;
		shape_place(&shape, 0);
		if (!make(&shape, 1 << 20, &m))
			return;
		/* And the bytes after the data. */
		CHECK_EQ_U64(m.plan.nstreams, length < 1024 ? 2 : 3);
		release(&m);
	}
}

int main(void)
{
	RUN(test_small_shapes);
	RUN(test_large_shapes);
	RUN(test_joined);
	RUN(test_rows_and_planes);
	RUN(test_small_limit);
	return check_report();
}
