/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "choose/candidates.h"
#include "choose/choose.h"
#include "choose/cost.h"
#include "codecs.h"

static struct chooser chooser;

#define ROWS 64
#define MANY_ROWS 700 /* more than a sample */
#define COLUMNS 96

/* A smooth field of big-endian floats: integers times a power of two. */
static uint8_t *make_field(int nrows)
{
	uint8_t *raw = malloc((size_t)nrows * COLUMNS * 4);
	uint64_t seed = 36;

	for (int i = 0; i < nrows * COLUMNS; i++) {
		int y = i / COLUMNS, x = i % COLUMNS;
		float value =
			(float)(4096 * 20 + 31 * x * x + 97 * y + x * y * 3 +
				(int)check_random_below(&seed, 8)) /
			4096;
		uint32_t bits;

		memcpy(&bits, &value, 4);
		for (int k = 0; k < 4; k++)
			raw[4 * i + k] = (uint8_t)(bits >> (24 - 8 * k));
	}
	return raw;
}

static const struct choose_hint field_hint = { .width = 4,
					       .is_float = true,
					       .row_nelems = COLUMNS };

static bool has_step(const struct block_recipe *recipe, enum nc3z_filter id)
{
	for (unsigned i = 0; i < recipe->chain.nsteps; i++)
		if (recipe->chain.steps[i].id == id)
			return true;
	return false;
}

static bool same_recipe(const struct block_recipe *a,
			const struct block_recipe *b)
{
	bool same = a->width == b->width && a->codec == b->codec &&
		    a->level == b->level && a->chain.nsteps == b->chain.nsteps;

	for (unsigned i = 0; same && i < a->chain.nsteps; i++)
		same = a->chain.steps[i].id == b->chain.steps[i].id &&
		       a->chain.steps[i].stride == b->chain.steps[i].stride;
	return same;
}

/* A choice that may stand in an archive and restores. */
static void check_recipe(const struct choose_input *input,
			 const struct choose_settings *settings,
			 const struct block_recipe *recipe)
{
	CHECK(filter_chain_valid(&recipe->chain));
	CHECK_EQ_U64(recipe->width, input->hint.width);
	if (settings->effort < 8)
		CHECK_EQ_U64(recipe->codec, settings->effort == 0 ?
						    NC3Z_CODEC_STORE :
						    settings->codec);
	else if (settings->codec != NC3Z_CODEC_ZSTD) /* portable */
		CHECK(recipe->codec != NC3Z_CODEC_ZSTD);
	for (unsigned i = 0; i < recipe->chain.nsteps; i++)
		CHECK(recipe->chain.steps[i].stride <
		      input->raw_nbytes / input->hint.width);
}

/* Searches and encodes; the recipe that is left. */
static struct block_recipe choose_with(struct chooser *with,
				       const struct choose_input *input,
				       const struct choose_settings *settings)
{
	struct block_stored stored = { 0 };
	struct choose_result choice = { .stored = &stored, .nbytes = SIZE_MAX };
	struct choose_recipes recipes;

	memset(&recipes, 0xee, sizeof(recipes));
	memset(&choice.recipe, 0x11, sizeof(choice.recipe));
	CHECK(choose_recipes(with, settings, input, &recipes, NULL) == NC3Z_OK);
	CHECK(recipes.count > 0 && recipes.count <= CHOOSE_RECIPES_MAX);
	CHECK(choose_smallest(with, input, &recipes, &choice, NULL) == NC3Z_OK);
	CHECK_EQ_U64(choice.nbytes,
		     stored.payload.nbytes + stored.description.nbytes);
	block_stored_release(&stored);
	return choice.recipe;
}

static struct block_recipe choose(const struct choose_input *input, int level,
				  uint8_t codec)
{
	struct choose_settings settings = { .effort = level, .codec = codec };
	struct chooser fresh = { 0 };
	struct block_recipe recipe, again;

	recipe = choose_with(&chooser, input, &settings);
	again = choose_with(&fresh, input, &settings);
	CHECK(same_recipe(&recipe, &again)); /* whatever was done before */
	check_recipe(input, &settings, &recipe);
	chooser_release(&fresh);
	return recipe;
}

static size_t size_with(const struct choose_input *input,
			const struct block_recipe *recipe)
{
	struct block_stored stored = { 0 };
	size_t nbytes;

	CHECK(block_encode(&chooser.coder, recipe, input->raw,
			   input->raw_nbytes, &stored, NULL) == NC3Z_OK);
	nbytes = stored.payload.nbytes + stored.description.nbytes;
	block_stored_release(&stored);
	return nbytes;
}

/*
 * Prediction, and clearly smaller than without and than shuffle alone, at every
 * step of levels.
 */
