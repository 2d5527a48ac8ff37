/* SPDX-License-Identifier: MIT */
/*
 * Restoring in stripes, for an output that takes bytes in order only, or none,
 * with little memory however far chunks reach: a block is decoded for each of
 * the stripes that it has bytes of (stripe_plan.h).  How often that is follows
 * from the plan and is reported beforehand.
 *
 * First all records are looked at, without their payloads, so that everything
 * that holds an archive together has been checked as in one pass.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "restore/restorer.h"
#include "restore/stripe_reader.h"

/* Linear blocks decoded at a time, unless they are so large that it is one. */
#define AHEAD_NBYTES (UINT32_C(4) << 20)

/* What each worker has for itself. */
struct fetcher {
	struct block_coder coder;
	struct archive_fetched fetched;
};

struct striper {
	struct restorer *r;
	struct archive_reader archive;
	struct stripe_plan plan;
	struct fetcher *fetchers; /* as many as threads */
	struct nc3z_source *original;
};

static int add_decodings(const struct striper *s, uint64_t *ndecodings_ret)
{
	struct decodings decodings;
	uint64_t most;
	int status = decodings_init(&decodings, s->r->map, s->r->err);

	if (status == NC3Z_OK) {
		stripe_plan_count(&s->plan, &decodings);
		*ndecodings_ret = decodings_sum(&decodings, &most);
	}
	decodings_release(&decodings);
	return status;
}

/* Counts how often blocks will be decoded again, and reports it. */
static int count_repeats(const struct striper *s)
{
	struct restorer *r = s->r;
	uint64_t ndecodings, nblocks = r->scan.index.nblocks;
	char text[160];

	NC3Z_TRY(add_decodings(s, &ndecodings));
	r->nrepeats = ndecodings - nblocks;
	if (r->nrepeats == 0 || !r->options->note)
		return NC3Z_OK;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " blocks are decoded %" PRIu64
		 " times in all: chunks need %" PRIu64
		 " bytes of memory, more than %" PRIu64,
		 nblocks, ndecodings,
		 plan_chunks_reach_nbytes(&r->plan, r->map->original_nbytes),
		 r->options->max_memory_nbytes);
	r->options->note(r->options->context, text);
	return NC3Z_OK;
}

static int decode_fetched(const struct striper *s, struct fetcher *f,
			  uint8_t *raw, struct nc3z_error *err)
{
	const struct archive_scan *scan = &s->r->scan;
	const struct archive_block *stored = &f->fetched.block;
	const struct block_view view = {
		.description = stored->description,
		.description_nbytes = stored->description_nbytes,
		.payload = stored->payload,
		.payload_nbytes = stored->payload_nbytes,
	};

	NC3Z_TRY(block_decode_checked(&f->coder, &view, raw, stored->raw_nbytes,
				      stored->raw_crc, err));
	if (f->fetched.entry.offset != s->archive.first_block_offset)
		return NC3Z_OK;
	return archive_check_identity(scan->identity, scan->plan.data,
				      scan->plan.nbytes, raw,
				      stored->raw_nbytes, err);
}

static int fetch_and_decode(struct striper *s, struct fetcher *f,
			    const struct stripe_block *block, uint8_t *raw,
			    struct nc3z_error *err)
{
	NC3Z_TRY(archive_reader_block(&s->archive, block->stream,
				      (uint32_t)block->block.block, &f->fetched,
				      err));
	if (f->fetched.block.raw_nbytes != block->block.nbytes)
		return error_set(err, NC3Z_EDAMAGED, "wrong length or order");
	return decode_fetched(s, f, raw, err);
}

/* In a worker. */
static int fetch(void *context, const struct stripe_block *block, uint8_t *raw,
		 struct nc3z_error *err)
{
	struct striper *s = context;
	int status = fetch_and_decode(s, &s->fetchers[block->worker], block,
				      raw, err);

	if (status != NC3Z_OK)
		error_add_block(err, status, block->stream,
				(uint32_t)block->block.block);
	return status;
}

/* All records, their order and what the end of the archive says of them. */
static int look_at_records(struct restorer *r)
{
	const struct archive_block *block;

	do {
		NC3Z_TRY(archive_scan_next(&r->scan, &block, r->err));
	} while (block);
	return restorer_read_end(r);
}

static int striper_begin(struct striper *s)
{
	struct restorer *r = s->r;
	struct stripe_input input = {
		.plan = &s->plan,
		.fetch = fetch,
		.context = s,
		.nthreads = r->nthreads,
	};

	NC3Z_TRY(look_at_records(r));
	NC3Z_TRY(stripe_plan_init(&s->plan, r->map,
				  r->options->max_memory_nbytes,
				  r->nthreads > 1 ? AHEAD_NBYTES : 0, r->err));
	NC3Z_TRY(count_repeats(s));
	NC3Z_TRY(archive_reader_open(&s->archive, r->in, r->err));
	s->fetchers = memory_alloc(r->nthreads, sizeof(*s->fetchers));
	if (!s->fetchers)
		return error_set_memory(r->err);
	return stripe_reader_open(&input, &s->original, r->err);
}

static void striper_release(struct striper *s)
{
	nc3z_source_close(s->original);
	for (unsigned i = 0; s->fetchers && i < s->r->nthreads; i++) {
		block_coder_release(&s->fetchers[i].coder);
		buffer_release(&s->fetchers[i].fetched.record);
	}
	free(s->fetchers);
	archive_reader_release(&s->archive);
	stripe_plan_release(&s->plan);
}

static int run_striper(struct striper *s)
{
	struct restorer *r = s->r;

	NC3Z_TRY(striper_begin(s));
	while (r->hashed < r->map->original_nbytes) {
		size_t n =
			(size_t)size_min(HASHER_BUFFER_NBYTES,
					 r->map->original_nbytes - r->hashed);

		NC3Z_TRY(source_read_at(s->original, r->hashed, r->pending, n,
					&n, r->err));
		NC3Z_TRY(restorer_emit(r, n));
	}
	return restorer_check_end(r);
}

int restore_stripes(struct restorer *r)
{
	struct striper s = { .r = r };
	int status = run_striper(&s);

	striper_release(&s);
	return status;
}
