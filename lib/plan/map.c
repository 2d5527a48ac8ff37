/* SPDX-License-Identifier: MIT */
#include "plan/map.h"

#include <stdlib.h>

#include "base/sizes.h"

/* A fixed stream is one panel of one record. */
static uint64_t panel_nrecords(const struct plan_stream *s)
{
	return s->is_record ? s->panel_nrecords : 1;
}

/* How many bytes of a member the original has, in all its records. */
static uint64_t member_nbytes(const struct plan_map *map,
			      const struct plan_stream *s,
			      const struct plan_member *m)
{
	const struct plan *plan = map->plan;
	uint64_t there, records;

	if (map->original_nbytes <= m->begin)
		return 0;
	there = map->original_nbytes - m->begin;
	if (!s->is_record)
		return size_min(there, m->nbytes);
	records = size_min(there / plan->record_nbytes, plan->nrecords);
	if (records == plan->nrecords)
		return records * m->nbytes;
	return records * m->nbytes +
	       size_min(there % plan->record_nbytes, m->nbytes);
}

/* See last_before: every whole span takes 'span_share' bytes of a member. */
static int measure_last_span(const struct plan_map *map,
			     const struct plan_stream *s,
			     struct plan_extent *extent, struct nc3z_error *err)
{
	uint64_t nspans = extent->nbytes / extent->span_nbytes;
	uint64_t before = 0;

	extent->last_before =
		memory_alloc(s->nmembers, sizeof(*extent->last_before));
	if (!extent->last_before)
		return error_set_memory(err);
	for (uint32_t i = 0; i < s->nmembers; i++) {
		uint64_t span_share = s->members[i].nbytes * panel_nrecords(s);

		extent->last_before[i] = before;
		before += member_nbytes(map, s, &s->members[i]) -
			  nspans * span_share;
	}
	return NC3Z_OK;
}

static int measure_chunks(const struct plan_map *map,
			  const struct plan_stream *s,
			  struct plan_extent *extent)
{
	const struct plan_grid_dim *d = &s->grid->dims[0];

	extent->nbytes = member_nbytes(map, s, s->members);
	extent->span_nbytes = d->chunk * d->weight * s->width;
	extent->span_nblocks = d->chunk_weight;
	extent->nblocks = plan_grid_nchunks_of(s->grid, extent->nbytes);
	return NC3Z_OK;
}

static int measure_stream(const struct plan_map *map,
			  const struct plan_stream *s,
			  struct plan_extent *extent, struct nc3z_error *err)
{
	uint64_t left;

	if (s->grid)
		return measure_chunks(map, s, extent);
	for (uint32_t i = 0; i < s->nmembers; i++)
		extent->nbytes += member_nbytes(map, s, &s->members[i]);
	extent->span_nbytes = s->nbytes * panel_nrecords(s);
	extent->span_nblocks =
		size_div_up(extent->span_nbytes, s->block_nbytes);
	left = extent->nbytes % extent->span_nbytes;
	extent->nblocks =
		extent->nbytes / extent->span_nbytes * extent->span_nblocks +
		size_div_up(left, s->block_nbytes);
	if (left > 0 && s->nmembers > 1)
		return measure_last_span(map, s, extent, err);
	return NC3Z_OK;
}

int plan_map_init(struct plan_map *map, const struct plan *plan,
		  uint64_t original_nbytes, struct nc3z_error *err)
{
	int status = NC3Z_OK;

	map->plan = plan;
	map->original_nbytes = original_nbytes;
	map->extents = memory_alloc(plan->nstreams, sizeof(*map->extents));
	if (!map->extents)
		return error_set_memory(err);
	for (uint32_t i = 0; i < plan->nstreams && status == NC3Z_OK; i++)
		status = measure_stream(map, &plan->streams[i],
					&map->extents[i], err);
	if (status != NC3Z_OK)
		plan_map_release(map);
	return status;
}

void plan_map_release(struct plan_map *map)
{
	if (map->extents)
		for (uint32_t i = 0; i < map->plan->nstreams; i++)
			free(map->extents[i].last_before);
	free(map->extents);
	*map = (struct plan_map){ 0 };
}

/* The last owner that begins at or before 'offset'. */
static const struct plan_owner *owner_at(const struct plan_owners *owners,
					 uint64_t offset)
{
	size_t low = 0, high = owners->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (owners->list[middle].begin <= offset)
			low = middle;
		else
			high = middle;
	}
	return &owners->list[low];
}