static void check_smooth_field(int nrows, int step)
{
	uint8_t *raw = make_field(nrows);
	struct choose_input input = { .hint = field_hint,
				      .raw = raw,
				      .raw_nbytes =
					      (size_t)nrows * COLUMNS * 4 };

	for (uint8_t codec = 1; codec < CODEC_COUNT; codec = next_codec(codec))
		for (int level = 1; level <= NC3Z_LEVEL_MAX; level += step) {
			struct block_recipe best = choose(&input, level, codec);
			struct block_recipe plain = best;
			size_t nbytes = size_with(&input, &best);

			CHECK(has_step(&best, NC3Z_FILTER_DELTA));
			CHECK(has_step(&best, NC3Z_FILTER_ORDER));
			plain.chain.nsteps = 0;
			CHECK(nbytes * 10 < size_with(&input, &plain) * 8);
			filter_chain_add(&plain.chain, NC3Z_FILTER_SHUFFLE, 0);
			CHECK(nbytes * 10 < size_with(&input, &plain) * 9);
		}
	free(raw);
}

static void test_smooth_field(void)
{
	check_smooth_field(ROWS, 1);
	check_smooth_field(MANY_ROWS, 4);
}

/* Samples leave few recipes; the first is that of the smallest whole block. */
static void test_sampled(void)
{
	uint8_t *raw = make_field(MANY_ROWS);
	struct choose_settings settings = { .effort = 5,
					    .codec = NC3Z_CODEC_ZSTD };
	struct choose_input input = { .hint = field_hint,
				      .raw = raw,
				      .raw_nbytes = MANY_ROWS * COLUMNS * 4 };
	struct choose_recipes recipes;
	const struct candidates_input in = { .width = 4,
					     .is_float = true,
					     .nelems = MANY_ROWS * COLUMNS,
					     .row_nelems = COLUMNS };
	struct recipe_candidates all = { 0 };
	size_t smallest = SIZE_MAX;

	CHECK(choose_recipes(&chooser, &settings, &input, &recipes, NULL) ==
	      NC3Z_OK);
	CHECK(recipes.count >= 1 && recipes.count <= 3);
	candidates_add_predictions(&in, false, &all);
	CHECK(all.count > 4);
	for (unsigned i = 0; i < all.count; i++) {
		struct block_recipe recipe = recipes.list[0];
		size_t nbytes;

		recipe.chain = all.list[i].chain;
		nbytes = size_with(&input, &recipe);
		smallest = nbytes < smallest ? nbytes : smallest;
	}
	/* Layouts beside shuffle may be better still. */
	CHECK(size_with(&input, &recipes.list[0]) <= smallest);
	free(raw);
}

/* Decimals with a fill value: a splitting step is found, and gains much. */
static void test_split(void)
{
	enum {
		N = 60000
	};
	uint8_t *raw = malloc((size_t)N * 4);
	struct choose_input input = {
		.hint = { .width = 4, .is_float = true, .row_nelems = 300 },
		.raw = raw,
		.raw_nbytes = (size_t)N * 4,
	};
	uint64_t seed = 62;

	for (uint32_t i = 0; i < N; i++) {
		float value = (float)(i % 300 + i / 300 +
				      check_random_below(&seed, 50)) /
			      10;
		uint32_t bits;

		if (i / 1000 % 3 == 0)
			value = -999;
		memcpy(&bits, &value, 4);
		for (int k = 0; k < 4; k++)
			raw[4 * i + (uint32_t)k] =
				(uint8_t)(bits >> (24 - 8 * k));
	}
	for (int level = 1; level <= NC3Z_LEVEL_MAX; level++) {
		struct block_recipe best =
			choose(&input, level, NC3Z_CODEC_ZSTD);
		struct block_recipe plain = best;

		CHECK(best.transforms != 0);
		plain.transforms = 0;
		CHECK(size_with(&input, &best) * 10 <
		      size_with(&input, &plain) * 9);
	}
	free(raw);
}

