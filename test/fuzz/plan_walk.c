/* SPDX-License-Identifier: MIT */
#include "plan_walk.h"

#include <stdlib.h>

#include "base/sizes.h"
#include "fuzz.h"
#include "plan/chunk_rows.h"

#define STEPS 40           /* from each starting place */
#define SMALL_NBYTES 20000 /* an original whose every byte is followed */
#define STREAMS_MAX 32     /* streams whose blocks are looked at */

/* Chunks that are short begin where they would begin if they were not. */
static bool is_chunked(const struct plan_map *map, uint32_t stream)
{
	return map->plan->streams[stream].grid != NULL;
}

/* A place of a stream lies in the block that the map names. */
static void check_block(const struct plan_map *map, uint32_t stream,
			uint64_t stream_offset)
{
	const struct plan_extent *extent = &map->extents[stream];
	struct plan_block b = plan_block_at(map, stream, stream_offset);
	struct plan_block again;

	FUZZ_CHECK(b.block < extent->nblocks);
	again = plan_block_numbered(map, stream, b.block);
	FUZZ_CHECK(b.block == again.block && b.nbytes == again.nbytes &&
		   b.stream_offset == again.stream_offset);
	FUZZ_CHECK(b.stream_offset <= stream_offset &&
		   stream_offset - b.stream_offset < b.nbytes);
	FUZZ_CHECK(b.nbytes <= map->plan->streams[stream].block_nbytes);
	FUZZ_CHECK(is_chunked(map, stream) ||
		   b.nbytes <= extent->nbytes - b.stream_offset);
}

/* The same of a run, which a block has whole if it is one of chunks. */
static void check_in_stream(const struct plan_map *map,
			    const struct plan_run *run)
{
	uint64_t end = map->extents[run->stream].nbytes;
	uint64_t begin = run->stream_offset;

	if (is_chunked(map, run->stream)) {
		struct plan_block b = plan_block_at(map, run->stream, begin);

		end = b.stream_offset + b.nbytes;
	}
	FUZZ_CHECK(begin < end && run->nbytes <= end - begin);
}

static struct plan_run check_run(const struct plan_map *map, uint64_t offset)
{
	struct plan_run run = plan_run_at(map, offset);

	FUZZ_CHECK(run.stream < map->plan->nstreams);
	FUZZ_CHECK(run.nbytes > 0 &&
		   run.nbytes <= map->original_nbytes - offset);
	check_in_stream(map, &run);
	check_block(map, run.stream, run.stream_offset);
	check_block(map, run.stream, run.stream_offset + run.nbytes - 1);
	return run;
}

static void walk_from(const struct plan_map *map, uint64_t offset)
{
	for (unsigned i = 0; i < STEPS && offset < map->original_nbytes; i++)
		offset += check_run(map, offset).nbytes;
}

/* The rows of a chunk are where the map has them; their bytes are counted. */
static void check_chunk(const struct plan_map *map, uint32_t stream,
			uint64_t block, uint8_t *counts)
{
	struct plan_chunk_rows rows;
	const struct plan_chunk_row *row;
	uint64_t at = 0;

	plan_chunk_rows_begin(map, stream, block, &rows);
	while ((row = plan_chunk_rows_next(&rows))) {
		struct plan_run run = plan_run_at(map, row->offset);

		FUZZ_CHECK(run.stream == stream && row->chunk_offset == at &&
			   run.stream_offset == rows.chunk.place + at &&
			   run.nbytes >= row->nbytes);
		FUZZ_CHECK(row->offset < map->original_nbytes &&
			   row->nbytes <= map->original_nbytes - row->offset);
		for (uint32_t i = 0; counts && i < row->nbytes; i++)
			counts[row->offset + i]++;
		at += row->nbytes;
		if (!counts && at > SMALL_NBYTES)
			return;
	}
	FUZZ_CHECK(at == plan_block_numbered(map, stream, block).nbytes);
}

static void check_chunks(const struct plan_map *map, uint32_t stream)
{
	const struct plan_extent *extent = &map->extents[stream];
	uint64_t end = 0;

	for (uint64_t i = 0; i < extent->nblocks && i < STEPS; i++) {
		struct plan_block b = plan_block_numbered(map, stream, i);

		FUZZ_CHECK(b.stream_offset >= end && b.nbytes > 0);
		end = b.stream_offset + b.nbytes;
		check_chunk(map, stream, i, NULL);
	}
	if (extent->nblocks > 0)
		check_chunk(map, stream, extent->nblocks - 1, NULL);
}

