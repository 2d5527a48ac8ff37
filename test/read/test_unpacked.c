/* SPDX-License-Identifier: MIT */
/*
 * Values unpacked, beside what a reader of the conventions would work out one
 * by one: each attribute at random there or not, of any type, with numbers that
 * the variable has and some that it cannot have.
 */
#include <math.h>

#include "check.h"
#include "made.h"
#include "packed.h"

#define NELEMS 97

/* Wide enough for all integers of the formats. */
typedef long double number;

struct att {
	const char *name;
	bool is_there;
	int type;
	unsigned nelems;
	number values[3];
};

enum {
	SCALE,
	OFFSET,
	FILL,
	MISSING,
	RANGE,
	MIN,
	MAX,
	NATTS
};

struct subject {
	int type;
	bool is_unsigned;
	struct att atts[NATTS];
	number values[NELEMS]; /* packed */
};

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return check_random_below(seed, limit);
}

static bool is_real(int type)
{
	return type == NC3Z_FLOAT || type == NC3Z_DOUBLE;
}

static bool has_sign(int type)
{
	return type < NC3Z_UBYTE || type == NC3Z_INT64;
}

static int nbits(int type)
{
	return 8 * (int)nc3z_type_nbytes(type);
}

/* Whether a type has a number; floating-point ones have all, nearly. */
static bool has(int type, number x)
{
	number end = ldexpl(1, nbits(type) - has_sign(type));

	if (is_real(type))
		return true;
	return x == truncl(x) && x < end && x >= (has_sign(type) ? -end : 0);
}

static number rounded(int type, number x)
{
	return type == NC3Z_FLOAT  ? (number)(float)x :
	       type == NC3Z_DOUBLE ? (number)(double)x :
				     x;
}

static void put_number(struct blob *out, int type, number x)
{
	float single = (float)x;
	double real = (double)x;
	uint32_t bits32;
	uint64_t bits;

	if (type == NC3Z_FLOAT) {
		memcpy(&bits32, &single, sizeof(single));
		bits = bits32;
	} else if (type == NC3Z_DOUBLE) {
		memcpy(&bits, &real, sizeof(real));
	} else {
		bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
	}
	for (int i = nbits(type) - 8; i >= 0; i -= 8)
		blob_put(out, &(uint8_t){ (uint8_t)(bits >> i) }, 1);
}

static void put_padding(struct blob *out)
{
	blob_put(out, "\0\0\0", (4 - out->nbytes % 4) % 4);
}

static void put_name(struct blob *out, const char *name)
{
	blob_be(out, strlen(name), 8);
	blob_put(out, name, strlen(name));
	put_padding(out);
}

static void put_att(struct blob *out, const struct att *att)
{
	put_name(out, att->name);
	blob_be32(out, (uint32_t)att->type);
	blob_be(out, att->nelems, 8);
	for (unsigned i = 0; i < att->nelems; i++)
		put_number(out, att->type, att->values[i]);
	put_padding(out);
}

static void put_atts(struct blob *out, const struct subject *s)
{
	unsigned n = s->is_unsigned;

	for (int i = 0; i < NATTS; i++)
		n += s->atts[i].is_there;
	blob_be32(out, n ? 12 : 0);
	blob_be(out, n, 8);
	for (int i = 0; i < NATTS; i++)
		if (s->atts[i].is_there)
			put_att(out, &s->atts[i]);
	if (!s->is_unsigned)
		return;
	put_name(out, "_Unsigned");
	blob_be32(out, NC3Z_CHAR);
	blob_be(out, 4, 8);
	blob_put(out, "true", 4);
}

/* A CDF-5 file of the variable v(x). */
static void make_file(const struct subject *s, struct blob *out)
{
	blob_put(out, "CDF\5", 4);
	blob_be(out, 0, 8);
	blob_be32(out, 10);
	blob_be(out, 1, 8);
	put_name(out, "x");
	blob_be(out, NELEMS, 8);
	blob_be32(out, 0);
	blob_be(out, 0, 8);
	blob_be32(out, 11);
	blob_be(out, 1, 8);
	put_name(out, "v");
	blob_be(out, 1, 8);
	blob_be(out, 0, 8);
	put_atts(out, s);
	blob_be32(out, (uint32_t)s->type);
	blob_be(out, NELEMS * nc3z_type_nbytes(s->type), 8);
	blob_be(out, out->nbytes + 8, 8);
	for (int i = 0; i < NELEMS; i++)
		put_number(out, s->type, s->values[i]);
}

