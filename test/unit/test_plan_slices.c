/* SPDX-License-Identifier: MIT */
/*
 * Slices of random plans: they chunk the original, and their blocks are those
 * that by the oracle have bytes in them, each once.
 */
#include "check.h"
#include "oracle.h"
#include "plan/slices.h"

static bool has_bytes(const struct mapped *m, uint32_t stream, uint64_t block,
		      const struct plan_slices *slice)
{
	const struct oracle_stream *s = &m->oracle.streams[stream];
	const struct oracle_block *b = &s->blocks[block];

	for (uint64_t k = 0; k < b->nbytes; k++) {
		uint64_t offset = s->offsets[b->stream_offset + k];

		if (offset >= slice->begin && offset < slice->end)
			return true;
	}
	return false;
}

static unsigned times_listed(const struct plan_slices *slice, uint32_t stream,
			     uint64_t block)
{
	unsigned n = 0;

	for (size_t i = 0; i < slice->nblocks; i++)
		n += slice->blocks[i].stream == stream &&
		     slice->blocks[i].block == block;
	return n;
}

static void check_slice(const struct mapped *m, const struct plan_slices *slice)
{
	uint64_t nblocks = 0;

	for (uint32_t s = 0; s < m->plan.nstreams; s++)
		for (uint64_t b = 0; b < m->oracle.streams[s].nblocks; b++) {
			unsigned expected = has_bytes(m, s, b, slice);

			CHECK(times_listed(slice, s, b) == expected);
			nblocks += expected;
		}
	CHECK_EQ_U64(slice->nblocks, nblocks);
}

static void check_slices(const struct mapped *m, uint64_t max_nbytes)
{
	uint64_t counted, nblocks = 0, end = 0;
	struct plan_slices slices;

	REQUIRE(plan_slices_init(&slices, &m->map, max_nbytes, NULL) ==
		NC3Z_OK);
	CHECK(plan_slices_count(&slices, &counted, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slices.end, 0);
	while (slices.end < m->size) {
		REQUIRE(plan_slices_next(&slices, NULL) == NC3Z_OK);
		CHECK_EQ_U64(slices.begin, end);
		end = slices.end;
		REQUIRE(end > slices.begin);
		CHECK(end - slices.begin <= max_nbytes);
		check_slice(m, &slices);
		nblocks += slices.nblocks;
	}
	CHECK_EQ_U64(end, m->size);
	CHECK_EQ_U64(counted, nblocks);
	CHECK(plan_slices_next(&slices, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slices.nblocks, 0);
	plan_slices_release(&slices);
}

static void test_random(void)
{
	uint64_t seed = 81;

	for (int i = 0; i < 300; i++) {
		struct mapped m;

		if (!mapped_make(&m, i % 3 > 0, check_random_below(&seed, 700),
				 &seed))
			return;
		check_slices(&m, 1 + check_random_below(&seed, 90));
		check_slices(&m, 1 + check_random_below(&seed, 900));
		mapped_release(&m);
	}
}

/* 7 x 10 bytes in chunks of 2 x 5, alone in a file from byte 3 on. */
static void make_example(struct mapped *m)
{
	struct plan *plan = &m->plan;
	struct plan_stream *s = plan->streams =
		calloc(2, sizeof(*plan->streams));

	plan->nstreams = 2;
	s[0] = (struct plan_stream){ .width = 1,
				     .nmembers = 1,
				     .members =
					     calloc(1, sizeof(*s->members)) };
	s[0].members[0] = (struct plan_member){ .begin = 3, .nbytes = 70 };
	oracle_add_grid(&s[0], 2);
	s[0].grid->dims[0].length = 7;
	s[0].grid->dims[0].chunk = 2;
	s[0].grid->dims[1].length = 10;
	s[0].grid->dims[1].chunk = 5;
	s[1] = (struct plan_stream){ .width = 1,
				     .block_nbytes = 100,
				     .nmembers = 2,
				     .members =
					     calloc(2, sizeof(*s->members)) };
	s[1].members[0] = (struct plan_member){ .begin = 0, .nbytes = 3 };
	s[1].members[1] = (struct plan_member){
		.begin = 73,
		.nbytes = PLAN_OFFSET_END - 73,
	};
	REQUIRE(plan_finish(plan, NULL) == NC3Z_OK);
	REQUIRE(plan_map_init(&m->map, plan, 73, NULL) == NC3Z_OK);
}

/* Slices that can take a band end where bands do: nothing is met twice. */
static void test_bands(void)
{
	static const struct {
		uint64_t max_nbytes;
		uint64_t nblocks;
	} cases[] = {
		{ 73, 9 },
		{ 25, 9 },             /* 3, then band after band */
		{ 45, 9 },             /* 43, then the rest */
		{ 19, 1 + 3 * 3 + 2 }, /* the last byte of a band is apart */
		{ 10, 1 + 7 * 2 },     /* row after row */
	};
	struct mapped m = { .size = 73 };
	uint64_t nblocks;

	make_example(&m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plan_slices s;

		REQUIRE(plan_slices_init(&s, &m.map, cases[i].max_nbytes,
					 NULL) == NC3Z_OK);
		CHECK(plan_slices_count(&s, &nblocks, NULL) == NC3Z_OK);
		CHECK_EQ_U64(nblocks, cases[i].nblocks);
		plan_slices_release(&s);
	}
	CHECK_EQ_U64(plan_chunks_reach_nbytes(&m.plan, PLAN_OFFSET_END), 20);
	CHECK_EQ_U64(plan_chunks_reach_nbytes(&m.plan, 15), 15);
	plan_map_release(&m.map);
	plan_release(&m.plan);
}

int main(void)
{
	RUN(test_random);
	RUN(test_bands);
	return check_report();
}
