/*
 * A tile is a hyperslab of its variable, so what blocks have of it is what a
 * request for that touches, window by window (plan_request.h).  These touches
 * are found for all tiles that are filled together, sorted by blocks, and
 * worked off a block at a time, by several threads: no two blocks have the same
 * byte of a tile.
 */
#include "convert/filler.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "plan/plan_request.h"
#include "read/kept.h"

/* What a block has of a tile: a window, or bytes of an element. */
struct filler_touch {
	uint64_t block;
	uint32_t stream;
	bool straddles;
	size_t tile;
	uint64_t at;   /* position of the window, or number of the element */
	ptrdiff_t out; /* place of the element in the tile */
};

/* A block that is decoded, and all that it has of tiles. */
struct filler_job {
	struct filler *filler;
	const struct filler_touch *touches;
	size_t ntouches;
	int status;
	struct nc3z_error err;
};

static int by_block(const void *a, const void *b)
{
	const struct filler_touch *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->tile < y->tile ? -1 : x->tile > y->tile;
}

/* The request for a tile. */
static int make_request(const struct filler *f, uint64_t tile,
			struct plan_request *wanted_ret, struct nc3z_error *err)
{
	const struct plan_stream *s = &f->map->plan->streams[f->stream];
	const struct plan_tiling *t = s->tiling;
	uint64_t shape[PLAN_RANK_MAX];
	size_t start[PLAN_RANK_MAX], count[PLAN_RANK_MAX];
	const struct hyperslab_request slab = {
		.form = HYPERSLAB_VARA,
		.is_record = s->is_record,
		.rank = t->rank,
		.shape = shape,
		.start = start,
		.count = count,
	};
	struct plan_tile box;

	plan_tiling_tile(t, tile, &box);
	for (uint32_t k = 0; k < t->rank; k++) {
		if (box.first[k] > SIZE_MAX)
			return error_set(err, NC3Z_ELIMIT,
					 "indices do not fit in memory");
		shape[k] = t->dims[k].nindices;
		start[k] = (size_t)box.first[k];
		count[k] = box.count[k];
	}
	return plan_request_init(wanted_ret, &f->file->map,
				 f->places[f->stream], t->width, &slab, err);
}

static int add_touch(struct filler *f, const struct filler_touch *touch,
		     struct nc3z_error *err)
{
	void *grown = memory_grow(f->touches, f->ntouches, &f->capacity,
				  sizeof(*touch));

	if (!grown)
		return error_set_memory(err);
	f->touches = grown;
	f->touches[f->ntouches++] = *touch;
	return NC3Z_OK;
}

/* Where some bytes of an element are. */
struct element_part {
	uint32_t stream;
	struct plan_block block;
	size_t skip; /* bytes of the block before them */
	size_t done; /* bytes of the element before them */
	size_t nbytes;
};

/* The part behind 'part'; false if there is none. */
static bool next_part(const struct plan_request *wanted, uint64_t element,
		      struct element_part *part)
{
	struct plan_run run;

	part->done += part->nbytes;
	if (part->done == wanted->width)
		return false;
	run = plan_variable_run(wanted->map, wanted->place,
				element * wanted->width + part->done);
	if (run.nbytes == 0)
		return false;
	part->stream = run.stream;
	part->block = plan_block_at(wanted->map, run.stream, run.stream_offset);
	part->skip = (size_t)(run.stream_offset - part->block.stream_offset);
	part->nbytes = (size_t)size_min(
		size_min(run.nbytes, part->block.nbytes - part->skip),
		wanted->width - part->done);
	return true;
}

static int touch_parts(struct filler *f, const struct plan_request *wanted,
		       struct filler_touch touch, struct nc3z_error *err)
{
	struct element_part part = { 0 };

	touch.straddles = true;
	while (next_part(wanted, touch.at, &part)) {
		touch.stream = part.stream;
		touch.block = part.block.block;
		NC3Z_TRY(add_touch(f, &touch, err));
	}
	return NC3Z_OK;
}

/* All that a request touches, where blocks may be in several windows. */
static int touch_pieces(struct filler *f, const struct plan_request *wanted,
			size_t tile, struct nc3z_error *err)
{
	struct filler_touch touch = { .tile = tile };
	struct hyperslab_run piece;
	struct plan_cursor cursor;
	struct plan_window w;

	plan_cursor_seek(wanted, 0, &cursor);
	while (plan_cursor_window(&cursor, UINT64_MAX, &w)) {
		if (w.kind == PLAN_IN_BLOCK) {
			touch.stream = w.stream;
			touch.block = w.block.block;
			touch.at = wanted->tiling ? w.block.block : w.first;
			NC3Z_TRY(add_touch(f, &touch, err));
		}
		while (plan_cursor_piece(&cursor, &w, &piece)) {
			if (w.kind != PLAN_STRADDLES)
				continue;
			touch.at = w.straddler;
			touch.out = piece.out_first;
			NC3Z_TRY(touch_parts(f, wanted, touch, err));
		}
	}
	return NC3Z_OK;
}

