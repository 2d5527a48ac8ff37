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
};

/* One block that is decoded into a stripe. */
struct stripe_job {
	uint32_t stream;
	uint64_t block;
	struct stripe *stripe;
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
	uint64_t end = range->begin + range->nbytes;
	struct plan_chunk_rows rows;
	struct plan_chunk_row row;

	plan_chunk_rows_begin(r->map, job->stream, job->block, &rows);
	while (plan_chunk_rows_next(&rows, &row) && row.member_offset < end) {
		uint64_t from = size_max(row.member_offset, range->begin);
		uint64_t to = size_min(row.member_offset + row.nbytes, end);

		if (from < to)
			memcpy(job->stripe->data + (from - range->begin),
			       chunk + row.chunk_offset +
				       (from - row.member_offset),
			       (size_t)(to - from));
	}
}

/* In a worker; 'chunk' is its buffer. */
static int decode(void *context, const void *argument, struct buffer *chunk,
		  struct nc3z_error *err)
{
	const struct stripe_reader *r = context;
	const struct stripe_job *job = argument;
	const struct stripe *stripe = job->stripe;
	const struct stripe_block block = {
		.stream = job->stream,
		.block = plan_block_numbered(r->map, job->stream, job->block),
		.worker = crew_worker(&r->crew, chunk),
	};

	if (!r->map->plan->streams[job->stream].grid)
		return r->input.fetch(r->input.context, &block,
				      stripe->data +
					      (block.block.stream_offset -
					       stripe->range.begin),
				      err);
	if (!stripe_has_chunk(r->input.plan, job->stream, &stripe->range,
			      job->block))
		return NC3Z_OK;
	if (!buffer_reserve(chunk, (size_t)block.block.nbytes))
		return error_set_memory(err);
	NC3Z_TRY(r->input.fetch(r->input.context, &block, chunk->data, err));
	copy_rows(r, job, chunk->data);
	return NC3Z_OK;
}

/* The blocks of a stripe, one after the other; 'context' is the next job. */
static bool next_block(void *context, void *job)
{
	struct stripe_job *next = context;

	if (next->block == next->stripe->range.end_block)
		return false;
	*(struct stripe_job *)job = *next;
	next->block++;
	return true;
}

/* Decodes all blocks of a stripe. */
static int fill(struct stripe_reader *r, uint32_t stream, struct stripe *stripe,
		struct nc3z_error *err)
{
	struct stripe_job first = {
		.stream = stream,
		.block = stripe->range.first_block,
		.stripe = stripe,
	};

	return crew_work(&r->crew, next_block, &first, err);
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

static int load(struct stripe_reader *r, uint32_t stream, uint64_t at,
		struct nc3z_error *err)
{
	struct stripe *stripe = &r->stripes[stream];
	int status;

	if (stripe->data)
		empty(r, stripe);
	stripe->range = stripe_plan_at(r->input.plan, stream, at);
	if (!allocate(r, stripe))
		return error_set_memory(err);
	status = fill(r, stream, stripe, err);
	if (status != NC3Z_OK)
		empty(r, stripe);
	return status;
}

/* Copies as much as a stripe has at an offset of the original. */
static int read_some(struct stripe_reader *r, uint64_t offset, uint8_t *data,
		     size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	struct plan_run run = plan_run_at(&r->flat, offset);
	struct stripe *stripe = &r->stripes[run.stream];
	uint64_t at = run.stream_offset - stripe->range.begin;

	if (run.stream_offset < stripe->range.begin ||
	    at >= stripe->range.nbytes) {
		NC3Z_TRY(load(r, run.stream, run.stream_offset, err));
		at = run.stream_offset - stripe->range.begin;
	}
	nbytes = (size_t)size_min(nbytes, run.nbytes);
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
			   sizeof(struct stripe_job), decode, r, err));
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
