/* SPDX-License-Identifier: MIT */
/*
 * A request goes through its visits (hyperslab/visits.h), each once, so that
 * each block is decoded at most once.  A visit that is a whole block and that
 * the request takes whole, into memory side by side, is decoded there and then;
 * for others the block comes through the cache, or from the blocks that an
 * iterator keeps, and its elements are picked.
 *
 * Blocks are worked off by several threads if they are worth it: each takes the
 * next one until none is left.
 */
#include "read/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/sizes.h"
#include "read/announce.h"

/* Decoding so many bytes is worth another thread. */
#define WORTH_THREADS_NBYTES (UINT32_C(1) << 20)

/* One thread of a request. */
struct getter {
	struct read_request *request;
	struct hyperslab_visits_cursor *cursor;
	uint64_t end; /* of the positions that it has taken */
	/* The block that was used last; NULL: there is none. */
	const uint8_t *data;
	uint32_t stream;
	uint64_t block;
	struct cache_entry *entry; /* if it comes from the cache: pinned */
	size_t entry_used_nbytes;
	struct buffer scratch; /* for a decoded block */
	uint8_t straddler[8];  /* an element that lies in two blocks */
	bool out_of_range;
	bool truncated;
	struct nc3z_error error;
};

static void put_block(struct getter *g)
{
	if (g->entry)
		cache_put(g->request->file->cache, g->entry,
			  g->entry_used_nbytes);
	g->data = NULL;
	g->entry = NULL;
	g->entry_used_nbytes = 0;
}

/* Decodes a block past all caches. */
static int decode_block(struct getter *g, uint32_t stream,
			const struct plan_block *block)
{
	if (!buffer_reserve(&g->scratch, (size_t)block->nbytes))
		return error_set_memory(&g->error);
	return fetch_block(g->request->file, stream, block, g->scratch.data,
			   &g->error);
}

static int decode_kept(struct getter *g, struct block_store_entry *kept,
		       uint32_t stream, const struct plan_block *block)
{
	uint8_t *data = malloc((size_t)block->nbytes);
	int status;

	if (!data)
		return error_set_memory(&g->error);
	status = fetch_block(g->request->file, stream, block, data, &g->error);
	if (status == NC3Z_OK)
		kept->data = data;
	else
		free(data);
	return status;
}

/* The bytes of a block for an iterator, which has no cache. */
static int load_block(struct getter *g, uint32_t stream,
		      const struct plan_block *block, const uint8_t **data_ret)
{
	struct block_store_entry *kept =
		block_store_find(g->request->kept, stream, block->block);

	if (!kept) {
		NC3Z_TRY(decode_block(g, stream, block));
		*data_ret = g->scratch.data;
		return NC3Z_OK;
	}
	if (!kept->data)
		NC3Z_TRY(decode_kept(g, kept, stream, block));
	*data_ret = kept->data;
	return NC3Z_OK;
}

/* Makes the block of a place the one that is used. */
static int use_block(struct getter *g, uint32_t stream,
		     const struct plan_block *block)
{
	const uint8_t *data;

	if (g->data && g->stream == stream && g->block == block->block)
		return NC3Z_OK;
	put_block(g);
	if (g->request->kept) {
		NC3Z_TRY(load_block(g, stream, block, &data));
	} else {
		NC3Z_TRY(fetch_cached(g->request->file, stream, block,
				      &g->entry, &g->error));
		data = g->entry->data;
	}
	g->data = data;
	g->stream = stream;
	g->block = block->block;
	return NC3Z_OK;
}

/* Whether a block that is wanted whole comes from elsewhere all the same. */
static bool has_block(struct getter *g, const struct hyperslab_visit *w)
{
	put_block(g);
	if (g->request->kept)
		return block_store_find(g->request->kept, w->stream,
					w->block.block);
	g->entry = fetch_held(g->request->file, w->stream, &w->block);
	if (!g->entry)
		return false;
	g->data = g->entry->data;
	g->stream = w->stream;
	g->block = w->block.block;
	return true;
}

