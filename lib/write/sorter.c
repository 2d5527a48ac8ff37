/* SPDX-License-Identifier: MIT */
#include "write/sorter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/sizes.h"
#include "write/chunks_memory.h"
#include "write/sorter_inside.h"

/* How many blocks of a stream can be open at a time. */
static uint64_t nopen_of(const struct sorter *sorter, uint32_t stream)
{
	bool is_chunked = sorter->plan->streams[stream].grid;

	return is_chunked ? sorter->map.extents[stream].span_nblocks : 1;
}

static int allocate_open(struct sorter *sorter, struct nc3z_error *err)
{
	uint32_t nstreams = sorter->plan->nstreams;
	uint64_t nopen = 0;

	sorter->first_open = memory_alloc((uint64_t)nstreams + 1,
					  sizeof(*sorter->first_open));
	if (!sorter->first_open)
		return error_set_memory(err);
	for (uint32_t i = 0; i < nstreams; i++) {
		nopen += nopen_of(sorter, i);
		sorter->first_open[i + 1] = nopen;
	}
	sorter->open = memory_alloc(nopen, sizeof(*sorter->open));
	return sorter->open ? NC3Z_OK : error_set_memory(err);
}

static int share_memory(struct sorter *sorter, const struct sorter_setup *setup,
			struct nc3z_error *err)
{
	struct chunks_memory memory = chunks_measure(&sorter->map);
	uint64_t max_nbytes = setup->max_nbytes;

	sorter->max_chunk_nbytes = UINT64_MAX;
	if (memory.nbytes <= max_nbytes)
		return NC3Z_OK;
	if (!setup->read && !setup->fill)
		return error_set(
			err, NC3Z_ELIMIT,
			"packing in one pass takes %" PRIu64
			" bytes of memory for chunks, more than %" PRIu64,
			memory.nbytes, max_nbytes);
	if (memory.places_nbytes > max_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "chunks need at least %" PRIu64
				 " bytes of memory, more than %" PRIu64,
				 memory.places_nbytes, max_nbytes);
	/*
	 * Bands that stay open longer must not take all from the others, and
	 * one chunk can always be filled.
	 */
	max_nbytes -= memory.places_nbytes;
	sorter->max_nbytes = max_nbytes;
	sorter->max_chunk_nbytes = size_min(
		max_nbytes / 4 * 3,
		max_nbytes - size_min(max_nbytes, memory.largest_nbytes));
	return NC3Z_OK;
}

int sorter_init(struct sorter *sorter, const struct sorter_setup *setup,
		struct nc3z_error *err)
{
	*sorter = (struct sorter){
		.plan = setup->plan,
		.take = setup->take,
		.fill = setup->fill,
		.context = setup->context,
		.refill = { .read = setup->read, .context = setup->context },
	};
	NC3Z_TRY(
		plan_map_init(&sorter->map, setup->plan, PLAN_OFFSET_END, err));
	NC3Z_TRY(plan_walk_init(&sorter->walk, &sorter->map, err));
	NC3Z_TRY(share_memory(sorter, setup, err));
	return allocate_open(sorter, err);
}

void sorter_release(struct sorter *sorter)
{
	if (sorter->open)
		for (uint64_t i = 0;
		     i < sorter->first_open[sorter->plan->nstreams]; i++)
			free(sorter->open[i].raw);
	free(sorter->open);
	free(sorter->first_open);
	refill_release(&sorter->refill);
	plan_walk_release(&sorter->walk);
	plan_map_release(&sorter->map);
	*sorter = (struct sorter){ 0 };
}

struct open_block *sorter_place(struct sorter *sorter, uint32_t stream,
				uint64_t block)
{
	return &sorter->open[sorter->first_open[stream] +
			     block % nopen_of(sorter, stream)];
}

/* Memory for a block; chunks are counted. */
static int allocate_raw(struct sorter *sorter, uint32_t stream,
			struct open_block *open, struct nc3z_error *err)
{
	if (sorter->take) {
		open->raw = malloc((size_t)open->nbytes);
		if (!open->raw)
			return error_set_memory(err);
	}
	open->is_put_off = false;
	if (sorter->plan->streams[stream].grid)
		sorter->chunk_nbytes += open->nbytes;
	sorter->most_nbytes =
		size_max(sorter->most_nbytes, sorter->chunk_nbytes);
	return NC3Z_OK;
}

