/*
 * Models: the filters that were found on one block of a stream, and how small
 * that block became.
 *
 * Every MODEL_EPOCH-th block of a stream is searched and makes a model; every
 * MODEL_CHECK-th makes one too, a new one if it comes out much larger than the
 * model before, otherwise the same again.  The blocks between use the last
 * model.  So what a block becomes depends on the bytes of its stream up to
 * there, never on timing.
 *
 * The recipe of a model may be known before its block is encoded, so that the
 * blocks after it need not wait for that.
 *
 * The owner of the jobs hands models out and takes them back, in the order of
 * the blocks; workers use models and make them.  A model is made by an earlier
 * job than those that use it.
 */
#ifndef NC3Z_WRITE_MODELS_H
#define NC3Z_WRITE_MODELS_H

#include "block/block.h"

#define MODEL_EPOCH 64
#define MODEL_CHECK 4

/* What a model says once it is made. */
struct model_contents {
	bool is_empty; /* made by a constant block: says nothing of others */
	struct block_recipe recipe;
	uint32_t raw_nbytes;
	uint32_t stored_nbytes;
};

struct model;
struct models;

/* NULL if out of memory. */
struct models *models_new(uint32_t nstreams);

/* All models have been handed back.  NULL is allowed. */
void models_free(struct models *models);

/* The models of one block; each may be NULL. */
struct block_models {
	struct model *used; /* NULL: searches without one */
	struct model *made; /* NULL: makes none */
};

/*
 * By the owner: the models of the next block of a stream.  False if out of
 * memory.
 */
bool models_hand_out(struct models *models, uint32_t stream, uint32_t block,
		     struct block_models *ret);

/* By the owner: a block needs its models no more. */
void models_hand_back(struct block_models *block);

/* By any thread: whether the recipe of a model is known. */
bool model_is_decided(struct models *models, const struct model *model);

/* By a worker: the recipe of a model that is decided; false if it is empty. */
bool model_recipe(struct models *models, const struct model *model,
		  struct block_recipe *recipe_ret);

/* By a worker: waits until a model is made. */
struct model_contents model_wait(struct models *models,
				 const struct model *model);

/* By a worker, which makes the model later: its recipe will be this. */
void model_decide(struct models *models, struct model *model,
		  const struct block_recipe *recipe);

/* By a worker, for each model to be made, also if its block failed. */
void model_make(struct models *models, struct model *model,
		const struct model_contents *contents);

#endif
