/* SPDX-License-Identifier: MIT */
/*
 * A block is prepared with one set of splitting steps after the other.  For
 * each, chains of filters are compared by what a fast level of the codec makes
 * of samples: in rounds, a small sample of all, a larger one of the best, as
 * the errors of a small sample are several per cent.  Parts that are not larger
 * than a sample are measured whole.  The best chains of all sets are ranked by
 * what they cost in bytes and time, and the first few are the result.
 */
#include "choose/choose.h"

#include "choose/candidates.h"
#include "choose/cost.h"
#include "choose/effort.h"

/* Samples are compared with this level, */
#define SAMPLE_LEVEL 2
/* whole parts with this one. */
#define WHOLE_LEVEL 7

/* Recipes that may be tried on a whole block. */
#define NWHOLE_MAX (CHOOSE_RECIPES_MAX - 1)
/* Of these, where samples say little, at any level that goes by samples. */
#define NWHOLE_UNTOLD 3
/*
 * Recipes that have been measured whole are tried with the codec's own level
 * if they are larger than the best by at most 1 / WHOLE_MARGIN.
 */
#define WHOLE_MARGIN 32

/*
 * At most 'nleft' candidates go on, and of these only those that are larger
 * than the best by at most 1 / 'margin'.
 */
struct round {
	size_t sample_nelems; /* of 4 bytes or more; of fewer: more */
	unsigned nleft;
	unsigned margin;
};

static const struct round rounds[] = {
	{ (size_t)4 << 10, 4, 4 },
	{ (size_t)16 << 10, NWHOLE_MAX, 24 },
};
#define NROUNDS (sizeof(rounds) / sizeof(*rounds))

/*
 * Where the best sample is so much smaller than the raw bytes, samples say
 * little: what is not in them may be most of the block.  It costs little time
 * to encode such a block with several recipes, and to try more of them.
 */
#define TELLING 16
/* Predictions whose other layouts are tried there. */
#define NLAID_OUT_UNTOLD 2
/* By how much of the raw bytes candidates differ in earnest. */
#define NEGLIGIBLE 256

/* A search on its way. */
struct search {
	struct chooser *chooser;
	const struct effort *effort;
	const struct choose_input *input;
	struct cost_setting setting;
	struct block_recipe recipe; /* of the set that is tried */
	bool has_integers;          /* decimal suits the block */
	struct recipe_candidates candidates;
	struct choose_recipes *found;
	uint64_t found_cost[CHOOSE_RECIPES_MAX];
	struct nc3z_error *err;
};

void chooser_release(struct chooser *chooser)
{
	block_coder_release(&chooser->coder);
	block_prepared_release(&chooser->prepared);
	block_stored_release(&chooser->trial);
}

/*
 * Measures a candidate, unless its time alone costs as much as the best so far.
 */
static int measure_one(struct search *s, const struct block_recipe *recipe,
		       size_t sample_nbytes, uint64_t best, uint64_t *cost_ret)
{
	size_t nbytes;

	*cost_ret = UINT64_MAX;
	if (cost_of(&s->setting, recipe, 0) >= best)
		return NC3Z_OK;
	NC3Z_TRY(block_sample(&s->chooser->coder, &s->chooser->prepared, recipe,
			      sample_nbytes, &nbytes, s->err));
	*cost_ret = cost_of(&s->setting, recipe, nbytes);
	return NC3Z_OK;
}

/* Measures the candidates from number 'first' on, and sorts all. */
static int measure(struct search *s, int level, size_t nbytes, unsigned first)
{
	struct block_recipe recipe = s->recipe;
	struct recipe_candidate *list = s->candidates.list;

	/* How much is gained by a slower level differs most for text. */
	if (!s->input->hint.is_text)
		recipe.level = codec_level(recipe.codec, level);
	for (unsigned i = first; i < s->candidates.count; i++) {
		struct recipe_candidate c = list[i];
		unsigned at = i;

		recipe.chain = c.chain;
		NC3Z_TRY(measure_one(s, &recipe, nbytes,
				     i > 0 ? list[0].cost : UINT64_MAX,
				     &c.cost));
		for (; at > 0 && list[at - 1].cost > c.cost; at--)
			list[at] = list[at - 1];
		list[at] = c;
	}
	return NC3Z_OK;
}

