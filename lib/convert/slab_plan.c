#include "convert/slab_plan.h"

#include <stdlib.h>

#include "base/sizes.h"

/* A slab is not made smaller than this, however many there are. */
#define SLAB_NBYTES_MIN 4096

static uint64_t band_nbytes(const struct plan_extent *extent)
{
	return size_min(extent->span_nbytes, extent->nbytes);
}

/* Bytes from one first index to the next. */
static uint64_t row_nbytes(const struct plan_tiling *t)
{
	return t->dims[0].weight * t->width;
}

/* The shape of the slabs of a tiled stream that may have 'share' bytes. */
static struct slab_shape shape_of(const struct plan_tiling *t,
				  const struct plan_extent *extent,
				  uint64_t share)
{
	struct slab_shape shape = {
		.nbytes = extent->span_nbytes,
		.frame_nbytes = extent->span_nbytes,
	};

	if (share >= band_nbytes(extent))
		return shape;
	for (uint32_t k = 0; k < t->rank; k++) {
		uint64_t unit = t->dims[k].weight * t->width;
		uint64_t chunk = t->dims[k].chunk, n = share / unit;

		if (n > 0) {
			/* Whole chunks, or a chunk in equal parts. */
			n = n < chunk ?
				    size_div_up(chunk, size_div_up(chunk, n)) :
				    n - n % chunk;
			shape.nbytes = size_min(n * unit, shape.frame_nbytes);
			return shape;
		}
		shape.frame_nbytes = unit;
	}
	return shape;
}

/* What a slab takes that is an n-th of a band. */
static uint64_t part_nbytes(const struct plan_tiling *t,
			    const struct plan_extent *extent, uint64_t n)
{
	uint64_t nindices = size_div_up(t->dims[0].chunk, n);

	return size_mul_max(nindices, row_nbytes(t), band_nbytes(extent));
}

/* Tiled streams that are open side by side: all of records. */
static bool is_beside(const struct plan_stream *s,
		      const struct plan_extent *extent)
{
	return s->tiling && s->is_record && extent->nbytes > 0;
}

/* What slabs of all record variables take, each an n-th of its band. */
static uint64_t parts_nbytes(const struct plan_map *map, uint64_t n)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];
		const struct plan_extent *extent = &map->extents[i];

		if (is_beside(s, extent))
			nbytes = size_add_max(nbytes,
					      part_nbytes(s->tiling, extent, n),
					      UINT64_MAX);
	}
	return nbytes;
}

/* Into how few parts bands have to be cut. */
static uint64_t count_parts(const struct plan_map *map, uint64_t max_nbytes)
{
	uint64_t low = 1, high = 1;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];

		if (is_beside(s, &map->extents[i]))
			high = size_max(high, s->tiling->dims[0].chunk);
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (parts_nbytes(map, middle) <= max_nbytes)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void shape_tiles(struct slab_plan *plan, uint64_t max_nbytes)
{
	const struct plan_map *map = plan->map;
	uint64_t nparts = count_parts(map, max_nbytes);
	uint64_t all = parts_nbytes(map, nparts), of_records = 0, fixed = 0;
	uint64_t fixed_band = 0;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];
		const struct plan_extent *extent = &map->extents[i];
		uint64_t share = max_nbytes, nbytes;

		if (!s->tiling || extent->nbytes == 0)
			continue;
		if (s->is_record)
			share = part_nbytes(s->tiling, extent, nparts);
		if (s->is_record && all > max_nbytes)
			share = max_nbytes / size_div_up(all, share);
		share = size_max(share, SLAB_NBYTES_MIN);
		plan->shapes[i] = shape_of(s->tiling, extent, share);
		nbytes = size_min(plan->shapes[i].nbytes, extent->nbytes);
		if (s->is_record)
			of_records += nbytes;
		else
			fixed = size_max(fixed, nbytes);
		if (!s->is_record)
			fixed_band = size_max(fixed_band, band_nbytes(extent));
	}
	plan->nbytes = size_max(of_records, fixed);
	plan->bands_nbytes = size_max(parts_nbytes(map, 1), fixed_band);
}

/* Blocks that are open at a time, of linear streams. */
static int shape_blocks(struct slab_plan *plan, uint64_t ahead_nbytes,
			struct nc3z_error *err)
{
	const struct plan *p = plan->map->plan;
	uint64_t open_nbytes = 0, largest = 0, nrecord = 0;

