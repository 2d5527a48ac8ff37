/* SPDX-License-Identifier: MIT */
/*
 * libnetcdf itself says which arguments are wrong, and which element goes
 * where: random calls of a small file of its own making, of which each value
 * is the variable's linear index.
 */
#include "check.h"

#ifdef HAVE_NETCDF

#include <netcdf.h>
#include <stddef.h>
#include <unistd.h>

#include "hyperslab/hyperslab.h"

#define RANK_MAX 4
#define NRECORDS 5

/* Of the array that is read into, around its middle for a negative imap. */
#define OUT_NELEMS 40000
#define UNTOUCHED (-1)

struct var {
	bool is_record;
	size_t rank;
	uint64_t shape[RANK_MAX];
};

static const struct var vars[] = {
	{ false, 0, { 0 } },
	{ false, 1, { 7 } },
	{ false, 2, { 3, 5 } },
	{ false, 3, { 2, 3, 4 } },
	{ false, 4, { 3, 2, 3, 2 } },
	{ true, 1, { NRECORDS } },
	{ true, 2, { NRECORDS, 4 } },
	{ true, 3, { NRECORDS, 3, 2 } },
	{ true, 4, { NRECORDS, 2, 1, 3 } },
};

#define NVARS (sizeof(vars) / sizeof(vars[0]))

/* A call of libnetcdf, and what it did. */
struct call {
	int varid;
	const struct var *var;
	struct hyperslab_request request;
	size_t start[RANK_MAX];
	size_t count[RANK_MAX];
	ptrdiff_t stride[RANK_MAX];
	ptrdiff_t imap[RANK_MAX];
	int32_t out[OUT_NELEMS];
};

static char path[] = "/tmp/nc3z_hyperslab_XXXXXX";
static int file = -1;
/* A file with one record variable alone, and one without records. */
static int file_alone = -1, file_empty = -1;

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return check_random_below(seed, limit);
}

static bool define_var(int ncid, const struct var *var, const char *prefix,
		       int *varid_ret)
{
	int dimids[RANK_MAX];
	char name[64];

	for (size_t i = 0; i < var->rank; i++) {
		size_t length = i || !var->is_record ? (size_t)var->shape[i] :
						       NC_UNLIMITED;

		if (length == NC_UNLIMITED &&
		    nc_inq_dimid(ncid, "records", &dimids[i]) == NC_NOERR)
			continue;
		snprintf(name, sizeof(name), "%s_%zu", prefix, i);
		if (nc_def_dim(ncid, length == NC_UNLIMITED ? "records" : name,
			       length, &dimids[i]) != NC_NOERR)
			return false;
	}
	return nc_def_var(ncid, prefix, NC_INT, (int)var->rank, dimids,
			  varid_ret) == NC_NOERR;
}

static bool fill_var(int ncid, int varid, const struct var *var,
		     size_t nrecords)
{
	size_t start[RANK_MAX] = { 0 }, count[RANK_MAX], nelems = 1;
	int values[1000];

	for (size_t i = 0; i < var->rank; i++) {
		count[i] = i || !var->is_record ? (size_t)var->shape[i] :
						  nrecords;
		nelems *= count[i];
	}
	for (size_t i = 0; i < nelems; i++)
		values[i] = (int)i;
	return nelems == 0 ||
	       nc_put_vara_int(ncid, varid, start, count, values) == NC_NOERR;
}

/* A file of some of the variables, open; -1 if that fails. */
static int make_file(size_t first, size_t end, size_t nrecords)
{
	int varids[NVARS], ncid, fd;
	bool ok = true;

	memcpy(strrchr(path, '_'), "_XXXXXX", 7);
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	if (nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &ncid) != NC_NOERR)
		return -1;
	for (size_t i = first; i < end && ok; i++) {
		char name[24];

		snprintf(name, sizeof(name), "v%zu", i);
		ok = define_var(ncid, &vars[i], name, &varids[i]);
	}
	ok = ok && nc_enddef(ncid) == NC_NOERR;
	for (size_t i = first; i < end && ok; i++)
		ok = fill_var(ncid, varids[i], &vars[i], nrecords);
	if (nc_close(ncid) != NC_NOERR || !ok ||
	    nc_open(path, NC_NOWRITE, &ncid) != NC_NOERR)
		ncid = -1;
	unlink(path);
	return ncid;
}

