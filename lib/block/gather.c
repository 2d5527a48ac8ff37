/* SPDX-License-Identifier: MIT */
/*
 * A probe of m elements needs, for a delta of stride s, the m elements that
 * lie s before it.  Short strides are served by a margin in front of the
 * probe.  For each long one the probe is gathered twice, as it is and moved
 * back by the stride: two *pieces* of the same length, one after the other.
 * A delta whose stride is the length of a piece then subtracts them, and what
 * it leaves in the last piece is what the delta leaves in the whole part.
 * Two long strides give four pieces: moved by both, by either, by none.
 *
 *	      margin | probe
 *	piece 0      moved by s1 + s2
 *	piece 1      moved by s2		delta(s1): stride 1 piece
 *	piece 2      moved by s1		delta(s2): stride 2 pieces
 *	piece 3      not moved: the sample
 */
#include <string.h>

#include "base/sizes.h"
#include "block/internal.h"

static bool is_long(uint32_t stride, size_t probe)
{
	return stride > probe / 4;
}

/* Elements that one piece has. */
static size_t piece_nelems(const struct block_gathering *g)
{
	return g->probe + (size_t)g->margin;
}

/* Adds a delta, whose stride is that of the pieces if it is long. */
static void add_delta(struct block_gathering *g, uint32_t stride)
{
	if (is_long(stride, g->probe)) {
		g->moves[g->nmoves] = stride;
		stride = (uint32_t)(piece_nelems(g) << g->nmoves);
		g->nmoves++;
	}
	filter_chain_add(&g->chain, NC3Z_FILTER_DELTA, stride);
}

void block_gathering_init(struct block_gathering *g,
			  const struct filter_chain *chain, size_t probe,
			  bool is_whole)
{
	*g = (struct block_gathering){ .probe = probe };
	for (unsigned i = 0; i < chain->nsteps && !is_whole; i++) {
		const struct filter_step *step = &chain->steps[i];

		if (step->id == NC3Z_FILTER_DELTA &&
		    !is_long(step->stride, probe))
			g->margin += step->stride;
	}
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];

		if (step->id == NC3Z_FILTER_DELTA && !is_whole)
			add_delta(g, step->stride);
		else if (!filter_is_layout(step->id))
			filter_chain_add(&g->chain, step->id, step->stride);
	}
}

size_t block_gathering_nelems(const struct block_gathering *g)
{
	return piece_nelems(g) << g->nmoves;
}

uint8_t block_gathering_zero(const struct block_gathering *g)
{
	bool orders = g->chain.nsteps > 0 &&
		      g->chain.steps[0].id == NC3Z_FILTER_ORDER;

	return orders ? 0xff : 0;
}

void block_gather(const struct block_gathering *g, const uint8_t *elems,
		  size_t width, size_t first, uint8_t before, uint8_t *out)
{
	size_t n = piece_nelems(g);

	for (unsigned piece = 0; piece < 1u << g->nmoves; piece++) {
		int64_t from = (int64_t)first - (int64_t)g->margin;
		size_t missing = 0;

		for (unsigned i = 0; i < g->nmoves; i++)
			if (!(piece >> i & 1))
				from -= g->moves[i];
		if (from < 0)
			missing = (size_t)size_min((uint64_t)-from, n);
		memset(out, before, missing * width);
		if (missing < n)
			memcpy(out + missing * width,
			       elems + (size_t)(from + (int64_t)missing) *
					       width,
			       (n - missing) * width);
		out += n * width;
	}
}
