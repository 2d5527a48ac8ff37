/* SPDX-License-Identifier: MIT */
/*
 * Restoring in slices, for an output that takes bytes in order only, or none,
 * with little memory however far chunks reach: the original is put together a
 * slice after the other, as long as the memory allows, from all blocks that
 * have bytes in it.  A block is decoded for each of its slices; how often
 * follows from the plan and is reported beforehand.
 *
 * First all records are looked at, without their payloads, so that everything
 * that holds an archive together has been checked as in one pass.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "plan/block_runs.h"
#include "plan/slices.h"
#include "restore/restorer.h"

/* Raw and stored bytes on their way, unless blocks are too large for that. */
#define QUEUE_NBYTES (UINT32_C(4) << 20)

#define SLICE_NBYTES_MIN 64

/* A block on its way. */
struct slice_job {
	struct slice_job *next; /* among the spare ones */
	uint32_t stream;
	struct archive_fetched fetched;
	struct buffer raw;
	int status;
	struct nc3z_error err;
};

struct slicer {
	struct restorer *r;
	struct archive_reader archive;
	struct pool *pool;
	struct block_coder *coders; /* one for each worker */
	struct slice_job *spare;
	struct plan_slices slices;
	uint8_t *data; /* of a slice */
};

/* Counts how often blocks will be decoded again, and reports it. */
static int count_repeats(struct slicer *s)
{
	struct restorer *r = s->r;
	uint64_t ndecoded, nblocks = r->scan.index.nblocks;
	char text[160];

	NC3Z_TRY(plan_slices_count(&s->slices, &ndecoded, r->err));
	r->nrepeats = ndecoded - nblocks;
	if (r->nrepeats == 0 || !r->options->note)
		return NC3Z_OK;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " blocks are decoded %" PRIu64
		 " times in all: chunks need %" PRIu64
		 " bytes of memory, more than %" PRIu64,
		 nblocks, ndecoded,
		 plan_chunks_reach_nbytes(&r->plan, r->map->original_nbytes),
		 r->options->max_memory_nbytes);
	r->options->note(r->options->context, text);
	return NC3Z_OK;
}

static int decode(const struct slicer *s, struct block_coder *coder,
		  struct slice_job *job)
{
	const struct archive_scan *scan = &s->r->scan;
	const struct archive_block *stored = &job->fetched.block;
	const struct block_view view = {
		.description = stored->description,
		.description_nbytes = stored->description_nbytes,
		.payload = stored->payload,
		.payload_nbytes = stored->payload_nbytes,
	};

	NC3Z_TRY(block_decode_checked(coder, &view, job->raw.data,
				      job->raw.nbytes, stored->raw_crc,
				      &job->err));
	if (job->fetched.entry.offset != s->archive.first_block_offset)
		return NC3Z_OK;
	return archive_check_identity(scan->identity, scan->plan.data,
				      scan->plan.nbytes, job->raw.data,
				      job->raw.nbytes, &job->err);
}

/* Copies a block's part of the slice; no other block has it. */
static void copy_runs(const struct slicer *s, const struct slice_job *job)
{
	const struct plan_slices *slice = &s->slices;
	struct plan_block_runs runs;
	struct plan_block_run run;

	plan_block_runs_begin(s->r->map, job->stream, job->fetched.block.block,
			      &runs);
	while (plan_block_runs_next(&runs, &run)) {
		uint64_t from = size_max(run.offset, slice->begin);
		uint64_t to = size_min(run.offset + run.nbytes, slice->end);

		if (from < to)
			memcpy(s->data + (from - slice->begin),
			       job->raw.data + run.block_offset +
				       (from - run.offset),
			       (size_t)(to - from));
	}
}

/* In a worker. */
static void run_job(void *context, void *argument, unsigned worker)
{
	const struct slicer *s = context;
	struct slice_job *job = argument;

	job->status = decode(s, &s->coders[worker], job);
	if (job->status == NC3Z_OK)
		copy_runs(s, job);
	else
		error_add_block(&job->err, job->status, job->stream,
				job->fetched.block.block);
}

static void free_job(struct slice_job *job)
{
	buffer_release(&job->fetched.record);
	buffer_release(&job->raw);
	free(job);
}

static void put_by(struct slicer *s, struct slice_job *job)
{
	job->next = s->spare;
	s->spare = job;
}

/* Takes the oldest job back. */
static int finish_job(struct slicer *s)
{
	struct slice_job *job = pool_take(s->pool);
	int status = job->status;

	if (status != NC3Z_OK && s->r->err)
		*s->r->err = job->err;
	put_by(s, job);
	return status;
}

