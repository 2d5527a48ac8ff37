/* SPDX-License-Identifier: MIT */
/* Bitshuffle: bits of the same weight together, of eight elements at a time. */
#include "base/byte_order.h"
#include "filter/filter.h"
#include "filter/filter_ops.h"

/* The elements and the result share a buffer. */
static void lay_out(const struct filter_laying *l, uint8_t *out,
		    uint8_t *scratch)
{
	size_t whole = l->n / 8 * 8, at = whole * l->width;

	l->kernels->shuffle(out, whole, scratch);
	plane_kernels()->split(scratch, l->width, whole, out);
	byte_order_little(l->width, out + at, l->n - whole, out + at);
}

static void gather(const struct filter_laying *l, const uint8_t *bytes,
		   uint8_t *elems, uint8_t *scratch)
{
	size_t whole = l->n / 8 * 8, at = whole * l->width;

	plane_kernels()->join(bytes, l->width, whole, scratch);
	l->kernels->unshuffle(scratch, whole, elems);
	byte_order_little(l->width, bytes + at, l->n - whole, elems + at);
}

const struct filter_ops filter_bitshuffle = {
	.name = "bitshuffle",
	.cost = 5,
	.is_layout = true,
	.lay_out = lay_out,
	.gather = gather,
};
