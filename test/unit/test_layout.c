/* SPDX-License-Identifier: MIT */
/*
 * Layouts of hand-made headers against extents written down by hand; those of
 * random ones have no gaps and no overlaps.
 */
#include "check.h"
#include "classic/layout.h"
#include "shape.h"

__extension__ typedef unsigned __int128 wide;

#define NONE CLASSIC_NO_VARIABLE
#define END CLASSIC_OFFSET_END

/* A layout and what it was made from. */
struct made {
	struct blob bytes;
	struct classic_header header;
	struct layout layout;
};

static bool make(const struct shape *shape, struct made *m)
{
	bool more;

	*m = (struct made){ 0 };
	shape_write(shape, &m->bytes);
	return CHECK(classic_header_parse(m->bytes.data, m->bytes.nbytes, true,
					  &m->header, &more,
					  NULL) == NC3Z_OK) &&
	       CHECK(layout_of_header(&m->header, &m->layout, NULL) == NC3Z_OK);
}

static void release(struct made *m)
{
	layout_release(&m->layout);
	layout_release(&m->layout);
	classic_header_release(&m->header);
	blob_release(&m->bytes);
}

static void check_extents(const struct layout_extents *found,
			  const struct layout_extent *expected, size_t count)
{
	CHECK_EQ_U64(found->count, count);
	for (size_t i = 0; i < count && i < found->count; i++) {
		CHECK_EQ_U64(found->list[i].begin, expected[i].begin);
		CHECK_EQ_U64(found->list[i].nbytes, expected[i].nbytes);
		CHECK_EQ_U64(found->list[i].variable, expected[i].variable);
	}
}

#define CHECK_EXTENTS(found, ...) \
	check_extents((found), (struct layout_extent[]){ __VA_ARGS__ }, \
		      sizeof((struct layout_extent[]){ __VA_ARGS__ }) / \
			      sizeof(struct layout_extent))

/* x of 5, the record dimension, y of 3; no variables yet. */
static struct shape shape_of(uint8_t version, uint64_t numrecs)
{
	return (struct shape){ .version = version,
			       .numrecs = numrecs,
			       .ndims = 3,
			       .dims = { 5, 0, 3 } };
}

static void add_var(struct shape *shape, uint32_t type, uint32_t rank,
		    uint32_t dimid0, uint32_t dimid1)
{
	shape->vars[shape->nvars++] = (struct shape_var){
		.type = type,
		.rank = rank,
		.dimids = { dimid0, dimid1 },
	};
}

/*
 * A layout.  Offsets are counted from the end of the header; the first fixed
 * extent begins with the file, and the last one ends where offsets end.
 */
struct layout_case {
	const char *name;
	uint8_t version;
	uint64_t numrecs;
	bool is_placed; /* 'gap' bytes after the header, as libnetcdf does */
	uint64_t gap;
	uint32_t nvars;
	struct shape_var vars[4];
	size_t nfixed, nslots;
	struct {
		uint64_t begin, end;
		uint32_t variable;
	} fixed[5], slots[4];
	uint64_t record_nbytes; /* that of 'slots[0]' is where records begin */
	uint32_t nmisplaced, first_misplaced;
	uint64_t data_end;
};

#define VAR(type, rank, dimid0, dimid1, at) \
	{ \
		CLASSIC_##type, rank, { dimid0, dimid1 }, 0, (uint64_t)(at) \
	}

