#include "write/spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/sizes.h"
#include "write/tiles_memory.h"

/* How many blocks of a stream can be open at a time. */
static uint64_t nopen_of(const struct spans *spans, uint32_t stream)
{
	bool is_tiled = spans->plan->streams[stream].tiling;

	return is_tiled ? spans->map.extents[stream].span_nblocks : 1;
}

static int allocate_open(struct spans *spans, struct nc3z_error *err)
{
	uint32_t nstreams = spans->plan->nstreams;
	uint64_t nopen = 0;

	spans->first_open = memory_alloc((uint64_t)nstreams + 1,
					 sizeof(*spans->first_open));
	if (!spans->first_open)
		return error_set_memory(err);
	for (uint32_t i = 0; i < nstreams; i++) {
		nopen += nopen_of(spans, i);
		spans->first_open[i + 1] = nopen;
	}
	spans->open = memory_alloc(nopen, sizeof(*spans->open));
	return spans->open ? NC3Z_OK : error_set_memory(err);
}

static int share_memory(struct spans *spans, const struct spans_setup *setup,
			struct nc3z_error *err)
{
	struct tiles_memory memory = tiles_measure(&spans->map);
	uint64_t max_nbytes = setup->max_nbytes;

	spans->max_tile_nbytes = UINT64_MAX;
	if (memory.nbytes <= max_nbytes)
		return NC3Z_OK;
	if (!setup->read && !setup->fill)
		return error_set(err, NC3Z_ELIMIT,
				 "to be packed in one pass tiles need %" PRIu64
				 " bytes of memory, more than %" PRIu64,
				 memory.nbytes, max_nbytes);
	if (memory.places_nbytes > max_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "tiles need at least %" PRIu64
				 " bytes of memory, more than %" PRIu64,
				 memory.places_nbytes, max_nbytes);
	/*
	 * Bands that stay open longer must not take all from the others, and
	 * one tile can always be filled.
	 */
	max_nbytes -= memory.places_nbytes;
	spans->max_nbytes = max_nbytes;
	spans->max_tile_nbytes = size_min(
		max_nbytes / 4 * 3,
		max_nbytes - size_min(max_nbytes, memory.largest_nbytes));
	return NC3Z_OK;
}

int spans_init(struct spans *spans, const struct spans_setup *setup,
	       struct nc3z_error *err)
{
	*spans = (struct spans){
		.plan = setup->plan,
		.take = setup->take,
		.fill = setup->fill,
		.context = setup->context,
		.refill = { .read = setup->read, .context = setup->context },
	};
	NC3Z_TRY(plan_map_init(&spans->map, setup->plan, PLAN_OFFSET_END, err));
	NC3Z_TRY(share_memory(spans, setup, err));
	return allocate_open(spans, err);
}

void spans_release(struct spans *spans)
{
	if (spans->open)
		for (uint64_t i = 0;
		     i < spans->first_open[spans->plan->nstreams]; i++)
			free(spans->open[i].raw);
	free(spans->open);
	free(spans->first_open);
	refill_release(&spans->refill);
	plan_map_release(&spans->map);
	*spans = (struct spans){ 0 };
}

/* Where a block is kept while it is open. */
static struct open_block *place_of(struct spans *spans, uint32_t stream,
				   uint64_t block)
{
	return &spans->open[spans->first_open[stream] +
			    block % nopen_of(spans, stream)];
}

/* Memory for a block; tiles are counted. */
static int allocate_raw(struct spans *spans, uint32_t stream,
			struct open_block *open, struct nc3z_error *err)
{
	if (spans->take) {
		open->raw = malloc((size_t)open->nbytes);
		if (!open->raw)
			return error_set_memory(err);
	}
	open->is_put_off = false;
	if (spans->plan->streams[stream].tiling)
		spans->tile_nbytes += open->nbytes;
	spans->most_nbytes = size_max(spans->most_nbytes, spans->tile_nbytes);
	return NC3Z_OK;
}

static int open_block(struct spans *spans, uint32_t stream,
		      struct open_block *open, const struct plan_block *block,
		      struct nc3z_error *err)
{
	bool is_tile = spans->plan->streams[stream].tiling;

	if (block->block >= UINT32_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "too many blocks in a stream");
	*open = (struct open_block){
		.block = block->block,
		.stream_offset = block->stream_offset,
		.nbytes = block->nbytes,
	};
	open->is_put_off = is_tile && spans->tile_nbytes + open->nbytes >
					      spans->max_tile_nbytes;
	return open->is_put_off ? NC3Z_OK :
				  allocate_raw(spans, stream, open, err);
}

/* Reads so much of some tiles again as has come by. */
static int read_tiles(struct spans *spans, uint32_t stream,
		      const struct open_block *tiles, size_t ntiles,
		      struct nc3z_error *err)
{
	struct plan_pieces pieces;

