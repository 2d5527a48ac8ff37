/* SPDX-License-Identifier: MIT */
#include "plan/slices.h"

#include <stdlib.h>

#include "base/sizes.h"

/* The block that was met last in a place, and in which slice. */
struct plan_slice_mark {
	uint64_t slice; /* 0: none */
	uint32_t block;
};

/*
 * How many blocks of a stream a slice can meet in turn: those of a band, as
 * bands come one after the other, as do blocks of a linear stream.
 */
static uint64_t nmarks_of(const struct plan_slices *s, uint32_t stream)
{
	const struct plan_extent *extent = &s->map->extents[stream];

	if (!s->map->plan->streams[stream].grid)
		return 1;
	return size_max(size_min(extent->span_nblocks, extent->nblocks), 1);
}

int plan_slices_init(struct plan_slices *slices, const struct plan_map *map,
		     uint64_t max_nbytes, struct nc3z_error *err)
{
	uint32_t nstreams = map->plan->nstreams;
	uint64_t nmarks = 0;

	*slices = (struct plan_slices){
		.map = map,
		.max_nbytes = max_nbytes,
		.first_mark = memory_alloc(nstreams, sizeof(uint64_t)),
	};
	if (!slices->first_mark)
		return error_set_memory(err);
	for (uint32_t i = 0; i < nstreams; i++) {
		slices->first_mark[i] = nmarks;
		nmarks += nmarks_of(slices, i);
	}
	slices->marks = memory_alloc(nmarks, sizeof(*slices->marks));
	return slices->marks ? NC3Z_OK : error_set_memory(err);
}

void plan_slices_release(struct plan_slices *slices)
{
	free(slices->marks);
	free(slices->first_mark);
	free(slices->blocks);
	*slices = (struct plan_slices){ 0 };
}

/* Notes that the slice has bytes of a block. */
static int meet(struct plan_slices *s, uint32_t stream, uint64_t block,
		struct nc3z_error *err)
{
	struct plan_slice_mark *mark =
		&s->marks[s->first_mark[stream] + block % nmarks_of(s, stream)];
	struct plan_slice_block *grown;

	if (mark->slice == s->number && mark->block == block)
		return NC3Z_OK;
	grown = memory_grow(s->blocks, s->nblocks, &s->capacity,
			    sizeof(*grown));
	if (!grown)
		return error_set_memory(err);
	*mark = (struct plan_slice_mark){ s->number, (uint32_t)block };
	s->blocks = grown;
	s->blocks[s->nblocks++] =
		(struct plan_slice_block){ stream, (uint32_t)block };
	return NC3Z_OK;
}

/* From one band of a chunked stream to the next, in the original. */
static uint64_t band_step(const struct plan_slices *s, uint32_t stream)
{
	const struct plan_stream *p = &s->map->plan->streams[stream];

	return p->is_record ? size_mul_max(p->panel_nrecords,
					   s->map->plan->record_nbytes,
					   PLAN_OFFSET_END) :
			      s->map->extents[stream].span_nbytes;
}

/* Where the bands of a chunked stream end, in the original. */
static uint64_t bands_end(const struct plan *plan, const struct plan_stream *s)
{
	return s->is_record ? plan_record_end(plan) :
			      s->members[0].begin + s->members[0].nbytes;
}

/* Where the slice that begins at s->begin ends. */
static uint64_t slice_end(const struct plan_slices *s)
{
	const struct plan *plan = s->map->plan;
	uint64_t limit =
		size_add_max(s->begin, s->max_nbytes, s->map->original_nbytes);
	uint64_t end = limit, longest = 0;

	if (limit == s->map->original_nbytes)
		return limit;
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *stream = &plan->streams[i];
		uint64_t first = stream->members[0].begin, step, last;

		if (!stream->grid || limit < first ||
		    s->begin >= bands_end(plan, stream))
			continue;
		step = band_step(s, i);
		last = limit - (limit - first) % step;
		if (step > longest && last > s->begin) {
			end = last;
			longest = step;
		}
	}
	return end;
}

int plan_slices_next(struct plan_slices *slices, struct nc3z_error *err)
{
	struct plan_slices *s = slices;

	s->begin = s->end;
	s->end = slice_end(s);
	s->number++;
	s->nblocks = 0;
	for (uint64_t at = s->begin; at < s->end;) {
		struct plan_block block;
		struct plan_run run = plan_run_in_block(s->map, at, &block);

		NC3Z_TRY(meet(s, run.stream, block.block, err));
		at += run.nbytes;
	}
	return NC3Z_OK;
}

int plan_slices_count(struct plan_slices *slices, uint64_t *nblocks_ret,
		      struct nc3z_error *err)
{
	*nblocks_ret = 0;
	while (slices->end < slices->map->original_nbytes) {
		NC3Z_TRY(plan_slices_next(slices, err));
		*nblocks_ret += slices->nblocks;
	}
	/* The marks stay: numbers of slices go on. */
	slices->begin = 0;
	slices->end = 0;
	slices->nblocks = 0;
	return NC3Z_OK;
}
