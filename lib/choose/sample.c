/*
 * A window of m elements needs, for a delta of stride s, the m elements that
 * lie s before it.  Short strides are served by a margin in front of the
 * window.  For each long one the window is gathered twice, as it is and moved
 * back by the stride: two *pieces* of the same length, one behind the other.
 * A delta whose stride is the length of a piece then subtracts them, and what
 * it leaves in the last piece is what the delta leaves in the whole block.
 * Two long strides give four pieces: moved by both, by either, by none.
 *
 *	      margin | window
 *	piece 0      moved by s1 + s2
 *	piece 1      moved by s2		delta(s1): stride 1 piece
 *	piece 2      moved by s1		delta(s2): stride 2 pieces
 *	piece 3      not moved: the sample
 */
#include "choose/sample.h"

#include <string.h>

#include "base/sizes.h"

/* How the elements of a window are gathered. */
struct gathering {
	const struct choose_input *input;
	struct filter_chain chain; /* with strides for the pieces, no shuffle */
	uint32_t moves[FILTER_STEPS_MAX]; /* the long strides */
	unsigned nmoves;
	uint64_t margin; /* elements */
	size_t window;   /* elements */
	uint8_t before;  /* what stands for elements before the first */
};

static bool is_long(uint32_t stride, size_t window)
{
	return stride > window / 4;
}

/* Sums up what a chain reaches for, then writes down the strides. */
static void plan_gathering(struct gathering *g,
			   const struct filter_chain *chain)
{
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];

		if (step->id == FILTER_DELTA &&
		    !is_long(step->stride, g->window))
			g->margin += step->stride;
	}
	for (unsigned i = 0; i < chain->nsteps; i++) {
		struct filter_step step = chain->steps[i];

		if (step.id == FILTER_SHUFFLE)
			continue;
		if (step.id == FILTER_DELTA &&
		    is_long(step.stride, g->window)) {
			g->moves[g->nmoves] = step.stride;
			step.stride = (uint32_t)((g->window + g->margin)
						 << g->nmoves);
			g->nmoves++;
		}
		filter_chain_add(&g->chain, step.id, step.stride);
		if (step.id == FILTER_ORDER)
			g->before = 0xff; /* which order makes 0 */
	}
}

static size_t piece_nelems(const struct gathering *g)
{
	return (size_t)(g->window + g->margin);
}

/* Elements from 'first' on, which may lie before the block. */
static void gather_piece(const struct gathering *g, int64_t first, uint8_t *out)
{
	size_t width = g->input->hint.width, n = piece_nelems(g), missing = 0;

	if (first < 0) {
		missing = (size_t)size_min((uint64_t)-first, n);
		memset(out, g->before, missing * width);
	}
	memcpy(out + missing * width,
	       g->input->raw + ((size_t)(first + (int64_t)missing)) * width,
	       (n - missing) * width);
}

/* All pieces of the window that begins at element 'first'. */
static void gather(const struct gathering *g, size_t first, uint8_t *out)
{
	size_t nbytes = piece_nelems(g) * g->input->hint.width;

	for (unsigned piece = 0; piece < 1u << g->nmoves; piece++) {
		int64_t from = (int64_t)first - (int64_t)g->margin;

		for (unsigned i = 0; i < g->nmoves; i++)
			if (!(piece >> i & 1))
				from -= g->moves[i];
		gather_piece(g, from, out + piece * nbytes);
	}
}

static bool reserve(struct chooser *c, size_t gathered_nbytes,
		    size_t sample_nbytes)
{
	size_t nbytes = (size_t)size_max(gathered_nbytes, sample_nbytes);

	return buffer_reserve(&c->gathered, nbytes) &&
	       buffer_reserve(&c->filtered, nbytes) &&
	       buffer_reserve(&c->scratch, nbytes) &&
	       buffer_reserve(&c->sample, sample_nbytes);
}

static bool ends_in_shuffle(const struct filter_chain *chain)
{
	return chain->nsteps > 0 &&
	       chain->steps[chain->nsteps - 1].id == FILTER_SHUFFLE;
}

/* The planes come in another order than in the block, which is the same. */
static void shuffle_sample(struct chooser *c, uint8_t width)
{
	struct filter_chain chain = { 0 };
	struct buffer shuffled = c->filtered;

	filter_chain_add(&chain, FILTER_SHUFFLE, 0);
	filter_apply(&chain, width, c->sample.data, c->sample.nbytes,
		     shuffled.data, c->scratch.data);
	shuffled.nbytes = c->sample.nbytes;
	c->filtered = c->sample;
	c->sample = shuffled;
}

int sample_take(struct chooser *chooser, const struct choose_input *input,
		const struct filter_chain *chain, size_t sample_nbytes,
		struct nc3z_error *err)
{
	uint8_t width = input->hint.width;
	size_t nelems = input->raw_nbytes / width;
	struct gathering g = {
		.input = input,
		.window = sample_nbytes / SAMPLE_NWINDOWS / width,
	};
	size_t window_nbytes = g.window * width, nbytes;

	plan_gathering(&g, chain);
	nbytes = (piece_nelems(&g) * width) << g.nmoves;
	sample_nbytes = window_nbytes * SAMPLE_NWINDOWS;
	if (!reserve(chooser, nbytes, sample_nbytes))
		return error_set_memory(err);
	for (size_t i = 0; i < SAMPLE_NWINDOWS; i++) {
		size_t middle = nelems * (2 * i + 1) / (2 * SAMPLE_NWINDOWS);

		gather(&g, middle - g.window / 2, chooser->gathered.data);
		filter_apply(&g.chain, width, chooser->gathered.data, nbytes,
			     chooser->filtered.data, chooser->scratch.data);
		memcpy(chooser->sample.data + i * window_nbytes,
		       chooser->filtered.data + nbytes - window_nbytes,
		       window_nbytes);
	}
	chooser->sample.nbytes = sample_nbytes;
	if (ends_in_shuffle(chain))
		shuffle_sample(chooser, width);
	return NC3Z_OK;
}
