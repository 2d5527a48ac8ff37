/* SPDX-License-Identifier: MIT */
/* Shuffle: bytes of the same weight together. */
#include "filter/filter.h"
#include "filter/filter_ops.h"

static void lay_out(const struct filter_laying *l, uint8_t *out,
		    uint8_t *scratch)
{
	l->kernels->shuffle(scratch, l->n, out);
}

static void gather(const struct filter_laying *l, const uint8_t *bytes,
		   uint8_t *elems, uint8_t *scratch)
{
	(void)scratch;
	l->kernels->unshuffle(bytes, l->n, elems);
}

static size_t plane_nbytes(const struct filter_laying *l, size_t nbytes)
{
	return nbytes / l->width;
}

const struct filter_ops filter_shuffle = {
	.name = "shuffle",
	.cost = 1,
	.is_layout = true,
	.reads_scratch = true,
	.lay_out = lay_out,
	.gather = gather,
	.plane_nbytes = plane_nbytes,
};