int sorter_open(struct sorter *sorter, uint32_t stream, struct open_block *open,
		const struct plan_block *block, struct nc3z_error *err)
{
	bool is_chunk = sorter->plan->streams[stream].grid;

	if (block->block >= UINT32_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "too many blocks in a stream");
	*open = (struct open_block){
		.block = block->block,
		.stream_offset = block->stream_offset,
		.nbytes = block->nbytes,
	};
	open->is_put_off = is_chunk && sorter->chunk_nbytes + open->nbytes >
					       sorter->max_chunk_nbytes;
	return open->is_put_off ? NC3Z_OK :
				  allocate_raw(sorter, stream, open, err);
}

/* What a block has where 'position' bytes of the original have gone by. */
static int read_run(struct sorter *sorter, const struct plan_block_run *run,
		    uint64_t position, struct open_block *open, uint8_t *raw,
		    struct nc3z_error *err)
{
	size_t n;

	if (run->offset >= position)
		return NC3Z_OK;
	n = (size_t)size_min(run->nbytes, position - run->offset);
	NC3Z_TRY(sorter->refill.read(sorter->refill.context, run->offset,
				     raw + run->block_offset, n, err));
	if (open->is_put_off)
		open->crc = crc32_update(open->crc, raw + run->block_offset, n);
	open->filled_nbytes += n;
	return NC3Z_OK;
}

/* Opens a block that has begun before 'position'. */
static int start_block(struct sorter *sorter, uint32_t stream, uint64_t number,
		       uint64_t position, struct nc3z_error *err)
{
	const struct plan_block block =
		plan_block_numbered(&sorter->map, stream, number);
	struct open_block *open = sorter_place(sorter, stream, number);
	struct plan_block_runs runs;
	struct plan_block_run run;
	int status = NC3Z_OK;
	uint8_t *raw;

	NC3Z_TRY(sorter_open(sorter, stream, open, &block, err));
	raw = open->is_put_off ? malloc((size_t)open->nbytes) : open->raw;
	if (!raw)
		return error_set_memory(err);
	plan_block_runs_begin(&sorter->map, stream, number, &runs);
	while (status == NC3Z_OK && plan_block_runs_next(&runs, &run))
		status = read_run(sorter, &run, position, open, raw, err);
	if (open->is_put_off)
		free(raw);
	return status;
}

int sorter_start(struct sorter *sorter, uint64_t position,
		 struct nc3z_error *err)
{
	for (uint32_t i = 0; i < sorter->plan->nstreams; i++) {
		uint64_t first =
			plan_blocks_complete(&sorter->map, i, position);
		uint64_t end = size_min(first + nopen_of(sorter, i),
					sorter->map.extents[i].nblocks);

		for (uint64_t b = first;
		     b < end &&
		     plan_block_offset(&sorter->map, i, b) < position;
		     b++)
			NC3Z_TRY(start_block(sorter, i, b, position, err));
	}
	sorter->position = position;
	return NC3Z_OK;
}

/* Reads so much of some chunks again as has come by. */
static int read_chunks(struct sorter *sorter, uint32_t stream,
		       const struct open_block *chunks, size_t nchunks,
		       struct nc3z_error *err)
{
	struct plan_block_runs runs;

	for (size_t i = 0; i < nchunks; i++) {
		plan_block_runs_begin(&sorter->map, stream, chunks[i].block,
				      &runs);
		NC3Z_TRY(refill_add(&sorter->refill, &runs, chunks[i].raw,
				    (uint32_t)chunks[i].filled_nbytes, err));
	}
	return refill_run(&sorter->refill, err);
}

static int check_chunks(const struct open_block *chunks, size_t nchunks,
			struct nc3z_error *err)
{
	for (size_t i = 0; i < nchunks; i++)
		if (crc32_of(chunks[i].raw, (size_t)chunks[i].filled_nbytes) !=
		    chunks[i].crc)
			return error_set(err, NC3Z_ECHANGED,
					 "file changed while it was read");
	return NC3Z_OK;
}

/*
 * Fills a block that was put off, and those after it that were, as there is
 * room.
 */
static int refill(struct sorter *sorter, uint32_t stream,
		  struct open_block *first, struct nc3z_error *err)
{
	const struct open_block *end =
		&sorter->open[sorter->first_open[stream + 1]];
	struct open_block *open = first;
	size_t n;

