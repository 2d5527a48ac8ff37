/* SPDX-License-Identifier: MIT */
/*
 * usage: test_nbytes FILE...
 *
 * How many bytes calls write, and attributes as strings: every value of a file
 * is read into memory of exactly that size, which sanitizers watch.
 */
#include "check.h"
#include "nc3z.h"

static const int memtypes[] = { NC3Z_NAT,  NC3Z_BYTE,
				NC3Z_CHAR, NC3Z_DOUBLE,
				99,        NC3Z_FLOAT | NC3Z_UNPACKED };

#define NMEMTYPES (sizeof(memtypes) / sizeof(memtypes[0]))

/* What one call refuses the other refuses, too. */
static bool agree(int sized, int got)
{
	return sized == got || (sized == NC3Z_OK &&
				(got == NC3Z_ERANGE || got == NC3Z_ETRUNCATED));
}

static size_t value_nbytes(int memtype, int external)
{
	memtype &= ~NC3Z_UNPACKED;
	return nc3z_type_nbytes(memtype == NC3Z_NAT ? external : memtype);
}

static void check_att_type(struct nc3z_file *file, int varid,
			   const struct nc3z_att *att, int memtype)
{
	size_t nbytes = 0;
	int status = nc3z_inq_att_nbytes(file, varid, att->name, memtype,
					 &nbytes, NULL);
	char *values = malloc(nbytes);

	REQUIRE(values != NULL || nbytes == 0);
	CHECK(agree(status, nc3z_get_att(file, varid, att->name, memtype,
					 values, NULL)));
	if (status == NC3Z_OK)
		CHECK_EQ_U64(nbytes,
			     att->nelems * value_nbytes(memtype, att->type));
	free(values);
}

/* Of exactly the right size, and of one byte less. */
static void check_string(struct nc3z_file *file, int varid,
			 const struct nc3z_att *att)
{
	size_t length = (size_t)att->nelems;
	char *whole = malloc(length + 1), *text = malloc(length + 1);

	REQUIRE(whole != NULL && text != NULL);
	memset(text, '#', length + 1);
	if (att->type != NC3Z_CHAR) {
		CHECK(nc3z_get_att_string(file, varid, att->name, text,
					  length + 1, NULL) == NC3Z_ECHAR);
	} else {
		CHECK(nc3z_get_att(file, varid, att->name, NC3Z_CHAR, whole,
				   NULL) == NC3Z_OK);
		CHECK(nc3z_get_att_string(file, varid, att->name, text, length,
					  NULL) == NC3Z_ELIMIT);
		CHECK(text[0] == '#');
		CHECK(nc3z_get_att_string(file, varid, att->name, text,
					  length + 1, NULL) == NC3Z_OK);
		CHECK(memcmp(text, whole, length) == 0 && text[length] == '\0');
	}
	free(whole);
	free(text);
}

static void check_atts(struct nc3z_file *file, int varid, int natts)
{
	struct nc3z_att att;

	for (int i = 0; i < natts; i++) {
		REQUIRE(nc3z_inq_attnum(file, varid, i, &att, NULL) == NC3Z_OK);
		/* Of attributes with one name, only the first has a name. */
		REQUIRE(nc3z_inq_att(file, varid, att.name, &att, NULL) ==
			NC3Z_OK);
		for (size_t k = 0; k < NMEMTYPES; k++)
			if (!(memtypes[k] & NC3Z_UNPACKED))
				check_att_type(file, varid, &att, memtypes[k]);
		check_string(file, varid, &att);
	}
	CHECK(nc3z_get_att_string(file, varid, "no such name", NULL, 0, NULL) ==
	      NC3Z_ENOTATT);
}

static void check_slab(struct nc3z_file *file, int varid,
		       const struct nc3z_hyperslab *slab, int memtype)
{
	size_t nbytes = 0;
	int status =
		nc3z_inq_get_nbytes(file, varid, slab, memtype, &nbytes, NULL);
	void *values = malloc(nbytes);

	REQUIRE(values != NULL || nbytes == 0);
	CHECK(agree(status,
		    nc3z_get(file, varid, slab, memtype, values, NULL)));
	free(values);
}

static void check_var(struct nc3z_file *file, int varid)
{
	size_t start[NC3Z_CHUNK_DIMS_MAX], count[NC3Z_CHUNK_DIMS_MAX];
	ptrdiff_t imap[NC3Z_CHUNK_DIMS_MAX] = { 1 };
	struct nc3z_hyperslab slab = { start, count, NULL, NULL };
	struct nc3z_var var;
	size_t nbytes;

	REQUIRE(nc3z_inq_var(file, varid, &var, NULL) == NC3Z_OK);
	check_atts(file, varid, var.natts);
	if (var.ndims > NC3Z_CHUNK_DIMS_MAX || var.nelems > 1 << 20)
		return;
	for (int k = 0; k < var.ndims; k++) {
		start[k] = (size_t)var.shape[k] / 2;
		count[k] = (size_t)var.shape[k] - start[k];
	}
	for (size_t i = 0; i < NMEMTYPES; i++) {
		check_slab(file, varid, NULL, memtypes[i]);
		check_slab(file, varid, &slab, memtypes[i]);
	}
	slab.imap = imap;
	CHECK(nc3z_inq_get_nbytes(file, varid, &slab, NC3Z_NAT, &nbytes,
				  NULL) == NC3Z_EINVAL);
	slab.imap = NULL;
	count[0] = SIZE_MAX;
	if (var.ndims == 1)
		CHECK(nc3z_inq_get_nbytes(file, varid, &slab, NC3Z_NAT, &nbytes,
					  NULL) == NC3Z_ELIMIT);
}

static void check_file(const char *path)
{
	struct nc3z_file *file = NULL;
	int nvars = 0, natts = 0;
	size_t nbytes;

	if (!CHECK(nc3z_open(path, NULL, &file, NULL) == NC3Z_OK))
		return;
	nc3z_inq(file, NULL, &nvars, &natts, NULL);
	check_atts(file, NC3Z_GLOBAL, natts);
	for (int i = 0; i < nvars; i++)
		check_var(file, i);
	CHECK(nc3z_inq_get_nbytes(file, nvars, NULL, NC3Z_NAT, &nbytes, NULL) ==
	      NC3Z_ENOTVAR);
	nc3z_close(file);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		check_file(argv[i]);
	return check_report();
}
