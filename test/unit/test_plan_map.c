/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "oracle.h"
#include "plan/walk.h"

/*
 * Where a block begins.  Chunks that are short begin where they would begin if
 * they were not: no earlier than the sum of the lengths, and no two overlap.
 */
static void check_begin(const struct mapped *m, uint32_t stream,
			const struct plan_block *b, uint64_t expected)
{
	struct plan_block before;

	if (!m->plan.streams[stream].grid) {
		CHECK_EQ_U64(b->stream_offset, expected);
		return;
	}
	CHECK(b->stream_offset >= expected);
	if (b->block == 0)
		return;
	before = plan_block_numbered(&m->map, stream, b->block - 1);
	CHECK(before.stream_offset + before.nbytes <= b->stream_offset);
}

static void check_blocks(const struct mapped *m, uint32_t stream)
{
	const struct oracle_stream *s = &m->oracle.streams[stream];

	for (uint64_t i = 0; i < s->nblocks; i++) {
		const struct oracle_block *expected = &s->blocks[i];
		struct plan_block b = plan_block_numbered(&m->map, stream, i);
		uint64_t begin = b.stream_offset;

		CHECK_EQ_U64(b.block, i);
		check_begin(m, stream, &b, expected->stream_offset);
		CHECK_EQ_U64(b.nbytes, expected->nbytes);
		for (uint64_t k = 0; k < expected->nbytes; k++) {
			b = plan_block_at(&m->map, stream, begin + k);
			/* Fewer checks are faster. */
			if (b.block == i && b.stream_offset == begin &&
			    b.nbytes == expected->nbytes)
				continue;
			CHECK_EQ_U64(b.block, i);
			CHECK_EQ_U64(b.stream_offset, begin);
			CHECK_EQ_U64(b.nbytes, expected->nbytes);
		}
	}
}

/* Where an offset of the original stands, NULL if nowhere. */
static const struct oracle_stream *find(const struct oracle *oracle,
					uint64_t offset, uint64_t *place_ret)
{
	for (uint32_t i = 0; i < oracle->nstreams; i++)
		for (uint64_t k = 0; k < oracle->streams[i].nbytes; k++)
			if (oracle->streams[i].offsets[k] == offset) {
				*place_ret = k;
				return &oracle->streams[i];
			}
	return NULL;
}

/* The place of a run, with a chunk's begin put to where its bytes would be. */
static uint64_t place_of(const struct mapped *m, const struct plan_run *run)
{
	struct plan_block b;

	if (!m->plan.streams[run->stream].grid)
		return run->stream_offset;
	b = plan_block_at(&m->map, run->stream, run->stream_offset);
	CHECK(run->nbytes <= b.stream_offset + b.nbytes - run->stream_offset);
	return m->oracle.streams[run->stream].blocks[b.block].stream_offset +
	       run->stream_offset - b.stream_offset;
}

/* A run in its block is the run, up to where the block ends. */
static void check_run_in_block(const struct mapped *m, uint64_t at,
			       const struct plan_run *run)
{
	struct plan_block found;
	struct plan_run part = plan_run_in_block(&m->map, at, &found);
	struct plan_block block =
		plan_block_at(&m->map, run->stream, run->stream_offset);
	uint64_t left = block.stream_offset + block.nbytes - run->stream_offset;

	CHECK_EQ_U64(found.block, block.block);
	CHECK_EQ_U64(found.stream_offset, block.stream_offset);
	CHECK_EQ_U64(found.nbytes, block.nbytes);
	CHECK_EQ_U64(part.stream, run->stream);
	CHECK_EQ_U64(part.stream_offset, run->stream_offset);
	CHECK_EQ_U64(part.nbytes, run->nbytes < left ? run->nbytes : left);
}

/* Every byte is where the oracle has it; a run does not leave its stream. */
static void check_runs(const struct mapped *m)
{
	for (uint64_t at = 0; at < m->map.original_nbytes; at++) {
		struct plan_run run = plan_run_at(&m->map, at);
		const struct oracle_stream *s;
		uint64_t place = 0;

		s = find(&m->oracle, at, &place);
		REQUIRE(s != NULL);
		CHECK_EQ_U64(run.stream, (uint64_t)(s - m->oracle.streams));
		CHECK_EQ_U64(place_of(m, &run), place);
		REQUIRE(run.nbytes > 0 && run.nbytes <= s->nbytes - place);
		for (uint64_t k = 0; k < run.nbytes; k++)
			if (s->offsets[place + k] != at + k)
				CHECK_EQ_U64(s->offsets[place + k], at + k);
		check_run_in_block(m, at, &run);
	}
}