	for (size_t i = 0; i < ntiles; i++) {
		plan_pieces_begin(&spans->map, stream, tiles[i].block, &pieces);
		NC3Z_TRY(refill_add(&spans->refill, &pieces, tiles[i].raw,
				    (uint32_t)tiles[i].filled_nbytes, err));
	}
	return refill_run(&spans->refill, err);
}

static int check_tiles(const struct open_block *tiles, size_t ntiles,
		       struct nc3z_error *err)
{
	for (size_t i = 0; i < ntiles; i++)
		if (crc32_of(tiles[i].raw, (size_t)tiles[i].filled_nbytes) !=
		    tiles[i].crc)
			return error_set(err, NC3Z_ECHANGED,
					 "file changed while it was read");
	return NC3Z_OK;
}

/*
 * Fills a block that was put off, and those after it that were, as there is
 * room.
 */
static int refill(struct spans *spans, uint32_t stream,
		  struct open_block *first, struct nc3z_error *err)
{
	const struct open_block *end =
		&spans->open[spans->first_open[stream + 1]];
	struct open_block *open = first;
	size_t n;

	do {
		NC3Z_TRY(allocate_raw(spans, stream, open++, err));
	} while (open < end && open->nbytes > 0 && open->is_put_off &&
		 spans->tile_nbytes + open->nbytes <= spans->max_nbytes);
	n = (size_t)(open - first);
	if (spans->fill)
		NC3Z_TRY(spans->fill(spans->context, &spans->map, stream, first,
				     n, err));
	else
		NC3Z_TRY(read_tiles(spans, stream, first, n, err));
	return spans->take ? check_tiles(first, n, err) : NC3Z_OK;
}

static int hand_on(struct spans *spans, uint32_t stream,
		   struct open_block *open, struct nc3z_error *err)
{
	struct open_block full;

	if (open->is_put_off)
		NC3Z_TRY(refill(spans, stream, open, err));
	full = *open;
	*open = (struct open_block){ 0 };
	if (spans->plan->streams[stream].tiling)
		spans->tile_nbytes -= full.nbytes;
	if (!spans->take)
		return NC3Z_OK;
	return spans->take(spans->context, stream, (uint32_t)full.block,
			   full.raw, (size_t)full.filled_nbytes, err);
}

/* Puts a run into its block. */
static int put_run(struct spans *spans, const struct plan_run *run,
		   const struct plan_block *block, const uint8_t *data,
		   struct nc3z_error *err)
{
	struct open_block *open = place_of(spans, run->stream, block->block);
	uint64_t at = run->stream_offset - block->stream_offset;
	size_t n = (size_t)run->nbytes;

	if (open->nbytes == 0)
		NC3Z_TRY(open_block(spans, run->stream, open, block, err));
	if (open->is_put_off)
		open->crc = crc32_update(open->crc, data, n);
	else
		memcpy(open->raw + at, data, n);
	open->filled_nbytes += n;
	if (open->filled_nbytes < open->nbytes)
		return NC3Z_OK;
	return hand_on(spans, run->stream, open, err);
}

int spans_put(struct spans *spans, const uint8_t *data, size_t data_nbytes,
	      struct nc3z_error *err)
{
	if (data_nbytes >= PLAN_OFFSET_END - spans->position)
		return error_set(err, NC3Z_ELIMIT, "file is too large");
	while (data_nbytes > 0) {
		struct plan_block block;
		struct plan_run run =
			plan_run_in_block(&spans->map, spans->position, &block);

		run.nbytes = size_min(run.nbytes, data_nbytes);
		NC3Z_TRY(put_run(spans, &run, &block, data, err));
		data += run.nbytes;
		data_nbytes -= (size_t)run.nbytes;
		spans->position += run.nbytes;
	}
	return NC3Z_OK;
}

/* Where the bytes of a member begin in the incomplete span 'span'. */
static uint64_t member_place(const struct plan_extent *extent,
			     const struct plan_stream *s, uint64_t span,
			     uint32_t member)
{
	uint64_t nrecords = s->is_record ? s->panel_nrecords : 1;

	if (extent->last_before && span == extent->nbytes / extent->span_nbytes)
		return extent->last_before[member];
	return s->members[member].before * nrecords;
}

/*
 * An incomplete panel was filled as if it had all its records: moves its
 * members together.
 */
