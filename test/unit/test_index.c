/* SPDX-License-Identifier: MIT */
#include "archive/archive.h"
#include "check.h"
#include "in_memory.h"
#include "picture.h"

#define LAST_CRC 0x89abcdef

/* Entry number i, whatever block it belongs to. */
static struct archive_entry entry_of(size_t i)
{
	return (struct archive_entry){
		.offset = (uint64_t)i * 1000003 << 8,
		.nbytes = (uint32_t)i * 17 + 1,
		.header_crc = (uint32_t)i * 0x9e3779b9,
		.raw_crc = ~(uint32_t)i,
	};
}

/* The index by section 8 of the specification. */
static void encode(const size_t *ids, size_t count, struct blob *out)
{
	blob_put(out, "N3IX", 4);
	blob_le(out, count, 8);
	blob_le(out, picture_crc32(out->data, 12), 4);
	for (size_t i = 0; i < count;) {
		size_t begin = out->nbytes;
		uint32_t crc;

		do {
			struct archive_entry e = entry_of(ids[i]);

			blob_le(out, e.offset, 8);
			blob_le(out, e.nbytes, 4);
			blob_le(out, e.header_crc, 4);
			blob_le(out, e.raw_crc, 4);
		} while (++i < count && i % 4096 != 0);
		/* In the place of that of the last record, which it covers. */
		blob_le(out, LAST_CRC, 4);
		crc = picture_crc32(out->data + begin, out->nbytes - begin);
		out->nbytes -= 4;
		blob_le(out, crc, 4);
	}
}

/* An index of 'count' blocks, added in an order that mixes the streams. */
static void make(struct archive_index *index, uint32_t nstreams, size_t count,
		 struct blob *expected)
{
	size_t *ids = calloc(count + 1, sizeof(*ids)), n = 0;

	REQUIRE(archive_index_init(index, nstreams, NULL) == NC3Z_OK);
	for (size_t i = 0; i < count; i++) {
		struct archive_entry e = entry_of(i);
		/* The middle one of three streams stays empty. */
		uint32_t s = (uint32_t)(i * i % 7 % nstreams);

		s = nstreams == 3 && s == 1 ? 2 : s;
		CHECK(archive_index_add(index, s, &e, NULL) == NC3Z_OK);
	}
	for (uint32_t s = 0; s < nstreams; s++)
		for (size_t i = 0; i < count; i++) {
			uint32_t of = (uint32_t)(i * i % 7 % nstreams);

			of = nstreams == 3 && of == 1 ? 2 : of;
			if (of == s)
				ids[n++] = i;
		}
	CHECK_EQ_U64(index->nblocks, count);
	encode(ids, count, expected);
	free(ids);
}

static int compare_copy(const struct archive_index *index, const struct blob *b,
			uint64_t *offset)
{
	struct exact_read r;

	exact_read_begin(&r, b->data, b->nbytes);
	return exact_read_end(&r,
			      archive_index_compare(index, LAST_CRC, r.source,
						    offset, &r.err));
}

static int status_of(const struct archive_index *index, const struct blob *b)
{
	uint64_t offset = 0;

	return compare_copy(index, b, &offset);
}

static void test_write_and_compare(void)
{
	static const size_t counts[] = { 0,    1,    2,    100,  4095,
					 4096, 4097, 8192, 9000, 20000 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (uint32_t nstreams = 1; nstreams <= 4; nstreams++) {
			struct archive_index index;
			struct blob expected = { 0 };
			struct buffer out = { 0 };
			uint64_t nbytes = 0, offset = 0;

			make(&index, nstreams, counts[i], &expected);
			CHECK(archive_index_write(&index, LAST_CRC, &out,
						  NULL) == NC3Z_OK);
			CHECK(archive_index_nbytes(counts[i], &nbytes));
			CHECK_EQ_U64(nbytes, expected.nbytes);
			CHECK_EQ_U64(out.nbytes, expected.nbytes);
			CHECK_MEM_EQ(out.data, expected.data, expected.nbytes);
			CHECK(compare_copy(&index, &expected, &offset) ==
			      NC3Z_OK);
			CHECK_EQ_U64(offset, expected.nbytes);
			archive_index_release(&index);
			archive_index_release(&index);
			buffer_release(&out);
			blob_release(&expected);
		}
}

/* What is in another place of the archive is found there. */
static void test_compare_at_offset(void)
{
	struct archive_index index;
	struct blob b = { 0 }, moved = { 0 };
	uint64_t offset = 33;

	make(&index, 2, 100, &b);
	blob_fill(&moved, 0, 33);
	blob_put(&moved, b.data, b.nbytes);
	blob_fill(&moved, 0, 10);
	CHECK(compare_copy(&index, &moved, &offset) == NC3Z_OK);
	CHECK_EQ_U64(offset, 33 + b.nbytes);
	archive_index_release(&index);
	blob_release(&b);
	blob_release(&moved);
}

static void test_every_byte_changed(void)
{
	struct archive_index index;
	struct blob b = { 0 };
	size_t n;

	make(&index, 3, 50, &b);
	for (size_t bit = 0; bit < 8 * b.nbytes; bit++) {
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(status_of(&index, &b) == NC3Z_EDAMAGED);
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	n = b.nbytes;
	for (b.nbytes = 0; b.nbytes < n; b.nbytes++)
		CHECK(status_of(&index, &b) == NC3Z_EDAMAGED);
	archive_index_release(&index);
	blob_release(&b);
}

/* Damage in the last of several segments. */
static void test_last_segment(void)
{
	struct archive_index index;
	struct blob b = { 0 };

	make(&index, 1, 9000, &b);
	b.data[b.nbytes - 5] ^= 1;
	CHECK(status_of(&index, &b) == NC3Z_EDAMAGED);
	b.data[b.nbytes - 5] ^= 1;
	b.nbytes--;
	CHECK(status_of(&index, &b) == NC3Z_EDAMAGED);
	archive_index_release(&index);
	blob_release(&b);
}

/* An index that is right in itself, but not this one. */
static void test_another_index(void)
{
	struct archive_index index, other;
	struct blob b = { 0 }, c = { 0 };

	make(&index, 2, 100, &b);
	make(&other, 2, 101, &c);
	CHECK(status_of(&index, &c) == NC3Z_EDAMAGED);
	CHECK(status_of(&other, &b) == NC3Z_EDAMAGED);
	archive_index_release(&index);
	archive_index_release(&other);
	blob_release(&b);
	blob_release(&c);
}

static void test_lengths(void)
{
	static const uint64_t too_many[] = { UINT64_MAX, UINT64_MAX / 20 + 1,
					     UINT64_MAX / 20 };
	uint64_t nbytes;

	for (size_t i = 0; i < 3; i++)
		CHECK(!archive_index_nbytes(too_many[i], &nbytes));
	CHECK(archive_index_nbytes(4096 * UINT64_C(1000000), &nbytes));
	CHECK_EQ_U64(nbytes, 16 + (4096 * 20 + 4) * UINT64_C(1000000));
}

int main(void)
{
	RUN(test_write_and_compare);
	RUN(test_compare_at_offset);
	RUN(test_every_byte_changed);
	RUN(test_last_segment);
	RUN(test_another_index);
	RUN(test_lengths);
	return check_report();
}
