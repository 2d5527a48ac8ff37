/* SPDX-License-Identifier: MIT */
#include "write/small_streams.h"

#include <stdlib.h>

#include "base/checksum.h"
#include "base/sizes.h"
#include "io/source.h"

/*
 * Whether a stream is too long by what the header says.  The bytes of a chunked
 * one lie otherwise than in a copy.
 */
static bool is_no_candidate(const struct plan *plan,
			    const struct plan_stream *s)
{
	uint64_t nrecords = !s->is_record                ? 1 :
			    plan->nrecords == UINT64_MAX ? 0 :
							   plan->nrecords;

	return s->grid || size_mul_max(nrecords, s->nbytes, UINT64_MAX) >
				  FORMAT_STREAM_COPY_NBYTES_MAX;
}

/* Of each stream, and of all together. */
static uint64_t copied_max_nbytes(uint64_t original_nbytes)
{
	return original_nbytes == SOURCE_SIZE_UNKNOWN ?
		       UINT64_MAX :
		       original_nbytes / SMALL_STREAMS_RAW_SHARE;
}

int small_streams_init(struct small_streams *small, const struct plan *plan,
		       uint64_t original_nbytes, struct nc3z_error *err)
{
	uint32_t nstreams = plan->nstreams;

	*small = (struct small_streams){
		.streams = plan->streams,
		.list = memory_alloc(nstreams, sizeof(*small->list)),
		.nstreams = nstreams,
		.max_nbytes = FORMAT_STREAM_COPY_NBYTES_MAX,
		.copied_max_nbytes = copied_max_nbytes(original_nbytes),
	};
	for (uint32_t i = 0; small->list && i < nstreams; i++)
		small->list[i].is_dropped =
			is_no_candidate(plan, &plan->streams[i]);
	return small->list ? NC3Z_OK : error_set_memory(err);
}

static void drop(struct small_streams *small, struct small_stream *s)
{
	small->nbytes -= s->nbytes;
	s->nbytes = 0;
	buffer_release(&s->raw);
	s->is_dropped = true;
}

void small_streams_release(struct small_streams *small)
{
	for (uint32_t i = 0; small->list && i < small->nstreams; i++)
		buffer_release(&small->list[i].raw);
	free(small->list);
	*small = (struct small_streams){ 0 };
}

/* Makes room; each time the length that is allowed is halved, so rarely. */
static void drop_longest(struct small_streams *small)
{
	while (small->nbytes > SMALL_STREAMS_NBYTES_MAX) {
		small->max_nbytes /= 2;
		for (uint32_t i = 0; i < small->nstreams; i++)
			if (small->list[i].nbytes > small->max_nbytes)
				drop(small, &small->list[i]);
	}
}

bool small_streams_wants(const struct small_streams *small, uint32_t stream,
			 size_t raw_nbytes)
{
	const struct small_stream *s = &small->list[stream];

	return !s->is_dropped && raw_nbytes <= small->max_nbytes - s->nbytes &&
	       s->nbytes + raw_nbytes <= small->copied_max_nbytes;
}

int small_streams_put(struct small_streams *small, uint32_t stream,
		      const uint8_t *raw, size_t raw_nbytes,
		      struct nc3z_error *err)
{
	struct small_stream *s = &small->list[stream];

	if (s->is_dropped)
		return NC3Z_OK;
	if (raw_nbytes > small->max_nbytes - s->nbytes) {
		drop(small, s);
		return NC3Z_OK;
	}
	if (!small_streams_wants(small, stream, raw_nbytes))
		buffer_release(&s->raw);
	else if (!buffer_append(&s->raw, raw, raw_nbytes))
		return error_set_memory(err);
	s->nbytes += raw_nbytes;
	small->nbytes += raw_nbytes;
	drop_longest(small);
	return NC3Z_OK;
}

/* A stream that may be copied. */
struct candidate {
	uint32_t stream;
	bool is_record;
	uint64_t nbytes;
};

static int by_use(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->is_record != y->is_record)
		return x->is_record ? -1 : 1;
	if (x->nbytes != y->nbytes)
		return x->nbytes < y->nbytes ? -1 : 1;
	return x->stream < y->stream ? -1 : 1;
}

static int by_stream(const void *a, const void *b)
{
	const struct archive_block *x = a, *y = b;

	return x->stream < y->stream ? -1 : 1;
}

/* Those that were kept, the ones to be copied first at the beginning. */
static int list_candidates(const struct small_streams *small,
			   struct candidate **list_ret, size_t *n_ret,
			   struct nc3z_error *err)
{
	struct candidate *list = memory_alloc(small->nstreams, sizeof(*list));
	size_t n = 0;

	if (!list)
		return error_set_memory(err);
	for (uint32_t i = 0; i < small->nstreams; i++)
		if (small->list[i].nbytes > 0)
			list[n++] = (struct candidate){
				.stream = i,
				.is_record = small->streams[i].is_record,
				.nbytes = small->list[i].nbytes,
			};
	qsort(list, n, sizeof(*list), by_use);
	*list_ret = list;
	*n_ret = n;
	return NC3Z_OK;
}

