/* SPDX-License-Identifier: MIT */
#include "archive/archive.h"
#include "check.h"
#include "picture.h"

/* An archive of 5 blocks that ends at offset 2000, without copies. */
static const struct archive_trailer good = {
	.index_offset = 1000,
	.header_copy_offset = 1000 + 16 + 5 * 20 + 4,
	.catalogue_offset = 1000 + 16 + 5 * 20 + 4,
	.archive_nbytes = 2000,
	.nblocks = 5,
	.identity = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.last_header_crc = 0xa1b2c3d4,
};

/* By section 11 of the specification. */
static void encode_version(const struct archive_trailer *t, unsigned major,
			   unsigned minor, struct blob *out)
{
	blob_put(out, "N3TR", 4);
	blob_le(out, major, 2);
	blob_le(out, minor, 2);
	blob_le(out, t->index_offset, 8);
	blob_le(out, t->header_copy_offset, 8);
	blob_le(out, t->catalogue_offset, 8);
	blob_le(out, t->archive_nbytes, 8);
	blob_le(out, t->nblocks, 8);
	blob_put(out, t->identity, 8);
	blob_le(out, t->last_header_crc, 4);
	blob_le(out, picture_crc32(out->data, out->nbytes), 4);
}

static void encode(const struct archive_trailer *t, struct blob *out)
{
	encode_version(t, 1, 0, out);
}

static int parse(const uint8_t *bytes, uint64_t offset,
		 struct archive_trailer *t)
{
	uint8_t *copy = copy_exactly(bytes, FORMAT_TRAILER_NBYTES);
	struct nc3z_error err = { .status = -1 };
	int status = trailer_parse(copy, offset, t, &err);

	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	free(copy);
	return status;
}

static int status_of(const struct archive_trailer *t, uint64_t offset)
{
	struct archive_trailer again;
	struct blob b = { 0 };
	int status;

	encode(t, &b);
	status = parse(b.data, offset, &again);
	blob_release(&b);
	return status;
}

static void test_round_trip(void)
{
	uint8_t bytes[FORMAT_TRAILER_NBYTES];
	struct archive_trailer again;
	struct blob b = { 0 };

	encode(&good, &b);
	CHECK_EQ_U64(b.nbytes, FORMAT_TRAILER_NBYTES);
	trailer_write(&good, bytes);
	CHECK_MEM_EQ(bytes, b.data, sizeof(bytes));
	REQUIRE(parse(bytes, 2000 - 64, &again) == NC3Z_OK);
	CHECK_EQ_U64(again.index_offset, good.index_offset);
	CHECK_EQ_U64(again.header_copy_offset, good.header_copy_offset);
	CHECK_EQ_U64(again.catalogue_offset, good.catalogue_offset);
	CHECK_EQ_U64(again.archive_nbytes, good.archive_nbytes);
	CHECK_EQ_U64(again.nblocks, good.nblocks);
	CHECK_MEM_EQ(again.identity, good.identity, 8);
	CHECK_EQ_U64(again.last_header_crc, good.last_header_crc);
	blob_release(&b);
}

static void test_every_bit_flipped(void)
{
	struct archive_trailer again;
	struct blob b = { 0 };

	encode(&good, &b);
	for (size_t bit = 0; bit < 8 * b.nbytes; bit++) {
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(parse(b.data, 2000 - 64, &again) == NC3Z_EDAMAGED);
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	blob_release(&b);
}

/* The superblock's version, which is known, is the same. */
static void test_versions(void)
{
	for (unsigned major = 0; major < 3; major++)
		for (unsigned minor = 0; minor < 3; minor++) {
			bool is_same = major == 1 && minor == 0;
			struct archive_trailer again;
			struct blob b = { 0 };

			encode_version(&good, major, minor, &b);
			CHECK(parse(b.data, 2000 - 64, &again) ==
			      (is_same ? NC3Z_OK : NC3Z_EDAMAGED));
			blob_release(&b);
		}
}

/* Copies may lie before the catalogue, wherever the index begins. */
static void test_copies(void)
{
	for (uint64_t index = (1 << 20) - 1; index <= (1 << 20) + 1; index++) {
		uint64_t copies = index + 16 + 5 * 20 + 4, end = index + 1000;
		const uint64_t catalogues[] = {
			0,       index, copies - 1, copies,   copies + 1,
			end - 1, end,   end + 1,    end + 64, UINT64_MAX
		};

		for (size_t i = 0; i < sizeof(catalogues) / 8; i++) {
			uint64_t at = catalogues[i];
			bool is_right = at >= copies && at < end;
			struct archive_trailer t = good;

			t.index_offset = index;
			t.header_copy_offset = copies;
			t.catalogue_offset = at;
			t.archive_nbytes = end + 64;
			CHECK(status_of(&t, end) ==
			      (is_right ? NC3Z_OK : NC3Z_EDAMAGED));
		}
	}
}

/* The trailer must end the archive. */
static void test_place(void)
{
	for (uint64_t offset = 1900; offset < 2100; offset++)
		CHECK(status_of(&good, offset) ==
		      (offset == 2000 - 64 ? NC3Z_OK : NC3Z_EDAMAGED));
	CHECK(status_of(&good, UINT64_MAX) == NC3Z_EDAMAGED);
}

/* Offsets with a right CRC that do not fit together. */
static void test_offsets(void)
{
	static const uint64_t wrong[] = { 0,
					  15,
					  999,
					  1001,
					  1936,
					  2000,
					  (uint64_t)INT64_MAX,
					  UINT64_MAX - 100,
					  UINT64_MAX };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct archive_trailer t = good;

		t.index_offset = wrong[i];
		CHECK(status_of(&t, 2000 - 64) == NC3Z_EDAMAGED);
		t = good;
		t.header_copy_offset = wrong[i];
		CHECK(status_of(&t, 2000 - 64) == NC3Z_EDAMAGED);
		t = good;
		t.catalogue_offset = wrong[i];
		CHECK(status_of(&t, 2000 - 64) == NC3Z_EDAMAGED);
		t = good;
		t.nblocks = wrong[i];
		CHECK(status_of(&t, 2000 - 64) == NC3Z_EDAMAGED);
		if (wrong[i] != 2000) {
			t = good;
			t.archive_nbytes = wrong[i];
			CHECK(status_of(&t, 2000 - 64) == NC3Z_EDAMAGED);
		}
	}
}

/* Places that would be right, if an archive could be without blocks. */
static void test_no_blocks(void)
{
	struct archive_trailer t = good;

	t.header_copy_offset = t.catalogue_offset = t.index_offset + 16;
	t.nblocks = 0;
	CHECK(status_of(&t, 2000 - 64) == NC3Z_EDAMAGED);
	t.header_copy_offset = t.catalogue_offset += 20 + 4;
	t.nblocks = 1;
	CHECK(status_of(&t, 2000 - 64) == NC3Z_OK);
}

int main(void)
{
	RUN(test_round_trip);
	RUN(test_every_bit_flipped);
	RUN(test_versions);
	RUN(test_copies);
	RUN(test_place);
	RUN(test_offsets);
	RUN(test_no_blocks);
	return check_report();
}
