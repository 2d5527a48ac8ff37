/* SPDX-License-Identifier: MIT */
/*
 * Duplicate records: a block whose raw bytes are those of a block before it.
 * In the index such a block has the entry of the other one, so that readers
 * who go by the index know nothing of these records.
 */
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"

void duplicate_write(const struct archive_duplicate *d,
		     uint8_t out[FORMAT_DUPLICATE_NBYTES])
{
	memcpy(out, FORMAT_MARK_DUPLICATE, FORMAT_MARK_NBYTES);
	store_le32(out + 4, d->stream);
	store_le32(out + 8, d->block);
	store_le32(out + 12, d->of_stream);
	store_le32(out + 16, d->of_block);
	store_le32(out + 20, d->raw_nbytes);
	store_le32(out + 24, d->raw_crc);
	store_le32(out + 28, d->previous_crc);
	memcpy(out + 32, d->identity, FORMAT_IDENTITY_NBYTES);
	store_le32(out + 40, crc32_of(out, 40));
}

int duplicate_read(struct nc3z_source *source, uint64_t *offset,
		   struct archive_duplicate *d, struct nc3z_error *err)
{
	uint8_t in[FORMAT_DUPLICATE_NBYTES];

	NC3Z_TRY(source_read_exactly(source, *offset, in, sizeof(in), err));
	if (memcmp(in, FORMAT_MARK_DUPLICATE, FORMAT_MARK_NBYTES) != 0 ||
	    load_le32(in + 40) != crc32_of(in, 40))
		return error_set_at(err, NC3Z_EDAMAGED, *offset,
				    "duplicate record is damaged: CRC-32 "
				    "differs");
	*d = (struct archive_duplicate){
		.stream = load_le32(in + 4),
		.block = load_le32(in + 8),
		.of_stream = load_le32(in + 12),
		.of_block = load_le32(in + 16),
		.raw_nbytes = load_le32(in + 20),
		.raw_crc = load_le32(in + 24),
		.previous_crc = load_le32(in + 28),
		.header_crc = load_le32(in + 40),
	};
	memcpy(d->identity, in + 32, FORMAT_IDENTITY_NBYTES);
	if (d->raw_nbytes == 0 || d->raw_nbytes > NC3Z_BLOCK_NBYTES_MAX)
		return error_set_at(err, NC3Z_EDAMAGED, *offset,
				    "invalid length of a block");
	*offset += sizeof(in);
	return NC3Z_OK;
}
