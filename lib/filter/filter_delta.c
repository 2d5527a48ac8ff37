/* SPDX-License-Identifier: MIT */
/*
 * Delta: differences to the element one stride before.  The first delta of a
 * chain bridges holes, those after it count them as 0.
 */
#include "filter/filter.h"
#include "filter/filter_ops.h"

static void delta_apply(const struct filter_run *run)
{
	const struct filter_elems *e = run->elems;
	const struct hole_kernels *h = hole_kernels(e->width);

	if (e->holes && run->nmoves == 0)
		h->bridge(run->at, e->n, e->holes);
	else if (e->holes)
		h->clear(run->at, e->n, e->holes);
	run->kernels->delta(run->at, e->n, run->stride, run->other);
	if (e->holes && run->nmoves == 0)
		h->copy_first(run->at, e->n, e->holes, run->other);
}

static void delta_invert(const struct filter_run *run)
{
	const struct filter_elems *e = run->elems;
	const struct hole_kernels *h = hole_kernels(e->width);

	/* With a stride of 1, a bridge is the sum of differences of 0. */
	if (!e->holes || (run->nmoves == 0 && run->stride == 1))
		run->kernels->undelta(run->at, e->n, run->stride);
	else if (run->nmoves == 0)
		h->undelta_bridged(run->at, e->n, run->stride, e->holes);
	else
		h->undelta_cleared(run->at, e->n, run->stride, e->holes);
}

const struct filter_ops filter_delta = {
	.name = "delta",
	.cost = 3,
	.has_stride = true,
	.moves = true,
	.apply = delta_apply,
	.invert = delta_invert,
};
