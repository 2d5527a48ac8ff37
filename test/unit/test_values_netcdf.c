/* SPDX-License-Identifier: MIT */
/*
 * values.c beside libnetcdf: files of every version with edge, random and
 * plain values of every type, read as every C type, must give the same values
 * and the same complaints.
 */
#include "check.h"
#include "classic/values.h"

#include <netcdf.h>

#include "edge_values.h"
#include "pipes.h"
#include "shape.h"

#define NTYPES 11
#define NRANDOM 1500

#define DEFINE_GET(name, type) \
	static int get_##name(int file, const size_t *start, \
			      const size_t *count, void *out) \
	{ \
		return nc_get_vara_##name(file, 0, start, count, (type *)out); \
	}

DEFINE_GET(schar, signed char)
DEFINE_GET(text, char)
DEFINE_GET(short, short)
DEFINE_GET(int, int)
DEFINE_GET(float, float)
DEFINE_GET(double, double)
DEFINE_GET(uchar, unsigned char)
DEFINE_GET(ushort, unsigned short)
DEFINE_GET(uint, unsigned)
DEFINE_GET(longlong, long long)
DEFINE_GET(ulonglong, unsigned long long)

static int (*const get[NTYPES + 1])(int file, const size_t *start,
				    const size_t *count, void *out) = {
	[CLASSIC_BYTE] = get_schar,       [CLASSIC_CHAR] = get_text,
	[CLASSIC_SHORT] = get_short,      [CLASSIC_INT] = get_int,
	[CLASSIC_FLOAT] = get_float,      [CLASSIC_DOUBLE] = get_double,
	[CLASSIC_UBYTE] = get_uchar,      [CLASSIC_USHORT] = get_ushort,
	[CLASSIC_UINT] = get_uint,        [CLASSIC_INT64] = get_longlong,
	[CLASSIC_UINT64] = get_ulonglong,
};

/* A file with one variable, open in libnetcdf. */
struct beside {
	uint8_t version;
	enum classic_type type;
	struct blob values; /* as in the file */
	size_t n;
	int file;
};

static bool is_real(enum classic_type type)
{
	return type == CLASSIC_FLOAT || type == CLASSIC_DOUBLE;
}

/* Whether value number i is NaN, of which libnetcdf makes any integer. */
static bool is_nan(const struct beside *b, size_t i)
{
	uint8_t mantissa = b->type == CLASSIC_FLOAT ? 23 : 52;
	size_t nbytes = classic_type_nbytes(b->type);
	uint64_t bits = 0, infinity;

	if (!is_real(b->type))
		return false;
	for (size_t k = 0; k < nbytes; k++)
		bits = bits << 8 | b->values.data[i * nbytes + k];
	infinity =
		(UINT64_C(1) << (8 * nbytes - 1)) - (UINT64_C(1) << mantissa);
	return (bits & ((UINT64_C(1) << (8 * nbytes - 1)) - 1)) > infinity;
}

/*
 * Whether libnetcdf gives the fill value for one that does not fit, as 4.9.3
 * does if it was built so.
 */
static bool is_filled(enum classic_type type, const void *value, bool fits)
{
	return !fits && memcmp(value, classic_type_fill(type),
			       values_native_nbytes(type)) == 0;
}

/* Reads 'count' values from 'start' both ways. */
static void compare(const struct beside *b, enum classic_type to, size_t start,
		    size_t count)
{
	struct values_conversion conversion = {
		.from = b->type,
		.to = to,
		.checks_ubyte = b->version == 5,
	};
	size_t nbytes = values_native_nbytes(to);
	uint8_t *theirs = malloc(count * nbytes);
	uint8_t *ours = malloc(count * nbytes);
	struct values_run run = { b->values.data +
					  start * classic_type_nbytes(b->type),
				  1, ours, 1, count };
	int status;
	bool fits;

	REQUIRE(theirs && ours);
	memset(theirs, 0x5a, count * nbytes);
	memset(ours, 0x5a, count * nbytes);
	status = get[to](b->file, &start, &count, theirs);
	fits = values_convert(&conversion, &run);
	if (!CHECK(status == (fits ? NC_NOERR : NC_ERANGE)))
		printf("CDF-%u, %s as %s, from value %zu: %s\n", b->version,
		       classic_type_name(b->type), classic_type_name(to), start,
		       nc_strerror(status));
	for (size_t i = 0; i < count; i++)
		if ((is_real(to) || !is_nan(b, start + i)) &&
		    !is_filled(to, theirs + i * nbytes, fits) &&
		    !CHECK_MEM_EQ(theirs + i * nbytes, ours + i * nbytes,
				  nbytes))
			printf("CDF-%u, %s as %s, value %zu\n", b->version,
			       classic_type_name(b->type),
			       classic_type_name(to), start + i);
	free(theirs);
	free(ours);
}

/* Each value alone, for its own status; then all at once. */
static void compare_all(const struct beside *b)
{
	size_t start = 0, count = 1;
	uint64_t one;

	for (unsigned type = 1; type <= NTYPES; type++) {
		enum classic_type to = (enum classic_type)type;

		if (!values_convertible(b->type, to)) {
			CHECK(get[to](b->file, &start, &count, &one) ==
			      NC_ECHAR);
			continue;
		}
		for (size_t i = 0; i < b->n; i++)
			compare(b, to, i, 1);
		compare(b, to, 0, b->n);
	}
}

static void make_values(struct beside *b)
{
	uint64_t seed = 49 + b->type;

	edge_values(b->type, &b->values);
	random_values(b->type, NRANDOM, &seed, &b->values);
	plain_values(b->type, NRANDOM, &b->values);
	b->n = b->values.nbytes / classic_type_nbytes(b->type);
}

static void test_type(uint8_t version, enum classic_type type)
{
	struct beside b = { .version = version, .type = type };
	struct shape shape = { .version = version, .ndims = 1, .nvars = 1 };
	struct blob bytes = { 0 };
	char dir[DIR_NAME_MAX];
	char *path;

	make_values(&b);
	shape.dims[0] = b.n;
	shape.vars[0].type = type;
	shape.vars[0].rank = 1;
	shape_place(&shape, 0);
	shape_write(&shape, &bytes);
	blob_put(&bytes, b.values.data, b.values.nbytes);
	blob_fill(&bytes, 0, -bytes.nbytes % 4);

	dir_make(dir);
	path = dir_path(dir, "values.nc");
	file_write(path, bytes.data, bytes.nbytes);
	if (CHECK(nc_open(path, NC_NOWRITE, &b.file) == NC_NOERR)) {
		compare_all(&b);
		CHECK(nc_close(b.file) == NC_NOERR);
	}
	free(path);
	dir_remove(dir);
	blob_release(&bytes);
	blob_release(&b.values);
}

static void test_versions(void)
{
	static const uint8_t versions[] = { 1, 2, 5 };

	for (size_t v = 0; v < 3; v++)
		for (unsigned type = 1; type <= NTYPES; type++)
			if (classic_type_in_version(type, versions[v]))
				test_type(versions[v], (enum classic_type)type);
}

int main(void)
{
	RUN(test_versions);
	return check_report();
}
