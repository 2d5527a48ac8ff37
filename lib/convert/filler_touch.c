/* SPDX-License-Identifier: MIT */
#include "convert/filler_touch.h"

#include <stdlib.h>

#include "base/sizes.h"
#include "read/block_store.h"

static int by_block(const void *a, const void *b)
{
	const struct filler_touch *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

int filler_request(const struct filler_touches *touches, uint64_t chunk,
		   struct hyperslab_visits *wanted_ret, struct nc3z_error *err)
{
	const struct plan_stream *s =
		&touches->map->plan->streams[touches->stream];
	const struct plan_grid *t = s->grid;
	uint64_t shape[PLAN_RANK_MAX];
	size_t start[PLAN_RANK_MAX], count[PLAN_RANK_MAX];
	const struct hyperslab_request stripe = {
		.form = HYPERSLAB_VARA,
		.is_record = s->is_record,
		.rank = t->rank,
		.shape = shape,
		.start = start,
		.count = count,
	};
	struct plan_chunk box;

	plan_grid_chunk(t, chunk, &box);
	for (uint32_t k = 0; k < t->rank; k++) {
		if (box.first[k] > SIZE_MAX)
			return error_set(err, NC3Z_ELIMIT,
					 "indices do not fit in memory");
		shape[k] = t->dims[k].nindices;
		start[k] = (size_t)box.first[k];
		count[k] = box.count[k];
	}
	return hyperslab_visits_init(wanted_ret, &touches->file->map,
				     touches->places[touches->stream], t->width,
				     &stripe, err);
}

static int add_touch(struct filler_touches *touches,
		     const struct filler_touch *touch, struct nc3z_error *err)
{
	void *grown = memory_grow(touches->list, touches->count,
				  &touches->capacity, sizeof(*touch));

	if (!grown)
		return error_set_memory(err);
	touches->list = grown;
	touches->list[touches->count++] = *touch;
	return NC3Z_OK;
}

static int touch_parts(struct filler_touches *touches,
		       const struct hyperslab_visits *wanted,
		       struct filler_touch touch, struct nc3z_error *err)
{
	struct hyperslab_element_part part = { 0 };

	touch.straddles = true;
	while (hyperslab_element_next_part(wanted, touch.at, &part)) {
		touch.stream = part.stream;
		touch.block = part.block.block;
		NC3Z_TRY(add_touch(touches, &touch, err));
	}
	return NC3Z_OK;
}

/* All that a request touches, where blocks may be in several visits. */
static int touch_runs(struct filler_touches *touches,
		      const struct hyperslab_visits *wanted, size_t chunk,
		      struct nc3z_error *err)
{
	struct filler_touch touch = { .chunk = chunk };
	struct hyperslab_run run;
	struct hyperslab_visits_cursor cursor;
	struct hyperslab_visit w;

	hyperslab_visits_seek(wanted, 0, &cursor);
	while (hyperslab_visits_next(&cursor, UINT64_MAX, &w)) {
		if (w.kind == PLAN_IN_BLOCK) {
			touch.stream = w.stream;
			touch.block = w.block.block;
			touch.at = wanted->grid ? w.block.block : w.first;
			NC3Z_TRY(add_touch(touches, &touch, err));
		}
		while (hyperslab_visits_run(&cursor, &w, &run)) {
			if (w.kind != PLAN_STRADDLES)
				continue;
			touch.at = w.straddler;
			touch.out = run.out_first;
			NC3Z_TRY(touch_parts(touches, wanted, touch, err));
		}
	}
	return NC3Z_OK;
}

/* The same where each block is in one visit: not every run is looked at. */
static int touch_blocks(struct filler_touches *touches,
			const struct hyperslab_visits *wanted, size_t chunk,
			struct nc3z_error *err)
{
	struct filler_touch touch = { .chunk = chunk };
	struct hyperslab_visits_cursor cursor;
	struct hyperslab_visit w = { 0 };

	while (hyperslab_visits_seek(wanted, w.after, &cursor) &&
	       hyperslab_visits_next(&cursor, UINT64_MAX, &w)) {
		touch.stream = w.stream;
		touch.block = w.block.block;
		touch.at = wanted->grid ? w.block.block : w.first;
		NC3Z_TRY(add_touch(touches, &touch, err));
	}
	return NC3Z_OK;
}

int filler_touch(struct filler_touches *touches, const struct plan_map *map,
		 uint32_t stream, const struct open_block *chunks,
		 size_t nchunks, struct nc3z_error *err)
{
	struct hyperslab_visits wanted;

	touches->map = map;
	touches->chunks = chunks;
	touches->stream = stream;
	touches->count = 0;
	if (stream >= touches->nstreams || !touches->places[stream])
		return error_set(err, NC3Z_EDAMAGED,
				 "header of the original is not its copy");
	for (size_t i = 0; i < nchunks; i++) {
		NC3Z_TRY(
			filler_request(touches, chunks[i].block, &wanted, err));
		if (request_is_regular(&wanted))
			NC3Z_TRY(touch_blocks(touches, &wanted, i, err));
		else
			NC3Z_TRY(touch_runs(touches, &wanted, i, err));
	}
	if (touches->count > 0)
		qsort(touches->list, touches->count, sizeof(*touches->list),
		      by_block);
	return NC3Z_OK;
}

size_t filler_count_touches(const struct filler_touches *touches, size_t first)
{
	const struct filler_touch *t = &touches->list[first];
	size_t n = 1;

	while (first + n < touches->count && t[n].stream == t->stream &&
	       t[n].block == t->block)
		n++;
	return n;
}
