/* SPDX-License-Identifier: MIT */
/* Lengths that a record may have, and those that it may not. */
#include "archive/archive.h"
#include "check.h"
#include "in_memory.h"
#include "picture.h"

static const uint8_t identity[FORMAT_IDENTITY_NBYTES] = {
	9, 8, 7, 6, 5, 4, 3, 2
};
static uint8_t description[2000];
static uint8_t payload[3000];

static struct archive_block make_block(size_t description_nbytes,
				       size_t payload_nbytes)
{
	for (size_t i = 0; i < sizeof(description); i++)
		description[i] = (uint8_t)(3 * i + 1);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(5 * i + 1);
	return (struct archive_block){
		.stream = 0x01020304,
		.block = 0x05060708,
		.raw_nbytes = 0x02090a0b,
		.raw_crc = 0x0c0d0e0f,
		.description = description,
		.description_nbytes = description_nbytes,
		.payload = payload,
		.payload_nbytes = payload_nbytes,
	};
}

/* The record header by section 6.1 of the specification. */
static void encode(const struct archive_block *b, uint32_t previous_crc,
		   struct blob *out)
{
	size_t begin = out->nbytes;

	blob_put(out, "N3BK", 4);
	blob_le(out, 46 + b->description_nbytes, 2);
	blob_le(out, b->stream, 4);
	blob_le(out, b->block, 4);
	blob_le(out, b->raw_nbytes, 4);
	blob_le(out, b->raw_crc, 4);
	blob_le(out, b->payload_nbytes, 4);
	blob_le(out, picture_crc32(b->payload, b->payload_nbytes), 4);
	blob_le(out, previous_crc, 4);
	blob_put(out, identity, 8);
	blob_put(out, b->description, b->description_nbytes);
	blob_le(out, picture_crc32(out->data + begin, out->nbytes - begin), 4);
}

static int read_copy(const struct blob *b, uint64_t *offset,
		     struct block_record *record)
{
	struct exact_read r;

	exact_read_begin(&r, b->data, b->nbytes);
	return exact_read_end(&r, block_record_read(r.source, offset, record,
						    &r.err));
}

static int status_of(const struct blob *b)
{
	struct block_record record = { 0 };
	uint64_t offset = 0;
	int status = read_copy(b, &offset, &record);

	buffer_release(&record.header);
	return status;
}

/* A record header has at most 1024 bytes. */
static void test_description_too_large(void)
{
	struct archive_block b = make_block(979, 1);
	struct buffer out = { 0 };

	CHECK(block_record_write(&b, identity, 1, &out, NULL) == NC3Z_ELIMIT);
	b.description_nbytes = 978;
	CHECK(block_record_write(&b, identity, 1, &out, NULL) == NC3Z_OK);
	CHECK_EQ_U64(out.nbytes, 1024);
	buffer_release(&out);
}

static void test_raw_lengths(void)
{
	static const struct {
		uint32_t nbytes;
		int status;
	} cases[] = {
		{ 0, NC3Z_EDAMAGED },
		{ 1, NC3Z_OK },
		{ 1u << 26, NC3Z_OK },
		{ (1u << 26) + 1, NC3Z_EDAMAGED },
		{ UINT32_MAX, NC3Z_EDAMAGED },
	};

	for (size_t i = 0; i < 5; i++) {
		struct archive_block b = make_block(20, 50);
		struct blob bytes = { 0 };

		b.raw_nbytes = cases[i].nbytes;
		encode(&b, 5, &bytes);
		CHECK(status_of(&bytes) == cases[i].status);
		blob_release(&bytes);
	}
}

/* At most raw length + raw length / 8 + 4096. */
static void test_payload_lengths(void)
{
	static const struct {
		uint32_t raw_nbytes;
		uint32_t max;
	} cases[] = {
		{ 1, 4097 },
		{ 8, 4105 },
		{ 1000, 5221 },
		{ 1u << 26, (1u << 26) + (1u << 23) + 4096 },
	};

	for (size_t i = 0; i < 4; i++)
		for (uint32_t more = 0; more < 2; more++) {
			struct archive_block b = make_block(20, 0);
			struct blob bytes = { 0 };

			b.raw_nbytes = cases[i].raw_nbytes;
			encode(&b, 5, &bytes);
			/* The payload itself is not looked at here. */
			bytes.nbytes -= 4;
			for (unsigned k = 0; k < 4; k++)
				bytes.data[22 + k] =
					(uint8_t)((cases[i].max + more) >>
						  8 * k);
			blob_le(&bytes, picture_crc32(bytes.data, bytes.nbytes),
				4);
			CHECK(status_of(&bytes) ==
			      (more ? NC3Z_EDAMAGED : NC3Z_OK));
			blob_release(&bytes);
		}
}

/* Record headers that say they are shorter or longer than one can be. */
static void test_header_lengths(void)
{
	for (unsigned h = 0; h < 65536; h += h < 1200 ? 1 : 997) {
		struct blob bytes = { 0 };
		size_t crc_at = h < 46 ? 42 : h - 4;

		blob_put(&bytes, "N3BK", 4);
		blob_le(&bytes, h, 2);
		blob_fill(&bytes, 1, crc_at - 6);
		blob_le(&bytes, picture_crc32(bytes.data, crc_at), 4);
		CHECK(status_of(&bytes) ==
		      (h >= 46 && h <= 1024 ? NC3Z_OK : NC3Z_EDAMAGED));
		blob_release(&bytes);
	}
}

int main(void)
{
	RUN(test_description_too_large);
	RUN(test_raw_lengths);
	RUN(test_payload_lengths);
	RUN(test_header_lengths);
	return check_report();
}
