/* SPDX-License-Identifier: MIT */
#include "plan/walk.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"

int plan_walk_init(struct plan_walk *walk, const struct plan_map *map,
		   struct nc3z_error *err)
{
	*walk = (struct plan_walk){
		.map = map,
		.slots = memory_alloc(map->plan->slots.count,
				      sizeof(*walk->slots)),
		.next = UINT64_MAX,
	};
	return walk->slots ? NC3Z_OK : error_set_memory(err);
}

void plan_walk_release(struct plan_walk *walk)
{
	free(walk->slots);
	*walk = (struct plan_walk){ 0 };
}

static void go_on(struct plan_walk *walk)
{
	walk->next += walk->slots[walk->slot].nbytes;
	if (++walk->slot == walk->map->plan->slots.count) {
		walk->slot = 0;
		walk->record++;
	}
}

/*
 * The first record whose run does not follow that of the one before: that is in
 * another block or panel, or no run of a record.
 */
static uint64_t end_of_runs(const struct plan *plan,
			    const struct plan_walk_slot *w)
{
	const struct plan_stream *s = &plan->streams[w->stream];
	uint64_t in_block =
		w->block.stream_offset + w->block.nbytes - w->stream_offset;
	uint64_t end =
		w->record - w->record % s->panel_nrecords + s->panel_nrecords;

	/* One slot alone has runs of many records. */
	if (s->grid || plan->slots.count == 1)
		return 0;
	end = size_min(end, w->record + in_block / w->nbytes);
	return size_min(end, plan->nrecords);
}

/* Notes a run that was searched for. */
static void note_run(struct plan_walk *walk, uint64_t offset,
		     const struct plan_run *run, const struct plan_block *block)
{
	const struct plan *plan = walk->map->plan;
	const struct plan_stream *s = &plan->streams[run->stream];
	struct plan_place place;
	struct plan_walk_slot *w;

	walk->next = UINT64_MAX;
	if (!s->is_record)
		return;
	place = plan_place_at(plan, offset);
	walk->slot = (size_t)(place.owner - plan->slots.list);
	walk->record = place.record;
	walk->next = offset - place.skip;
	w = &walk->slots[walk->slot];
	*w = (struct plan_walk_slot){
		.stream = run->stream,
		.nbytes = s->members[place.owner->member].nbytes,
		.record = place.record,
		.stream_offset = run->stream_offset - place.skip,
		.block = *block,
	};
	w->end_record = end_of_runs(plan, w);
	go_on(walk);
}

struct plan_run plan_walk_run(struct plan_walk *walk, uint64_t offset,
			      struct plan_block *block_ret)
{
	struct plan_walk_slot *w = &walk->slots[walk->slot];
	struct plan_run run;

	if (offset != walk->next || walk->record != w->record + 1 ||
	    walk->record >= w->end_record ||
	    w->nbytes > walk->map->original_nbytes - offset) {
		run = plan_run_in_block(walk->map, offset, block_ret);
		note_run(walk, offset, &run, block_ret);
		return run;
	}
	w->record++;
	w->stream_offset += w->nbytes;
	*block_ret = w->block;
	run = (struct plan_run){
		.stream = w->stream,
		.stream_offset = w->stream_offset,
		.nbytes = w->nbytes,
	};
	go_on(walk);
	return run;
}
