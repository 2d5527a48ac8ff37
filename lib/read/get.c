/*
 * Values of a hyperslab.
 *
 * A request goes through its windows (plan_request.h), each once, so that each
 * block is decoded at most once.  A window that is a whole block and that the
 * request takes whole, into memory side by side, is decoded there and then; for
 * others the block comes through the cache and its elements are picked.
 *
 * Blocks are worked off by several threads if they are worth it: each takes the
 * next one until none is left.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "plan/plan_request.h"
#include "read/file.h"

/* Decoding so many bytes is worth another thread. */
#define WORTH_THREADS_NBYTES (UINT32_C(1) << 20)

/* What the threads of a request share. */
struct request {
	struct nc3z_file *file;
	const struct plan_request *wanted;
	const char *name; /* of the variable */
	struct values_conversion conversion;
	size_t width;        /* of an external value */
	size_t native_width; /* of one in memory */
	uint8_t *out;
	bool is_parallel;
	pthread_mutex_t lock; /* if it is parallel, for everything below */
	uint64_t next;        /* position that nobody has taken yet */
	int status;
	uint64_t failed_at;
	struct nc3z_error error;
	bool out_of_range;
	bool truncated;
};

/* One thread of a request. */
struct getter {
	struct request *request;
	struct plan_cursor *cursor;
	uint64_t end; /* of the positions that it has taken */
	/* The block that was used last, pinned. */
	struct cache_entry *entry;
	uint32_t entry_stream;
	uint64_t entry_block;
	size_t entry_used_nbytes;
	struct buffer scratch; /* for a decoded block */
	uint8_t straddler[8];  /* an element that lies in two blocks */
	bool out_of_range;
	bool truncated;
	struct nc3z_error error;
};

static void put_entry(struct getter *g)
{
	if (g->entry)
		cache_put(g->request->file->cache, g->entry,
			  g->entry_used_nbytes);
	g->entry = NULL;
	g->entry_used_nbytes = 0;
}

static void keep_entry(struct getter *g, struct cache_entry *entry,
		       uint32_t stream, uint64_t block)
{
	g->entry = entry;
	g->entry_stream = stream;
	g->entry_block = block;
}

/* Makes the block of a place the pinned one. */
static int pin_block(struct getter *g, uint32_t stream,
		     const struct plan_block *block)
{
	struct cache_entry *entry;

	if (g->entry && g->entry_stream == stream &&
	    g->entry_block == block->block)
		return NC3Z_OK;
	put_entry(g);
	NC3Z_TRY(fetch_cached(g->request->file, stream, block, &entry,
			      &g->error));
	keep_entry(g, entry, stream, block->block);
	return NC3Z_OK;
}

/* Takes the elements of a window from its external values at 'data'. */
static void pick(struct getter *g, const struct plan_window *w,
		 const uint8_t *data)
{
	const struct request *q = g->request;
	struct hyperslab_run piece;

	while (plan_cursor_piece(g->cursor, w, &piece)) {
		const struct values_run run = {
			.in = data + (piece.in_first - w->first) * q->width,
			.in_step = (size_t)piece.in_step,
			.out = q->out +
			       piece.out_first * (ptrdiff_t)q->native_width,
			.out_step = piece.out_step,
			.n = (size_t)piece.nelems,
		};

		if (!values_convert(&q->conversion, &run))
			g->out_of_range = true;
		g->entry_used_nbytes += run.n * q->width;
	}
}

/* Zeros for the elements of a window that the original does not have. */
static void pick_nothing(struct getter *g, const struct plan_window *w)
{
	static const uint8_t zeros[8];
	const struct request *q = g->request;
	struct hyperslab_run piece;

	g->truncated = true;
	while (plan_cursor_piece(g->cursor, w, &piece)) {
		const struct values_run run = {
			.in = zeros,
			.out = q->out +
			       piece.out_first * (ptrdiff_t)q->native_width,
			.out_step = piece.out_step,
			.n = (size_t)piece.nelems,
		};

		values_convert(&q->conversion, &run);
	}
}

