/* SPDX-License-Identifier: MIT */
/*
 * Each allocation of opening, reading, packing, restoring, verifying, listing and
 * converting fails once: the call says so, and opening and reading succeed the
 * next time.
 */
#include "check.h"
#include "failing.h"
#include "in_memory.h"
#include "made.h"
#include "packed.h"
#include "shape.h"
#include "nc3z_tools.h"

struct subject {
	struct nc3z_source *source;
	struct nc3z_open_options options;
	struct nc3z_file *file;
	const struct blob *original;
	double *values;
};

/* What is done with a file, in steps that can be taken again. */
static int step(struct subject *s, int number, struct nc3z_error *err)
{
	struct nc3z_var var;
	size_t got;
	int varid = number - 2, status;

	if (number == 0)
		return nc3z_open_source(s->source, &s->options, &s->file, err);
	if (number == 1)
		return nc3z_pread(s->file, s->values, s->original->nbytes, 0,
				  &got, err);
	status = nc3z_inq_var(s->file, varid, &var, err);
	if (status != NC3Z_OK)
		return status;
	return nc3z_get(s->file, varid, NULL,
			var.type == NC3Z_CHAR ? NC3Z_CHAR : NC3Z_DOUBLE,
			s->values, err);
}

/* All steps, one allocation failing on the way; false if none did. */
static bool run_steps(struct subject *s, long n)
{
	int nvars = 0;

	failing_begin(n);
	for (int i = 0; i < 2 + nvars; i++) {
		struct nc3z_error err = { 0 };
		int status = step(s, i, &err);

		if (status != NC3Z_OK) {
			CHECK_EQ_U64((uint64_t)status, NC3Z_ENOMEM);
			CHECK_EQ_U64((uint64_t)err.status, NC3Z_ENOMEM);
			CHECK(failing_has_failed());
			status = step(s, i, NULL);
		}
		if (!CHECK_EQ_U64((uint64_t)status, NC3Z_OK))
			break;
		nc3z_inq(s->file, NULL, &nvars, NULL, NULL);
	}
	return failing_end();
}

static void run_file(const struct blob *original, const struct blob *bytes,
		     const struct manner *manner)
{
	bool failed = true;
	long n;

	for (n = 0; failed && check_state.nfailed == 0; n++) {
		struct subject s = { .original = original };

		s.options = packed_options(manner);
		s.values = malloc(8 * original->nbytes + 8);
		REQUIRE(s.values);
		CHECK(nc3z_source_open_memory(bytes->data, bytes->nbytes,
					      &s.source, NULL) == NC3Z_OK);
		failed = run_steps(&s, n);
		if (s.file)
			nc3z_close(s.file);
		else
			nc3z_source_close(s.source);
		free(s.values);
	}
	CHECK(n > 10);
}

static void test_each_allocation(void)
{
	static const struct manner manners[] = {
		{ .block_nbytes = 4096,
		  .has_no_cache = true,
		  .ignores_truncation = true },
		{ .block_nbytes = 16384,
		  .nthreads = 3,
		  .ignores_truncation = true },
	};
	static const enum made_kind kinds[] = { MADE_MIXED, MADE_TINY,
						MADE_LARGE };

	for (uint64_t i = 0; i < 6; i++) {
		struct blob original = { 0 }, archive;
		uint64_t seed = 910 + i;

		made_file(kinds[i % 3], &seed, &original);
		archive = packed_make(&original, &manners[i % 2]);
		run_file(&original, &archive, &manners[i % 2]);
		run_file(&original, &original, &manners[i % 2]);
		blob_release(&archive);
		blob_release(&original);
	}
}

/* What packing and restoring begin with and end with. */
struct task {
	const char *const *chunks; /* NULL: nothing is chunked */
	uint64_t max_nbytes;       /* that chunks may take; 0: the default */
	bool has_places;           /* restored to a file */
	unsigned nthreads;
	struct blob original;
	struct blob archive;
};

static struct nc3z_pack_options pack_options(const struct task *c)
{
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.nthreads = c->nthreads;
	options.block_nbytes = 4096;
	options.chunks = c->chunks;
	options.nchunks = c->chunks ? 1 : 0;
	if (c->max_nbytes)
		options.max_memory_nbytes = c->max_nbytes;
	return options;
}

static int pack(const struct task *c, struct nc3z_source *in,
		struct nc3z_sink *out, struct nc3z_error *err)
{
	struct nc3z_pack_options options = pack_options(c);

	return nc3z_pack(in, out, &options, NULL, err);
}

static struct nc3z_restore_options restore_options(const struct task *c)
{
	struct nc3z_restore_options options;

	nc3z_restore_options_init(&options);
	options.nthreads = c->nthreads;
	if (c->max_nbytes)
		options.max_memory_nbytes = c->max_nbytes;
	return options;
}

static int convert(const struct task *c, struct nc3z_source *in,
		   struct nc3z_sink *out, struct nc3z_error *err)
{
	struct nc3z_pack_options options = pack_options(c);
	struct nc3z_conversion conversion;

	return nc3z_convert(in, out, &options, &conversion, NULL, err);
}

static int restore(const struct task *c, struct nc3z_source *in,
		   struct nc3z_sink *out, struct nc3z_error *err)
{
	struct nc3z_restore_options options = restore_options(c);

	return nc3z_restore(in, out, &options, NULL, err);
}

static int verify(const struct task *c, struct nc3z_source *in,
		  struct nc3z_sink *out, struct nc3z_error *err)
{
	struct nc3z_restore_options options = restore_options(c);

	(void)out;
	return nc3z_verify(in, &options, NULL, err);
}

