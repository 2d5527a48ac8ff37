/* SPDX-License-Identifier: MIT */
/*
 * The bytes of the original out of the blocks that are left, or fill values.
 *
 * A value with a byte that is lost is lost: parts of it in another block that
 * is whole are filled too.
 */
#include "salvage/bytes.h"

#include <string.h>

#include "base/sizes.h"

/* Longest value, the most that a run is looked ahead over. */
#define ELEM_NBYTES_MAX 8

/*
 * Blocks are decoded again if the cache cannot hold them, this many times in
 * the mean.
 */
#define DECODED_TIMES_MAX 16
#define DECODED_NBYTES_MIN (UINT64_C(1) << 32)

/* The bytes that are there at an offset of the original. */
struct view {
	uint32_t stream;
	struct plan_block block;
	uint64_t at;     /* in the block */
	uint64_t nbytes; /* that follow each other in block and original */
	struct cache_entry *entry; /* NULL: lost */
};

static int fill_cache(void *context, struct cache_key key, uint8_t *data,
		      size_t nbytes, struct nc3z_error *err)
{
	struct salvage *s = context;
	uint32_t stream = (uint32_t)(key.number >> 32);
	struct salvage_found_block *p =
		salvage_good(s, stream, (uint32_t)key.number);
	struct plan_block block;
	uint64_t most =
		size_add_max(size_mul_max(s->map.original_nbytes,
					  DECODED_TIMES_MAX, UINT64_MAX),
			     DECODED_NBYTES_MIN, UINT64_MAX);

	s->decoded_nbytes += nbytes;
	if (s->decoded_nbytes > most)
		return error_set(err, NC3Z_ELIMIT,
				 "blocks overlap too much: more memory is "
				 "needed");
	if (p)
		return salvage_decode(s, p, data);
	block = plan_block_numbered(&s->map, stream, (uint32_t)key.number);
	memcpy(data, salvage_copied(s, stream) + block.stream_offset, nbytes);
	return NC3Z_OK;
}

/* The raw bytes of a block, NULL if it is lost and its stream is not copied. */
static int get_block(struct salvage_bytes *b, uint32_t stream, uint64_t block,
		     size_t nbytes, struct cache_entry **entry_ret)
{
	const struct cache_filler filler = {
		.fill = fill_cache,
		.context = b->s,
	};
	const struct cache_key key = {
		.number = (uint64_t)stream << 32 | block,
	};
	struct salvage_found_block *p;
	int status;

	*entry_ret = NULL;
	while ((p = salvage_good(b->s, stream, block))) {
		status = cache_get(b->s->cache, key, nbytes, &filler, entry_ret,
				   b->s->err);
		if (status != NC3Z_EDAMAGED && status != NC3Z_EUNSUPPORTED)
			return status;
		p->is_bad = true;
	}
	if (!salvage_copied(b->s, stream))
		return NC3Z_OK;
	return cache_get(b->s->cache, key, nbytes, &filler, entry_ret,
			 b->s->err);
}

static int look_at(struct salvage_bytes *b, uint64_t offset,
		   struct view *view_ret)
{
	const struct plan_map *map = &b->s->map;
	struct plan_block block;
	struct plan_run run = plan_run_in_block(map, offset, &block);

	*view_ret = (struct view){
		.stream = run.stream,
		.block = block,
		.at = run.stream_offset - block.stream_offset,
		.nbytes = run.nbytes,
	};
	return get_block(b, run.stream, block.block, (size_t)block.nbytes,
			 &view_ret->entry);
}

static void let_go(struct salvage_bytes *b, struct view *view,
		   size_t used_nbytes)
{
	if (view->entry)
		cache_put(b->s->cache, view->entry, used_nbytes);
	view->entry = NULL;
}

static void place_at(const struct salvage_bytes *b, uint64_t offset,
		     struct loss_place *place_ret)
{
	salvage_place_at(&b->s->header, &b->s->layout, offset, place_ret);
}

/* Bytes of a value before an offset within it; 0 between values. */
static uint64_t begun_nbytes(const struct loss_place *place, uint64_t offset)
{
	if (offset <= place->begin || offset >= place->values_end)
		return 0;
	return (offset - place->begin) % place->width;
}

