/* SPDX-License-Identifier: MIT */
/*
 * Fills several chunks together, from one block of the input after the other,
 * in several threads: no two blocks have the same byte of a chunk.  Both are
 * runs of the original (plan/block_runs.h), whatever their layout.
 */
#include "convert/filler.h"

#include <string.h>

#include "base/sizes.h"
#include "plan/block_runs.h"

struct filler_job {
	uint32_t stream;
	uint64_t block;
};

/*
 * Bytes from a part of another chunk up to the next one that may be of those
 * that are filled: in its row, or after it.
 */
static uint64_t skip_nbytes(const struct filler *f, const struct plan_run *part,
			    uint64_t chunk)
{
	const struct plan_stream *s = &f->map->plan->streams[f->stream];
	const struct plan_grid_dim *d = &s->grid->dims[s->grid->run_dim];
	uint64_t in_row = size_div_up(d->nindices, d->chunk);
	uint64_t next = chunk % in_row + 1, to = in_row;

	/* Records do not follow each other. */
	if (part->stream != f->stream ||
	    (s->is_record && s->grid->run_dim == 0))
		return part->nbytes;
	if (chunk < f->chunks[0].block)
		to = size_min(to, next - 1 + f->chunks[0].block - chunk);
	if (to == next)
		return part->nbytes;
	return part->nbytes +
	       (size_min(to * d->chunk, d->nindices) - next * d->chunk) *
		       d->weight * s->grid->width;
}

/* Gives the chunks what a run of a block has of them. */
static void copy_run(const struct filler *f, const struct plan_block_run *run,
		     const uint8_t *data)
{
	uint64_t at = size_max(run->offset, f->first_offset);
	uint64_t end = size_min(run->offset + run->nbytes, f->end_offset);
	struct plan_block chunk;
	struct plan_run part;

	while (at < end) {
		uint64_t number;

		part = plan_run_in_block(f->map, at, &chunk);
		number = chunk.block - f->chunks[0].block;
		if (part.stream != f->stream || number >= f->nchunks) {
			at += skip_nbytes(f, &part, chunk.block);
			continue;
		}
		part.nbytes = size_min(part.nbytes, end - at);
		memcpy(f->chunks[number].raw +
			       (part.stream_offset - chunk.stream_offset),
		       data + (at - run->offset), (size_t)part.nbytes);
		at += part.nbytes;
	}
}

/* In a worker; 'block' is its buffer. */
static int decode_block(void *context, const void *argument,
			struct buffer *block, struct nc3z_error *err)
{
	const struct filler *f = context;
	const struct filler_job *job = argument;
	const struct plan_map *map = &f->file->map;
	struct plan_block b = plan_block_numbered(map, job->stream, job->block);
	struct plan_block_runs runs;
	struct plan_block_run run;

	if (!buffer_reserve(block, (size_t)b.nbytes))
		return error_set_memory(err);
	NC3Z_TRY(fetch_block(f->file, job->stream, &b, block->data, err));
	plan_block_runs_begin(map, job->stream, job->block, &runs);
	while (plan_block_runs_next(&runs, &run))
		copy_run(f, &run, block->data + run.block_offset);
	return NC3Z_OK;
}

/* The next block that is touched, which is then forgotten. */
static bool next_block(void *context, void *job)
{
	struct filler *f = context;
	const struct decodings *t = &f->touched;

	while (f->at < f->end && t->times[f->at] == 0)
		f->at++;
	if (f->at >= f->end)
		return false;
	while (f->stream_at + 1 < f->file->plan.nstreams &&
	       t->first[f->stream_at + 1] <= f->at)
		f->stream_at++;
	t->times[f->at] = 0;
	*(struct filler_job *)job = (struct filler_job){
		.stream = f->stream_at,
		.block = f->at++ - t->first[f->stream_at],
	};
	return true;
}

static void touch_block(struct filler *f, uint32_t stream, uint64_t block)
{
	uint64_t number = f->touched.first[stream] + block;

	f->touched.times[number] = 1;
	f->at = size_min(f->at, number);
	f->end = size_max(f->end, number + 1);
}

/* Notes which blocks have bytes of a chunk. */
static void touch(struct filler *f, uint64_t chunk)
{
	const struct plan_map *map = &f->file->map;
	struct plan_block_runs runs;
	struct plan_block_run run;
	struct plan_block block;
	struct plan_run part;

	plan_block_runs_begin(f->map, f->stream, chunk, &runs);
	while (plan_block_runs_next(&runs, &run) &&
	       run.offset < map->original_nbytes) {
		uint64_t at = run.offset;
		uint64_t end = size_min(at + run.nbytes, map->original_nbytes);

		f->first_offset = size_min(f->first_offset, at);
		f->end_offset = size_max(f->end_offset, end);
		for (; at < end; at += part.nbytes) {
			part = plan_run_in_block(map, at, &block);
			touch_block(f, part.stream, block.block);
		}
	}
}

/* Takes up some chunks of a stream: what they touch. */
static void take_up(struct filler *f, const struct plan_map *map,
		    uint32_t stream, const struct open_block *chunks,
		    size_t nchunks)
{
	f->map = map;
	f->stream = stream;
	f->chunks = chunks;
	f->nchunks = nchunks;
	f->first_offset = UINT64_MAX;
	f->end_offset = 0;
	f->at = f->touched.nblocks;
	f->end = 0;
	f->stream_at = 0;
	for (size_t i = 0; i < nchunks; i++)
		touch(f, chunks[i].block);
}

int filler_fill(void *context, const struct plan_map *map, uint32_t stream,
		const struct open_block *chunks, size_t nchunks,
		struct nc3z_error *err)
{
	struct filler *f = context;

	take_up(f, map, stream, chunks, nchunks);
	return crew_work(&f->crew, next_block, f, err);
}

int filler_count(void *context, const struct plan_map *map, uint32_t stream,
		 const struct open_block *chunks, size_t nchunks,
		 struct nc3z_error *err)
{
	struct filler *f = context;
	struct filler_job job;

	(void)err;
	take_up(f, map, stream, chunks, nchunks);
	while (next_block(f, &job))
		decodings_add(f->decodings, job.stream, job.block);
	return NC3Z_OK;
}

int filler_init(struct filler *filler, struct nc3z_file *file,
		unsigned nthreads, struct nc3z_error *err)
{
	*filler = (struct filler){ .file = file };
	NC3Z_TRY(decodings_init(&filler->touched, &file->map, err));
	return crew_init(&filler->crew, nthreads, sizeof(struct filler_job),
			 decode_block, filler, err);
}

void filler_release(struct filler *filler)
{
	crew_release(&filler->crew);
	decodings_release(&filler->touched);
	*filler = (struct filler){ 0 };
}
