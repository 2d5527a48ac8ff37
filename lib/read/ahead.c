/* SPDX-License-Identifier: MIT */
/*
 * How readers go forward is told by what they have asked for: the next elements
 * of a variable, the next bytes of the original, or the next variable of the
 * same record.
 */
#include "read/ahead.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"
#include "read/ahead_queue.h"
#include "read/shared_cache.h"

/* Blocks ahead to begin with; twice as many with each block that is passed. */
#define FIRST_NBLOCKS 2

/* Bytes of the original ahead to begin with; twice as many with each call. */
#define FIRST_NBYTES (UINT64_C(256) << 10)

/* Readers of bytes may be several threads that get along differently. */
#define DISORDER_NBYTES (UINT64_C(1) << 20)

/* How far one call looks through the original. */
#define STEPS_MAX 256

/*
 * Requests that each begin where the one before ends in the original, until
 * the reader is taken to go through all variables of a record.  Between two
 * variables is no more than their padding.
 */
#define FOLLOWERS_MIN 2
#define PADDING_MAX 3

/* How far a reader of something has come. */
struct ahead_progress {
	uint64_t next;   /* element or byte after the last request */
	uint64_t passed; /* position up to which no block is wanted any more */
	uint64_t queued; /* position up to which blocks were asked for */
	uint64_t length; /* ahead: in blocks or bytes */
	bool is_active;
};

struct ahead {
	uint64_t max_nbytes;
	uint64_t all_nbytes; /* of a block of each stream, or a row of chunks */
	pthread_mutex_t lock; /* of all below */
	struct ahead_queue queue;
	struct ahead_progress *vars;
	unsigned nactive; /* variables with a block that was asked for ahead */
	struct ahead_progress record; /* of all variables, in bytes */
	unsigned nfollowers;          /* requests that went on in it */
	struct ahead_progress original;
	uint64_t *nqueued; /* blocks of each stream, by readers of bytes */
};

/*
 * Bytes of the blocks that are open at a time where a stream is gone through.
 */
static uint64_t needed_nbytes(const struct nc3z_file *file, uint32_t stream)
{
	const struct plan_stream *s = &file->plan.streams[stream];

	if (!s->grid)
		return s->block_nbytes;
	return size_mul_max(file->map.extents[stream].span_nblocks,
			    s->block_nbytes, UINT64_MAX);
}

struct ahead *ahead_new(struct nc3z_file *file, uint64_t max_nbytes)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->max_nbytes = max_nbytes;
	for (uint32_t i = 0; i < file->plan.nstreams; i++)
		ahead->all_nbytes = size_add_max(
			ahead->all_nbytes, needed_nbytes(file, i), UINT64_MAX);
	ahead->vars = memory_alloc(file->header.nvars, sizeof(*ahead->vars));
	ahead->nqueued =
		memory_alloc(file->plan.nstreams, sizeof(*ahead->nqueued));
	pthread_mutex_init(&ahead->lock, NULL);
	if (!ahead->vars || !ahead->nqueued) {
		ahead_free(ahead);
		return NULL;
	}
	return ahead;
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_destroy(&ahead->lock);
	ahead_queue_release(&ahead->queue);
	free(ahead->vars);
	free(ahead->nqueued);
	free(ahead);
}

void ahead_decode(void *context)
{
	struct nc3z_file *file = context;

	pthread_mutex_lock(&file->ahead->lock);
	ahead_queue_decode(&file->ahead->queue, file, &file->ahead->lock);
	pthread_mutex_unlock(&file->ahead->lock);
}

/* The cache that is this file's, if all had the same. */
static uint64_t cache_share(const struct nc3z_file *file)
{
	uint64_t nbytes = cache_max_nbytes(file->cache);

	return file->shared_cache ?
		       nbytes / shared_cache_nfiles(file->shared_cache) :
		       nbytes;
}

/* The part of a variable that a request asks for. */
struct ahead_request {
	uint32_t stream;
	uint64_t first_element; /* in row-major order */
	uint64_t end_element;   /* one past the last */
	uint64_t first_block;
	uint64_t last_block;
};

static bool find_elements(const struct hyperslab_request *slab,
			  struct ahead_request *request_ret)
{
	uint64_t first = 0, last = 0;

	if (slab->rank == 0 || slab->stride || slab->imap || !slab->start ||
	    !slab->count)
		return false;
	for (size_t i = 0; i < slab->rank; i++) {
		if (slab->count[i] == 0)
			return false;
		first = first * slab->shape[i] + slab->start[i];
		last = last * slab->shape[i] + slab->start[i] + slab->count[i] -
		       1;
	}
	request_ret->first_element = first;
	request_ret->end_element = last + 1;
	return true;
}

