/*
 * Candidates are compared by what a fast level of the codec makes of samples
 * of the block: in rounds, a small sample of all, larger ones of the best, as
 * the errors of a small sample are several per cent.  Of a block that is not
 * larger than a sample all candidates are encoded whole, the smallest wins, the
 * first of equals.
 */
#include "choose/choose.h"

#include "base/sizes.h"
#include "choose/candidates.h"

/* From this level on text is worth a slower level of the codec. */
#define TEXT_LEVEL_FROM NC3Z_LEVEL_DEFAULT
#define TEXT_LEVEL 7

/* Samples are compared with this level. */
#define SAMPLE_LEVEL 2
/* Blocks up to this size are not sampled. */
#define WHOLE_NBYTES ((size_t)160 << 10)

/*
 * Rounds of samples, small ones first: at most 'nleft' candidates go on, and
 * of these only those that are behind the best by at most 1 / 'behind'.
 */
static const struct round {
	size_t sample_nbytes;
	unsigned nleft;
	unsigned behind;
} rounds[] = {
	{ (size_t)16 << 10, 4, 4 },
	{ (size_t)64 << 10, 2, 24 },
	{ (size_t)160 << 10, 1, 24 },
};

void chooser_release(struct chooser *chooser)
{
	block_coder_release(&chooser->coder);
	block_prepared_release(&chooser->prepared);
	block_stored_release(&chooser->trial);
}

static size_t stored_nbytes(const struct block_stored *stored)
{
	return stored->description.nbytes + stored->payload.nbytes;
}

/* Encodes whole; the result is kept if it is the smallest so far. */
static int try_whole(struct chooser *chooser, const struct choose_input *input,
		     const struct block_recipe *recipe, struct choice *choice,
		     struct nc3z_error *err)
{
	struct block_stored best;

	NC3Z_TRY(block_encode(&chooser->coder, recipe, input->raw,
			      input->raw_nbytes, &chooser->trial, err));
	if (stored_nbytes(&chooser->trial) >= choice->nbytes)
		return NC3Z_OK;
	best = chooser->trial;
	chooser->trial = *choice->stored;
	*choice->stored = best;
	choice->recipe = *recipe;
	choice->nbytes = stored_nbytes(&best);
	return NC3Z_OK;
}

/* Moves a candidate forward to its place among those before it. */
static void insert(struct candidates *list, size_t *sizes, unsigned at)
{
	struct filter_chain chain = list->chains[at];
	size_t size = sizes[at];

	for (; at > 0 && sizes[at - 1] > size; at--) {
		sizes[at] = sizes[at - 1];
		list->chains[at] = list->chains[at - 1];
	}
	sizes[at] = size;
	list->chains[at] = chain;
}

/* One round: sorts the candidates and leaves the best. */
static int sift(struct chooser *chooser, const struct round *round,
		struct block_recipe recipe, struct candidates *list,
		struct nc3z_error *err)
{
	size_t sizes[CANDIDATES_MAX];
	unsigned count = 0;

	recipe.level = codec_level(recipe.codec, SAMPLE_LEVEL);
	for (unsigned i = 0; i < list->count; i++) {
		recipe.chain = list->chains[i];
		NC3Z_TRY(block_sample(&chooser->coder, &chooser->prepared,
				      &recipe, round->sample_nbytes, &sizes[i],
				      err));
		insert(list, sizes, i);
	}
	while (count < list->count && count < round->nleft &&
	       sizes[count] <= sizes[0] + sizes[0] / round->behind)
		count++;
	list->count = count;
	return NC3Z_OK;
}

/* All rounds.  One candidate is enough for a block that is constant. */
static int sift_all(struct chooser *chooser, const struct choose_input *input,
		    const struct block_recipe *recipe, struct candidates *list,
		    struct nc3z_error *err)
{
	NC3Z_TRY(block_prepare(&chooser->coder, recipe, input->raw,
			       input->raw_nbytes, &chooser->prepared, err));
	if (block_is_constant(&chooser->prepared))
		list->count = 1;
	for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++)
		if (input->raw_nbytes > WHOLE_NBYTES && list->count > 1)
			NC3Z_TRY(sift(chooser, &rounds[i], *recipe, list, err));
	return NC3Z_OK;
}

static int recipe_level(const struct choose_settings *settings,
			const struct choose_hint *hint)
{
	int level = settings->level;

	if (hint->is_text && level >= TEXT_LEVEL_FROM && level < TEXT_LEVEL)
		level = TEXT_LEVEL;
	return codec_level(settings->codec, level);
}

int choose_recipes(struct chooser *chooser,
		   const struct choose_settings *settings,
		   const struct choose_input *input, struct choose_recipes *ret,
		   struct nc3z_error *err)
{
	bool stores = settings->level == 0 ||
		      settings->codec == NC3Z_CODEC_STORE;
	struct block_recipe recipe = {
		.width = input->hint.width,
		.codec = stores ? NC3Z_CODEC_STORE : settings->codec,
		.level = recipe_level(settings, &input->hint),
	};
	struct candidates candidates = { .count = 1 };

	if (!stores && !input->hint.is_text)
		candidates_list(&input->hint, settings->level,
				input->raw_nbytes / recipe.width, &candidates);
	NC3Z_TRY(sift_all(chooser, input, &recipe, &candidates, err));
	ret->count = candidates.count;
	for (unsigned i = 0; i < candidates.count; i++) {
		ret->list[i] = recipe;
		ret->list[i].chain = candidates.chains[i];
	}
	return NC3Z_OK;
}

int choose_smallest(struct chooser *chooser, const struct choose_input *input,
		    const struct choose_recipes *recipes, struct choice *choice,
		    struct nc3z_error *err)
{
	for (unsigned i = 0; i < recipes->count; i++)
		NC3Z_TRY(try_whole(chooser, input, &recipes->list[i], choice,
				   err));
	return NC3Z_OK;
}
