/* SPDX-License-Identifier: MIT */
/*
 * Chains: load, the steps one after the other, the layout.  The elements lie
 * in one of two buffers; some steps move them from one to the other on the way
 * in, all others work in place.  So it is known from the chain where they must
 * begin to end where the layout wants them.
 *
 * Elements with holes go through the steps at their places, so that neighbours
 * are found by their distance; they move together for the layout only.
 */
#include "filter/filter.h"

#include <string.h>

#include "base/byte_order.h"
#include "filter/filter_ops.h"

#define FILTER_ROW(number, row) [number] = &(row),

static const struct filter_ops *const filters[] = { FILTERS(FILTER_ROW) };

/* NULL for a number that is none. */
static const struct filter_ops *ops_of(uint8_t id)
{
	return id < sizeof(filters) / sizeof(*filters) ? filters[id] : NULL;
}

const char *filter_name(uint8_t id)
{
	return ops_of(id) ? ops_of(id)->name : NULL;
}

bool filter_has_stride(uint8_t id)
{
	return ops_of(id) && ops_of(id)->has_stride;
}

bool filter_is_of_floats(uint8_t id)
{
	return ops_of(id) && ops_of(id)->is_of_floats;
}

bool filter_is_layout(uint8_t id)
{
	return ops_of(id) && ops_of(id)->is_layout;
}

bool filter_width_valid(uint8_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

/* The deltas that the first step takes: those right after it. */
static unsigned count_taken(const struct filter_chain *chain)
{
	unsigned end = 1;

	if (chain->nsteps == 0 || !ops_of(chain->steps[0].id)->takes_deltas)
		return 0;
	while (end < chain->nsteps && chain->steps[end].id == NC3Z_FILTER_DELTA)
		end++;
	return end - 1;
}

uint8_t filter_chain_width_min(const struct filter_chain *chain)
{
	return count_taken(chain) > 0 ? 4 : 1;
}

bool filter_chain_valid(const struct filter_chain *chain)
{
	unsigned ntaken;

	if (chain->nsteps > FILTER_STEPS_MAX)
		return false;
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];
		const struct filter_ops *ops = ops_of(step->id);

		if (!ops || ops->has_stride != (step->stride != 0))
			return false;
		if (ops->is_of_floats && i != 0)
			return false;
		if (ops->is_layout && i + 1u != chain->nsteps)
			return false;
	}
	ntaken = count_taken(chain);
	return ntaken > 0 ? ntaken <= FILTER_EXTRAPOLATED_MAX :
			    chain->nsteps == 0 ||
				    !ops_of(chain->steps[0].id)->takes_deltas;
}

unsigned filter_chain_cost(const struct filter_chain *chain)
{
	const unsigned ntaken = count_taken(chain);
	unsigned cost = 0;
	bool waits = false;

	for (unsigned i = 0; i < chain->nsteps; i++) {
		if (i == 0 || i > ntaken)
			cost += ops_of(chain->steps[i].id)->cost;
		else
			waits |= chain->steps[i].stride == 1;
	}
	return waits ? cost + ops_of(chain->steps[0].id)->waiting_cost : cost;
}

void filter_chain_add(struct filter_chain *chain, enum nc3z_filter id,
		      uint32_t stride)
{
	chain->steps[chain->nsteps++] =
		(struct filter_step){ .id = (uint8_t)id, .stride = stride };
}

/* Without a layout, elements are little-endian; without steps, as they came. */
static void lay_out_plain(const struct filter_laying *l, uint8_t *out,
			  uint8_t *scratch)
{
	(void)scratch;
	byte_order_little(l->width, out, l->n, out);
}

static void gather_plain(const struct filter_laying *l, const uint8_t *bytes,
			 uint8_t *elems, uint8_t *scratch)
{
	(void)scratch;
	byte_order_little(l->width, bytes, l->n, elems);
}

static void gather_raw(const struct filter_laying *l, const uint8_t *bytes,
		       uint8_t *elems, uint8_t *scratch)
{
	(void)scratch;
	byte_order_big(l->width, bytes, l->n, elems);
}

static const struct filter_ops *layout_of(const struct filter_chain *chain)
{
	static const struct filter_ops plain = { .lay_out = lay_out_plain,
						 .gather = gather_plain };
	static const struct filter_ops raw = { .lay_out = lay_out_plain,
					       .gather = gather_raw };
	const struct filter_ops *last;

	if (chain->nsteps == 0)
		return &raw;
	last = ops_of(chain->steps[chain->nsteps - 1].id);
	return last->is_layout ? last : &plain;
}

static struct filter_laying laying_of(uint8_t width, size_t n)
{
	return (struct filter_laying){
		.kernels = filter_kernels(width),
		.width = width,
		.n = n,
	};
}

