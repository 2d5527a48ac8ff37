/* SPDX-License-Identifier: MIT */
/* What each value becomes, libnetcdf says: test_values_netcdf.c. */
#include "check.h"
#include "classic/values.h"

#include "edge_values.h"

#define NTYPES 11

static const unsigned nbits_of[NTYPES + 1] = {
	[CLASSIC_BYTE] = 8,   [CLASSIC_CHAR] = 8,    [CLASSIC_SHORT] = 16,
	[CLASSIC_INT] = 32,   [CLASSIC_FLOAT] = 32,  [CLASSIC_DOUBLE] = 64,
	[CLASSIC_UBYTE] = 8,  [CLASSIC_USHORT] = 16, [CLASSIC_UINT] = 32,
	[CLASSIC_INT64] = 64, [CLASSIC_UINT64] = 64,
};

/* The C value at an address, as bits. */
static uint64_t native_bits(unsigned type, const void *at)
{
	uint8_t bits8;
	uint16_t bits16;
	uint32_t bits32;
	uint64_t bits64;

	switch (nbits_of[type]) {
	case 8:
		memcpy(&bits8, at, 1);
		return bits8;
	case 16:
		memcpy(&bits16, at, 2);
		return bits16;
	case 32:
		memcpy(&bits32, at, 4);
		return bits32;
	default:
		memcpy(&bits64, at, 8);
		return bits64;
	}
}

static bool convert(unsigned from, unsigned to, struct values_run run)
{
	struct values_conversion c = {
		.from = (enum classic_type)from,
		.to = (enum classic_type)to,
		.checks_ubyte = true,
	};

	return values_convert(&c, &run);
}

/* A long run against its values one by one, bytes around them included. */
static void check_run_of(unsigned from, unsigned to, const uint8_t *in,
			 struct values_run run)
{
	size_t in_nbytes = nbits_of[from] / 8;
	ptrdiff_t nbytes =
		(ptrdiff_t)values_native_nbytes((enum classic_type)to);
	ptrdiff_t last = ((ptrdiff_t)run.n - 1) * run.out_step * nbytes;
	size_t room = run.n == 0 ? 0 :
				   (size_t)((last < 0 ? -last : last) + nbytes);
	/* Odd addresses, and no byte more than is to be read or written. */
	size_t length =
		run.n == 0 ? 0 : ((run.n - 1) * run.in_step + 1) * in_nbytes;
	uint8_t *copy = copy_exactly(in, length + 1);
	uint8_t *one = malloc(room + 1), *all = malloc(room + 1);
	ptrdiff_t first = last < 0 ? 1 - last : 1;
	bool fits = true;

	REQUIRE(one && all);
	memmove(copy + 1, copy, length);
	memset(one, 0xa5, room + 1);
	memset(all, 0xa5, room + 1);
	run.in = copy + 1;
	run.out = all + (run.n ? first : 0);
	for (size_t i = 0; i < run.n; i++)
		fits &= convert(
			from, to,
			(struct values_run){
				run.in + i * run.in_step * in_nbytes, 1,
				one + first +
					(ptrdiff_t)i * run.out_step * nbytes,
				1, 1 });
	CHECK(convert(from, to, run) == fits);
	if (!CHECK_MEM_EQ(one, all, room + 1))
		printf("%s as %s: %zu values, steps %zu and %td\n",
		       classic_type_name(from), classic_type_name(to), run.n,
		       run.in_step, run.out_step);
	free(copy);
	free(one);
	free(all);
}

/* Runs with misfits, and runs where all fit; pieces have 512 values. */
static void test_runs(unsigned from, unsigned to)
{
	static const size_t lengths[] = { 0,  1,   2,   3,   4,   5,    8,   15,
					  33, 511, 512, 513, 514, 1024, 1111 };
	static const size_t in_steps[] = { 1, 2, 7 };
	static const ptrdiff_t out_steps[] = { 1, 0, 2, -1, -3 };
	size_t n = 7 * 1111 + 1;
	struct blob mixed = { 0 }, plain = { 0 };
	uint64_t seed = 17 * from + to;

	edge_values(from, &mixed);
	random_values(from, n, &seed, &mixed);
	plain_values(from, n, &plain);
	for (size_t l = 0; l < 15; l++)
		for (size_t i = 0; i < 3; i++)
			for (size_t o = 0; o < 5; o++) {
				struct values_run run = {
					.in_step = in_steps[i],
					.out_step = out_steps[o],
					.n = lengths[l],
				};

				check_run_of(from, to, mixed.data, run);
				check_run_of(from, to, plain.data, run);
			}
	blob_release(&mixed);
	blob_release(&plain);
}

