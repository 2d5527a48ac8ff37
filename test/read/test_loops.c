/* SPDX-License-Identifier: MIT */
/*
 * The loop that programs have: for each record, for each of many record
 * variables.  Each block is decoded once, as blocks of all of them together
 * fit the cache.
 */
#include "check.h"
#include "far.h"
#include "packed.h"

#define NVARS 300

/* A CDF-2 file of NVARS float record variables. */
static void make_file(struct blob *out, uint32_t nrecords, uint32_t nelems)
{
	uint32_t begin = 56 + NVARS * 44;

	blob_put(out, "CDF\2", 4);
	blob_be32(out, nrecords);
	blob_be32(out, 10);
	blob_be32(out, 2);
	for (uint32_t i = 0; i < 2; i++) {
		blob_be32(out, 1);
		blob_put(out, i ? "x\0\0\0" : "t\0\0\0", 4);
		blob_be32(out, i ? nelems : 0);
	}
	blob_be(out, 0, 8);
	blob_be32(out, 11);
	blob_be32(out, NVARS);
	for (uint32_t v = 0; v < NVARS; v++) {
		char name[5];

		snprintf(name, sizeof(name), "v%03u", v);
		blob_be32(out, 4);
		blob_put(out, name, 4);
		blob_be32(out, 2);
		blob_be32(out, 0);
		blob_be32(out, 1);
		blob_be(out, 0, 8);
		blob_be32(out, 5);
		blob_be32(out, 4 * nelems);
		blob_be(out, begin + v * 4 * nelems, 8);
	}
	CHECK_EQ_U64(out->nbytes, begin);
	for (uint32_t i = 0; i < nrecords * NVARS * nelems; i++)
		blob_be32(out, 0x42000000 + i * 16);
}

static void read_all(struct nc3z_file *file, uint32_t nrecords, uint32_t nelems)
{
	float *values = malloc(nelems * sizeof(*values));
	uint32_t nwrong = 0;

	REQUIRE(values);
	for (uint32_t r = 0; r < nrecords; r++)
		for (int v = 0; v < NVARS; v++) {
			const size_t start[] = { r, 0 };
			const size_t count[] = { 1, nelems };
			uint32_t at = (r * NVARS + (uint32_t)v) * nelems, bits;

			CHECK(nc3z_get_vara_float(file, v, start, count, values,
						  NULL) == NC3Z_OK);
			for (uint32_t i = 0; i < nelems; i++) {
				memcpy(&bits, &values[i], sizeof(bits));
				nwrong += bits != 0x42000000 + (at + i) * 16;
			}
		}
	CHECK_EQ_U64(nwrong, 0);
	free(values);
}

#define SMALL_NBYTES 16384

/* Archives: making them takes longer than to read them. */
static struct packed {
	uint32_t nrecords, nelems;
	struct manner manner; /* of packing */
	struct blob archive;
} files[] = {
	{ 70, 256, { .block_nbytes = SMALL_NBYTES }, { 0 } },
	{ 45, 1000, { .level = 1 }, { 0 } },
	/* Groups. */
	{ 200, 1, { .level = 1 }, { 0 } },
	{ 250, 20, { .block_nbytes = SMALL_NBYTES }, { 0 } },
};
#define NFILES (sizeof(files) / sizeof(*files))

static void test_pack(void)
{
	for (size_t i = 0; i < NFILES; i++) {
		struct packed *p = &files[i];
		struct blob original = { 0 };

		make_file(&original, p->nrecords, p->nelems);
		p->archive = packed_make(&original, &p->manner);
		blob_release(&original);
	}
}

static void check_loop(const struct packed *p, const struct manner *manner)
{
	struct nc3z_summary summary = { 0 };
	struct nc3z_cache_stats stats;
	struct nc3z_file *file = packed_open(&p->archive, manner);

	REQUIRE(file);
	CHECK(nc3z_inq_summary(file, &summary, NULL) == NC3Z_OK);
	read_all(file, p->nrecords, p->nelems);
	nc3z_inq_cache(file, &stats);
	CHECK(stats.nblocks_decoded <= summary.nblocks);
	/* Header and ends are not read. */
	CHECK(stats.nblocks_decoded + 3 >= summary.nblocks);
	CHECK(stats.nbytes_held <= NC3Z_CACHE_NBYTES_DEFAULT);
	nc3z_close(file);
}

