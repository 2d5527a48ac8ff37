/* SPDX-License-Identifier: MIT */
/*
 * Each allocation of an iterator fails once, from opening it to its last box:
 * the call says so, nothing but the box that is asked for suffers, and nothing
 * is left behind.
 */
#include "check.h"
#include "failing.h"
#include "packed.h"
#include "shape.h"

#define NVARS 2

/* What is gone through, and what comes of it. */
struct subject {
	struct blob bytes;
	const struct manner *manner;
	struct nc3z_iterator_options options;
	int memtypes[NVARS];
	double *expected[NVARS]; /* all values of each variable */
	size_t nelems;
	size_t shape[3];
	uint64_t nblocks_decoded; /* as planned */
};

/* One run with an allocation that fails. */
struct run {
	const struct subject *s;
	struct nc3z_file *file;
	struct nc3z_iterator *iterator;
	uint8_t *seen; /* how often each value came */
	uint64_t nboxes;
	uint64_t nlost;
};

/* What failed because of memory has to say so, and not to fail again. */
static bool may_fail(int status, const struct nc3z_error *err)
{
	if (status == NC3Z_OK)
		return false;
	CHECK_EQ_U64((uint64_t)status, NC3Z_ENOMEM);
	CHECK_EQ_U64((uint64_t)err->status, NC3Z_ENOMEM);
	CHECK(err->text[0] != '\0');
	CHECK(failing_has_failed());
	return true;
}

static int open_it(struct run *r, struct nc3z_error *err)
{
	struct nc3z_iterator_var vars[NVARS] = { { .file = NULL } };

	for (int v = 0; v < NVARS; v++)
		vars[v] = (struct nc3z_iterator_var){
			.file = r->file,
			.varid = v,
			.memtype = r->s->memtypes[v],
		};
	return nc3z_iterator_open(vars, NVARS, NULL, &r->s->options,
				  &r->iterator, err);
}

/* Every value of a box is that of nc3z_get(), and came for the first time. */
static void check_box(struct run *r, const struct nc3z_box *box)
{
	const size_t *shape = r->s->shape, *count = box->count;

	CHECK_EQ_U64(box->nelems, count[0] * count[1] * count[2]);
	for (size_t i = 0; i < box->nelems; i++) {
		size_t z = box->start[0] + i / count[2] / count[1];
		size_t y = box->start[1] + i / count[2] % count[1];
		size_t x = box->start[2] + i % count[2];
		size_t at = (z * shape[1] + y) * shape[2] + x;

		if (!CHECK(at < r->s->nelems))
			return;
		r->seen[at]++;
		for (int v = 0; v < NVARS; v++) {
			const double *values = box->values[v];

			if (memcmp(&values[i], &r->s->expected[v][at], 8) != 0)
				CHECK_EQ_U64(i, UINT64_MAX);
		}
	}
}

/* False behind the last box. */
static bool next(struct run *r)
{
	struct nc3z_error err = { 0 };
	struct nc3z_box box;
	int status = nc3z_iterator_next(r->iterator, &box, &err);

	if (may_fail(status, &err)) {
		/* This box is lost; the next one follows. */
		r->nlost++;
		CHECK(box.nelems > 0);
	} else {
		CHECK_STR_EQ(err.text, "");
		if (box.nelems > 0)
			check_box(r, &box);
	}
	if (box.nelems > 0)
		CHECK_EQ_U64(box.number, r->nboxes++);
	return box.nelems > 0;
}

static void go_through(struct run *r)
{
	struct nc3z_iterator_plan plan = { 0 };
	struct nc3z_error err = { 0 };
	uint64_t nmissing = 0;

	if (may_fail(open_it(r, &err), &err)) {
		CHECK(!r->iterator);
		REQUIRE(open_it(r, NULL) == NC3Z_OK);
	}
	if (may_fail(nc3z_iterator_inq(r->iterator, &plan, &err), &err))
		REQUIRE(nc3z_iterator_inq(r->iterator, &plan, NULL) == NC3Z_OK);
	CHECK_EQ_U64(plan.nblocks_decoded, r->s->nblocks_decoded);
	while (next(r))
		continue;
	CHECK_EQ_U64(r->nboxes, plan.nboxes);
	CHECK(r->nlost <= 1);
	for (size_t i = 0; i < r->s->nelems; i++) {
		CHECK(r->seen[i] <= 1);
		nmissing += !r->seen[i];
	}
	CHECK((nmissing > 0) == (r->nlost > 0));
}

