/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "write/block_writer.h"
#include "write/block_writer_inside.h"
#include "write/hint.h"
#include "write/older.h"

static struct plan_hint hint_of(const struct block_writer *w,
				const struct pack_job *job)
{
	return plan_hint_of_block(&w->streams[job->stream],
				  &w->hints[job->stream], job->block);
}

static struct choose_input input_of(const struct block_writer *w,
				    const struct pack_job *job)
{
	const struct plan_hint hint = hint_of(w, job);

	return (struct choose_input){
		.hint = hint_for_choosing(&hint),
		.raw = job->raw,
		.raw_nbytes = job->raw_nbytes,
	};
}

/* A stride of a row or a plane of one block, as it is in another. */
static uint32_t fit_stride(uint32_t stride, const struct plan_hint *from,
			   const struct plan_hint *to)
{
	if (stride == from->row_nelems && to->row_nelems)
		return to->row_nelems;
	if (stride == from->plane_nelems && to->plane_nelems)
		return to->plane_nelems;
	return stride;
}

/* The recipe of one block for another, which may be clipped otherwise. */
static struct block_recipe fit_recipe(struct block_recipe recipe,
				      const struct plan_hint *from,
				      const struct plan_hint *to)
{
	recipe.row_nelems = fit_stride(recipe.row_nelems, from, to);
	recipe.plane_nelems = fit_stride(recipe.plane_nelems, from, to);
	for (uint8_t i = 0; i < recipe.chain.nsteps; i++) {
		struct filter_step *step = &recipe.chain.steps[i];

		if (filter_has_stride(step->id))
			step->stride = fit_stride(step->stride, from, to);
	}
	return recipe;
}

/* The recipe of a block as that of a whole one, which recipe_cache are. */
static struct block_recipe for_cached(const struct block_writer *w,
				      const struct pack_job *job,
				      const struct block_recipe *recipe)
{
	const struct plan_hint own = hint_of(w, job);

	return fit_recipe(*recipe, &own, &w->hints[job->stream]);
}

/*
 * Searches the recipe of a block and encodes it.  Where the recipe is certain
 * before, those that wait for the cached recipe need not wait for that.
 */
static int search(const struct block_writer *w, struct chooser *chooser,
		  struct pack_job *job, struct choose_result *choice,
		  struct cached_recipe_contents *cached)
{
	struct choose_input input = input_of(w, job);
	struct choose_recipes recipes;

	NC3Z_TRY(choose_recipes(chooser, &w->settings, &input, &recipes,
				&job->err));
	if (job->recipe_cache.made && recipes.count == 1 &&
	    recipes.list[0].others == 0 && !recipes.is_constant &&
	    choice->nbytes == SIZE_MAX) {
		const struct block_recipe recipe =
			for_cached(w, job, &recipes.list[0]);

		cached_recipe_decide(w->recipe_cache, job->recipe_cache.made,
				     &recipe);
		pool_wake(w->pool);
	}
	NC3Z_TRY(choose_smallest(chooser, &input, &recipes, choice, &job->err));
	*cached = (struct cached_recipe_contents){
		.is_empty = recipes.is_constant,
		.recipe = for_cached(w, job, &choice->recipe),
		.codecs = job->stored.codecs,
		.raw_nbytes = (uint32_t)job->raw_nbytes,
		.stored_nbytes = (uint32_t)choice->nbytes,
	};
	return NC3Z_OK;
}

/* Encodes a block; 'cached' becomes what it leaves for those after it. */
static int encode(const struct block_writer *w, struct chooser *chooser,
		  struct pack_job *job, struct cached_recipe_contents *cached)
{
	struct choose_input input = input_of(w, job);
	struct choose_result choice = { .stored = &job->stored,
					.nbytes = SIZE_MAX };
	struct choose_recipes known = { .count = 1 };
	const struct plan_hint own = hint_of(w, job);
	uint8_t codecs;

	if (!job->recipe_cache.used ||
	    !cached_recipe_get(w->recipe_cache, job->recipe_cache.used,
			       &known.list[0], &codecs))
		return search(w, chooser, job, &choice, cached);
	if (!job->recipe_cache.made)
		known.list[0].others &= codecs;
	known.list[0] = fit_recipe(known.list[0], &w->hints[job->stream], &own);
	NC3Z_TRY(choose_smallest(chooser, &input, &known, &choice, &job->err));
	if (!job->recipe_cache.made)
		return NC3Z_OK;
	*cached = cached_recipe_wait(w->recipe_cache, job->recipe_cache.used);
	/* A constant block has no parts, and says nothing of others. */
	if (job->stored.codecs != 0)
		cached->codecs = job->stored.codecs;
	if (!cached_recipe_is_much_worse(cached, job->raw_nbytes,
					 choice.nbytes))
		return NC3Z_OK;
	return search(w, chooser, job, &choice, cached);
}

/* A block of the older archive that leaves a cached recipe. */
struct rehearsal {
	struct block_writer *w;
	unsigned worker;
	uint32_t stream;
	struct nc3z_error *err;
};

/*
 * Encodes it as it was encoded.  With the codecs of the one before it, as a
 * block that leaves no recipe, that takes less time; if it then is as it is in
 * the archive, all codecs together made no less of it.
 */
