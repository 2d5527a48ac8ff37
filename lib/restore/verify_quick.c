/* SPDX-License-Identifier: MIT */
/*
 * The quick check of an archive: every stored byte is read and its CRC-32
 * compared, every record has to follow the one before it, and index, header
 * copy, catalogue and trailer have to agree with the records and the plan.
 * Nothing is decoded, so that it goes as fast as bytes can be read.
 *
 * It cannot find damage from before the archive was written: CRC-32 and
 * SHA-256 of the raw bytes, and the identity, need decoding (restore.c).
 */
#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"
#include "block/block.h"
#include "plan/map.h"
#include "restore/options.h"

struct quick {
	struct archive_scan scan;
	struct plan plan;
	struct plan_map map;    /* of an original without end */
	struct plan_map actual; /* once its size is known */
	struct buffer payload;
	struct archive_copies copies;
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	const struct nc3z_restore_options *options;
	uint64_t raw_nbytes; /* of the blocks so far */
	struct nc3z_error *err;
};

static int quick_begin(struct quick *q, struct nc3z_source *in)
{
	NC3Z_TRY(archive_scan_begin(&q->scan, in, q->err));
	NC3Z_TRY(plan_read(q->scan.plan.data, q->scan.plan.nbytes, &q->plan,
			   q->err));
	NC3Z_TRY(archive_scan_streams(&q->scan, q->plan.nstreams, q->err));
	return plan_map_init(&q->map, &q->plan, PLAN_OFFSET_END, q->err);
}

/* The length that the plan gives, and a description that fits the payload. */
static int check_block(struct quick *q, const struct archive_block *block)
{
	const struct plan_extent *extent = &q->map.extents[block->stream];
	struct block_view view = {
		.description = block->description,
		.description_nbytes = block->description_nbytes,
	};
	struct block_description description;

	if (block->block >= extent->nblocks ||
	    block->raw_nbytes >
		    plan_block_numbered(&q->map, block->stream, block->block)
			    .nbytes)
		return error_set(q->err, NC3Z_EDAMAGED,
				 "block is longer than the plan says");
	NC3Z_TRY(archive_scan_payload(&q->scan, &q->payload, q->err));
	view.payload_nbytes = q->payload.nbytes;
	return block_description_read(&view, block->raw_nbytes, &description,
				      q->err);
}

static int check_blocks(struct quick *q)
{
	const struct archive_block *block;
	int status;

	NC3Z_TRY(archive_scan_next(&q->scan, &block, q->err));
	while (block) {
		status = check_block(q, block);
		if (status != NC3Z_OK)
			return error_add_block(q->err, status, block->stream,
					       block->block);
		q->raw_nbytes += block->raw_nbytes;
		if (q->options->progress)
			q->options->progress(q->options->context, q->raw_nbytes,
					     q->scan.offset);
		NC3Z_TRY(archive_scan_next(&q->scan, &block, q->err));
	}
	return NC3Z_OK;
}

/*
 * All blocks but the last of a stream are as long as the plan says: then so is
 * the last one if they add up.
 */
static int check_streams(struct quick *q)
{
	const struct archive_catalogue *c = &q->catalogue;
	uint64_t nbytes = 0;

	if (c->original_nbytes >= PLAN_OFFSET_END ||
	    c->original_nbytes < q->plan.header_nbytes)
		return error_set(q->err, NC3Z_EDAMAGED,
				 "impossible size of the original");
	NC3Z_TRY(restore_check_size(q->options, c->original_nbytes, q->err));
	NC3Z_TRY(plan_map_init(&q->actual, &q->plan, c->original_nbytes,
			       q->err));
	for (uint32_t i = 0; i < q->plan.nstreams; i++) {
		const struct plan_extent *extent = &q->actual.extents[i];

		if (extent->nbytes != c->stream_nbytes[i] ||
		    extent->nblocks != q->scan.index.streams[i].count)
			return error_set(q->err, NC3Z_EDAMAGED,
					 "stream %" PRIu32
					 " does not have the blocks that the "
					 "plan says",
					 i);
		nbytes += extent->nbytes;
	}
	if (nbytes != q->raw_nbytes)
		return error_set(q->err, NC3Z_EDAMAGED,
				 "blocks do not have the lengths that the plan "
				 "says");
	return NC3Z_OK;
}

/* They are of this archive, and have descriptions that fit. */
static int check_stream_copies(struct quick *q)
{
	struct archive_copies_owner owner = {
		.last_header_crc = q->trailer.last_header_crc,
		.nstreams = q->plan.nstreams,
	};
	struct archive_stream_copies copies;
	int status;

	memcpy(owner.identity, q->trailer.identity, FORMAT_IDENTITY_NBYTES);
	status = archive_stream_copies_read(&q->copies.streams, &owner, &copies,
					    q->err);
	for (size_t i = 0; status == NC3Z_OK && i < copies.count; i++) {
		const struct archive_block *copy = &copies.list[i];
		const struct block_view view = {
			.description = copy->description,
			.description_nbytes = copy->description_nbytes,
			.payload_nbytes = copy->payload_nbytes,
		};
		struct block_description description;

		status = q->plan.streams[copy->stream].grid ||
					 q->actual.extents[copy->stream]
							 .nbytes !=
						 copy->raw_nbytes ?
				 error_set(q->err, NC3Z_EDAMAGED,
					   "stream copy of a wrong length") :
				 block_description_read(&view, copy->raw_nbytes,
							&description, q->err);
	}
	archive_stream_copies_release(&copies);
	return status;
}

static int check_all(struct quick *q, struct nc3z_source *in)
{
	source_announce_all(in);
	NC3Z_TRY(quick_begin(q, in));
	NC3Z_TRY(check_blocks(q));
	NC3Z_TRY(archive_scan_end(&q->scan, &q->catalogue, &q->trailer,
				  &q->copies, q->err));
	NC3Z_TRY(check_streams(q));
	if (q->copies.header.nbytes > 0 &&
	    q->copies.header.nbytes != q->plan.header_nbytes)
		return error_set(q->err, NC3Z_EDAMAGED,
				 "header copy does not have the length that "
				 "the plan says");
	return check_stream_copies(q);
}

static void quick_release(struct quick *q)
{
	archive_scan_release(&q->scan);
	plan_map_release(&q->map);
	plan_map_release(&q->actual);
	plan_release(&q->plan);
	buffer_release(&q->payload);
	archive_copies_release(&q->copies);
	catalogue_release(&q->catalogue);
}

int nc3z_verify_quick(struct nc3z_source *in,
		      const struct nc3z_restore_options *options,
		      struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, in);

	struct nc3z_restore_options own;
	struct quick q = { .options = &own, .err = err };
	int status;

	NC3Z_TRY(restore_options_copy(&own, options, err));
	status = check_all(&q, in);
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = archive_summary(&q.trailer, &q.catalogue);
	quick_release(&q);
	return status;
}
