/* SPDX-License-Identifier: MIT */
/*
 * One block record without its archive, for those who fetch ranges of bytes by
 * themselves: where it is, and from its bytes to those of the block.
 */
#include "read/decoder.h"
#include "read/file.h"

int nc3z_inq_record(struct nc3z_file *file, uint32_t stream, uint64_t block,
		    struct nc3z_record *record_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && record_ret);

	struct archive_entry entry;
	struct nc3z_range place;
	struct plan_block planned;

	if (!file->is_archive)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "is a classic file, not an nc3z archive");
	if (stream >= file->plan.nstreams ||
	    block >= file->map.extents[stream].nblocks)
		return error_set(err, NC3Z_EINVAL, "no such block");
	NC3Z_TRY(archive_reader_place(&file->archive, stream, (uint32_t)block,
				      &place, err));
	NC3Z_TRY(archive_reader_entry(&file->archive, stream, (uint32_t)block,
				      &entry, err));
	planned = plan_block_numbered(&file->map, stream, block);
	*record_ret = (struct nc3z_record){
		.offset = place.offset,
		.block = block,
		.stream = stream,
		.record_nbytes = (uint32_t)place.nbytes,
		.raw_nbytes = (uint32_t)planned.nbytes,
		.raw_crc = entry.raw_crc,
		.is_duplicate = entry.is_duplicate,
	};
	return NC3Z_OK;
}

/* Takes bytes apart that begin with a whole record, and checks its payload. */
static int parse(const uint8_t *data, size_t nbytes,
		 struct block_record *record, struct nc3z_error *err)
{
	size_t header_nbytes = 0;

	if (nbytes >= FORMAT_BLOCK_START_NBYTES)
		header_nbytes = block_record_header_nbytes(data);
	if (header_nbytes == 0)
		return error_set_at(err, NC3Z_EDAMAGED, 0,
				    "not a block record: these bytes are from "
				    "another file or place");
	if (header_nbytes > nbytes)
		return error_set_at(err, NC3Z_EDAMAGED, nbytes,
				    "block record is cut off");
	NC3Z_TRY(block_record_parse(data, header_nbytes, 0, record, err));
	if (record->payload_nbytes > nbytes - header_nbytes)
		return error_set_at(err, NC3Z_EDAMAGED, nbytes,
				    "block record is cut off");
	record->header.nbytes = header_nbytes;
	record->block.payload = data + header_nbytes;
	record->block.payload_nbytes = record->payload_nbytes;
	return block_record_check(record, record->block.payload, header_nbytes,
				  err);
}

static int decode_payload(const struct archive_block *block, uint8_t *raw,
			  struct nc3z_error *err)
{
	const struct block_view view = {
		.description = block->description,
		.description_nbytes = block->description_nbytes,
		.payload = block->payload,
		.payload_nbytes = block->payload_nbytes,
	};
	struct decoder *decoder = decoder_new();
	int status;

	if (!decoder)
		return error_set_memory(err);
	status = block_decode_checked(&decoder->coder, &view, raw,
				      block->raw_nbytes, block->raw_crc, err);
	decoder_free(decoder);
	return status;
}

int nc3z_decode_record(const void *record, size_t record_nbytes, void *raw,
		       size_t raw_nbytes, struct nc3z_record *record_ret,
		       struct nc3z_error *err)
{
	NC3Z_NEED(err, record);

	struct block_record parsed = { 0 };
	const struct archive_block *b = &parsed.block;
	int status;

	NC3Z_TRY(parse(record, record_nbytes, &parsed, err));
	if (b->raw_nbytes > raw_nbytes)
		status = error_set(
			err, NC3Z_ELIMIT,
			"block has %u bytes, but there is room for only %zu",
			b->raw_nbytes, raw_nbytes);
	else
		status = decode_payload(b, raw, err);
	if (status != NC3Z_OK)
		return error_add_block(err, status, b->stream, b->block);
	if (record_ret)
		*record_ret = (struct nc3z_record){
			.offset = NC3Z_NO_OFFSET,
			.block = b->block,
			.stream = b->stream,
			.record_nbytes = (uint32_t)parsed.header.nbytes +
					 parsed.payload_nbytes,
			.raw_nbytes = b->raw_nbytes,
			.raw_crc = b->raw_crc,
		};
	return NC3Z_OK;
}