/* What last_before says of the members of an incomplete last span. */
static void check_last_before(const struct mapped *m, uint32_t stream)
{
	const struct plan_stream *s = &m->plan.streams[stream];
	const struct plan_extent *extent = &m->map.extents[stream];
	const struct oracle_stream *o = &m->oracle.streams[stream];
	uint64_t span_begin =
		extent->nbytes / extent->span_nbytes * extent->span_nbytes;

	if (!extent->last_before)
		return;
	CHECK(o->nbytes > span_begin);
	for (uint32_t i = 0; i < s->nmembers; i++) {
		uint64_t k = span_begin + extent->last_before[i];
		uint64_t first;

		/* A member that has bytes there begins there. */
		if (!CHECK(k <= o->nbytes) || k == o->nbytes)
			continue;
		first = o->offsets[k] - s->members[i].begin;
		if (s->is_record)
			first %= m->plan.record_nbytes;
		if (i + 1 < s->nmembers &&
		    extent->last_before[i + 1] == extent->last_before[i])
			continue;
		CHECK_EQ_U64(first, 0);
	}
}

static void check_extents(const struct mapped *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->plan.nstreams; i++) {
		const struct plan_stream *s = &m->plan.streams[i];
		uint64_t whole = 0;

		for (uint32_t k = 0; k < s->nmembers; k++)
			whole += s->members[k].nbytes;
		whole *= s->is_record ? s->panel_nrecords : 1;
		if (s->grid && !s->is_record)
			whole = whole / s->grid->dims[0].length *
				s->grid->dims[0].chunk;
		CHECK_EQ_U64(m->map.extents[i].span_nbytes, whole);
		CHECK_EQ_U64(m->map.extents[i].nbytes,
			     m->oracle.streams[i].nbytes);
		CHECK_EQ_U64(m->map.extents[i].nblocks,
			     m->oracle.streams[i].nblocks);
		check_blocks(m, i);
		check_last_before(m, i);
		sum += m->map.extents[i].nbytes;
	}
	CHECK_EQ_U64(sum, m->map.original_nbytes);
}

typedef void make_fn(struct plan *plan, uint64_t *seed);

static void check_plan(make_fn *make, uint64_t *seed, uint64_t max_size)
{
	struct mapped m;
	uint64_t size;

	make(&m.plan, seed);
	REQUIRE(plan_finish(&m.plan, NULL) == NC3Z_OK);
	/* Anywhere, but more often near the end of what is planned. */
	size = plan_record_end(&m.plan) + check_random_below(seed, 120);
	if (size > max_size || check_random(seed) & 1)
		size = check_random_below(seed, max_size + 1);
	oracle_make(&m.oracle, &m.plan, size);
	REQUIRE(plan_map_init(&m.map, &m.plan, size, NULL) == NC3Z_OK);
	CHECK_EQ_U64(m.map.original_nbytes, size);
	check_extents(&m);
	check_runs(&m);
	plan_map_release(&m.map);
	CHECK(m.map.extents == NULL);
	plan_map_release(&m.map);
	oracle_release(&m.oracle);
	plan_release(&m.plan);
}

static void test_random_plans(void)
{
	uint64_t seed = 15;

	for (int i = 0; i < 1500; i++)
		check_plan(oracle_random_plan, &seed, 500);
	for (int i = 0; i < 1500; i++)
		check_plan(oracle_random_chunked_plan, &seed, 900);
}

/* One plan, every size. */
static void test_every_size(void)
{
	for (uint64_t first = 0; first < 30; first++)
		for (uint64_t size = 0; size < 160; size++) {
			uint64_t seed = 1000 + first;
			struct mapped m;

			if (first % 3 == 0)
				oracle_random_plan(&m.plan, &seed);
			else
				oracle_random_chunked_plan(&m.plan, &seed);
			REQUIRE(plan_finish(&m.plan, NULL) == NC3Z_OK);
			oracle_make(&m.oracle, &m.plan, size);
			REQUIRE(plan_map_init(&m.map, &m.plan, size, NULL) ==
				NC3Z_OK);
			check_extents(&m);
			check_runs(&m);
			plan_map_release(&m.map);
			oracle_release(&m.oracle);
			plan_release(&m.plan);
		}
}

/*
 * For an original without end, bytes are where they are in a finite one, but
 * for those of its last, incomplete panels.
 */