uint64_t plan_share_offset(const struct plan_map *map, uint32_t stream,
			   uint64_t span, uint32_t member)
{
	const struct plan_stream *s = &map->plan->streams[stream];
	const struct plan_extent *extent = &map->extents[stream];

	if (extent->last_before && span == extent->nbytes / extent->span_nbytes)
		return extent->last_before[member];
	return s->members[member].before * panel_nrecords(s);
}

/*
 * The place in its linear stream of byte 'skip' of a member's record 'record';
 * 0 for a fixed stream.
 */
static uint64_t stream_offset_of(const struct plan_map *map,
				 const struct plan_owner *owner,
				 uint64_t record, uint64_t skip)
{
	const struct plan_stream *s = &map->plan->streams[owner->stream];
	const struct plan_extent *extent = &map->extents[owner->stream];
	const struct plan_member *m = &s->members[owner->member];
	uint64_t span = record / panel_nrecords(s);

	return span * extent->span_nbytes +
	       plan_share_offset(map, owner->stream, span, owner->member) +
	       record % panel_nrecords(s) * m->nbytes + skip;
}

struct plan_place plan_place_at(const struct plan *plan, uint64_t offset)
{
	const struct plan_owner *owner = owner_at(&plan->fixed, offset);
	uint64_t record = 0;

	if (owner->stream == UINT32_MAX) {
		record = (offset - plan->record_begin) / plan->record_nbytes;
		offset -= record * plan->record_nbytes;
		owner = owner_at(&plan->slots, offset);
	}
	return (struct plan_place){ owner, record, offset - owner->begin };
}

/* The run at a place, of at most 'nbytes' bytes; the chunk that holds it. */
static struct plan_run run_of(const struct plan_map *map,
			      const struct plan_place *place, uint64_t nbytes,
			      struct plan_chunk *chunk_ret)
{
	const struct plan_owner *owner = place->owner;
	const struct plan_stream *s = &map->plan->streams[owner->stream];
	struct plan_run run = { .stream = owner->stream, .nbytes = nbytes };

	if (!s->grid) {
		run.stream_offset = stream_offset_of(map, owner, place->record,
						     place->skip);
		return run;
	}
	run.stream_offset =
		plan_grid_find(s->grid, place->record * s->nbytes + place->skip,
			       &run.nbytes, chunk_ret);
	run.nbytes = size_min(run.nbytes, nbytes);
	return run;
}

/* The run at an offset; the chunk, where it is in one. */
static struct plan_run run_in_chunk(const struct plan_map *map, uint64_t offset,
				    struct plan_chunk *chunk_ret)
{
	const struct plan *plan = map->plan;
	const struct plan_place place = plan_place_at(plan, offset);
	const struct plan_stream *s = &plan->streams[place.owner->stream];
	uint64_t nbytes = s->members[place.owner->member].nbytes - place.skip;
	struct plan_run run;

	/* Records that touch each other are one run, up to their number. */
	if (s->is_record && s->nbytes == plan->record_nbytes &&
	    s->nmembers == 1)
		nbytes = plan_record_end(plan) - offset;
	run = run_of(map, &place, nbytes, chunk_ret);
	run.nbytes = size_min(run.nbytes, map->original_nbytes - offset);
	return run;
}

struct plan_run plan_run_at(const struct plan_map *map, uint64_t offset)
{
	struct plan_chunk chunk;

	return run_in_chunk(map, offset, &chunk);
}

struct plan_run plan_member_run(const struct plan_map *map, uint32_t stream,
				uint32_t member, uint64_t member_offset)
{
	const struct plan_stream *s = &map->plan->streams[stream];
	const struct plan_member *m = &s->members[member];
	const struct plan_owner owner = { .stream = stream, .member = member };
	const struct plan_place place = {
		.owner = &owner,
		.skip = member_offset,
	};
	struct plan_chunk chunk;
	uint64_t there = member_nbytes(map, s, m), share, record;
	struct plan_run run = { .stream = stream };

	if (member_offset >= there)
		return run;
	if (s->grid)
		return run_of(map, &place, there - member_offset, &chunk);
	run.nbytes = there - member_offset;
	run.stream_offset = member_offset;
	if (s->nmembers == 1)
		return run;
	record = member_offset / m->nbytes;
	share = m->nbytes * panel_nrecords(s);
	run.stream_offset = stream_offset_of(map, &owner, record,
					     member_offset % m->nbytes);
	run.nbytes = size_min(run.nbytes, share - member_offset % share);
	return run;
}

