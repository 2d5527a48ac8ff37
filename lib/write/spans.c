#include "write/spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

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

/* What a band takes, with the places of its blocks. */
static uint64_t band_nbytes(const struct plan_extent *extent)
{
	return size_add_max(extent->span_nbytes,
			    size_mul_max(extent->span_nblocks,
					 sizeof(struct open_block), UINT64_MAX),
			    UINT64_MAX);
}

/* Bands that are open at a time: of all record variables, or of one fixed. */
static int check_memory(const struct spans *spans, uint64_t max_nbytes,
			struct nc3z_error *err)
{
	uint64_t of_records = 0, fixed = 0, nbytes;

	for (uint32_t i = 0; i < spans->plan->nstreams; i++) {
		const struct plan_stream *s = &spans->plan->streams[i];

		nbytes = s->tiling ? band_nbytes(&spans->map.extents[i]) : 0;
		if (s->is_record)
			of_records =
				size_add_max(of_records, nbytes, UINT64_MAX);
		else
			fixed = size_max(fixed, nbytes);
	}
	nbytes = size_max(of_records, fixed);
	if (nbytes > max_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "chunks need %" PRIu64
				 " bytes of memory, more than %" PRIu64,
				 nbytes, max_nbytes);
	return NC3Z_OK;
}

int spans_init(struct spans *spans, const struct plan *plan,
	       uint64_t max_nbytes, spans_block_fn *take, void *context,
	       struct nc3z_error *err)
{
	*spans = (struct spans){
		.plan = plan,
		.take = take,
		.context = context,
	};
	NC3Z_TRY(plan_map_init(&spans->map, plan, PLAN_OFFSET_END, err));
	NC3Z_TRY(check_memory(spans, max_nbytes, err));
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

static int open_block(struct open_block *open, const struct plan_block *block,
		      struct nc3z_error *err)
{
	if (block->block >= UINT32_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "too many blocks in a stream");
	*open = (struct open_block){
		.raw = malloc((size_t)block->nbytes),
		.block = block->block,
		.stream_offset = block->stream_offset,
		.nbytes = block->nbytes,
	};
	return open->raw ? NC3Z_OK : error_set_memory(err);
}

static int hand_on(struct spans *spans, uint32_t stream,
		   struct open_block *open, struct nc3z_error *err)
{
	struct open_block full = *open;

	*open = (struct open_block){ 0 };
	return spans->take(spans->context, stream, (uint32_t)full.block,
			   full.raw, (size_t)full.filled_nbytes, err);
}

/* Puts as much of a run as its block takes; '*nbytes_ret' says how much. */
static int put_run(struct spans *spans, const struct plan_run *run,
		   const uint8_t *data, size_t *nbytes_ret,
		   struct nc3z_error *err)
{
	struct plan_block block =
		plan_block_at(&spans->map, run->stream, run->stream_offset);
	struct open_block *open = place_of(spans, run->stream, block.block);
	uint64_t at = run->stream_offset - block.stream_offset;
	size_t n = (size_t)size_min(run->nbytes, block.nbytes - at);

	if (!open->raw)
		NC3Z_TRY(open_block(open, &block, err));
	memcpy(open->raw + at, data, n);
	open->filled_nbytes += n;
	*nbytes_ret = n;
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
		struct plan_run run = plan_run_at(&spans->map, spans->position);
		size_t n;

		run.nbytes = size_min(run.nbytes, data_nbytes);
		NC3Z_TRY(put_run(spans, &run, data, &n, err));
		data += n;
		data_nbytes -= n;
		spans->position += n;
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
		if (spans->open[i].raw)
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
