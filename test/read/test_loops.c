/* SPDX-License-Identifier: MIT */
/*
 * The loop that programs have: for each record, for each of many record
 * variables.  Each block is decoded once, as blocks of all of them together
 * fit the cache.
 */
#include "check.h"
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

/* A file and its archive: making them takes longer than to read them. */
struct packed {
	uint32_t nrecords, nelems;
	const struct manner *manner;
	struct blob archive;
};

static void pack(struct packed *p)
{
	struct blob original = { 0 };

	make_file(&original, p->nrecords, p->nelems);
	p->archive = packed_make(&original, p->manner);
	blob_release(&original);
}

static void check_loop(const struct packed *p)
{
	struct nc3z_summary summary = { 0 };
	struct nc3z_cache_stats stats;
	struct nc3z_file *file = packed_open(&p->archive, p->manner);

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

/* So many times the first two of four, once the others. */
static void check_loops(struct packed list[4], int nrounds)
{
	for (int i = 0; i < 4; i++)
		pack(&list[i]);
	for (int round = 0; round < nrounds; round++)
		for (int i = 0; i < (round == 0 ? 4 : 2); i++)
			check_loop(&list[i]);
	for (int i = 0; i < 4; i++)
		blob_release(&list[i].archive);
}

static void test_each_block_once(void)
{
	/* Streams of their own, in a cache of two windows of 300 blocks. */
	static const struct manner small = { .block_nbytes = 16384,
					     .cache_nbytes = 2 * 300 * 16384 };
	/* The same as it is by default. */
	static const struct manner usual = { .level = 1 };
	struct packed list[] = {
		{ 70, 256, &small, { 0 } },
		{ 45, 1000, &usual, { 0 } },
		/* Groups. */
		{ 500, 1, &usual, { 0 } },
		{ 300, 20, &small, { 0 } },
	};

	check_loops(list, 1);
}

/* What other threads decode ahead is what the loop wants, and once is enough. */
static void test_read_ahead(void)
{
	static const struct manner small = { .block_nbytes = 16384,
					     .nthreads = 4,
					     .cache_nbytes = 4 * 300 * 16384 };
	static const struct manner usual = { .nthreads = 3 };
	struct packed list[] = {
		{ 70, 256, &small, { 0 } },
		{ 45, 1000, &usual, { 0 } },
		{ 500, 1, &usual, { 0 } },
		{ 300, 20, &small, { 0 } },
	};

	check_loops(list, 5);
}

int main(void)
{
	RUN(test_each_block_once);
	RUN(test_read_ahead);
	return check_report();
}