/* Takes the elements of a visit from its external values at 'data'. */
static void pick(struct getter *g, const struct hyperslab_visit *w,
		 const uint8_t *data)
{
	const struct read_request *q = g->request;
	struct hyperslab_run stretch;

	while (hyperslab_visits_run(g->cursor, w, &stretch)) {
		const struct values_run run = {
			.in = data + (stretch.in_first - w->first) * q->width,
			.in_step = (size_t)stretch.in_step,
			.out = q->out +
			       stretch.out_first * (ptrdiff_t)q->native_width,
			.out_step = stretch.out_step,
			.n = (size_t)stretch.nelems,
		};

		if (!values_convert(&q->conversion, &run))
			g->out_of_range = true;
		g->entry_used_nbytes += run.n * q->width;
	}
}

/* Zeros for the elements of a visit that the original does not have. */
static void pick_nothing(struct getter *g, const struct hyperslab_visit *w)
{
	static const uint8_t zeros[8];
	const struct read_request *q = g->request;
	struct hyperslab_run stretch;

	g->truncated = true;
	while (hyperslab_visits_run(g->cursor, w, &stretch)) {
		const struct values_run run = {
			.in = zeros,
			.out = q->out +
			       stretch.out_first * (ptrdiff_t)q->native_width,
			.out_step = stretch.out_step,
			.n = (size_t)stretch.nelems,
		};

		values_convert(&q->conversion, &run);
	}
}

/* Puts together an element whose bytes do not lie side by side. */
static int gather(struct getter *g, uint64_t element)
{
	const struct hyperslab_visits *wanted = g->request->wanted;
	struct hyperslab_element_part part = { 0 };

	memset(g->straddler, 0, sizeof(g->straddler));
	while (hyperslab_element_next_part(wanted, element, &part)) {
		NC3Z_TRY(use_block(g, part.stream, &part.block));
		memcpy(g->straddler + part.done, g->data + part.skip,
		       part.nbytes);
	}
	g->truncated = g->truncated || part.done < wanted->width;
	return NC3Z_OK;
}

/* Whether values in memory are those of the file, but for the byte order. */
static bool is_same_type(const struct values_conversion *c)
{
	return c->from == c->to && !c->unpacking;
}

/* Decodes a block that is wanted whole. */
static int take_whole_block(struct getter *g, const struct hyperslab_visit *w)
{
	const struct read_request *q = g->request;
	struct hyperslab_run stretch;
	uint8_t *out;

	if (!is_same_type(&q->conversion)) {
		NC3Z_TRY(decode_block(g, w->stream, &w->block));
		pick(g, w, g->scratch.data);
		return NC3Z_OK;
	}
	hyperslab_visits_run(g->cursor, w, &stretch);
	out = q->out + stretch.out_first * (ptrdiff_t)q->native_width;
	NC3Z_TRY(fetch_block(q->file, w->stream, &w->block, out, &g->error));
	byte_order_big((uint8_t)q->width, out, (size_t)stretch.nelems, out);
	return NC3Z_OK;
}

static int take_visit(struct getter *g, const struct hyperslab_visit *w)
{
	if (w->kind == PLAN_BEYOND) {
		pick_nothing(g, w);
		return NC3Z_OK;
	}
	if (w->kind == PLAN_STRADDLES) {
		NC3Z_TRY(gather(g, w->straddler));
		pick(g, w, g->straddler);
		return NC3Z_OK;
	}
	if (hyperslab_visits_takes_block(g->cursor, w) && !has_block(g, w))
		return take_whole_block(g, w);
	NC3Z_TRY(use_block(g, w->stream, &w->block));
	pick(g, w, g->data + w->skip);
	return NC3Z_OK;
}

