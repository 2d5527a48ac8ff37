/* SPDX-License-Identifier: MIT */
#include "restore/block_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

/* Raw bytes on their way, unless blocks are so large that more is needed. */
#define QUEUE_NBYTES (UINT32_C(4) << 20)

/* About how much memory a job takes beside raw bytes and payload. */
#define JOB_NBYTES 1024

/* One block on its way. */
struct read_job {
	struct read_job *next; /* among the spare ones */
	uint32_t stream;
	uint32_t raw_crc;
	bool is_first; /* of the archive: has the identity to prove */
	struct buffer description;
	struct buffer payload;
	struct held_block *held;
	int status;
	struct nc3z_error err;
};

static int decode_job(const struct block_reader *r, struct block_coder *coder,
		      struct read_job *job)
{
	const struct block_view view = {
		.description = job->description.data,
		.description_nbytes = job->description.nbytes,
		.payload = job->payload.data,
		.payload_nbytes = job->payload.nbytes,
	};
	struct held_block *b = job->held;

	NC3Z_TRY(block_decode_checked(coder, &view, b->raw, b->nbytes,
				      job->raw_crc, &job->err));
	if (!job->is_first)
		return NC3Z_OK;
	return archive_check_identity(r->scan->identity, r->scan->plan.data,
				      r->scan->plan.nbytes, b->raw, b->nbytes,
				      &job->err);
}

/* In a worker. */
static void run_decoding(void *context, void *argument, unsigned worker)
{
	struct block_reader *r = context;
	struct read_job *job = argument;

	job->status = decode_job(r, &r->coders[worker], job);
	if (job->status != NC3Z_OK)
		error_add_block(&job->err, job->status, job->stream,
				job->held->block);
}

static uint64_t queue_nbytes(const struct plan *plan, unsigned nthreads)
{
	uint64_t nbytes = QUEUE_NBYTES;

	if (nthreads < 2)
		return 0; /* the serial twin gains nothing from a queue */
	for (uint32_t i = 0; i < plan->nstreams; i++)
		nbytes = size_max(nbytes,
				  (uint64_t)plan->streams[i].block_nbytes *
					  (nthreads + 2));
	return nbytes;
}

int block_reader_init(struct block_reader *r, struct archive_scan *scan,
		      const struct plan_map *map, unsigned nthreads,
		      struct nc3z_error *err)
{
	const struct pool_setup setup = {
		.nthreads = nthreads,
		.max_nbytes = queue_nbytes(map->plan, nthreads),
		.run = run_decoding,
		.context = r,
	};

	*r = (struct block_reader){ .scan = scan, .map = map };
	NC3Z_TRY(pool_new(&setup, &r->pool, err));
	r->coders = memory_alloc(pool_nworkers(r->pool), sizeof(*r->coders));
	return r->coders ? NC3Z_OK : error_set_memory(err);
}

static void free_job(struct read_job *job)
{
	buffer_release(&job->description);
	buffer_release(&job->payload);
	free(job->held);
	free(job);
}

void block_reader_release(struct block_reader *r)
{
	struct read_job *job;

	while (r->pool && (job = pool_take(r->pool)))
		free_job(job);
	while ((job = r->spare)) {
		r->spare = job->next;
		free_job(job);
	}
	for (unsigned i = 0; r->coders && i < pool_nworkers(r->pool); i++)
		block_coder_release(&r->coders[i]);
	free(r->coders);
	pool_free(r->pool);
	*r = (struct block_reader){ 0 };
}

/* A block is as long as the plan says, shorter only where the file ends. */
static int check_length(const struct block_reader *r,
			const struct archive_block *block,
			struct nc3z_error *err)
{
	const struct plan_extent *extent = &r->map->extents[block->stream];
	struct plan_block nominal;

	if (block->block >= extent->nblocks)
		return error_set(err, NC3Z_EDAMAGED,
				 "there are more blocks than in the plan");
	nominal = plan_block_numbered(r->map, block->stream, block->block);
	if (block->raw_nbytes > nominal.nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "block is longer than the plan says");
	return NC3Z_OK;
}

static void put_by(struct block_reader *r, struct read_job *job)
{
	free(job->held);
	job->held = NULL;
	job->next = r->spare;
	r->spare = job;
}

/* Reads the payload and hands the job to the pool. */
static int fill_job(struct block_reader *r, struct read_job *job,
		    const struct archive_block *block, struct nc3z_error *err)
{
	job->stream = block->stream;
	job->raw_crc = block->raw_crc;
	job->is_first = r->scan->index.nblocks == 1;
	NC3Z_TRY(check_length(r, block, err));
	NC3Z_TRY(archive_scan_payload(r->scan, &job->payload, err));
	job->description.nbytes = 0;
	job->held = held_block_new(block->block, block->raw_nbytes);
	if (!job->held ||
	    !buffer_append(&job->description, block->description,
			   block->description_nbytes) ||
	    !pool_submit(r->pool, job,
			 (uint64_t)block->raw_nbytes + job->payload.nbytes +
				 JOB_NBYTES))
		return error_set_memory(err);
	return NC3Z_OK;
}

static int submit_next(struct block_reader *r, struct nc3z_error *err)
{
	const struct archive_block *block;
	struct read_job *job = r->spare;
	int status;

	NC3Z_TRY(archive_scan_next(r->scan, &block, err));
	r->at_end = !block;
	if (r->at_end)
		return NC3Z_OK;
	if (job)
		r->spare = job->next;
	else
		job = calloc(1, sizeof(*job));
	if (!job)
		return error_set_memory(err);
	status = fill_job(r, job, block, err);
	if (status != NC3Z_OK) {
		error_add_block(err, status, block->stream, block->block);
		put_by(r, job);
	}
	return status;
}

/* Reads records as far ahead as the pool allows, up to the first error. */
static void read_ahead(struct block_reader *r)
{
	while (!r->at_end && !pool_is_full(r->pool)) {
		r->status = submit_next(r, &r->err);
		r->at_end = r->at_end || r->status != NC3Z_OK;
	}
}

int block_reader_next(struct block_reader *r, uint32_t *stream_ret,
		      struct held_block **block_ret, struct nc3z_error *err)
{
	struct read_job *job;
	int status;

	read_ahead(r);
	*block_ret = NULL;
	job = pool_take(r->pool);
	status = job ? job->status : r->status;
	if (status == NC3Z_OK && job) {
		*stream_ret = job->stream;
		*block_ret = job->held;
		job->held = NULL;
	} else if (status != NC3Z_OK && err) {
		*err = job ? job->err : r->err;
	}
	if (job)
		put_by(r, job);
	return status;
}
