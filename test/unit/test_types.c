/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "classic/types.h"
#include "nc3z.h"
#include "nc3z_compat.h"

/* The table of the netCDF format specification. */
static void test_sizes(void)
{
	static const struct {
		enum classic_type type;
		unsigned nbytes;
		bool is_old;
	} types[] = {
		{ CLASSIC_BYTE, 1, true },    { CLASSIC_CHAR, 1, true },
		{ CLASSIC_SHORT, 2, true },   { CLASSIC_INT, 4, true },
		{ CLASSIC_FLOAT, 4, true },   { CLASSIC_DOUBLE, 8, true },
		{ CLASSIC_UBYTE, 1, false },  { CLASSIC_USHORT, 2, false },
		{ CLASSIC_UINT, 4, false },   { CLASSIC_INT64, 8, false },
		{ CLASSIC_UINT64, 8, false },
	};

	for (unsigned i = 0; i < 11; i++) {
		CHECK_EQ_U64(types[i].type, i + 1);
		CHECK_EQ_U64(classic_type_nbytes(i + 1), types[i].nbytes);
		CHECK(classic_type_in_version(i + 1, 1) == types[i].is_old);
		CHECK(classic_type_in_version(i + 1, 2) == types[i].is_old);
		CHECK(classic_type_in_version(i + 1, 5));
	}
}

static void test_no_types(void)
{
	static const uint32_t none[] = { 0,   12,  13,         255,
					 256, 257, 0x80000001, UINT32_MAX };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		CHECK_EQ_U64(classic_type_nbytes(none[i]), 0);
		CHECK(!classic_type_in_version(none[i], 1));
		CHECK(!classic_type_in_version(none[i], 5));
	}
}

static void test_names(void)
{
	static const char *const names[] = {
		"",       "byte",  "char",   "short", "int",   "float",
		"double", "ubyte", "ushort", "uint",  "int64", "uint64",
	};

	for (uint32_t i = 0; i < 12; i++)
		CHECK_STR_EQ(classic_type_name(i), names[i]);
	CHECK_STR_EQ(classic_type_name(12), "");
	CHECK_STR_EQ(classic_type_name(UINT32_MAX), "");
}

#define CHECK_FILL(type, ctype) \
	do { \
		const ctype fill = NC_FILL_##type; \
\
		CHECK_EQ_U64(nc3z_type_nbytes(NC3Z_##type), sizeof(fill)); \
		CHECK_MEM_EQ(nc3z_type_fill(NC3Z_##type), &fill, \
			     sizeof(fill)); \
	} while (0)

static void test_fills(void)
{
	CHECK_FILL(BYTE, signed char);
	CHECK_FILL(CHAR, char);
	CHECK_FILL(SHORT, short);
	CHECK_FILL(INT, int);
	CHECK_FILL(FLOAT, float);
	CHECK_FILL(DOUBLE, double);
	CHECK_FILL(UBYTE, unsigned char);
	CHECK_FILL(USHORT, unsigned short);
	CHECK_FILL(UINT, unsigned);
	CHECK_FILL(INT64, long long);
	CHECK_FILL(UINT64, unsigned long long);
	CHECK(!nc3z_type_fill(NC3Z_NAT));
	CHECK(!nc3z_type_fill(NC3Z_UINT64 + 1));
	CHECK(!nc3z_type_fill(-1));
}

int main(void)
{
	RUN(test_sizes);
	RUN(test_no_types);
	RUN(test_names);
	RUN(test_fills);
	return check_report();
}
