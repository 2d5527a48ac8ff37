/* SPDX-License-Identifier: MIT */
#include "hyperslab/boxes.h"

#include "base/sizes.h"

static uint64_t last_index(const struct hyperslab_extent *e)
{
	return e->start + (e->count - 1) * e->stride;
}

void hyperslab_boxes_dim_finish(struct hyperslab_boxes_dim *dim)
{
	const struct hyperslab_extent *e = &dim->extent;

	dim->group = 1;
	if (dim->is_by_index)
		dim->nboxes = last_index(e) / dim->length -
			      e->start / dim->length + 1;
	else
		dim->nboxes = size_div_up(e->count, dim->length);
}

/* The number of the first element of a box, or of what follows the last. */
static uint64_t begin_of(const struct hyperslab_boxes_dim *dim, uint64_t box)
{
	const struct hyperslab_extent *e = &dim->extent;
	uint64_t index;

	if (box >= dim->nboxes)
		return e->count;
	if (!dim->is_by_index)
		return box * dim->length;
	if (box == 0)
		return 0;
	index = (e->start / dim->length + box) * dim->length;
	return size_div_up(index - e->start, e->stride);
}

struct hyperslab_interval
hyperslab_boxes_interval(const struct hyperslab_boxes_dim *dim, uint64_t first,
			 uint64_t n)
{
	uint64_t begin = begin_of(dim, first);
	uint64_t end = begin_of(dim, size_add_max(first, n, dim->nboxes));

	return (struct hyperslab_interval){ .place = begin,
					    .nelems = end - begin };
}

uint64_t hyperslab_boxes_longest(const struct hyperslab_boxes_dim *dim,
				 uint64_t n)
{
	uint64_t length = size_mul_max(dim->length, n, UINT64_MAX);

	if (dim->is_by_index)
		length = size_div_up(length, dim->extent.stride);
	return size_min(length, dim->extent.count);
}

uint64_t hyperslab_boxes_box_nelems(const struct hyperslab_boxes *boxes)
{
	uint64_t nelems = 1;

	for (size_t k = 0; k < boxes->rank; k++)
		nelems = size_mul_max(
			nelems, hyperslab_boxes_longest(&boxes->dims[k], 1),
			UINT64_MAX);
	return nelems;
}

uint64_t hyperslab_boxes_stage_nelems(const struct hyperslab_boxes *boxes)
{
	uint64_t nelems = 1;

	for (size_t k = 0; k < boxes->rank; k++) {
		const struct hyperslab_boxes_dim *d = &boxes->dims[k];

		nelems = size_mul_max(nelems,
				      hyperslab_boxes_longest(d, d->group),
				      UINT64_MAX);
	}
	return nelems;
}

bool hyperslab_boxes_are_runs(const struct hyperslab_boxes *boxes)
{
	bool is_long = false; /* along a slower dimension */

	for (size_t k = 0; k < boxes->rank; k++) {
		const struct hyperslab_boxes_dim *d = &boxes->dims[k];

		if (is_long && d->group > 1)
			return false;
		is_long = is_long || hyperslab_boxes_longest(d, 1) > 1;
	}
	return true;
}

uint64_t hyperslab_boxes_count(const struct hyperslab_boxes *boxes)
{
	uint64_t n = 1;

	for (size_t k = 0; k < boxes->rank; k++)
		n = size_mul_max(n, boxes->dims[k].nboxes, UINT64_MAX);
	return n;
}
