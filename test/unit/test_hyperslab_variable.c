/* SPDX-License-Identifier: MIT */
/*
 * Every byte of every variable, of random files cut anywhere, is in the stream
 * where plan_run_at() has its offset in the original; and the same of every
 * byte of every member of random plans, by the oracle.
 */
#include "check.h"
#include "oracle.h"
#include "plan/shape.h"
#include "hyperslab/variable.h"
#include "shape.h"

/* Offset of byte 'k' of a member's joined records; false if it has none. */
static bool member_offset(const struct plan *plan, const struct plan_stream *s,
			  const struct plan_member *m, uint64_t k,
			  uint64_t *offset_ret)
{
	if (!s->is_record) {
		*offset_ret = m->begin + k;
		return k < m->nbytes;
	}
	*offset_ret =
		m->begin + k / m->nbytes * plan->record_nbytes + k % m->nbytes;
	return k / m->nbytes < plan->nrecords;
}

/* Bytes of a member that follow byte 'k' in its share of the panel. */
static uint64_t left_in_share(const struct plan_stream *s,
			      const struct plan_member *m, uint64_t k)
{
	uint64_t share = m->nbytes * (s->is_record ? s->panel_nrecords : 1);

	return s->nmembers == 1 ? UINT64_MAX : share - k % share;
}

/*
 * Place 'place' of a stream as the oracle has it, where the stream is chunked: in
 * the same block, with as much before it.
 */
static uint64_t oracle_place(const struct plan_map *map,
			     const struct oracle *oracle, uint32_t stream,
			     uint64_t place)
{
	struct plan_block b;

	if (!map->plan->streams[stream].grid)
		return place;
	b = plan_block_at(map, stream, place);
	return oracle->streams[stream].blocks[b.block].stream_offset + place -
	       b.stream_offset;
}

static void check_member(const struct plan_map *map,
			 const struct oracle *oracle, uint32_t stream,
			 uint32_t member)
{
	const struct plan_stream *s = &map->plan->streams[stream];
	const struct plan_member *m = &s->members[member];
	const struct oracle_stream *o = &oracle->streams[stream];
	uint64_t offset, k = 0, there = 0;

	while (member_offset(map->plan, s, m, there, &offset) &&
	       offset < map->original_nbytes)
		there++;
	for (; k < there; k++) {
		struct plan_run run = plan_member_run(map, stream, member, k);
		struct plan_run at;
		uint64_t most = left_in_share(s, m, k), place;

		CHECK_EQ_U64(run.stream, stream);
		most = most < there - k ? most : there - k;
		if (!s->grid)
			CHECK_EQ_U64(run.nbytes, most);
		CHECK(run.nbytes > 0 && run.nbytes <= most);
		place = oracle_place(map, oracle, stream, run.stream_offset);
		REQUIRE(place + run.nbytes <= o->nbytes);
		member_offset(map->plan, s, m, k, &offset);
		at = plan_run_at(map, offset);
		CHECK_EQ_U64(at.stream, stream);
		CHECK_EQ_U64(at.stream_offset, run.stream_offset);
		for (uint64_t i = 0; i < run.nbytes; i++) {
			member_offset(map->plan, s, m, k + i, &offset);
			if (o->offsets[place + i] != offset)
				CHECK_EQ_U64(o->offsets[place + i], offset);
		}
	}
	for (k = there; k < there + 70; k++)
		CHECK_EQ_U64(plan_member_run(map, stream, member, k).nbytes, 0);
	CHECK_EQ_U64(plan_member_run(map, stream, member, UINT64_MAX).nbytes,
		     0);
}

static void check_members(const struct plan *plan, uint64_t size)
{
	struct plan_map map;
	struct oracle oracle;

	REQUIRE(plan_map_init(&map, plan, size, NULL) == NC3Z_OK);
	oracle_make(&oracle, plan, size);
	for (uint32_t i = 0; i < plan->nstreams; i++)
		for (uint32_t k = 0; k < plan->streams[i].nmembers; k++)
			check_member(&map, &oracle, i, k);
	oracle_release(&oracle);
	plan_map_release(&map);
}

