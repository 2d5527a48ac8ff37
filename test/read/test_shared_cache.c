/* SPDX-License-Identifier: MIT */
/* One cache for all files of a process, and reading bytes ahead. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "made.h"
#include "packed.h"
#include "nc3z_tools.h"

#define NFILES 12
/* Less than a block: all comes through the cache. */
#define STEP_NBYTES 1000
#define BUDGET_NBYTES (UINT64_C(100) << 10)

/* All read one file; packing it takes longer than most of the rest. */
static struct fixture {
	struct blob original;
	struct blob archive;
} fixture;

static void set_up(void)
{
	static const struct manner manner = { .block_nbytes = 4096 };
	uint64_t seed = 5;

	made_file(MADE_LARGE, &seed, &fixture.original);
	fixture.archive = packed_make(&fixture.original, &manner);
}

static void tear_down(void)
{
	blob_release(&fixture.archive);
	blob_release(&fixture.original);
}

/* Reads the original from its first byte to its last, in small steps. */
static void read_forward(struct nc3z_file *file)
{
	unsigned char bytes[STEP_NBYTES];
	size_t got;

	for (size_t at = 0; at < fixture.original.nbytes; at += got) {
		REQUIRE(nc3z_pread(file, bytes, sizeof(bytes), at, &got,
				   NULL) == NC3Z_OK);
		REQUIRE(got > 0);
		CHECK(memcmp(bytes, fixture.original.data + at, got) == 0);
	}
}

static uint64_t held_nbytes(struct nc3z_file *const *files, unsigned n)
{
	struct nc3z_cache_stats stats;
	uint64_t nbytes = 0;

	for (unsigned i = 0; i < n; i++) {
		nc3z_inq_cache(files[i], &stats);
		nbytes += stats.nbytes_held;
	}
	return nbytes;
}

/* Whatever is read of any number of files, one budget holds. */
static void check_budget(unsigned nthreads)
{
	const struct manner manner = { .block_nbytes = 4096,
				       .nthreads = nthreads };
	uint64_t before = nc3z_set_cache_nbytes(BUDGET_NBYTES);
	struct nc3z_file *files[NFILES];

	CHECK_EQ_U64(before, NC3Z_CACHE_NBYTES_DEFAULT);
	for (unsigned i = 0; i < NFILES; i++) {
		files[i] = packed_open(&fixture.archive, &manner);
		REQUIRE(files[i] != NULL);
	}
	for (unsigned i = 0; i < NFILES; i++)
		read_forward(files[i]);
	CHECK(held_nbytes(files, NFILES) > 0);
	/* Blocks that are being decoded ahead come on top. */
	CHECK(held_nbytes(files, NFILES) <=
	      BUDGET_NBYTES + nthreads * UINT64_C(8192));
	CHECK_EQ_U64(nc3z_set_cache_nbytes(0), BUDGET_NBYTES);
	for (unsigned i = 0; i < NFILES; i++)
		nc3z_close(files[i]);
	nc3z_set_cache_nbytes(before);
}

static void test_budget(void)
{
	check_budget(1);
	check_budget(4);
}

/* A file that is closed leaves nothing in the cache, and takes nothing. */
static void test_close(void)
{
	const struct manner manner = { .block_nbytes = 4096 };
	struct nc3z_file *first, *second;
	struct nc3z_cache_stats before, after;

	first = packed_open(&fixture.archive, &manner);
	second = packed_open(&fixture.archive, &manner);
	REQUIRE(first && second);
	read_forward(first);
	read_forward(second);
	nc3z_inq_cache(second, &before);
	nc3z_close(first);
	nc3z_inq_cache(second, &after);
	CHECK(before.nblocks_held > 0);
	CHECK_EQ_U64(after.nblocks_held, before.nblocks_held);
	read_forward(second);
	nc3z_close(second);
}

/* A budget of its own is not that of the others. */
static void test_own_cache(void)
{
	const struct manner own = { .block_nbytes = 4096,
				    .cache_nbytes = 50000 };
	uint64_t before = nc3z_set_cache_nbytes(0);
	struct nc3z_cache_stats stats;
	struct nc3z_file *file;

	file = packed_open(&fixture.archive, &own);
	REQUIRE(file != NULL);
	read_forward(file);
	nc3z_inq_cache(file, &stats);
	CHECK(stats.nbytes_held > 0 && stats.nbytes_held <= 50000);
	nc3z_close(file);
	nc3z_set_cache_nbytes(before);
}

/* Going forward, with other threads ahead: no block is decoded twice. */
static void test_bytes_ahead(void)
{
	const struct manner manner = { .block_nbytes = 4096, .nthreads = 4 };
	struct nc3z_summary summary = { 0 };
	struct nc3z_cache_stats stats;
	struct nc3z_file *file;

	for (int round = 0; round < 10; round++) {
		file = packed_open(&fixture.archive, &manner);
		REQUIRE(file != NULL);
		CHECK(nc3z_inq_summary(file, &summary, NULL) == NC3Z_OK);
		read_forward(file);
		nc3z_inq_cache(file, &stats);
		CHECK_EQ_U64(stats.nblocks_decoded, summary.nblocks);
		nc3z_close(file);
	}
}

/* A child that opens files of its own has a cache of its own for them. */
static void test_fork(void)
{
	const struct manner manner = { .block_nbytes = 4096, .nthreads = 3 };
	const struct manner alone = { .block_nbytes = 4096 };
	struct nc3z_cache_stats stats;
	struct nc3z_file *file, *own;
	int status;
	pid_t child;

	file = packed_open(&fixture.archive, &manner);
	REQUIRE(file != NULL);
	read_forward(file);
	child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		own = packed_open(&fixture.archive, &alone);
		read_forward(own);
		nc3z_inq_cache(own, &stats);
		nc3z_close(own);
		_exit(stats.nblocks_held > 0 ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	read_forward(file);
	nc3z_close(file);
}

int main(void)
{
	RUN(set_up);
	RUN(test_budget);
	RUN(test_close);
	RUN(test_own_cache);
	RUN(test_bytes_ahead);
	RUN(test_fork);
	RUN(tear_down);
	return check_report();
}
