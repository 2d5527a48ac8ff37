/* SPDX-License-Identifier: MIT */
#include "restore/restorer.h"

#include <inttypes.h>
#include <string.h>

#include "base/sizes.h"
#include "restore/options.h"

/* The most that the blocks of a well-made archive make a reader hold. */
static uint64_t max_held_nbytes(const struct plan *plan)
{
	uint64_t block_nbytes = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		block_nbytes =
			size_max(block_nbytes, plan->streams[i].block_nbytes);
	return 4 * (plan_reach_nbytes(plan) + block_nbytes);
}

int restorer_begin(struct restorer *r)
{
	NC3Z_TRY(archive_scan_begin(&r->scan, r->in, r->err));
	NC3Z_TRY(plan_read(r->scan.plan.data, r->scan.plan.nbytes, &r->plan,
			   r->err));
	NC3Z_TRY(archive_scan_streams(&r->scan, r->plan.nstreams, r->err));
	NC3Z_TRY(plan_map_init(&r->endless, &r->plan, PLAN_OFFSET_END, r->err));
	r->map = &r->endless;
	r->nthreads = block_decoding_threads(
		r->nthreads, plan_map_largest_block(&r->endless));
	NC3Z_TRY(hasher_new(r->nthreads > 1, &r->hasher, r->err));
	r->pending = hasher_buffer(r->hasher);
	return NC3Z_OK;
}

int restorer_begin_blocks(struct restorer *r)
{
	NC3Z_TRY(plan_walk_init(&r->walk, &r->endless, r->err));
	NC3Z_TRY(held_blocks_init(&r->held, r->plan.nstreams,
				  max_held_nbytes(&r->plan), r->err));
	return block_reader_init(&r->blocks, &r->scan, &r->endless, r->nthreads,
				 r->err);
}

void restorer_release(struct restorer *r)
{
	block_reader_release(&r->blocks);
	held_blocks_release(&r->held);
	hasher_free(r->hasher);
	archive_scan_release(&r->scan);
	plan_walk_release(&r->walk);
	plan_map_release(&r->endless);
	plan_map_release(&r->actual);
	plan_release(&r->plan);
	archive_copies_release(&r->copies);
	catalogue_release(&r->catalogue);
}

int restorer_read_end(struct restorer *r)
{
	const struct archive_catalogue *c = &r->catalogue;

	NC3Z_TRY(archive_scan_end(&r->scan, &r->catalogue, &r->trailer,
				  &r->copies, r->err));
	r->at_end = true;
	if (c->original_nbytes >= PLAN_OFFSET_END)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "impossible size of the original");
	if (c->original_nbytes < r->plan.header_nbytes)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "original is shorter than its header");
	NC3Z_TRY(restore_check_size(r->options, c->original_nbytes, r->err));
	NC3Z_TRY(plan_map_init(&r->actual, &r->plan, c->original_nbytes,
			       r->err));
	r->map = &r->actual;
	for (uint32_t i = 0; i < r->plan.nstreams; i++)
		if (r->map->extents[i].nbytes != c->stream_nbytes[i] ||
		    r->map->extents[i].nblocks !=
			    r->scan.index.streams[i].count)
			return error_set(r->err, NC3Z_EDAMAGED,
					 "stream %" PRIu32
					 " does not have the blocks that the "
					 "plan says",
					 i);
	return NC3Z_OK;
}

int restorer_hash(struct restorer *r, size_t nbytes)
{
	if (r->hashed < r->plan.header_nbytes)
		r->header_crc = crc32_update(
			r->header_crc, r->pending,
			(size_t)size_min(nbytes,
					 r->plan.header_nbytes - r->hashed));
	NC3Z_TRY(hasher_put(r->hasher, nbytes, r->err));
	r->hashed += nbytes;
	r->pending = hasher_buffer(r->hasher);
	if (r->options->progress)
		r->options->progress(r->options->context, r->hashed,
				     r->scan.offset);
	return NC3Z_OK;
}

int restorer_emit(struct restorer *r, size_t nbytes)
{
	NC3Z_TRY(restore_check_size(r->options, r->hashed + nbytes, r->err));
	if (r->out)
		NC3Z_TRY(sink_append(r->out, r->pending, nbytes, r->err));
	return restorer_hash(r, nbytes);
}

static int check_header_copy(const struct restorer *r)
{
	const struct buffer *copy = &r->copies.header;

	if (copy->nbytes > 0 &&
	    (copy->nbytes != r->plan.header_nbytes ||
	     crc32_of(copy->data, copy->nbytes) != r->header_crc))
		return error_set(r->err, NC3Z_EDAMAGED,
				 "header copy differs from the header");
	return NC3Z_OK;
}

int restorer_check_end(struct restorer *r)
{
	uint8_t digest[SHA256_NBYTES];

	if (r->hashed != r->catalogue.original_nbytes)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "blocks hold more than the original");
	NC3Z_TRY(hasher_end(r->hasher, digest, r->err));
	if (memcmp(digest, r->catalogue.sha256, sizeof(digest)) != 0)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "SHA-256 of the original differs");
	NC3Z_TRY(check_header_copy(r));
	return restorer_check_stream_copies(r);
}
