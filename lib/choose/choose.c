/*
 * The candidates: the bytes as they are, shuffled, and predicted from the left
 * neighbour, the row above, both (the two-dimensional Lorenzo predictor), the
 * plane below, and twice from the left; predictions are zigzagged and
 * shuffled.  Each is encoded whole with a fast level of the codec, the smallest
 * wins, the first of equals.
 */
#include "choose/choose.h"

/* Above this level every candidate is tried, up to it only a few. */
#define FEW_CANDIDATES_LEVEL 3
/* Candidates are compared at this level, whatever the level of the archive. */
#define TRIAL_LEVEL 2
/* From this level on text is worth a slower level of the codec. */
#define TEXT_LEVEL_FROM NC3Z_LEVEL_DEFAULT
#define TEXT_LEVEL 7

/* A stride that no block has: the candidate is left out. */
#define NO_STRIDE UINT32_MAX

/* Up to two predictions one after the other; 0 is none. */
struct candidate {
	uint32_t strides[2];
	bool shuffle;
	bool few; /* tried at low levels as well */
};

static int recipe_level(const struct choose_settings *settings,
			const struct choose_hint *hint)
{
	int level = settings->level;

	if (hint->is_text && level >= TEXT_LEVEL_FROM && level < TEXT_LEVEL)
		level = TEXT_LEVEL;
	return codec_level(settings->codec, level);
}

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
			    const struct choose_settings *settings,
			    const struct choose_hint *hint, size_t nelems)
{
	if (!candidate->few && settings->level <= FEW_CANDIDATES_LEVEL)
		return false;
	if (candidate->shuffle && candidate->strides[0] == 0 &&
	    hint->width == 1)
		return false;
	return candidate->strides[0] < nelems && candidate->strides[1] < nelems;
}

struct trial {
	struct block_coder *coder;
	const struct choose_settings *settings;
	const struct choose_input *input;
	struct block_stored stored;
};

static int try_recipe(struct trial *t, struct block_recipe recipe,
		      size_t *nbytes_ret, struct nc3z_error *err)
{
	recipe.level = codec_level(recipe.codec, TRIAL_LEVEL);
	NC3Z_TRY(block_encode(t->coder, &recipe, t->input->raw,
			      t->input->raw_nbytes, &t->stored, err));
	*nbytes_ret = t->stored.description.nbytes + t->stored.payload.nbytes;
	return NC3Z_OK;
}

static int try_candidates(struct trial *t, struct block_recipe *best,
			  struct nc3z_error *err)
{
	const struct choose_hint *hint = &t->input->hint;
	const uint32_t row = hint->row_nelems ? hint->row_nelems : NO_STRIDE;
	const uint32_t plane = hint->plane_nelems ? hint->plane_nelems :
						    NO_STRIDE;
	const struct candidate candidates[] = {
		{ .few = true },
		{ .shuffle = true, .few = true },
		{ .strides = { 1 }, .shuffle = true, .few = true },
		{ .strides = { 1, row }, .shuffle = true },
		{ .strides = { row }, .shuffle = true },
		{ .strides = { 1, plane }, .shuffle = true },
		{ .strides = { plane }, .shuffle = true },
		{ .strides = { 1, 1 }, .shuffle = true },
	};
	size_t nelems = t->input->raw_nbytes / hint->width;
	size_t best_nbytes = SIZE_MAX;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
		struct block_recipe recipe = *best;
		size_t nbytes;

		if (!is_worth_trying(&candidates[i], t->settings, hint, nelems))
			continue;
		recipe.chain = chain_of(&candidates[i], hint);
		NC3Z_TRY(try_recipe(t, recipe, &nbytes, err));
		if (nbytes < best_nbytes) {
			best_nbytes = nbytes;
			best->chain = recipe.chain;
		}
	}
	return NC3Z_OK;
}

int choose_recipe(struct block_coder *coder,
		  const struct choose_settings *settings,
		  const struct choose_input *input,
		  struct block_recipe *recipe_ret, struct nc3z_error *err)
{
	struct trial t = {
		.coder = coder,
		.settings = settings,
		.input = input,
	};
	bool stores = settings->level == 0 ||
		      settings->codec == NC3Z_CODEC_STORE;
	int status = NC3Z_OK;

	*recipe_ret = (struct block_recipe){
		.width = input->hint.width,
		.codec = stores ? NC3Z_CODEC_STORE : settings->codec,
		.level = recipe_level(settings, &input->hint),
	};
	if (!stores && !input->hint.is_text)
		status = try_candidates(&t, recipe_ret, err);
	block_stored_release(&t.stored);
	return status;
}
