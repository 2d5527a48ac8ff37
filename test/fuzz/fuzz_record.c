/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a block record, header and payload: what is accepted is written
 * the same again, and so is its description.  What can be decoded is, into no
 * more memory than there is, and the same every time.
 *
 *	flags 1 (AS_IT_IS), then bytes
 *
 * Unless they are to be taken as they are, the mark, lengths beyond the end and
 * the checksums are made right.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "block/block.h"
#include "fuzz.h"
#include "codecs.h"

#define AS_IT_IS 1

/* At least a header without a description. */
#define HEADER_NBYTES_MIN (FORMAT_BLOCK_HEAD_NBYTES + 4)

static void mend(uint8_t *data, size_t nbytes)
{
	size_t header_nbytes = load_le16(data + 4), left;

	memcpy(data, FORMAT_MARK_BLOCK, FORMAT_MARK_NBYTES);
	if (header_nbytes > nbytes || header_nbytes < HEADER_NBYTES_MIN)
		header_nbytes = nbytes;
	if (header_nbytes > FORMAT_BLOCK_HEADER_NBYTES_MAX)
		header_nbytes = FORMAT_BLOCK_HEADER_NBYTES_MAX;
	store_le16(data + 4, (uint16_t)header_nbytes);
	left = nbytes - header_nbytes;
	if (load_le32(data + 22) > left)
		store_le32(data + 22, (uint32_t)left);
	store_le32(data + 26,
		   crc32_of(data + header_nbytes, load_le32(data + 22)));
	store_le32(data + header_nbytes - 4, crc32_of(data, header_nbytes - 4));
}

/* A description that is understood has one form only. */
static void check_description(const struct block_record *record)
{
	const struct archive_block *b = &record->block;
	struct block_view view = {
		.description = b->description,
		.description_nbytes = b->description_nbytes,
		.payload_nbytes = record->payload_nbytes,
	};
	struct block_description d;
	struct buffer again = { 0 };
	struct nc3z_error err = { 0 };
	int status = block_description_read(&view, b->raw_nbytes, &d, &err);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_EUNSUPPORTED);
	FUZZ_CHECK(err.status == status);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(block_description_write(&d, &again));
		FUZZ_CHECK(again.nbytes == b->description_nbytes &&
			   memcmp(again.data, b->description, again.nbytes) ==
				   0);
	}
	buffer_release(&again);
}

/* A header whose payload is there, with the right checksum. */
static void check_again(const struct block_record *record,
			const uint8_t *payload)
{
	struct archive_block block = record->block;
	struct buffer again = { 0 };

	block.payload = payload;
	block.payload_nbytes = record->payload_nbytes;
	FUZZ_CHECK(block_record_write(&block, record->identity,
				      record->previous_crc, &again,
				      NULL) == NC3Z_OK);
	FUZZ_CHECK(again.nbytes == record->header.nbytes &&
		   memcmp(again.data, record->header.data, again.nbytes) == 0);
	buffer_release(&again);
}

static void check_record(const struct block_record *record, uint64_t offset,
			 const uint8_t *data, size_t nbytes)
{
	const struct archive_block *b = &record->block;

	FUZZ_CHECK(offset == record->header.nbytes && offset <= nbytes &&
		   offset <= FORMAT_BLOCK_HEADER_NBYTES_MAX);
	FUZZ_CHECK(b->description ==
			   record->header.data + FORMAT_BLOCK_HEAD_NBYTES &&
		   b->description_nbytes == offset - HEADER_NBYTES_MIN);
	FUZZ_CHECK(b->raw_nbytes > 0 && b->raw_nbytes <= NC3Z_BLOCK_NBYTES_MAX);
	FUZZ_CHECK(record->payload_nbytes <= format_payload_max(b->raw_nbytes));
	if (record->payload_nbytes <= nbytes - offset &&
	    crc32_of(data + offset, record->payload_nbytes) ==
		    record->payload_crc)
		check_again(record, data + offset);
	check_description(record);
}

/* nc3z_decode_record() with memory for 'raw_nbytes' bytes, no more. */
static int decode(const uint8_t *data, size_t nbytes, size_t raw_nbytes,
		  uint8_t fill, uint32_t *crc_ret)
{
	uint8_t *raw = malloc(raw_nbytes > 0 ? raw_nbytes : 1);
	struct nc3z_record found = { 0 };
	struct nc3z_error err = { 0 };
	int status;

	FUZZ_CHECK(raw != NULL);
	memset(raw, fill, raw_nbytes);
	status =
		nc3z_decode_record(data, nbytes, raw, raw_nbytes, &found, &err);
	FUZZ_CHECK(err.status == status);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(found.record_nbytes <= nbytes &&
			   found.raw_nbytes <= raw_nbytes);
		*crc_ret = crc32_of(raw, found.raw_nbytes);
		FUZZ_CHECK(*crc_ret == found.raw_crc);
	}
	free(raw);
	return status;
}