/* Copies as they are made; those that fit are kept. */
struct copying {
	const struct small_streams *small;
	const struct small_streams_setup *setup;
	struct chooser chooser;
	struct block_stored stored[SMALL_STREAMS_COPIES_MAX];
	struct archive_block list[SMALL_STREAMS_COPIES_MAX];
	size_t count;
	uint64_t left_nbytes; /* room in the archive */
};

/*
 * A stream, as it is repeated.  In its blocks, small variables that share it
 * with others are a mixture of bytes; in the copy they come again and again,
 * record by record or panel by panel: those are rows.
 */
static struct choose_hint hint_of(const struct plan_stream *s,
				  const struct plan_hint *hint)
{
	struct choose_hint own = {
		.width = hint->width,
		.is_float = hint->is_float,
		.is_text = hint->is_text,
		.row_nelems = hint->row_nelems,
		.plane_nelems = hint->plane_nelems,
	};
	uint64_t period = s->nbytes * (s->nmembers > 1 ? s->panel_nrecords : 1);

	if (!s->is_record || own.row_nelems > 0 || period % 4 != 0 ||
	    period / 4 > UINT32_MAX || period <= own.width)
		return own;
	if (own.is_text)
		own.width = 4;
	own.is_text = false;
	own.row_nelems = (uint32_t)(period / own.width);
	return own;
}

static int encode(struct copying *c, uint32_t stream,
		  struct block_stored *stored, struct nc3z_error *err)
{
	const struct choose_input input = {
		.hint = hint_of(&c->small->streams[stream],
				&c->setup->hints[stream]),
		.raw = c->small->list[stream].raw.data,
		.raw_nbytes = c->small->list[stream].raw.nbytes,
	};
	struct choose_result choice = {
		.stored = stored,
		.nbytes = SIZE_MAX,
	};
	struct choose_recipes recipes;

	NC3Z_TRY(choose_recipes(&c->chooser, &c->setup->settings, &input,
				&recipes, err));
	return choose_smallest(&c->chooser, &input, &recipes, &choice, err);
}

/* Copies a stream if there is room for it. */
static int copy_stream(struct copying *c, uint32_t stream,
		       struct nc3z_error *err)
{
	const struct buffer *raw = &c->small->list[stream].raw;
	struct block_stored *stored = &c->stored[c->count];
	uint64_t nbytes;

	NC3Z_TRY(encode(c, stream, stored, err));
	nbytes = FORMAT_STREAM_COPY_HEAD_NBYTES + stored->description.nbytes +
		 stored->payload.nbytes;
	if (nbytes > c->left_nbytes)
		return NC3Z_OK;
	c->left_nbytes -= nbytes;
	c->list[c->count++] = (struct archive_block){
		.stream = stream,
		.raw_nbytes = (uint32_t)raw->nbytes,
		.raw_crc = crc32_of(raw->data, raw->nbytes),
		.description = stored->description.data,
		.description_nbytes = stored->description.nbytes,
		.payload = stored->payload.data,
		.payload_nbytes = stored->payload.nbytes,
	};
	return NC3Z_OK;
}

static int copy_all(struct copying *c, const struct candidate *list, size_t n,
		    struct nc3z_error *err)
{
	uint64_t raw_nbytes = copied_max_nbytes(c->setup->original_nbytes);

	for (size_t i = 0; i < n && i < SMALL_STREAMS_COPIES_MAX; i++) {
		if (list[i].nbytes > raw_nbytes)
			continue;
		raw_nbytes -= list[i].nbytes;
		NC3Z_TRY(copy_stream(c, list[i].stream, err));
	}
	return NC3Z_OK;
}

static void copying_release(struct copying *c)
{
	for (size_t i = 0; i < SMALL_STREAMS_COPIES_MAX; i++)
		block_stored_release(&c->stored[i]);
	chooser_release(&c->chooser);
	free(c);
}

int small_streams_copy(struct small_streams *small,
		       const struct small_streams_setup *setup,
		       struct buffer *out, struct nc3z_error *err)
{
	const uint64_t heads_nbytes =
		FORMAT_SECTION_HEAD_NBYTES + FORMAT_STREAM_COPIES_HEAD_NBYTES;
	struct copying *c = calloc(1, sizeof(*c));
	struct archive_stream_copies copies = { 0 };
	struct candidate *list = NULL;
	size_t n = 0;
	int status = c ? NC3Z_OK : error_set_memory(err);

	NC3Z_TRY(status);
	c->small = small;
	c->setup = setup;
	c->left_nbytes =
		size_min(setup->index_offset / SMALL_STREAMS_COPIES_SHARE,
			 SMALL_STREAMS_COPIES_NBYTES_MAX) -
		heads_nbytes;
	status = list_candidates(small, &list, &n, err);
	if (status == NC3Z_OK)
		status = copy_all(c, list, n, err);
	qsort(c->list, c->count, sizeof(*c->list), by_stream);
	copies.list = c->list;
	copies.count = c->count;
	if (status == NC3Z_OK)
		status = archive_stream_copies_write(&copies, &setup->owner,
						     out, err);
	free(list);
	copying_release(c);
	return status;
}
