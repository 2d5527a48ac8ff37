/*
 * What chunks that are filled together touch is worked off a block at a time,
 * by several threads: no two blocks have the same byte of a chunk.
 */
#include "convert/filler.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "convert/filler_touch.h"

/* A block that is decoded, and all that it has of chunks. */
struct filler_job {
	struct filler *filler;
	const struct filler_touch *touches;
	size_t ntouches;
	int status;
	struct nc3z_error err;
};

static void copy_run(const struct hyperslab_run *run, const uint8_t *in,
		     uint8_t *out, size_t width)
{
	if (run->in_step == 1 && run->out_step == 1) {
		memcpy(out, in, (size_t)run->nelems * width);
		return;
	}
	for (uint64_t i = 0; i < run->nelems; i++) {
		memcpy(out, in, width);
		in += run->in_step * width;
		out += run->out_step * (ptrdiff_t)width;
	}
}

static void copy_visit(const struct plan_request *wanted,
		       const struct filler_touch *touch, const uint8_t *block,
		       uint8_t *chunk)
{
	size_t width = wanted->width;
	struct hyperslab_run run;
	struct plan_cursor cursor;
	struct plan_visit w;

	plan_cursor_seek(wanted, touch->at, &cursor);
	if (!plan_cursor_visit(&cursor, UINT64_MAX, &w))
		return;
	while (plan_cursor_run(&cursor, &w, &run))
		copy_run(&run,
			 block + w.skip + (run.in_first - w.first) * width,
			 chunk + run.out_first * (ptrdiff_t)width, width);
}

static void copy_part(const struct plan_request *wanted,
		      const struct filler_touch *touch, const uint8_t *block,
		      uint8_t *chunk)
{
	struct element_part part = { 0 };
	uint8_t *out = chunk + touch->out * (ptrdiff_t)wanted->width;

	while (element_next_part(wanted, touch->at, &part))
		if (part.stream == touch->stream &&
		    part.block.block == touch->block)
			memcpy(out + part.done, block + part.skip, part.nbytes);
}

static int decode(struct filler_job *job, struct buffer *block)
{
	const struct filler *f = job->filler;
	uint32_t stream = job->touches->stream;
	struct plan_block b =
		plan_block_numbered(&f->file->map, stream, job->touches->block);
	struct plan_request wanted;

	if (!buffer_reserve(block, (size_t)b.nbytes))
		return error_set_memory(&job->err);
	NC3Z_TRY(fetch_block(f->file, stream, &b, block->data, &job->err));
	for (size_t i = 0; i < job->ntouches; i++) {
		const struct filler_touch *touch = &job->touches[i];
		const struct open_block *chunk = &f->chunks[touch->chunk];

		NC3Z_TRY(filler_request(f, chunk->block, &wanted, &job->err));
		if (touch->straddles)
			copy_part(&wanted, touch, block->data, chunk->raw);
		else
			copy_visit(&wanted, touch, block->data, chunk->raw);
	}
	return NC3Z_OK;
}

/* In a worker. */
static void run(void *context, void *argument, unsigned worker)
{
	const struct filler *f = context;
	struct filler_job *job = argument;

	job->status = decode(job, &f->blocks[worker]);
}

/* Waits for the oldest job; the first failure of all stays. */
static void take_job(struct filler *f, int *status, struct nc3z_error *err)
{
	const struct filler_job *job = pool_take(f->pool);

	if (job->status == NC3Z_OK || *status != NC3Z_OK)
		return;
	*status = job->status;
	if (err)
		*err = job->err;
}

static int decode_all(struct filler *f, struct nc3z_error *err)
{
	uint64_t nsubmitted = 0, ndone = 0;
	int status = NC3Z_OK;
	size_t n;

	for (size_t i = 0; i < f->ntouches && status == NC3Z_OK; i += n) {
		struct filler_job *job = &f->jobs[nsubmitted % f->njobs];

		n = filler_count_touches(f, i);
		*job = (struct filler_job){
			.filler = f,
			.touches = &f->touches[i],
			.ntouches = n,
		};
		if (!pool_submit(f->pool, job, 1))
			status = error_set_memory(err);
		else
			nsubmitted++;
		for (; pool_is_full(f->pool); ndone++)
			take_job(f, &status, err);
	}
	for (; ndone < nsubmitted; ndone++)
		take_job(f, &status, err);
	return status;
}

int filler_fill(void *context, const struct plan_map *map, uint32_t stream,
		const struct open_block *chunks, size_t nchunks,
		struct nc3z_error *err)
{
	struct filler *f = context;

	NC3Z_TRY(filler_touch(f, map, stream, chunks, nchunks, err));
	return decode_all(f, err);
}

int filler_count(void *context, const struct plan_map *map, uint32_t stream,
		 const struct open_block *chunks, size_t nchunks,
		 struct nc3z_error *err)
{
	struct filler *f = context;

	NC3Z_TRY(filler_touch(f, map, stream, chunks, nchunks, err));
	for (size_t i = 0; i < f->ntouches; i += filler_count_touches(f, i))
		decodings_add(f->decodings, f->touches[i].stream,
			      f->touches[i].block);
	return NC3Z_OK;
}

/* Which variable each chunked stream of the target has. */
static int find_places(struct filler *f, const struct plan *target,
		       struct nc3z_error *err)
{
	struct plan_variable *variables;

	f->nstreams = target->nstreams;
	f->places = memory_alloc(f->nstreams, sizeof(*f->places));
	if (!f->places)
		return error_set_memory(err);
	NC3Z_TRY(
		plan_variables_make(target, &f->file->header, &variables, err));
	for (uint32_t v = 0; v < f->file->header.nvars; v++) {
		uint32_t stream = variables[v].stream;

		if (stream != PLAN_NO_STREAM && target->streams[stream].grid)
			f->places[stream] = &f->file->places[v];
	}
	free(variables);
	return NC3Z_OK;
}

static int make_pool(struct filler *f, unsigned nthreads,
		     struct nc3z_error *err)
{
	const struct pool_setup setup = {
		.nthreads = nthreads,
		.max_nbytes = nthreads > 1 ? 2 * (uint64_t)nthreads : 0,
		.run = run,
		.context = f,
	};

	NC3Z_TRY(pool_new(&setup, &f->pool, err));
	/* One more than the pool takes before it is full. */
	f->njobs = 2 * (uint64_t)nthreads + 2;
	f->jobs = memory_alloc(f->njobs, sizeof(*f->jobs));
	f->blocks = memory_alloc(pool_nworkers(f->pool), sizeof(*f->blocks));
	return f->jobs && f->blocks ? NC3Z_OK : error_set_memory(err);
}

int filler_init(struct filler *filler, struct nc3z_file *file,
		const struct plan *target, unsigned nthreads,
		struct nc3z_error *err)
{
	*filler = (struct filler){ .file = file };
	NC3Z_TRY(find_places(filler, target, err));
	return make_pool(filler, nthreads, err);
}

void filler_release(struct filler *filler)
{
	for (unsigned i = 0; filler->blocks && i < pool_nworkers(filler->pool);
	     i++)
		buffer_release(&filler->blocks[i]);
	pool_free(filler->pool);
	free(filler->blocks);
	free(filler->jobs);
	free(filler->touches);
	free(filler->places);
	*filler = (struct filler){ 0 };
}