/* Of chunks, whole rows are taken for wanted. */
static bool find_blocks(const struct nc3z_file *file,
			const struct hyperslab_variable *place,
			const struct hyperslab_request *slab,
			struct ahead_request *r)
{
	const struct plan_grid *grid = file->plan.streams[place->stream].grid;
	uint64_t width = file->plan.streams[place->stream].width;
	struct plan_run first, last;

	if (grid) {
		uint64_t row = file->map.extents[place->stream].span_nblocks;
		uint64_t length = grid->dims[0].chunk;

		r->first_block = slab->start[0] / length * row;
		r->last_block =
			(slab->start[0] + slab->count[0] - 1) / length * row +
			row - 1;
		return true;
	}
	first = hyperslab_variable_run(&file->map, place,
				       r->first_element * width);
	last = hyperslab_variable_run(&file->map, place,
				      (r->end_element - 1) * width);
	if (first.nbytes == 0 || last.nbytes == 0)
		return false;
	r->first_block =
		plan_block_at(&file->map, r->stream, first.stream_offset).block;
	r->last_block =
		plan_block_at(&file->map, r->stream, last.stream_offset).block;
	return true;
}

/*
 * How many blocks ahead a variable gets: none, where the blocks that all of
 * them are at and the next ones would not be in the cache together.
 */
static uint64_t count_ahead(const struct nc3z_file *file,
			    const struct ahead_progress *p, uint32_t stream)
{
	const struct ahead *ahead = file->ahead;
	uint64_t nvars = (uint64_t)ahead->nactive + !p->is_active;
	uint64_t n = ahead->max_nbytes /
		     (nvars * file->plan.streams[stream].block_nbytes);

	if (size_mul_max(2 * nvars, needed_nbytes(file, stream), UINT64_MAX) >
	    cache_share(file))
		return 0;
	return n > 0 ? n : 1;
}

/*
 * Has blocks of a variable decoded that are likely to be asked for next.
 * Returns whether it is gone through.
 */
static bool look_ahead(struct nc3z_file *file, struct ahead_progress *p,
		       const struct ahead_request *r)
{
	uint64_t nblocks = file->map.extents[r->stream].nblocks;
	/* Once from the beginning is not yet going forward. */
	bool goes_on = r->first_element == p->next && p->next > 0;

	if (!goes_on) {
		p->queued = r->last_block;
		p->length = FIRST_NBLOCKS;
	} else if (r->last_block > p->passed) {
		p->length *= 2;
	}
	p->length = size_min(p->length, count_ahead(file, p, r->stream));
	p->passed = r->last_block;
	p->next = r->end_element;
	p->queued = size_max(p->queued, p->passed);
	while (goes_on && p->queued < p->passed + p->length &&
	       p->queued + 1 < nblocks) {
		file->ahead->nactive += !p->is_active;
		p->is_active = true;
		p->queued++;
		ahead_queue_push(&file->ahead->queue, file,
				 &(struct ahead_block){
					 .stream = r->stream,
					 .block = p->queued,
					 .passed = &p->passed,
					 .position = p->queued,
				 });
	}
	return goes_on;
}

/* Has the blocks decoded that have bytes from 'queued' up to 'end'. */
static void queue_bytes(struct nc3z_file *file, struct ahead_progress *p,
			uint64_t end)
{
	struct ahead *ahead = file->ahead;

	end = size_min(end, file->map.original_nbytes);
	for (int i = 0; i < STEPS_MAX && p->queued < end; i++) {
		struct plan_block block;
		struct plan_run run =
			plan_run_in_block(&file->map, p->queued, &block);

		p->queued += run.nbytes;
		if (block.block < ahead->nqueued[run.stream])
			continue;
		ahead->nqueued[run.stream] = block.block + 1;
		ahead_queue_push(&ahead->queue, file,
				 &(struct ahead_block){
					 .stream = run.stream,
					 .block = block.block,
					 .passed = &p->passed,
					 .position = p->queued,
				 });
	}
}

/* Begins anew at 'end'. */
static void begin_bytes(struct nc3z_file *file, struct ahead_progress *p,
			uint64_t end, uint64_t length)
{
	p->next = p->queued = end;
	p->length = length;
	for (uint32_t i = 0; i < file->plan.nstreams; i++)
		file->ahead->nqueued[i] = 0;
}

