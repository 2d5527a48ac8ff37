/* SPDX-License-Identifier: MIT */
/*
 * Every block must hold the bytes that the oracle puts there, with any amount
 * of memory for chunks.
 */
#include "base/sizes.h"
#include "check.h"
#include "oracle.h"
#include "plan/shape.h"
#include "shape.h"
#include "write/sorter.h"

/* A byte of the original that tells its place. */
static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(offset ^ offset >> 8 ^ offset * 37 >> 3);
}

/* What a run through a file expects and has seen. */
struct run {
	struct oracle oracle;
	uint64_t *nblocks; /* taken so far, of each stream */
	uint64_t nbytes;
	int fails_after; /* blocks; negative: never */
	uint64_t sum;    /* of the order of blocks */
	uint64_t size;
	uint64_t nread;   /* bytes read again */
	uint64_t changed; /* a byte that is another then; UINT64_MAX: none */
	const struct sorter *sorter;
	uint64_t max_chunk_nbytes; /* that were open at a time */
	uint64_t fills;            /* a sum of which chunks were filled later */
};

/* The next block of its stream, with the bytes that the oracle has there. */
static int check_block(struct run *r, uint32_t stream, uint32_t block,
		       const uint8_t *raw, size_t raw_nbytes)
{
	const struct oracle_stream *s = &r->oracle.streams[stream];
	const struct oracle_block *expected;

	if (r->fails_after >= 0 && r->fails_after-- == 0)
		return NC3Z_EIO;
	CHECK_EQ_U64(block, r->nblocks[stream]);
	if (!CHECK(block < s->nblocks))
		return NC3Z_EIO;
	expected = &s->blocks[block];
	if (!CHECK_EQ_U64(raw_nbytes, expected->nbytes))
		return NC3Z_EIO;
	for (size_t k = 0; k < raw_nbytes; k++) {
		uint64_t offset = s->offsets[expected->stream_offset + k];

		if (raw[k] != byte_at(offset) &&
		    !CHECK_EQ_U64(raw[k], byte_at(offset)))
			break;
	}
	r->sum = r->sum * 31 + stream * 1009 + block;
	r->nblocks[stream]++;
	r->nbytes += raw_nbytes;
	return NC3Z_OK;
}

static int take(void *context, uint32_t stream, uint32_t block, uint8_t *raw,
		size_t raw_nbytes, struct nc3z_error *err)
{
	struct run *r = context;
	int status = NC3Z_EIO;

	(void)err;
	if (CHECK(stream < r->oracle.nstreams))
		status = check_block(r, stream, block, raw, raw_nbytes);
	free(raw);
	return status;
}

static int read_again(void *context, uint64_t offset, uint8_t *data,
		      size_t nbytes, struct nc3z_error *err)
{
	struct run *r = context;

	(void)err;
	CHECK(offset + nbytes <= r->size && nbytes > 0);
	for (size_t i = 0; i < nbytes; i++)
		data[i] = byte_at(offset + i) ^ (offset + i == r->changed);
	r->nread += nbytes;
	if (r->sorter->chunk_nbytes > r->max_chunk_nbytes)
		r->max_chunk_nbytes = r->sorter->chunk_nbytes;
	return NC3Z_OK;
}

/* Fills chunks later, if this is no rehearsal. */
static int fill(void *context, const struct plan_map *map, uint32_t stream,
		const struct open_block *chunks, size_t nchunks,
		struct nc3z_error *err)
{
	struct run *r = context;
	struct plan_block_runs pieces;
	struct plan_block_run piece;

	(void)err;
	r->fills = r->fills * 31 + stream * 1009 + nchunks;
	for (size_t i = 0; i < nchunks; i++) {
		CHECK_EQ_U64(chunks[i].block, chunks[0].block + i);
		r->fills = r->fills * 31 + chunks[i].block;
		plan_block_runs_begin(map, stream, chunks[i].block, &pieces);
		while (chunks[i].raw && plan_block_runs_next(&pieces, &piece))
			for (uint32_t k = 0; k < piece.nbytes; k++)
				chunks[i].raw[piece.block_offset + k] =
					byte_at(piece.offset + k);
	}
	return NC3Z_OK;
}

static int begin(struct sorter *sorter, const struct plan *plan, struct run *r)
{
	const struct sorter_setup setup = {
		.plan = plan,
		.max_nbytes = UINT64_MAX,
		.take = take,
		.context = r,
	};

	return sorter_init(sorter, &setup, NULL);
}