/* Puts together an element whose bytes do not lie side by side. */
static int gather(struct getter *g, uint64_t element)
{
	const struct request *q = g->request;
	uint64_t offset = element * q->width;
	size_t done = 0;

	memset(g->straddler, 0, sizeof(g->straddler));
	while (done < q->width) {
		struct plan_run run = plan_variable_run(
			&q->file->map, q->wanted->place, offset + done);
		struct plan_block block;
		uint64_t skip, n;

		if (run.nbytes == 0) {
			g->truncated = true;
			break;
		}
		block = plan_block_at(&q->file->map, run.stream,
				      run.stream_offset);
		skip = run.stream_offset - block.stream_offset;
		n = size_min(run.nbytes, block.nbytes - skip);
		n = size_min(n, q->width - done);
		NC3Z_TRY(pin_block(g, run.stream, &block));
		memcpy(g->straddler + done, g->entry->data + skip, (size_t)n);
		done += (size_t)n;
	}
	return NC3Z_OK;
}

/* Decodes a block that is wanted whole, past the cache. */
static int take_whole_block(struct getter *g, const struct plan_window *w)
{
	const struct request *q = g->request;
	size_t nbytes = (size_t)w->block.nbytes;
	struct hyperslab_run piece;
	uint8_t *out;

	if (q->conversion.from != q->conversion.to) {
		if (!buffer_reserve(&g->scratch, nbytes))
			return error_set_memory(&g->error);
		NC3Z_TRY(fetch_block(q->file, w->stream, &w->block,
				     g->scratch.data, &g->error));
		pick(g, w, g->scratch.data);
		return NC3Z_OK;
	}
	plan_cursor_piece(g->cursor, w, &piece);
	out = q->out + (size_t)piece.out_first * q->native_width;
	NC3Z_TRY(fetch_block(q->file, w->stream, &w->block, out, &g->error));
	values_swap_in_place(q->conversion.to, out, (size_t)piece.nelems);
	return NC3Z_OK;
}

static int take_window(struct getter *g, const struct plan_window *w)
{
	struct cache_entry *held;

	if (w->kind == PLAN_BEYOND) {
		pick_nothing(g, w);
		return NC3Z_OK;
	}
	if (w->kind == PLAN_STRADDLES) {
		NC3Z_TRY(gather(g, w->straddler));
		pick(g, w, g->straddler);
		return NC3Z_OK;
	}
	if (plan_cursor_takes_block(g->cursor, w)) {
		put_entry(g);
		held = fetch_held(g->request->file, w->stream, &w->block);
		if (!held)
			return take_whole_block(g, w);
		keep_entry(g, held, w->stream, w->block.block);
	}
	NC3Z_TRY(pin_block(g, w->stream, &w->block));
	pick(g, w, g->entry->data + w->skip);
	return NC3Z_OK;
}

/* Takes the next block of the request that no thread has taken. */
static bool take_next(struct getter *g, struct plan_window *window_ret)
{
	struct request *q = g->request;
	bool found;

	pthread_mutex_lock(&q->lock);
	found = q->status == NC3Z_OK &&
		plan_cursor_seek(q->wanted, q->next, g->cursor) &&
		plan_cursor_window(g->cursor, UINT64_MAX, window_ret);
	if (found)
		q->next = g->end = window_ret->after;
	pthread_mutex_unlock(&q->lock);
	return found;
}

/* The next window that is this thread's. */
static bool next_window(struct getter *g, struct plan_window *window_ret)
{
	if (plan_cursor_window(g->cursor, g->end, window_ret))
		return true;
	return g->request->is_parallel && take_next(g, window_ret);
}

