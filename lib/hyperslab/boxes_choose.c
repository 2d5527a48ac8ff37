/* SPDX-License-Identifier: MIT */
/*
 * Which boxes, and how many of them at a time.
 *
 * Both are guesses by the *grain*: the lengths of a block along each dimension,
 * which are those of a chunk, or what a linear block reaches over.  Along one
 * dimension, stages touch so many chunks; blocks are the product over the
 * dimensions.  Where stages end inside of chunks, these are decoded twice, or
 * kept in between if the budget has room for them.  A guess that is wrong costs
 * time; how often blocks are decoded is counted elsewhere, from the plan.
 */
#include "hyperslab/boxes.h"

#include "base/sizes.h"

/* Stages so large are worth several threads; no larger ones for nothing. */
#define STAGE_NBYTES (UINT64_C(4) << 20)

/* No sum goes over more intervals, no choice over more groups one by one. */
#define SUM_MAX 256
#define GROUPS_MAX 32

static void linear_grain(const struct plan_stream *s, uint32_t width,
			 size_t rank, const uint64_t *shape,
			 struct hyperslab_grain *grain)
{
	uint64_t nelems = size_max(s->block_nbytes / width, 1), inner = 1;
	size_t k = rank;

	while (k > 0 && size_mul_max(inner, size_max(shape[k - 1], 1),
				     UINT64_MAX) <= nelems)
		inner *= size_max(shape[--k], 1);
	if (k > 0) {
		grain->is_ragged = nelems % inner != 0;
		grain->lengths[k - 1] = nelems / inner;
		while (--k > 0)
			grain->lengths[k - 1] = 1;
	}
	/* A panel is a whole number of blocks. */
	if (s->is_record && rank > 0)
		grain->lengths[0] =
			size_min(grain->lengths[0], s->panel_nrecords);
}

void hyperslab_grain_of(const struct plan_map *map,
			const struct hyperslab_variable *place, uint32_t width,
			size_t rank, const uint64_t *shape,
			struct hyperslab_grain *grain_ret)
{
	struct hyperslab_grain *grain = grain_ret;
	const struct plan_stream *s;

	grain->is_ragged = false;
	grain->block_nbytes = 0;
	for (size_t k = 0; k < rank; k++)
		grain->lengths[k] = size_max(shape[k], 1);
	/* Small variables: one block, or some. */
	if (place->stream == PLAN_NO_STREAM)
		return;
	s = &map->plan->streams[place->stream];
	grain->block_nbytes = s->block_nbytes;
	if (s->grid && s->grid->rank == rank)
		for (size_t k = 0; k < rank; k++)
			grain->lengths[k] = s->grid->dims[k].chunk;
	else if (s->nmembers > 1 && s->is_record && rank > 0)
		grain->lengths[0] = s->panel_nrecords;
	else if (s->nmembers == 1)
		linear_grain(s, width, rank, shape, grain);
}

/* The chunks in which elements 'interval' of a slab lie. */
static uint64_t count_chunks(const struct hyperslab_boxes_dim *d,
			     struct hyperslab_interval interval, uint64_t chunk)
{
	uint64_t first = d->extent.start + interval.place * d->extent.stride;
	uint64_t last = first + (interval.nelems - 1) * d->extent.stride;

	return d->extent.stride < chunk ? last / chunk - first / chunk + 1 :
					  interval.nelems;
}

/* The chunks that all stages touch, each counted for each stage. */
static double count_touches(const struct hyperslab_boxes_dim *d, uint64_t group,
			    uint64_t chunk)
{
	uint64_t nstages = size_div_up(d->nboxes, group);
	uint64_t n = size_min(nstages, SUM_MAX), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += count_chunks(
			d, hyperslab_boxes_interval(d, i * group, group),
			chunk);
	return (double)sum * ((double)nstages / (double)n);
}

/* Stages of 'group' boxes along dimension 'level'. */
struct candidate {
	size_t level;
	uint64_t group;
	uint64_t nbytes; /* of a stage, and of a box if that is copied */
	double cost;     /* bytes that are decoded */
};

static void set_groups(struct hyperslab_boxes *boxes, const struct candidate *c)
{
	for (size_t k = 0; k < boxes->rank; k++)
		boxes->dims[k].group = k < c->level  ? 1 :
				       k == c->level ? c->group :
						       boxes->dims[k].nboxes;
}

