/* SPDX-License-Identifier: MIT */
#include "edge_values.h"

#include "check.h"
#include "classic/types.h"
#include "shape.h"

static bool is_real(uint32_t type)
{
	return type == CLASSIC_FLOAT || type == CLASSIC_DOUBLE;
}

/* The bits of a number as FLOAT or DOUBLE. */
static uint64_t real_bits(uint32_t type, double number)
{
	float single = (float)number;
	uint32_t bits32;
	uint64_t bits64;

	if (type == CLASSIC_FLOAT) {
		memcpy(&bits32, &single, sizeof(bits32));
		return bits32;
	}
	memcpy(&bits64, &number, sizeof(bits64));
	return bits64;
}

static void put(uint32_t type, uint64_t bits, struct blob *out)
{
	blob_be(out, bits, (unsigned)shape_type_nbytes(type));
}

/* A real, its four nearest neighbours, and all of them negative. */
static void put_around(uint32_t type, uint64_t bits, struct blob *out)
{
	uint64_t sign = UINT64_C(1) << (8 * shape_type_nbytes(type) - 1);

	for (unsigned i = 0; i < 5; i++) {
		put(type, bits + i - 2, out);
		put(type, (bits + i - 2) | sign, out);
	}
}

static void edges_of_reals(uint32_t type, struct blob *out)
{
	static const uint64_t floats[] = { 2, 0x00800000, 0x7f800000,
					   0x7fc00000, 0x7fffffff };
	static const uint64_t doubles[] = {
		2,
		UINT64_C(0x0010000000000000),
		UINT64_C(0x36a0000000000000), /* the least float, 2^-149 */
		UINT64_C(0x3810000000000000), /* the least normal float */
		UINT64_C(0x47ee000000000000), /* less than the largest float */
		UINT64_C(0x47efffffe0000000), /* the largest float */
		UINT64_C(0x47effffff0000000), /* halfway to 2^128 */
		UINT64_C(0x47f0000000000000),
		UINT64_C(0x7ff0000000000000),
		UINT64_C(0x7ff8000000000000),
		UINT64_C(0x7fffffffffffffff),
	};
	bool is_float = type == CLASSIC_FLOAT;
	const uint64_t *bits = is_float ? floats : doubles;

	for (unsigned i = 0; i < (is_float ? 5 : 11); i++)
		put_around(type, bits[i], out);
}

static void edges_of_integers(uint32_t type, struct blob *out)
{
	static const unsigned powers[] = { 0,  7,  8,  15, 16, 23, 24,
					   31, 32, 52, 53, 54, 63, 64 };

	for (size_t p = 0; p < sizeof(powers) / sizeof(*powers); p++) {
		unsigned k = powers[p];
		uint64_t integer = k < 64 ? UINT64_C(1) << k : 0;
		double real = k < 64 ? (double)integer : 0x1p64;

		if (is_real(type))
			put_around(type, real_bits(type, real), out);
		for (int i = -6; i <= 6; i++) {
			uint64_t distance = (uint64_t)(int64_t)i;

			if (is_real(type)) {
				put(type, real_bits(type, real + i / 4.0), out);
				put(type, real_bits(type, i / 4.0 - real), out);
			} else {
				put(type, integer + distance, out);
				put(type, distance - integer, out);
			}
		}
	}
}

void edge_values(uint32_t type, struct blob *out)
{
	edges_of_integers(type, out);
	if (is_real(type))
		edges_of_reals(type, out);
}

void random_values(uint32_t type, size_t n, uint64_t *seed, struct blob *out)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = check_random(seed);
		unsigned shift = (unsigned)check_random_below(seed, 64);
		int64_t number = (int64_t)check_random(seed) >> shift;

		if (i % 2)
			bits = is_real(type) ?
				       real_bits(type, (double)number / 16) :
				       (uint64_t)number;
		put(type, bits, out);
	}
}

void plain_values(uint32_t type, size_t n, struct blob *out)
{
	for (size_t i = 0; i < n; i++)
		put(type,
		    is_real(type) ? real_bits(type, (double)(i % 401) / 4) :
				    i % 101,
		    out);
}