/* A number near 0, or near an end of a type, which the type has. */
static number random_number(int type, uint64_t *seed)
{
	number end = ldexpl(1, nbits(type) - has_sign(type));
	number x = (number)below(seed, 9);

	if (is_real(type) && below(seed, 3) == 0)
		return rounded(type, x * 0.1L - 0.3L);
	if (!is_real(type) && below(seed, 3) == 0)
		return end - 1 - x;
	if (!is_real(type) && has_sign(type) && below(seed, 3) == 0)
		return -end + x;
	if (!is_real(type) && !has_sign(type))
		return x;
	return below(seed, 20) == 0 && is_real(type) ? (number)NAN : x - 4;
}

static void random_att(struct att *att, int type, uint64_t *seed)
{
	att->is_there = below(seed, 2);
	att->type = below(seed, 2) ? type : NC3Z_SHORT + (int)below(seed, 4);
	for (int i = 0; i < 3; i++) {
		att->values[i] = random_number(type, seed);
		if (is_real(att->type) && below(seed, 6) == 0)
			att->values[i] += 0.5L;
		if (!has(att->type, att->values[i]) ||
		    (isnan(att->values[i]) && !is_real(att->type)))
			att->values[i] = 1;
		att->values[i] = rounded(att->type, att->values[i]);
	}
}

static void random_subject(struct subject *s, uint64_t *seed)
{
	static const char *const names[] = { "scale_factor", "add_offset",
					     "_FillValue",   "missing_value",
					     "valid_range",  "valid_min",
					     "valid_max" };

	*s = (struct subject){ .type = NC3Z_BYTE };
	while (s->type == NC3Z_BYTE || s->type == NC3Z_CHAR)
		s->type = 1 + (int)below(seed, 11);
	if (below(seed, 6) == 0)
		s->type = NC3Z_BYTE;
	s->is_unsigned = below(seed, 4) == 0;
	for (int i = 0; i < NATTS; i++) {
		s->atts[i].name = names[i];
		random_att(&s->atts[i], s->type, seed);
		s->atts[i].nelems = i == MISSING ?
					    1 + (unsigned)below(seed, 3) :
				    i == RANGE ? 1 + (unsigned)below(seed, 2) :
						 1;
	}
	for (int i = SCALE; i <= OFFSET; i++) {
		s->atts[i].type = NC3Z_FLOAT + (int)below(seed, 2);
		s->atts[i].values[0] = rounded(s->atts[i].type,
					       0.01L * (number)below(seed, 9));
		s->atts[i].nelems = below(seed, 16) ? 1 : 2;
	}
	for (int i = 0; i < NELEMS; i++)
		s->values[i] = random_number(s->type, seed);
	/* What netCDF writes by default. */
	s->values[0] = s->type == NC3Z_SHORT ? -32767 :
		       s->type == NC3Z_INT   ? -2147483647 :
		       s->type == NC3Z_INT64 ? -9223372036854775806.L :
		       s->type == NC3Z_FLOAT ? 0x1.ep+122L :
					       s->values[0];
}

/* As the type without a sign of the same width. */
static number without_sign(const struct subject *s, number x)
{
	bool turns = s->is_unsigned && has_sign(s->type) && !is_real(s->type);

	return turns && x < 0 ? x + ldexpl(1, nbits(s->type)) : x;
}

/* An element of an attribute as the variable's type has it. */
static bool att_number(const struct subject *s, int which, unsigned i,
		       number *x_ret)
{
	const struct att *att = &s->atts[which];

	if (!att->is_there || i >= att->nelems || !has(s->type, att->values[i]))
		return false;
	*x_ret = without_sign(s, rounded(s->type, att->values[i]));
	return true;
}

static number default_fill(int type)
{
	return type == NC3Z_SHORT  ? -32767 :
	       type == NC3Z_INT    ? -2147483647 :
	       type == NC3Z_USHORT ? 65535 :
	       type == NC3Z_UINT   ? 4294967295.L :
	       type == NC3Z_INT64  ? -9223372036854775806.L :
	       type == NC3Z_UINT64 ? 18446744073709551614.L :
				     0x1.ep+122L;
}

static bool is_missing(const struct subject *s, number x)
{
	number a, b;

	if (att_number(s, FILL, 0, &a) ?
		    x == a :
		    nbits(s->type) > 8 &&
			    x == without_sign(s, default_fill(s->type)))
		return true;
	for (unsigned i = 0; i < 3; i++)
		if (att_number(s, MISSING, i, &a) && x == a)
			return true;
	if (s->atts[RANGE].nelems == 2 && att_number(s, RANGE, 0, &a) &&
	    att_number(s, RANGE, 1, &b))
		return x < a || x > b;
	return (att_number(s, MIN, 0, &a) && x < a) ||
	       (att_number(s, MAX, 0, &a) && x > a);
}

