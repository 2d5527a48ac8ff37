/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "oracle.h"

/*
 * Two fixed streams and one of records of 12 bytes from 10 on, four of them:
 *
 *	0   4     10            58           70
 *	| a | b a | c d | c d | ... | b      | a ...
 */
static void make(struct plan *plan)
{
	static const struct plan_member a[] = {
		{ .variable = PLAN_NO_VARIABLE, .begin = 0, .nbytes = 4 },
		{ .variable = 1, .begin = 8, .nbytes = 2 },
		{ .variable = PLAN_NO_VARIABLE,
		  .begin = 70,
		  .nbytes = PLAN_OFFSET_END - 70 },
	};
	static const struct plan_member b[] = {
		{ .variable = 2, .begin = 4, .nbytes = 4 },
		{ .variable = 3, .begin = 58, .nbytes = 12 },
	};
	static const struct plan_member c[] = {
		{ .variable = 4, .begin = 10, .nbytes = 8 },
		{ .variable = 5, .begin = 18, .nbytes = 4 },
	};
	static const struct plan_stream streams[] = {
		{ .width = 1, .block_nbytes = 100, .nmembers = 3 },
		{ .width = 4, .block_nbytes = 10, .nmembers = 2 },
		{ .is_record = true,
		  .width = 2,
		  .block_nbytes = 24,
		  .panel_nrecords = 2,
		  .nmembers = 2 },
	};
	static const struct plan_member *const members[] = { a, b, c };

	*plan = (struct plan){ .header_nbytes = 4,
			       .record_begin = 10,
			       .record_nbytes = 12,
			       .nrecords = 4,
			       .nstreams = 3 };
	plan->streams = calloc(3, sizeof(*plan->streams));
	memcpy(plan->streams, streams, sizeof(streams));
	for (int i = 0; i < 3; i++) {
		size_t nbytes = streams[i].nmembers * sizeof(**members);

		plan->streams[i].members = malloc(nbytes);
		memcpy(plan->streams[i].members, members[i], nbytes);
	}
}

static void test_derived(void)
{
	struct plan plan;

	make(&plan);
	REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
	CHECK_EQ_U64(plan.streams[0].nbytes, 6 + PLAN_OFFSET_END - 70);
	CHECK_EQ_U64(plan.streams[1].nbytes, 16);
	CHECK_EQ_U64(plan.streams[2].nbytes, 12);
	CHECK_EQ_U64(plan.streams[0].members[0].before, 0);
	CHECK_EQ_U64(plan.streams[0].members[1].before, 4);
	CHECK_EQ_U64(plan.streams[0].members[2].before, 6);
	CHECK_EQ_U64(plan.streams[2].members[1].before, 8);
	CHECK_EQ_U64(plan_record_end(&plan), 58);
	REQUIRE(plan.fixed.count == 6 && plan.slots.count == 2);
	for (size_t i = 1; i < plan.fixed.count; i++)
		CHECK(plan.fixed.list[i - 1].begin < plan.fixed.list[i].begin);
	CHECK_EQ_U64(plan.fixed.list[3].begin, 10);
	CHECK_EQ_U64(plan.fixed.list[3].stream, UINT32_MAX);
	CHECK_EQ_U64(plan.fixed.list[4].stream, 1);
	CHECK_EQ_U64(plan.fixed.list[4].member, 1);
	CHECK_EQ_U64(plan.slots.list[1].member, 1);
	plan_release(&plan);
	CHECK(plan.streams == NULL && plan.fixed.list == NULL);
	plan_release(&plan);
}

static void test_random_plans(void)
{
	uint64_t seed = 17;

	for (int i = 0; i < 2000; i++) {
		struct nc3z_error err;
		struct plan plan;

		if (i % 2)
			oracle_random_plan(&plan, &seed);
		else
			oracle_random_chunked_plan(&plan, &seed);
		CHECK(plan_finish(&plan, &err) == NC3Z_OK);
		plan_release(&plan);
	}
}

/* One of several ways to make something wrong. */
#define SPOIL(what, ...) \
	if (which-- == 0) { \
		__VA_ARGS__; \
		return what; \
	}

