/* SPDX-License-Identifier: MIT */
/*
 * Whether the stream copies at the end of an archive are what the blocks hold:
 * the CRC-32 of the raw bytes of each block, which is in the index, must be
 * that of its part of the copy.  So nothing of the blocks has to be held until
 * the end comes.
 */
#include <stdlib.h>
#include <string.h>

#include "restore/restorer.h"

static int differs(uint32_t stream, struct nc3z_error *err)
{
	error_set(err, NC3Z_EDAMAGED, "stream copy differs from the blocks");
	return error_add_block(err, NC3Z_EDAMAGED, stream, 0);
}

static int compare_blocks(const struct restorer *r, uint32_t stream,
			  const uint8_t *raw)
{
	const struct archive_stream_entries *entries =
		&r->scan.index.streams[stream];

	for (size_t i = 0; i < entries->count; i++) {
		struct plan_block b = plan_block_numbered(r->map, stream, i);

		if (crc32_of(raw + b.stream_offset, (size_t)b.nbytes) !=
		    entries->list[i].raw_crc)
			return differs(stream, r->err);
	}
	return NC3Z_OK;
}

static int check_copy(const struct restorer *r, struct block_coder *coder,
		      const struct archive_block *copy, struct buffer *raw)
{
	const struct block_view view = {
		.description = copy->description,
		.description_nbytes = copy->description_nbytes,
		.payload = copy->payload,
		.payload_nbytes = copy->payload_nbytes,
	};

	if (r->plan.streams[copy->stream].grid ||
	    r->map->extents[copy->stream].nbytes != copy->raw_nbytes)
		return differs(copy->stream, r->err);
	raw->nbytes = 0;
	if (!buffer_reserve(raw, copy->raw_nbytes))
		return error_set_memory(r->err);
	NC3Z_TRY(block_decode(coder, &view, raw->data, copy->raw_nbytes,
			      r->err));
	if (crc32_of(raw->data, copy->raw_nbytes) != copy->raw_crc)
		return differs(copy->stream, r->err);
	return compare_blocks(r, copy->stream, raw->data);
}

int restorer_check_stream_copies(struct restorer *r)
{
	struct archive_copies_owner owner = {
		.last_header_crc = r->trailer.last_header_crc,
		.nstreams = r->plan.nstreams,
	};
	struct archive_stream_copies copies;
	struct block_coder coder = { 0 };
	struct buffer raw = { 0 };
	int status;

	memcpy(owner.identity, r->trailer.identity, FORMAT_IDENTITY_NBYTES);
	status = archive_stream_copies_read(&r->copies.streams, &owner, &copies,
					    r->err);
	for (size_t i = 0; status == NC3Z_OK && i < copies.count; i++)
		status = check_copy(r, &coder, &copies.list[i], &raw);
	archive_stream_copies_release(&copies);
	block_coder_release(&coder);
	buffer_release(&raw);
	return status;
}
