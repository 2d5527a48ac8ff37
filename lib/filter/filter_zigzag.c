/* SPDX-License-Identifier: MIT */
/* Zigzag: small numbers of either sign become small numbers. */
#include "filter/filter.h"
#include "filter/filter_ops.h"

static void zigzag_apply(const struct filter_run *run)
{
	run->kernels->zigzag(run->at, run->elems->n);
}

static void zigzag_invert(const struct filter_run *run)
{
	run->kernels->unzigzag(run->at, run->elems->n);
}

const struct filter_ops filter_zigzag = {
	.name = "zigzag",
	.cost = 2,
	.apply = zigzag_apply,
	.invert = zigzag_invert,
};