/* Bytes that are decoded, and of which to keep, of one variable. */
static double cost_of(const struct hyperslab_boxes *boxes,
		      const struct candidate *c,
		      const struct hyperslab_grain *grain, double *once_ret,
		      double *kept_ret)
{
	double cost = (double)grain->block_nbytes, kept = cost, once = cost;

	for (size_t k = 0; k < boxes->rank; k++) {
		const struct hyperslab_boxes_dim *d = &boxes->dims[k];
		double n = count_touches(d, d->group, grain->lengths[k]);
		double all = count_touches(d, d->nboxes, grain->lengths[k]);

		cost *= n;
		once *= k == c->level ? all : n;
		if (k < c->level)
			kept *= n / (double)d->nboxes;
		else if (k > c->level)
			kept *= all;
	}
	*once_ret += once;
	/* Blocks that were kept, and those that will be. */
	*kept_ret += 2 * kept;
	return cost;
}

/* False if it does not fit the budget. */
static bool weigh(struct hyperslab_boxes *boxes,
		  const struct hyperslab_boxes_aim *aim, struct candidate *c)
{
	double once = 0, kept = 0;
	uint64_t nelems;

	set_groups(boxes, c);
	nelems = hyperslab_boxes_stage_nelems(boxes);
	if (!hyperslab_boxes_are_runs(boxes))
		nelems = size_add_max(nelems, hyperslab_boxes_box_nelems(boxes),
				      UINT64_MAX);
	c->nbytes = size_mul_max(nelems, aim->element_nbytes, UINT64_MAX);
	if (c->nbytes > aim->budget_nbytes)
		return false;
	c->cost = 0;
	for (size_t v = 0; v < aim->nvars; v++)
		c->cost += cost_of(boxes, c, &aim->grains[v], &once, &kept);
	if (kept <= (double)(aim->budget_nbytes - c->nbytes))
		c->cost = once;
	return true;
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	return a->cost < b->cost ||
	       (a->cost == b->cost && b->nbytes < STAGE_NBYTES);
}

/* The largest number of boxes up to 'group' that end where chunks do. */
static uint64_t align_group(const struct hyperslab_boxes_dim *d,
			    const struct hyperslab_grain *grain, size_t k,
			    uint64_t group)
{
	uint64_t chunk = grain->lengths[k];
	uint64_t step =
		chunk /
		size_divisor(chunk, size_mul_max(d->length, d->extent.stride,
						 UINT64_MAX));

	return group >= step ? group - group % step : group;
}

static void try_candidate(struct hyperslab_boxes *boxes,
			  const struct hyperslab_boxes_aim *aim, size_t level,
			  uint64_t group, struct candidate *best)
{
	struct candidate c = { .level = level, .group = group };

	if (weigh(boxes, aim, &c) && is_better(&c, best))
		*best = c;
}