static int inspect(const struct task *c, struct nc3z_source *in,
		   struct nc3z_sink *out, struct nc3z_error *err)
{
	struct nc3z_source *source;
	struct nc3z_stream_info info;
	struct nc3z_summary summary;
	struct nc3z_file *file;
	int status = nc3z_summarize(in, &summary, err);

	(void)out;
	if (status == NC3Z_OK)
		status = nc3z_source_open_memory(
			c->archive.data, c->archive.nbytes, &source, err);
	if (status != NC3Z_OK)
		return status;
	status = nc3z_open_source(source, NULL, &file, err);
	if (status != NC3Z_OK) {
		nc3z_source_close(source);
		return status;
	}
	for (uint32_t i = 0; i < summary.nstreams && status == NC3Z_OK; i++)
		status = nc3z_inq_stream(file, i, &info, err);
	nc3z_close(file);
	return status;
}

typedef int task_fn(const struct task *c, struct nc3z_source *in,
		    struct nc3z_sink *out, struct nc3z_error *err);

/*
 * Does something to 'from', with allocation n failing; what was written, unless that is
 * nothing, is 'to'.  False if no allocation failed.
 */
static bool run_task(const struct task *c, task_fn *run,
		     const struct blob *from, const struct blob *to, long n)
{
	struct nc3z_source *in = NULL;
	struct nc3z_sink *out = NULL;
	struct nc3z_error err = { 0 };
	const void *data;
	size_t nbytes;
	int status;

	CHECK(nc3z_source_open_memory(from->data, from->nbytes, &in, NULL) ==
	      NC3Z_OK);
	if (c->has_places)
		CHECK(nc3z_sink_open_path("never-named", 0, 0600, &out, NULL) ==
		      NC3Z_OK);
	else
		CHECK(nc3z_sink_open_memory(SIZE_MAX, &out, NULL) == NC3Z_OK);
	failing_begin(n);
	status = run(c, in, out, &err);
	failing_end();
	data = nc3z_sink_memory(out, &nbytes);
	if (status != NC3Z_OK) {
		CHECK_EQ_U64((uint64_t)status, NC3Z_ENOMEM);
		CHECK_EQ_U64((uint64_t)err.status, NC3Z_ENOMEM);
		CHECK(failing_has_failed());
	} else if (nbytes > 0) {
		CHECK(nbytes == to->nbytes &&
		      memcmp(data, to->data, nbytes) == 0);
	}
	nc3z_sink_close(out);
	nc3z_source_close(in);
	return failing_has_failed();
}

static void fail_each(const struct task *c, task_fn *run,
		      const struct blob *from, const struct blob *to)
{
	long n = 0;

	while (check_state.nfailed == 0 && run_task(c, run, from, to, n))
		n++;
	CHECK(n > 10);
}

static void make_archive(struct task *c)
{
	struct nc3z_source *in =
		memory_source(c->original.data, c->original.nbytes);
	struct nc3z_sink *out = memory_sink();

	CHECK(pack(c, in, out, NULL) == NC3Z_OK);
	memory_sink_take(out, &c->archive);
	nc3z_source_close(in);
}

static void test_packing(void)
{
	static const char *const series[] = { "series" };

	for (uint64_t i = 0; i < 4; i++) {
		uint64_t seed = 40 + i;
		struct task c = {
			.chunks = i % 2 ? series : NULL,
			.nthreads = i < 2 ? 1 : 3,
		};

		made_file(MADE_MEDIUM, &seed, &c.original);
		make_archive(&c);
		fail_each(&c, pack, &c.original, &c.archive);
		fail_each(&c, restore, &c.archive, &c.original);
		fail_each(&c, verify, &c.archive, NULL);
		fail_each(&c, inspect, &c.archive, NULL);
		blob_release(&c.archive);
		blob_release(&c.original);
	}
}

/* From other chunks, a block of which fits. */
static void convert_large_chunks(const struct task *c)
{
	static const char *const small[] = { "d0/2,d1/3,d2/7" };
	struct task source = *c;

	source.chunks = small;
	source.archive = (struct blob){ 0 };
	make_archive(&source);
	for (source.nthreads = 1; source.nthreads < 4; source.nthreads += 2) {
		source.chunks = c->chunks;
		fail_each(&source, convert, &source.archive, &c->archive);
	}
	blob_release(&source.archive);
}

/* Chunks that do not fit: packed, converted, restored in stripes and in place. */
static void test_large_chunks(void)
{
	/* A band has 3200 bytes, in six chunks. */
	static const char *const chunks[] = { "d0/4,d1/5,d2/7" };
	struct shape shape = { .version = 1,
			       .numrecs = 8,
			       .ndims = 3,
			       .dims = { 0, 10, 20 },
			       .nvars = 1 };
	struct task c = { .chunks = chunks, .max_nbytes = 1300, .nthreads = 1 };
	uint64_t seed = 920;

	shape.vars[0] = (struct shape_var){ .type = 5,
					    .rank = 3,
					    .dimids = { 0, 1, 2 } };
	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, &c.original);
	make_archive(&c);
	fail_each(&c, pack, &c.original, &c.archive);
	convert_large_chunks(&c);
	fail_each(&c, restore, &c.archive, &c.original);
	fail_each(&c, verify, &c.archive, NULL);
	c.has_places = true;
	fail_each(&c, restore, &c.archive, NULL);
	blob_release(&c.archive);
	blob_release(&c.original);
}

int main(void)
{
	RUN(test_each_allocation);
	RUN(test_packing);
	RUN(test_large_chunks);
	return check_report();
}
