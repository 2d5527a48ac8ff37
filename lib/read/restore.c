/*
 * Restoring in one pass over the archive, so that it works from a pipe to a
 * pipe, and verifying, which is the same without an output.
 *
 * At each offset of the original the plan says which block is needed.  Records
 * are read and their blocks held until that block is there; then its bytes are
 * copied as far as they go.  The size of the original is known only at the end
 * of the archive.  It matters where blocks are short: when the first of these
 * turns up, or the blocks have ended, the rest of the archive is read before
 * going on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/sizes.h"
#include "block/block.h"
#include "plan/plan_map.h"
#include "plan/plan_shape.h"
#include "read/held_blocks.h"

#define OUT_NBYTES ((size_t)1 << 18)

struct restorer {
	struct nc3z_sink *out; /* NULL: verify only */
	struct archive_scan scan;
	struct plan plan;
	struct plan_map map;
	struct held_blocks held;
	struct block_coder coder;
	struct sha256 *sha256;
	uint32_t header_crc;   /* of the header, as far as it was restored */
	uint64_t position;     /* in the original */
	struct buffer pending; /* restored, not yet written */
	bool at_end;           /* the archive has been read whole */
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct buffer header_copy;
	struct nc3z_error *err;
};

/* The most that the blocks of a well-made archive make a reader hold. */
static uint64_t max_held_nbytes(const struct plan *plan)
{
	uint64_t block_nbytes = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		block_nbytes =
			size_max(block_nbytes, plan->streams[i].block_nbytes);
	return 4 * (PLAN_WINDOW_NBYTES + block_nbytes);
}

static int begin(struct restorer *r, struct nc3z_source *in)
{
	NC3Z_TRY(archive_scan_begin(&r->scan, in, r->err));
	NC3Z_TRY(plan_read(r->scan.plan.data, r->scan.plan.nbytes, &r->plan,
			   r->err));
	NC3Z_TRY(archive_scan_streams(&r->scan, r->plan.nstreams, r->err));
	NC3Z_TRY(plan_map_init(&r->map, &r->plan, PLAN_OFFSET_END, r->err));
	NC3Z_TRY(held_blocks_init(&r->held, r->plan.nstreams,
				  max_held_nbytes(&r->plan), r->err));
	r->sha256 = sha256_new();
	if (!r->sha256 || !buffer_reserve(&r->pending, OUT_NBYTES))
		return error_set_memory(r->err);
	return NC3Z_OK;
}

/* The raw bytes must be those that the record speaks of. */
static int check_raw(const struct restorer *r,
		     const struct archive_block *block, const uint8_t *raw)
{
	uint8_t identity[FORMAT_IDENTITY_NBYTES];

	if (crc32_of(raw, block->raw_nbytes) != block->raw_crc)
		return error_set_at(r->err, NC3Z_EDAMAGED, r->scan.offset,
				    "decoded bytes are damaged: CRC-32 "
				    "differs");
	if (r->scan.index.nblocks > 1)
		return NC3Z_OK;
	NC3Z_TRY(archive_identity(r->scan.plan.data, r->scan.plan.nbytes, raw,
				  block->raw_nbytes, identity, r->err));
	if (memcmp(identity, r->scan.identity, sizeof(identity)) != 0)
		return error_set_at(r->err, NC3Z_EDAMAGED, r->scan.offset,
				    "plan and first block do not belong "
				    "together");
	return NC3Z_OK;
}

/* A block is as long as the plan says, shorter only where the file ends. */
static int check_length(const struct restorer *r,
			const struct archive_block *block)
{
	const struct plan_extent *extent = &r->map.extents[block->stream];
	struct plan_block nominal;

	if (block->block >= extent->nblocks)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "more blocks than the plan has");
	nominal = plan_block_numbered(&r->map, block->stream, block->block);
	if (block->raw_nbytes > nominal.nbytes)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "block is longer than the plan says");
	return NC3Z_OK;
}

static int hold_block(struct restorer *r, const struct archive_block *block)
{
	struct held_block *held;
	struct block_view view;

	NC3Z_TRY(check_length(r, block));
	NC3Z_TRY(archive_scan_payload(&r->scan, r->err));
	NC3Z_TRY(held_blocks_add(&r->held, block->stream, block->block,
				 block->raw_nbytes, &held, r->err));
	view = (struct block_view){
		.description = block->description,
		.description_nbytes = block->description_nbytes,
		.payload = block->payload,
		.payload_nbytes = block->payload_nbytes,
	};
	NC3Z_TRY(block_decode(&r->coder, &view, held->raw, block->raw_nbytes,
			      r->err));
	return check_raw(r, block, held->raw);
}

/* After the blocks: now the size is known. */
static int read_end(struct restorer *r)
{
	uint64_t size;

	NC3Z_TRY(archive_scan_end(&r->scan, &r->catalogue, &r->trailer,
				  &r->header_copy, r->err));
	r->at_end = true;
	size = r->catalogue.original_nbytes;
	if (size > PLAN_OFFSET_END)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "impossible size of the original");
	plan_map_release(&r->map);
	NC3Z_TRY(plan_map_init(&r->map, &r->plan, size, r->err));
	for (uint32_t i = 0; i < r->plan.nstreams; i++)
		if (r->map.extents[i].nbytes != r->catalogue.stream_nbytes[i] ||
		    r->map.extents[i].nblocks != r->scan.index.streams[i].count)
			return error_set(r->err, NC3Z_EDAMAGED,
					 "stream %" PRIu32
					 " does not have the blocks that the "
					 "plan says",
					 i);
	return NC3Z_OK;
}

