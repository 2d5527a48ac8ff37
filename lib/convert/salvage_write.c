/*
 * Writing the archive.
 *
 * The bytes of the original come in order, out of the blocks that are left or,
 * where these are lost, as fill values; they are hashed and sorted into blocks
 * again as packing does it.  A block that then has the CRC that its record says
 * is written with that record's description and payload, as it was; others are
 * encoded anew.  If nothing is lost the archive that comes out is the one that
 * was packed, byte for byte.
 *
 * A value with a byte that is lost is lost: parts of it in another block that
 * is whole are filled too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "convert/salvage.h"
#include "parallel/hasher.h"
#include "parallel/threads.h"
#include "write/spans.h"

#define MAKING_CODEC NC3Z_CODEC_DEFLATE
#define MAKING_LEVEL 5

/* Longest value, the most that a run is looked ahead over. */
#define ELEM_NBYTES_MAX 8

/*
 * Blocks are decoded again if the cache cannot hold them, this many times in
 * the mean.
 */
#define DECODED_TIMES_MAX 16
#define DECODED_NBYTES_MIN (UINT64_C(1) << 32)

struct writer {
	struct salvage *s;
	struct archive_writer archive;
	struct spans spans;
	struct hasher *hasher;
	struct block_coder coder;
	struct block_stored stored;
	bool has_identity;
	uint64_t position;
	uint64_t fill_until; /* bytes of a value whose first ones are lost */
	struct nc3z_salvage_report *report;
	struct nc3z_error *err;
};

/* What there is at an offset of the original. */
struct view {
	uint32_t stream;
	struct plan_block block;
	uint64_t at;     /* in the block */
	uint64_t nbytes; /* that follow each other in block and original */
	struct cache_entry *entry; /* NULL: lost */
};

static int fill_cache(void *context, uint64_t key, uint8_t *data, size_t nbytes,
		      struct nc3z_error *err)
{
	struct salvage *s = context;
	struct piece *p = salvage_good(s, (uint32_t)(key >> 32), (uint32_t)key);
	uint64_t most =
		size_add_max(size_mul_max(s->map.original_nbytes,
					  DECODED_TIMES_MAX, UINT64_MAX),
			     DECODED_NBYTES_MIN, UINT64_MAX);

	s->decoded_nbytes += nbytes;
	if (s->decoded_nbytes > most)
		return error_set(err, NC3Z_ELIMIT,
				 "blocks overlap too much: more memory is "
				 "needed");
	return salvage_decode(s, p, data);
}

/* The raw bytes of a block, NULL if it is lost. */
static int get_block(struct writer *w, uint32_t stream, uint64_t block,
		     size_t nbytes, struct cache_entry **entry_ret)
{
	const struct cache_filler filler = {
		.fill = fill_cache,
		.context = w->s,
	};
	struct piece *p;
	int status;

	*entry_ret = NULL;
	while ((p = salvage_good(w->s, stream, block))) {
		status = cache_get(w->s->cache, (uint64_t)stream << 32 | block,
				   nbytes, &filler, entry_ret, w->err);
		if (status != NC3Z_EDAMAGED && status != NC3Z_EUNSUPPORTED)
			return status;
		p->is_bad = true;
	}
	return NC3Z_OK;
}

static int look_at(struct writer *w, uint64_t offset, struct view *view_ret)
{
	const struct plan_map *map = &w->s->map;
	struct plan_run run = plan_run_at(map, offset);
	struct plan_block block =
		plan_block_at(map, run.stream, run.stream_offset);
	uint64_t at = run.stream_offset - block.stream_offset;

	*view_ret = (struct view){
		.stream = run.stream,
		.block = block,
		.at = at,
		.nbytes = size_min(run.nbytes, block.nbytes - at),
	};
	return get_block(w, run.stream, block.block, (size_t)block.nbytes,
			 &view_ret->entry);
}

static void let_go(struct writer *w, struct view *view, size_t used_nbytes)
{
	if (view->entry)
		cache_put(w->s->cache, view->entry, used_nbytes);
	view->entry = NULL;
}

static void place_at(const struct writer *w, uint64_t offset,
		     struct place *place_ret)
{
	salvage_place_at(&w->s->header, &w->s->layout, offset, place_ret);
}

/* Bytes of a value before an offset within it; 0 between values. */
static uint64_t begun_nbytes(const struct place *place, uint64_t offset)
{
	if (offset <= place->begin || offset >= place->values_end)
		return 0;
	return (offset - place->begin) % place->width;
}

