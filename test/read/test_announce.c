/* SPDX-License-Identifier: MIT */
/*
 * What is fetched from a source that is told before: how many ranges, how many
 * bytes, none twice.  The numbers follow from the format and the requests, so
 * they are exact.
 */
#include <errno.h>

#include "check.h"
#include "far.h"
#include "packed.h"
#include "nc3z_tools.h"

#define NLAT 90
#define NLON 180
#define WINDOWS_NBYTES ((16 + 64) << 10)

/* A float variable v(time, lat, lon) of noise, and time. */
static struct blob make_file(uint32_t nrecords)
{
	struct blob b = { 0 };
	uint32_t record_nbytes = 4 * NLAT * NLON;
	uint64_t seed = 1;

	blob_put(&b, "CDF\2", 4);
	blob_be32(&b, nrecords);
	blob_be32(&b, 10);
	blob_be32(&b, 3);
	blob_be32(&b, 4);
	blob_put(&b, "time", 4);
	blob_be32(&b, 0);
	blob_be32(&b, 3);
	blob_put(&b, "lat\0", 4);
	blob_be32(&b, NLAT);
	blob_be32(&b, 3);
	blob_put(&b, "lon\0", 4);
	blob_be32(&b, NLON);
	blob_be(&b, 0, 8); /* no attributes */
	blob_be32(&b, 11);
	blob_be32(&b, 1);
	blob_be32(&b, 1);
	blob_put(&b, "v\0\0\0", 4);
	blob_be32(&b, 3);
	for (uint32_t i = 0; i < 3; i++)
		blob_be32(&b, i);
	blob_be(&b, 0, 8);
	blob_be32(&b, 5);
	blob_be32(&b, record_nbytes);
	blob_be(&b, b.nbytes + 8, 8);
	for (uint64_t i = 0; i < (uint64_t)nrecords * NLAT * NLON; i++)
		blob_be32(&b, (uint32_t)check_random(&seed) & 0x7f7fffff);
	return b;
}

/* An archive that is far away, and its original. */
struct scene {
	struct blob original;
	struct blob archive;
	struct far far;
	struct nc3z_file *file;
	struct nc3z_file *plain;
};

static void scene_open(struct scene *s, const struct manner *manner)
{
	struct nc3z_open_options options = packed_options(manner);
	struct nc3z_source *source = far_source(&s->far);

	s->file = NULL;
	CHECK(nc3z_open_source(source, &options, &s->file, NULL) == NC3Z_OK);
	if (!s->file)
		nc3z_source_close(source);
}

static void scene_init(struct scene *s, uint32_t nrecords,
		       const struct manner *manner)
{
	*s = (struct scene){ .original = make_file(nrecords) };
	s->archive = packed_make(&s->original, manner);
	far_init(&s->far, &s->archive);
	scene_open(s, manner);
	s->plain = packed_open(&s->original, manner);
}

static void scene_release(struct scene *s)
{
	nc3z_close(s->file);
	nc3z_close(s->plain);
	far_release(&s->far);
	blob_release(&s->archive);
	blob_release(&s->original);
}

