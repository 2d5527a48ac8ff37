/* SPDX-License-Identifier: MIT */
/*
 * Layouts of hand-made headers against extents written down by hand, and of
 * random ones against what follows from their shapes.
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

static void test_no_variables(void)
{
	struct shape shape = shape_of(1, 7);
	struct made m;

	REQUIRE(make(&shape, &m));
	CHECK_EXTENTS(&m.layout.fixed, { 0, END, NONE });
	CHECK_EQ_U64(m.layout.slots.count, 0);
	CHECK_EQ_U64(m.layout.record_nbytes, 0);
	CHECK_EQ_U64(m.layout.nmisplaced, 0);
	CHECK_EQ_U64(m.layout.data_end, m.header.nbytes);
	CHECK(layout_is_gapless(&m.layout));
	release(&m);
}

/* Shorts of 5: 10 bytes and 2 of padding, which belong to the variable. */
static void test_fixed_with_padding(void)
{
	struct shape shape = shape_of(1, 0);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_SHORT, 1, 0, 0);
	add_var(&shape, CLASSIC_INT, 1, 2, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	h = m.header.nbytes;
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h, 12, 0 },
		      { h + 12, 12, 1 }, { h + 24, END - h - 24, NONE });
	CHECK_EQ_U64(m.layout.data_end, h + 24);
	release(&m);
}

/* The last one: its padding may not be there, but nothing else is. */
static void test_padding_at_the_end(void)
{
	struct shape shape = shape_of(2, 0);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_CHAR, 1, 0, 0);
	shape_place(&shape, 16);
	REQUIRE(make(&shape, &m));
	h = m.header.nbytes + 16;
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h, 8, 0 },
		      { h + 8, END - h - 8, NONE });
	CHECK_EQ_U64(m.layout.data_end, h + 5);
	release(&m);
}

/* Where something begins in the padding, the variable goes without. */
static void test_padding_taken(void)
{
	struct shape shape = shape_of(1, 0);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_SHORT, 1, 0, 0);
	add_var(&shape, CLASSIC_BYTE, 1, 2, 0);
	h = shape_header_nbytes(&shape);
	shape.vars[0].begin = h;
	shape.vars[1].begin = h + 10;
	REQUIRE(make(&shape, &m));
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h, 10, 0 },
		      { h + 10, 4, 1 }, { h + 14, END - h - 14, NONE });
	CHECK_EQ_U64(m.layout.nmisplaced, 0);
	release(&m);
}

static void test_scalar(void)
{
	struct shape shape = { .version = 5 };
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_DOUBLE, 0, 0, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	h = m.header.nbytes;
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h, 8, 0 },
		      { h + 8, END - h - 8, NONE });
	release(&m);
}

/* One record variable of 10 bytes: records follow without padding. */
static void test_lone_record_variable(void)
{
	struct shape shape = shape_of(1, 4);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_SHORT, 2, 1, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	h = m.header.nbytes;
	CHECK_EQ_U64(m.layout.record_begin, h);
	CHECK_EQ_U64(m.layout.record_nbytes, 10);
	CHECK_EQ_U64(m.layout.nrecords, 4);
	CHECK_EQ_U64(layout_record_end(&m.layout), h + 40);
	CHECK_EXTENTS(&m.layout.slots, { h, 10, 0 });
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE },
		      { h + 40, END - h - 40, NONE });
	CHECK_EQ_U64(m.layout.data_end, h + 40);
	release(&m);
}

/* Two of them: each is padded, and the padding is a slot of nobody. */
static void test_padded_records(void)
{
	struct shape shape = shape_of(2, 3);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_SHORT, 2, 1, 0);
	add_var(&shape, CLASSIC_BYTE, 2, 1, 2);
	add_var(&shape, CLASSIC_INT, 1, 0, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	h = m.header.nbytes;
	CHECK_EQ_U64(m.layout.record_begin, h + 20);
	CHECK_EQ_U64(m.layout.record_nbytes, 16);
	CHECK_EXTENTS(&m.layout.slots, { h + 20, 10, 0 }, { h + 30, 2, NONE },
		      { h + 32, 3, 1 }, { h + 35, 1, NONE });
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h, 20, 2 },
		      { h + 68, END - h - 68, NONE });
	CHECK_EQ_U64(m.layout.data_end, h + 20 + 32 + 15);
	release(&m);
}