static struct plan_block block_of(const struct plan_grid *grid,
				  const struct plan_extent *extent,
				  const struct plan_chunk *chunk)
{
	return (struct plan_block){
		.block = chunk->number,
		.stream_offset = chunk->place,
		.nbytes = plan_grid_nbytes_of(grid, chunk, extent->nbytes),
	};
}

struct plan_block plan_block_at(const struct plan_map *map, uint32_t stream,
				uint64_t stream_offset)
{
	const struct plan_extent *extent = &map->extents[stream];
	uint32_t block_nbytes = map->plan->streams[stream].block_nbytes;
	const struct plan_grid *grid = map->plan->streams[stream].grid;
	uint64_t span = stream_offset / extent->span_nbytes;
	uint64_t in_span = stream_offset % extent->span_nbytes;

	if (grid)
		return plan_block_numbered(
			map, stream, plan_grid_chunk_at(grid, stream_offset));
	return plan_block_numbered(map, stream,
				   span * extent->span_nblocks +
					   in_span / block_nbytes);
}

struct plan_block plan_block_numbered(const struct plan_map *map,
				      uint32_t stream, uint64_t block)
{
	const struct plan_extent *extent = &map->extents[stream];
	uint32_t block_nbytes = map->plan->streams[stream].block_nbytes;
	const struct plan_grid *grid = map->plan->streams[stream].grid;
	uint64_t span_begin =
		block / extent->span_nblocks * extent->span_nbytes;
	uint64_t in_span = block % extent->span_nblocks * block_nbytes;
	uint64_t span_nbytes =
		size_min(extent->span_nbytes, extent->nbytes - span_begin);
	struct plan_chunk chunk;

	if (grid) {
		plan_grid_chunk(grid, block, &chunk);
		return block_of(grid, extent, &chunk);
	}
	return (struct plan_block){
		.block = block,
		.stream_offset = span_begin + in_span,
		.nbytes = size_min(block_nbytes, span_nbytes - in_span),
	};
}

struct plan_run plan_run_in_block(const struct plan_map *map, uint64_t offset,
				  struct plan_block *block_ret)
{
	struct plan_chunk chunk;
	struct plan_run run = run_in_chunk(map, offset, &chunk);
	const struct plan_grid *grid = map->plan->streams[run.stream].grid;

	*block_ret = grid ? block_of(grid, &map->extents[run.stream], &chunk) :
			    plan_block_at(map, run.stream, run.stream_offset);
	run.nbytes = size_min(run.nbytes, block_ret->stream_offset +
						  block_ret->nbytes -
						  run.stream_offset);
	return run;
}

uint64_t plan_cut_share(const struct plan_stream *s, uint32_t member,
			uint64_t nbytes)
{
	uint64_t before = s->members[member].before;

	return nbytes / s->nbytes * before +
	       size_min(nbytes % s->nbytes, before);
}

/* Where a byte is in a panel that is cut, and where its member's share ends. */
static struct plan_piece piece_of_panel(const struct plan_map *map,
					uint64_t offset,
					const struct plan_stream *s,
					uint64_t nbytes)
{
	const struct plan_place place = plan_place_at(map->plan, offset);
	const uint32_t member = place.owner->member;
	uint64_t end = member + 1 < s->nmembers ?
			       plan_cut_share(s, member + 1, nbytes) :
			       nbytes;
	uint64_t at =
		plan_cut_share(s, member, nbytes) +
		place.record % s->panel_nrecords * s->members[member].nbytes +
		place.skip;

	return (struct plan_piece){ at, end > at ? end - at : 0 };
}

struct plan_piece plan_piece_of_block(const struct plan_map *map,
				      uint64_t offset,
				      const struct plan_run *run,
				      const struct plan_block *block,
				      uint64_t nbytes)
{
	const struct plan_stream *s = &map->plan->streams[run->stream];
	struct plan_piece piece = {
		.at = run->stream_offset - block->stream_offset,
	};

	if (nbytes < block->nbytes && s->nmembers > 1 && s->panel_nrecords > 1)
		piece = piece_of_panel(map, offset, s, nbytes);
	else if (nbytes > piece.at)
		piece.nbytes = nbytes - piece.at;
	piece.nbytes = size_min(piece.nbytes, run->nbytes);
	return piece;
}

uint64_t plan_map_largest_block(const struct plan_map *map)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < map->plan->nstreams; i++)
		nbytes = size_max(nbytes,
				  size_min(map->plan->streams[i].block_nbytes,
					   map->extents[i].nbytes));
	return nbytes;
}