static const struct layout_case layout_cases[] = {
	{ "no variables", 1, 7, .nfixed = 1, .fixed = { { 0, 0, NONE } } },
	/* Shorts of 5: 10 bytes and 2 of padding, which are the variable's. */
	{ "fixed with padding", 1, .is_placed = true, .nvars = 2,
	  .vars = { VAR(SHORT, 1, 0, 0, 0), VAR(INT, 1, 2, 0, 0) }, .nfixed = 4,
	  .fixed = { { 0, 0, NONE },
		     { 0, 12, 0 },
		     { 12, 24, 1 },
		     { 24, 0, NONE } },
	  .data_end = 24 },
	/* Its padding may not be there, but nothing else is. */
	{ "padding at the end", 2, .is_placed = true, .gap = 16, .nvars = 1,
	  .vars = { VAR(CHAR, 1, 0, 0, 0) }, .nfixed = 3,
	  .fixed = { { 0, 16, NONE }, { 16, 24, 0 }, { 24, 0, NONE } },
	  .data_end = 21 },
	/* Where something begins in the padding, the variable goes without. */
	{ "padding taken", 1, .nvars = 2,
	  .vars = { VAR(SHORT, 1, 0, 0, 0), VAR(BYTE, 1, 2, 0, 10) },
	  .nfixed = 4,
	  .fixed = { { 0, 0, NONE },
		     { 0, 10, 0 },
		     { 10, 14, 1 },
		     { 14, 0, NONE } },
	  .data_end = 13 },
	{ "scalar", 5, .is_placed = true, .nvars = 1,
	  .vars = { VAR(DOUBLE, 0, 0, 0, 0) }, .nfixed = 3,
	  .fixed = { { 0, 0, NONE }, { 0, 8, 0 }, { 8, 0, NONE } },
	  .data_end = 8 },
	/* Of 10 bytes: records follow without padding. */
	{ "lone record variable", 1, 4, .is_placed = true, .nvars = 1,
	  .vars = { VAR(SHORT, 2, 1, 0, 0) }, .nfixed = 2,
	  .fixed = { { 0, 0, NONE }, { 40, 0, NONE } }, .nslots = 1,
	  .slots = { { 0, 10, 0 } }, .record_nbytes = 10, .data_end = 40 },
	/* Each is padded, and the padding is a slot of nobody. */
	{ "padded records", 2, 3, .is_placed = true, .nvars = 3,
	  .vars = { VAR(SHORT, 2, 1, 0, 0), VAR(BYTE, 2, 1, 2, 0),
		    VAR(INT, 1, 0, 0, 0) },
	  .nfixed = 3,
	  .fixed = { { 0, 0, NONE }, { 0, 20, 2 }, { 68, 0, NONE } },
	  .nslots = 4,
	  .slots = { { 20, 30, 0 },
		     { 30, 32, NONE },
		     { 32, 35, 1 },
		     { 35, 36, NONE } },
	  .record_nbytes = 16, .data_end = 20 + 32 + 15 },
	{ "no records", 1, .is_placed = true, .nvars = 1,
	  .vars = { VAR(SHORT, 2, 1, 0, 0) }, .nfixed = 1,
	  .fixed = { { 0, 0, NONE } } },
	{ "record variables in another order, after a gap", 1, 2, .nvars = 3,
	  .vars = { VAR(INT, 1, 1, 0, 28), VAR(INT, 2, 1, 2, 16),
		    VAR(DOUBLE, 1, 1, 0, 8) },
	  .nfixed = 2, .fixed = { { 0, 8, NONE }, { 56, 0, NONE } },
	  .nslots = 3, .slots = { { 8, 16, 2 }, { 16, 28, 1 }, { 28, 32, 0 } },
	  .record_nbytes = 24, .data_end = 56 },
	/* Outside of the first record, inside the header: no slot, no end. */
	{ "misplaced record variables", 1, 2, .nvars = 3,
	  .vars = { VAR(INT, 1, 1, 0, 0), VAR(INT, 1, 1, 0, 10),
		    VAR(INT, 1, 1, 0, -4) },
	  .nfixed = 2, .fixed = { { 0, 0, NONE }, { 24, 0, NONE } },
	  .nslots = 2, .slots = { { 0, 4, 0 }, { 4, 12, NONE } },
	  .record_nbytes = 12, .nmisplaced = 2, .first_misplaced = 1,
	  .data_end = 16 },
	/* 0 in the header; 2 over 1; 3 between these. */
	{ "fixed overlaps", 1, .nvars = 4,
	  .vars = { VAR(INT, 1, 0, 0, -1), VAR(INT, 1, 0, 0, 8),
		    VAR(INT, 1, 0, 0, 24), VAR(INT, 1, 0, 0, 28) },
	  .nfixed = 4,
	  .fixed = { { 0, 8, NONE },
		     { 8, 28, 1 },
		     { 28, 48, 3 },
		     { 48, 0, NONE } },
	  .nmisplaced = 2, .first_misplaced = 0, .data_end = 48 },
	/* Records go before a fixed variable that lies in the last of them. */
	{ "fixed inside records, and after them", 1, 10, .nvars = 3,
	  .vars = { VAR(INT, 1, 1, 0, 0), VAR(INT, 1, 0, 0, 36),
		    VAR(SHORT, 0, 0, 0, 40) },
	  .nfixed = 3,
	  .fixed = { { 0, 0, NONE }, { 40, 44, 2 }, { 44, 0, NONE } },
	  .nslots = 1, .slots = { { 0, 4, 0 } }, .record_nbytes = 4,
	  .nmisplaced = 1, .first_misplaced = 1, .data_end = 56 },
	{ "padding that would reach into the records", 1, 10, .nvars = 2,
	  .vars = { VAR(INT, 1, 1, 0, 5), VAR(CHAR, 1, 0, 0, 0) }, .nfixed = 3,
	  .fixed = { { 0, 0, NONE }, { 0, 5, 1 }, { 45, 0, NONE } },
	  .nslots = 1, .slots = { { 5, 9, 0 } }, .record_nbytes = 4,
	  .data_end = 45 },
};