/* Reads the record of a block and checks it. */
static int fill_job(struct slicer *s, struct slice_job *job,
		    const struct plan_slice_block *block)
{
	const struct archive_block *stored = &job->fetched.block;
	struct plan_block expected =
		plan_block_numbered(s->r->map, block->stream, block->block);

	NC3Z_TRY(archive_reader_block(&s->archive, block->stream, block->block,
				      &job->fetched, s->r->err));
	if (stored->raw_nbytes != expected.nbytes)
		return error_set(s->r->err, NC3Z_EDAMAGED,
				 "wrong length or order");
	job->stream = block->stream;
	job->raw.nbytes = 0;
	if (!buffer_reserve(&job->raw, stored->raw_nbytes))
		return error_set_memory(s->r->err);
	job->raw.nbytes = stored->raw_nbytes;
	return NC3Z_OK;
}

static int submit(struct slicer *s, const struct plan_slice_block *block)
{
	struct slice_job *job = s->spare;
	int status;

	if (job)
		s->spare = job->next;
	else
		job = calloc(1, sizeof(*job));
	if (!job)
		return error_set_memory(s->r->err);
	status = fill_job(s, job, block);
	if (status != NC3Z_OK)
		error_add_block(s->r->err, status, block->stream, block->block);
	else if (!pool_submit(s->pool, job,
			      (uint64_t)job->raw.nbytes +
				      job->fetched.record.nbytes))
		status = error_set_memory(s->r->err);
	if (status != NC3Z_OK)
		put_by(s, job);
	return status;
}

static int fill_slice(struct slicer *s)
{
	size_t nblocks = s->slices.nblocks, nfinished = 0;

	for (size_t i = 0; i < nblocks; i++) {
		NC3Z_TRY(submit(s, &s->slices.blocks[i]));
		for (; pool_is_full(s->pool); nfinished++)
			NC3Z_TRY(finish_job(s));
	}
	for (; nfinished < nblocks; nfinished++)
		NC3Z_TRY(finish_job(s));
	return NC3Z_OK;
}

static int emit_slice(struct slicer *s)
{
	const struct plan_slices *slice = &s->slices;
	struct restorer *r = s->r;

	while (r->hashed < slice->end) {
		size_t n = (size_t)size_min(HASHER_BUFFER_NBYTES,
					    slice->end - r->hashed);

		memcpy(r->pending, s->data + (r->hashed - slice->begin), n);
		NC3Z_TRY(restorer_emit(r, n));
	}
	return NC3Z_OK;
}

/* All records, their order and what the end of the archive says of them. */
static int look_at_records(struct restorer *r)
{
	const struct archive_block *block;

	do {
		NC3Z_TRY(archive_scan_next(&r->scan, &block, r->err));
	} while (block);
	return restorer_read_end(r);
}

static int begin(struct slicer *s)
{
	struct restorer *r = s->r;
	const struct pool_setup setup = {
		.nthreads = r->nthreads,
		.max_nbytes = r->nthreads > 1 ? QUEUE_NBYTES : 0,
		.run = run_job,
		.context = s,
	};
	uint64_t nbytes;

	NC3Z_TRY(look_at_records(r));
	nbytes = size_max(r->options->max_memory_nbytes, SLICE_NBYTES_MIN);
	nbytes = size_min(nbytes, r->map->original_nbytes);
	NC3Z_TRY(plan_slices_init(&s->slices, r->map, nbytes, r->err));
	NC3Z_TRY(archive_reader_open(&s->archive, r->in, r->err));
	NC3Z_TRY(pool_new(&setup, &s->pool, r->err));
	s->coders = memory_alloc(pool_nworkers(s->pool), sizeof(*s->coders));
	s->data = memory_alloc(nbytes, 1);
	return s->coders && s->data ? NC3Z_OK : error_set_memory(r->err);
}

static void release(struct slicer *s)
{
	struct slice_job *job;

	while (s->pool && (job = pool_take(s->pool)))
		free_job(job);
	while ((job = s->spare)) {
		s->spare = job->next;
		free_job(job);
	}
	for (unsigned i = 0; s->coders && i < pool_nworkers(s->pool); i++)
		block_coder_release(&s->coders[i]);
	free(s->coders);
	pool_free(s->pool);
	archive_reader_release(&s->archive);
	plan_slices_release(&s->slices);
	free(s->data);
}

static int run(struct slicer *s)
{
	NC3Z_TRY(begin(s));
	NC3Z_TRY(count_repeats(s));
	while (s->slices.end < s->r->map->original_nbytes) {
		NC3Z_TRY(plan_slices_next(&s->slices, s->r->err));
		NC3Z_TRY(fill_slice(s));
		NC3Z_TRY(emit_slice(s));
	}
	return restorer_check_end(s->r);
}

int restore_slices(struct restorer *r)
{
	struct slicer s = { .r = r };
	int status = run(&s);

	release(&s);
	return status;
}