static int encode_again(const struct rehearsal *r, struct pack_job *job,
			const struct recipe_cache_use *use,
			struct cached_recipe_contents *contents)
{
	const struct older_block *old = &r->w->older_blocks[r->worker];
	struct chooser *chooser = &r->w->choosers[r->worker];
	bool is_plain = older_is_plain(old);

	NC3Z_TRY(encode(r->w, chooser, job, contents));
	if (contents->raw_nbytes == 0) { /* with the recipe before it */
		size_t nbytes = job->stored.description.nbytes +
				job->stored.payload.nbytes;

		*contents = cached_recipe_wait(r->w->recipe_cache, use->used);
		if (job->stored.codecs != 0)
			contents->codecs = job->stored.codecs;
		if (is_plain &&
		    older_check(old, &job->stored, NULL) == NC3Z_OK &&
		    !cached_recipe_is_much_worse(contents, job->raw_nbytes,
						 nbytes))
			return NC3Z_OK;
		job->recipe_cache.made = use->made;
		NC3Z_TRY(encode(r->w, chooser, job, contents));
	}
	return is_plain ? older_check(old, &job->stored, &job->err) : NC3Z_OK;
}

static int rehearse(void *context, uint32_t block,
		    const struct recipe_cache_use *use,
		    struct cached_recipe_contents *contents)
{
	const struct rehearsal *r = context;
	struct older_block *old = &r->w->older_blocks[r->worker];
	struct pack_job job = {
		.stream = r->stream,
		.block = block,
		.recipe_cache = { .used = use->used },
	};
	int status;

	NC3Z_TRY(older_read(r->w->older, r->stream, block,
			    &r->w->choosers[r->worker].coder, old, r->err));
	job.raw = old->raw.data;
	job.raw_nbytes = old->raw.nbytes;
	status = encode_again(r, &job, use, contents);
	if (status != NC3Z_OK)
		*r->err = job.err;
	block_stored_release(&job.stored);
	return status;
}

/* Whether the older archive has this block, in the same place of an epoch. */
static int compare_with_older(struct block_writer *w, struct pack_job *job,
			      unsigned worker, bool *is_same_ret)
{
	const struct archive_block wanted = {
		.stream = job->stream,
		.block = job->block,
		.raw_nbytes = (uint32_t)job->raw_nbytes,
	};
	const struct cached_recipe *used = job->recipe_cache.used;
	struct older_block *old = &w->older_blocks[worker];
	bool follows = !used || cached_recipe_is_kept(w->recipe_cache, used);

	*is_same_ret = false;
	if (!w->older || !(follows || w->older->file_plan))
		return NC3Z_OK;
	NC3Z_TRY(older_compare(w->older, &wanted, job->raw,
			       &w->choosers[worker].coder, old, &job->err));
	*is_same_ret = old->is_same && follows;
	job->is_copied = *is_same_ret && older_is_plain(old) &&
			 !older_samples(w->older, job->block);
	return NC3Z_OK;
}

static int copy_older(struct pack_job *job, const struct archive_block *block)
{
	struct block_stored *stored = &job->stored;

	stored->description.nbytes = 0;
	stored->payload.nbytes = 0;
	job->raw_crc = block->raw_crc;
	return buffer_append(&stored->description, block->description,
			     block->description_nbytes) &&
			       buffer_append(&stored->payload, block->payload,
					     block->payload_nbytes) ?
		       NC3Z_OK :
		       error_set_memory(&job->err);
}

static int encode_new(struct block_writer *w, struct pack_job *job,
		      unsigned worker, struct cached_recipe_contents *cached)
{
	struct rehearsal rehearsal = {
		.w = w,
		.worker = worker,
		.stream = job->stream,
		.err = &job->err,
	};

	job->raw_crc = crc32_of(job->raw, job->raw_nbytes);
	if (job->recipe_cache.used)
		NC3Z_TRY(cached_recipe_recall(w->recipe_cache,
					      job->recipe_cache.used, rehearse,
					      &rehearsal));
	return encode(w, &w->choosers[worker], job, cached);
}

void pack_job_run(struct block_writer *w, struct pack_job *job, unsigned worker)
{
	struct cached_recipe_contents cached = { .is_empty = true };
	struct cached_recipe *made = job->recipe_cache.made;
	const struct older_block *old = &w->older_blocks[worker];
	bool is_same;

	job->is_copied = false;
	job->status = compare_with_older(w, job, worker, &is_same);
	if (is_same && made)
		cached_recipe_keep(w->recipe_cache, made, job->is_copied);
	if (job->is_copied)
		job->status = copy_older(job, &old->fetched.block);
	else if (job->status == NC3Z_OK)
		job->status = encode_new(w, job, worker, &cached);
	/* The first of an epoch: nothing else was read meanwhile. */
	if (job->status == NC3Z_OK && is_same && !job->recipe_cache.used &&
	    older_is_plain(old))
		job->status = older_check(old, &job->stored, &job->err);
	if (!made)
		return;
	if (!job->is_copied)
		cached_recipe_make(w->recipe_cache, made, &cached);
	pool_wake(w->pool);
}