static void drop_hopeless(const struct search *s, struct recipe_candidates *c,
			  const struct round *round)
{
	uint64_t limit = c->list[0].cost + c->list[0].cost / round->margin +
			 s->input->raw_nbytes / NEGLIGIBLE;

	if (c->count > round->nleft)
		c->count = round->nleft;
	while (c->list[c->count - 1].cost > limit)
		c->count--;
}

static const struct block_part *main_part(const struct search *s)
{
	const struct block_description *d = &s->chooser->prepared.description;

	return &d->parts[d->nparts - 1];
}

/* Bytes of the main part that are a sample. */
static size_t sample_nbytes(const struct search *s, const struct round *round)
{
	size_t nelems = round->sample_nelems;

	if (s->input->hint.width < 4)
		nelems = nelems * 4 / s->input->hint.width;
	return nelems * main_part(s)->width;
}

static bool is_telling(const struct search *s, uint64_t best)
{
	return best >= s->input->raw_nbytes / TELLING;
}

/* Other layouts of the best predictions. */
static int measure_layouts(struct search *s, const struct candidates_input *in,
			   size_t nbytes)
{
	struct recipe_candidates best = s->candidates;
	unsigned first = s->candidates.count, n = s->effort->nlaid_out;

	if (n > 0 && n < NLAID_OUT_UNTOLD && !is_telling(s, best.list[0].cost))
		n = NLAID_OUT_UNTOLD;
	for (unsigned i = 0; i < n && i < best.count; i++)
		candidates_add_layouts(in, &best.list[i].chain, &s->candidates);
	return measure(s, SAMPLE_LEVEL, nbytes, first);
}

/*
 * What is left, measured whole, and with it all layouts without a prediction:
 * samples do not see what repeats over long distances, and predictions leave
 * little of that.
 */
static int measure_whole(struct search *s, const struct candidates_input *in)
{
	if (s->input->hint.is_text)
		candidates_add_text(&s->candidates);
	else
		candidates_add_plain(in, &s->candidates);
	return measure(s, WHOLE_LEVEL, BLOCK_NBYTES_MAX, 0);
}

static int sift(struct search *s, const struct candidates_input *in)
{
	for (size_t i = 0; i < NROUNDS; i++) {
		size_t nbytes = sample_nbytes(s, &rounds[i]);

		if (i > 0 &&
		    main_part(s)->nbytes <= sample_nbytes(s, &rounds[i - 1]))
			break; /* known to the byte */
		NC3Z_TRY(measure(s, SAMPLE_LEVEL, nbytes, 0));
		if (i == 0)
			NC3Z_TRY(measure_layouts(s, in, nbytes));
		drop_hopeless(s, &s->candidates, &rounds[i]);
	}
	return s->effort->whole ? measure_whole(s, in) : NC3Z_OK;
}

/* Ranks what is left of the candidates among what was found before. */
static void rank(struct search *s)
{
	struct choose_recipes *found = s->found;

	for (unsigned i = 0; i < s->candidates.count; i++) {
		const struct recipe_candidate *c = &s->candidates.list[i];
		unsigned at = found->count;

		if (at == NWHOLE_MAX && s->found_cost[at - 1] <= c->cost)
			return;
		at -= at == NWHOLE_MAX;
		for (; at > 0 && s->found_cost[at - 1] > c->cost; at--) {
			found->list[at] = found->list[at - 1];
			s->found_cost[at] = s->found_cost[at - 1];
		}
		found->list[at] = s->recipe;
		found->list[at].chain = c->chain;
		s->found_cost[at] = c->cost;
		if (found->count < NWHOLE_MAX)
			found->count++;
	}
}

