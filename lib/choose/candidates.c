/*
 * The bytes as they are, shuffled, and predicted from the left neighbour, the
 * row above, both (the two-dimensional Lorenzo predictor), the plane below, and
 * twice from the left; predictions are zigzagged and shuffled.
 */
#include "choose/candidates.h"

/* Up to this level only a few are tried. */
#define FEW_CANDIDATES_LEVEL 3

/* A stride that no block has: the candidate is left out. */
#define NO_STRIDE UINT32_MAX

/* Up to two predictions one after the other; 0 is none. */
struct candidate {
	uint32_t strides[2];
	bool shuffle;
	bool few; /* at low levels as well */
};

static struct filter_chain chain_of(const struct candidate *candidate,
				    const struct choose_hint *hint)
{
	bool predicts = candidate->strides[0] != 0;
	struct filter_chain chain = { 0 };

	if (predicts && hint->is_float)
		filter_chain_add(&chain, FILTER_ORDER, 0);
	for (unsigned i = 0; i < 2; i++)
		if (candidate->strides[i] != 0)
			filter_chain_add(&chain, FILTER_DELTA,
					 candidate->strides[i]);
	if (predicts)
		filter_chain_add(&chain, FILTER_ZIGZAG, 0);
	if (candidate->shuffle && hint->width > 1)
		filter_chain_add(&chain, FILTER_SHUFFLE, 0);
	return chain;
}

/* Whether a candidate says something else than a simpler one. */
static bool is_worth_trying(const struct candidate *candidate,
			    const struct choose_hint *hint, int level,
			    size_t nelems)
{
	if (!candidate->few && level <= FEW_CANDIDATES_LEVEL)
		return false;
	if (candidate->shuffle && candidate->strides[0] == 0 &&
	    hint->width == 1)
		return false;
	return candidate->strides[0] < nelems && candidate->strides[1] < nelems;
}

void candidates_list(const struct choose_hint *hint, int level, size_t nelems,
		     struct candidates *ret)
{
	const uint32_t row = hint->row_nelems ? hint->row_nelems : NO_STRIDE;
	const uint32_t plane = hint->plane_nelems ? hint->plane_nelems :
						    NO_STRIDE;
	const struct candidate all[] = {
		{ .few = true }, /* none: of any block */
		{ .shuffle = true, .few = true },
		{ .strides = { 1 }, .shuffle = true, .few = true },
		{ .strides = { 1, row }, .shuffle = true },
		{ .strides = { row }, .shuffle = true },
		{ .strides = { 1, plane }, .shuffle = true },
		{ .strides = { plane }, .shuffle = true },
		{ .strides = { 1, 1 }, .shuffle = true },
	};

	ret->count = 1;
	ret->chains[0] = (struct filter_chain){ 0 };
	for (size_t i = 1; i < sizeof(all) / sizeof(*all); i++)
		if (is_worth_trying(&all[i], hint, level, nelems))
			ret->chains[ret->count++] = chain_of(&all[i], hint);
}
