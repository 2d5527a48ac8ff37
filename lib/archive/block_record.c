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

/* Reads the whole header; its length is checked before anything else. */
static int read_header(struct nc3z_source *source, uint64_t offset,
		       struct buffer *header, struct nc3z_error *err)
{
	uint8_t start[FORMAT_MARK_NBYTES + 2];
	size_t nbytes;

	NC3Z_TRY(
		source_read_exactly(source, offset, start, sizeof(start), err));
	nbytes = load_le16(start + FORMAT_MARK_NBYTES);
	if (memcmp(start, FORMAT_MARK_BLOCK, FORMAT_MARK_NBYTES) != 0 ||
	    nbytes < FORMAT_BLOCK_HEAD_NBYTES + 4 ||
	    nbytes > FORMAT_BLOCK_HEADER_NBYTES_MAX)
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "no block record where one must be");
	header->nbytes = 0;
	if (!buffer_reserve(header, nbytes))
		return error_set_memory(err);
	memcpy(header->data, start, sizeof(start));
	header->nbytes = nbytes;
	return source_read_exactly(source, offset + sizeof(start),
				   header->data + sizeof(start),
				   nbytes - sizeof(start), err);
}

static void parse_header(struct block_record *record)
{
	const uint8_t *head = record->header.data;

	record->block = (struct archive_block){
		.stream = load_le32(head + 6),
		.block = load_le32(head + 10),
		.raw_nbytes = load_le32(head + 14),
		.raw_crc = load_le32(head + 18),
		.description = head + FORMAT_BLOCK_HEAD_NBYTES,
		.description_nbytes =
			record->header.nbytes - FORMAT_BLOCK_HEAD_NBYTES - 4,
	};
	record->payload_nbytes = load_le32(head + 22);
	record->payload_crc = load_le32(head + 26);
	record->previous_crc = load_le32(head + 30);
	memcpy(record->identity, head + 34, FORMAT_IDENTITY_NBYTES);
}

int block_record_read(struct nc3z_source *source, uint64_t *offset,
		      struct block_record *record, struct nc3z_error *err)
{
	const uint8_t *data;
	size_t nbytes;

	NC3Z_TRY(read_header(source, *offset, &record->header, err));
	data = record->header.data;
	nbytes = record->header.nbytes;
	record->header_crc = load_le32(data + nbytes - 4);
	if (record->header_crc != crc32_of(data, nbytes - 4))
		return error_set_at(err, NC3Z_EDAMAGED, *offset,
				    "block record header is damaged: "
				    "CRC-32 differs");
	parse_header(record);
	if (record->block.raw_nbytes == 0 ||
	    record->block.raw_nbytes > NC3Z_BLOCK_NBYTES_MAX ||
	    record->payload_nbytes >
		    format_payload_max(record->block.raw_nbytes))
		return error_set_at(err, NC3Z_EDAMAGED, *offset,
				    "invalid length of a block");
	*offset += nbytes;
	return NC3Z_OK;
}