static void test_all_pairs(void)
{
	for (unsigned from = 1; from <= NTYPES; from++)
		for (unsigned to = 1; to <= NTYPES; to++) {
			bool text = from == CLASSIC_CHAR;

			if (text != (to == CLASSIC_CHAR))
				continue;
			test_runs(from, to);
		}
}

/* Said in numbers, so that no arithmetic of a test can be wrong with ours. */
static void test_known(void)
{
	static const struct {
		enum classic_type from, to;
		uint64_t in, out;
		bool fits;
	} known[] = {
		{ CLASSIC_INT, CLASSIC_BYTE, 300, 44, false },
		{ CLASSIC_BYTE, CLASSIC_UINT, 0xff, 0xffffffff, false },
		{ CLASSIC_BYTE, CLASSIC_INT, 0x80, 0xffffff80, true },
		{ CLASSIC_UBYTE, CLASSIC_BYTE, 200, 200, false },
		{ CLASSIC_UINT64, CLASSIC_INT64, 1ULL << 63, 1ULL << 63,
		  false },
		{ CLASSIC_INT64, CLASSIC_UINT64, -1ULL, -1ULL, false },
		/* 2^31 and the number below it */
		{ CLASSIC_FLOAT, CLASSIC_INT, 0x4f000000, 0x11223344, false },
		{ CLASSIC_FLOAT, CLASSIC_INT, 0x4effffff, 0x7fffff80, true },
		/* -2^31 and the number below it */
		{ CLASSIC_FLOAT, CLASSIC_INT, 0xcf000000, 0x80000000, true },
		{ CLASSIC_FLOAT, CLASSIC_INT, 0xcf000001, 0x11223344, false },
		/* 2147483647 and 2147483647.5 */
		{ CLASSIC_DOUBLE, CLASSIC_INT, 0x41dfffffffc00000, 0x7fffffff,
		  true },
		{ CLASSIC_DOUBLE, CLASSIC_INT, 0x41dfffffffe00000, 0x11223344,
		  false },
		/* 127.5, -128.5, -0.5, -0, 255.5 */
		{ CLASSIC_FLOAT, CLASSIC_BYTE, 0x42ff0000, 0x44, false },
		{ CLASSIC_FLOAT, CLASSIC_BYTE, 0xc3008000, 0x44, false },
		{ CLASSIC_FLOAT, CLASSIC_UBYTE, 0xbf000000, 0x44, false },
		{ CLASSIC_FLOAT, CLASSIC_UBYTE, 0x80000000, 0, true },
		{ CLASSIC_FLOAT, CLASSIC_UBYTE, 0x437f8000, 0x44, false },
		/* -0.5, 1.75, a denormal */
		{ CLASSIC_FLOAT, CLASSIC_SHORT, 0xbf000000, 0, true },
		{ CLASSIC_FLOAT, CLASSIC_SHORT, 0x3fe00000, 1, true },
		{ CLASSIC_FLOAT, CLASSIC_UINT64, 1, 0, true },
		/* 2^63 and 2^64 fit, the numbers above them do not */
		{ CLASSIC_FLOAT, CLASSIC_INT64, 0x5f000000, INT64_MAX, true },
		{ CLASSIC_FLOAT, CLASSIC_UINT64, 0x5f800000, UINT64_MAX, true },
		{ CLASSIC_DOUBLE, CLASSIC_INT64, 0x43e0000000000001,
		  0x1122334411223344, false },
		{ CLASSIC_DOUBLE, CLASSIC_UINT64, 0x43f0000000000001,
		  0x1122334411223344, false },
		/* NaN, infinity */
		{ CLASSIC_FLOAT, CLASSIC_INT, 0x7fc00000, 0x80000000, true },
		{ CLASSIC_FLOAT, CLASSIC_SHORT, 0x7fc00000, 0, true },
		{ CLASSIC_DOUBLE, CLASSIC_UINT64, 0x7ff8000000000000,
		  1ULL << 63, true },
		{ CLASSIC_FLOAT, CLASSIC_INT, 0x7f800000, 0x11223344, false },
		{ CLASSIC_FLOAT, CLASSIC_DOUBLE, 0xff800000, 0xfffULL << 52,
		  true },
		{ CLASSIC_DOUBLE, CLASSIC_FLOAT, 0xfffULL << 52, 0xff7fffff,
		  false },
		{ CLASSIC_FLOAT, CLASSIC_FLOAT, 0x7f800001, 0x7f800001, true },
		/* the largest float, and the next double */
		{ CLASSIC_DOUBLE, CLASSIC_FLOAT, 0x47efffffe0000000, 0x7f7fffff,
		  true },
		{ CLASSIC_DOUBLE, CLASSIC_FLOAT, 0x47efffffe0000001, 0x7f7fffff,
		  false },
		/* 2^53 + 1 as double, 2^24 + 1 as float, 2^64 - 1 */
		{ CLASSIC_INT64, CLASSIC_DOUBLE, (1ULL << 53) + 1,
		  0x4340000000000000, true },
		{ CLASSIC_INT, CLASSIC_FLOAT, (1 << 24) + 1, 0x4b800000, true },
		{ CLASSIC_UINT64, CLASSIC_FLOAT, -1ULL, 0x5f800000, true },
		{ CLASSIC_CHAR, CLASSIC_CHAR, 0xe9, 0xe9, true },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		uint64_t out = 0x1122334411223344;
		struct blob in = { 0 };

		blob_be(&in, known[i].in, nbits_of[known[i].from] / 8);
		CHECK(convert(known[i].from, known[i].to,
			      (struct values_run){ in.data, 1, &out, 1, 1 }) ==
		      known[i].fits);
		if (!CHECK_EQ_U64(native_bits(known[i].to, &out), known[i].out))
			printf("row %zu\n", i);
		blob_release(&in);
	}
}