static int call_netcdf(int ncid, struct call *c)
{
	const struct hyperslab_request *r = &c->request;
	int *out = c->out + OUT_NELEMS / 2;

	for (size_t i = 0; i < OUT_NELEMS; i++)
		c->out[i] = UNTOUCHED;
	switch (r->form) {
	case HYPERSLAB_VAR:
		return nc_get_var_int(ncid, c->varid, out);
	case HYPERSLAB_VAR1:
		return nc_get_var1_int(ncid, c->varid, r->start, out);
	case HYPERSLAB_VARA:
		return nc_get_vara_int(ncid, c->varid, r->start, r->count, out);
	case HYPERSLAB_VARS:
		return nc_get_vars_int(ncid, c->varid, r->start, r->count,
				       r->stride, out);
	default:
		return nc_get_varm_int(ncid, c->varid, r->start, r->count,
				       r->stride, r->imap, out);
	}
}

static int status_of(enum hyperslab_fault fault)
{
	switch (fault) {
	case HYPERSLAB_BAD_START:
		return NC_EINVALCOORDS;
	case HYPERSLAB_BAD_EDGE:
		return NC_EEDGE;
	case HYPERSLAB_BAD_STRIDE:
		return NC_ESTRIDE;
	default:
		return NC_NOERR;
	}
}

/* Beyond a dimension by much, but not so much that sums overflow. */
static size_t far_away(uint64_t *seed)
{
	static const size_t numbers[] = { 1000, INT32_MAX, UINT32_MAX,
					  (size_t)1 << 40, SIZE_MAX / 4 };

	return numbers[below(seed, 5)];
}

static ptrdiff_t random_stride(uint64_t *seed)
{
	static const ptrdiff_t numbers[] = { 0,           -1,
					     PTRDIFF_MIN, PTRDIFF_MAX,
					     INT32_MAX,   INT32_MAX - 1,
					     100,         (ptrdiff_t)1 << 40 };

	return below(seed, 6) ? 1 + (ptrdiff_t)below(seed, 3) :
				numbers[below(seed, 8)];
}

/* One of 'care' dimensions may be wrong. */
static void random_arguments(struct call *c, uint64_t care, uint64_t *seed)
{
	for (size_t i = 0; i < c->var->rank; i++) {
		uint64_t length = c->request.shape[i], most;
		bool is_good = below(seed, care) != 0;

		c->start[i] = (size_t)below(seed, length + (is_good ? 1 : 3));
		most = length > c->start[i] ? length - c->start[i] : 0;
		c->stride[i] = is_good ? 1 + (ptrdiff_t)below(seed, 3) :
					 random_stride(seed);
		if (is_good)
			most = (most + (uint64_t)c->stride[i] - 1) /
			       (uint64_t)c->stride[i];
		c->count[i] = (size_t)below(seed, most + (is_good ? 1 : 3));
		if (is_good && most > 0 && c->count[i] == 0 && below(seed, 4))
			c->count[i] = 1;
		c->imap[i] = (ptrdiff_t)below(seed, 60) - 20;
		if (!is_good && below(seed, 8) == 0)
			c->start[i] = far_away(seed);
		if (!is_good && below(seed, 8) == 0)
			c->count[i] = far_away(seed);
	}
}

static void random_call(struct call *c, uint64_t *seed)
{
	c->request = (struct hyperslab_request){
		.form = (enum hyperslab_form)below(seed, 5),
		.is_record = c->var->is_record,
		.rank = c->var->rank,
		.shape = c->request.shape,
		.start = below(seed, 20) ? c->start : NULL,
		.count = below(seed, 10) ? c->count : NULL,
		.stride = below(seed, 4) ? c->stride : NULL,
		.imap = below(seed, 3) ? c->imap : NULL,
	};
	random_arguments(c, 1 + below(seed, 8), seed);
}

/* What was read is what the slab says, and nothing else. */
static void check_values(struct call *c)
{
	static int32_t expected[OUT_NELEMS];
	struct hyperslab_cursor cursor;
	struct hyperslab_run piece;
	struct hyperslab slab;

	for (size_t i = 0; i < OUT_NELEMS; i++)
		expected[i] = UNTOUCHED;
	REQUIRE(hyperslab_init(&slab, &c->request, NULL) == NC3Z_OK);
	hyperslab_seek(&slab, 0, &cursor);
	while (hyperslab_next_run(&cursor, UINT64_MAX, &piece))
		for (uint64_t k = 0; k < piece.nelems; k++)
			expected[OUT_NELEMS / 2 + piece.out_first +
				 (ptrdiff_t)k * piece.out_step] =
				(int32_t)(piece.in_first + k * piece.in_step);
	CHECK_MEM_EQ(c->out, expected, sizeof(expected));
}

