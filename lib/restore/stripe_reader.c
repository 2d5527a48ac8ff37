/* SPDX-License-Identifier: MIT */
#include "restore/stripe_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "io/source.h"
#include "parallel/crew.h"
#include "plan/chunk_rows.h"

struct stripe {
	struct stripe_range range;
	uint8_t *data; /* NULL: none is there */
	uint64_t used_nbytes;
	uint64_t next_block; /* to be decoded */
};

/* One block that is decoded into a stripe. */
struct stripe_job {
	uint32_t stream;
	uint64_t block;
	const struct stripe *stripe;
};

struct stripe_reader {
	struct nc3z_source base;
	struct stripe_input input;
	const struct plan_map *map;
	/*
	 * The plan with each stream as its bytes in the order of the original:
	 * as if nothing were chunked.  Most of it is that of the file.
	 */
	struct plan flat_plan;
	struct plan_map flat;
	struct stripe *stripes; /* of each stream */
	/* Memory that a stripe has left to the next one. */
	uint8_t *spare;
	uint64_t spare_nbytes;
	struct crew crew; /* whose buffers are for chunks */
};

/* The part of a chunk that lies in a stripe, row by row. */
static void copy_rows(const struct stripe_reader *r,
		      const struct stripe_job *job, const uint8_t *chunk)
{
	const struct stripe_range *range = &job->stripe->range;
	const bool is_whole = r->input.chunks_are_whole;
	uint64_t end = range->begin + range->nbytes;
	struct plan_chunk_rows rows;
	const struct plan_chunk_row *row;

	plan_chunk_rows_begin(r->map, job->stream, job->block, &rows);
	while ((row = plan_chunk_rows_next(&rows)) &&
	       row->member_offset < end) {
		uint64_t from = size_max(row->member_offset, range->begin);
		uint64_t to = size_min(row->member_offset + row->nbytes, end);
		uint64_t at = is_whole ? row->whole_offset : row->chunk_offset;

		if (from < to)
			memcpy(job->stripe->data + (from - range->begin),
			       chunk + at + (from - row->member_offset),
			       (size_t)(to - from));
	}
}

/* In a worker; 'chunk' is its buffer. */
static int decode_chunk(void *context, const void *argument,
			struct buffer *chunk, struct nc3z_error *err)
{
	const struct stripe_reader *r = context;
	const struct stripe_job *job = argument;
	const struct stripe *stripe = job->stripe;
	const struct stripe_block block = {
		.stream = job->stream,
		.block = plan_block_numbered(r->map, job->stream, job->block),
		.worker = crew_worker(&r->crew, chunk),
	};

	const struct plan_grid *grid = r->map->plan->streams[job->stream].grid;
	size_t nbytes = (size_t)block.block.nbytes;

	if (!grid)
		return r->input.fetch(r->input.context, &block,
				      stripe->data +
					      (block.block.stream_offset -
					       stripe->range.begin),
				      err);
	if (!stripe_has_chunk(r->input.plan, job->stream, &stripe->range,
			      job->block))
		return NC3Z_OK;
	if (r->input.chunks_are_whole)
		nbytes = plan_grid_chunk_nbytes(grid);
	if (!buffer_reserve(chunk, nbytes))
		return error_set_memory(err);
	NC3Z_TRY(r->input.fetch(r->input.context, &block, chunk->data, err));
	copy_rows(r, job, chunk->data);
	return NC3Z_OK;
}

/* Goes through stripes that are being filled. */
struct filling {
	struct stripe_reader *r;
	uint32_t stream;
	uint32_t end_stream;
};

static bool next_block(void *context, void *job)
{
	struct filling *f = context;

	for (; f->stream < f->end_stream; f->stream++) {
		struct stripe *stripe = &f->r->stripes[f->stream];

		if (!stripe->data ||
		    stripe->next_block == stripe->range.end_block)
			continue;
		*(struct stripe_job *)job = (struct stripe_job){
			.stream = f->stream,
			.block = stripe->next_block++,
			.stripe = stripe,
		};
		return true;
	}
	return false;
}

/* Memory for a stripe, what was left by another one if it suits. */
static bool allocate(struct stripe_reader *r, struct stripe *stripe)
{
	uint64_t nbytes = stripe->range.nbytes;

	if (r->spare &&
	    (r->spare_nbytes < nbytes || r->spare_nbytes / 2 > nbytes)) {
		free(r->spare);
		r->spare = NULL;
	}
	stripe->data = r->spare;
	if (!stripe->data && nbytes <= SIZE_MAX)
		stripe->data = malloc((size_t)nbytes);
	r->spare = NULL;
	return stripe->data != NULL;
}

/* A stripe that has been read whole leaves its memory to the next one. */
static void empty(struct stripe_reader *r, struct stripe *stripe)
{
	free(r->spare);
	r->spare = stripe->data;
	r->spare_nbytes = stripe->range.nbytes;
	*stripe = (struct stripe){ 0 };
}

static int begin_stripe(struct stripe_reader *r, uint32_t stream, uint64_t at,
			struct nc3z_error *err)
{
	struct stripe *stripe = &r->stripes[stream];

	if (stripe->data)
		empty(r, stripe);
	stripe->range = stripe_plan_at(r->input.plan, stream, at);
	stripe->next_block = stripe->range.first_block;
	if (!allocate(r, stripe))
		return error_set_memory(err);
	return NC3Z_OK;
}

/*
 * Begins stripes of what follows in the same record, if it is not there, so
 * that threads have more to do.
 */
static int begin_beside(struct stripe_reader *r, uint32_t stream, uint64_t at,
			struct nc3z_error *err)
{
	const struct plan_stream *s = &r->map->plan->streams[stream];
	const uint64_t record = at / s->nbytes;