/* Of several failures the first in the variable is kept. */
static void note_result(struct getter *g, int status, uint64_t at)
{
	struct request *q = g->request;

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
static void *get_windows(void *argument)
{
	struct plan_cursor cursor;
	struct getter g = { .request = argument, .cursor = &cursor };
	struct plan_window w = { 0 };
	int status = NC3Z_OK;

	g.end = g.request->is_parallel ? 0 : UINT64_MAX;
	plan_cursor_seek(g.request->wanted, 0, &cursor);
	while (status == NC3Z_OK && next_window(&g, &w))
		status = take_window(&g, &w);
	put_entry(&g);
	buffer_release(&g.scratch);
	note_result(&g, status, w.after);
	return NULL;
}

/* How many threads a request is worth. */
static unsigned count_threads(const struct request *q)
{
	const struct nc3z_file *file = q->file;
	uint32_t stream = q->wanted->place->stream;
	uint64_t nblocks;

	if (!file->is_archive || stream == PLAN_NO_STREAM)
		return 1;
	nblocks = plan_request_nblocks(q->wanted);
	if (size_mul_max(nblocks, file->plan.streams[stream].block_nbytes,
			 UINT64_MAX) < WORTH_THREADS_NBYTES)
		return 1;
	return (unsigned)size_min(nblocks, file->nthreads);
}

/* Works a request off, with the help of threads that end with it. */
static void run_request(struct request *q, unsigned nthreads)
{
	pthread_t *threads = NULL;
	unsigned nstarted = 0;

	q->is_parallel = nthreads > 1;
	if (q->is_parallel) {
		pthread_mutex_init(&q->lock, NULL);
		threads = memory_alloc(nthreads - 1, sizeof(*threads));
	}
	/* Without them it takes longer, that is all. */
	while (threads && nstarted < nthreads - 1 &&
	       pthread_create(&threads[nstarted], NULL, get_windows, q) == 0)
		nstarted++;
	get_windows(q);
	while (nstarted > 0)
		pthread_join(threads[--nstarted], NULL);
	if (q->is_parallel)
		pthread_mutex_destroy(&q->lock);
	free(threads);
}

static int report(const struct request *q, struct nc3z_error *err)
{
	if (q->status != NC3Z_OK) {
		if (err)
			*err = q->error;
		return error_add_name(err, q->status, "variable", q->name);
	}
	if (q->truncated && !q->file->ignores_truncation)
		return error_set(err, NC3Z_ETRUNCATED,
				 "variable %.64s: values lie beyond the end "
				 "of the original",
				 q->name);
	if (q->out_of_range)
		return error_set(err, NC3Z_ERANGE,
				 "variable %.64s: values are out of the range "
				 "of the type",
				 q->name);
	return NC3Z_OK;
}

static int fault_status(enum hyperslab_fault fault, struct nc3z_error *err)
{
	switch (fault) {
	case HYPERSLAB_BAD_START:
		return error_set(err, NC3Z_EINVALCOORDS, "%s",
				 nc3z_status_text(NC3Z_EINVALCOORDS));
	case HYPERSLAB_BAD_EDGE:
		return error_set(err, NC3Z_EEDGE, "%s",
				 nc3z_status_text(NC3Z_EEDGE));
	case HYPERSLAB_BAD_STRIDE:
		return error_set(err, NC3Z_ESTRIDE, "%s",
				 nc3z_status_text(NC3Z_ESTRIDE));
	default:
		return NC3Z_OK;
	}
}

static int get(struct nc3z_file *file, int varid,
	       struct hyperslab_request *slab, int memtype, void *values,
	       struct nc3z_error *err)
{
	struct plan_request wanted;
	struct request q = { .file = file, .wanted = &wanted, .out = values };
	const struct nc3z_var *var;

	if (varid < 0 || (size_t)varid >= file->header.nvars)
		return error_set(err, NC3Z_ENOTVAR, "no variable %d", varid);
	var = &file->vars[varid];
	/* libnetcdf sees this before the type, everything else after it. */
	if (slab->form != HYPERSLAB_VAR && var->ndims > 0 && !slab->start)
		return fault_status(HYPERSLAB_BAD_START, err);
	NC3Z_TRY(file_conversion(file, (enum classic_type)var->type, memtype,
				 &q.conversion, err));
	slab->is_record = var->is_record;
	slab->rank = (size_t)var->ndims;
	slab->shape = var->shape;
	NC3Z_TRY(fault_status(hyperslab_check(slab), err));
	q.width = nc3z_type_nbytes(var->type);
	NC3Z_TRY(plan_request_init(&wanted, &file->map, &file->places[varid],
				   (uint32_t)q.width, slab, err));
	if (wanted.slab.nelems == 0)
		return NC3Z_OK;
	q.name = var->name;
	q.native_width = values_native_nbytes(q.conversion.to);
	/* What imap does to the order of writing is for one thread. */
	run_request(&q, slab->imap ? 1 : count_threads(&q));
	return report(&q, err);
}

int nc3z_get(struct nc3z_file *file, int varid, const struct nc3z_slab *slab,
	     int memtype, void *values, struct nc3z_error *err)
{
	struct hyperslab_request request = { .form = HYPERSLAB_VAR };

	if (slab) {
		request.form = slab->imap   ? HYPERSLAB_VARM :
			       slab->stride ? HYPERSLAB_VARS :
					      HYPERSLAB_VARA;
		request.start = slab->start;
		request.count = slab->count;
		request.stride = slab->stride;
		request.imap = slab->imap;
	}
	return get(file, varid, &request, memtype, values, err);
}

int nc3z_get_var1(struct nc3z_file *file, int varid, const size_t *index,
		  int memtype, void *value, struct nc3z_error *err)
{
	struct hyperslab_request request = {
		.form = HYPERSLAB_VAR1,
		.start = index,
	};

	return get(file, varid, &request, memtype, value, err);
}