static void check_case(const struct layout_case *c)
{
	struct shape shape = shape_of(c->version, c->numrecs);
	struct layout_extent fixed[5], slots[4];
	uint64_t h;
	struct made m;

	shape.nvars = c->nvars;
	memcpy(shape.vars, c->vars, sizeof(c->vars));
	h = shape_header_nbytes(&shape);
	for (uint32_t i = 0; i < c->nvars; i++)
		shape.vars[i].begin += h;
	if (c->is_placed)
		shape_place(&shape, c->gap);
	REQUIRE(make(&shape, &m));
	for (size_t i = 0; i < c->nfixed; i++) {
		uint64_t begin = i > 0 ? h + c->fixed[i].begin : 0;
		uint64_t end = i + 1 < c->nfixed ? h + c->fixed[i].end : END;

		fixed[i] = (struct layout_extent){ begin, end - begin,
						   c->fixed[i].variable };
	}
	for (size_t i = 0; i < c->nslots; i++)
		slots[i] = (struct layout_extent){ h + c->slots[i].begin,
						   c->slots[i].end -
							   c->slots[i].begin,
						   c->slots[i].variable };
	check_extents(&m.layout.fixed, fixed, c->nfixed);
	check_extents(&m.layout.slots, slots, c->nslots);
	CHECK_EQ_U64(m.layout.record_nbytes, c->record_nbytes);
	if (c->record_nbytes > 0) {
		uint64_t begin = h + c->slots[0].begin;

		CHECK_EQ_U64(m.layout.record_begin, begin);
		CHECK_EQ_U64(m.layout.nrecords, c->numrecs);
		CHECK_EQ_U64(layout_record_end(&m.layout),
			     begin + c->numrecs * c->record_nbytes);
	}
	CHECK_EQ_U64(m.layout.nmisplaced, c->nmisplaced);
	if (c->nmisplaced > 0)
		CHECK_EQ_U64(m.layout.first_misplaced, c->first_misplaced);
	CHECK_EQ_U64(m.layout.data_end, h + c->data_end);
	CHECK(layout_is_gapless(&m.layout));
	release(&m);
}

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof(layout_cases) / sizeof(*layout_cases);
	     i++) {
		unsigned long before = check_state.nfailed;

		check_case(&layout_cases[i]);
		if (check_state.nfailed != before)
			printf("  %s\n", layout_cases[i].name);
	}
}

