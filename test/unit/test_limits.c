/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are too large, and plans that lie: what only a forged archive
 * has, and what fuzzing does not find by itself.
 */
#include "archive/archive.h"
#include "base/bytes.h"
#include "block/block.h"
#include "check.h"
#include "classic/layout.h"
#include "hyperslab/visits.h"
#include "plan/shape.h"
#include "shape.h"

/* Sections are deflated; codec 0 is the one of a section that is empty. */
static void test_sections(void)
{
	struct nc3z_source *source = NULL;
	static const uint8_t zeros[100000];
	struct buffer s = { 0 }, contents = { 0 };

	CHECK(section_write("N3PL", NC3Z_CODEC_DEFLATE, zeros, sizeof(zeros),
			    &s, NULL) == NC3Z_OK);
	CHECK(s.nbytes < 300);
	s.nbytes = 0;
	CHECK(section_write("N3PL", NC3Z_CODEC_DEFLATE, NULL, 0, &s, NULL) ==
	      NC3Z_OK);
	REQUIRE(s.nbytes == FORMAT_SECTION_HEAD_NBYTES);
	CHECK(nc3z_source_open_memory(s.data, s.nbytes, &source, NULL) ==
	      NC3Z_OK);
	for (uint8_t codec = 0; codec < 2; codec++) {
		uint64_t at = 0;

		s.data[4] = codec;
		store_le32(s.data + 20, crc32_of(s.data, 20));
		CHECK(section_read(source, "N3PL", &at, &contents, NULL,
				   NULL) ==
		      (codec == 0 ? NC3Z_OK : NC3Z_EDAMAGED));
	}
	nc3z_source_close(source);
	buffer_release(&s);
	buffer_release(&contents);
}

static void test_archive_too_large(void)
{
	struct buffer out = { 0 };
	uint64_t nbytes;

	/* Refused before a byte of it is looked at. */
	CHECK(section_write("N3PL", NC3Z_CODEC_STORE, "x",
			    ((size_t)1 << 28) + 1, &out, NULL) == NC3Z_ELIMIT);
	CHECK(!archive_index_nbytes(UINT64_MAX, &nbytes));
	CHECK(!archive_index_nbytes(UINT64_MAX / 20, &nbytes));
	CHECK(archive_index_nbytes(4096 * UINT64_C(1000000), &nbytes));
	CHECK_EQ_U64(nbytes, 16 + (4096 * 20 + 4) * UINT64_C(1000000));
	buffer_release(&out);
}

/* A plan as long as one may be, and one that has a member more. */
static void test_longest_plan(void)
{
	const uint32_t most = (PLAN_NBYTES_MAX - 36 - 16) / 20;

	for (uint32_t n = most; n <= most + 1; n++) {
		struct plan_stream s = { .width = 1,
					 .block_nbytes = 1,
					 .nmembers = n };
		struct plan plan = { .streams = &s, .nstreams = 1 }, read;
		struct buffer bytes = { 0 };

		s.members = calloc(n, sizeof(*s.members));
		REQUIRE(s.members);
		for (uint32_t i = 0; i < n; i++)
			s.members[i] = (struct plan_member){
				.variable = PLAN_NO_VARIABLE,
				.begin = i,
				.nbytes = i < n - 1 ? 1 : PLAN_OFFSET_END - i,
			};
		REQUIRE(plan_write(&plan, &bytes));
		CHECK_EQ_U64(bytes.nbytes <= PLAN_NBYTES_MAX, n == most);
		CHECK(plan_read(bytes.data, bytes.nbytes, &read, NULL) ==
		      (n == most ? NC3Z_OK : NC3Z_EDAMAGED));
		plan_release(&read);
		buffer_release(&bytes);
		free(s.members);
	}
}

