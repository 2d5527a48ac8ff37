/*
 * The candidates are compared by what a fast level of the codec makes of a
 * sample of the block; the best few are then encoded whole, and the smallest
 * wins, the first of equals.  Of a block that is not much larger than a sample
 * all candidates are encoded whole.  Nothing is encoded twice with one recipe.
 */
#include "choose/choose.h"

#include "base/sizes.h"
#include "choose/candidates.h"
#include "choose/sample.h"

/* From this level on text is worth a slower level of the codec. */
#define TEXT_LEVEL_FROM NC3Z_LEVEL_DEFAULT
#define TEXT_LEVEL 7

/* Samples are compared with this level. */
#define SAMPLE_LEVEL 2
#define SAMPLE_NBYTES ((size_t)64 << 10)
/* Blocks up to this size are not sampled. */
#define WHOLE_NBYTES ((size_t)96 << 10)
/* How many are encoded whole after a sample... */
#define NFINALISTS 2
/* ... unless their sample is larger than the best by more than 1 / 16. */
#define BEHIND_DENOMINATOR 16

void chooser_release(struct chooser *chooser)
{
	block_coder_release(&chooser->coder);
	block_stored_release(&chooser->trial);
	buffer_release(&chooser->sample);
	buffer_release(&chooser->gathered);
	buffer_release(&chooser->filtered);
	buffer_release(&chooser->scratch);
}

static size_t stored_nbytes(const struct block_stored *stored)
{
	return stored->description.nbytes + stored->payload.nbytes;
}

int choose_known(struct chooser *chooser, const struct choose_input *input,
		 const struct block_recipe *recipe, struct choice *choice,
		 struct nc3z_error *err)
{
	NC3Z_TRY(block_encode(&chooser->coder, recipe, input->raw,
			      input->raw_nbytes, choice->stored, err));
	choice->recipe = *recipe;
	choice->nbytes = stored_nbytes(choice->stored);
	return NC3Z_OK;
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

/* What the codec makes of a sample, at least its length if that is no less. */
static int measure_sample(struct chooser *chooser,
			  const struct choose_input *input,
			  const struct block_recipe *recipe, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	const struct filter_chain *chain = &recipe->chain;
	struct codec_settings how = {
		.codec = recipe->codec,
		.level = codec_level(recipe->codec, SAMPLE_LEVEL),
	};
	struct codec_buffers buffers;

	NC3Z_TRY(sample_take(chooser, input, chain, SAMPLE_NBYTES, err));
	if (!buffer_reserve(&chooser->gathered, chooser->sample.nbytes))
		return error_set_memory(err);
	if (chain->nsteps > 0 &&
	    chain->steps[chain->nsteps - 1].id == FILTER_SHUFFLE)
		how.plane_nbytes = chooser->sample.nbytes / recipe->width;
	buffers = (struct codec_buffers){
		.in = chooser->sample.data,
		.in_nbytes = chooser->sample.nbytes,
		.out = chooser->gathered.data,
		.out_nbytes = chooser->sample.nbytes,
	};
	NC3Z_TRY(codec_encode(&chooser->coder.codecs, &how, &buffers,
			      nbytes_ret, err));
	if (*nbytes_ret == 0)
		*nbytes_ret = chooser->sample.nbytes;
	return NC3Z_OK;
}

/* Keeps the smallest candidates in front, in ascending order. */
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

/* Leaves those candidates that are worth trying whole. */
static int sift(struct chooser *chooser, const struct choose_input *input,
		struct block_recipe recipe, struct candidates *list,
		struct nc3z_error *err)
{
	size_t sizes[CANDIDATES_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < list->count; i++) {
		recipe.chain = list->chains[i];
		NC3Z_TRY(measure_sample(chooser, input, &recipe, &sizes[i],
					err));
		insert(list, sizes, i);
	}
	while (count < list->count && count < NFINALISTS &&
	       sizes[count] <= sizes[0] + sizes[0] / BEHIND_DENOMINATOR)
		count++;
	list->count = count;
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

int choose_recipe(struct chooser *chooser,
		  const struct choose_settings *settings,
		  const struct choose_input *input, struct choice *choice,
		  struct nc3z_error *err)
{
	bool stores = settings->level == 0 ||
		      settings->codec == NC3Z_CODEC_STORE;
	struct block_recipe recipe = {
		.width = input->hint.width,
		.codec = stores ? NC3Z_CODEC_STORE : settings->codec,
		.level = recipe_level(settings, &input->hint),
	};
	struct candidates list;

	if (stores || input->hint.is_text)
		return try_whole(chooser, input, &recipe, choice, err);
	candidates_list(&input->hint, settings->level,
			input->raw_nbytes / input->hint.width, &list);
	if (input->raw_nbytes > WHOLE_NBYTES)
		NC3Z_TRY(sift(chooser, input, recipe, &list, err));
	for (unsigned i = 0; i < list.count; i++) {
		recipe.chain = list.chains[i];
		NC3Z_TRY(try_whole(chooser, input, &recipe, choice, err));
	}
	return NC3Z_OK;
}