	for (uint32_t i = 0; i < p->nstreams; i++) {
		const struct plan_stream *s = &p->streams[i];
		uint64_t nbytes =
			size_min(s->block_nbytes, plan->map->extents[i].nbytes);

		if (s->tiling)
			continue;
		largest = size_max(largest, nbytes);
		/* Others end within a record. */
		if (s->is_record && s->nbytes < nbytes)
			open_nbytes += nbytes;
		nrecord += s->is_record;
	}
	if (open_nbytes > 4 * (PLAN_WINDOW_NBYTES + largest))
		return error_set(err, NC3Z_EDAMAGED,
				 "blocks of record variables are too large "
				 "together");
	for (uint32_t i = 0; i < p->nstreams; i++)
		if (!p->streams[i].tiling)
			plan->shapes[i].nbytes =
				p->streams[i].is_record ?
					ahead_nbytes / nrecord :
					ahead_nbytes;
	return NC3Z_OK;
}

int slab_plan_init(struct slab_plan *plan, const struct plan_map *map,
		   uint64_t max_nbytes, uint64_t ahead_nbytes,
		   struct nc3z_error *err)
{
	int status;

	*plan = (struct slab_plan){
		.map = map,
		.shapes = memory_alloc(map->plan->nstreams,
				       sizeof(*plan->shapes)),
	};
	if (!plan->shapes)
		return error_set_memory(err);
	shape_tiles(plan, max_nbytes);
	status = shape_blocks(plan, ahead_nbytes, err);
	if (status != NC3Z_OK)
		slab_plan_release(plan);
	return status;
}

void slab_plan_release(struct slab_plan *plan)
{
	free(plan->shapes);
	*plan = (struct slab_plan){ 0 };
}

/* The block at a place, and those after it as far as they are wanted. */
static struct slab_range linear_at(const struct slab_plan *plan,
				   uint32_t stream, uint64_t at)
{
	const struct plan_map *map = plan->map;
	struct plan_block block = plan_block_at(map, stream, at);
	struct slab_range slab = {
		.begin = block.stream_offset,
		.nbytes = block.nbytes,
		.first_block = block.block,
		.end_block = block.block + 1,
	};

	while (slab.end_block < map->extents[stream].nblocks) {
		block = plan_block_numbered(map, stream, slab.end_block);
		if (slab.nbytes + block.nbytes > plan->shapes[stream].nbytes)
			break;
		slab.nbytes += block.nbytes;
		slab.end_block++;
	}
	return slab;
}

static uint64_t tile_at(const struct plan_tiling *t, uint64_t at)
{
	uint64_t nbytes;

	return plan_tiling_tile_at(t, plan_tiling_place(t, at, &nbytes));
}

/*
 * The tiles of a slab follow each other: its bytes have the same indices before
 * the dimension along which slabs are cut, and all indices behind it.  Where
 * the original ends in a slab, some of these tiles may have nothing in it.
 */
static struct slab_range tiled_at(const struct slab_plan *plan, uint32_t stream,
				  uint64_t at)
{
	const struct slab_shape *shape = &plan->shapes[stream];
	const struct plan_extent *extent = &plan->map->extents[stream];
	const struct plan_tiling *t = plan->map->plan->streams[stream].tiling;
	uint64_t all =
		size_mul_max(t->dims[0].nindices, row_nbytes(t), UINT64_MAX);
	uint64_t in_frame = at % shape->frame_nbytes;
	uint64_t begin = at - in_frame % shape->nbytes;
	uint64_t end = size_min(begin + shape->nbytes,
				at - in_frame + shape->frame_nbytes);

	end = size_min(end, all);
	return (struct slab_range){
		.begin = begin,
		.nbytes = size_min(end, extent->nbytes) - begin,
		.first_block = tile_at(t, begin),
		.end_block = size_min(tile_at(t, end - 1) + 1, extent->nblocks),
	};
}

struct slab_range slab_plan_at(const struct slab_plan *plan, uint32_t stream,
			       uint64_t at)
{
	return plan->map->plan->streams[stream].tiling ?
		       tiled_at(plan, stream, at) :
		       linear_at(plan, stream, at);
}

bool slab_has_tile(const struct slab_plan *plan, uint32_t stream,
		   const struct slab_range *slab, uint64_t block)
{
	const struct plan_tiling *t = plan->map->plan->streams[stream].tiling;
	struct plan_tile tile;

	plan_tiling_tile(t, block, &tile);
	return plan_tiling_nbytes_of(t, &tile, slab->begin) <
	       plan_tiling_nbytes_of(t, &tile, slab->begin + slab->nbytes);
}

void slab_plan_count(const struct slab_plan *plan, struct decodings *decodings)
{
	const struct plan_map *map = plan->map;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		bool is_tiled = map->plan->streams[i].tiling;
		struct slab_range slab;

		for (uint64_t at = 0; at < map->extents[i].nbytes;
		     at += slab.nbytes) {
			slab = slab_plan_at(plan, i, at);
			for (uint64_t b = slab.first_block; b < slab.end_block;
			     b++)
				if (!is_tiled ||
				    slab_has_tile(plan, i, &slab, b))
					decodings_add(decodings, i, b);
		}
	}
}