/* The same where each block is in one window: not every piece is looked at. */
static int touch_blocks(struct filler *f, const struct plan_request *wanted,
			size_t tile, struct nc3z_error *err)
{
	struct filler_touch touch = { .tile = tile };
	struct plan_cursor cursor;
	struct plan_window w = { 0 };

	while (plan_cursor_seek(wanted, w.after, &cursor) &&
	       plan_cursor_window(&cursor, UINT64_MAX, &w)) {
		touch.stream = w.stream;
		touch.block = w.block.block;
		touch.at = wanted->tiling ? w.block.block : w.first;
		NC3Z_TRY(add_touch(f, &touch, err));
	}
	return NC3Z_OK;
}

/* Takes up some tiles: what they touch, sorted by blocks. */
static int touch_tiles(struct filler *f, const struct plan_map *map,
		       uint32_t stream, const struct open_block *tiles,
		       size_t ntiles, struct nc3z_error *err)
{
	struct plan_request wanted;

	f->map = map;
	f->tiles = tiles;
	f->stream = stream;
	f->ntouches = 0;
	if (stream >= f->nstreams || !f->places[stream])
		return error_set(err, NC3Z_EDAMAGED,
				 "header of the original is not its copy");
	for (size_t i = 0; i < ntiles; i++) {
		NC3Z_TRY(make_request(f, tiles[i].block, &wanted, err));
		if (request_is_regular(&wanted))
			NC3Z_TRY(touch_blocks(f, &wanted, i, err));
		else
			NC3Z_TRY(touch_pieces(f, &wanted, i, err));
	}
	if (f->ntouches > 0)
		qsort(f->touches, f->ntouches, sizeof(*f->touches), by_block);
	return NC3Z_OK;
}

/* The touches from number 'first' on that are of one block. */
static size_t count_touches(const struct filler *f, size_t first)
{
	const struct filler_touch *t = &f->touches[first];
	size_t n = 1;

	while (first + n < f->ntouches && t[n].stream == t->stream &&
	       t[n].block == t->block)
		n++;
	return n;
}

static void copy_piece(const struct hyperslab_run *piece, const uint8_t *in,
		       uint8_t *out, size_t width)
{
	if (piece->in_step == 1 && piece->out_step == 1) {
		memcpy(out, in, (size_t)piece->nelems * width);
		return;
	}
	for (uint64_t i = 0; i < piece->nelems; i++) {
		memcpy(out, in, width);
		in += piece->in_step * width;
		out += piece->out_step * (ptrdiff_t)width;
	}
}

static void copy_window(const struct plan_request *wanted,
			const struct filler_touch *touch, const uint8_t *block,
			uint8_t *tile)
{
	size_t width = wanted->width;
	struct hyperslab_run piece;
	struct plan_cursor cursor;
	struct plan_window w;

	plan_cursor_seek(wanted, touch->at, &cursor);
	if (!plan_cursor_window(&cursor, UINT64_MAX, &w))
		return;
	while (plan_cursor_piece(&cursor, &w, &piece))
		copy_piece(&piece,
			   block + w.skip + (piece.in_first - w.first) * width,
			   tile + piece.out_first * (ptrdiff_t)width, width);
}

static void copy_part(const struct plan_request *wanted,
		      const struct filler_touch *touch, const uint8_t *block,
		      uint8_t *tile)
{
	struct element_part part = { 0 };
	uint8_t *out = tile + touch->out * (ptrdiff_t)wanted->width;

	while (next_part(wanted, touch->at, &part))
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
		const struct open_block *tile = &f->tiles[touch->tile];

		NC3Z_TRY(make_request(f, tile->block, &wanted, &job->err));
		if (touch->straddles)
			copy_part(&wanted, touch, block->data, tile->raw);
		else
			copy_window(&wanted, touch, block->data, tile->raw);
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

		n = count_touches(f, i);
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
		const struct open_block *tiles, size_t ntiles,
		struct nc3z_error *err)
{
	struct filler *f = context;

	NC3Z_TRY(touch_tiles(f, map, stream, tiles, ntiles, err));
	return decode_all(f, err);
}

int filler_count(void *context, const struct plan_map *map, uint32_t stream,
		 const struct open_block *tiles, size_t ntiles,
		 struct nc3z_error *err)
{
	struct filler *f = context;

	NC3Z_TRY(touch_tiles(f, map, stream, tiles, ntiles, err));
	for (size_t i = 0; i < f->ntouches; i += count_touches(f, i))
		decodings_add(f->decodings, f->touches[i].stream,
			      f->touches[i].block);
	return NC3Z_OK;
}

/* Which variable each tiled stream of the target has. */
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

		if (stream != PLAN_NO_STREAM && target->streams[stream].tiling)
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