/* Reads one more block, or the end. */
static int read_more(struct restorer *r)
{
	const struct archive_block *block;
	int status;

	NC3Z_TRY(archive_scan_next(&r->scan, &block, r->err));
	if (!block)
		return read_end(r);
	status = hold_block(r, block);
	if (status != NC3Z_OK)
		error_add_block(r->err, status, block->stream, block->block);
	return status;
}

static int write_pending(struct restorer *r)
{
	const struct buffer *b = &r->pending;
	uint64_t done = r->position - b->nbytes;

	if (done < r->plan.header_nbytes)
		r->header_crc = crc32_update(
			r->header_crc, b->data,
			(size_t)size_min(b->nbytes,
					 r->plan.header_nbytes - done));
	NC3Z_TRY(sha256_update(r->sha256, b->data, b->nbytes, r->err));
	if (r->out)
		NC3Z_TRY(sink_append(r->out, b->data, b->nbytes, r->err));
	r->pending.nbytes = 0;
	return NC3Z_OK;
}

/* Copies what the block at this offset has; 'held' is that block. */
static int copy_run(struct restorer *r, const struct plan_run *run,
		    const struct plan_block *block,
		    const struct held_block *held)
{
	uint64_t at = run->stream_offset - block->stream_offset;
	uint64_t n = size_min(run->nbytes, block->nbytes - at);

	n = size_min(n, OUT_NBYTES - r->pending.nbytes);
	if (!buffer_append(&r->pending, held->raw + at, (size_t)n))
		return error_set_memory(r->err);
	held_blocks_use(&r->held, run->stream, (uint32_t)n);
	r->position += n;
	return r->pending.nbytes == OUT_NBYTES ? write_pending(r) : NC3Z_OK;
}

/* One step forward in the original or in the archive. */
static int step(struct restorer *r)
{
	struct plan_run run = plan_run_at(&r->map, r->position);
	struct plan_block block =
		plan_block_at(&r->map, run.stream, run.stream_offset);
	const struct held_block *held = held_blocks_first(&r->held, run.stream);

	if (held && held->block == block.block && held->nbytes == block.nbytes)
		return copy_run(r, &run, &block, held);
	if (!r->at_end)
		return read_more(r);
	error_set(r->err, NC3Z_EDAMAGED, "wrong length or order");
	return error_add_block(r->err, NC3Z_EDAMAGED, run.stream,
			       (uint32_t)block.block);
}

static int check_header_copy(const struct restorer *r)
{
	const struct buffer *copy = &r->header_copy;
	bool is_there = format_has_header_copy(r->plan.header_nbytes,
					       r->trailer.index_offset);

	if (copy->nbytes != (is_there ? r->plan.header_nbytes : 0) ||
	    (is_there && crc32_of(copy->data, copy->nbytes) != r->header_crc))
		return error_set(r->err, NC3Z_EDAMAGED,
				 "header copy differs from the header");
	return NC3Z_OK;
}

static int check_end(struct restorer *r)
{
	uint8_t digest[SHA256_NBYTES];

	NC3Z_TRY(write_pending(r));
	NC3Z_TRY(sha256_final(r->sha256, digest, r->err));
	if (memcmp(digest, r->catalogue.sha256, sizeof(digest)) != 0)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "SHA-256 of the original differs");
	return check_header_copy(r);
}

static int restore_all(struct restorer *r, struct nc3z_source *in)
{
	NC3Z_TRY(begin(r, in));
	while (!r->at_end || r->position < r->map.original_nbytes)
		NC3Z_TRY(step(r));
	return check_end(r);
}

static void release(struct restorer *r)
{
	archive_scan_release(&r->scan);
	plan_map_release(&r->map);
	plan_release(&r->plan);
	held_blocks_release(&r->held);
	block_coder_release(&r->coder);
	sha256_free(r->sha256);
	buffer_release(&r->pending);
	buffer_release(&r->header_copy);
	catalogue_release(&r->catalogue);
}

static void fill_summary(struct nc3z_summary *s,
			 const struct archive_trailer *trailer,
			 const struct archive_catalogue *catalogue)
{
	*s = (struct nc3z_summary){
		.original_nbytes = catalogue->original_nbytes,
		.archive_nbytes = trailer->archive_nbytes,
		.nblocks = trailer->nblocks,
		.nstreams = catalogue->nstreams,
		.format_major = trailer->major,
		.format_minor = trailer->minor,
	};
	memcpy(s->sha256, catalogue->sha256, SHA256_NBYTES);
}

int nc3z_restore(struct nc3z_source *in, struct nc3z_sink *out,
		 struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct restorer r = { .out = out, .err = err };
	int status = restore_all(&r, in);

	if (status == NC3Z_OK && summary_ret)
		fill_summary(summary_ret, &r.trailer, &r.catalogue);
	release(&r);
	return status;
}

int nc3z_verify(struct nc3z_source *in, struct nc3z_summary *summary_ret,
		struct nc3z_error *err)
{
	return nc3z_restore(in, NULL, summary_ret, err);
}

int nc3z_summarize(struct nc3z_source *in, struct nc3z_summary *summary_ret,
		   struct nc3z_error *err)
{
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct buffer contents = { 0 };
	int status =
		archive_tail_read(in, &trailer, &catalogue, &contents, err);

	if (status == NC3Z_OK) {
		fill_summary(summary_ret, &trailer, &catalogue);
		catalogue_release(&catalogue);
	}
	buffer_release(&contents);
	return status;
}