/* More records than there are offsets. */
static void test_records_clipped(void)
{
	static const struct {
		uint8_t version;
		uint64_t numrecs;
		uint64_t expected;
	} cases[] = {
		{ 5, UINT64_MAX, UINT64_MAX }, /* indeterminate */
		{ 5, UINT64_MAX - 1, UINT64_MAX - 1 },
		{ 5, UINT64_C(1) << 62, UINT64_C(1) << 62 },
		{ 1, UINT32_MAX, UINT64_MAX },
		{ 2, UINT32_MAX, UINT64_MAX },
	};

	for (size_t i = 0; i < 5; i++) {
		struct shape shape =
			shape_of(cases[i].version, cases[i].numrecs);
		struct made m;

		add_var(&shape, CLASSIC_INT, 2, 1, 0);
		shape_place(&shape, 0);
		REQUIRE(make(&shape, &m));
		CHECK_EQ_U64(m.layout.nrecords, cases[i].expected);
		CHECK_EQ_U64(layout_record_end(&m.layout), END);
		CHECK_EXTENTS(&m.layout.fixed, { 0, m.header.nbytes, NONE });
		CHECK_EXTENTS(&m.layout.slots, { m.header.nbytes, 20, 0 });
		CHECK(layout_is_gapless(&m.layout));
		release(&m);
	}
}