/* Takes the next block of the request that no thread has taken. */
static bool take_next(struct getter *g, struct hyperslab_visit *visit_ret)
{
	struct read_request *q = g->request;
	bool found;

	pthread_mutex_lock(&q->lock);
	found = q->status == NC3Z_OK &&
		hyperslab_visits_seek(q->wanted, q->next, g->cursor) &&
		hyperslab_visits_next(g->cursor, UINT64_MAX, visit_ret);
	if (found)
		q->next = g->end = visit_ret->after;
	pthread_mutex_unlock(&q->lock);
	return found;
}

/* The next visit that is this thread's. */
static bool next_visit(struct getter *g, struct hyperslab_visit *visit_ret)
{
	if (hyperslab_visits_next(g->cursor, g->end, visit_ret))
		return true;
	return g->request->is_parallel && take_next(g, visit_ret);
}

/* Of several failures the first in the variable is kept. */
static void note_result(struct getter *g, int status, uint64_t at)
{
	struct read_request *q = g->request;

	if (q->is_parallel)
		pthread_mutex_lock(&q->lock);
	q->out_of_range = q->out_of_range || g->out_of_range;
	q->truncated = q->truncated || g->truncated;
	if (status != NC3Z_OK && (q->status == NC3Z_OK || at < q->failed_at)) {
		q->status = status;
		q->failed_at = at;
		q->error = g->error;
	}
	if (q->is_parallel)
		pthread_mutex_unlock(&q->lock);
}

/* A thread of a request. */
static void get_visits(void *argument)
{
	struct hyperslab_visits_cursor cursor;
	struct getter g = { .request = argument, .cursor = &cursor };
	struct hyperslab_visit w = { 0 };
	int status = NC3Z_OK;

	g.end = g.request->is_parallel ? 0 : UINT64_MAX;
	hyperslab_visits_seek(g.request->wanted, 0, &cursor);
	while (status == NC3Z_OK && next_visit(&g, &w))
		status = take_visit(&g, &w);
	put_block(&g);
	buffer_release(&g.scratch);
	note_result(&g, status, w.after);
}

unsigned request_threads(const struct read_request *q)
{
	const struct nc3z_file *file = q->file;
	uint32_t stream = q->wanted->place->stream;
	uint64_t nblocks;

	if (!file->is_archive || stream == PLAN_NO_STREAM)
		return 1;
	nblocks = hyperslab_visits_nblocks(q->wanted);
	if (size_mul_max(nblocks, file->plan.streams[stream].block_nbytes,
			 UINT64_MAX) < WORTH_THREADS_NBYTES)
		return 1;
	return (unsigned)size_min(nblocks, file->nthreads);
}

static void run_request(struct read_request *q, unsigned nthreads)
{
	q->is_parallel = nthreads > 1;
	if (!q->is_parallel) {
		get_visits(q);
		return;
	}
	pthread_mutex_init(&q->lock, NULL);
	workers_run(q->file->workers, nthreads - 1, get_visits, q);
	pthread_mutex_destroy(&q->lock);
}

int request_run(struct read_request *q, unsigned nthreads,
		struct nc3z_error *err)
{
	const char *name = q->var->name;
	uint64_t announcement = 0;

	/* An iterator announces by itself, further ahead. */
	if (!q->kept)
		announcement = announce_request(q->file, q->wanted);
	run_request(q, nthreads);
	source_forget(q->file->source, announcement);
	if (q->status != NC3Z_OK) {
		if (err)
			*err = q->error;
		return error_add_name(err, q->status, "variable", name);
	}
	if (q->truncated && !q->file->ignores_truncation)
		return error_set(err, NC3Z_ETRUNCATED,
				 "variable %.64s: values lie beyond the end "
				 "of the original",
				 name);
	if (q->out_of_range)
		return error_set(err, NC3Z_ERANGE,
				 "variable %.64s: values are out of the range "
				 "of the type",
				 name);
	return NC3Z_OK;
}