/* Puts a file of 'size' bytes, in pieces of up to 'max_piece' bytes. */
static int put_file(struct sorter *sorter, uint64_t size, size_t max_piece,
		    uint64_t *seed)
{
	uint8_t *data = malloc((size_t)size + 1);
	int status = NC3Z_OK;

	for (uint64_t i = 0; i < size; i++)
		data[i] = byte_at(i);
	for (uint64_t at = 0; at < size && status == NC3Z_OK;) {
		size_t n = check_random_below(seed, max_piece + 1);

		if (n > size - at)
			n = (size_t)(size - at);
		status = sorter_put(sorter, data + at, n, NULL);
		at += n;
		if (status == NC3Z_OK)
			CHECK_EQ_U64(sorter->position, at);
	}
	free(data);
	return status;
}

static void check_file(const struct plan *plan, uint64_t size, size_t max_piece,
		       uint64_t *seed)
{
	struct run r = { .fails_after = -1 };
	struct plan_map map;
	struct sorter sorter;

	oracle_make(&r.oracle, plan, size);
	r.nblocks = calloc(plan->nstreams, sizeof(*r.nblocks));
	REQUIRE(begin(&sorter, plan, &r) == NC3Z_OK);
	CHECK(put_file(&sorter, size, max_piece, seed) == NC3Z_OK);
	REQUIRE(plan_map_init(&map, plan, size, NULL) == NC3Z_OK);
	CHECK(sorter_end(&sorter, &map, NULL) == NC3Z_OK);
	for (uint32_t i = 0; i < plan->nstreams; i++)
		CHECK_EQ_U64(r.nblocks[i], r.oracle.streams[i].nblocks);
	CHECK_EQ_U64(r.nbytes, size);
	plan_map_release(&map);
	sorter_release(&sorter);
	free(r.nblocks);
	oracle_release(&r.oracle);
}

/* A finished plan for a random shape; where its data end. */
static uint64_t make_plan(struct plan *plan, uint32_t block_nbytes,
			  uint64_t *seed)
{
	static const struct shape_limits limits = { .max_length = 12,
						    .max_nrecords = 40,
						    .max_nvars = 14 };
	struct classic_header header;
	struct plan_hint *hints;
	struct layout layout;
	struct shape shape;
	struct blob b = { 0 };
	uint64_t end;
	bool more;

	shape_random(&shape, &limits, seed);
	if (check_random_below(seed, 3) == 0)
		shape_disturb(&shape, seed);
	end = shape_end(&shape);
	if (check_random_below(seed, 4) == 0)
		shape.numrecs = shape.version == 5 ? UINT64_MAX : UINT32_MAX;
	shape_write(&shape, &b);
	CHECK(classic_header_parse(b.data, b.nbytes, true, &header, &more,
				   NULL) == NC3Z_OK);
	CHECK(layout_of_header(&header, &layout, NULL) == NC3Z_OK);
	CHECK(plan_shape(&header, &layout,
			 &(struct plan_shaping){ .block_nbytes = block_nbytes },
			 plan, &hints, NULL) == NC3Z_OK);
	free(hints);
	layout_release(&layout);
	classic_header_release(&header);
	blob_release(&b);
	return end;
}

static void test_random_files(void)
{
	static const uint32_t block_sizes[] = { 64, 500, 4096, 1 << 20 };
	static const size_t pieces[] = { 1, 7, 100, 5000, 1 << 18 };
	uint64_t seed = 25;

	for (unsigned i = 0; i < 400; i++) {
		struct plan plan;
		uint64_t end = make_plan(&plan, block_sizes[i % 4], &seed);
		uint64_t size = end < 60000 ? end : 60000;

		check_file(&plan, size, pieces[i % 5], &seed);
		size = check_random_below(&seed, size + 1);
		check_file(&plan, size, pieces[i % 5], &seed);
		check_file(&plan, end % 40000 + i % 5, 1 << 18, &seed);
		plan_release(&plan);
	}
}

/*
 * Seven records of ten bytes, with a group and its gaps in panels of three and
 * four; the file ends at every place.
 */