/* False if no allocation failed. */
static bool run(const struct subject *s, long n)
{
	long held = failing_held();
	struct run r = { .s = s };
	bool failed;

	r.file = packed_open(&s->bytes, s->manner);
	r.seen = calloc(s->nelems, 1);
	failing_begin(n);
	go_through(&r);
	failed = failing_end();
	nc3z_iterator_close(r.iterator);
	nc3z_close(r.file);
	free(r.seen);
	CHECK_EQ_U64((uint64_t)failing_held(), (uint64_t)held);
	return failed;
}

/* What nc3z_get() gives, and how many blocks the iterator says. */
static void expect(struct subject *s)
{
	struct nc3z_file *file = packed_open(&s->bytes, s->manner);
	struct run r = { .s = s, .file = file };
	struct nc3z_iterator_plan plan = { 0 };

	for (int v = 0; v < NVARS; v++) {
		s->expected[v] = malloc(s->nelems * sizeof(double));
		CHECK(nc3z_get(file, v, NULL, s->memtypes[v], s->expected[v],
			       NULL) == NC3Z_OK);
	}
	REQUIRE(open_it(&r, NULL) == NC3Z_OK);
	CHECK(nc3z_iterator_inq(r.iterator, &plan, NULL) == NC3Z_OK);
	s->nblocks_decoded = plan.nblocks_decoded;
	nc3z_iterator_close(r.iterator);
	nc3z_close(file);
}

/* Two variables, 'n' of whose allocations fail at least. */
static void fail_each(const struct shape *shape, const struct manner *manner,
		      const size_t *box, uint64_t nbytes)
{
	struct subject s = { .manner = manner,
			     .memtypes = { NC3Z_DOUBLE,
					   NC3Z_DOUBLE | NC3Z_UNPACKED } };
	struct blob original = { 0 };
	uint64_t seed = 940;
	long n;

	s.shape[0] = shape->numrecs;
	s.shape[1] = shape->dims[1];
	s.shape[2] = shape->dims[2];
	s.nelems = s.shape[0] * s.shape[1] * s.shape[2];
	nc3z_iterator_options_init(&s.options);
	s.options.box = box;
	s.options.max_memory_nbytes = nbytes;
	shape_file(shape, shape_end(shape), &seed, &original);
	s.bytes = packed_make(&original, manner);
	expect(&s);
	for (n = 0; check_state.nfailed == 0 && run(&s, n);)
		n += 1 + n / 50;
	CHECK(n > 15);
	for (int v = 0; v < NVARS; v++)
		free(s.expected[v]);
	blob_release(&s.bytes);
	blob_release(&original);
}

static struct shape make_shape(uint64_t nrecords, uint64_t ny, uint64_t nx)
{
	struct shape shape = { .version = 2,
			       .numrecs = nrecords,
			       .ndims = 3,
			       .dims = { 0, ny, nx },
			       .nvars = NVARS };

	shape.vars[0] = (struct shape_var){ .type = 5,
					    .rank = 3,
					    .dimids = { 0, 1, 2 } };
	shape.vars[1] = (struct shape_var){ .type = 3,
					    .rank = 3,
					    .dimids = { 0, 1, 2 } };
	shape_place(&shape, 0);
	return shape;
}

/* Several stages, blocks that are kept and blocks that cannot be. */
static void test_stages(void)
{
	static const struct manner linear = { .block_nbytes = 4096 };
	static const struct manner chunked = { .block_nbytes = 4096,
					       .chunks = "d0/5,d1/4,d2/16" };
	static const size_t series[3] = { 24, 1, 5 }, maps[3] = { 1, 20, 40 };
	struct shape shape = make_shape(24, 20, 40);

	fail_each(&shape, &linear, series, 30000);
	fail_each(&shape, &chunked, series, 40000);
	fail_each(&shape, &chunked, maps, 50000);
	fail_each(&shape, &linear, NULL, 60000);
}

/* Requests that are worth several threads. */
static void test_threads(void)
{
	static const struct manner manner = { .block_nbytes = 65536,
					      .nthreads = 3 };
	struct shape shape = make_shape(40, 80, 128);

	fail_each(&shape, &manner, NULL, UINT64_C(8) << 20);
}

int main(void)
{
	RUN(test_stages);
	RUN(test_threads);
	return check_report();
}