static void test_no_records(void)
{
	struct shape shape = shape_of(1, 0);
	struct made m;

	add_var(&shape, CLASSIC_SHORT, 2, 1, 0);
	shape_place(&shape, 0);
	REQUIRE(make(&shape, &m));
	CHECK_EQ_U64(m.layout.record_nbytes, 0);
	CHECK_EXTENTS(&m.layout.fixed, { 0, END, NONE });
	CHECK_EQ_U64(m.layout.nmisplaced, 0);
	CHECK_EQ_U64(m.layout.data_end, m.header.nbytes);
	release(&m);
}

/* Record variables in another order than in the header, with a gap. */
static void test_record_order_and_gap(void)
{
	struct shape shape = shape_of(1, 2);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	add_var(&shape, CLASSIC_INT, 2, 1, 2);
	add_var(&shape, CLASSIC_DOUBLE, 1, 1, 0);
	h = shape_header_nbytes(&shape) + 8;
	shape.vars[0].begin = h + 20;
	shape.vars[1].begin = h + 8;
	shape.vars[2].begin = h;
	REQUIRE(make(&shape, &m));
	CHECK_EQ_U64(m.layout.record_begin, h);
	CHECK_EQ_U64(m.layout.record_nbytes, 24);
	CHECK_EXTENTS(&m.layout.slots, { h, 8, 2 }, { h + 8, 12, 1 },
		      { h + 20, 4, 0 });
	CHECK_EQ_U64(m.layout.nmisplaced, 0);
	release(&m);
}

/* Outside of the first record, inside the header: no slot. */
static void test_misplaced_record_variables(void)
{
	struct shape shape = shape_of(1, 2);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	h = shape_header_nbytes(&shape);
	shape.vars[0].begin = h;
	shape.vars[1].begin = h + 10;
	shape.vars[2].begin = h - 4;
	REQUIRE(make(&shape, &m));
	CHECK_EQ_U64(m.layout.record_begin, h);
	CHECK_EQ_U64(m.layout.record_nbytes, 12);
	CHECK_EXTENTS(&m.layout.slots, { h, 4, 0 }, { h + 4, 8, NONE });
	CHECK_EQ_U64(m.layout.nmisplaced, 2);
	CHECK_EQ_U64(m.layout.first_misplaced, 1);
	CHECK(layout_is_gapless(&m.layout));
	release(&m);
}

static void test_fixed_overlaps(void)
{
	struct shape shape = shape_of(1, 0);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_INT, 1, 0, 0); /* inside the header */
	add_var(&shape, CLASSIC_INT, 1, 0, 0);
	add_var(&shape, CLASSIC_INT, 1, 0, 0); /* overlaps 1 */
	add_var(&shape, CLASSIC_INT, 1, 0, 0); /* between 1 and 2 */
	h = shape_header_nbytes(&shape);
	shape.vars[0].begin = h - 1;
	shape.vars[1].begin = h + 8;
	shape.vars[2].begin = h + 24;
	shape.vars[3].begin = h + 28;
	REQUIRE(make(&shape, &m));
	CHECK_EXTENTS(&m.layout.fixed, { 0, h + 8, NONE }, { h + 8, 20, 1 },
		      { h + 28, 20, 3 }, { h + 48, END - h - 48, NONE });
	CHECK_EQ_U64(m.layout.nmisplaced, 2);
	CHECK_EQ_U64(m.layout.first_misplaced, 0);
	release(&m);
}

/* The record section goes before a fixed variable that lies in it. */
static void test_fixed_inside_records(void)
{
	struct shape shape = shape_of(1, 10);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	add_var(&shape, CLASSIC_INT, 1, 0, 0);
	add_var(&shape, CLASSIC_SHORT, 0, 0, 0);
	h = shape_header_nbytes(&shape);
	shape.vars[0].begin = h;
	shape.vars[1].begin = h + 36; /* in the last record */
	shape.vars[2].begin = h + 40; /* behind it */
	REQUIRE(make(&shape, &m));
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h + 40, 4, 2 },
		      { h + 44, END - h - 44, NONE });
	CHECK_EQ_U64(m.layout.nmisplaced, 1);
	CHECK_EQ_U64(m.layout.first_misplaced, 1);
	CHECK_EQ_U64(m.layout.data_end, h + 56);
	release(&m);
}