static void test_without_end(void)
{
	uint64_t seed = 16;

	for (int i = 0; i < 300; i++) {
		struct plan_map endless, finite;
		struct plan plan;
		uint64_t whole;

		oracle_random_plan(&plan, &seed);
		REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
		REQUIRE(plan_map_init(&endless, &plan, PLAN_OFFSET_END, NULL) ==
			NC3Z_OK);
		REQUIRE(plan_map_init(&finite, &plan, 2000, NULL) == NC3Z_OK);
		/* No panel has more than 6 records of 50 bytes. */
		whole = plan.nrecords == UINT64_MAX ? 1600 : 2000;
		for (uint64_t at = 0; at < whole; at += 7) {
			struct plan_run a = plan_run_at(&endless, at);
			struct plan_run b = plan_run_at(&finite, at);

			CHECK_EQ_U64(a.stream, b.stream);
			CHECK(plan.streams[a.stream].is_record ||
			      plan.streams[a.stream].nmembers > 1 ||
			      a.stream_offset == b.stream_offset);
			if (plan.streams[a.stream].is_record)
				CHECK_EQ_U64(a.stream_offset, b.stream_offset);
		}
		plan_map_release(&endless);
		plan_map_release(&finite);
		plan_release(&plan);
	}
}

/* Where a walk gets to next: mostly on, sometimes not so far, or elsewhere. */
static uint64_t walk_on(uint64_t at, uint64_t nbytes, uint64_t *seed)
{
	switch (check_random_below(seed, 40)) {
	case 0:
		return at / 2 + check_random_below(seed, at + 1);
	case 1:
	case 2:
		return at + 1 + check_random_below(seed, nbytes);
	default:
		return at + nbytes;
	}
}

/* A walk finds the same as a search, up to 'end'. */
static void check_walk(const struct plan_map *map, uint64_t end, uint64_t *seed)
{
	struct plan_walk walk;
	uint64_t at = 0;

	REQUIRE(plan_walk_init(&walk, map, NULL) == NC3Z_OK);
	for (int i = 0; i < 500 && at < end; i++) {
		struct plan_block expected, found;
		struct plan_run run = plan_run_in_block(map, at, &expected);
		struct plan_run got = plan_walk_run(&walk, at, &found);

		REQUIRE(got.nbytes > 0);
		CHECK_EQ_U64(got.stream, run.stream);
		CHECK_EQ_U64(got.stream_offset, run.stream_offset);
		CHECK_EQ_U64(got.nbytes, run.nbytes);
		CHECK_EQ_U64(found.block, expected.block);
		CHECK_EQ_U64(found.stream_offset, expected.stream_offset);
		CHECK_EQ_U64(found.nbytes, expected.nbytes);
		at = walk_on(at, got.nbytes, seed);
	}
	plan_walk_release(&walk);
}

static void test_walks(void)
{
	uint64_t seed = 17;

	for (int i = 0; i < 3000; i++) {
		uint64_t size = check_random_below(&seed, 2500);
		struct plan_map endless, finite;
		struct plan plan;

		if (i % 2 == 0)
			oracle_random_plan(&plan, &seed);
		else
			oracle_random_chunked_plan(&plan, &seed);
		REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
		REQUIRE(plan_map_init(&endless, &plan, PLAN_OFFSET_END, NULL) ==
			NC3Z_OK);
		REQUIRE(plan_map_init(&finite, &plan, size, NULL) == NC3Z_OK);
		check_walk(&endless, size, &seed);
		check_walk(&finite, size, &seed);
		plan_map_release(&endless);
		plan_map_release(&finite);
		plan_release(&plan);
	}
}

/* A plan of one stream that has everything. */
static void make_simple(struct plan *plan, uint32_t block_nbytes)
{
	*plan = (struct plan){ .nstreams = 1 };
	plan->streams = calloc(1, sizeof(*plan->streams));
	plan->streams[0] = (struct plan_stream){
		.width = 1,
		.block_nbytes = block_nbytes,
		.members = calloc(1, sizeof(*plan->streams[0].members)),
		.nmembers = 1,
	};
	plan->streams[0].members[0].nbytes = PLAN_OFFSET_END;
}

static void test_largest_originals(void)
{
	struct plan_block block;
	struct plan_map map;
	struct plan plan;
	struct plan_run run;

	make_simple(&plan, 1 << 20);
	REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
	REQUIRE(plan_map_init(&map, &plan, PLAN_OFFSET_END, NULL) == NC3Z_OK);
	CHECK_EQ_U64(map.extents[0].nbytes, PLAN_OFFSET_END);
	CHECK_EQ_U64(map.extents[0].nblocks, UINT64_C(1) << 43);
	run = plan_run_at(&map, PLAN_OFFSET_END - 1);
	CHECK_EQ_U64(run.stream_offset, PLAN_OFFSET_END - 1);
	CHECK_EQ_U64(run.nbytes, 1);
	block = plan_block_at(&map, 0, PLAN_OFFSET_END - 1);
	CHECK_EQ_U64(block.block, (UINT64_C(1) << 43) - 1);
	CHECK_EQ_U64(block.nbytes, (1 << 20) - 1);
	plan_map_release(&map);
	plan_release(&plan);
}

int main(void)
{
	RUN(test_random_plans);
	RUN(test_every_size);
	RUN(test_without_end);
	RUN(test_walks);
	RUN(test_largest_originals);
	return check_report();
}
