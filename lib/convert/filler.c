/* SPDX-License-Identifier: MIT */
/*
 * Fills several chunks together, from one block of the input after the other,
 * in several threads: no two blocks have the same byte of a chunk.
 */
#include "convert/filler.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

/* A block that is decoded, and all that it has of chunks. */
struct filler_job {
	const struct filler_touch *touches;
	size_t ntouches;
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

static void copy_visit(const struct hyperslab_visits *wanted,
		       const struct filler_touch *touch, const uint8_t *block,
		       uint8_t *chunk)
{
	size_t width = wanted->width;
	struct hyperslab_run run;
	struct hyperslab_visits_cursor cursor;
	struct hyperslab_visit w;

	hyperslab_visits_seek(wanted, touch->at, &cursor);
	if (!hyperslab_visits_next(&cursor, UINT64_MAX, &w))
		return;
	while (hyperslab_visits_run(&cursor, &w, &run))
		copy_run(&run,
			 block + w.skip + (run.in_first - w.first) * width,
			 chunk + run.out_first * (ptrdiff_t)width, width);
}

static void copy_part(const struct hyperslab_visits *wanted,
		      const struct filler_touch *touch, const uint8_t *block,
		      uint8_t *chunk)
{
	struct hyperslab_element_part part = { 0 };
	uint8_t *out = chunk + touch->out * (ptrdiff_t)wanted->width;

	while (hyperslab_element_next_part(wanted, touch->at, &part))
		if (part.stream == touch->stream &&
		    part.block.block == touch->block)
			memcpy(out + part.done, block + part.skip, part.nbytes);
}

/* In a worker; 'block' is its buffer. */
static int decode(void *context, const void *argument, struct buffer *block,
		  struct nc3z_error *err)
{
	const struct filler *f = context;
	const struct filler_job *job = argument;
	uint32_t stream = job->touches->stream;
	struct plan_block b = plan_block_numbered(&f->touches.file->map, stream,
						  job->touches->block);
	struct hyperslab_visits wanted;

	if (!buffer_reserve(block, (size_t)b.nbytes))
		return error_set_memory(err);
	NC3Z_TRY(fetch_block(f->touches.file, stream, &b, block->data, err));
	for (size_t i = 0; i < job->ntouches; i++) {
		const struct filler_touch *touch = &job->touches[i];
		const struct open_block *chunk =
			&f->touches.chunks[touch->chunk];

		NC3Z_TRY(filler_request(&f->touches, chunk->block, &wanted,
					err));
		if (touch->straddles)
			copy_part(&wanted, touch, block->data, chunk->raw);
		else
			copy_visit(&wanted, touch, block->data, chunk->raw);
	}
	return NC3Z_OK;
}

/* Goes through the touches, a block at a time. */
struct filler_walk {
	const struct filler_touches *touches;
	size_t at;
};

static bool next_block(void *context, void *job)
{
	struct filler_walk *walk = context;
	const struct filler_touches *touches = walk->touches;
	struct filler_job *next = job;

	if (walk->at == touches->count)
		return false;
	next->touches = &touches->list[walk->at];
	next->ntouches = filler_count_touches(touches, walk->at);
	walk->at += next->ntouches;
	return true;
}

int filler_fill(void *context, const struct plan_map *map, uint32_t stream,
		const struct open_block *chunks, size_t nchunks,
		struct nc3z_error *err)
{
	struct filler *f = context;
	struct filler_walk walk = { .touches = &f->touches };

	NC3Z_TRY(filler_touch(&f->touches, map, stream, chunks, nchunks, err));
	return crew_work(&f->crew, next_block, &walk, err);
}

int filler_count(void *context, const struct plan_map *map, uint32_t stream,
		 const struct open_block *chunks, size_t nchunks,
		 struct nc3z_error *err)
{
	struct filler *f = context;

	NC3Z_TRY(filler_touch(&f->touches, map, stream, chunks, nchunks, err));
	for (size_t i = 0; i < f->touches.count;
	     i += filler_count_touches(&f->touches, i))
		decodings_add(f->decodings, f->touches.list[i].stream,
			      f->touches.list[i].block);
	return NC3Z_OK;
}

/* Which variable each chunked stream of the target has. */
static int find_places(struct filler_touches *f, const struct plan *target,
		       struct nc3z_error *err)
{
	struct hyperslab_variable *variables;

	f->nstreams = target->nstreams;
	f->places = memory_alloc(f->nstreams, sizeof(*f->places));
	if (!f->places)
		return error_set_memory(err);
	NC3Z_TRY(hyperslab_variables_make(target, &f->file->header, &variables,
					  err));
	for (uint32_t v = 0; v < f->file->header.nvars; v++) {
		uint32_t stream = variables[v].stream;

		if (stream != PLAN_NO_STREAM && target->streams[stream].grid)
			f->places[stream] = &f->file->places[v];
	}
	free(variables);
	return NC3Z_OK;
}

int filler_init(struct filler *filler, struct nc3z_file *file,
		const struct plan *target, unsigned nthreads,
		struct nc3z_error *err)
{
	*filler = (struct filler){ .touches.file = file };
	NC3Z_TRY(find_places(&filler->touches, target, err));
	return crew_init(&filler->crew, nthreads, sizeof(struct filler_job),
			 decode, filler, err);
}

void filler_release(struct filler *filler)
{
	crew_release(&filler->crew);
	free(filler->touches.list);
	free(filler->touches.places);
	*filler = (struct filler){ 0 };
}