/* A fixed variable whose padding would reach into the records. */
static void test_padding_before_records(void)
{
	struct shape shape = shape_of(1, 10);
	struct made m;
	uint64_t h;

	add_var(&shape, CLASSIC_INT, 1, 1, 0);
	add_var(&shape, CLASSIC_CHAR, 1, 0, 0);
	h = shape_header_nbytes(&shape);
	shape.vars[1].begin = h;
	shape.vars[0].begin = h + 5;
	REQUIRE(make(&shape, &m));
	CHECK_EXTENTS(&m.layout.fixed, { 0, h, NONE }, { h, 5, 1 },
		      { h + 45, END - h - 45, NONE });
	CHECK_EQ_U64(m.layout.nmisplaced, 0);
	release(&m);
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

/* What the test knows of a random shape. */
struct facts {
	const struct shape *shape;
	const struct layout *layout;
	uint64_t header_nbytes;
	uint64_t record_begin;
	uint64_t record_end;
	/* The extent of each variable, NULL if it has none. */
	const struct layout_extent *extents[SHAPE_VARS_MAX];
};

/* Bytes of a variable that has a place below END; false otherwise. */
static bool fits(const struct shape *shape, uint32_t v, uint64_t *nbytes_ret)
{
	uint64_t begin = shape->vars[v].begin;

	return shape_var_nbytes(shape, v, nbytes_ret) && begin <= END &&
	       (*nbytes_ret + 3) / 4 * 4 <= END - begin;
}

static bool has_bytes(const struct shape *shape, uint32_t v)
{
	uint64_t nbytes;

	if (shape_is_record(shape, v) && shape->numrecs == 0)
		return false;
	return !shape_var_nbytes(shape, v, &nbytes) || nbytes > 0;
}

static void collect(struct facts *f, const struct layout_extents *extents,
		    bool of_records)
{
	for (size_t i = 0; i < extents->count; i++) {
		const struct layout_extent *e = &extents->list[i];
		uint64_t nbytes;

		if (e->variable == NONE)
			continue;
		if (!CHECK(e->variable < f->shape->nvars) ||
		    !CHECK(f->extents[e->variable] == NULL))
			continue;
		f->extents[e->variable] = e;
		CHECK(shape_is_record(f->shape, e->variable) == of_records);
		CHECK(fits(f->shape, e->variable, &nbytes));
		CHECK_EQ_U64(e->begin, f->shape->vars[e->variable].begin);
		CHECK(e->begin >= f->header_nbytes);
		CHECK(e->nbytes == nbytes ||
		      (!of_records && e->nbytes == (nbytes + 3) / 4 * 4));
	}
}

/* The extents follow each other from 'at' to 'end', around the records. */
static void check_grid(const struct facts *f,
		       const struct layout_extents *extents, uint64_t at,
		       uint64_t end, bool of_records)
{
	for (size_t i = 0; i < extents->count; i++) {
		if (!of_records && f->layout->record_nbytes > 0 &&
		    at == f->record_begin)
			at = f->record_end;
		CHECK_EQ_U64(extents->list[i].begin, at);
		CHECK(extents->list[i].nbytes > 0);
		at += extents->list[i].nbytes;
	}
	if (!of_records && f->layout->record_nbytes > 0 &&
	    at == f->record_begin)
		at = f->record_end;
	CHECK_EQ_U64(at, end);
}

static bool overlap(uint64_t a, uint64_t a_nbytes, uint64_t b,
		    uint64_t b_nbytes)
{
	return (wide)a < (wide)b + b_nbytes && (wide)b < (wide)a + a_nbytes;
}

/* Whether a variable lies where one that has an extent lies. */
static bool meets_another(const struct facts *f, uint32_t v, uint64_t nbytes)
{
	for (uint32_t i = 0; i < f->shape->nvars; i++)
		if (i != v && f->extents[i] &&
		    shape_is_record(f->shape, i) ==
			    shape_is_record(f->shape, v) &&
		    overlap(f->shape->vars[v].begin, nbytes,
			    f->extents[i]->begin, f->extents[i]->nbytes))
			return true;
	return false;
}

/* A variable without an extent must have deserved it. */
static bool is_in_the_way(const struct facts *f, uint32_t v)
{
	uint64_t begin = f->shape->vars[v].begin, nbytes;
	uint64_t record_nbytes = f->layout->record_nbytes;

	if (!fits(f->shape, v, &nbytes) || begin < f->header_nbytes ||
	    meets_another(f, v, nbytes))
		return true;
	if (!shape_is_record(f->shape, v))
		return record_nbytes > 0 &&
		       overlap(begin, nbytes, f->record_begin,
			       f->record_end - f->record_begin);
	return record_nbytes == 0 || begin < f->record_begin ||
	       begin + nbytes > f->record_begin + record_nbytes;
}

/*
 * Where no record section fits, record variables without bytes are counted
 * with the others; the exact number is not worth a rule.
 */
static bool counts_empty_variables(const struct facts *f)
{
	for (uint32_t v = 0; v < f->shape->nvars; v++)
		if (shape_is_record(f->shape, v) && !has_bytes(f->shape, v) &&
		    f->layout->record_nbytes == 0)
			return true;
	return false;
}

static void check_misplaced(const struct facts *f)
{
	uint32_t count = 0, first = 0;

	for (uint32_t v = f->shape->nvars; v-- > 0;) {
		if (f->extents[v]) {
			CHECK(has_bytes(f->shape, v));
			continue;
		}
		if (!has_bytes(f->shape, v))
			continue;
		CHECK(is_in_the_way(f, v));
		count++;
		first = v;
	}
	if (counts_empty_variables(f))
		return;
	CHECK_EQ_U64(f->layout->nmisplaced, count);
	if (count > 0)
		CHECK_EQ_U64(f->layout->first_misplaced, first);
}

/* The length of a record; 0 if a record variable or all do not fit. */
static uint64_t expected_record_nbytes(const struct shape *shape)
{
	wide sum = 0;

	for (uint32_t v = 0; v < shape->nvars; v++) {
		uint64_t nbytes;

		if (!shape_is_record(shape, v))
			continue;
		if (!fits(shape, v, &nbytes))
			return 0;
		sum += (nbytes + 3) / 4 * 4;
	}
	return sum <= END ? shape_record_nbytes(shape) : 0;
}

/* The record section begins with the first record variable it can. */
static void check_records(const struct facts *f)
{
	const struct layout *layout = f->layout;
	uint64_t nbytes = expected_record_nbytes(f->shape), first = UINT64_MAX;

	for (uint32_t v = 0; v < f->shape->nvars; v++) {
		uint64_t begin = f->shape->vars[v].begin;

		if (shape_is_record(f->shape, v) && has_bytes(f->shape, v) &&
		    begin >= f->header_nbytes && begin < first)
			first = begin;
	}
	if (f->shape->numrecs == 0 || nbytes == 0 || first > END - nbytes) {
		CHECK_EQ_U64(layout->record_nbytes, 0);
		CHECK_EQ_U64(layout->slots.count, 0);
		return;
	}
	CHECK_EQ_U64(layout->record_nbytes, nbytes);
	CHECK_EQ_U64(layout->record_begin, first);
	CHECK_EQ_U64(layout->nrecords, f->shape->numrecs);
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

static void check_layout(const struct shape *shape, const struct made *m)
{
	const struct layout *layout = &m->layout;
	wide record_end = layout->record_begin +
			  (wide)layout->record_nbytes * layout->nrecords;
	struct facts f = {
		.shape = shape,
		.layout = layout,
		.header_nbytes = m->bytes.nbytes,
		.record_begin = layout->record_begin,
		.record_end = record_end < END ? (uint64_t)record_end : END,
	};

	CHECK(layout_is_gapless(layout));
	CHECK_EQ_U64(layout_record_end(layout), f.record_end);
	collect(&f, &layout->fixed, false);
	collect(&f, &layout->slots, true);
	check_grid(&f, &layout->fixed, 0, END, false);
	check_grid(&f, &layout->slots, f.record_begin,
		   f.record_begin + layout->record_nbytes, true);
	check_misplaced(&f);
	check_records(&f);
	check_record_nbytes(shape, m);
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
		check_layout(&shape, &m);
		if (i % 2 == 0) {
			CHECK_EQ_U64(m.layout.nmisplaced, 0);
			CHECK_EQ_U64(m.layout.data_end, shape_end(&shape));
		}
		release(&m);
	}
}

int main(void)
{
	RUN(test_no_variables);
	RUN(test_fixed_with_padding);
	RUN(test_padding_at_the_end);
	RUN(test_padding_taken);
	RUN(test_scalar);
	RUN(test_lone_record_variable);
	RUN(test_padded_records);
	RUN(test_no_records);
	RUN(test_record_order_and_gap);
	RUN(test_misplaced_record_variables);
	RUN(test_fixed_overlaps);
	RUN(test_fixed_inside_records);
	RUN(test_padding_before_records);
	RUN(test_records_clipped);
	RUN(test_data_end_of_indeterminate);
	RUN(test_far_away);
	RUN(test_overflowing_shapes);
	RUN(test_chunks_can_fail);
	RUN(test_random);
	return check_report();
}