/* As long as the header says, if it says how long, so that much is decoded. */
static size_t record_nbytes(const uint8_t *data, size_t nbytes)
{
	size_t header_nbytes = 0;
	uint64_t whole;

	if (nbytes >= HEADER_NBYTES_MIN)
		header_nbytes = block_record_header_nbytes(data);
	if (header_nbytes == 0)
		return nbytes;
	whole = (uint64_t)header_nbytes + load_le32(data + 22);
	return whole < nbytes ? (size_t)whole : nbytes;
}

/* As many raw bytes as the header says, but no more than there is room for. */
static size_t room_for(const uint8_t *data, size_t nbytes)
{
	size_t wanted = nbytes < HEADER_NBYTES_MIN ? 0 : load_le32(data + 14);

	return wanted < FUZZ_NBYTES_MAX ? wanted : FUZZ_NBYTES_MAX;
}

static void check_decoding(const uint8_t *data, size_t nbytes)
{
	size_t whole = record_nbytes(data, nbytes);
	uint8_t *exact = fuzz_copy(data, whole);
	size_t room = room_for(data, whole);
	uint32_t crc = 0, again = 1;
	int status = decode(exact, whole, room, 0, &crc);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_EUNSUPPORTED || status == NC3Z_ELIMIT);
	FUZZ_CHECK(decode(exact, whole, room, 0xA5, &again) == status);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(crc == again);
		FUZZ_CHECK(decode(exact, whole, room - 1, 0, &crc) ==
			   NC3Z_ELIMIT);
	}
	free(exact);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	uint8_t flags = fuzz_take(&in);
	uint8_t *exact = fuzz_copy(in.data, in.nbytes);
	struct block_record record = { 0 };
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	uint64_t offset = 0;
	int status;

	if (!(flags & AS_IT_IS) && in.nbytes >= HEADER_NBYTES_MIN)
		mend(exact, in.nbytes);
	FUZZ_CHECK(nc3z_source_open_memory(exact, in.nbytes, &source, NULL) ==
		   NC3Z_OK);
	status = block_record_read(source, &offset, &record, &err);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	FUZZ_CHECK(err.status == status);
	if (status == NC3Z_OK)
		check_record(&record, offset, exact, in.nbytes);
	else
		FUZZ_CHECK(offset == 0);
	check_decoding(exact, in.nbytes);
	buffer_release(&record.header);
	nc3z_source_close(source);
	free(exact);
}

/* A part of the file, encoded somehow. */
static void make_block(const uint8_t *file, size_t file_nbytes, uint64_t *state,
		       struct block_stored *stored, struct archive_block *block)
{
	struct block_coder coder = { 0 };
	size_t nbytes = 1 + file_nbytes % 3000;
	struct block_recipe recipe = {
		.width = (uint8_t)(1u << fuzz_random_below(state, 4)),
		.codec = nth_codec(fuzz_random(state)),
		.is_float = fuzz_random_below(state, 2) == 0,
		.transforms = (uint8_t)fuzz_random_below(state, 16),
	};

	if (nbytes > file_nbytes)
		nbytes = file_nbytes;
	recipe.level = codec_level(recipe.codec, 1);
	filter_chain_add(&recipe.chain, NC3Z_FILTER_DELTA,
			 1 + (uint32_t)fuzz_random_below(state, 9));
	FUZZ_CHECK(block_encode(&coder, &recipe, file, nbytes, stored, NULL) ==
		   NC3Z_OK);
	*block = (struct archive_block){
		.stream = (uint32_t)fuzz_random_below(state, 9),
		.block = (uint32_t)fuzz_random_below(state, 9),
		.raw_nbytes = (uint32_t)nbytes,
		.raw_crc = crc32_of(file, nbytes),
		.description = stored->description.data,
		.description_nbytes = stored->description.nbytes,
		.payload = stored->payload.data,
		.payload_nbytes = stored->payload.nbytes,
	};
	block_coder_release(&coder);
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 71 * file_nbytes;
	const uint8_t identity[FORMAT_IDENTITY_NBYTES] = { 1, 2, 3 };
	struct block_stored stored = { 0 };
	struct archive_block block;
	struct buffer out = { 0 };
	size_t nbytes;

	make_block(file, file_nbytes, &state, &stored, &block);
	FUZZ_CHECK(block_record_write(&block, identity,
				      (uint32_t)fuzz_random(&state), &out,
				      NULL) == NC3Z_OK);
	FUZZ_CHECK(buffer_append(&out, block.payload, block.payload_nbytes));
	nbytes = 1 + out.nbytes;
	room.data[0] = 0;
	if (nbytes <= room.nbytes)
		memcpy(room.data + 1, out.data, out.nbytes);
	buffer_release(&out);
	block_stored_release(&stored);
	return nbytes <= room.nbytes ? nbytes : 0;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
