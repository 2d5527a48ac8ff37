/* SPDX-License-Identifier: MIT */
/*
 * Extrapolate: what the deltas after it would leave of floating-point numbers
 * if they were computed with the numbers, not with their bits.
 *
 * All deltas together predict each number from some before it: 2a - b with two
 * deltas of stride 1, the sum of the left and the upper neighbour less the one
 * between them with strides of 1 and of a row.  The prediction is computed in
 * binary64, one addition after the other in a stated order, rounded to the type
 * of the numbers, and subtracted as an integer in the order of the numbers.
 * Numbers before the first one are 0.
 *
 * No operation may be contracted with another or be more exact than it should
 * be, on any machine: the file is compiled without contraction, and for x86 of
 * 32 bits with SSE2.
 */
#include <string.h>

#include "filter/filter.h"
#include "filter/filter_ops.h"

#define TERMS_MAX ((1u << FILTER_EXTRAPOLATED_MAX) - 1)

/* One number before, times 1 or -1, for each set of strides but the empty. */
struct terms {
	unsigned n;
	uint64_t offsets[TERMS_MAX];
	double signs[TERMS_MAX];
	uint64_t farthest;
	uint64_t nearest; /* the stride of the first delta */
};

/* In the order of adding: the set of all strides first, the first one last. */
static struct terms terms_of(const struct filter_run *run)
{
	struct terms t = { .nearest = run->taken[0].stride };

	for (unsigned set = (1u << run->ntaken) - 1; set > 0; set--) {
		uint64_t offset = 0;
		double sign = -1;

		for (unsigned i = 0; i < run->ntaken; i++) {
			offset += set >> i & 1 ? run->taken[i].stride : 0;
			sign = set >> i & 1 ? -sign : sign;
		}
		t.offsets[t.n] = offset;
		t.signs[t.n++] = sign;
		t.farthest = offset > t.farthest ? offset : t.farthest;
	}
	return t;
}

#define BITS 32
#define number float
#define EXPONENT UINT32_C(0x7f800000)
#include "filter/extrapolate_template.h"

#define BITS 64
#define number double
#define EXPONENT UINT64_C(0x7ff0000000000000)
#include "filter/extrapolate_template.h"

static void extrapolate_apply(const struct filter_run *run)
{
	const struct filter_elems *e = run->elems;
	const struct hole_kernels *h = hole_kernels(e->width);
	struct terms t = terms_of(run);

	if (e->holes)
		h->bridge(run->at, e->n, e->holes);
	if (e->width == 4)
		extrapolate_32(&t, (void *)run->at, e->n, (void *)run->other);
	else
		extrapolate_64(&t, (void *)run->at, e->n, (void *)run->other);
	if (!e->holes)
		return;
	/* The first that is kept is as it is. */
	run->kernels->order(run->at, e->n);
	h->copy_first(run->at, e->n, e->holes, run->other);
}

static void extrapolate_invert(const struct filter_run *run)
{
	const struct filter_elems *e = run->elems;
	struct terms t = terms_of(run);

	if (e->width == 4)
		restore_32(&t, (void *)run->at, e->n, e->holes);
	else
		restore_64(&t, (void *)run->at, e->n, e->holes);
}

const struct filter_ops filter_extrapolate = {
	.name = "extrapolate",
	.cost = 16,
	.waiting_cost = 40,
	.is_of_floats = true,
	.takes_deltas = true,
	.moves = true,
	.apply = extrapolate_apply,
	.invert = extrapolate_invert,
};