size_t filter_plane_nbytes(const struct filter_chain *chain, uint8_t width,
			   size_t nbytes)
{
	const struct filter_ops *layout = layout_of(chain);
	struct filter_laying l;

	/* Without a layout, the width may be that of no recipe: 0. */
	if (!layout->plane_nbytes)
		return 0;
	l = laying_of(width, nbytes / width);
	return layout->plane_nbytes(&l, nbytes);
}

/* Steps that change the buffer. */
static unsigned count_moves(const struct filter_chain *chain)
{
	unsigned count = 0;

	for (unsigned i = 0; i < chain->nsteps; i++)
		count += ops_of(chain->steps[i].id)->moves;
	return count - count_taken(chain);
}

void *filter_place(const struct filter_chain *chain, uint8_t *out,
		   uint8_t *scratch)
{
	bool in_scratch = (count_moves(chain) % 2 != 0) !=
			  layout_of(chain)->reads_scratch;

	return in_scratch ? scratch : out;
}

void *filter_layout_place(const struct filter_chain *chain, uint8_t *out,
			  uint8_t *scratch)
{
	return layout_of(chain)->reads_scratch ? scratch : out;
}

void *filter_predict(const struct filter_chain *chain,
		     const struct filter_elems *e, uint8_t *out,
		     uint8_t *scratch)
{
	struct filter_run run = {
		.elems = e,
		.kernels = filter_kernels(e->width),
		.at = filter_place(chain, out, scratch),
		.taken = chain->steps + 1,
		.ntaken = count_taken(chain),
	};

	run.other = run.at == out ? scratch : out;
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_ops *ops = ops_of(chain->steps[i].id);
		uint8_t *before = run.at;

		if (ops->is_layout)
			break;
		if (i > 0 && i <= run.ntaken)
			continue;
		run.stride = chain->steps[i].stride;
		ops->apply(&run);
		if (!ops->moves)
			continue;
		run.at = run.other;
		run.other = before;
		run.nmoves++;
	}
	if (e->holes)
		hole_kernels(e->width)->compact(run.at, e->n, e->holes);
	return run.at;
}

void filter_lay_out(const struct filter_chain *chain, uint8_t width, size_t n,
		    uint8_t *out, uint8_t *scratch)
{
	struct filter_laying l = laying_of(width, n);

	layout_of(chain)->lay_out(&l, out, scratch);
}

void filter_load(uint8_t width, const uint8_t *bytes, size_t n, void *elems)
{
	byte_order_big(width, bytes, n, elems);
}

void filter_store(uint8_t width, const void *elems, size_t n, uint8_t *bytes)
{
	byte_order_big(width, elems, n, bytes);
}

void filter_apply(const struct filter_chain *chain, uint8_t width,
		  const uint8_t *raw, size_t nbytes, uint8_t *out,
		  uint8_t *scratch)
{
	size_t n = nbytes / width, tail = nbytes % width;
	const struct filter_elems elems = { .width = width, .n = n };

	if (chain->nsteps == 0) {
		memcpy(out, raw, nbytes);
		return;
	}
	filter_load(width, raw, n, filter_place(chain, out, scratch));
	filter_predict(chain, &elems, out, scratch);
	filter_lay_out(chain, width, n, out, scratch);
	memcpy(out + nbytes - tail, raw + nbytes - tail, tail);
}

void filter_restore(const struct filter_chain *chain,
		    const struct filter_elems *e, const uint8_t *coded,
		    void *out, void *scratch)
{
	struct filter_laying l = laying_of(e->width, e->nkept);
	struct filter_run run = {
		.elems = e,
		.kernels = l.kernels,
		.nmoves = count_moves(chain),
		.at = out,
		.other = scratch,
		.taken = chain->steps + 1,
		.ntaken = count_taken(chain),
	};

	layout_of(chain)->gather(&l, coded, out, scratch);
	if (e->holes)
		hole_kernels(e->width)->expand(out, e->nkept, e->n, e->holes);
	for (unsigned i = chain->nsteps; i-- > 0;) {
		const struct filter_ops *ops = ops_of(chain->steps[i].id);

		if (ops->is_layout || (i > 0 && i <= run.ntaken))
			continue;
		run.stride = chain->steps[i].stride;
		run.nmoves -= ops->moves;
		ops->invert(&run);
	}
}

void filter_clear_holes(uint8_t width, void *elems, size_t n,
			const uint8_t *holes)
{
	hole_kernels(width)->clear(elems, n, holes);
}

void filter_invert(const struct filter_chain *chain, uint8_t width,
		   const uint8_t *coded, size_t nbytes, uint8_t *raw,
		   uint8_t *scratch)
{
	size_t n = nbytes / width, tail = nbytes % width;
	const struct filter_elems elems = { .width = width,
					    .n = n,
					    .nkept = n };

	if (chain->nsteps == 0) {
		memcpy(raw, coded, nbytes);
		return;
	}
	/* The result's place serves as the other buffer. */
	filter_restore(chain, &elems, coded, scratch, raw);
	filter_store(width, scratch, n, raw);
	memcpy(raw + nbytes - tail, coded + nbytes - tail, tail);
}