/* Blocks of a stream follow each other and have all of its bytes. */
static void check_blocks(const struct plan_map *map, uint32_t stream)
{
	const struct plan_extent *extent = &map->extents[stream];
	uint64_t at = 0;

	for (uint64_t i = 0; i < extent->nblocks && i < STEPS; i++) {
		struct plan_block b = plan_block_numbered(map, stream, i);

		FUZZ_CHECK(b.stream_offset == at && b.nbytes > 0);
		at += b.nbytes;
	}
	FUZZ_CHECK(extent->nblocks > STEPS || at == extent->nbytes);
}

/* Where byte 'k' of a member's joined records is in the original. */
static void check_member_run(const struct plan_map *map, uint32_t stream,
			     uint32_t member, uint64_t k)
{
	const struct plan_member *m =
		&map->plan->streams[stream].members[member];
	struct plan_run run = plan_member_run(map, stream, member, k), at;

	FUZZ_CHECK(run.stream == stream);
	if (run.nbytes == 0)
		return;
	check_in_stream(map, &run);
	at = check_run(map, m->begin +
				    k / m->nbytes * map->plan->record_nbytes +
				    k % m->nbytes);
	FUZZ_CHECK(at.stream == stream &&
		   at.stream_offset == run.stream_offset);
}

/* From the first byte on, run by run, and at the far end. */
static void check_members(const struct plan_map *map, uint32_t stream)
{
	const struct plan_stream *s = &map->plan->streams[stream];

	for (uint32_t i = 0; i < s->nmembers && i < STEPS; i++) {
		uint64_t k = 0;

		for (unsigned n = 0; n < STEPS; n++) {
			check_member_run(map, stream, i, k);
			k += plan_member_run(map, stream, i, k).nbytes;
		}
		check_member_run(map, stream, i, k + 1);
		check_member_run(map, stream, i, k / 2);
		check_member_run(map, stream, i, k - size_min(k, 1));
		check_member_run(map, stream, i, UINT64_MAX);
	}
}

/* The bytes of chunks are bytes of the original, each once. */
static void count_chunks(const struct plan_map *map, uint8_t *counts)
{
	for (uint32_t i = 0; i < map->plan->nstreams; i++)
		for (uint64_t k = 0;
		     is_chunked(map, i) && k < map->extents[i].nblocks; k++)
			check_chunk(map, i, k, counts);
}

/* Bytes of a run, which nobody has counted yet unless they are of chunks. */
static void count_run(const struct plan_map *map, const struct plan_run *run,
		      uint64_t offset, uint64_t place, uint8_t *of_chunks,
		      uint8_t *of_streams)
{
	for (uint64_t i = 0; i < run->nbytes; i++) {
		if (is_chunked(map, run->stream))
			FUZZ_CHECK(of_chunks[offset + i]-- == 1);
		else
			FUZZ_CHECK(of_streams[place + i]++ == 0);
	}
}

/*
 * Each byte of a small original is one byte of one stream, and streams have no
 * other bytes.
 */
static void check_bytes(const struct plan_map *map)
{
	uint32_t nstreams = map->plan->nstreams;
	uint64_t *begins = calloc((size_t)nstreams + 1, sizeof(*begins));
	uint8_t *seen = calloc(1, (size_t)map->original_nbytes + 1);
	uint8_t *of_chunks = calloc(1, (size_t)map->original_nbytes + 1);
	uint64_t sum = 0;

	FUZZ_CHECK(begins && seen && of_chunks);
	count_chunks(map, of_chunks);
	for (uint32_t i = 0; i < nstreams; i++) {
		begins[i] = sum;
		sum += map->extents[i].nbytes;
	}
	FUZZ_CHECK(sum == map->original_nbytes);
	for (uint64_t offset = 0; offset < map->original_nbytes;) {
		struct plan_run run = check_run(map, offset);
		uint64_t at = begins[run.stream] + run.stream_offset;

		count_run(map, &run, offset, at, of_chunks, seen);
		offset += run.nbytes;
	}
	for (uint64_t i = 0; i < map->original_nbytes; i++)
		FUZZ_CHECK(of_chunks[i] == 0);
	free(begins);
	free(of_chunks);
	free(seen);
}

void plan_walk(const struct plan *plan, uint64_t original_nbytes)
{
	struct plan_map map;
	uint64_t end;

	FUZZ_CHECK(plan_map_init(&map, plan, original_nbytes, NULL) == NC3Z_OK);
	for (uint32_t i = 0; i < plan->nstreams && i < STREAMS_MAX; i++) {
		if (is_chunked(&map, i))
			check_chunks(&map, i);
		else
			check_blocks(&map, i);
		check_members(&map, i);
	}
	if (original_nbytes <= SMALL_NBYTES)
		check_bytes(&map);
	end = plan_record_end(plan);
	walk_from(&map, 0);
	walk_from(&map, original_nbytes / 2);
	walk_from(&map, plan->record_begin);
	walk_from(&map, end - size_min(end, 1000));
	walk_from(&map, original_nbytes - size_min(original_nbytes, 1000));
	plan_map_release(&map);
}