/* Each makes one thing wrong; NULL if there are no more. */
static const char *spoil(struct plan *plan, unsigned which)
{
	struct plan_stream *s = plan->streams;
	struct plan_member swap;

	SPOIL("width", s[0].width = 3);
	SPOIL("width of 0", s[2].width = 0);
	SPOIL("block of nothing", s[0].block_nbytes = 0);
	SPOIL("block too large", s[0].block_nbytes = NC3Z_BLOCK_NBYTES_MAX + 1);
	SPOIL("panel of a fixed stream", s[1].panel_nrecords = 1);
	SPOIL("no panel of a record stream", s[2].panel_nrecords = 0);
	SPOIL("panel too long",
	      s[2].panel_nrecords = PLAN_PANEL_NRECORDS_MAX + 1);
	SPOIL("no members", s[1].nmembers = 0);
	SPOIL("empty member", s[1].members[0].nbytes = 0);
	SPOIL("hole", s[1].members[0].nbytes = 3);
	SPOIL("overlap", s[1].members[0].nbytes = 5);
	SPOIL("moved", s[1].members[0].begin = 5);
	SPOIL("twice", s[1].members[0] = s[1].members[1]);
	SPOIL("ends before the end", s[0].members[2].nbytes--);
	SPOIL("ends behind the end", s[0].members[2].nbytes++);
	SPOIL("length that wraps", s[0].members[2].nbytes = UINT64_MAX);
	SPOIL("begin that wraps", s[0].members[2].begin = UINT64_MAX);
	SPOIL("hole in the record", s[2].members[1].nbytes = 3);
	SPOIL("slot of the second record", s[2].members[1].begin = 30);
	SPOIL("no records", plan->nrecords = 0);
	SPOIL("records over a fixed member", plan->nrecords = 5);
	SPOIL("slots without a record", plan->record_nbytes = 0);
	SPOIL("record too long", plan->record_nbytes = 13);
	SPOIL("record section moved", plan->record_begin = 9);
	SPOIL("record section behind the end",
	      plan->record_begin = PLAN_OFFSET_END + 1);
	SPOIL("record that wraps", plan->record_nbytes = UINT64_MAX - 5);
	SPOIL("stream missing", plan->nstreams = 2; free(s[2].members));
	SPOIL("records as a fixed stream", s[2].is_record = false;
	      s[2].panel_nrecords = 0);
	SPOIL("header too long", plan->header_nbytes = (1 << 26) + 1);
	SPOIL("members of a fixed stream out of order", swap = s[0].members[0];
	      s[0].members[0] = s[0].members[1]; s[0].members[1] = swap);
	SPOIL("members of a record out of order", swap = s[2].members[0];
	      s[2].members[0] = s[2].members[1]; s[2].members[1] = swap);
	SPOIL("panel of two members in two blocks", s[2].block_nbytes = 23);
	return NULL;
}

/* What comes close to a violation. */
static void test_allowed(void)
{
	struct plan plan;

	make(&plan);
	plan.header_nbytes = 1 << 26;
	CHECK(plan_finish(&plan, NULL) == NC3Z_OK);
	plan_release(&plan);
	make(&plan);
	plan.streams[2].block_nbytes = 5; /* panels of one record */
	plan.streams[2].panel_nrecords = 1;
	CHECK(plan_finish(&plan, NULL) == NC3Z_OK);
	plan_release(&plan);
}

/* Without a record section nothing says where it begins, or how long it is. */
static void test_no_records(void)
{
	for (unsigned i = 0; i < 3; i++) {
		struct plan_member member = { .nbytes = PLAN_OFFSET_END };
		struct plan_stream stream = { .width = 1,
					      .block_nbytes = 100,
					      .nmembers = 1,
					      .members = &member };
		struct plan plan = { .record_begin = i == 1,
				     .nrecords = i == 2,
				     .nstreams = 1,
				     .streams = &stream };

		CHECK(plan_finish(&plan, NULL) ==
		      (i == 0 ? NC3Z_OK : NC3Z_EDAMAGED));
		free(plan.fixed.list);
		free(plan.slots.list);
	}
}

static void check_violations(void (*make_plan)(struct plan *),
			     const char *(*spoil_one)(struct plan *, unsigned))
{
	for (unsigned which = 0;; which++) {
		struct nc3z_error err = { 0 };
		const char *what;
		struct plan plan;

		make_plan(&plan);
		what = spoil_one(&plan, which);
		if (what && !CHECK(plan_finish(&plan, &err) == NC3Z_EDAMAGED))
			printf("  %s\n", what);
		CHECK(!what || err.status == NC3Z_EDAMAGED);
		plan_release(&plan);
		if (!what)
			break;
	}
}

