/* SPDX-License-Identifier: MIT */
/* What inquiries say, beside libnetcdf. */
#include <netcdf.h>
#include <string.h>

#include "beside.h"
#include "check.h"

/* libnetcdf copies any name to where NC_MAX_NAME bytes are expected. */
#define NAME_NBYTES 70000

/* From 4.10 on, libnetcdf cuts names that are too long. */
static void check_name(const char *ours, const char *theirs)
{
	size_t n = strlen(theirs);

	if (n < NC_MAX_NAME || strncmp(ours, theirs, n) != 0)
		CHECK_STR_EQ(ours, theirs);
}

static void check_dims(const struct beside *b, struct nc3z_file *f, int ndims)
{
	for (int i = 0; i < ndims; i++) {
		struct nc3z_dim dim = { .name = "" };
		char name[NAME_NBYTES];
		size_t length;
		int theirs, ours;

		REQUIRE(nc_inq_dim(b->ncid, i, name, &length) == NC_NOERR);
		CHECK(nc3z_inq_dim(f, i, &dim, NULL) == NC3Z_OK);
		check_name(dim.name, name);
		CHECK_EQ_U64(dim.length, length);
		if (nc_inq_dimid(b->ncid, name, &theirs) == NC_NOERR &&
		    CHECK(nc3z_inq_dimid(f, name, &ours, NULL) == NC3Z_OK))
			CHECK_EQ_U64((uint64_t)ours, (uint64_t)theirs);
	}
}

/* As text, or as doubles. */
static void check_att_values(const struct beside *b, struct nc3z_file *f,
			     int varid, const struct nc3z_att *att)
{
	size_t n = (size_t)att->nelems;
	bool is_text = att->type == NC3Z_CHAR;
	size_t nbytes = n * (is_text ? 1 : sizeof(double));
	uint8_t *theirs = calloc(nbytes + 1, 1), *ours = calloc(nbytes + 1, 1);
	int status, expected;

	REQUIRE(theirs && ours);
	if (is_text)
		expected = nc_get_att_text(b->ncid, varid, att->name,
					   (char *)theirs);
	else
		expected = nc_get_att_double(b->ncid, varid, att->name,
					     (double *)(void *)theirs);
	status = nc3z_get_att(f, varid, att->name,
			      is_text ? NC3Z_CHAR : NC3Z_DOUBLE, ours, NULL);
	CHECK_EQ_U64((uint64_t)status, (uint64_t)both_status(expected));
	CHECK_MEM_EQ(ours, theirs, nbytes + 1);
	status = nc3z_get_att(f, varid, att->name,
			      is_text ? NC3Z_INT : NC3Z_CHAR, ours, NULL);
	CHECK(status == NC3Z_ECHAR);
	free(theirs);
	free(ours);
}

static void check_atts(const struct beside *b, struct nc3z_file *f, int varid,
		       int natts)
{
	struct nc3z_att att = { .name = "" }, again = { .name = "" };

	for (int i = 0; i < natts; i++) {
		char name[NAME_NBYTES];
		size_t length;
		nc_type type;

		REQUIRE(nc_inq_attname(b->ncid, varid, i, name) == NC_NOERR);
		CHECK(nc3z_inq_attnum(f, varid, i, &att, NULL) == NC3Z_OK);
		check_name(att.name, name);
		/* It looks for normalised names, of which some are not. */
		if (nc_inq_att(b->ncid, varid, name, &type, &length) !=
		    NC_NOERR)
			continue;
		CHECK(nc3z_inq_att(f, varid, name, &again, NULL) == NC3Z_OK);
		CHECK_EQ_U64((uint64_t)again.type, (uint64_t)type);
		CHECK_EQ_U64(again.nelems, length);
		check_att_values(b, f, varid, &again);
	}
	CHECK(nc3z_inq_attnum(f, varid, natts, &att, NULL) == NC3Z_ENOTATT);
	CHECK(nc3z_inq_attnum(f, varid, -1, &att, NULL) == NC3Z_ENOTATT);
	CHECK(nc3z_inq_att(f, varid, "no such name", &att, NULL) ==
	      NC3Z_ENOTATT);
}

static void check_var(const struct beside *b, struct nc3z_file *f, int varid)
{
	struct nc3z_var var = { .name = "" };
	int dimids[NC_MAX_VAR_DIMS], ndims, natts, theirs, ours;
	char name[NAME_NBYTES];
	uint64_t nelems = 1;
	bool fits = true;
	nc_type type;

	REQUIRE(nc_inq_var(b->ncid, varid, name, &type, &ndims, dimids,
			   &natts) == NC_NOERR);
	REQUIRE(nc3z_inq_var(f, varid, &var, NULL) == NC3Z_OK);
	check_name(var.name, name);
	CHECK_EQ_U64((uint64_t)var.type, (uint64_t)type);
	CHECK_EQ_U64((uint64_t)var.natts, (uint64_t)natts);
	REQUIRE(CHECK_EQ_U64((uint64_t)var.ndims, (uint64_t)ndims));
	for (int i = 0; i < ndims; i++) {
		size_t length;

		CHECK_EQ_U64((uint64_t)var.dimids[i], (uint64_t)dimids[i]);
		REQUIRE(nc_inq_dimlen(b->ncid, dimids[i], &length) == NC_NOERR);
		CHECK_EQ_U64(var.shape[i], length);
		fits = fits && !__builtin_mul_overflow(nelems, length, &nelems);
	}
	if (fits)
		CHECK_EQ_U64(var.nelems, nelems);
	if (nc_inq_varid(b->ncid, name, &theirs) == NC_NOERR &&
	    CHECK(nc3z_inq_varid(f, name, &ours, NULL) == NC3Z_OK))
		CHECK_EQ_U64((uint64_t)ours, (uint64_t)theirs);
	check_atts(b, f, varid, natts);
}

static void check_view(const struct beside *b, struct nc3z_file *f)
{
	int theirs[4], ours[4];
	struct nc3z_var var;
	struct nc3z_dim dim;

	REQUIRE(nc_inq(b->ncid, &theirs[0], &theirs[1], &theirs[2],
		       &theirs[3]) == NC_NOERR);
	nc3z_inq(f, &ours[0], &ours[1], &ours[2], &ours[3]);
	REQUIRE(CHECK_MEM_EQ(ours, theirs, sizeof(ours)));
	check_dims(b, f, ours[0]);
	for (int i = 0; i < ours[1]; i++)
		check_var(b, f, i);
	check_atts(b, f, NC_GLOBAL, ours[2]);
	CHECK(nc3z_inq_var(f, ours[1], &var, NULL) == NC3Z_ENOTVAR);
	CHECK(nc3z_inq_var(f, -1, &var, NULL) == NC3Z_ENOTVAR);
	CHECK(nc3z_inq_dim(f, ours[0], &dim, NULL) == NC3Z_EBADDIM);
	CHECK(nc3z_inq_dim(f, -1, &dim, NULL) == NC3Z_EBADDIM);
}

void beside_inquire(struct beside *b)
{
	if (b->ncid < 0)
		return;
	check_view(b, b->views[0].file);
	check_view(b, b->views[2].file);
}
