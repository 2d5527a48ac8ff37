/* SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "archive/archive.h"
#include "check.h"
#include "in_memory.h"
#include "picture.h"

#define MARK "N3PL"

static uint8_t *make_contents(size_t nbytes, bool noise)
{
	uint8_t *data = malloc(nbytes);
	uint64_t seed = 41;

	for (size_t i = 0; i < nbytes; i++)
		data[i] = noise ? (uint8_t)check_random(&seed) :
				  (uint8_t)(i / 50);
	return data;
}

/* Reads the section that begins 'at' bytes into a copy of an archive. */
static int read_copy(const uint8_t *archive, size_t nbytes, uint64_t at,
		     struct buffer *contents, uint64_t *end_ret)
{
	struct exact_read r;

	exact_read_begin(&r, archive, nbytes);
	*end_ret = at;
	return exact_read_end(&r, section_read(r.source, MARK, end_ret,
					       contents, NULL, &r.err));
}

static int status_of(const uint8_t *archive, size_t nbytes)
{
	struct buffer contents = { 0 };
	uint64_t end;
	int status = read_copy(archive, nbytes, 0, &contents, &end);

	buffer_release(&contents);
	return status;
}

/* The head and the stored bytes against section 4 of the specification. */
static void check_written(const uint8_t *section, size_t nbytes,
			  const uint8_t *data, size_t data_nbytes,
			  uint8_t max_codec)
{
	uint8_t *out = malloc(data_nbytes + 1);
	uLongf out_nbytes = (uLongf)data_nbytes;
	uint32_t stored_nbytes = picture_u32(section + 12);

	CHECK_MEM_EQ(section, MARK, 4);
	CHECK(section[4] <= max_codec);
	CHECK_MEM_EQ(section + 5, "\0\0\0", 3);
	CHECK_EQ_U64(picture_u32(section + 8), data_nbytes);
	REQUIRE(nbytes == 24 + (size_t)stored_nbytes);
	CHECK(stored_nbytes <= data_nbytes);
	CHECK_EQ_U64(picture_u32(section + 16),
		     picture_crc32(section + 24, stored_nbytes));
	CHECK_EQ_U64(picture_u32(section + 20), picture_crc32(section, 20));
	CHECK_EQ_U64(section_head_crc(section), picture_u32(section + 20));
	if (section[4] == 1) {
		CHECK(uncompress(out, &out_nbytes, section + 24,
				 stored_nbytes) == Z_OK);
		CHECK_EQ_U64(out_nbytes, data_nbytes);
		CHECK_MEM_EQ(out, data, data_nbytes);
	} else {
		CHECK_MEM_EQ(section + 24, data, data_nbytes);
	}
	free(out);
}

static void check_round_trip(size_t nbytes, bool noise, uint8_t codec)
{
	uint8_t *data = make_contents(nbytes, noise);
	struct buffer out = { 0 }, contents = { 0 };
	uint64_t end;

	/* Behind five bytes, before three. */
	REQUIRE(buffer_append(&out, "12345", 5));
	REQUIRE(section_write(MARK, codec, data, nbytes, &out, NULL) ==
		NC3Z_OK);
	CHECK_MEM_EQ(out.data, "12345", 5);
	check_written(out.data + 5, out.nbytes - 5, data, nbytes, codec);
	if (nbytes >= 200 && !noise && codec)
		CHECK(out.nbytes < nbytes);
	REQUIRE(buffer_append(&out, "abc", 3));
	REQUIRE(buffer_append(&contents, "old", 3));
	CHECK(read_copy(out.data, out.nbytes, 5, &contents, &end) == NC3Z_OK);
	CHECK_EQ_U64(end, out.nbytes - 3);
	CHECK_EQ_U64(contents.nbytes, nbytes);
	CHECK_MEM_EQ(contents.data, data, nbytes);
	buffer_release(&out);
	buffer_release(&contents);
	free(data);
}

static void test_round_trips(void)
{
	static const size_t sizes[] = { 0,   1,    2,   3,    24,    100,
					200, 4096, 999, 5000, 70000, 300001 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned k = 0; k < 4; k++)
			check_round_trip(sizes[i], k & 1,
					 k & 2 ? NC3Z_CODEC_DEFLATE :
						 NC3Z_CODEC_STORE);
}

/* A small section, deflated or stored. */
static void make_section(struct buffer *out, uint8_t codec)
{
	uint8_t *data = make_contents(300, false);

	out->nbytes = 0;
	CHECK(section_write(MARK, codec, data, 300, out, NULL) == NC3Z_OK);
	CHECK_EQ_U64(out->data[4], codec);
	free(data);
}