/* Tries the chains for the splitting steps of s->recipe. */
static int try_chains(struct search *s)
{
	const struct choose_hint *hint = &s->input->hint;
	struct candidates_input in = {
		.width = main_part(s)->width,
		/* Order is left out where there are integers. */
		.is_float = hint->is_float,
		.nelems = main_part(s)->nbytes / main_part(s)->width,
		.row_nelems = hint->row_nelems,
		.plane_nelems = hint->plane_nelems,
	};

	s->candidates.count = 0;
	if (hint->is_text)
		candidates_add_text(&s->candidates);
	else
		candidates_add_predictions(&in, s->effort->few, &s->candidates);
	if (s->effort->extrapolates && !hint->is_text &&
	    !block_has_integers(&s->chooser->prepared))
		candidates_add_extrapolations(&in, &s->candidates);
	NC3Z_TRY(sift(s, &in));
	rank(s);
	return NC3Z_OK;
}

/*
 * Where decimal does not suit the block, it may suit those after it that use
 * its recipe, such as means of another number of values.
 */
static void allow_decimal(struct search *s)
{
	if (s->has_integers)
		return;
	for (unsigned i = 0; i < s->found->count; i++)
		s->found->list[i].transforms |= s->effort->transforms &
						BLOCK_TRANSFORM_DECIMAL;
}

/* Splitting steps, those first without which others make no sense. */
static int try_splits(struct search *s)
{
	static const uint8_t sets[] = {
		0,
		BLOCK_TRANSFORM_DROP,
		BLOCK_TRANSFORM_DECIMAL,
		BLOCK_TRANSFORM_PALETTE,
		BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_DECIMAL,
		BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_PALETTE,
		BLOCK_TRANSFORM_REPEAT,
		BLOCK_TRANSFORM_REPEAT | BLOCK_TRANSFORM_DECIMAL,
	};
	uint8_t hopeless = (uint8_t)~s->effort->transforms;
	const struct choose_input *in = s->input;
	uint64_t without = 0;
	bool drops = false;

	for (size_t i = 0; i < sizeof(sets); i++) {
		struct block_prepared *p = &s->chooser->prepared;

		if ((sets[i] & hopeless) ||
		    (drops && !(sets[i] & (BLOCK_TRANSFORM_DROP |
					   BLOCK_TRANSFORM_REPEAT))))
			continue;
		s->recipe.transforms = sets[i];
		if (s->found->count > 0 &&
		    cost_of(&s->setting, &s->recipe, 0) >= s->found_cost[0])
			continue;
		NC3Z_TRY(block_prepare(&s->chooser->coder, &s->recipe, in->raw,
				       in->raw_nbytes, p, s->err));
		s->found->is_constant = block_is_constant(p);
		if (s->found->is_constant)
			break;
		hopeless |= sets[i] &
			    (BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_REPEAT) &
			    ~block_transforms(p);
		s->has_integers |= block_transforms(p) &
				   BLOCK_TRANSFORM_DECIMAL;
		if (block_transforms(p) != sets[i])
			continue;
		NC3Z_TRY(try_chains(s));
		if (i == 0)
			without = s->found_cost[0];
		/* A value that is worth dropping is so before other steps. */
		drops |= sets[i] == BLOCK_TRANSFORM_DROP &&
			 s->found_cost[0] < without - without / 16;
	}
	return NC3Z_OK;
}

static int codecs_level(const struct choose_settings *settings)
{
	int level = effort_of(settings->effort)->codecs_level;

	return level > 0 ? level : settings->effort;
}

static int others_level(const struct choose_settings *settings)
{
	int level = effort_of(settings->effort)->others_level;

	return level > 0 ? level : codecs_level(settings);
}

static int recipe_level(const struct choose_settings *settings,
			const struct choose_input *input)
{
	const struct effort *effort = effort_of(settings->effort);
	int level = codecs_level(settings);

	if (input->hint.is_text || input->raw_nbytes <= effort->small_nbytes)
		level = effort->small_level;
	return codec_level(settings->codec, level);
}

/*
 * Who asks for another codec than zstd gets what many programs decode.  Small
 * blocks have a slower level, beside which the fastest one is tried as well.
 */
static uint8_t recipe_others(const struct choose_settings *settings,
			     const struct choose_input *input, uint8_t others)
{
	const struct effort *effort = effort_of(settings->effort);
	unsigned own = effort->fastest || input->raw_nbytes <=
						  effort->small_nbytes ?
			       1u << settings->codec :
			       0;

	return (uint8_t)((settings->codec == NC3Z_CODEC_ZSTD ? others : 0) |
			 own);
}