/* The largest group that fits along a dimension; 0 if none does. */
static uint64_t largest_group(struct hyperslab_boxes *boxes,
			      const struct hyperslab_boxes_aim *aim,
			      size_t level)
{
	uint64_t low = 0, high = boxes->dims[level].nboxes;

	while (low < high) {
		uint64_t middle = high - (high - low) / 2;
		struct candidate c = { .level = level, .group = middle };

		if (weigh(boxes, aim, &c))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

void hyperslab_boxes_group(struct hyperslab_boxes *boxes,
			   const struct hyperslab_boxes_aim *aim)
{
	struct candidate best = { .level = boxes->rank };
	size_t level = boxes->rank;

	weigh(boxes, aim, &best);
	while (level-- > 0) {
		const struct hyperslab_boxes_dim *d = &boxes->dims[level];
		uint64_t max, m;

		if (d->nboxes == 1)
			continue;
		max = largest_group(boxes, aim, level);
		for (m = 1; m <= max; m += m < GROUPS_MAX ? 1 : m / 4) {
			try_candidate(boxes, aim, level, m, &best);
			try_candidate(boxes, aim, level,
				      align_group(d, aim->grains, level, m),
				      &best);
		}
		if (max > 0)
			try_candidate(boxes, aim, level, max, &best);
		if (max < d->nboxes)
			break;
	}
	set_groups(boxes, &best);
}

/* Intervals along a dimension; longer than strides, they follow the grid. */
static void set_length(struct hyperslab_boxes_dim *d, uint64_t length)
{
	d->is_by_index = length >= d->extent.stride;
	d->length = d->is_by_index ? length : 1;
	hyperslab_boxes_dim_finish(d);
}

/* A length that suits the grains of all variables; else of the first one. */
static uint64_t common_length(const struct hyperslab_boxes_dim *d,
			      const struct hyperslab_boxes_aim *aim, size_t k)
{
	uint64_t length = aim->grains[0].lengths[k];
	uint64_t end =
		d->extent.start + (d->extent.count - 1) * d->extent.stride;

	for (size_t v = 1; v < aim->nvars; v++) {
		uint64_t other = aim->grains[v].lengths[k];

		length = size_mul_max(length / size_divisor(length, other),
				      other, UINT64_MAX);
		if (length > end)
			return aim->grains[0].lengths[k];
	}
	return length;
}

/* How many elements boxes may have along a dimension. */
static uint64_t room_along(const struct hyperslab_boxes *boxes, size_t k,
			   uint64_t limit)
{
	uint64_t others = hyperslab_boxes_box_nelems(boxes) /
			  hyperslab_boxes_longest(&boxes->dims[k], 1);

	return size_max(limit / others, 1);
}

/* Parts of a block; equal ones if that is possible. */
static void shrink(struct hyperslab_boxes *boxes, size_t k, uint64_t limit)
{
	struct hyperslab_boxes_dim *d = &boxes->dims[k];
	uint64_t room = room_along(boxes, k, limit);
	uint64_t length = size_mul_max(room, d->extent.stride, d->length);
	uint64_t n = size_div_up(d->length, length);

	for (uint64_t i = n; i < n + GROUPS_MAX; i++)
		if (d->length % i == 0) {
			set_length(d, d->length / i);
			break;
		}
	if (hyperslab_boxes_longest(d, 1) > room)
		set_length(d, length);
}

/* Several blocks, as equally many as possible; whether that is all. */
static bool grow_boxes(struct hyperslab_boxes *boxes, size_t k, uint64_t limit)
{
	struct hyperslab_boxes_dim *d = &boxes->dims[k];
	uint64_t room = room_along(boxes, k, limit);
	uint64_t nboxes = d->nboxes, n;

	if (room >= d->extent.count) {
		d->length *= d->is_by_index ?
				     d->extent.start / d->length + nboxes :
				     nboxes;
		hyperslab_boxes_dim_finish(d);
		return true;
	}
	if (d->is_by_index)
		room = size_mul_max(room, d->extent.stride, UINT64_MAX);
	n = size_max(room / d->length, 1);
	d->length *= size_div_up(nboxes, size_div_up(nboxes, n));
	hyperslab_boxes_dim_finish(d);
	return false;
}

/* Room for blocks that lie in two boxes, if that leaves enough for boxes. */
static uint64_t keep_room(const struct hyperslab_boxes_aim *aim)
{
	uint64_t kept = 0;

	for (size_t v = 0; v < aim->nvars; v++)
		if (aim->grains[v].is_ragged)
			kept += 2 * aim->grains[v].block_nbytes;
	return kept <= aim->budget_nbytes / 2 ? kept : 0;
}

void hyperslab_boxes_choose(struct hyperslab_boxes *boxes,
			    const struct hyperslab_boxes_aim *aim)
{
	uint64_t limit =
		(aim->budget_nbytes - keep_room(aim)) / aim->element_nbytes;
	size_t k;

	for (k = 0; k < boxes->rank; k++)
		set_length(&boxes->dims[k],
			   common_length(&boxes->dims[k], aim, k));
	if (hyperslab_boxes_box_nelems(boxes) > limit)
		for (k = 0; k < boxes->rank; k++)
			set_length(&boxes->dims[k], aim->grains[0].lengths[k]);
	for (k = 0;
	     hyperslab_boxes_box_nelems(boxes) > limit && k < boxes->rank; k++)
		shrink(boxes, k, limit);
	if (k > 0)
		return;
	k = boxes->rank;
	while (k-- > 0 && grow_boxes(boxes, k, limit))
		continue;
}