/* What a choice holds stays, unless something smaller is found. */
static void test_smallest_stays(void)
{
	uint8_t *raw = make_field(ROWS);
	struct choose_input input = { .hint = field_hint,
				      .raw = raw,
				      .raw_nbytes = ROWS * COLUMNS * 4 };
	struct choose_recipes good = { .count = 1 }, bad = { .count = 1 };
	struct block_stored stored = { 0 };
	struct choose_result choice = { .stored = &stored, .nbytes = SIZE_MAX };
	size_t good_nbytes, bad_nbytes;

	good.list[0] = choose(&input, 5, NC3Z_CODEC_ZSTD);
	bad.list[0] = good.list[0];
	bad.list[0].chain.nsteps = 0;
	CHECK(choose_smallest(&chooser, &input, &bad, &choice, NULL) ==
	      NC3Z_OK);
	bad_nbytes = choice.nbytes;
	CHECK(choose_smallest(&chooser, &input, &good, &choice, NULL) ==
	      NC3Z_OK);
	good_nbytes = choice.nbytes;
	CHECK(good_nbytes < bad_nbytes);
	CHECK(choose_smallest(&chooser, &input, &bad, &choice, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(choice.nbytes, good_nbytes);
	CHECK(same_recipe(&choice.recipe, &good.list[0]));
	CHECK_EQ_U64(stored.payload.nbytes + stored.description.nbytes,
		     good_nbytes);
	block_stored_release(&stored);
	free(raw);
}

static void test_level_0_stores(void)
{
	uint8_t *raw = make_field(ROWS);
	struct choose_input input = { .hint = field_hint,
				      .raw = raw,
				      .raw_nbytes = ROWS * COLUMNS * 4 };

	for (uint8_t codec = 0; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct block_recipe recipe = choose(&input, 0, codec);

		CHECK_EQ_U64(recipe.codec, NC3Z_CODEC_STORE);
		CHECK_EQ_U64(recipe.chain.nsteps, 0);
	}
	for (int level = 0; level <= NC3Z_LEVEL_MAX; level++) {
		struct block_recipe recipe =
			choose(&input, level, NC3Z_CODEC_STORE);

		CHECK_EQ_U64(recipe.codec, NC3Z_CODEC_STORE);
		CHECK_EQ_U64(recipe.chain.nsteps, 0);
	}
	free(raw);
}

/* Text is not looked at as numbers. */
static void test_text(void)
{
	struct choose_input input = {
		.hint = { .width = 1, .is_text = true },
		.raw = (const uint8_t *)"some text, some text, some text",
		.raw_nbytes = 31,
	};

	for (uint8_t codec = 1; codec < CODEC_COUNT; codec = next_codec(codec))
		for (int level = 1; level <= NC3Z_LEVEL_MAX; level++)
			CHECK_EQ_U64(choose(&input, level, codec).chain.nsteps,
				     0);
}

/* Numbers without any order: filters would only cost time to read. */
static void test_noise(void)
{
	uint8_t raw[5000];
	struct choose_input input = { .hint = field_hint,
				      .raw = raw,
				      .raw_nbytes = sizeof(raw) };
	uint64_t seed = 37;

	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = (uint8_t)check_random(&seed);
	for (uint8_t codec = 1; codec < CODEC_COUNT; codec = next_codec(codec))
		CHECK_EQ_U64(choose(&input, 5, codec).chain.nsteps, 0);
}

static void random_hint(struct choose_hint *hint, uint64_t *seed)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	static const uint32_t strides[] = { 0,  1,    2,      3,
					    50, 4000, 100000, UINT32_MAX };

	hint->width = widths[check_random_below(seed, 4)];
	hint->is_float = hint->width >= 4 && check_random(seed) & 1;
	hint->is_text = hint->width == 1 && check_random(seed) & 1;
	hint->row_nelems = strides[check_random_below(seed, 8)];
	hint->plane_nelems =
		hint->row_nelems ? strides[check_random_below(seed, 8)] : 0;
}

/* Odd hints and lengths, down to less than an element. */
static void test_odd_inputs(void)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 16, 50, 333, 1000 };
	uint64_t seed = 38;
	uint8_t raw[1000];

	for (int i = 0; i < 600; i++) {
		struct choose_input input = { .raw = raw };

		for (size_t k = 0; k < sizeof(raw); k++)
			raw[k] = (uint8_t)(k * (unsigned)i / 7 +
					   check_random_below(&seed, 3));
		random_hint(&input.hint, &seed);
		input.raw_nbytes = sizes[check_random_below(&seed, 10)];
		choose(&input, 1 + i % 9,
		       i % 4 ? NC3Z_CODEC_ZSTD : NC3Z_CODEC_DEFLATE);
	}
}

/* Means of a number of values each, or with 0 floats that are none. */
static uint8_t *make_means(int nvalues)
{
	uint8_t *raw = malloc((size_t)MANY_ROWS * COLUMNS * 4);
	uint64_t seed = 61;

	for (int i = 0; i < MANY_ROWS * COLUMNS; i++) {
		int k = 300000 + i % COLUMNS * 700 +
			(int)check_random_below(&seed, 3000);
		float value = nvalues > 0 ?
				      (float)((double)k / (400. * nvalues)) :
				      (float)(k * 4.0981e-5);
		uint32_t bits;

		memcpy(&bits, &value, 4);
		for (int b = 0; b < 4; b++)
			raw[4 * i + b] = (uint8_t)(bits >> (24 - 8 * b));
	}
	return raw;
}

/*
 * A recipe that was found where numbers are no fractions makes use of it where
 * they are, and one from fractions does with both as well.
 */
