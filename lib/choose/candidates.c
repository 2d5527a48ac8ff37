/* SPDX-License-Identifier: MIT */
/*
 * Predictions: none; the left neighbour; the row above; both, which is the
 * two-dimensional Lorenzo predictor; the plane below, alone, with the left
 * neighbour, and with both; twice the left neighbour.  Where elements are
 * numbers, those of several deltas are also computed with the numbers.  What is
 * left of them is zigzagged.
 *
 * Layouts: as it is, shuffled and bitshuffled.
 */
#include "choose/candidates.h"

/* A stride that no part has: the candidate is left out. */
#define NO_STRIDE UINT32_MAX

/* Up to three predictions one after the other; 0 is none. */
struct prediction {
	uint32_t strides[3];
	bool few; /* also where only few are wanted */
};

static bool is_same(const struct filter_chain *a, const struct filter_chain *b)
{
	bool same = a->nsteps == b->nsteps;

	for (unsigned i = 0; same && i < a->nsteps; i++)
		same = a->steps[i].id == b->steps[i].id &&
		       a->steps[i].stride == b->steps[i].stride;
	return same;
}

/* Unless it is there. */
static void add_candidate(struct recipe_candidates *c,
			  const struct filter_chain *chain)
{
	for (unsigned i = 0; i < c->count; i++)
		if (is_same(&c->list[i].chain, chain))
			return;
	if (c->count < CANDIDATES_MAX)
		c->list[c->count++] =
			(struct recipe_candidate){ .chain = *chain };
}

static struct filter_chain
chain_of_prediction(const struct candidates_input *in,
		    const struct prediction *prediction, bool extrapolates)
{
	struct filter_chain chain = { 0 };

	if (extrapolates)
		filter_chain_add(&chain, NC3Z_FILTER_EXTRAPOLATE, 0);
	else if (in->is_float)
		filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	for (unsigned i = 0; i < 3 && prediction->strides[i] != 0; i++)
		filter_chain_add(&chain, NC3Z_FILTER_DELTA,
				 prediction->strides[i]);
	filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	return chain;
}

/* Whether all strides reach back to some element. */
static bool fits_strides(const struct candidates_input *in,
			 const struct prediction *prediction)
{
	for (unsigned i = 0; i < 3; i++)
		if (prediction->strides[i] >= in->nelems)
			return false;
	return true;
}

/* Adds a chain without layout, with the one that is given it. */
static void add_laid_out(struct recipe_candidates *c, struct filter_chain chain,
			 enum nc3z_filter layout)
{
	filter_chain_add(&chain, layout, 0);
	add_candidate(c, &chain);
}

/* All layouts but the usual one: shuffle, or none for bytes. */
static void add_others(const struct candidates_input *in,
		       const struct filter_chain *chain,
		       struct recipe_candidates *c)
{
	if (in->width > 1)
		add_candidate(c, chain);
	if (in->nelems >= 8)
		add_laid_out(c, *chain, NC3Z_FILTER_BITSHUFFLE);
}

static void add_usual(const struct candidates_input *in,
		      const struct filter_chain *chain,
		      struct recipe_candidates *c)
{
	if (in->width > 1)
		add_laid_out(c, *chain, NC3Z_FILTER_SHUFFLE);
	else
		add_candidate(c, chain);
}

void candidates_add_plain(const struct candidates_input *in,
			  struct recipe_candidates *c)
{
	const struct filter_chain none = { 0 };

	add_usual(in, &none, c);
	add_others(in, &none, c);
}

void candidates_add_predictions(const struct candidates_input *in, bool few,
				struct recipe_candidates *c)
{
	const uint32_t row = in->row_nelems ? in->row_nelems : NO_STRIDE;
	const uint32_t plane = in->plane_nelems ? in->plane_nelems : NO_STRIDE;
	const struct prediction all[] = {
		{ .strides = { 1 }, .few = true },
		{ .strides = { 1, row }, .few = true },
		{ .strides = { row } },
		{ .strides = { 1, plane } },
		{ .strides = { plane } },
		{ .strides = { 1, row, plane } },
		{ .strides = { 1, 1 } },
		{ .strides = { row, plane } },
		{ .strides = { plane, plane } },
	};

	candidates_add_plain(in, c);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct filter_chain chain =
			chain_of_prediction(in, &all[i], false);

		if ((all[i].few || !few) && fits_strides(in, &all[i]))
			add_usual(in, &chain, c);
	}
}

void candidates_add_extrapolations(const struct candidates_input *in,
				   struct recipe_candidates *c)
{
	const uint32_t row = in->row_nelems ? in->row_nelems : NO_STRIDE;
	/* Of all that were tried, these have nearly all of the gain. */
	const struct prediction all[] = {
		{ .strides = { 1, 1, 1 } },
		{ .strides = { 1, 1, row } },
		{ .strides = { row, row, row } },
	};

	if (!in->is_float || in->width < 4)
		return;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct filter_chain chain =
			chain_of_prediction(in, &all[i], true);

		if (fits_strides(in, &all[i]))
			add_usual(in, &chain, c);
	}
}

void candidates_add_layouts(const struct candidates_input *in,
			    const struct filter_chain *prediction,
			    struct recipe_candidates *c)
{
	struct filter_chain chain = *prediction;

	if (chain.nsteps > 0 &&
	    filter_is_layout(chain.steps[chain.nsteps - 1].id))
		chain.nsteps--;
	if (chain.nsteps > 0)
		add_others(in, &chain, c);
}

void candidates_add_text(struct recipe_candidates *c)
{
	const struct filter_chain none = { 0 };

	add_candidate(c, &none);
}