static void describe(const struct call *c, int status, int ours)
{
	const struct hyperslab_request *r = &c->request;

	printf("form %d, %s variable: libnetcdf %d, ours %d\n", (int)r->form,
	       r->is_record ? "record" : "fixed", status, ours);
	for (size_t i = 0; i < r->rank; i++)
		printf("\t%" PRIu64 ": start %zu, count %zu, stride %td\n",
		       r->shape[i], r->start ? r->start[i] : 0,
		       r->count ? r->count[i] : 0,
		       r->stride ? r->stride[i] : 0);
}

/* Random calls of one variable. */
static void check_var(int ncid, size_t v, const uint64_t *shape, int ncalls,
		      uint64_t *seed)
{
	static struct call c;
	int nof[4] = { 0 }; /* by fault */
	char name[20];

	snprintf(name, sizeof(name), "v%zu", v);
	REQUIRE(nc_inq_varid(ncid, name, &c.varid) == NC_NOERR);
	c.var = &vars[v];
	c.request.shape = shape;
	for (int i = 0; i < ncalls; i++) {
		enum hyperslab_fault fault;
		int status;

		random_call(&c, seed);
		fault = hyperslab_check(&c.request);
		status = call_netcdf(ncid, &c);
		if (!CHECK(status == status_of(fault)))
			describe(&c, status, status_of(fault));
		else if (status == NC_NOERR)
			check_values(&c);
		nof[fault]++;
	}
	/* The calls were not all of one kind. */
	CHECK(nof[HYPERSLAB_OK] > ncalls / 20);
	CHECK(nof[HYPERSLAB_BAD_START] > 0 || c.var->rank == 0);
	CHECK(nof[HYPERSLAB_BAD_STRIDE] > 0 || c.var->rank == 0);
	CHECK(nof[HYPERSLAB_BAD_EDGE] > 0 || c.var->rank == 0 || shape[0] == 0);
}

static void test_random(void)
{
	uint64_t seed = 61;

	REQUIRE(file >= 0);
	for (size_t v = 0; v < NVARS; v++)
		check_var(file, v, vars[v].shape, v ? 5000 : 200, &seed);
}

/* libnetcdf reads these by other ways. */
static void test_one_record_variable(void)
{
	uint64_t seed = 62;

	REQUIRE(file_alone >= 0);
	check_var(file_alone, 5, vars[5].shape, 5000, &seed);
}

static void test_no_records(void)
{
	uint64_t seed = 63;

	REQUIRE(file_empty >= 0);
	for (size_t v = 5; v < NVARS; v++) {
		uint64_t shape[RANK_MAX];

		memcpy(shape, vars[v].shape, sizeof(shape));
		shape[0] = 0;
		check_var(file_empty, v, shape, 3000, &seed);
	}
}

/* Where libnetcdf's sums overflow, counts are too large. */
static void test_overflow(void)
{
	static const uint64_t shape[] = { 4, 4 };
	struct hyperslab_request r = {
		.is_record = true,
		.rank = 2,
		.shape = shape,
		.start = (const size_t[]){ 1, 1 },
		.count = (const size_t[]){ SIZE_MAX, 1 },
	};

	for (int form = HYPERSLAB_VARA; form <= HYPERSLAB_VARM; form++) {
		r.form = (enum hyperslab_form)form;
		CHECK(hyperslab_check(&r) == HYPERSLAB_BAD_EDGE);
	}
}

int main(void)
{
	file = make_file(0, NVARS, NRECORDS);
	file_alone = make_file(5, 6, NRECORDS);
	file_empty = make_file(5, NVARS, 0);
	RUN(test_random);
	RUN(test_one_record_variable);
	RUN(test_no_records);
	RUN(test_overflow);
	nc_close(file);
	nc_close(file_alone);
	nc_close(file_empty);
	return check_report();
}

#else

int main(void)
{
	check_skip("built without libnetcdf");
	return check_report();
}

#endif