/* Whether the blocks that readers of bytes are at would stay in the cache. */
static bool can_go_through_bytes(const struct nc3z_file *file)
{
	return file->ahead->all_nbytes <= cache_share(file) / 2;
}

/*
 * Who goes through all variables, record by record, is at the second record
 * before one of them is known to be gone through.  By then the first blocks of
 * all have been decoded, one after the other; so they are looked for in the
 * order of the original, unless 'goes_on' says that this variable's come by
 * themselves.
 */
static void look_ahead_in_record(struct nc3z_file *file,
				 const struct hyperslab_request *slab,
				 const struct hyperslab_variable *place,
				 const struct ahead_request *r, bool goes_on)
{
	struct ahead *ahead = file->ahead;
	struct ahead_progress *p = &ahead->record;
	uint64_t width = file->plan.streams[place->stream].width;
	uint64_t nbytes = (r->end_element - r->first_element) * width;
	uint64_t begin = size_add_max(
		place->begin + r->first_element * width % place->nbytes,
		size_mul_max(slab->start[0], place->record_nbytes, UINT64_MAX),
		UINT64_MAX);
	bool follows = begin >= p->next && begin - p->next <= PADDING_MAX;
	uint64_t end = size_add_max(begin, nbytes, UINT64_MAX);

	if (!follows) {
		ahead->nfollowers = 0;
		begin_bytes(file, p, end, nbytes);
		return;
	}
	p->passed = p->next = end;
	p->queued = size_max(p->queued, end);
	if (++ahead->nfollowers < FOLLOWERS_MIN || goes_on)
		return;
	p->length = size_min(2 * p->length, ahead->max_nbytes);
	queue_bytes(file, p, size_add_max(end, p->length, UINT64_MAX));
}

void ahead_note_values(struct nc3z_file *file, int varid,
		       const struct hyperslab_request *slab)
{
	const struct hyperslab_variable *place = &file->places[varid];
	struct ahead_request request = { .stream = place->stream };
	bool goes_on;

	/*
	 * Only variables that have blocks of their own.  A call of the system
	 * is made for those alone: small requests are many.
	 */
	if (!file->ahead || slab->form != HYPERSLAB_VARA ||
	    place->stream == PLAN_NO_STREAM ||
	    file->plan.streams[place->stream].nmembers > 1 ||
	    file->map.extents[place->stream].nblocks < 2 ||
	    !workers_can_help(file->workers) ||
	    !find_elements(slab, &request) ||
	    !find_blocks(file, place, slab, &request))
		return;
	pthread_mutex_lock(&file->ahead->lock);
	goes_on = look_ahead(file, &file->ahead->vars[varid], &request);
	if (slab->is_record && slab->count[0] == 1 &&
	    can_go_through_bytes(file))
		look_ahead_in_record(file, slab, place, &request, goes_on);
	ahead_queue_announce(&file->ahead->queue, file);
	ahead_queue_help(&file->ahead->queue, file, request.stream,
			 request.first_block, &file->ahead->lock);
	pthread_mutex_unlock(&file->ahead->lock);
}

static void look_ahead_in_bytes(struct nc3z_file *file, uint64_t offset,
				uint64_t end)
{
	struct ahead *ahead = file->ahead;
	struct ahead_progress *p = &ahead->original;
	bool goes_on = p->next > 0 && offset + DISORDER_NBYTES >= p->next &&
		       offset <= p->next + DISORDER_NBYTES;

	if (!goes_on) {
		begin_bytes(file, p, end, FIRST_NBYTES);
		return;
	}
	p->next = size_max(p->next, end);
	p->passed = p->next;
	p->queued = size_max(p->queued, p->next);
	p->length = size_min(2 * p->length, ahead->max_nbytes);
	queue_bytes(file, p, p->next + p->length);
}

void ahead_note_bytes(struct nc3z_file *file, uint64_t offset, uint64_t nbytes)
{
	struct plan_block block;
	struct plan_run run;

	if (!file->ahead || nbytes == 0 || !workers_can_help(file->workers) ||
	    !can_go_through_bytes(file))
		return;
	run = plan_run_in_block(&file->map, offset, &block);
	pthread_mutex_lock(&file->ahead->lock);
	look_ahead_in_bytes(file, offset, offset + nbytes);
	ahead_queue_announce(&file->ahead->queue, file);
	ahead_queue_help(&file->ahead->queue, file, run.stream, block.block,
			 &file->ahead->lock);
	pthread_mutex_unlock(&file->ahead->lock);
}
