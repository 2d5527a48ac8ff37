/* SPDX-License-Identifier: MIT */
#include "plan/block_runs.h"

#include <stdlib.h>

#include "base/sizes.h"

/* Where the share of a member begins in a span. */
static uint64_t share_offset(const struct plan_block_runs *p, uint64_t span,
			     uint32_t member)
{
	const struct plan_stream *s = &p->map->plan->streams[p->stream];

	if (p->panel_nbytes > 0)
		return plan_cut_share(s, member, p->panel_nbytes);
	return plan_share_offset(p->map, p->stream, span, member);
}

/* The last member whose share begins at or before a place in a span. */
static uint32_t find_member(const struct plan_block_runs *p, uint64_t span,
			    uint64_t in_span)
{
	uint32_t low = 0, high = p->map->plan->streams[p->stream].nmembers;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (share_offset(p, span, middle) <= in_span)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void plan_block_runs_begin(const struct plan_map *map, uint32_t stream,
			   uint64_t block, struct plan_block_runs *runs_ret)
{
	struct plan_block_runs *p = runs_ret;
	struct plan_block b;

	p->map = map;
	p->stream = stream;
	p->done = 0;
	p->panel_nbytes = 0;
	if (map->plan->streams[stream].grid) {
		plan_chunk_rows_begin(map, stream, block, &p->rows);
		p->nbytes = p->rows.nbytes;
		return;
	}
	b = plan_block_numbered(map, stream, block);
	p->nbytes = (uint32_t)b.nbytes;
	p->stream_offset = b.stream_offset;
}

void plan_block_runs_begin_cut(const struct plan_map *map, uint32_t stream,
			       uint64_t block, uint32_t nbytes,
			       struct plan_block_runs *runs_ret)
{
	const struct plan_stream *s = &map->plan->streams[stream];

	plan_block_runs_begin(map, stream, block, runs_ret);
	if (nbytes >= runs_ret->nbytes)
		return;
	runs_ret->nbytes = nbytes;
	if (s->nmembers > 1 && s->panel_nrecords > 1)
		runs_ret->panel_nbytes = nbytes;
}

/* Bytes from a place of a member that follow each other in the original. */
static uint64_t run_nbytes(const struct plan *plan, const struct plan_stream *s,
			   const struct plan_member *m, uint64_t skip)
{
	bool touch = s->nmembers == 1 && s->nbytes == plan->record_nbytes;

	return s->is_record && touch ? UINT64_MAX : m->nbytes - skip;
}

static void next_linear(struct plan_block_runs *p, struct plan_block_run *run)
{
	const struct plan *plan = p->map->plan;
	const struct plan_stream *s = &plan->streams[p->stream];
	uint64_t span_nbytes = p->map->extents[p->stream].span_nbytes;
	uint64_t span = (p->stream_offset + p->done) / span_nbytes;
	uint64_t in_span = (p->stream_offset + p->done) % span_nbytes;
	const struct plan_member *m;
	uint64_t nbytes = p->nbytes - p->done, record, skip;

	if (p->done == 0)
		p->member = find_member(p, span, in_span);
	while (p->member + 1 < s->nmembers &&
	       share_offset(p, span, p->member + 1) <= in_span)
		p->member++;
	m = &s->members[p->member];
	if (p->member + 1 < s->nmembers)
		nbytes = size_min(nbytes, share_offset(p, span, p->member + 1) -
						  in_span);
	in_span -= share_offset(p, span, p->member);
	record = in_span / m->nbytes;
	skip = in_span % m->nbytes;
	if (s->is_record)
		record += span * s->panel_nrecords;
	*run = (struct plan_block_run){
		.offset = m->begin + record * plan->record_nbytes + skip,
		.block_offset = p->done,
		.nbytes = (uint32_t)size_min(nbytes,
					     run_nbytes(plan, s, m, skip)),
	};
}

bool plan_block_runs_next(struct plan_block_runs *runs,
			  struct plan_block_run *run_ret)
{
	const struct plan_chunk_row *row;

	if (runs->done == runs->nbytes)
		return false;
	if (runs->map->plan->streams[runs->stream].grid) {
		row = plan_chunk_rows_next(&runs->rows);
		if (!row)
			return false;
		*run_ret = (struct plan_block_run){
			.offset = row->offset,
			.block_offset = row->chunk_offset,
			.nbytes = (uint32_t)size_min(row->nbytes,
						     runs->nbytes - runs->done),
		};
	} else {
		next_linear(runs, run_ret);
	}
	runs->done += run_ret->nbytes;
	return true;
}

uint64_t plan_block_offset(const struct plan_map *map, uint32_t stream,
			   uint64_t block)
{
	struct plan_block_runs runs;
	struct plan_block_run run = { 0 };

	plan_block_runs_begin(map, stream, block, &runs);
	plan_block_runs_next(&runs, &run);
	return run.offset;
}

/* Whether all bytes of a block lie before 'offset'. */
static bool is_complete(const struct plan_map *map, uint32_t stream,
			uint64_t block, uint64_t offset)
{
	struct plan_block_runs runs;
	struct plan_block_run run;

	if (map->plan->streams[stream].grid)
		return plan_chunk_last_offset(map, stream, block) < offset;
	plan_block_runs_begin(map, stream, block, &runs);
	while (plan_block_runs_next(&runs, &run))
		if (run.offset + run.nbytes > offset)
			return false;
	return true;
}

/*
 * In a linear stream a block begins when the one before it is complete, so that
 * only the last one that has begun is to be gone through.
 */
uint64_t plan_blocks_complete(const struct plan_map *map, uint32_t stream,
			      uint64_t offset)
{
	bool is_chunked = map->plan->streams[stream].grid;
	uint64_t low = 0, high = map->extents[stream].nblocks;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		bool has_gone_by =
			is_chunked ?
				is_complete(map, stream, middle, offset) :
				plan_block_offset(map, stream, middle) < offset;

		if (has_gone_by)
			low = middle + 1;
		else
			high = middle;
	}
	if (!is_chunked && low > 0 &&
	    !is_complete(map, stream, low - 1, offset))
		low--;
	return low;
}

