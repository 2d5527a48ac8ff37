/* SPDX-License-Identifier: MIT */
/* Order: the bits of floating-point numbers, sorted like the numbers. */
#include "filter/filter.h"
#include "filter/filter_ops.h"

static void apply(const struct filter_run *run)
{
	run->kernels->order(run->at, run->elems->n);
}

static void invert(const struct filter_run *run)
{
	run->kernels->unorder(run->at, run->elems->n);
}

const struct filter_ops filter_order = {
	.name = "order",
	.cost = 2,
	.is_of_floats = true,
	.apply = apply,
	.invert = invert,
};
