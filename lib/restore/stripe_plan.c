/* SPDX-License-Identifier: MIT */
#include "restore/stripe_plan.h"

#include <stdlib.h>

#include "base/sizes.h"

/* A stripe is not made smaller than this, however many there are. */
#define STRIPE_NBYTES_MIN 16

static uint64_t band_nbytes(const struct plan_extent *extent)
{
	return size_min(extent->span_nbytes, extent->nbytes);
}

/* Bytes from one first index to the next. */
static uint64_t row_nbytes(const struct plan_grid *t)
{
	return t->dims[0].weight * t->width;
}

/* The shape of the stripes of a chunked stream that may have 'share' bytes. */
static struct stripe_shape shape_of(const struct plan_grid *t,
				    const struct plan_extent *extent,
				    uint64_t share)
{
	struct stripe_shape shape = {
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

/* Memory for a stripe that is an n-th of a band. */
static uint64_t part_nbytes(const struct plan_grid *t,
			    const struct plan_extent *extent, uint64_t n)
{
	uint64_t nindices = size_div_up(t->dims[0].chunk, n);

	return size_mul_max(nindices, row_nbytes(t), band_nbytes(extent));
}

/* Chunked streams that are open side by side: all of records. */
static bool is_beside(const struct plan_stream *s,
		      const struct plan_extent *extent)
{
	return s->grid && s->is_record && extent->nbytes > 0;
}

/* Memory for stripes of all record variables, each an n-th of its band. */
static uint64_t parts_nbytes(const struct plan_map *map, uint64_t n)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];
		const struct plan_extent *extent = &map->extents[i];

		if (is_beside(s, extent))
			nbytes = size_add_max(nbytes,
					      part_nbytes(s->grid, extent, n),
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
			high = size_max(high, s->grid->dims[0].chunk);
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

/* Stripes of bands that are read whole, of as many as are to be read ahead. */
static void widen(struct stripe_plan *plan, uint64_t ahead_nbytes)
{
	const struct plan_map *map = plan->map;
	uint64_t of_records = parts_nbytes(map, 1);

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];
		const struct plan_extent *extent = &map->extents[i];
		struct stripe_shape *shape = &plan->shapes[i];
		uint64_t n;

		if (!s->grid || shape->nbytes < extent->span_nbytes ||
		    extent->nbytes <= extent->span_nbytes)
			continue;
		n = ahead_nbytes / (s->is_record ? of_records : shape->nbytes);
		shape->nbytes *= size_max(n, 1);
		shape->frame_nbytes = shape->nbytes;
	}
}

static void shape_chunks(struct stripe_plan *plan, uint64_t max_nbytes)
{
	const struct plan_map *map = plan->map;
	uint64_t nparts = count_parts(map, max_nbytes);
	uint64_t all = parts_nbytes(map, nparts), of_records = 0, fixed = 0;
	uint64_t fixed_band = 0;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];
		const struct plan_extent *extent = &map->extents[i];
		uint64_t share = max_nbytes, nbytes;

		if (!s->grid || extent->nbytes == 0)
			continue;
		if (s->is_record)
			share = part_nbytes(s->grid, extent, nparts);
		if (s->is_record && all > max_nbytes)
			share = max_nbytes / size_div_up(all, share);
		share = size_max(share, STRIPE_NBYTES_MIN);
		plan->shapes[i] = shape_of(s->grid, extent, share);
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
static int shape_blocks(struct stripe_plan *plan, uint64_t ahead_nbytes,
			struct nc3z_error *err)
{
	const struct plan *p = plan->map->plan;
	uint64_t open_nbytes = 0, largest = 0, nrecord = 0;

	for (uint32_t i = 0; i < p->nstreams; i++) {
		const struct plan_stream *s = &p->streams[i];
		uint64_t nbytes =
			size_min(s->block_nbytes, plan->map->extents[i].nbytes);

		if (s->grid)
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
		if (!p->streams[i].grid)
			plan->shapes[i].nbytes =
				p->streams[i].is_record ?
					ahead_nbytes / nrecord :
					ahead_nbytes;
	return NC3Z_OK;
}

int stripe_plan_init(struct stripe_plan *plan, const struct plan_map *map,
		     uint64_t max_nbytes, uint64_t ahead_nbytes,
		     struct nc3z_error *err)
{
	int status;