static void test_fractions_come_and_go(void)
{
	static const int nvalues[] = { 61, 0, 60 };

	for (int from = 0; from < 3; from++) {
		struct choose_input input = {
			.hint = field_hint,
			.raw_nbytes = (size_t)MANY_ROWS * COLUMNS * 4,
		};
		struct block_recipe found;
		uint8_t *raw = make_means(nvalues[from]);

		input.raw = raw;
		found = choose(&input, 6, NC3Z_CODEC_ZSTD);
		CHECK(found.transforms & BLOCK_TRANSFORM_DECIMAL);
		free(raw);
		for (int to = 0; to < 3; to++) {
			struct block_recipe own;

			raw = make_means(nvalues[to]);
			input.raw = raw;
			own = choose(&input, 6, NC3Z_CODEC_ZSTD);
			CHECK(size_with(&input, &found) * 19 <
			      size_with(&input, &own) * 20);
			free(raw);
		}
	}
}

static struct block_recipe recipe_with(uint8_t transforms,
				       enum nc3z_filter first, uint32_t stride)
{
	struct block_recipe r = { .transforms = transforms };

	filter_chain_add(&r.chain, first, 0);
	filter_chain_add(&r.chain, NC3Z_FILTER_DELTA, stride);
	return r;
}

/* Time that costs its price, and nothing where that is 0. */
static void test_cost(void)
{
	const struct block_recipe order = recipe_with(0, NC3Z_FILTER_ORDER, 1),
				  repeat = recipe_with(BLOCK_TRANSFORM_REPEAT,
						       NC3Z_FILTER_ORDER, 1),
				  row = recipe_with(0, NC3Z_FILTER_EXTRAPOLATE,
						    100),
				  left = recipe_with(0, NC3Z_FILTER_EXTRAPOLATE,
						     1);
	const struct cost_setting free = { .nvalues = 1 << 16 },
				  dear = { .nvalues = 1 << 16, .price = 1024 };
	const uint64_t more = cost_instructions(1 << 16, &left, 0) -
			      cost_instructions(1 << 16, &order, 0);

	CHECK_EQ_U64(cost_of(&free, &left, 5000), 5000);
	CHECK_EQ_U64(cost_of(&dear, &left, 0) - cost_of(&dear, &order, 0),
		     more >> 10);
	CHECK(cost_of(&dear, &order, 0) < cost_of(&dear, &row, 0));
	CHECK(cost_of(&dear, &row, 0) < cost_of(&dear, &repeat, 0));
	CHECK(cost_of(&dear, &repeat, 0) < cost_of(&dear, &left, 0));
	CHECK(cost_of(&dear, &order, 10) < cost_of(&dear, &order, 11));
}

/* A recipe that is read faster is taken although it makes a block larger. */
static void test_time_is_weighed(void)
{
	const size_t nelems = (size_t)MANY_ROWS * COLUMNS;
	uint8_t *raw = malloc(4 * nelems);
	struct choose_input input = { .hint = field_hint,
				      .raw = raw,
				      .raw_nbytes = 4 * nelems };
	struct choose_recipes recipes = { .count = 2 };
	struct block_stored stored = { 0 };

	/* Rows that repeat: nearly nothing is left of a delta by row. */
	for (size_t i = 0; i < 4 * nelems; i++)
		raw[i] = (uint8_t)(i % (size_t)(4 * COLUMNS) * 59 % 256);
	recipes.list[0] = (struct block_recipe){ .width = 4,
						 .codec = NC3Z_CODEC_ZSTD,
						 .level = 1 };
	recipes.list[1] = recipes.list[0];
	filter_chain_add(&recipes.list[1].chain, NC3Z_FILTER_DELTA, COLUMNS);
	CHECK(size_with(&input, &recipes.list[1]) <
	      size_with(&input, &recipes.list[0]));
	for (unsigned cheap = 0; cheap < 2; cheap++) {
		struct choose_result choice = { .stored = &stored,
						.nbytes = SIZE_MAX };

		recipes.price = cheap ? 0 : 1 << 15;
		CHECK(choose_smallest(&chooser, &input, &recipes, &choice,
				      NULL) == NC3Z_OK);
		CHECK(same_recipe(&choice.recipe, &recipes.list[cheap]));
		CHECK_EQ_U64(choice.nbytes,
			     stored.payload.nbytes + stored.description.nbytes);
	}
	block_stored_release(&stored);
	free(raw);
}

int main(void)
{
	RUN(test_cost);
	RUN(test_time_is_weighed);
	RUN(test_smooth_field);
	RUN(test_sampled);
	RUN(test_split);
	RUN(test_smallest_stays);
	RUN(test_level_0_stores);
	RUN(test_text);
	RUN(test_noise);
	RUN(test_odd_inputs);
	RUN(test_fractions_come_and_go);
	chooser_release(&chooser);
	return check_report();
}
