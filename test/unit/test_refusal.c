/* SPDX-License-Identifier: MIT */
/*
 * Headers that libnetcdf 4.9.0 opens, and others that it does not; each was
 * tried with it.  It opens files with types of another version, but refuses to
 * say anything of such variables.
 */
#include "check.h"
#include "classic/header.h"
#include "shape.h"

static const char *refusal_of(const struct shape *shape)
{
	struct classic_header header;
	struct blob b = { 0 };
	const struct classic_var *var;
	const char *reason;
	bool more;

	shape_write(shape, &b);
	CHECK(classic_header_parse(b.data, b.nbytes, true, &header, &more,
				   NULL) == NC3Z_OK);
	reason = classic_refusal(&header, &var);
	classic_header_release(&header);
	blob_release(&b);
	return reason;
}

/* Two fixed variables of 40 bytes and two of records, in their places. */
static struct shape good_shape(uint8_t version)
{
	struct shape shape = { .version = version,
			       .numrecs = 3,
			       .ndims = 3,
			       .dims = { 0, 10, 5 },
			       .nvars = 4 };

	for (uint32_t i = 0; i < 4; i++)
		shape.vars[i] = (struct shape_var){
			.type = 4,
			.rank = 1 + i % 2,
			.dimids = { i % 2 ? 0 : 1, 2 },
		};
	shape_place(&shape, 0);
	return shape;
}

static void test_good_files(void)
{
	static const struct shape_limits limits = { .max_length = 20,
						    .max_nrecords = 9,
						    .max_nvars = 12 };
	static const uint8_t versions[] = { 1, 2, 5 };
	uint64_t seed = 56;

	for (size_t i = 0; i < 3; i++) {
		struct shape shape = good_shape(versions[i]);

		CHECK_STR_EQ(refusal_of(&shape), NULL);
		shape_place(&shape, 4000); /* a gap is no harm */
		CHECK_STR_EQ(refusal_of(&shape), NULL);
	}
	for (int i = 0; i < 2000; i++) {
		struct shape shape;
		bool has_late = false;

		shape_random(&shape, &limits, &seed);
		for (uint32_t v = 0; v < shape.nvars; v++)
			for (uint32_t d = 1; d < shape.vars[v].rank; d++)
				if (shape.dims[shape.vars[v].dimids[d]] == 0)
					has_late = true;
		CHECK((refusal_of(&shape) != NULL) == has_late);
	}
}

static void test_types_of_other_versions(void)
{
	for (uint32_t type = 1; type <= 11; type++) {
		struct shape shape = good_shape(1);

		shape.vars[3].type = type;
		shape_place(&shape, 0);
		CHECK((refusal_of(&shape) != NULL) == (type > 6));
		shape.version = 2;
		shape_place(&shape, 0);
		CHECK((refusal_of(&shape) != NULL) == (type > 6));
		shape.version = 5;
		shape_place(&shape, 0);
		CHECK_STR_EQ(refusal_of(&shape), NULL);
	}
}

static void test_order(void)
{
	struct shape shape = good_shape(1);
	uint64_t header_nbytes = shape_header_nbytes(&shape);

	shape.vars[0].begin = header_nbytes - 4; /* in the header */
	CHECK(refusal_of(&shape) != NULL);
	shape = good_shape(1);
	shape.vars[0].begin = shape.vars[2].begin; /* exchanged */
	shape.vars[2].begin = header_nbytes;
	CHECK(refusal_of(&shape) != NULL);
	shape = good_shape(1);
	shape.vars[2].begin -= 4; /* overlaps variable 0 */
	CHECK(refusal_of(&shape) != NULL);
	shape = good_shape(1);
	shape.vars[1].begin -= 4; /* records overlap variable 2 */
	CHECK(refusal_of(&shape) != NULL);
	shape = good_shape(1);
	shape.vars[3].begin = shape.vars[1].begin - 20; /* exchanged */
	CHECK(refusal_of(&shape) != NULL);
	shape = good_shape(5);
	shape.vars[3].begin = INT64_MAX - 3000; /* as far as it goes */
	CHECK_STR_EQ(refusal_of(&shape), NULL);
	shape.vars[3].begin = UINT64_C(1) << 63;
	CHECK(refusal_of(&shape) != NULL);
}

/* A variable of so many bytes alone in a file. */
static bool is_refused_alone(uint64_t nbytes, bool is_record)
{
	struct shape shape = {
		.version = 5, .ndims = 2, .dims = { 0, nbytes }, .nvars = 1
	};

	shape.vars[0] = (struct shape_var){
		.type = 1,
		.rank = is_record ? 2 : 1,
		.dimids = { is_record ? 0 : 1, 1 },
	};
	shape.vars[0].begin = shape_header_nbytes(&shape);
	return refusal_of(&shape) != NULL;
}

static void test_beyond_all_offsets(void)
{
	CHECK(!is_refused_alone((uint64_t)INT64_MAX - 1000, false));
	CHECK(is_refused_alone((uint64_t)INT64_MAX - 7, false));
	CHECK(is_refused_alone((uint64_t)INT64_MAX, false));
	CHECK(!is_refused_alone((uint64_t)INT64_MAX - 7, true));
	CHECK(!is_refused_alone((uint64_t)INT64_MAX - 3, true));
	CHECK(is_refused_alone((uint64_t)INT64_MAX - 2, true));
}

/* The last variable may be longer than its vsize can say, if it is alone. */
static void test_sizes(void)
{
	static const struct {
		uint8_t version;
		uint64_t length;
	} limits[] = {
		{ 1, ((UINT64_C(1) << 31) - 4) / 4 },
		{ 2, ((UINT64_C(1) << 32) - 4) / 4 },
	};

	for (size_t i = 0; i < 2; i++) {
		struct shape shape = { .version = limits[i].version,
				       .ndims = 3,
				       .dims = { 0, limits[i].length, 2 },
				       .nvars = 2 };

		for (uint32_t v = 0; v < 2; v++)
			shape.vars[v] = (struct shape_var){
				.type = 4,
				.rank = 1,
				.dimids = { 2 - v },
			};
		shape_place(&shape, 0);
		CHECK_STR_EQ(refusal_of(&shape), NULL);
		shape.dims[1]++; /* the last one: allowed */
		shape_place(&shape, 0);
		CHECK_STR_EQ(refusal_of(&shape), NULL);
		shape.vars[1].rank = 0; /* now the first of two */
		shape.vars[0].dimids[0] = 1;
		shape.vars[1].begin = 1000;
		if (shape.version == 2)
			shape_place(&shape, 0);
		CHECK(refusal_of(&shape) != NULL);
	}
}

int main(void)
{
	RUN(test_good_files);
	RUN(test_types_of_other_versions);
	RUN(test_order);
	RUN(test_beyond_all_offsets);
	RUN(test_sizes);
	return check_report();
}