	*plan = (struct stripe_plan){
		.map = map,
		.shapes = memory_alloc(map->plan->nstreams,
				       sizeof(*plan->shapes)),
	};
	if (!plan->shapes)
		return error_set_memory(err);
	shape_chunks(plan, max_nbytes);
	widen(plan, ahead_nbytes);
	status = shape_blocks(plan, ahead_nbytes, err);
	if (status != NC3Z_OK)
		stripe_plan_release(plan);
	return status;
}

void stripe_plan_release(struct stripe_plan *plan)
{
	free(plan->shapes);
	*plan = (struct stripe_plan){ 0 };
}

/* The block at a place, and those after it as far as they are wanted. */
static struct stripe_range linear_at(const struct stripe_plan *plan,
				     uint32_t stream, uint64_t at)
{
	const struct plan_map *map = plan->map;
	struct plan_block block = plan_block_at(map, stream, at);
	struct stripe_range stripe = {
		.begin = block.stream_offset,
		.nbytes = block.nbytes,
		.first_block = block.block,
		.end_block = block.block + 1,
	};

	while (stripe.end_block < map->extents[stream].nblocks) {
		block = plan_block_numbered(map, stream, stripe.end_block);
		if (stripe.nbytes + block.nbytes > plan->shapes[stream].nbytes)
			break;
		stripe.nbytes += block.nbytes;
		stripe.end_block++;
	}
	return stripe;
}

static uint64_t chunk_at(const struct plan_grid *t, uint64_t at)
{
	uint64_t nbytes;

	return plan_grid_chunk_at(t, plan_grid_place(t, at, &nbytes));
}

/*
 * The chunks of a stripe follow each other: its bytes have the same indices
 * before the dimension along which stripes are cut, and all indices after it.
 * Where the original ends in a stripe, some of these chunks may have nothing
 * in it.
 */
static struct stripe_range chunked_at(const struct stripe_plan *plan,
				      uint32_t stream, uint64_t at)
{
	const struct stripe_shape *shape = &plan->shapes[stream];
	const struct plan_extent *extent = &plan->map->extents[stream];
	const struct plan_grid *t = plan->map->plan->streams[stream].grid;
	uint64_t all =
		size_mul_max(t->dims[0].nindices, row_nbytes(t), UINT64_MAX);
	uint64_t in_frame = at % shape->frame_nbytes;
	uint64_t begin = at - in_frame % shape->nbytes;
	uint64_t end = size_min(begin + shape->nbytes,
				at - in_frame + shape->frame_nbytes);

	end = size_min(end, all);
	return (struct stripe_range){
		.begin = begin,
		.nbytes = size_min(end, extent->nbytes) - begin,
		.first_block = chunk_at(t, begin),
		.end_block =
			size_min(chunk_at(t, end - 1) + 1, extent->nblocks),
	};
}

struct stripe_range stripe_plan_at(const struct stripe_plan *plan,
				   uint32_t stream, uint64_t at)
{
	return plan->map->plan->streams[stream].grid ?
		       chunked_at(plan, stream, at) :
		       linear_at(plan, stream, at);
}

bool stripe_has_chunk(const struct stripe_plan *plan, uint32_t stream,
		      const struct stripe_range *stripe, uint64_t block)
{
	const struct plan_grid *t = plan->map->plan->streams[stream].grid;
	struct plan_chunk chunk;

	plan_grid_chunk(t, block, &chunk);
	return plan_grid_nbytes_of(t, &chunk, stripe->begin) <
	       plan_grid_nbytes_of(t, &chunk, stripe->begin + stripe->nbytes);
}

void stripe_plan_count(const struct stripe_plan *plan,
		       struct decodings *decodings)
{
	const struct plan_map *map = plan->map;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		bool is_chunked = map->plan->streams[i].grid;
		struct stripe_range stripe;

		for (uint64_t at = 0; at < map->extents[i].nbytes;
		     at += stripe.nbytes) {
			stripe = stripe_plan_at(plan, i, at);
			for (uint64_t b = stripe.first_block;
			     b < stripe.end_block; b++)
				if (!is_chunked ||
				    stripe_has_chunk(plan, i, &stripe, b))
					decodings_add(decodings, i, b);
		}
	}
}