	do {
		NC3Z_TRY(allocate_raw(sorter, stream, open++, err));
	} while (open < end && open->nbytes > 0 && open->is_put_off &&
		 sorter->chunk_nbytes + open->nbytes <= sorter->max_nbytes);
	n = (size_t)(open - first);
	if (sorter->fill)
		NC3Z_TRY(sorter->fill(sorter->context, &sorter->map, stream,
				      first, n, err));
	else
		NC3Z_TRY(read_chunks(sorter, stream, first, n, err));
	return sorter->take ? check_chunks(first, n, err) : NC3Z_OK;
}

int sorter_hand_on(struct sorter *sorter, uint32_t stream,
		   struct open_block *open, struct nc3z_error *err)
{
	struct open_block full;

	if (open->is_put_off)
		NC3Z_TRY(refill(sorter, stream, open, err));
	full = *open;
	*open = (struct open_block){ 0 };
	if (sorter->plan->streams[stream].grid)
		sorter->chunk_nbytes -= full.nbytes;
	if (!sorter->take)
		return NC3Z_OK;
	return sorter->take(sorter->context, stream, (uint32_t)full.block,
			    full.raw, (size_t)full.filled_nbytes, err);
}

/* Puts a run into its block. */
static int put_run(struct sorter *sorter, const struct plan_run *run,
		   const struct plan_block *block, const uint8_t *data,
		   struct nc3z_error *err)
{
	struct open_block *open =
		sorter_place(sorter, run->stream, block->block);
	uint64_t at = run->stream_offset - block->stream_offset;
	size_t n = (size_t)run->nbytes;

	if (open->nbytes == 0)
		NC3Z_TRY(sorter_open(sorter, run->stream, open, block, err));
	if (open->is_put_off)
		open->crc = crc32_update(open->crc, data, n);
	else
		memcpy(open->raw + at, data, n);
	open->filled_nbytes += n;
	if (open->filled_nbytes < open->nbytes)
		return NC3Z_OK;
	return sorter_hand_on(sorter, run->stream, open, err);
}

int sorter_put(struct sorter *sorter, const uint8_t *data, size_t data_nbytes,
	       struct nc3z_error *err)
{
	if (data_nbytes >= PLAN_OFFSET_END - sorter->position)
		return error_set(err, NC3Z_ELIMIT, "file is too large");
	while (data_nbytes > 0) {
		struct plan_block block;
		struct plan_run run =
			plan_walk_run(&sorter->walk, sorter->position, &block);

		run.nbytes = size_min(run.nbytes, data_nbytes);
		NC3Z_TRY(put_run(sorter, &run, &block, data, err));
		data += run.nbytes;
		data_nbytes -= (size_t)run.nbytes;
		sorter->position += run.nbytes;
	}
	return NC3Z_OK;
}

/*
 * An incomplete panel was filled as if it had all its records: moves its
 * members together.
 */
static void close_gaps(struct sorter *sorter, const struct plan_map *map,
		       uint32_t stream)
{
	const struct plan_stream *s = &sorter->plan->streams[stream];
	const struct plan_extent *nominal = &sorter->map.extents[stream];
	const struct plan_extent *actual = &map->extents[stream];
	struct open_block *open = &sorter->open[sorter->first_open[stream]];
	uint64_t span = open->stream_offset / nominal->span_nbytes;
	uint64_t end = actual->nbytes - span * actual->span_nbytes;

	for (uint32_t i = 0; i < s->nmembers; i++) {
		uint64_t to = actual->last_before[i];
		uint64_t next =
			i + 1 < s->nmembers ? actual->last_before[i + 1] : end;

		memmove(open->raw + to,
			open->raw + plan_share_offset(&sorter->map, stream,
						      span, i),
			(size_t)(next - to));
	}
}

int sorter_end_stream(struct sorter *sorter, uint32_t stream,
		      struct nc3z_error *err)
{
	for (uint64_t i = sorter->first_open[stream];
	     i < sorter->first_open[stream + 1]; i++)
		if (sorter->open[i].nbytes > 0)
			NC3Z_TRY(sorter_hand_on(sorter, stream,
						&sorter->open[i], err));
	return NC3Z_OK;
}

int sorter_end(struct sorter *sorter, const struct plan_map *map,
	       struct nc3z_error *err)
{
	for (uint32_t i = 0; i < sorter->plan->nstreams; i++) {
		const struct plan_stream *s = &sorter->plan->streams[i];
		const struct open_block *first =
			&sorter->open[sorter->first_open[i]];

		if (first->raw && s->nmembers > 1 && s->panel_nrecords > 1)
			close_gaps(sorter, map, i);
		NC3Z_TRY(sorter_end_stream(sorter, i, err));
	}
	return NC3Z_OK;
}