static void test_every_bit_flipped(void)
{
	for (uint8_t codec = 0; codec < 2; codec++) {
		struct buffer s = { 0 };

		make_section(&s, codec);
		CHECK(status_of(s.data, s.nbytes) == NC3Z_OK);
		for (size_t bit = 0; bit < 8 * s.nbytes; bit++) {
			s.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			CHECK(status_of(s.data, s.nbytes) == NC3Z_EDAMAGED);
			s.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		for (size_t n = 0; n < s.nbytes; n++)
			CHECK(status_of(s.data, n) == NC3Z_EDAMAGED);
		buffer_release(&s);
	}
}

/* Changes a field of the head and makes its CRC right again. */
static int status_with(struct buffer *s, size_t at, uint32_t value,
		       unsigned width)
{
	uint8_t head[24];
	uint32_t crc;
	int status;

	memcpy(head, s->data, 24);
	for (unsigned i = 0; i < width; i++)
		s->data[at + i] = (uint8_t)(value >> 8 * i);
	crc = picture_crc32(s->data, 20);
	for (unsigned i = 0; i < 4; i++)
		s->data[20 + i] = (uint8_t)(crc >> 8 * i);
	status = status_of(s->data, s->nbytes);
	memcpy(s->data, head, 24);
	return status;
}

static void test_fields(void)
{
	static const uint32_t lengths[] = {
		0, 1, 299, 301, 1 << 20, 1 << 28, (1 << 28) + 1, UINT32_MAX
	};
	struct buffer s = { 0 };

	for (uint8_t codec = 0; codec < 2; codec++) {
		make_section(&s, codec);
		CHECK(status_with(&s, 4, codec, 1) == NC3Z_OK);
		CHECK(status_with(&s, 4, !codec, 1) == NC3Z_EDAMAGED);
		for (uint32_t i = 2; i < 256; i++)
			CHECK(status_with(&s, 4, i, 1) == NC3Z_EUNSUPPORTED);
		for (size_t at = 5; at < 8; at++)
			CHECK(status_with(&s, at, 1, 1) == NC3Z_EDAMAGED);
		for (size_t i = 0; i < 8; i++) {
			CHECK(status_with(&s, 8, lengths[i], 4) ==
			      NC3Z_EDAMAGED);
			CHECK(status_with(&s, 12, lengths[i], 4) ==
			      NC3Z_EDAMAGED);
		}
		CHECK(status_with(&s, 0, 0x4b42334e, 4) == NC3Z_EDAMAGED);
	}
	buffer_release(&s);
}

/* Empty contents have codec 0. */
static void test_empty(void)
{
	struct buffer s = { 0 };

	for (uint8_t codec = 0; codec < 2; codec++) {
		s.nbytes = 0;
		CHECK(section_write(MARK, codec, NULL, 0, &s, NULL) == NC3Z_OK);
		CHECK_EQ_U64(s.nbytes, 24);
		CHECK_EQ_U64(s.data[4], 0);
		CHECK(status_with(&s, 4, 0, 1) == NC3Z_OK);
		CHECK(status_with(&s, 4, 1, 1) == NC3Z_EDAMAGED);
	}
	buffer_release(&s);
}

/* A zlib stream of the right length behind which there is more. */
static void test_trailing_byte(void)
{
	struct buffer s = { 0 };
	uint32_t n;

	make_section(&s, NC3Z_CODEC_DEFLATE);
	n = (uint32_t)s.nbytes - 24;
	REQUIRE(buffer_append(&s, "\0", 1));
	n++;
	for (unsigned i = 0; i < 4; i++) {
		s.data[12 + i] = (uint8_t)(n >> 8 * i);
		s.data[16 + i] =
			(uint8_t)(picture_crc32(s.data + 24, n) >> 8 * i);
	}
	CHECK(status_with(&s, 12, n, 4) == NC3Z_EDAMAGED);
	CHECK(status_with(&s, 12, n - 1, 4) == NC3Z_EDAMAGED);
	buffer_release(&s);
}

static void test_too_large(void)
{
	struct buffer out = { 0 };

	/* Refused before a byte of it is looked at. */
	CHECK(section_write(MARK, NC3Z_CODEC_STORE, "x", ((size_t)1 << 28) + 1,
			    &out, NULL) == NC3Z_ELIMIT);
	buffer_release(&out);
}

int main(void)
{
	RUN(test_round_trips);
	RUN(test_every_bit_flipped);
	RUN(test_fields);
	RUN(test_empty);
	RUN(test_trailing_byte);
	RUN(test_too_large);
	return check_report();
}
