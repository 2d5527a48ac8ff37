/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "plan/chunks.h"
#include "shape.h"

/*
 * Dimensions d0 (records, 500), d1 = 19, d2 = 90, d3 = 180 and d4 = 5; float
 * var_0(d0, d1, d2, d3), double var_1(d0), float var_2(d2, d3), char var_3(d4).
 */
static void make(struct classic_header *header, struct blob *bytes)
{
	static const struct shape shape = {
		.version = 2,
		.numrecs = 500,
		.ndims = 5,
		.dims = { 0, 19, 90, 180, 5 },
		.nvars = 4,
		.vars = {
			{ .type = 5, .rank = 4, .dimids = { 0, 1, 2, 3 } },
			{ .type = 6, .rank = 1, .dimids = { 0 } },
			{ .type = 5, .rank = 2, .dimids = { 2, 3 } },
			{ .type = 2, .rank = 1, .dimids = { 4 } },
		},
	};
	bool more;

	shape_write(&shape, bytes);
	CHECK(classic_header_parse(bytes->data, bytes->nbytes, true, header,
				   &more, NULL) == NC3Z_OK);
}

static const struct plan_chunks_limits limits = {
	.target_nbytes = 1 << 20,
	.band_nbytes = 1 << 28,
};

/* Parses, checks and asks for a variable; the first failure. */
static int lengths_of(const char *const *texts, uint32_t variable,
		      uint32_t *chunks, bool *is_chunked,
		      struct nc3z_error *err)
{
	struct plan_chunks_spec spec = { 0 };
	struct classic_header header;
	const struct plan_chunks_job job = {
		.spec = &spec,
		.header = &header,
		.record_nbytes = 1231208,
		.limits = limits,
	};
	struct blob bytes = { 0 };
	int status = NC3Z_OK;

	make(&header, &bytes);
	for (size_t i = 0; texts[i] && status == NC3Z_OK; i++)
		status = plan_chunks_parse(&spec, texts[i], err);
	if (status == NC3Z_OK)
		status = plan_chunks_check(&spec, &header, err);
	if (status == NC3Z_OK)
		status =
			plan_chunks_of(&job, variable, chunks, is_chunked, err);
	plan_chunks_release(&spec);
	CHECK(spec.rules == NULL);
	classic_header_release(&header);
	blob_release(&bytes);
	return status;
}

