/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the contents of stream copies: what is accepted keeps the limits
 * of the format and is written the same again, and decoding a copy gives the
 * bytes that its CRC-32 is of, or none.
 *
 *	flags 1 (AS_IT_IS), number of streams 1, then bytes
 *
 * Unless they are to be taken as they are, they are made those of the archive.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "block/block.h"
#include "fuzz.h"
#include "codecs.h"

#define AS_IT_IS 1

/* Longer copies are not decoded, so that there are many runs. */
#define DECODED_NBYTES_MAX ((size_t)1 << 16)

static const struct archive_copies_owner owner_of_all = {
	.identity = { 'i', 'd', 'e', 'n', 't', 'i', 't', 'y' },
	.last_header_crc = 0x12345678,
};

static void check_limits(const struct archive_stream_copies *copies,
			 uint32_t nstreams)
{
	uint64_t nbytes = 0;

	for (size_t i = 0; i < copies->count; i++) {
		const struct archive_block *c = &copies->list[i];

		nbytes += c->raw_nbytes;
		FUZZ_CHECK(c->stream < nstreams);
		FUZZ_CHECK(i == 0 || c->stream > c[-1].stream);
		FUZZ_CHECK(c->raw_nbytes > 0 &&
			   c->raw_nbytes <= FORMAT_STREAM_COPY_NBYTES_MAX);
	}
	FUZZ_CHECK(nbytes <= FORMAT_STREAM_COPIES_NBYTES_MAX);
}

static void decode(const struct archive_block *copy)
{
	const struct block_view view = {
		.description = copy->description,
		.description_nbytes = copy->description_nbytes,
		.payload = copy->payload,
		.payload_nbytes = copy->payload_nbytes,
	};
	struct block_coder coder = { 0 };
	uint8_t *raw;
	int status;

	if (copy->raw_nbytes > DECODED_NBYTES_MAX)
		return;
	raw = malloc(copy->raw_nbytes);
	FUZZ_CHECK(raw);
	status = block_decode(&coder, &view, raw, copy->raw_nbytes, NULL);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_EUNSUPPORTED);
	free(raw);
	block_coder_release(&coder);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	struct archive_copies_owner owner = owner_of_all;
	struct archive_stream_copies copies;
	struct buffer contents = { 0 }, again = { 0 };
	uint8_t flags = fuzz_take(&in);
	int status;

	owner.nstreams = fuzz_take(&in);
	contents.data = fuzz_copy(in.data, in.nbytes);
	contents.nbytes = in.nbytes;
	if (!(flags & AS_IT_IS) &&
	    contents.nbytes >= FORMAT_STREAM_COPIES_HEAD_NBYTES) {
		memcpy(contents.data, owner.identity, FORMAT_IDENTITY_NBYTES);
		store_le32(contents.data + FORMAT_IDENTITY_NBYTES,
			   owner.last_header_crc);
	}
	status = archive_stream_copies_read(&contents, &owner, &copies, NULL);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	if (status == NC3Z_OK && contents.nbytes > 0) {
		check_limits(&copies, owner.nstreams);
		FUZZ_CHECK(archive_stream_copies_write(&copies, &owner, &again,
						       NULL) == NC3Z_OK);
		FUZZ_CHECK(again.nbytes == contents.nbytes &&
			   memcmp(again.data, contents.data, again.nbytes) ==
				   0);
		for (size_t i = 0; i < copies.count; i++)
			decode(&copies.list[i]);
	}
	archive_stream_copies_release(&copies);
	buffer_release(&again);
	free(contents.data);
}

/* Parts of the file as streams, encoded in some way. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 83 * file_nbytes;
	struct archive_block list[4];
	struct block_stored stored[4] = { 0 };
	struct archive_stream_copies copies = { .list = list };
	struct block_coder coder = { 0 };
	struct buffer contents = { 0 };
	size_t nbytes;

	while (copies.count < 1 + seed % 4 && file_nbytes > 0) {
		size_t i = copies.count++;
		size_t n = 1 + (size_t)fuzz_random_below(
				       &state,
				       file_nbytes < 2000 ? file_nbytes : 2000);
		struct block_recipe recipe = {
			.width = (uint8_t)(1u << fuzz_random_below(&state, 4)),
			.codec = nth_codec(fuzz_random(&state)),
			.level = 1,
		};

		if (fuzz_random_below(&state, 2))
			filter_chain_add(&recipe.chain, NC3Z_FILTER_DELTA, 1);
		FUZZ_CHECK(block_encode(&coder, &recipe, file, n, &stored[i],
					NULL) == NC3Z_OK);
		list[i] = (struct archive_block){
			.stream = (uint32_t)(3 * i),
			.raw_nbytes = (uint32_t)n,
			.raw_crc = crc32_of(file, n),
			.description = stored[i].description.data,
			.description_nbytes = stored[i].description.nbytes,
			.payload = stored[i].payload.data,
			.payload_nbytes = stored[i].payload.nbytes,
		};
	}
	FUZZ_CHECK(archive_stream_copies_write(&copies, &owner_of_all,
					       &contents, NULL) == NC3Z_OK);
	room.data[0] = 0;
	room.data[1] = 20;
	nbytes = 2 + contents.nbytes;
	if (nbytes <= room.nbytes)
		memcpy(room.data + 2, contents.data, contents.nbytes);
	buffer_release(&contents);
	for (size_t i = 0; i < 4; i++)
		block_stored_release(&stored[i]);
	block_coder_release(&coder);
	return nbytes <= room.nbytes ? nbytes : 0;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 29,
	.run = run,
	.from_classic = from_classic,
};