/*
 * Samples err in the same direction for all chains of a set of splitting steps:
 * of the first 'limit' recipes, the last one is of another set than the first,
 * if there is one.
 */
static void keep_another_set(struct choose_recipes *found, unsigned limit,
			     unsigned count)
{
	unsigned i = 1;

	while (i < count &&
	       found->list[i].transforms == found->list[0].transforms)
		i++;
	if (i >= limit && i < count && limit > 1)
		found->list[limit - 1] = found->list[i];
}

/* How many of the recipes found are tried on the whole block. */
static unsigned count_promising(const struct search *s)
{
	unsigned limit = s->effort->nwhole, n = s->found->count;
	uint64_t best = s->found_cost[0];

	if (n > 0 && limit < NWHOLE_UNTOLD && !s->effort->whole &&
	    !is_telling(s, best))
		limit = NWHOLE_UNTOLD;
	while (n > 1 && s->effort->whole &&
	       s->found_cost[n - 1] > best + best / WHOLE_MARGIN)
		n--;
	if (n > limit) {
		keep_another_set(s->found, limit, n);
		n = limit;
	}
	return n;
}

/* Without filters, with the codecs and the codec level that are for this. */
static void add_plain(struct search *s, uint8_t codecs, int level)
{
	struct choose_recipes *found = s->found;
	unsigned i = 0;

	while (i < found->count && (found->list[i].transforms != 0 ||
				    found->list[i].chain.nsteps > 0))
		i++;
	if (i == found->count) {
		found->list[i] = s->recipe;
		found->list[i].transforms = 0;
		found->list[i].chain = (struct filter_chain){ 0 };
		found->list[i].others = 0;
		found->count++;
	}
	found->list[i].others |= codecs;
	if (found->list[i].level < level)
		found->list[i].level = level;
}

/*
 * Computed doubles often repeat each other over long distances, which samples
 * do not show, and predictions make nothing of them.
 */
static int plain_level(const struct search *s)
{
	const struct choose_hint *hint = &s->input->hint;

	return hint->width == 8 && hint->is_float && s->found->count > 0 &&
			       is_telling(s, s->found_cost[0]) ?
		       s->effort->plain_level :
		       0;
}

int choose_recipes(struct chooser *chooser,
		   const struct choose_settings *settings,
		   const struct choose_input *input, struct choose_recipes *ret,
		   struct nc3z_error *err)
{
	bool stores = settings->effort == 0 ||
		      settings->codec == NC3Z_CODEC_STORE;
	const struct effort *effort = effort_of(settings->effort);
	uint8_t others =
		stores ? 0 : recipe_others(settings, input, effort->codecs);
	struct search s = {
		.chooser = chooser,
		.effort = effort,
		.input = input,
		.setting = { .nvalues = input->raw_nbytes / input->hint.width,
			     .price = effort->price },
		.recipe = {
			.width = input->hint.width,
			.is_float = input->hint.is_float,
			.row_nelems = input->hint.row_nelems,
			.plane_nelems = input->hint.plane_nelems,
			.codec = stores ? NC3Z_CODEC_STORE : settings->codec,
			.level = recipe_level(settings, input),
			.others = others,
			.others_level = (uint8_t)others_level(settings),
		},
		.found = ret,
		.err = err,
	};
	int plain;

	ret->count = 0;
	ret->price = effort->price;
	ret->is_constant = false;
	if (!stores) {
		NC3Z_TRY(try_splits(&s));
		allow_decimal(&s);
	}
	ret->count = count_promising(&s);
	if (ret->count == 0) {
		s.recipe.transforms = 0;
		ret->list[ret->count++] = s.recipe;
	}
	plain = stores ? 0 : codec_level(settings->codec, plain_level(&s));
	if (plain > 0 || (effort->plain_codecs != 0 && !stores))
		add_plain(&s,
			  recipe_others(settings, input, effort->plain_codecs),
			  plain);
	return NC3Z_OK;
}
