#include <pthread.h>

#include "check.h"
#include "write/models.h"

#define NBLOCKS 70

/* Which models a block gets, by its number alone. */
static void check_handed_out(uint32_t block, const struct block_models *m)
{
	CHECK((m->used == NULL) == (block % MODEL_EPOCH == 0));
	CHECK((m->made != NULL) == (block % MODEL_CHECK == 0));
}

static struct model_contents contents_of(uint32_t stream, uint32_t block)
{
	return (struct model_contents){
		.recipe = { .width = 4, .codec = (uint8_t)(block % 4) },
		.raw_nbytes = stream * 1000 + block,
		.stored_nbytes = block,
	};
}

/* One block after the other: each uses what the last one made. */
static void test_in_order(void)
{
	struct models *models = models_new(2);

	REQUIRE(models);
	for (uint32_t b = 0; b < NBLOCKS; b++)
		for (uint32_t s = 0; s < 2; s++) {
			struct model_contents c;
			struct block_models m;

			REQUIRE(models_hand_out(models, s, b, &m));
			check_handed_out(b, &m);
			if (m.used) {
				c = model_wait(models, m.used);
				CHECK_EQ_U64(c.raw_nbytes,
					     s * 1000 + (b - 1) / MODEL_CHECK *
								MODEL_CHECK);
				CHECK_EQ_U64(c.recipe.width, 4);
			}
			c = contents_of(s, b);
			if (m.made)
				model_make(models, m.made, &c);
			models_hand_back(&m);
			CHECK(!m.used && !m.made);
		}
	models_free(models);
	models_free(NULL);
}

/* Handed out ahead, made and handed back late and in another order. */
static void test_ahead(void)
{
	struct block_models all[NBLOCKS];
	struct models *models = models_new(1);

	REQUIRE(models);
	for (uint32_t b = 0; b < NBLOCKS; b++) {
		REQUIRE(models_hand_out(models, 0, b, &all[b]));
		check_handed_out(b, &all[b]);
	}
	for (uint32_t b = NBLOCKS; b-- > 0;) {
		struct model_contents c = contents_of(0, b);

		if (all[b].made)
			model_make(models, all[b].made, &c);
	}
	for (uint32_t b = 0; b < NBLOCKS; b++) {
		if (all[b].used)
			CHECK_EQ_U64(model_wait(models, all[b].used).raw_nbytes,
				     (b - 1) / MODEL_CHECK * MODEL_CHECK);
		models_hand_back(&all[b]);
	}
	models_free(models);
}

struct waiter {
	struct models *models;
	const struct model *model;
	uint32_t raw_nbytes;
	uint8_t width;
	bool is_decided;
	bool has_recipe;
};

/* Checks are for the main thread. */
static void *wait_for_model(void *context)
{
	struct waiter *w = context;
	struct block_recipe recipe = { 0 };

	w->raw_nbytes = model_wait(w->models, w->model).raw_nbytes;
	w->is_decided = model_is_decided(w->models, w->model);
	w->has_recipe = model_recipe(w->models, w->model, &recipe);
	w->width = recipe.width;
	return NULL;
}

/* The recipe can be had before the rest. */
static void test_decided(void)
{
	struct models *models = models_new(1);
	struct model_contents c = contents_of(0, 7);
	struct block_models made, used;
	struct block_recipe recipe;

	REQUIRE(models && models_hand_out(models, 0, 0, &made) &&
		models_hand_out(models, 0, 1, &used));
	c.recipe.width = 8;
	CHECK(!model_is_decided(models, used.used));
	model_decide(models, made.made, &c.recipe);
	CHECK(model_is_decided(models, used.used));
	CHECK(model_recipe(models, used.used, &recipe));
	CHECK_EQ_U64(recipe.width, 8);
	c.recipe.width = 2;
	model_make(models, made.made, &c);
	CHECK(model_recipe(models, used.used, &recipe));
	CHECK_EQ_U64(recipe.width, 2);
	CHECK_EQ_U64(model_wait(models, used.used).raw_nbytes, 7);
	models_hand_back(&made);
	models_hand_back(&used);
	models_free(models);
}

/* A constant block leaves no recipe. */
static void test_empty(void)
{
	struct models *models = models_new(1);
	struct model_contents c = { .is_empty = true };
	struct block_models made, used;
	struct block_recipe recipe;

	REQUIRE(models && models_hand_out(models, 0, 0, &made) &&
		models_hand_out(models, 0, 1, &used));
	model_make(models, made.made, &c);
	CHECK(model_is_decided(models, used.used));
	CHECK(!model_recipe(models, used.used, &recipe));
	models_hand_back(&made);
	models_hand_back(&used);
	models_free(models);
}

/* Several threads wait for one model. */
static void test_waiting(void)
{
	struct models *models = models_new(1);
	struct block_models made, used[3];
	struct model_contents c = contents_of(0, 7);
	struct waiter waiters[3];
	pthread_t threads[3];

	REQUIRE(models && models_hand_out(models, 0, 0, &made));
	for (uint32_t i = 0; i < 3; i++) {
		REQUIRE(models_hand_out(models, 0, i + 1, &used[i]));
		waiters[i] = (struct waiter){ .models = models,
					      .model = used[i].used };
		REQUIRE(pthread_create(&threads[i], NULL, wait_for_model,
				       &waiters[i]) == 0);
	}
	model_make(models, made.made, &c);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		CHECK(waiters[i].is_decided);
		CHECK(waiters[i].has_recipe);
		CHECK_EQ_U64(waiters[i].raw_nbytes, 7);
		CHECK_EQ_U64(waiters[i].width, 4);
		models_hand_back(&used[i]);
	}
	models_hand_back(&made);
	models_free(models);
}

int main(void)
{
	RUN(test_in_order);
	RUN(test_ahead);
	RUN(test_decided);
	RUN(test_empty);
	RUN(test_waiting);
	return check_report();
}