/* CDF-1 and -2 have no unsigned bytes, so theirs may be either. */
static void test_unchecked_ubyte(void)
{
	const uint8_t in[] = { 0, 1, 127, 128, 255 };
	uint8_t out[5];
	struct values_conversion c = {
		.from = CLASSIC_BYTE,
		.to = CLASSIC_UBYTE,
	};

	CHECK(values_convert(&c, &(struct values_run){ in, 1, out, 1, 5 }));
	CHECK_MEM_EQ(in, out, 5);
	CHECK(values_convert(&c,
			     &(struct values_run){ in, 1, out + 4, -1, 5 }));
	CHECK(out[0] == 255 && out[4] == 0);
	c.checks_ubyte = true;
	memset(out, 0, 5);
	CHECK(!values_convert(&c, &(struct values_run){ in, 1, out, 1, 5 }));
	CHECK_MEM_EQ(in, out, 5);
}

/* One value, and a step that no memory has. */
static void test_huge_step(void)
{
	const uint8_t in[] = { 0, 7 };
	int out = 0;

	CHECK(convert(CLASSIC_SHORT, CLASSIC_INT,
		      (struct values_run){ in, SIZE_MAX, &out, PTRDIFF_MIN,
					   1 }));
	CHECK_EQ_U64((uint64_t)out, 7);
}

static void test_convertible(void)
{
	for (unsigned from = 0; from <= NTYPES + 1; from++)
		for (unsigned to = 0; to <= NTYPES + 1; to++) {
			bool exist = from >= 1 && from <= NTYPES && to >= 1 &&
				     to <= NTYPES;

			CHECK(values_convertible((enum classic_type)from,
						 (enum classic_type)to) ==
			      (exist && (from == 2) == (to == 2)));
		}
	for (unsigned to = 1; to <= NTYPES; to++)
		CHECK_EQ_U64(values_native_nbytes((enum classic_type)to),
			     nbits_of[to] / 8);
}

int main(void)
{
	RUN(test_known);
	RUN(test_all_pairs);
	RUN(test_unchecked_ubyte);
	RUN(test_huge_step);
	RUN(test_convertible);
	return check_report();
}