static void test_members(void)
{
	uint64_t seed = 51;

	for (int i = 0; i < 1500; i++) {
		struct plan plan;

		if (i % 2)
			oracle_random_plan(&plan, &seed);
		else
			oracle_random_chunked_plan(&plan, &seed);
		REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
		for (int k = 0; k < 3; k++)
			check_members(&plan, check_random_below(&seed, 500));
		plan_release(&plan);
	}
}

/* A plan and what it was made from. */
struct made {
	struct shape shape;
	struct blob bytes;
	struct classic_header header;
	struct plan plan;
	struct hyperslab_variable *variables;
};

static bool make(struct made *m, uint32_t block_nbytes)
{
	struct plan_hint *hints = NULL;
	struct layout layout;
	bool more, ok;

	m->bytes = (struct blob){ 0 };
	shape_write(&m->shape, &m->bytes);
	ok = CHECK(classic_header_parse(m->bytes.data, m->bytes.nbytes, true,
					&m->header, &more, NULL) == NC3Z_OK) &&
	     CHECK(layout_of_header(&m->header, &layout, NULL) == NC3Z_OK) &&
	     CHECK(plan_shape(&m->header, &layout,
			      &(struct plan_shaping){ .block_nbytes =
							      block_nbytes },
			      &m->plan, &hints, NULL) == NC3Z_OK) &&
	     CHECK(hyperslab_variables_make(&m->plan, &m->header, &m->variables,
					    NULL) == NC3Z_OK);
	layout_release(&layout);
	free(hints);
	return ok;
}

static void release(struct made *m)
{
	free(m->variables);
	plan_release(&m->plan);
	classic_header_release(&m->header);
	blob_release(&m->bytes);
}

/* What the shape says of a variable. */
struct expected {
	uint64_t begin;
	uint64_t nbytes; /* of one record */
	uint64_t record_nbytes;
	uint64_t total;
};

static bool expect(const struct shape *shape, uint32_t v, struct expected *e)
{
	e->begin = shape->vars[v].begin;
	e->record_nbytes = 0;
	if (!shape_var_nbytes(shape, v, &e->nbytes))
		return false;
	e->total = e->nbytes;
	if (shape_is_record(shape, v)) {
		e->record_nbytes = shape_record_nbytes(shape);
		e->total *= shape->numrecs;
	}
	return true;
}

static uint64_t offset_of(const struct expected *e, uint64_t k)
{
	return e->begin + k / e->nbytes * e->record_nbytes + k % e->nbytes;
}

/* Bytes of a run, few of them if there are many. */
static void check_bytes(const struct plan_map *map, const struct expected *e,
			uint64_t k, const struct plan_run *run, uint64_t *seed)
{
	for (int i = 0; i < 8; i++) {
		uint64_t on = i < 4 ? (uint64_t)i :
				      check_random_below(seed, run->nbytes);
		struct plan_run at;

		if (i == 7)
			on = run->nbytes - 1;
		if (on >= run->nbytes)
			continue;
		REQUIRE(offset_of(e, k + on) < map->original_nbytes);
		at = plan_run_at(map, offset_of(e, k + on));
		CHECK_EQ_U64(at.stream, run->stream);
		CHECK_EQ_U64(at.stream_offset, run->stream_offset + on);
	}
}

static void check_variable(const struct made *m, const struct plan_map *map,
			   uint32_t v, uint64_t *seed)
{
	const struct hyperslab_variable *variable = &m->variables[v];
	struct expected e;
	uint64_t step = 1;

	if (!expect(&m->shape, v, &e))
		return;
	CHECK_EQ_U64(variable->nbytes, e.nbytes);
	for (uint64_t k = 0; k < e.total; k += step) {
		struct plan_run run = hyperslab_variable_run(map, variable, k);
		uint64_t most = e.total - k;

		step = 1 + check_random_below(seed, 1 + e.total / 50);
		if (offset_of(&e, k) < e.begin ||
		    offset_of(&e, k) >= map->original_nbytes) {
			CHECK_EQ_U64(run.nbytes, 0);
			continue;
		}
		if (!CHECK(run.nbytes > 0 && run.nbytes <= most))
			continue;
		check_bytes(map, &e, k, &run, seed);
	}
	CHECK_EQ_U64(hyperslab_variable_run(map, variable, e.total).nbytes, 0);
	CHECK_EQ_U64(hyperslab_variable_run(map, variable, UINT64_MAX).nbytes,
		     0);
}