static void test_violations(void)
{
	check_violations(make, spoil);
}

/* Panels whose bytes do not fit into 64 bits. */
static void test_panel_too_large(void)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct plan_stream *s;
		struct plan plan = {
			.record_nbytes = (UINT64_C(1) << 33) + more,
			.nrecords = UINT64_MAX,
			.nstreams = 1,
		};

		plan.streams = s = calloc(1, sizeof(*s));
		*s = (struct plan_stream){ .is_record = true,
					   .width = 8,
					   .block_nbytes = 1000,
					   .panel_nrecords = 1u << 31,
					   .nmembers = 1 };
		s->members = calloc(1, sizeof(*s->members));
		s->members[0].nbytes = plan.record_nbytes;
		CHECK(plan_finish(&plan, NULL) == NC3Z_EDAMAGED);
		plan_release(&plan);
	}
}

/*
 * A header of 10 bytes, short[3][4][5] in chunks of [2][4][3], and records of
 * float[2][3] in chunks of [7][2][2] beside six bytes of something else.
 */
static void make_chunked(struct plan *plan)
{
	static const struct plan_member members[] = {
		{ .variable = PLAN_NO_VARIABLE, .begin = 0, .nbytes = 10 },
		{ .variable = 0, .begin = 10, .nbytes = 120 },
		{ .variable = 1, .begin = 130, .nbytes = 24 },
		{ .variable = PLAN_NO_VARIABLE, .begin = 154, .nbytes = 6 },
	};
	static const struct plan_grid_dim dims[2][3] = {
		{ { .length = 3, .chunk = 2 },
		  { .length = 4, .chunk = 4 },
		  { .length = 5, .chunk = 3 } },
		{ { .chunk = 7 },
		  { .length = 2, .chunk = 2 },
		  { .length = 3, .chunk = 2 } },
	};

	*plan = (struct plan){ .record_begin = 130,
			       .record_nbytes = 30,
			       .nrecords = UINT64_MAX,
			       .nstreams = 4 };
	plan->streams = calloc(4, sizeof(*plan->streams));
	for (uint32_t i = 0; i < 4; i++) {
		struct plan_stream *s = &plan->streams[i];

		*s = (struct plan_stream){ .is_record = i >= 2,
					   .width = i == 1 ? 2 : 4,
					   .block_nbytes = 64,
					   .panel_nrecords = i >= 2,
					   .nmembers = 1 };
		s->members = calloc(1, sizeof(*s->members));
		*s->members = members[i];
		if (i == 1 || i == 2)
			memcpy(oracle_add_grid(s, 3)->dims, dims[i - 1],
			       sizeof(dims[0]));
	}
}

static void test_derived_chunks(void)
{
	const struct plan_stream *s;
	struct plan plan;

	make_chunked(&plan);
	REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
	s = &plan.streams[1];
	CHECK_EQ_U64(s->block_nbytes, 48);
	CHECK_EQ_U64(s->panel_nrecords, 0);
	CHECK_EQ_U64(s->grid->run_dim, 2);
	CHECK_EQ_U64(s->grid->dims[0].weight, 20);
	CHECK_EQ_U64(s->grid->dims[0].chunk_weight, 2);
	s = &plan.streams[2];
	CHECK_EQ_U64(s->block_nbytes, 112);
	CHECK_EQ_U64(s->panel_nrecords, 7);
	CHECK_EQ_U64(s->grid->dims[0].nindices,
		     (PLAN_OFFSET_END - 130) / 30 + 1);
	CHECK_EQ_U64(plan_reach_nbytes(&plan), PLAN_WINDOW_NBYTES);
	plan_release(&plan);
	make_chunked(&plan);
	plan.nrecords = 5;
	plan.streams[0].members[0].nbytes += 2;
	CHECK(plan_finish(&plan, NULL) == NC3Z_EDAMAGED);
	CHECK_EQ_U64(plan.streams[2].grid->dims[0].nindices, 5);
	plan_release(&plan);
}

/* The records of a band, and what lies between them. */
static void test_reach(void)
{
	struct plan plan;

	make_chunked(&plan);
	plan.streams[2].grid->dims[0].chunk = 2000000;
	REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
	CHECK_EQ_U64(plan_reach_nbytes(&plan), 60000000);
	plan_release(&plan);
}