static void test_each_block_once(void)
{
	/* Streams of their own, in a cache of two windows of 300 blocks. */
	static const struct manner small = { .cache_nbytes =
						     2 * 300 * SMALL_NBYTES };
	/* The same as it is by default. */
	static const struct manner usual = { 0 };

	check_loop(&files[0], &small);
	check_loop(&files[1], &usual);
	check_loop(&files[2], &usual);
	check_loop(&files[3], &small);
}

/* What other threads decode ahead is what the loop wants, and once is enough. */
static void test_read_ahead(void)
{
	static const struct manner small = {
		.nthreads = 4, .cache_nbytes = 4 * 300 * SMALL_NBYTES
	};
	static const struct manner usual = { .nthreads = 3 };

	for (int round = 0; round < 3; round++) {
		check_loop(&files[0], &small);
		check_loop(&files[1], &usual);
	}
	check_loop(&files[2], &usual);
	check_loop(&files[3], &small);
}

static void read_first(struct nc3z_file *file, int varid, uint32_t nelems)
{
	const size_t start[] = { 0, 0 }, count[] = { 1, nelems };
	float *values = malloc(nelems * sizeof(*values));

	REQUIRE(values);
	CHECK(nc3z_get_vara_float(file, varid, start, count, values, NULL) ==
	      NC3Z_OK);
	free(values);
}

/* Where the first block of a variable is stored. */
static uint64_t offset_of(const struct packed *p, int varid)
{
	static const struct manner manner = { 0 };
	struct nc3z_file *file = packed_open(&p->archive, &manner);
	struct nc3z_storage storage = { 0 };
	struct nc3z_block block = { 0 };

	CHECK(nc3z_inq_storage(file, varid, &storage, NULL) == NC3Z_OK);
	CHECK(nc3z_inq_block(file, storage.stream, 0, &block, NULL) == NC3Z_OK);
	nc3z_close(file);
	return block.offset;
}

/* A variable whose blocks do not come with the front of the archive. */
#define FIRST 150

/* The third variable in a row says that those after it will follow. */
static void test_first_record(void)
{
	static const struct manner manner = { .nthreads = 2 };
	const struct packed *p = &files[0];
	const uint64_t next = offset_of(p, FIRST + 3);
	const uint64_t after = offset_of(p, FIRST + 4);
	const uint64_t last = offset_of(p, NVARS - 1);
	struct nc3z_open_options options = packed_options(&manner);
	struct nc3z_file *file = NULL;
	struct far far;

	far_init(&far, &p->archive);
	REQUIRE(nc3z_open_source(far_source(&far), &options, &file, NULL) ==
		NC3Z_OK);
	far_reset(&far);
	for (int v = 0; v < 2; v++) {
		read_first(file, FIRST + v, p->nelems);
		CHECK_EQ_U64(far.nrequests, (uint64_t)v + 1);
	}
	CHECK(!far_has(&far, next));
	read_first(file, FIRST + 2, p->nelems);
	CHECK(far_has(&far, next));
	CHECK(far_has(&far, after));
	CHECK(!far_has(&far, last));
	read_all(file, 1, p->nelems);
	CHECK(far_has(&far, last));
	CHECK_EQ_U64(far.nmissed, 0);
	nc3z_close(file);
	/* Not for those who skip variables. */
	REQUIRE(nc3z_open_source(far_source(&far), &options, &file, NULL) ==
		NC3Z_OK);
	far_reset(&far);
	for (int v = 0; v < 8; v += 2) {
		read_first(file, FIRST + v, p->nelems);
		CHECK_EQ_U64(far.nrequests, (uint64_t)v / 2 + 1);
	}
	nc3z_close(file);
	far_release(&far);
}

static void test_release(void)
{
	for (size_t i = 0; i < NFILES; i++)
		blob_release(&files[i].archive);
}

int main(void)
{
	RUN(test_pack);
	RUN(test_each_block_once);
	RUN(test_read_ahead);
	RUN(test_first_record);
	RUN(test_release);
	return check_report();
}