static void test_every_size(void)
{
	struct plan_member members[] = {
		{ .variable = 0, .begin = 10, .nbytes = 3 },
		{ .variable = 1, .begin = 14, .nbytes = 5 },
	};
	struct plan_member rest[] = {
		{ .variable = PLAN_NO_VARIABLE, .begin = 0, .nbytes = 10 },
		{ .variable = PLAN_NO_VARIABLE,
		  .begin = 10 + 10 * 7,
		  .nbytes = PLAN_OFFSET_END - 80 },
	};
	struct plan_member gaps[] = {
		{ .variable = PLAN_NO_VARIABLE, .begin = 13, .nbytes = 1 },
		{ .variable = PLAN_NO_VARIABLE, .begin = 19, .nbytes = 1 },
	};
	struct plan_stream streams[] = {
		{ .width = 1,
		  .block_nbytes = 16,
		  .members = rest,
		  .nmembers = 2 },
		{ .is_record = true,
		  .width = 1,
		  .block_nbytes = 24,
		  .panel_nrecords = 3,
		  .members = members,
		  .nmembers = 2 },
		{ .is_record = true,
		  .width = 1,
		  .block_nbytes = 8,
		  .panel_nrecords = 4,
		  .members = gaps,
		  .nmembers = 2 },
	};
	struct plan plan = { .record_begin = 10,
			     .record_nbytes = 10,
			     .nrecords = 7,
			     .streams = streams,
			     .nstreams = 3 };
	uint64_t seed = 26;

	REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
	for (uint64_t size = 0; size < 120; size++) {
		check_file(&plan, size, 1, &seed);
		check_file(&plan, size, 200, &seed);
	}
	free(plan.fixed.list);
	free(plan.slots.list);
}

/* Whoever takes blocks may fail at any of them. */
static void test_failing_taker(void)
{
	uint64_t seed = 27;

	for (int after = 0; after < 12; after++) {
		struct run r = { .fails_after = after };
		struct plan_map map;
		struct sorter sorter;
		struct plan plan;
		uint64_t size = 3000;
		int status;

		make_plan(&plan, 256, &seed);
		oracle_make(&r.oracle, &plan, size);
		r.nblocks = calloc(plan.nstreams, sizeof(*r.nblocks));
		REQUIRE(begin(&sorter, &plan, &r) == NC3Z_OK);
		status = put_file(&sorter, size, 1000, &seed);
		REQUIRE(plan_map_init(&map, &plan, size, NULL) == NC3Z_OK);
		if (status == NC3Z_OK)
			status = sorter_end(&sorter, &map, NULL);
		CHECK(status == (r.fails_after < 0 ? NC3Z_EIO : NC3Z_OK));
		plan_map_release(&map);
		sorter_release(&sorter);
		free(r.nblocks);
		oracle_release(&r.oracle);
		plan_release(&plan);
	}
}

static void test_too_large(void)
{
	struct run r = { .fails_after = -1 };
	struct nc3z_error err;
	struct sorter sorter;
	struct plan plan;
	uint64_t seed = 28;

	make_plan(&plan, 4096, &seed);
	REQUIRE(begin(&sorter, &plan, &r) == NC3Z_OK);
	sorter.position = PLAN_OFFSET_END - 5;
	CHECK(sorter_put(&sorter, (const uint8_t *)"12345", 5, &err) ==
	      NC3Z_ELIMIT);
	CHECK_EQ_U64(sorter.position, PLAN_OFFSET_END - 5);
	sorter_release(&sorter);
	plan_release(&plan);
}

/* The blocks of a file, with some memory for chunks. */
static int sort_chunks(struct run *r, const struct plan *plan,
		       uint64_t max_nbytes, uint64_t *seed)
{
	const struct sorter_setup setup = {
		.plan = plan,
		.max_nbytes = max_nbytes,
		.take = take,
		.read = read_again,
		.context = r,
	};
	struct plan_map map;
	struct sorter sorter;
	int status;

	r->sorter = &sorter;
	r->sum = r->nbytes = r->nread = r->max_chunk_nbytes = 0;
	memset(r->nblocks, 0, plan->nstreams * sizeof(*r->nblocks));
	status = sorter_init(&sorter, &setup, NULL);
	if (status == NC3Z_OK)
		status = put_file(&sorter, r->size, 200, seed);
	CHECK(plan_map_init(&map, plan, r->size, NULL) == NC3Z_OK);
	if (status == NC3Z_OK)
		status = sorter_end(&sorter, &map, NULL);
	if (status == NC3Z_OK)
		CHECK_EQ_U64(r->nbytes, r->size);
	plan_map_release(&map);
	sorter_release(&sorter);
	return status;
}