	for (uint32_t i = 0; i < r->map->plan->nstreams; i++) {
		const struct plan_stream *other = &r->map->plan->streams[i];

		if (other->grid && other->is_record && !r->stripes[i].data &&
		    other->members[0].begin > s->members[0].begin &&
		    record * other->nbytes < r->map->extents[i].nbytes)
			NC3Z_TRY(begin_stripe(r, i, record * other->nbytes,
					      err));
	}
	return NC3Z_OK;
}

/* Fills the stripe that has a byte of a stream, and those beside it. */
static int load_stripe(struct stripe_reader *r, uint32_t stream, uint64_t at,
		       struct nc3z_error *err)
{
	const struct plan_stream *s = &r->map->plan->streams[stream];
	const bool is_beside = s->grid && s->is_record;
	const uint32_t first = is_beside ? 0 : stream;
	struct filling f = {
		.r = r,
		.stream = first,
		.end_stream = is_beside ? r->map->plan->nstreams : stream + 1,
	};
	int status = begin_stripe(r, stream, at, err);

	if (status == NC3Z_OK && is_beside)
		status = begin_beside(r, stream, at, err);
	if (status == NC3Z_OK)
		status = crew_work(&r->crew, next_block, &f, err);
	for (uint32_t i = first; status != NC3Z_OK && i < f.end_stream; i++)
		if (r->stripes[i].used_nbytes == 0)
			empty(r, &r->stripes[i]);
	return status;
}

/* Copies as much as a stripe has at an offset of the original. */
static int read_some(struct stripe_reader *r, uint64_t offset, uint8_t *data,
		     size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	struct plan_run run = plan_run_at(&r->flat, offset);
	struct stripe *stripe = &r->stripes[run.stream];
	uint64_t at = run.stream_offset - stripe->range.begin;

	nbytes = (size_t)size_min(nbytes, run.nbytes);
	*nbytes_ret = nbytes;
	if (r->input.take && run.stream >= r->input.first_taken)
		return r->input.take(r->input.context, data, nbytes, err);
	if (run.stream_offset < stripe->range.begin ||
	    at >= stripe->range.nbytes) {
		NC3Z_TRY(load_stripe(r, run.stream, run.stream_offset, err));
		at = run.stream_offset - stripe->range.begin;
	}
	nbytes = (size_t)size_min(nbytes, stripe->range.nbytes - at);
	memcpy(data, stripe->data + at, nbytes);
	stripe->used_nbytes += nbytes;
	if (stripe->used_nbytes == stripe->range.nbytes)
		empty(r, stripe);
	*nbytes_ret = nbytes;
	return NC3Z_OK;
}

static int stripe_read_at(struct nc3z_source *source, uint64_t offset,
			  void *data, size_t nbytes, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct stripe_reader *r = (struct stripe_reader *)source;
	size_t done = 0, got;

	nbytes = (size_t)size_min(
		nbytes, source->size - size_min(offset, source->size));
	while (done < nbytes) {
		NC3Z_TRY(read_some(r, offset + done, (uint8_t *)data + done,
				   nbytes - done, &got, err));
		done += got;
	}
	*nbytes_ret = done;
	return NC3Z_OK;
}

static int stripe_check_unchanged(struct nc3z_source *source,
				  struct nc3z_error *err)
{
	const struct stripe_reader *r = (struct stripe_reader *)source;

	return r->input.archive ?
		       source_check_unchanged(r->input.archive, err) :
		       NC3Z_OK;
}

static void stripe_close(struct nc3z_source *source)
{
	struct stripe_reader *r = (struct stripe_reader *)source;

	for (uint32_t i = 0; r->stripes && i < r->flat_plan.nstreams; i++)
		free(r->stripes[i].data);
	free(r->spare);
	free(r->stripes);
	crew_release(&r->crew);
	plan_map_release(&r->flat);
	free(r->flat_plan.streams);
	free(r);
}

static const struct source_ops stripe_ops = {
	.read_at = stripe_read_at,
	.check_unchanged = stripe_check_unchanged,
	.close = stripe_close,
};

static int make_flat(struct stripe_reader *r, struct nc3z_error *err)
{
	const struct plan *plan = r->map->plan;
	struct plan_stream *streams =
		memory_alloc(plan->nstreams, sizeof(*streams));

	if (!streams)
		return error_set_memory(err);
	r->flat_plan = *plan;
	r->flat_plan.streams = streams;
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		streams[i] = plan->streams[i];
		if (!streams[i].grid)
			continue;
		streams[i].grid = NULL;
		streams[i].panel_nrecords = streams[i].is_record;
	}
	return plan_map_init(&r->flat, &r->flat_plan, r->map->original_nbytes,
			     err);
}

static int make_reader(struct stripe_reader *r, struct nc3z_error *err)
{
	NC3Z_TRY(make_flat(r, err));
	NC3Z_TRY(crew_init(&r->crew, r->input.nthreads,
			   sizeof(struct stripe_job), decode_chunk, r, err));
	r->stripes = memory_alloc(r->flat_plan.nstreams, sizeof(*r->stripes));
	return r->stripes ? NC3Z_OK : error_set_memory(err);
}

int stripe_reader_open(const struct stripe_input *input,
		       struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct stripe_reader *r = calloc(1, sizeof(*r));
	int status;

	if (!r)
		return error_set_memory(err);
	r->base.ops = &stripe_ops;
	r->input = *input;
	r->map = input->plan->map;
	r->base.size = r->map->original_nbytes;
	status = make_reader(r, err);
	if (status == NC3Z_OK)
		*source_ret = &r->base;
	else
		stripe_close(&r->base);
	return status;
}