static void test_wrong_streams(void)
{
	static const struct plan_stream wrong[] = {
		{ .width = 3, .block_nbytes = 100, .nmembers = 1 },
		{ .width = 0, .block_nbytes = 100, .nmembers = 1 },
		{ .width = 1, .block_nbytes = 0, .nmembers = 1 },
		{ .width = 1,
		  .block_nbytes = NC3Z_BLOCK_NBYTES_MAX + 1,
		  .nmembers = 1 },
		{ .width = 1, .block_nbytes = 100, .nmembers = 0 },
		{ .width = 1,
		  .block_nbytes = 100,
		  .nmembers = 1,
		  .panel_nrecords = 1 },
		{ .width = 1,
		  .block_nbytes = 100,
		  .nmembers = 1,
		  .is_record = true },
		{ .width = 1,
		  .block_nbytes = 100,
		  .nmembers = 1,
		  .is_record = true,
		  .panel_nrecords = PLAN_PANEL_NRECORDS_MAX + 1 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct plan_member member = { .nbytes = PLAN_OFFSET_END };
		struct plan_stream s = wrong[i];
		struct plan plan = { .streams = &s, .nstreams = 1 };

		s.members = &member;
		CHECK(plan_finish(&plan, NULL) == NC3Z_EDAMAGED);
	}
}

static int read_steps(uint8_t nsplits, uint8_t id)
{
	const uint8_t description[] = { nsplits, 4, 0, id };
	const struct block_view view = {
		.description = description,
		.description_nbytes = sizeof(description),
	};
	struct block_description d;

	return block_description_read(&view, 1000, &d, NULL);
}

/* More steps than there may be, and those of a later version, perhaps. */
static void test_wrong_steps(void)
{
	for (unsigned i = BLOCK_SPLITS_MAX + 1; i < 256; i++)
		CHECK(read_steps((uint8_t)i, BLOCK_DROP) == NC3Z_EDAMAGED);
	for (unsigned i = 0; i < 256; i++)
		CHECK(read_steps(1, (uint8_t)i) ==
		      (block_split_name((uint8_t)i) ? NC3Z_EDAMAGED :
						      NC3Z_EUNSUPPORTED));
}

/* Panels and members whose bytes do not fit into 64 bits. */
static void test_plan_too_large(void)
{
	struct plan_member members[] = {
		{ .begin = 4, .nbytes = PLAN_OFFSET_END - 8 },
		{ .begin = 8, .nbytes = PLAN_OFFSET_END - 8 },
	};
	struct plan_stream s = { .width = 1,
				 .block_nbytes = 100,
				 .is_record = true,
				 .panel_nrecords = 4,
				 .members = members,
				 .nmembers = 1 };
	struct plan plan = { .streams = &s, .nstreams = 1 };

	CHECK(plan_finish(&plan, NULL) == NC3Z_EDAMAGED);
	s.panel_nrecords = 1;
	s.nmembers = 2;
	CHECK(plan_finish(&plan, NULL) == NC3Z_EDAMAGED);
}

static void test_hyperslab_too_large(void)
{
	static const uint64_t shape[] = { UINT64_C(1) << 40, UINT64_C(1) << 22,
					  4 };
	struct hyperslab_request r = { .rank = 3, .shape = shape };
	struct nc3z_error err = { 0 };
	struct hyperslab slab;

	CHECK(hyperslab_init(&slab, &r, &err) == NC3Z_ELIMIT);
	CHECK(err.status == NC3Z_ELIMIT && err.text[0]);
	r.form = HYPERSLAB_VAR1;
	r.start = (const size_t[]){ (UINT64_C(1) << 39) - 1, (1 << 22) - 1, 2 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.in_last, (uint64_t)INT64_MAX - 1);
	r.start = (const size_t[]){ (UINT64_C(1) << 39) - 1, (1 << 22) - 1, 3 };
	CHECK(hyperslab_init(&slab, &r, NULL) == NC3Z_ELIMIT);
	r.shape = (const uint64_t[]){ 2, UINT64_MAX, UINT64_MAX };
	r.start = (const size_t[]){ 0, 0, 9 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.in_first, 9);
	r.start = (const size_t[]){ 1, 0, 9 };
	CHECK(hyperslab_init(&slab, &r, NULL) == NC3Z_ELIMIT);
	/* Nothing of too much is nothing. */
	r.form = HYPERSLAB_VARA;
	r.count = (const size_t[]){ 1, 0, 9 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.nelems, 0);
}

/* A plan, and the header that it was made for. */
struct made {
	struct blob bytes;
	struct classic_header header;
	struct plan plan;
	struct hyperslab_variable *variables;
};

static void make(struct made *m, struct shape *shape)
{
	struct plan_hint *hints = NULL;
	struct layout layout;
	bool more;

	*m = (struct made){ 0 };
	shape_write(shape, &m->bytes);
	CHECK(classic_header_parse(m->bytes.data, m->bytes.nbytes, true,
				   &m->header, &more, NULL) == NC3Z_OK);
	CHECK(layout_of_header(&m->header, &layout, NULL) == NC3Z_OK);
	CHECK(plan_shape(&m->header, &layout,
			 &(struct plan_shaping){ .block_nbytes = 4096 },
			 &m->plan, &hints, NULL) == NC3Z_OK);
	CHECK(hyperslab_variables_make(&m->plan, &m->header, &m->variables,
				       NULL) == NC3Z_OK);
	layout_release(&layout);
	free(hints);
}

static void release(struct made *m)
{
	free(m->variables);
	plan_release(&m->plan);
	classic_header_release(&m->header);
	blob_release(&m->bytes);
}

static struct plan_member *member_of(struct made *m, uint32_t v)
{
	return &m->plan.streams[m->variables[v].stream]
			.members[m->variables[v].member];
}

/* Gives a variable the bytes of something else; false after the last way. */
static bool lie(struct made *m, unsigned which)
{
	struct classic_header *h = &m->header;

	switch (which) {
	case 0:
		member_of(m, 0)->variable = 1;
		return true;
	case 1:
		member_of(m, 0)->variable = 3;
		return true;
	case 2:
		h->vars[0].begin--;
		return true;
	case 3:
		h->dims[2].length++;
		return true;
	case 4:
		h->vars[0].dimids[0] = 0;
		return true;
	case 5:
		member_of(m, 1)->variable = 3;
		return true;
	case 6:
		h->numrecs++;
		return true;
	case 7:
		h->dims[3].length--;
		return true;
	case 8:
		h->dims[1].length = 5;
		return true;
	default:
		return false;
	}
}

/* One fixed short[3] x 801 and one record of float[500], another of char. */
static void test_lies(void)
{
	for (unsigned which = 0;; which++) {
		struct shape shape = {
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
		struct hyperslab_variable *found = NULL;
		unsigned v = which > 4;
		struct made m;
		bool more;

		shape_place(&shape, 0);
		make(&m, &shape);
		CHECK(m.variables[v].stream != PLAN_NO_STREAM);
		more = lie(&m, which);
		CHECK(hyperslab_variables_make(&m.plan, &m.header, &found,
					       NULL) == NC3Z_OK);
		CHECK((found[v].stream == PLAN_NO_STREAM) == more);
		free(found);
		release(&m);
		if (!more)
			break;
	}
}

/* Variables of more bytes than there can be end with the original. */
static void test_variables_too_large(void)
{
	struct shape shape = {
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
	struct plan_map map;
	struct made m;

	for (uint32_t v = 0; v < shape.nvars; v++)
		shape.vars[v].begin = 1000;
	make(&m, &shape);
	REQUIRE(plan_map_init(&map, &m.plan, 3000, NULL) == NC3Z_OK);
	for (uint32_t v = 0; v < shape.nvars; v++) {
		const struct hyperslab_variable *variable = &m.variables[v];

		CHECK(variable->stream == PLAN_NO_STREAM);
		CHECK_EQ_U64(hyperslab_variable_run(&map, variable, 0).nbytes,
			     v < 2 ? 2000 : 8);
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

/* A request for nothing touches no block, whatever was in its memory. */
static void test_nothing_requested(void)
{
	static const uint64_t shape[] = { 0, 3 };
	const struct hyperslab_request nothing = { .rank = 2,
						   .shape = shape,
						   .is_record = true };
	const struct hyperslab_variable place = { .nbytes = 12 };
	struct hyperslab_visits visits;
	const struct plan_map map = { 0 };

	memset(&visits, 0xa5, sizeof(visits));
	REQUIRE(hyperslab_visits_init(&visits, &map, &place, 4, &nothing,
				      NULL) == NC3Z_OK);
	CHECK(visits.grid == NULL);
	CHECK_EQ_U64(hyperslab_visits_nblocks(&visits), 0);
}

int main(void)
{
	RUN(test_sections);
	RUN(test_archive_too_large);
	RUN(test_longest_plan);
	RUN(test_wrong_streams);
	RUN(test_wrong_steps);
	RUN(test_plan_too_large);
	RUN(test_hyperslab_too_large);
	RUN(test_lies);
	RUN(test_variables_too_large);
	RUN(test_nothing_requested);
	return check_report();
}