/* What the chunks of a band take, and their places. */
static void measure(const struct plan *plan, uint64_t *places_ret,
		    uint64_t *largest_ret)
{
	struct plan_map map;

	*places_ret = *largest_ret = 0;
	REQUIRE(plan_map_init(&map, plan, PLAN_OFFSET_END, NULL) == NC3Z_OK);
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (!s->grid)
			continue;
		*places_ret +=
			map.extents[i].span_nblocks * sizeof(struct open_block);
		if (s->block_nbytes > *largest_ret)
			*largest_ret = s->block_nbytes;
	}
	plan_map_release(&map);
}

/* The same blocks in the same order, whatever the memory, within it. */
static uint64_t check_chunks(struct run *r, const struct plan *plan,
			     uint64_t *seed)
{
	uint64_t places, largest, sum, nread = 0;

	measure(plan, &places, &largest);
	CHECK(sort_chunks(r, plan, UINT64_MAX, seed) == NC3Z_OK);
	CHECK_EQ_U64(r->nread, 0);
	sum = r->sum;
	for (uint64_t extra = 0; extra < 400; extra += 1 + extra / 2) {
		CHECK(sort_chunks(r, plan, places + extra, seed) == NC3Z_OK);
		CHECK_EQ_U64(r->sum, sum);
		CHECK(r->max_chunk_nbytes <= size_max(extra, largest));
		nread += r->nread;
	}
	/* Where no chunk can be put off: bands and places, or places alone. */
	if (nread > 0)
		CHECK(sort_chunks(r, plan, places - 1, seed) == NC3Z_ELIMIT);
	return nread;
}

/* One part of a file, from 'begin' to 'end', goes on where the last one ended. */
static int sort_part(struct run *r, const struct sorter_setup *setup,
		     uint64_t begin, uint64_t end)
{
	uint8_t *data = malloc((size_t)(end - begin) + 1);
	struct plan_map map;
	struct sorter sorter;
	int status;

	for (uint64_t i = begin; i < end; i++)
		data[i - begin] = byte_at(i);
	r->sorter = &sorter;
	status = sorter_init(&sorter, setup, NULL);
	if (status == NC3Z_OK)
		status = sorter_start(&sorter, begin, NULL);
	if (status == NC3Z_OK)
		status = sorter_put(&sorter, data, (size_t)(end - begin), NULL);
	if (status == NC3Z_OK && end == r->size) {
		CHECK(plan_map_init(&map, setup->plan, end, NULL) == NC3Z_OK);
		status = sorter_end(&sorter, &map, NULL);
		plan_map_release(&map);
	}
	sorter_release(&sorter);
	free(data);
	return status;
}

/*
 * Parts give the blocks of the whole, in its order: of blocks that are complete
 * before a part, none.
 */
static void check_parts(struct run *r, const struct plan *plan,
			uint64_t max_nbytes, uint64_t *seed)
{
	const struct sorter_setup setup = {
		.plan = plan,
		.max_nbytes = max_nbytes,
		.take = take,
		.read = read_again,
		.context = r,
	};
	uint64_t sum, nparts = 1 + check_random_below(seed, 7), begin = 0;

	CHECK(sort_chunks(r, plan, UINT64_MAX, seed) == NC3Z_OK);
	sum = r->sum;
	r->sum = r->nbytes = 0;
	memset(r->nblocks, 0, plan->nstreams * sizeof(*r->nblocks));
	for (uint64_t i = 1; i <= nparts; i++) {
		uint64_t end = r->size * i / nparts;

		if (i < nparts)
			end = begin + check_random_below(seed, r->size - begin);
		CHECK(sort_part(r, &setup, begin, i < nparts ? end : r->size) ==
		      NC3Z_OK);
		begin = end;
	}
	CHECK_EQ_U64(r->nbytes, r->size);
	CHECK_EQ_U64(r->sum, sum);
}

static void test_parts(void)
{
	uint64_t seed = 31;

	for (int i = 0; i < 600; i++) {
		struct run r = { .fails_after = -1, .changed = UINT64_MAX };
		uint64_t places = 0, largest, max_nbytes = UINT64_MAX;
		struct plan plan;

		if (i % 2) {
			oracle_random_chunked_plan(&plan, &seed);
			REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
			r.size = 1 + check_random_below(&seed, 900);
			measure(&plan, &places, &largest);
			if (i % 4 == 1)
				max_nbytes = places + (uint64_t)(i % 300);
		} else {
			r.size = 1 +
				 make_plan(&plan, 64u << i % 9, &seed) % 30000;
		}
		oracle_make(&r.oracle, &plan, r.size);
		r.nblocks = calloc(plan.nstreams, sizeof(*r.nblocks));
		check_parts(&r, &plan, max_nbytes, &seed);
		free(r.nblocks);
		oracle_release(&r.oracle);
		plan_release(&plan);
	}
}