/* Each makes one thing of the chunks wrong; NULL if there are no more. */
static const char *spoil_chunks(struct plan *plan, unsigned which)
{
	struct plan_stream *s = plan->streams;
	struct plan_grid *fixed = s[1].grid, *record = s[2].grid;

	SPOIL("chunk of nothing", fixed->dims[1].chunk = 0);
	SPOIL("chunk beyond its dimension", fixed->dims[1].chunk = 5);
	SPOIL("chunk of no records", record->dims[0].chunk = 0);
	SPOIL("length of the records", record->dims[0].length = 9);
	SPOIL("no length", fixed->dims[0].length = 0);
	SPOIL("more than the member has", fixed->dims[0].length = 4);
	SPOIL("less than the member has", fixed->dims[0].length = 2);
	SPOIL("wider elements", s[1].width = 4);
	SPOIL("less than a record has", record->dims[2].length = 2);
	SPOIL("chunk too large", record->dims[0].chunk = (1 << 26) / 16 + 1);
	SPOIL("chunk of bytes that wrap",
	      fixed->dims[0].length = fixed->dims[0].chunk = UINT32_C(3) << 30;
	      fixed->dims[1].length = fixed->dims[1].chunk = UINT32_C(3) << 30);
	SPOIL("elements that wrap", fixed->dims[0].length = UINT64_MAX);
	SPOIL("no width", s[1].width = 0);
	SPOIL("no member", s[1].nmembers = 0);
	SPOIL("no records", plan->nrecords = 0);
	SPOIL("records of nothing", plan->record_nbytes = 0);
	SPOIL("member that wraps", s[2].members[0].begin = UINT64_MAX);
	SPOIL("no dimension", fixed->rank = 0);
	SPOIL("another rank", fixed->dims[0].length = 12; fixed->rank = 2);
	SPOIL("records as a fixed stream", s[2].is_record = false);
	SPOIL("fixed stream as records", s[1].is_record = true);
	return NULL;
}

static void test_chunk_violations(void)
{
	check_violations(make_chunked, spoil_chunks);
}

/* Of two members, and of more dimensions than there may be. */
static void test_other_chunk_violations(void)
{
	struct plan_grid *t;
	struct plan_stream *s;
	struct plan plan;

	make_chunked(&plan);
	s = &plan.streams[1];
	s->members = realloc(s->members, 2 * sizeof(*s->members));
	s->members[0].nbytes = 60;
	s->members[1] = s->members[0];
	s->members[1].begin += 60;
	s->nmembers = 2;
	CHECK(plan_finish(&plan, NULL) == NC3Z_EDAMAGED);
	plan_release(&plan);
	for (uint32_t rank = 32; rank < 34; rank++) {
		make_chunked(&plan);
		s = &plan.streams[1];
		free(s->grid);
		t = oracle_add_grid(s, rank);
		for (uint32_t k = 0; k < rank; k++)
			t->dims[k] = (struct plan_grid_dim){ 1, 1, 0, 0, 0 };
		t->dims[7].length = 60;
		CHECK(plan_finish(&plan, NULL) ==
		      (rank == 32 ? NC3Z_OK : NC3Z_EDAMAGED));
		plan_release(&plan);
	}
}

static void test_record_end(void)
{
	struct plan plan = { .record_begin = 100, .record_nbytes = 10 };

	CHECK_EQ_U64(plan_record_end(&plan), 100);
	plan.nrecords = 7;
	CHECK_EQ_U64(plan_record_end(&plan), 170);
	plan.nrecords = UINT64_MAX;
	CHECK_EQ_U64(plan_record_end(&plan), PLAN_OFFSET_END);
	plan.nrecords = PLAN_OFFSET_END / 10;
	CHECK_EQ_U64(plan_record_end(&plan), PLAN_OFFSET_END);
	plan.record_begin = 7;
	CHECK_EQ_U64(plan_record_end(&plan), PLAN_OFFSET_END);
	plan.record_begin = 0;
	CHECK_EQ_U64(plan_record_end(&plan), PLAN_OFFSET_END / 10 * 10);
	plan.record_nbytes = 0;
	CHECK_EQ_U64(plan_record_end(&plan), 0);
}

int main(void)
{
	RUN(test_derived);
	RUN(test_random_plans);
	RUN(test_allowed);
	RUN(test_no_records);
	RUN(test_violations);
	RUN(test_panel_too_large);
	RUN(test_record_end);
	RUN(test_derived_chunks);
	RUN(test_reach);
	RUN(test_chunk_violations);
	RUN(test_other_chunk_violations);
	return check_report();
}