/* 'expected' as "1,2,3", or "" for a linear variable. */
static void check(const char *a, const char *b, uint32_t variable,
		  const char *expected)
{
	static const uint32_t ranks[] = { 4, 1, 2, 1 };
	const char *texts[] = { a, b, NULL };
	uint32_t chunks[PLAN_RANK_MAX];
	char text[100] = "";
	bool is_chunked = false;

	CHECK(lengths_of(texts, variable, chunks, &is_chunked, NULL) ==
	      NC3Z_OK);
	for (uint32_t k = 0; is_chunked && k < ranks[variable]; k++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%" PRIu32, k ? "," : "", chunks[k]);
	CHECK_STR_EQ(text, expected);
}

static void test_dimensions(void)
{
	check("d0/12,d2/45,d3/90", NULL, 0, "12,19,45,90");
	check("d0/12,d2/45,d3/90", NULL, 1, "12");
	check("d0/12,d2/45,d3/90", NULL, 2, "45,90");
	check("d0/12,d2/45,d3/90", NULL, 3, "");
	check("d2/,d3/30", NULL, 2, "90,30");
	/* Longer than the dimension: as long. */
	check("d2/100,d3/30", NULL, 2, "90,30");
	/* Records of which nothing is said: what a chunk has room for. */
	check("d1/1,d2/9", NULL, 0, "161,1,9,180");
	check("d0/,d1/1,d2/9", NULL, 0, "161,1,9,180");
	check("d1/,d2/90", NULL, 0, "1,19,90,180");
	check("d0/", NULL, 1, "218");
	check("d0/1000", NULL, 1, "1000");
	/* Several arguments add up. */
	check("d2/30", "d3/60", 2, "30,60");
}

static void test_variables(void)
{
	check("var_0:1,19,90,180", NULL, 0, "1,19,90,180");
	check("var_0:1,19,90,180", NULL, 2, "");
	check("var_0:1,19,90,180", "d2/10", 0, "1,19,90,180");
	check("d2/10", "var_2:", 2, "");
	check("d2/10", "var_2:contiguous", 2, "");
	check("d2/10", "var_2:linear", 2, "");
	check("series", "var_2:30,30", 2, "30,30");
	check("var_0:series", NULL, 0, "218,3,15,30");
	check("var_1:600", NULL, 1, "600");
}

static void test_modes(void)
{
	check("record", NULL, 0, "1,19,90,180");
	check("record", NULL, 1, "");
	check("record", NULL, 3, "");
	check("auto", NULL, 2, "");
	check("auto", "d3/60", 2, "90,60");
	check("series", "/", 0, "");
	check("/", "series", 0, "218,3,15,30");
	check("//", "d2/9", 2, "9,180");
	check("series", "linear", 0, "");
	check("linear", "d2/9", 2, "9,180");
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{ "", "not auto, record" },
		{ "Auto", "chunks \"Auto\": not auto, record, series" },
		{ "contiguous", "not auto" },
		{ "d0", "not auto" },
		{ "d0/12,", "a slash is expected at character 7" },
		{ "d0/12,d1", "a slash is expected at character 9" },
		{ "d0/12,,d1/3", "a slash is expected at character 7" },
		{ "/12", "missing name at character 1" },
		{ "d0/12,/3", "missing name at character 7" },
		{ "d0/0", "a length of 0 at character 4" },
		{ "d0/00", "a length of 0 at character 4" },
		{ "d0/-3", "a length is expected at character 4" },
		{ "d0/+3", "a length is expected at character 4" },
		{ "d0/ 3", "a length is expected at character 4" },
		{ "d0/3x", "a length is expected at character 5" },
		{ "d0/0x3", "a length is expected at character 5" },
		{ "d0/3/4", "a length is expected at character 5" },
		{ "d0/4294967296", "a length is too large at character 4" },
		{ "d0/99999999999999999999999",
		  "a length is too large at character 4" },
		{ "d0/3,d0/4", "duplicate name at character 6" },
		{ "var_2:3", "variable var_2: 1 lengths for 2 dimensions" },
		{ "var_2:3,4,5", "variable var_2: 3 lengths for 2 dimensions" },
		{ "var_2:3,", "a length is expected at character 9" },
		{ "var_2:,3", "a length is expected at character 7" },
		{ "var_2:3,0", "a length of 0 at character 9" },
		{ "var_2:90,181", "181 is longer than dimension d3, 180" },
		{ "var_2:serie", "a length is expected at character 7" },
		{ ":3", "missing name at character 1" },
		{ "TEMP:3", "chunks: there is no variable TEMP" },
		{ "d2:3", "chunks: there is no variable d2" },
		{ "tme/3", "chunks: there is no dimension tme" },
		{ "var_2/3", "chunks: there is no dimension var_2" },
		{ "d0/\\3", "a length is expected at character 4" },
		{ "d0\\/3", "not auto" },
		{ "d\\0x/3", "chunks: there is no dimension d0x" },
		{ "d0/3\\,d1/4", "a length is expected at character 5" },
		{ "var_0:4000,19,90,180",
		  "of 4924800000 bytes is larger than" },
		{ "d0/4000", "of 4924800000 bytes is larger than 67108864" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *texts[] = { cases[i].text, NULL };
		struct nc3z_error err = { 0 };
		uint32_t chunks[PLAN_RANK_MAX];
		bool is_chunked;

		CHECK(lengths_of(texts, 0, chunks, &is_chunked, &err) ==
		      NC3Z_EINVAL);
		if (!CHECK(strstr(err.text, cases[i].error) != NULL))
			printf("  %s: %s\n", cases[i].text, err.text);
	}
}

/* Names with characters that mean something. */
static void test_escapes(void)
{
	struct plan_chunks_spec spec = { 0 };

	CHECK(plan_chunks_parse(&spec, "a\\/b\\,c\\\\/3,d\\:e/4", NULL) ==
	      NC3Z_OK);
	CHECK(plan_chunks_parse(&spec, "f\\:g:5", NULL) == NC3Z_OK);
	REQUIRE(spec.nrules == 3);
	CHECK_STR_EQ(spec.rules[0].name, "a/b,c\\");
	CHECK_STR_EQ(spec.rules[1].name, "d:e");
	CHECK_STR_EQ(spec.rules[2].name, "f:g");
	CHECK(spec.rules[2].is_variable && !spec.rules[1].is_variable);
	CHECK_EQ_U64(spec.rules[2].lengths[0], 5);
	plan_chunks_release(&spec);
	/* What was right before a failure is freed with the rest. */
	CHECK(plan_chunks_parse(&spec, "a/1,b/2,c", NULL) == NC3Z_EINVAL);
	CHECK_EQ_U64(spec.nrules, 2);
	plan_chunks_release(&spec);
	CHECK(plan_chunks_parse(&spec, "a\\", NULL) == NC3Z_EINVAL);
	plan_chunks_release(&spec);
}

/* More dimensions than chunks have: linear, unless lengths are asked for. */
static void test_high_rank(void)
{
	uint64_t dimids[33] = { 0 };
	struct classic_dim dim = { .name = { "x", 1 }, .length = 2 };
	struct classic_var var = { .name = { "v", 1 },
				   .type = CLASSIC_FLOAT,
				   .dimids = dimids,
				   .ndims = 33 };
	struct classic_header header = {
		.version = 1, .dims = &dim, .ndims = 1, .vars = &var, .nvars = 1
	};
	struct plan_chunks_spec spec = { .mode = PLAN_CHUNKS_AUTO };
	const struct plan_chunks_job job = {
		.spec = &spec,
		.header = &header,
		.limits = limits,
	};
	uint32_t chunks[PLAN_RANK_MAX];
	bool is_chunked = true;

	CHECK(plan_chunks_of(&job, 0, chunks, &is_chunked, NULL) == NC3Z_OK);
	CHECK(!is_chunked);
	CHECK(plan_chunks_parse(&spec, "x/1", NULL) == NC3Z_OK);
	CHECK(plan_chunks_of(&job, 0, chunks, &is_chunked, NULL) ==
	      NC3Z_EINVAL);
	var.ndims = 32;
	CHECK(plan_chunks_of(&job, 0, chunks, &is_chunked, NULL) == NC3Z_OK);
	CHECK(is_chunked && chunks[31] == 1);
	plan_chunks_release(&spec);
}

int main(void)
{
	RUN(test_dimensions);
	RUN(test_variables);
	RUN(test_modes);
	RUN(test_bad);
	RUN(test_escapes);
	RUN(test_high_rank);
	return check_report();
}