/* The variable that a member belongs to in the plan has that member. */
static void check_places(const struct made *m)
{
	uint32_t nmembers = 0, nplaced = 0;

	for (uint32_t i = 0; i < m->plan.nstreams; i++)
		for (uint32_t k = 0; k < m->plan.streams[i].nmembers; k++) {
			uint32_t v = m->plan.streams[i].members[k].variable;

			if (v == PLAN_NO_VARIABLE)
				continue;
			nmembers++;
			REQUIRE(v < m->header.nvars);
			CHECK_EQ_U64(m->variables[v].stream, i);
			CHECK_EQ_U64(m->variables[v].member, k);
		}
	for (size_t v = 0; v < m->header.nvars; v++)
		nplaced += m->variables[v].stream != PLAN_NO_STREAM;
	CHECK_EQ_U64(nplaced, nmembers);
}

static void check_shape(struct made *m, uint64_t *seed)
{
	uint64_t end = shape_end(&m->shape);
	struct plan_map map;

	if (!make(m, (uint32_t)(1 + check_random_below(seed, 20000))))
		return;
	check_places(m);
	for (int i = 0; i < 3; i++) {
		uint64_t size = i ? check_random_below(seed, end + 1) :
				    end + check_random_below(seed, 9);

		REQUIRE(plan_map_init(&map, &m->plan, size, NULL) == NC3Z_OK);
		for (uint32_t v = 0; v < m->header.nvars; v++)
			check_variable(m, &map, v, seed);
		plan_map_release(&map);
	}
	release(m);
}

static void test_variables(void)
{
	static const struct shape_limits limits[] = {
		{ .max_length = 6, .max_nrecords = 40, .max_nvars = 12 },
		{ .max_length = 40, .max_nrecords = 9, .max_nvars = 6 },
	};
	struct made m;
	uint64_t seed = 52;

	for (int i = 0; i < 800; i++) {
		shape_random(&m.shape, &limits[i % 2], &seed);
		if (i % 3 == 0)
			shape_disturb(&m.shape, &seed);
		check_shape(&m, &seed);
	}
}

/* One fixed short[3] x 800 and one record of float[500], another of char. */
static void make_usual(struct made *m)
{
	m->shape = (struct shape){
		.version = 2,
		.numrecs = 5,
		.ndims = 4,
		.dims = { 0, 3, 801, 500 },
		.nvars = 3,
		.vars = {
			{ .type = 3, .rank = 2, .dimids = { 1, 2 } },
			{ .type = 5, .rank = 2, .dimids = { 0, 3 } },
			{ .type = 2, .rank = 2, .dimids = { 0, 1 } },
		},
	};
	shape_place(&m->shape, 0);
	make(m, 4096);
}

/* What the comment of hyperslab_variable.h says of padding. */
static void test_padding(void)
{
	const struct plan_member *member;
	struct plan_map map;
	struct made m;
	uint64_t end;

	make_usual(&m);
	REQUIRE(m.variables[0].stream != PLAN_NO_STREAM);
	REQUIRE(m.variables[1].stream != PLAN_NO_STREAM);
	CHECK(m.variables[2].stream == PLAN_NO_STREAM);
	end = shape_end(&m.shape);
	REQUIRE(plan_map_init(&map, &m.plan, end, NULL) == NC3Z_OK);
	member = m.plan.streams[m.variables[0].stream].members;
	CHECK_EQ_U64(m.variables[0].nbytes, 4806);
	CHECK_EQ_U64(member->nbytes, 4808);
	CHECK_EQ_U64(hyperslab_variable_run(&map, &m.variables[0], 4800).nbytes,
		     6);
	CHECK_EQ_U64(hyperslab_variable_run(&map, &m.variables[0], 4806).nbytes,
		     0);
	CHECK_EQ_U64(hyperslab_variable_run(&map, &m.variables[1], 0).nbytes,
		     10000);
	CHECK_EQ_U64(m.variables[2].record_nbytes, 2004);
	CHECK_EQ_U64(hyperslab_variable_run(&map, &m.variables[2], 4).nbytes,
		     2);
	plan_map_release(&map);
	release(&m);
}