/* Gets a slab; its values are right and nothing was fetched twice. */
static void get(struct scene *s, const size_t *start, const size_t *count)
{
	const struct nc3z_hyperslab slab = { .start = start, .count = count };
	size_t nbytes = 4 * count[0] * count[1] * count[2];
	float *a = malloc(nbytes), *b = malloc(nbytes);

	far_reset(&s->far);
	CHECK(nc3z_get(s->file, 0, &slab, NC3Z_FLOAT, a, NULL) == NC3Z_OK);
	CHECK(nc3z_get(s->plain, 0, &slab, NC3Z_FLOAT, b, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(a, b, nbytes);
	free(a);
	free(b);
	CHECK_EQ_U64(s->far.ntwice, 0);
	CHECK_EQ_U64(s->far.nagain, 0);
	CHECK_EQ_U64(s->far.nmissed, 0);
	CHECK(s->far.nbytes - s->far.nread <= s->far.nread);
}

static const size_t origin[3] = { 0, 0, 0 };
static const size_t map_start[3] = { 21, 0, 0 };
static const size_t map_count[3] = { 1, NLAT, NLON };
static const size_t series_start[3] = { 0, 45, 100 };

static void check_opening(struct scene *s, uint64_t nrequests)
{
	CHECK_EQ_U64(s->far.nrequests, nrequests);
	CHECK_EQ_U64(s->far.nmissed, 0);
	CHECK_EQ_U64(s->far.ntwice, 0);
}

/* The record of a block of the variable: of a record, in 64 KiB. */
static uint64_t nbytes_of_block(const struct scene *s, uint64_t number)
{
	const struct manner manner = { 0 };
	struct nc3z_file *file = packed_open(&s->archive, &manner);
	struct nc3z_storage storage = { 0 };
	struct nc3z_block block = { 0 };

	CHECK(nc3z_inq_storage(file, 0, &storage, NULL) == NC3Z_OK);
	CHECK(nc3z_inq_block(file, storage.stream, number, &block, NULL) ==
	      NC3Z_OK);
	nc3z_close(file);
	return block.record_nbytes;
}

static void test_linear(void)
{
	const struct manner manner = { .block_nbytes = 1 << 16 };
	const size_t all[3] = { 64, NLAT, NLON };
	const size_t half[3] = { 1, NLAT / 2, NLON };
	const size_t series[3] = { 64, 1, 1 };
	struct scene s;

	scene_init(&s, 64, &manner);
	check_opening(&s, 2);
	CHECK_EQ_U64(s.far.nbytes, WINDOWS_NBYTES);
	get(&s, map_start, map_count);
	CHECK_EQ_U64(s.far.nrequests, 1);
	CHECK_EQ_U64(s.far.nbytes, nbytes_of_block(&s, 21));
	get(&s, map_start, half);
	CHECK_EQ_U64(s.far.nrequests, 1);
	get(&s, map_start, half); /* from the cache */
	CHECK_EQ_U64(s.far.nrequests, 0);
	scene_release(&s);

	/* All blocks, side by side. */
	scene_init(&s, 64, &manner);
	get(&s, series_start, series);
	CHECK_EQ_U64(s.far.nrequests, 1);
	CHECK(s.far.nbytes <= s.archive.nbytes - WINDOWS_NBYTES);
	scene_release(&s);
	scene_init(&s, 64, &manner);
	get(&s, origin, all);
	CHECK_EQ_U64(s.far.nrequests, 1);
	scene_release(&s);
}

/* 4 x 3 x 3 chunks. */
static void test_chunked(void)
{
	const size_t series[3] = { 64, 1, 1 };
	const size_t box_start[3] = { 10, 20, 30 };
	const size_t box[3] = { 30, 40, 40 };
	const struct manner manner = { .chunks = "v:16,30,60", .nthreads = 4 };
	struct scene s;

	scene_init(&s, 64, &manner);
	check_opening(&s, 2);
	get(&s, series_start, series);
	CHECK_EQ_U64(s.far.nrequests, 4);
	scene_release(&s);
	scene_init(&s, 64, &manner);
	get(&s, map_start, map_count);
	CHECK_EQ_U64(s.far.nrequests, 1); /* nine chunks, side by side */
	scene_release(&s);
	/* 3 x 2 x 2 chunks: in rows of two. */
	scene_init(&s, 64, &manner);
	get(&s, box_start, box);
	CHECK_EQ_U64(s.far.nrequests, 6);
	scene_release(&s);
}

/* The same, with a request that goes through each chunk several times. */
static void test_irregular(void)
{
	const struct manner manner = { .chunks = "v:16,30,60" };
	const size_t n = (size_t)NLAT * NLON * 64;
	const size_t count[3] = { 64, NLAT, NLON };
	const ptrdiff_t imap[3] = { 1, 64, 64 * NLAT };
	const struct nc3z_hyperslab slab = { origin, count, NULL, imap };
	float *a = malloc(4 * n), *b = malloc(4 * n);
	struct scene s;

	scene_init(&s, 64, &manner);
	far_reset(&s.far);
	CHECK(nc3z_get(s.file, 0, &slab, NC3Z_FLOAT, a, NULL) == NC3Z_OK);
	CHECK(nc3z_get(s.plain, 0, &slab, NC3Z_FLOAT, b, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(a, b, 4 * n);
	CHECK_EQ_U64(s.far.nrequests, 1);
	CHECK_EQ_U64(s.far.ntwice, 0);
	CHECK_EQ_U64(s.far.nagain, 0);
	scene_release(&s);
	free(a);
	free(b);
}

/* More blocks than the tail has entries of. */
static void test_large_index(void)
{
	const struct manner manner = { .block_nbytes = 4096 };
	const size_t start[3] = { 280, 0, 0 };
	struct scene s;

	scene_init(&s, 300, &manner); /* 4747 blocks: two segments */
	check_opening(&s, 2);
	get(&s, map_start, map_count);
	CHECK_EQ_U64(s.far.nrequests, 2); /* the first segment, the run */
	get(&s, start, map_count);
	CHECK_EQ_U64(s.far.nrequests, 1); /* the second one is in the tail */
	scene_release(&s);
}

/* Everything is in the windows. */
static void test_small(void)
{
	const struct manner manner = { .block_nbytes = 4096 };
	struct scene s;

	scene_init(&s, 1, &manner);
	check_opening(&s, 1);
	CHECK_EQ_U64(s.far.nbytes, s.archive.nbytes);
	get(&s, origin, map_count);
	CHECK_EQ_U64(s.far.nrequests, 0);
	scene_release(&s);
}

/* Plain files are read in blocks of 64 KiB. */
static void test_plain(void)
{
	const struct manner manner = { 0 };
	const size_t series[3] = { 64, 1, 1 };
	struct scene s;

	scene_init(&s, 64, &manner);
	nc3z_close(s.file);
	far_release(&s.far);
	far_init(&s.far, &s.original);
	scene_open(&s, &manner);
	check_opening(&s, 2);
	get(&s, map_start, map_count);
	CHECK_EQ_U64(s.far.nrequests, 1);
	CHECK_EQ_U64(s.far.nbytes, 2 << 16);
	get(&s, series_start, series);
	CHECK_EQ_U64(s.far.nrequests, 2); /* before and behind that */
	scene_release(&s);
}

static void test_pread(void)
{
	const struct manner manner = { .chunks = "v:16,30,60" };
	uint8_t *data;
	struct scene s;
	size_t got;

	scene_init(&s, 64, &manner);
	data = malloc(s.original.nbytes);
	far_reset(&s.far);
	CHECK(nc3z_pread(s.file, data, s.original.nbytes, 0, &got, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(got, s.original.nbytes);
	CHECK_MEM_EQ(data, s.original.data, got);
	CHECK_EQ_U64(s.far.nrequests, 1);
	CHECK_EQ_U64(s.far.ntwice, 0);
	scene_release(&s);
	free(data);
}

/* Boxes cover all, in few fetches that do not wait for each other. */
static void iterate(const struct manner *manner, const size_t *box,
		    uint64_t max_nbytes, uint64_t nrequests)
{
	struct nc3z_iterator_options options;
	struct nc3z_iterator *it = NULL;
	struct nc3z_iterator_var var;
	struct nc3z_box b = { 0 };
	struct scene s;
	size_t n = 0;

	scene_init(&s, 64, manner);
	var = (struct nc3z_iterator_var){ s.file, 0, NC3Z_FLOAT };
	nc3z_iterator_options_init(&options);
	options.box = box;
	options.max_memory_nbytes = max_nbytes;
	far_reset(&s.far);
	REQUIRE(nc3z_iterator_open(&var, 1, NULL, &options, &it, NULL) ==
		NC3Z_OK);
	CHECK_EQ_U64(s.far.nrequests, 0);
	do {
		CHECK(nc3z_iterator_next(it, &b, NULL) == NC3Z_OK);
		n += b.nelems;
	} while (b.nelems > 0);
	CHECK_EQ_U64(n, (uint64_t)64 * NLAT * NLON);
	CHECK_EQ_U64(s.far.nrequests, nrequests);
	CHECK_EQ_U64(s.far.nmissed, 0);
	CHECK_EQ_U64(s.far.ntwice, 0);
	CHECK_EQ_U64(s.far.nagain, 0);
	nc3z_iterator_close(it);
	scene_release(&s);
}

static void test_iterator(void)
{
	const struct manner linear = { .block_nbytes = 1 << 16 };
	const struct manner chunked = { .chunks = "v:16,30,60" };
	const size_t maps[3] = { 1, NLAT, NLON };
	const size_t chunks[3] = { 16, 30, 60 };

	/* All of it is one stage. */
	iterate(&linear, NULL, NC3Z_ITERATOR_MEMORY_DEFAULT, 1);
	iterate(&chunked, NULL, NC3Z_ITERATOR_MEMORY_DEFAULT, 1);
	/* A stage is as many of the four rows of chunks as memory holds. */
	iterate(&chunked, chunks, UINT64_C(2) << 20, 4);
	iterate(&chunked, maps, UINT64_C(3) << 20, 2);
}

/* One map after the other, while workers read ahead. */
static void test_read_ahead(void)
{
	const struct manner manner = { .block_nbytes = 1 << 16, .nthreads = 4 };
	float *values = malloc(4 * NLAT * NLON);
	struct scene s;

	scene_init(&s, 64, &manner);
	far_reset(&s.far);
	for (size_t i = 0; i < 64; i++) {
		const size_t start[3] = { i, 0, 0 };
		const struct nc3z_hyperslab slab = { .start = start,
						     .count = map_count };

		CHECK(nc3z_get(s.file, 0, &slab, NC3Z_FLOAT, values, NULL) ==
		      NC3Z_OK);
	}
	/* Nothing is read that was not announced. */
	CHECK_EQ_U64(s.far.nmissed, 0);
	free(values);
	scene_release(&s);
}

/* One stream, from the first byte to the last. */
static void test_restore(void)
{
	const struct manner manners[] = { { .block_nbytes = 1 << 16 },
					  { .chunks = "v:16,30,60" } };
	struct nc3z_source *source;
	struct nc3z_summary summary;
	struct scene s;

	for (size_t i = 0; i < 2; i++) {
		scene_init(&s, 64, &manners[i]);
		source = far_source(&s.far);
		far_reset(&s.far);
		CHECK(nc3z_verify(source, NULL, &summary, NULL) == NC3Z_OK);
		CHECK_EQ_U64(s.far.nrequests, 1);
		CHECK_EQ_U64(s.far.nbytes, s.archive.nbytes);
		CHECK(s.far.nagain <= 16 * (summary.nblocks + 2));
		far_reset(&s.far);
		CHECK(nc3z_verify_quick(source, NULL, NULL, NULL) == NC3Z_OK);
		CHECK_EQ_U64(s.far.nrequests, 1);
		far_reset(&s.far);
		CHECK(nc3z_summarize(source, &summary, NULL) == NC3Z_OK);
		CHECK_EQ_U64(s.far.nrequests, 2);
		CHECK_EQ_U64(s.far.nbytes, WINDOWS_NBYTES);
		nc3z_source_close(source);
		scene_release(&s);
	}
}

/* Without being told, each read is a request; values are the same. */
static void test_silent(void)
{
	const struct manner manner = { .chunks = "v:16,30,60" };
	const struct nc3z_hyperslab slab = { .start = map_start,
					     .count = map_count };
	float *values = malloc(4 * NLAT * NLON);
	struct nc3z_source *source;
	struct scene s;

	scene_init(&s, 64, &manner);
	nc3z_close(s.file);
	s.file = NULL;
	source = far_source_silent(&s.far);
	REQUIRE(nc3z_open_source(source, NULL, &s.file, NULL) == NC3Z_OK);
	far_reset(&s.far);
	CHECK(nc3z_get(s.file, 0, &slab, NC3Z_FLOAT, values, NULL) == NC3Z_OK);
	/* The index, which is one segment, and nine blocks. */
	CHECK_EQ_U64(s.far.nmissed, 10);
	free(values);
	scene_release(&s);
}

static void test_changed(void)
{
	const struct manner manner = { 0 };
	struct nc3z_source *source;
	struct nc3z_error err;
	struct scene s;

	scene_init(&s, 2, &manner);
	nc3z_close(s.file);
	s.file = NULL;
	far_release(&s.far);
	far_init(&s.far, &s.original);
	source = far_source(&s.far);
	for (int i = 0; i < 3; i++) {
		struct nc3z_sink *sink = NULL;
		const int expected[] = { NC3Z_OK, NC3Z_ECHANGED, NC3Z_EIO };

		s.far.changed = i == 0 ? 0 : i == 1 ? ESTALE : EIO;
		CHECK(nc3z_sink_open_memory(SIZE_MAX, &sink, NULL) == NC3Z_OK);
		CHECK(nc3z_pack(source, sink, NULL, NULL, &err) == expected[i]);
		nc3z_sink_close(sink);
	}
	nc3z_source_close(source);
	scene_release(&s);
}

int main(void)
{
	RUN(test_linear);
	RUN(test_chunked);
	RUN(test_irregular);
	RUN(test_large_index);
	RUN(test_small);
	RUN(test_plain);
	RUN(test_pread);
	RUN(test_iterator);
	RUN(test_read_ahead);
	RUN(test_restore);
	RUN(test_silent);
	RUN(test_changed);
	return check_report();
}