/* A rehearsal fills the same chunks together as the run, in as much memory. */
static unsigned check_rehearsal(struct run *r, const struct plan *plan,
				uint64_t max_nbytes, uint64_t *seed)
{
	struct sorter_setup setup = {
		.plan = plan,
		.max_nbytes = max_nbytes,
		.fill = fill,
		.context = r,
	};
	uint64_t fills, most;
	struct plan_map map;
	struct sorter sorter;

	r->fills = 0;
	if (!CHECK(sorter_init(&sorter, &setup, NULL) == NC3Z_OK))
		return 0;
	CHECK(sorter_rehearse(&sorter, r->size, NULL) == NC3Z_OK);
	fills = r->fills;
	most = sorter.most_nbytes;
	CHECK_EQ_U64(sorter.chunk_nbytes, 0);
	sorter_release(&sorter);

	r->nbytes = r->fills = 0;
	memset(r->nblocks, 0, plan->nstreams * sizeof(*r->nblocks));
	setup.take = take;
	if (!CHECK(sorter_init(&sorter, &setup, NULL) == NC3Z_OK))
		return 0;
	CHECK(put_file(&sorter, r->size, 200, seed) == NC3Z_OK);
	CHECK(plan_map_init(&map, plan, r->size, NULL) == NC3Z_OK);
	CHECK(sorter_end(&sorter, &map, NULL) == NC3Z_OK);
	CHECK_EQ_U64(r->nbytes, r->size);
	CHECK_EQ_U64(r->fills, fills);
	CHECK_EQ_U64(sorter.most_nbytes, most);
	plan_map_release(&map);
	sorter_release(&sorter);
	return fills != 0;
}

static void test_rehearsal(void)
{
	unsigned nfilled = 0;
	uint64_t seed = 30;

	for (int i = 0; i < 300; i++) {
		struct run r = { .fails_after = -1 };
		uint64_t places, largest, extra;
		struct plan plan;

		oracle_random_chunked_plan(&plan, &seed);
		REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
		r.size = check_random_below(&seed, 900);
		oracle_make(&r.oracle, &plan, r.size);
		r.nblocks = calloc(plan.nstreams, sizeof(*r.nblocks));
		measure(&plan, &places, &largest);
		for (extra = 0; extra < 300; extra = 3 * extra + 5)
			nfilled += check_rehearsal(&r, &plan, places + extra,
						   &seed);
		free(r.nblocks);
		oracle_release(&r.oracle);
		plan_release(&plan);
	}
	CHECK(nfilled > 150);
}

/* A byte that is another when it is read again. */
static unsigned check_changed(struct run *r, const struct plan *plan,
			      uint64_t *seed)
{
	uint64_t places, largest;
	unsigned nchanged = 0;

	measure(plan, &places, &largest);
	for (uint64_t at = 0; at < r->size; at += 1 + r->size / 20) {
		int status;

		r->changed = at;
		status = sort_chunks(r, plan, places, seed);
		CHECK(status == NC3Z_OK || status == NC3Z_ECHANGED);
		nchanged += status == NC3Z_ECHANGED;
	}
	return nchanged;
}

static void test_chunks(void)
{
	uint64_t seed = 29, nread = 0;
	unsigned nchanged = 0;

	for (int i = 0; i < 120; i++) {
		struct run r = { .fails_after = -1, .changed = UINT64_MAX };
		struct plan plan;

		oracle_random_chunked_plan(&plan, &seed);
		REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
		r.size = check_random_below(&seed, 900);
		oracle_make(&r.oracle, &plan, r.size);
		r.nblocks = calloc(plan.nstreams, sizeof(*r.nblocks));
		nread += check_chunks(&r, &plan, &seed);
		nchanged += check_changed(&r, &plan, &seed);
		free(r.nblocks);
		oracle_release(&r.oracle);
		plan_release(&plan);
	}
	CHECK(nread > 100000 && nchanged > 100);
}

int main(void)
{
	RUN(test_random_files);
	RUN(test_every_size);
	RUN(test_failing_taker);
	RUN(test_too_large);
	RUN(test_chunks);
	RUN(test_parts);
	RUN(test_rehearsal);
	return check_report();
}