/* Fills up to 'max' bytes of one place; they are lost. */
static int fill(struct writer *w, uint8_t *data, uint64_t max, size_t *n_ret)
{
	struct salvage *s = w->s;
	struct place place;
	uint64_t end, begun;

	place_at(w, w->position, &place);
	end = w->position + size_min(max, place.end - w->position);
	*n_ret = (size_t)(end - w->position);
	salvage_fill(&s->header, &place, w->position, data, *n_ret);
	begun = begun_nbytes(&place, end);
	if (begun > 0 && end >= w->fill_until)
		w->fill_until = end - begun + place.width;
	return salvage_losses_add(&s->losses, &s->header, &place, w->position,
				  *n_ret, w->err);
}

/* A tile is one loss, however its rows lie in the original. */
static bool is_known_tile(const struct writer *w, const struct view *view)
{
	const struct plan_stream *stream = &w->s->plan.streams[view->stream];
	uint32_t variable = stream->members[0].variable;

	return stream->tiling && variable < w->s->header.nvars &&
	       w->s->header.vars[variable].ndims == stream->tiling->rank;
}

static int fill_tile(struct writer *w, const struct view *view, uint8_t *data,
		     uint64_t max, size_t *n_ret)
{
	struct salvage *s = w->s;
	const struct plan_stream *stream = &s->plan.streams[view->stream];
	struct plan_tile tile;
	struct place place;

	place_at(w, w->position, &place);
	*n_ret = (size_t)size_min(max, place.end - w->position);
	salvage_fill(&s->header, &place, w->position, data, *n_ret);
	if (view->at > 0)
		return NC3Z_OK;
	plan_tiling_tile(stream->tiling, view->block.block, &tile);
	return salvage_losses_add_tile(&s->losses, stream->members[0].variable,
				       stream->tiling, &tile,
				       view->block.nbytes, w->err);
}

/*
 * Behind the bytes that were copied a value goes on in another block: if that
 * is lost, so is what was copied of the value.
 */
static int mend_end(struct writer *w, uint8_t *data, size_t n)
{
	uint64_t end = w->position + n, begun;
	struct place place;
	struct view next;
	bool is_lost;

	if (end >= w->s->map.original_nbytes)
		return NC3Z_OK;
	place_at(w, end, &place);
	begun = begun_nbytes(&place, end);
	if (begun == 0 || begun > n)
		return NC3Z_OK;
	NC3Z_TRY(look_at(w, end, &next));
	is_lost = !next.entry;
	let_go(w, &next, 0);
	if (!is_lost)
		return NC3Z_OK;
	salvage_fill(&w->s->header, &place, end - begun, data + n - begun,
		     (size_t)begun);
	return salvage_losses_add(&w->s->losses, &w->s->header, &place,
				  end - begun, begun, w->err);
}

/* As much of a block as 'max' bytes, or none if a value would be cut off. */
static int copy(struct writer *w, const struct view *view, uint8_t *data,
		uint64_t max, size_t *n_ret)
{
	uint64_t n = size_min(view->nbytes, max);

	if (n < view->nbytes && view->nbytes - n < ELEM_NBYTES_MAX)
		n -= size_min(n, ELEM_NBYTES_MAX);
	memcpy(data, view->entry->data + view->at, (size_t)n);
	*n_ret = (size_t)n;
	return n == view->nbytes ? mend_end(w, data, (size_t)n) : NC3Z_OK;
}

/* The next bytes, up to 'max'; none if the buffer has to be emptied first. */
static int next_bytes(struct writer *w, uint8_t *data, uint64_t max,
		      size_t *n_ret)
{
	struct salvage *s = w->s;
	struct view view;
	int status;

	if (w->position < s->header.nbytes) {
		*n_ret = (size_t)size_min(max, s->header.nbytes - w->position);
		memcpy(data, s->head.data + w->position, *n_ret);
		return NC3Z_OK;
	}
	if (w->position < w->fill_until)
		return fill(w, data, size_min(max, w->fill_until - w->position),
			    n_ret);
	NC3Z_TRY(look_at(w, w->position, &view));
	if (view.entry)
		status = copy(w, &view, data, max, n_ret);
	else if (is_known_tile(w, &view))
		status = fill_tile(w, &view, data, size_min(max, view.nbytes),
				   n_ret);
	else
		status = fill(w, data, size_min(max, view.nbytes), n_ret);
	let_go(w, &view, *n_ret);
	return status;
}

