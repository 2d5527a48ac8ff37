#include "write/models.h"

#include <pthread.h>
#include <stdlib.h>

struct model {
	unsigned nusers; /* the owner's */
	/* Under the lock: */
	bool is_decided; /* the recipe is there */
	bool is_made;    /* all of it is */
	struct model_contents contents;
};

struct models {
	struct model **last; /* of each stream; the owner's */
	uint32_t nstreams;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

struct models *models_new(uint32_t nstreams)
{
	struct models *models = calloc(1, sizeof(*models));

	if (!models)
		return NULL;
	models->nstreams = nstreams;
	models->last = memory_alloc(nstreams, sizeof(*models->last));
	if (!models->last) {
		free(models);
		return NULL;
	}
	pthread_mutex_init(&models->lock, NULL);
	pthread_cond_init(&models->changed, NULL);
	return models;
}

static void drop(struct model *model)
{
	if (model && --model->nusers == 0)
		free(model);
}

void models_free(struct models *models)
{
	if (!models)
		return;
	for (uint32_t i = 0; i < models->nstreams; i++)
		drop(models->last[i]);
	pthread_cond_destroy(&models->changed);
	pthread_mutex_destroy(&models->lock);
	free(models->last);
	free(models);
}

bool models_hand_out(struct models *models, uint32_t stream, uint32_t block,
		     struct block_models *ret)
{
	struct model **last = &models->last[stream];

	*ret = (struct block_models){ 0 };
	if (block % MODEL_EPOCH != 0) {
		ret->used = *last;
		ret->used->nusers++;
	}
	if (block % MODEL_CHECK != 0)
		return true;
	ret->made = calloc(1, sizeof(*ret->made));
	if (!ret->made) {
		models_hand_back(ret);
		return false;
	}
	ret->made->nusers = 2; /* the block and the stream */
	drop(*last);
	*last = ret->made;
	return true;
}

void models_hand_back(struct block_models *block)
{
	drop(block->used);
	drop(block->made);
	*block = (struct block_models){ 0 };
}

bool model_is_decided(struct models *models, const struct model *model)
{
	bool is_decided;

	pthread_mutex_lock(&models->lock);
	is_decided = model->is_decided;
	pthread_mutex_unlock(&models->lock);
	return is_decided;
}

bool model_recipe(struct models *models, const struct model *model,
		  struct block_recipe *recipe_ret)
{
	bool is_empty;

	pthread_mutex_lock(&models->lock);
	*recipe_ret = model->contents.recipe;
	is_empty = model->contents.is_empty;
	pthread_mutex_unlock(&models->lock);
	return !is_empty;
}

struct model_contents model_wait(struct models *models,
				 const struct model *model)
{
	struct model_contents contents;

	pthread_mutex_lock(&models->lock);
	while (!model->is_made)
		pthread_cond_wait(&models->changed, &models->lock);
	contents = model->contents;
	pthread_mutex_unlock(&models->lock);
	return contents;
}

void model_decide(struct models *models, struct model *model,
		  const struct block_recipe *recipe)
{
	pthread_mutex_lock(&models->lock);
	model->contents.recipe = *recipe;
	model->is_decided = true;
	pthread_cond_broadcast(&models->changed);
	pthread_mutex_unlock(&models->lock);
}

void model_make(struct models *models, struct model *model,
		const struct model_contents *contents)
{
	pthread_mutex_lock(&models->lock);
	model->contents = *contents;
	model->is_decided = true;
	model->is_made = true;
	pthread_cond_broadcast(&models->changed);
	pthread_mutex_unlock(&models->lock);
}
