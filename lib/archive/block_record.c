/* SPDX-License-Identifier: MIT */
/* Block records: a header that describes itself, then the payload. */
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/cursor.h"

int block_record_write(const struct archive_block *block,
		       const uint8_t identity[FORMAT_IDENTITY_NBYTES],
		       uint32_t previous_crc, struct buffer *out,
		       struct nc3z_error *err)
{
	uint8_t head[FORMAT_BLOCK_HEAD_NBYTES];
	size_t header_nbytes = sizeof(head) + block->description_nbytes + 4;

	if (header_nbytes > FORMAT_BLOCK_HEADER_NBYTES_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "block description is too large");
	memcpy(head, FORMAT_MARK_BLOCK, FORMAT_MARK_NBYTES);
	store_le16(head + 4, (uint16_t)header_nbytes);
	store_le32(head + 6, block->stream);
	store_le32(head + 10, block->block);
	store_le32(head + 14, block->raw_nbytes);
	store_le32(head + 18, block->raw_crc);
	store_le32(head + 22, (uint32_t)block->payload_nbytes);
	store_le32(head + 26, crc32_of(block->payload, block->payload_nbytes));
	store_le32(head + 30, previous_crc);
	memcpy(head + 34, identity, FORMAT_IDENTITY_NBYTES);
	out->nbytes = 0;
	if (!buffer_append(out, head, sizeof(head)) ||
	    !buffer_append(out, block->description,
			   block->description_nbytes) ||
	    !buffer_le32(out, crc32_of(out->data, out->nbytes)))
		return error_set_memory(err);
	return NC3Z_OK;
}

static void parse_fields(const uint8_t *head, size_t header_nbytes,
			 struct block_record *record)
{
	record->block = (struct archive_block){
		.stream = load_le32(head + 6),
		.block = load_le32(head + 10),
		.raw_nbytes = load_le32(head + 14),
		.raw_crc = load_le32(head + 18),
		.description = head + FORMAT_BLOCK_HEAD_NBYTES,
		.description_nbytes =
			header_nbytes - FORMAT_BLOCK_HEAD_NBYTES - 4,
	};
	record->payload_nbytes = load_le32(head + 22);
	record->block.payload_nbytes = record->payload_nbytes;
	record->payload_crc = load_le32(head + 26);
	record->previous_crc = load_le32(head + 30);
	memcpy(record->identity, head + 34, FORMAT_IDENTITY_NBYTES);
}

int block_record_parse(const uint8_t *header, size_t header_nbytes,
		       uint64_t offset, struct block_record *record,
		       struct nc3z_error *err)
{
	record->header_crc = load_le32(header + header_nbytes - 4);
	if (record->header_crc != crc32_of(header, header_nbytes - 4))
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "block record header is damaged: "
				    "CRC-32 differs");
	parse_fields(header, header_nbytes, record);
	if (record->block.raw_nbytes == 0 ||
	    record->block.raw_nbytes > NC3Z_BLOCK_NBYTES_MAX ||
	    record->payload_nbytes >
		    format_payload_max(record->block.raw_nbytes))
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "invalid length of a block");
	return NC3Z_OK;
}

size_t
block_record_header_nbytes(const uint8_t start[FORMAT_BLOCK_START_NBYTES])
{
	size_t nbytes = load_le16(start + FORMAT_MARK_NBYTES);

	if (memcmp(start, FORMAT_MARK_BLOCK, FORMAT_MARK_NBYTES) != 0 ||
	    nbytes < FORMAT_BLOCK_HEAD_NBYTES + 4 ||
	    nbytes > FORMAT_BLOCK_HEADER_NBYTES_MAX)
		return 0;
	return nbytes;
}

/* Reads the whole header; its length is checked before anything else. */
static int read_header(struct nc3z_source *source, uint64_t offset,
		       struct buffer *header, struct nc3z_error *err)
{
	uint8_t start[FORMAT_BLOCK_START_NBYTES];
	size_t nbytes;

	NC3Z_TRY(
		source_read_exactly(source, offset, start, sizeof(start), err));
	nbytes = block_record_header_nbytes(start);
	if (nbytes == 0)
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "a block record is missing here");
	header->nbytes = 0;
	if (!buffer_reserve(header, nbytes))
		return error_set_memory(err);
	memcpy(header->data, start, sizeof(start));
	header->nbytes = nbytes;
	return source_read_exactly(source, offset + sizeof(start),
				   header->data + sizeof(start),
				   nbytes - sizeof(start), err);
}

int block_record_read(struct nc3z_source *source, uint64_t *offset,
		      struct block_record *record, struct nc3z_error *err)
{
	NC3Z_TRY(read_header(source, *offset, &record->header, err));
	NC3Z_TRY(block_record_parse(record->header.data, record->header.nbytes,
				    *offset, record, err));
	*offset += record->header.nbytes;
	return NC3Z_OK;
}

int block_record_check(const struct block_record *record, const void *payload,
		       uint64_t offset, struct nc3z_error *err)
{
	if (crc32_of(payload, record->payload_nbytes) == record->payload_crc)
		return NC3Z_OK;
	return error_set_at(err, NC3Z_EDAMAGED, offset,
			    "payload is damaged: CRC-32 differs");
}