static int write_bytes(struct writer *w)
{
	const struct nc3z_salvage_options *o = w->s->options;
	uint64_t size = w->s->map.original_nbytes;

	while (w->position < size) {
		uint8_t *data = hasher_buffer(w->hasher);
		size_t filled = 0, n = 1;

		while (n > 0 && w->position < size &&
		       filled < HASHER_BUFFER_NBYTES) {
			uint64_t max = size_min(HASHER_BUFFER_NBYTES - filled,
						size - w->position);

			NC3Z_TRY(next_bytes(w, data + filled, max, &n));
			filled += n;
			w->position += n;
		}
		NC3Z_TRY(hasher_put(w->hasher, filled, w->err));
		NC3Z_TRY(spans_put(&w->spans, data, filled, w->err));
		if (o->progress)
			o->progress(o->context, w->position,
				    w->archive.sink->position);
	}
	return NC3Z_OK;
}

static int append_stored(struct writer *w, struct archive_block block,
			 bool *collides_ret)
{
	block.description = w->stored.description.data;
	block.description_nbytes = w->stored.description.nbytes;
	block.payload = w->stored.payload.data;
	block.payload_nbytes = w->stored.payload.nbytes;
	return archive_writer_block(&w->archive, &block, collides_ret, w->err);
}

/* Encodes a block; in other ways if it would look like another format. */
static int append_encoded(struct writer *w, const struct archive_block *block,
			  const uint8_t *raw)
{
	struct block_recipe recipe = {
		.width = w->s->plan.streams[block->stream].width,
		.codec = MAKING_CODEC,
		.level = codec_level(MAKING_CODEC, MAKING_LEVEL),
	};
	bool collides = true;

	for (uint32_t stride = 1; collides; stride++) {
		NC3Z_TRY(block_encode(&w->coder, &recipe, raw,
				      block->raw_nbytes, &w->stored, w->err));
		NC3Z_TRY(append_stored(w, *block, &collides));
		recipe = (struct block_recipe){ .width = 1,
						.codec = NC3Z_CODEC_STORE };
		filter_chain_add(&recipe.chain, FILTER_DELTA, stride);
		if (collides && stride > block->raw_nbytes)
			return error_set(w->err, NC3Z_ELIMIT,
					 "archive would look like an HDF5 "
					 "file");
	}
	w->report->nblocks_made++;
	return NC3Z_OK;
}

static int append_block(struct writer *w, struct archive_block *block,
			const uint8_t *raw)
{
	const struct piece *p = salvage_good(w->s, block->stream, block->block);
	bool collides = true;

	if (!w->has_identity)
		NC3Z_TRY(archive_identity(
			w->s->plan_bytes.data, w->s->plan_bytes.nbytes, raw,
			block->raw_nbytes, w->archive.identity, w->err));
	w->has_identity = true;
	if (p && p->raw_nbytes == block->raw_nbytes &&
	    p->raw_crc == block->raw_crc) {
		NC3Z_TRY(salvage_read(w->s, p));
		NC3Z_TRY(archive_writer_block(&w->archive, &w->s->record.block,
					      &collides, w->err));
		w->report->nblocks_kept += !collides;
	}
	return collides ? append_encoded(w, block, raw) : NC3Z_OK;
}

static int take_block(void *context, uint32_t stream, uint32_t block,
		      uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct archive_block made = {
		.stream = stream,
		.block = block,
		.raw_nbytes = (uint32_t)raw_nbytes,
		.raw_crc = crc32_of(raw, raw_nbytes),
	};
	int status;

	(void)err;
	status = append_block(context, &made, raw);
	free(raw);
	return status;
}

/*
 * Blocks that can be open at the same time: as the plan may be anybody's, what
 * they take is bounded.
 */
static int check_memory(const struct salvage *s)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < s->plan.nstreams; i++) {
		const struct plan_stream *stream = &s->plan.streams[i];

		if (!stream->tiling &&
		    (stream->is_record || stream->nmembers > 1))
			nbytes =
				size_add_max(nbytes,
					     size_min(stream->block_nbytes,
						      s->map.extents[i].nbytes),
					     UINT64_MAX);
	}
	if (nbytes > s->options->max_memory_nbytes)
		return error_set(s->err, NC3Z_ELIMIT,
				 "blocks of this plan need more memory than is "
				 "allowed");
	return NC3Z_OK;
}