static double unpacked(const struct subject *s, int i)
{
	number x = without_sign(s, s->values[i]);
	double y = (double)x;

	if (is_missing(s, x))
		return (double)NAN;
	for (int k = SCALE; k <= OFFSET; k++)
		if (s->atts[k].is_there && s->atts[k].nelems != 1)
			return y;
	if (s->atts[SCALE].is_there)
		y *= (double)s->atts[SCALE].values[0];
	if (s->atts[OFFSET].is_there)
		y += (double)s->atts[OFFSET].values[0];
	return y;
}

static bool is_same(double a, double b)
{
	return a == b || (a != a && b != b);
}

/* All values, every third backwards, and one. */
static void check_gets(const struct subject *s, struct nc3z_file *file)
{
	const size_t start = 1, count = NELEMS / 3;
	const ptrdiff_t stride = 3, imap = -2;
	const struct nc3z_hyperslab slab = { &start, &count, &stride, &imap };
	double doubles[NELEMS], thirds[2 * NELEMS];
	float floats[NELEMS], one;

	CHECK(nc3z_get(file, 0, NULL, NC3Z_DOUBLE | NC3Z_UNPACKED, doubles,
		       NULL) == NC3Z_OK);
	CHECK(nc3z_get(file, 0, NULL, NC3Z_FLOAT | NC3Z_UNPACKED, floats,
		       NULL) == NC3Z_OK);
	CHECK(nc3z_get(file, 0, &slab, NC3Z_DOUBLE | NC3Z_UNPACKED,
		       thirds + NELEMS, NULL) == NC3Z_OK);
	CHECK(nc3z_get_var1(file, 0, &start, NC3Z_FLOAT | NC3Z_UNPACKED, &one,
			    NULL) == NC3Z_OK);
	CHECK(is_same((double)one, (double)floats[1]));
	for (int i = 0; i < NELEMS; i++) {
		double x = unpacked(s, i);

		CHECK(is_same(doubles[i], x));
		CHECK(is_same((double)floats[i], (double)(float)x));
		if (i % 3 == 1)
			CHECK(is_same(thirds[NELEMS - i / 3 * 2], x));
	}
}

static void test_random(void)
{
	static const struct manner manner = { .nthreads = 1 };
	struct subject s;
	uint64_t seed = 81;
	int nmissing = 0;

	for (int n = 0; n < 1500; n++) {
		struct blob file = { 0 }, archive;
		struct nc3z_file *f;

		random_subject(&s, &seed);
		make_file(&s, &file);
		archive = packed_make(&file, &manner);
		for (int i = 0; i < 2; i++) {
			f = packed_open(i ? &archive : &file, &manner);
			REQUIRE(f);
			check_gets(&s, f);
			nc3z_close(f);
		}
		for (int i = 0; i < NELEMS; i++)
			nmissing += isnan(unpacked(&s, i));
		blob_release(&archive);
		blob_release(&file);
	}
	CHECK(nmissing > 1500 * NELEMS / 10);
	CHECK(nmissing < 1500 * NELEMS / 10 * 9);
}

/* What is refused, and what does not fit. */
static void test_statuses(void)
{
	static const struct manner manner = { .nthreads = 1 };
	struct subject s = { .type = NC3Z_DOUBLE };
	struct blob file = { 0 };
	struct nc3z_file *f;
	float floats[NELEMS];
	double doubles[NELEMS];

	s.values[5] = 1e300L;
	make_file(&s, &file);
	f = packed_open(&file, &manner);
	REQUIRE(f);
	CHECK(nc3z_get(f, 0, NULL, NC3Z_FLOAT | NC3Z_UNPACKED, floats, NULL) ==
	      NC3Z_ERANGE);
	CHECK(floats[5] > 3e38F && floats[4] == 0);
	CHECK(nc3z_get(f, 0, NULL, NC3Z_UNPACKED, doubles, NULL) ==
	      NC3Z_EBADTYPE);
	CHECK(nc3z_get(f, 0, NULL, NC3Z_INT | NC3Z_UNPACKED, doubles, NULL) ==
	      NC3Z_EBADTYPE);
	CHECK(nc3z_get(f, 0, NULL, NC3Z_DOUBLE | 0x200, doubles, NULL) ==
	      NC3Z_EBADTYPE);
	nc3z_close(f);
	blob_release(&file);
}

int main(void)
{
	RUN(test_random);
	RUN(test_statuses);
	return check_report();
}
