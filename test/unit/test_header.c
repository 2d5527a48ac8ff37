/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "classic/header.h"

/* Two record dimensions, so that the second one can stand late. */
static struct classic_dim dims[] = {
	{ .length = 0 },
	{ .length = 7 },
	{ .length = 1 },
	{ .length = 0 },
	{ .length = UINT32_MAX },
	{ .length = UINT64_C(1) << 63 },
	{ .length = UINT64_C(1) << 32 },
};

static struct classic_header header = { .dims = dims, .ndims = 7 };

static void check_var(size_t ndims, const uint64_t *dimids, bool is_record,
		      bool fits, uint64_t nelems)
{
	struct classic_var var = { .ndims = ndims, .type = CLASSIC_INT };
	uint64_t copy[8], found = 99;

	memcpy(copy, dimids, ndims * sizeof(*dimids));
	var.dimids = copy;
	CHECK(classic_var_is_record(&header, &var) == is_record);
	CHECK(classic_var_nelems(&header, &var, &found) == fits);
	if (fits)
		CHECK_EQ_U64(found, nelems);
}

#define CHECK_VAR(is_record, fits, nelems, ...) \
	check_var(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
		  (uint64_t[]){ __VA_ARGS__ }, is_record, fits, nelems)

static void test_shapes(void)
{
	struct classic_var scalar = { .type = CLASSIC_INT };
	uint64_t nelems = 0;

	CHECK(!classic_var_is_record(&header, &scalar));
	CHECK(classic_var_nelems(&header, &scalar, &nelems));
	CHECK_EQ_U64(nelems, 1);
	CHECK_VAR(false, true, 7, 1);
	CHECK_VAR(false, true, 49, 1, 2, 1);
	CHECK_VAR(true, true, 1, 0);
	CHECK_VAR(true, true, 7, 0, 1);
	CHECK_VAR(true, true, 343, 3, 1, 1, 1);
}

/* A dimension of length 0 that is not the first empties a variable. */
static void test_late_record_dimension(void)
{
	CHECK_VAR(false, true, 0, 1, 0);
	CHECK_VAR(true, true, 0, 0, 0);
	CHECK_VAR(true, true, 0, 0, 1, 3);
	CHECK_VAR(false, true, 0, 5, 5, 0);
	CHECK_VAR(false, true, 0, 1, 0, 5, 5);
}

static void test_too_large(void)
{
	CHECK_VAR(false, true, UINT64_C(1) << 63, 5);
	CHECK_VAR(true, true, UINT64_C(1) << 63, 0, 5);
	CHECK_VAR(false, false, 0, 5, 1);
	CHECK_VAR(false, false, 0, 5, 5);
	CHECK_VAR(false, true, (uint64_t)UINT32_MAX * UINT32_MAX, 4, 4);
	CHECK_VAR(false, true, (uint64_t)UINT32_MAX << 32, 4, 6);
	CHECK_VAR(false, false, 0, 6, 6);
	CHECK_VAR(false, false, 0, 6, 6, 1);
	CHECK_VAR(true, false, 0, 0, 4, 4, 4);
}

int main(void)
{
	RUN(test_shapes);
	RUN(test_late_record_dimension);
	RUN(test_too_large);
	return check_report();
}