static int begin(struct writer *w, struct nc3z_sink *out)
{
	struct salvage *s = w->s;
	const struct spans_setup spans = {
		.plan = &s->plan,
		.max_nbytes = s->options->max_memory_nbytes,
		.take = take_block,
		.context = w,
	};

	NC3Z_TRY(check_memory(s));
	NC3Z_TRY(salvage_losses_init(&s->losses, &s->header, w->err));
	s->cache = cache_new(size_max(SALVAGE_CACHE_NBYTES_MIN,
				      size_min(plan_reach_nbytes(&s->plan),
					       s->options->max_memory_nbytes)));
	if (!s->cache)
		return error_set_memory(w->err);
	NC3Z_TRY(spans_init(&w->spans, &spans, w->err));
	NC3Z_TRY(hasher_new(threads_wanted(s->options->nthreads) > 1,
			    &w->hasher, w->err));
	return archive_writer_begin(&w->archive, out, s->plan_bytes.data,
				    s->plan_bytes.nbytes, s->plan.nstreams,
				    w->err);
}

/* The catalogue of what was written. */
static int fill_catalogue(struct writer *w, struct archive_catalogue *c)
{
	const struct salvage *s = w->s;
	uint32_t n = s->plan.nstreams;

	*c = (struct archive_catalogue){
		.original_nbytes = s->map.original_nbytes,
		.plan = s->plan_bytes.data,
		.plan_nbytes = s->plan_bytes.nbytes,
		.stream_nbytes = memory_alloc(n, sizeof(*c->stream_nbytes)),
		.stream_nblocks = memory_alloc(n, sizeof(*c->stream_nblocks)),
	};
	memcpy(c->identity, w->archive.identity, FORMAT_IDENTITY_NBYTES);
	if (!c->stream_nbytes || !c->stream_nblocks)
		return error_set_memory(w->err);
	c->nstreams = n;
	for (uint32_t i = 0; i < n; i++) {
		c->stream_nbytes[i] = s->map.extents[i].nbytes;
		c->stream_nblocks[i] = (uint32_t)s->map.extents[i].nblocks;
	}
	return hasher_end(w->hasher, c->sha256, w->err);
}

/* What is whole has the SHA-256 that the original had. */
static int judge(struct writer *w, const struct archive_catalogue *c)
{
	const struct archive_catalogue *before = &w->s->catalogue;
	struct nc3z_salvage_report *r = w->report;

	r->nbytes_lost = w->s->losses.nbytes;
	r->has_original_sha256 = w->s->has_catalogue;
	if (!w->s->has_catalogue)
		return NC3Z_OK;
	memcpy(r->original_sha256, before->sha256, SHA256_NBYTES);
	r->is_whole = memcmp(before->sha256, c->sha256, SHA256_NBYTES) == 0;
	if (r->nbytes_lost == 0 && !r->is_whole)
		return error_set(w->err, NC3Z_EDAMAGED,
				 "no block is lost, but the SHA-256 of the "
				 "original differs");
	return NC3Z_OK;
}

static int finish(struct writer *w)
{
	struct archive_catalogue catalogue = { 0 };
	int status;

	NC3Z_TRY(spans_end(&w->spans, &w->s->map, w->err));
	status = fill_catalogue(w, &catalogue);
	if (status == NC3Z_OK)
		status = judge(w, &catalogue);
	if (status == NC3Z_OK)
		status = archive_writer_end(&w->archive, &catalogue,
					    w->s->head.data,
					    (size_t)w->s->header.nbytes,
					    w->err);
	w->report->summary = (struct nc3z_summary){
		.original_nbytes = catalogue.original_nbytes,
		.archive_nbytes = w->archive.sink->position,
		.nblocks = w->archive.index.nblocks,
		.nstreams = catalogue.nstreams,
		.format_major = FORMAT_MAJOR,
		.format_minor = FORMAT_MINOR,
	};
	memcpy(w->report->summary.sha256, catalogue.sha256, SHA256_NBYTES);
	catalogue_release(&catalogue);
	return status;
}

int salvage_write(struct salvage *s, struct nc3z_sink *out,
		  struct nc3z_salvage_report *report)
{
	struct writer w = { .s = s, .report = report, .err = s->err };
	int status = begin(&w, out);

	if (status == NC3Z_OK)
		status = write_bytes(&w);
	if (status == NC3Z_OK)
		status = finish(&w);
	spans_release(&w.spans);
	archive_writer_release(&w.archive);
	hasher_free(w.hasher);
	block_stored_release(&w.stored);
	block_coder_release(&w.coder);
	return status;
}