/* A plan that gives a variable the bytes of something else is not followed. */
static void check_lie(void (*lie)(struct made *m), uint32_t variable)
{
	struct hyperslab_variable *variables;
	struct plan_map map;
	struct made m;
	uint64_t seed = 53;

	make_usual(&m);
	lie(&m);
	REQUIRE(hyperslab_variables_make(&m.plan, &m.header, &variables,
					 NULL) == NC3Z_OK);
	CHECK(m.variables[variable].stream != PLAN_NO_STREAM);
	CHECK(variables[variable].stream == PLAN_NO_STREAM);
	free(m.variables);
	m.variables = variables;
	REQUIRE(plan_map_init(&map, &m.plan, shape_end(&m.shape), NULL) ==
		NC3Z_OK);
	check_variable(&m, &map, variable, &seed);
	plan_map_release(&map);
	release(&m);
}

static struct plan_member *member_of(struct made *m, uint32_t v)
{
	return &m->plan.streams[m->variables[v].stream]
			.members[m->variables[v].member];
}

static void swap_variables(struct made *m)
{
	member_of(m, 0)->variable = 1;
	member_of(m, 1)->variable = 0;
}

static void no_variable(struct made *m)
{
	member_of(m, 1)->variable = 3;
}

/* Of the header: what the plan says no longer fits. */
static void shift_begin(struct made *m)
{
	m->header.vars[0].begin = --m->shape.vars[0].begin;
}

static void more_records(struct made *m)
{
	m->header.numrecs = ++m->shape.numrecs;
}

static void shorter_rows(struct made *m)
{
	m->header.dims[3].length = --m->shape.dims[3];
}

static void longer_records(struct made *m)
{
	m->header.dims[1].length = m->shape.dims[1] = 5;
}

static void longer_fixed(struct made *m)
{
	m->header.dims[2].length = ++m->shape.dims[2];
}

/* Records stay as long as they are, but have other shares. */
static void other_shares(struct made *m)
{
	shorter_rows(m);
	longer_records(m);
}

static void becomes_record(struct made *m)
{
	m->header.vars[0].dimids[0] = m->shape.vars[0].dimids[0] = 0;
}

static void test_lies(void)
{
	check_lie(swap_variables, 0);
	check_lie(swap_variables, 1);
	check_lie(no_variable, 1);
	check_lie(shift_begin, 0);
	check_lie(more_records, 1);
	check_lie(shorter_rows, 1);
	check_lie(longer_records, 1);
	check_lie(other_shares, 1);
	check_lie(longer_fixed, 0);
	check_lie(becomes_record, 0);
}

/* Variables of more bytes than there can be end with the original. */
static void test_too_large(void)
{
	struct plan_map map;
	struct made m;

	m.shape = (struct shape){
		.version = 5,
		.numrecs = UINT64_MAX - 1,
		.ndims = 2,
		.dims = { 0, UINT64_C(1) << 40 },
		.nvars = 3,
		.vars = {
			{ .type = 6, .rank = 2, .dimids = { 1, 1 } },
			{ .type = 6, .rank = 3, .dimids = { 0, 1, 1 } },
			{ .type = 6, .rank = 1, .dimids = { 0 } },
		},
	};
	for (uint32_t v = 0; v < m.shape.nvars; v++)
		m.shape.vars[v].begin = 1000;
	if (!make(&m, 4096))
		return;
	REQUIRE(plan_map_init(&map, &m.plan, 3000, NULL) == NC3Z_OK);
	for (uint32_t v = 0; v < m.shape.nvars; v++) {
		const struct hyperslab_variable *variable = &m.variables[v];

		CHECK(variable->stream == PLAN_NO_STREAM);
		CHECK_EQ_U64(hyperslab_variable_run(&map, variable, 0).nbytes,
			     v < 2 ? 2000 : 8);
		CHECK_EQ_U64(
			hyperslab_variable_run(&map, variable, 1999).nbytes,
			v < 2 ? 1 : 0);
		CHECK_EQ_U64(
			hyperslab_variable_run(&map, variable, 2000).nbytes, 0);
		CHECK_EQ_U64(hyperslab_variable_run(&map, variable,
						    UINT64_MAX - 1)
				     .nbytes,
			     0);
	}
	plan_map_release(&map);
	release(&m);
}

int main(void)
{
	RUN(test_members);
	RUN(test_variables);
	RUN(test_padding);
	RUN(test_lies);
	RUN(test_too_large);
	return check_report();
}