/* With indeterminate records only the bytes that are there count. */
static void test_data_end_of_indeterminate(void)
{
	struct shape shape = shape_of(1, UINT32_MAX);
	struct made m;

	add_var(&shape, CLASSIC_INT, 2, 1, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	CHECK_EQ_U64(m.layout.data_end, m.header.nbytes);
	release(&m);
}

/* A variable that does not fit below END, and one that just fits. */
static void test_far_away(void)
{
	for (uint64_t past = 0; past < 2; past++) {
		struct shape shape = shape_of(5, 0);
		struct made m;
		uint64_t begin = END - 7 - 20 + 4 * past;

		add_var(&shape, CLASSIC_INT, 1, 0, 0);
		shape.vars[0].begin = begin;
		REQUIRE(make(&shape, &m));
		CHECK(layout_is_gapless(&m.layout));
		CHECK_EQ_U64(m.layout.nmisplaced, 0);
		CHECK_EQ_U64(m.layout.data_end, begin + 20);
		release(&m);
		shape.vars[0].begin = begin + 8;
		REQUIRE(make(&shape, &m));
		CHECK(layout_is_gapless(&m.layout));
		CHECK_EQ_U64(m.layout.nmisplaced, 1);
		CHECK_EXTENTS(&m.layout.fixed, { 0, END, NONE });
		CHECK_EQ_U64(m.layout.data_end, END);
		release(&m);
	}
}

static void test_overflowing_shapes(void)
{
	struct shape shape = { .version = 5,
			       .numrecs = 3,
			       .ndims = 3,
			       .dims = { UINT64_C(1) << 40, 0,
					 UINT64_C(1) << 33 } };
	struct made m;

	add_var(&shape, CLASSIC_BYTE, 2, 0, 2); /* 2^73 bytes */
	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	add_var(&shape, CLASSIC_DOUBLE, 1, 0, 0); /* 2^43 bytes */
	shape.vars[0].begin = shape.vars[1].begin = shape.vars[2].begin =
		shape_header_nbytes(&shape);
	shape.vars[2].begin += 12;
	REQUIRE(make(&shape, &m));
	CHECK(layout_is_gapless(&m.layout));
	CHECK_EQ_U64(m.layout.nmisplaced, 1);
	CHECK_EQ_U64(m.layout.first_misplaced, 0);
	CHECK_EQ_U64(m.layout.record_nbytes, 4);
	release(&m);
	/* A record that does not fit: then there is no record section. */
	shape.vars[0].dimids[0] = 1;
	shape.vars[0].dimids[1] = 0;
	shape.vars[0].rank = 3;
	shape.vars[0].dimids[2] = 2;
	REQUIRE(make(&shape, &m));
	CHECK(layout_is_gapless(&m.layout));
	CHECK_EQ_U64(m.layout.record_nbytes, 0);
	CHECK_EQ_U64(m.layout.nmisplaced, 2);
	release(&m);
}

/* Whether layout_is_gapless() sees a hole, an overlap and an empty extent. */
static void test_chunks_can_fail(void)
{
	struct shape shape = shape_of(1, 3);
	struct made m;

	add_var(&shape, CLASSIC_SHORT, 2, 1, 0);
	add_var(&shape, CLASSIC_SHORT, 2, 1, 0);
	add_var(&shape, CLASSIC_INT, 1, 0, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	CHECK(layout_is_gapless(&m.layout));
	for (size_t i = 0; i < m.layout.fixed.count; i++) {
		m.layout.fixed.list[i].nbytes++;
		CHECK(!layout_is_gapless(&m.layout));
		m.layout.fixed.list[i].nbytes -= 2;
		CHECK(!layout_is_gapless(&m.layout));
		m.layout.fixed.list[i].nbytes++;
		m.layout.fixed.list[i].begin++;
		CHECK(!layout_is_gapless(&m.layout));
		m.layout.fixed.list[i].begin--;
	}
	for (size_t i = 0; i < m.layout.slots.count; i++) {
		m.layout.slots.list[i].nbytes++;
		CHECK(!layout_is_gapless(&m.layout));
		m.layout.slots.list[i].nbytes--;
	}
	m.layout.slots.count--;
	CHECK(!layout_is_gapless(&m.layout));
	release(&m);
}

/* Also where there are no records, or not all variables can be placed. */
static void check_record_nbytes(const struct shape *shape, const struct made *m)
{
	wide sum = 0, alone = 0;
	uint32_t count = 0;
	uint64_t nbytes;
	bool fits = true;

	for (uint32_t i = 0; i < shape->nvars; i++) {
		if (!shape_is_record(shape, i))
			continue;
		fits = shape_var_nbytes(shape, i, &nbytes) && fits;
		alone = nbytes;
		sum += (alone + 3) / 4 * 4;
		count++;
	}
	sum = count == 1 ? alone : sum;
	fits = fits && sum <= END;
	CHECK(layout_record_nbytes(&m->header, &nbytes) == fits);
	CHECK(!fits || nbytes == sum);
}

/* Now and then a dimension that is far too long. */
static void stretch(struct shape *shape, uint64_t *seed)
{
	uint64_t length = check_random(seed) >> check_random_below(seed, 64);

	if (shape->ndims == 0)
		return;
	if (shape->version != 5)
		length &= UINT32_MAX;
	shape->dims[check_random_below(seed, shape->ndims)] = length;
}

static void test_random(void)
{
	static const struct shape_limits limits = { .max_length = 20,
						    .max_nrecords = 9,
						    .max_nvars = 12 };
	uint64_t seed = 14;

	for (int i = 0; i < 20000; i++) {
		struct shape shape;
		struct made m;

		shape_random(&shape, &limits, &seed);
		if (i % 4 == 3)
			stretch(&shape, &seed);
		if (i % 2)
			shape_disturb(&shape, &seed);
		if (!make(&shape, &m))
			return;
		CHECK(layout_is_gapless(&m.layout));
		check_record_nbytes(&shape, &m);
		if (i % 2 == 0) {
			CHECK_EQ_U64(m.layout.nmisplaced, 0);
			CHECK_EQ_U64(m.layout.data_end, shape_end(&shape));
		}
		release(&m);
	}
}

int main(void)
{
	RUN(test_cases);
	RUN(test_records_clipped);
	RUN(test_data_end_of_indeterminate);
	RUN(test_far_away);
	RUN(test_overflowing_shapes);
	RUN(test_chunks_can_fail);
	RUN(test_random);
	return check_report();
}