struct plan_merge_block {
	struct plan_block_runs runs;
	struct plan_block_run next;
	void *owner;
};

struct plan_merge_place {
	uint64_t offset; /* of the block's next run */
	struct plan_merge_block *block;
};

size_t plan_merge_block_nbytes(void)
{
	return sizeof(struct plan_merge_block) +
	       sizeof(struct plan_merge_place);
}

/* Goes to the next run of a block; false after the last one. */
static bool advance_block(struct plan_merge_block *b)
{
	return plan_block_runs_next(&b->runs, &b->next);
}

/* Puts a block where it belongs, at the free place 'at' or below it. */
static void sink_down(struct plan_merge *merge, size_t at,
		      struct plan_merge_place place)
{
	struct plan_merge_place *list = merge->list;
	size_t child;

	while ((child = 2 * at + 1) < merge->count) {
		if (child + 1 < merge->count &&
		    list[child + 1].offset < list[child].offset)
			child++;
		if (list[child].offset >= place.offset)
			break;
		list[at] = list[child];
		at = child;
	}
	list[at] = place;
}

/* The same at the free place 'at' or above it. */
static void rise_up(struct plan_merge *merge, size_t at,
		    struct plan_merge_place place)
{
	struct plan_merge_place *list = merge->list;

	while (at > 0 && list[(at - 1) / 2].offset > place.offset) {
		list[at] = list[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	list[at] = place;
}

bool plan_merge_add(struct plan_merge *merge,
		    const struct plan_block_runs *runs, uint32_t nbytes,
		    void *owner)
{
	struct plan_merge_block *block = malloc(sizeof(*block));

	if (!block || !memory_room(&merge->list, merge->count, &merge->capacity,
				   sizeof(*merge->list))) {
		free(block);
		return false;
	}
	block->runs = *runs;
	block->runs.nbytes = (uint32_t)size_min(runs->nbytes, nbytes);
	block->owner = owner;
	advance_block(block);
	merge->count++;
	rise_up(merge, merge->count - 1,
		(struct plan_merge_place){ block->next.offset, block });
	return true;
}

bool plan_merge_next(struct plan_merge *merge, struct plan_block_run *run_ret,
		     void **owner_ret)
{
	struct plan_merge_place place;

	if (merge->count == 0)
		return false;
	place = merge->list[0];
	*run_ret = place.block->next;
	*owner_ret = place.block->owner;
	if (!advance_block(place.block)) {
		free(place.block);
		place = merge->list[--merge->count];
		if (merge->count == 0)
			return true;
	}
	place.offset = place.block->next.offset;
	sink_down(merge, 0, place);
	return true;
}

void plan_merge_release(struct plan_merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		free(merge->list[i].block);
	free(merge->list);
	*merge = (struct plan_merge){ 0 };
}