/* Fills up to 'max' bytes of one place; they are lost. */
static int fill_bytes(struct salvage_bytes *b, uint8_t *data, uint64_t max,
		      size_t *n_ret)
{
	struct salvage *s = b->s;
	struct loss_place place;
	uint64_t end, begun;

	place_at(b, b->position, &place);
	end = b->position + size_min(max, place.end - b->position);
	*n_ret = (size_t)(end - b->position);
	salvage_fill(&s->header, &place, b->position, data, *n_ret);
	begun = begun_nbytes(&place, end);
	if (begun > 0 && end >= b->fill_until)
		b->fill_until = end - begun + place.width;
	return salvage_losses_add(&s->losses, &s->header, &place, b->position,
				  *n_ret, b->s->err);
}

/* A chunk is one loss, however its rows lie in the original. */
static bool is_known_chunk(const struct salvage_bytes *b,
			   const struct view *view)
{
	const struct plan_stream *stream = &b->s->plan.streams[view->stream];
	uint32_t variable = stream->members[0].variable;

	return stream->grid && variable < b->s->header.nvars &&
	       b->s->header.vars[variable].ndims == stream->grid->rank;
}

static int fill_chunk(struct salvage_bytes *b, const struct view *view,
		      uint8_t *data, uint64_t max, size_t *n_ret)
{
	struct salvage *s = b->s;
	const struct plan_stream *stream = &s->plan.streams[view->stream];
	struct plan_chunk chunk;
	struct loss_place place;

	place_at(b, b->position, &place);
	*n_ret = (size_t)size_min(max, place.end - b->position);
	salvage_fill(&s->header, &place, b->position, data, *n_ret);
	if (view->at > 0)
		return NC3Z_OK;
	plan_grid_chunk(stream->grid, view->block.block, &chunk);
	return salvage_losses_add_chunk(&s->losses, stream->members[0].variable,
					stream->grid, &chunk,
					view->block.nbytes, b->s->err);
}

/*
 * A value may straddle the end of the bytes that were copied: if the block with
 * its other bytes is lost, so are those that were copied.
 */
static int mend_end(struct salvage_bytes *b, uint8_t *data, size_t n)
{
	uint64_t end = b->position + n, begun;
	struct loss_place place;
	struct view next;
	bool is_lost;

	if (end >= b->s->map.original_nbytes)
		return NC3Z_OK;
	place_at(b, end, &place);
	begun = begun_nbytes(&place, end);
	if (begun == 0 || begun > n)
		return NC3Z_OK;
	NC3Z_TRY(look_at(b, end, &next));
	is_lost = !next.entry;
	let_go(b, &next, 0);
	if (!is_lost)
		return NC3Z_OK;
	salvage_fill(&b->s->header, &place, end - begun, data + n - begun,
		     (size_t)begun);
	return salvage_losses_add(&b->s->losses, &b->s->header, &place,
				  end - begun, begun, b->s->err);
}

/* As much of a block as 'max' bytes, or none if a value would be cut off. */
static int copy_view(struct salvage_bytes *b, const struct view *view,
		     uint8_t *data, uint64_t max, size_t *n_ret)
{
	uint64_t n = size_min(view->nbytes, max);

	if (n < view->nbytes && view->nbytes - n < ELEM_NBYTES_MAX)
		n -= size_min(n, ELEM_NBYTES_MAX);
	memcpy(data, view->entry->data + view->at, (size_t)n);
	*n_ret = (size_t)n;
	return n == view->nbytes ? mend_end(b, data, (size_t)n) : NC3Z_OK;
}

int salvage_bytes_next(struct salvage_bytes *b, uint8_t *data, uint64_t max,
		       size_t *n_ret)
{
	struct salvage *s = b->s;
	struct view view;
	int status;

	if (b->position < s->header.nbytes) {
		*n_ret = (size_t)size_min(max, s->header.nbytes - b->position);
		memcpy(data, s->head.data + b->position, *n_ret);
		return NC3Z_OK;
	}
	if (b->position < b->fill_until)
		return fill_bytes(b, data,
				  size_min(max, b->fill_until - b->position),
				  n_ret);
	NC3Z_TRY(look_at(b, b->position, &view));
	if (view.entry)
		status = copy_view(b, &view, data, max, n_ret);
	else if (is_known_chunk(b, &view))
		status = fill_chunk(b, &view, data, size_min(max, view.nbytes),
				    n_ret);
	else
		status = fill_bytes(b, data, size_min(max, view.nbytes), n_ret);
	let_go(b, &view, *n_ret);
	return status;
}
