/* SPDX-License-Identifier: MIT */
#include "write/block_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "write/disguise.h"
#include "write/older.h"
#include "write/block_writer_inside.h"

/* Raw bytes on their way, unless blocks are so large that more is needed. */
#define QUEUE_NBYTES (UINT32_C(4) << 20)

static void run_encoding(void *context, void *argument, unsigned worker)
{
	pack_job_run(context, argument, worker);
}

/* Blocks after one that is searched wait for what it finds. */
static bool is_ready(void *context, void *argument)
{
	const struct block_writer *w = context;
	const struct pack_job *job = argument;

	return !job->recipe_cache.used ||
	       cached_recipe_is_decided(w->recipe_cache,
					job->recipe_cache.used);
}

int block_writer_init(struct block_writer *w,
		      const struct block_writer_setup *setup,
		      struct nc3z_error *err)
{
	uint64_t queue_nbytes =
		size_max(QUEUE_NBYTES,
			 (uint64_t)setup->block_nbytes * (setup->nthreads + 2));
	const struct pool_setup pool = {
		.nthreads = setup->nthreads,
		/* The serial twin gains nothing from a queue. */
		.max_nbytes = setup->nthreads > 1 ? queue_nbytes : 0,
		.run = run_encoding,
		.is_ready = is_ready,
		.context = w,
	};

	*w = (struct block_writer){
		.archive = setup->archive,
		.equal = { .archive = setup->archive },
		.settings = setup->settings,
		.hints = setup->hints,
		.streams = setup->streams,
		.plan = setup->plan,
		.older = setup->older,
		.recipe_cache = recipe_cache_new(setup->nstreams),
	};
	if (!w->recipe_cache)
		return error_set_memory(err);
	NC3Z_TRY(pool_new(&pool, &w->pool, err));
	w->choosers =
		memory_alloc(pool_nworkers(w->pool), sizeof(*w->choosers));
	w->older_blocks =
		memory_alloc(pool_nworkers(w->pool), sizeof(*w->older_blocks));
	if (!w->choosers || !w->older_blocks)
		return error_set_memory(err);
	for (unsigned i = 0; i < pool_nworkers(w->pool); i++)
		w->choosers[i].stop = setup->settings.stop;
	return NC3Z_OK;
}

/* A job's memory for its block; its buffers stay for the next one. */
static void empty_job(struct pack_job *job)
{
	recipe_cache_hand_back(&job->recipe_cache);
	free(job->raw);
	job->raw = NULL;
}

static void free_job(struct pack_job *job)
{
	empty_job(job);
	block_stored_release(&job->stored);
	free(job);
}

void block_writer_release(struct block_writer *w)
{
	struct pack_job *job;

	while (w->pool && (job = pool_take(w->pool)))
		free_job(job);
	while ((job = w->spare)) {
		w->spare = job->next;
		free_job(job);
	}
	for (unsigned i = 0; w->choosers && i < pool_nworkers(w->pool); i++)
		chooser_release(&w->choosers[i]);
	for (unsigned i = 0; w->older_blocks && i < pool_nworkers(w->pool); i++)
		older_block_release(&w->older_blocks[i]);
	free(w->choosers);
	free(w->older_blocks);
	pool_free(w->pool);
	recipe_cache_free(w->recipe_cache);
	equal_blocks_release(&w->equal);
	*w = (struct block_writer){ 0 };
}

static int append_encoded(struct block_writer *w, const struct pack_job *job,
			  struct nc3z_error *err)
{
	const struct archive_block block = {
		.stream = job->stream,
		.block = job->block,
		.raw_nbytes = (uint32_t)job->raw_nbytes,
		.raw_crc = job->raw_crc,
		.description = job->stored.description.data,
		.description_nbytes = job->stored.description.nbytes,
		.payload = job->stored.payload.data,
		.payload_nbytes = job->stored.payload.nbytes,
	};
	bool collides;

	NC3Z_TRY(equal_blocks_append(&w->equal, &block, job->raw, &collides,
				     err));
	return collides ? disguise_append(w->archive, &block, job->raw, err) :
			  NC3Z_OK;
}

static void put_by(struct block_writer *w, struct pack_job *job)
{
	empty_job(job);
	job->next = w->spare;
	w->spare = job;
}

/* A job has come back from the pool: its block is appended. */
static int append_job(struct block_writer *w, struct pack_job *job,
		      struct nc3z_error *err)
{
	int status = job->status;

	if (status != NC3Z_OK && err)
		*err = job->err;
	if (status == NC3Z_OK && !job->is_rehearsed)
		status = append_encoded(w, job, err);
	w->ncopied += status == NC3Z_OK && job->is_copied;
	put_by(w, job);
	return status;
}

/* NULL if out of memory. */
static struct pack_job *new_job(struct block_writer *w)
{
	struct pack_job *job = w->spare;

	if (!job)
		return calloc(1, sizeof(*job));
	w->spare = job->next;
	return job;
}

/*
 * The identity of the archive comes from the first block put in; a part gets it
 * when it is joined.
 */
static int set_identity(struct block_writer *w, const uint8_t *raw,
			size_t raw_nbytes, struct nc3z_error *err)
{
	if (w->has_identity || w->archive->is_part)
		return NC3Z_OK;
	w->has_identity = true;
	return archive_identity(w->plan->data, w->plan->nbytes, raw, raw_nbytes,
				w->archive->identity, err);
}

static int submit(struct block_writer *w, struct pack_job *job,
		  struct nc3z_error *err)
{
	NC3Z_TRY(set_identity(w, job->raw, job->raw_nbytes, err));
	if (!recipe_cache_hand_out(w->recipe_cache, job->stream, job->block,
				   &job->recipe_cache) ||
	    !pool_submit(w->pool, job, job->raw_nbytes))
		return error_set_memory(err);
	return NC3Z_OK;
}

static int put_job(struct block_writer *w, const struct pack_job *what,
		   struct nc3z_error *err)
{
	struct pack_job *job = new_job(w);
	int status;

	if (!job) {
		free(what->raw);
		return error_set_memory(err);
	}
	job->stream = what->stream;
	job->block = what->block;
	job->raw = what->raw;
	job->raw_nbytes = what->raw_nbytes;
	job->is_rehearsed = what->is_rehearsed;
	status = submit(w, job, err);
	if (status != NC3Z_OK) {
		put_by(w, job);
		return status;
	}
	while (pool_is_full(w->pool))
		NC3Z_TRY(append_job(w, pool_take(w->pool), err));
	return NC3Z_OK;
}

int block_writer_put(struct block_writer *w, uint32_t stream, uint32_t block,
		     uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	const struct pack_job what = {
		.stream = stream,
		.block = block,
		.raw = raw,
		.raw_nbytes = raw_nbytes,
	};

	return put_job(w, &what, err);
}

int block_writer_rehearse(struct block_writer *w, uint32_t stream,
			  uint32_t block, uint8_t *raw, size_t raw_nbytes,
			  struct nc3z_error *err)
{
	const struct pack_job what = {
		.stream = stream,
		.block = block,
		.raw = raw,
		.raw_nbytes = raw_nbytes,
		.is_rehearsed = true,
	};

	return put_job(w, &what, err);
}

int block_writer_finish(struct block_writer *w, struct nc3z_error *err)
{
	struct pack_job *job;

	while ((job = pool_take(w->pool)))
		NC3Z_TRY(append_job(w, job, err));
	return NC3Z_OK;
}
