/* SPDX-License-Identifier: MIT */
/* Order: the bits of floating-point numbers, sorted like the numbers. */
#include "filter/filter.h"
#include "filter/filter_ops.h"

static void order_apply(const struct filter_run *run)
{
	run->kernels->order(run->at, run->elems->n);
}

static void order_invert(const struct filter_run *run)
{
	run->kernels->unorder(run->at, run->elems->n);
}

const struct filter_ops filter_order = {
	.name = "order",
	.cost = 2,
	.is_of_floats = true,
	.apply = order_apply,
	.invert = order_invert,
};