static void close_gaps(struct spans *spans, const struct plan_map *map,
		       uint32_t stream)
{
	const struct plan_stream *s = &spans->plan->streams[stream];
	const struct plan_extent *nominal = &spans->map.extents[stream];
	const struct plan_extent *actual = &map->extents[stream];
	struct open_block *open = &spans->open[spans->first_open[stream]];
	uint64_t span = open->stream_offset / nominal->span_nbytes;
	uint64_t end = actual->nbytes - span * actual->span_nbytes;

	for (uint32_t i = 0; i < s->nmembers; i++) {
		uint64_t to = actual->last_before[i];
		uint64_t next =
			i + 1 < s->nmembers ? actual->last_before[i + 1] : end;

		memmove(open->raw + to,
			open->raw + member_place(nominal, s, span, i),
			(size_t)(next - to));
	}
}

/* The blocks of a stream that the end finds open, in ascending order. */
static int end_stream(struct spans *spans, uint32_t stream,
		      struct nc3z_error *err)
{
	for (uint64_t i = spans->first_open[stream];
	     i < spans->first_open[stream + 1]; i++)
		if (spans->open[i].nbytes > 0)
			NC3Z_TRY(hand_on(spans, stream, &spans->open[i], err));
	return NC3Z_OK;
}

int spans_end(struct spans *spans, const struct plan_map *map,
	      struct nc3z_error *err)
{
	for (uint32_t i = 0; i < spans->plan->nstreams; i++) {
		const struct plan_stream *s = &spans->plan->streams[i];
		const struct open_block *first =
			&spans->open[spans->first_open[i]];

		if (first->raw && s->nmembers > 1 && s->panel_nrecords > 1)
			close_gaps(spans, map, i);
		NC3Z_TRY(end_stream(spans, i, err));
	}
	return NC3Z_OK;
}

/* Which tile of a stream begins or ends next, and with which byte. */
struct tile_steps {
	uint64_t nbegun;
	uint64_t nended;
	uint64_t begin_offset;
	uint64_t end_offset;
};

static uint64_t begin_of(const struct spans *spans, uint32_t stream,
			 uint64_t block)
{
	return block < spans->map.extents[stream].nblocks ?
		       plan_block_offset(&spans->map, stream, block) :
		       UINT64_MAX;
}

static uint64_t end_of(const struct spans *spans, uint32_t stream,
		       uint64_t block)
{
	return block < spans->map.extents[stream].nblocks ?
		       plan_tile_last_offset(&spans->map, stream, block) :
		       UINT64_MAX;
}

static void first_steps(const struct spans *spans, struct tile_steps *steps)
{
	for (uint32_t i = 0; i < spans->plan->nstreams; i++) {
		bool is_tiled = spans->plan->streams[i].tiling;

		steps[i].begin_offset = is_tiled ? begin_of(spans, i, 0) :
						   UINT64_MAX;
		steps[i].end_offset = is_tiled ? end_of(spans, i, 0) :
						 UINT64_MAX;
	}
}

/* The stream in which something happens next, and where in the original. */
static uint32_t next_stream(const struct spans *spans,
			    const struct tile_steps *steps,
			    uint64_t *offset_ret)
{
	uint32_t found = 0;

	*offset_ret = UINT64_MAX;
	for (uint32_t i = 0; i < spans->plan->nstreams; i++) {
		uint64_t offset =
			size_min(steps[i].begin_offset, steps[i].end_offset);

		if (offset < *offset_ret) {
			*offset_ret = offset;
			found = i;
		}
	}
	return found;
}

/* A tile of one byte begins before it ends. */
static int take_step(struct spans *spans, uint32_t stream,
		     struct tile_steps *steps, struct nc3z_error *err)
{
	struct plan_block block;

	if (steps->begin_offset > steps->end_offset) {
		NC3Z_TRY(hand_on(spans, stream,
				 place_of(spans, stream, steps->nended), err));
		steps->end_offset = end_of(spans, stream, ++steps->nended);
		return NC3Z_OK;
	}
	block = plan_block_numbered(&spans->map, stream, steps->nbegun);
	NC3Z_TRY(open_block(spans, stream, place_of(spans, stream, block.block),
			    &block, err));
	steps->begin_offset = begin_of(spans, stream, ++steps->nbegun);
	return NC3Z_OK;
}

int spans_rehearse(struct spans *spans, uint64_t size, struct nc3z_error *err)
{
	struct tile_steps *steps =
		memory_alloc(spans->plan->nstreams, sizeof(*steps));
	int status = NC3Z_OK;
	uint64_t offset;
	uint32_t i;

	if (!steps)
		return error_set_memory(err);
	first_steps(spans, steps);
	while (status == NC3Z_OK) {
		i = next_stream(spans, steps, &offset);
		if (offset >= size)
			break;
		status = take_step(spans, i, &steps[i], err);
	}
	free(steps);
	for (i = 0; i < spans->plan->nstreams && status == NC3Z_OK; i++)
		status = end_stream(spans, i, err);
	return status;
}
