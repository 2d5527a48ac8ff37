/* SPDX-License-Identifier: MIT */
/* What archives are converted to: their own layout, or another. */
#include "convert/target.h"

#include "check.h"
#include "oracle.h"
#include "packed.h"
#include "shape.h"

/* A record variable and a fixed one, of more than a block each. */
static struct blob make_file(void)
{
	struct shape shape = {
		.version = 2,
		.numrecs = 60,
		.ndims = 3,
		.dims = { 0, 50, 70 },
		.nvars = 2,
		.vars = { { .type = 5, .rank = 3, .dimids = { 0, 1, 2 } },
			  { .type = 6, .rank = 2, .dimids = { 1, 2 } } },
	};
	struct blob file = { 0 };
	uint64_t seed = 5;

	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, &file);
	return file;
}

/* An archive of it, opened. */
struct subject {
	struct blob archive;
	struct nc3z_file *file;
	struct nc3z_pack_options options; /* the defaults */
};

static bool subject_init(struct subject *s, const struct blob *file,
			 const struct manner *manner)
{
	s->archive = packed_make(file, manner);
	s->file = packed_open(&s->archive, manner);
	nc3z_pack_options_init(&s->options);
	return s->file != NULL;
}

static void subject_release(struct subject *s)
{
	nc3z_close(s->file);
	blob_release(&s->archive);
}

static uint64_t count_blocks(const struct plan *plan, uint64_t original_nbytes)
{
	struct oracle oracle;
	uint64_t n = 0;

	oracle_make(&oracle, plan, original_nbytes);
	for (uint32_t i = 0; i < oracle.nstreams; i++)
		n += oracle.streams[i].nblocks;
	oracle_release(&oracle);
	return n;
}

static uint64_t largest_chunk(const struct plan *plan)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_grid *t = plan->streams[i].grid;
		uint64_t nbytes = t ? t->width : 0;

		for (uint32_t k = 0; t && k < t->rank; k++)
			nbytes *= t->dims[k].chunk;
		largest = nbytes > largest ? nbytes : largest;
	}
	return largest;
}

static void check_numbers(const struct convert_target *t, uint64_t nbytes)
{
	CHECK_EQ_U64(t->nblocks, count_blocks(&t->plan, nbytes));
	CHECK_EQ_U64(t->chunks.largest_nbytes, largest_chunk(&t->plan));
	CHECK(t->chunks.nbytes >= t->chunks.largest_nbytes);
}

/* Without wishes an archive keeps chunks and block size. */
static void test_kept(void)
{
	static const struct {
		struct manner manner;
		uint32_t found; /* block size */
	} rows[] = {
		{ { 0 }, 0 },
		{ { .block_nbytes = 4096 }, 4096 },
		{ { .block_nbytes = 32768 }, 32768 },
		{ { .chunks = "d0/7,d1/11,d2/13" }, 0 },
		{ { .chunks = "var_0:60,5,5", .block_nbytes = 8192 }, 8192 },
	};
	struct blob file = make_file();
	struct convert_target t;
	struct subject s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		REQUIRE(subject_init(&s, &file, &rows[i].manner));
		REQUIRE(target_init(&t, s.file, &s.options, NULL) == NC3Z_OK);
		CHECK(oracle_same_plan(&t.plan, &s.file->plan));
		CHECK_EQ_U64(t.settings.block_nbytes, rows[i].found);
		CHECK((t.settings.options.nchunks > 0) ==
		      (rows[i].manner.chunks != 0));
		check_numbers(&t, file.nbytes);
		target_release(&t);
		CHECK(!t.plan.streams && t.kept.nchunks == 0);
		subject_release(&s);
	}
	blob_release(&file);
}

/* A block size that is no power of two cannot be told: the default is taken. */
static void test_odd_block_size(void)
{
	const struct manner manner = { .block_nbytes = 20000 };
	struct blob file = make_file();
	struct convert_target t;
	struct subject s;

	REQUIRE(subject_init(&s, &file, &manner));
	REQUIRE(target_init(&t, s.file, &s.options, NULL) == NC3Z_OK);
	CHECK_EQ_U64(t.settings.block_nbytes, 0);
	CHECK(!oracle_same_plan(&t.plan, &s.file->plan));
	check_numbers(&t, file.nbytes);
	target_release(&t);
	/* Said, it is kept. */
	s.options.block_nbytes = 20000;
	REQUIRE(target_init(&t, s.file, &s.options, NULL) == NC3Z_OK);
	CHECK(oracle_same_plan(&t.plan, &s.file->plan));
	target_release(&t);
	subject_release(&s);
	blob_release(&file);
}

/* Other chunks are those of packing with them; chunks that are none are not. */
static void test_other(void)
{
	const struct manner from = { .chunks = "d0/7,d1/11,d2/13" };
	const struct manner to = { .chunks = "var_0:60,5,5" };
	static const char *const bad = "var_0:60";
	struct blob file = make_file();
	struct convert_target t;
	struct subject s, wanted;

	REQUIRE(subject_init(&s, &file, &from));
	REQUIRE(subject_init(&wanted, &file, &to));
	s.options.chunks = &to.chunks;
	s.options.nchunks = 1;
	REQUIRE(target_init(&t, s.file, &s.options, NULL) == NC3Z_OK);
	CHECK(oracle_same_plan(&t.plan, &wanted.file->plan));
	CHECK_EQ_U64(t.kept.nchunks, 0);
	CHECK_EQ_U64(largest_chunk(&t.plan), 60 * 5 * 5 * 4);
	check_numbers(&t, file.nbytes);
	target_release(&t);
	s.options.chunks = &bad;
	CHECK(target_init(&t, s.file, &s.options, NULL) == NC3Z_EINVAL);
	CHECK(!t.plan.streams && t.kept.nchunks == 0);
	s.options.options_nbytes = 3;
	CHECK(target_init(&t, s.file, &s.options, NULL) == NC3Z_EINVAL);
	subject_release(&s);
	subject_release(&wanted);
	blob_release(&file);
}

int main(void)
{
	RUN(test_kept);
	RUN(test_odd_block_size);
	RUN(test_other);
	return check_report();
}
