/* SPDX-License-Identifier: MIT */
/*
 * The quick check finds every change of every byte, as the whole check does,
 * and what it does not decode it does not judge.
 */
#include "archive/archive.h"
#include "base/bytes.h"
#include "check.h"
#include "in_memory.h"
#include "picture.h"
#include "shape.h"

static void make_archive(struct blob *out)
{
	struct shape shape = { .version = 2,
			       .numrecs = 3,
			       .ndims = 3,
			       .dims = { 0, 30, 50 },
			       .nvars = 4 };
	static const struct shape_var vars[] = {
		{ .type = 5, .rank = 3, .dimids = { 0, 1, 2 } },
		{ .type = 4, .rank = 2, .dimids = { 1, 2 } },
		{ .type = 3, .rank = 1, .dimids = { 1 } },
		{ .type = 6, .rank = 1, .dimids = { 0 } },
	};
	struct nc3z_pack_options options;
	struct blob original = { 0 };
	uint64_t seed = 7;

	memcpy(shape.vars, vars, sizeof(vars));
	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, &original);
	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	options.block_nbytes = NC3Z_BLOCK_NBYTES_MIN;
	memory_pack(&original, &options, out);
	free(original.data);
}

static int check_bytes(const uint8_t *data, size_t nbytes, bool is_quick,
		       struct nc3z_summary *summary_ret)
{
	struct nc3z_source *source = memory_source(data, nbytes);
	struct nc3z_error err = { 0 };
	int status;

	status = is_quick ? nc3z_verify_quick(source, NULL, summary_ret, &err) :
			    nc3z_verify(source, NULL, summary_ret, &err);
	CHECK(err.status == status);
	nc3z_source_close(source);
	return status;
}

static void test_whole(void)
{
	struct nc3z_summary quick = { 0 }, full = { 0 };
	struct blob archive = { 0 };

	make_archive(&archive);
	CHECK(check_bytes(archive.data, archive.nbytes, true, &quick) ==
	      NC3Z_OK);
	CHECK(check_bytes(archive.data, archive.nbytes, false, &full) ==
	      NC3Z_OK);
	CHECK_MEM_EQ(&quick, &full, sizeof(quick));
	free(archive.data);
}

static void test_every_byte(void)
{
	struct blob archive = { 0 };

	make_archive(&archive);
	for (size_t i = 0; i < archive.nbytes; i += 1 + i % 3) {
		archive.data[i] ^= (uint8_t)(1u << i % 8);
		if (!CHECK(check_bytes(archive.data, archive.nbytes, true,
				       NULL) != NC3Z_OK))
			printf("byte %zu\n", i);
		archive.data[i] ^= (uint8_t)(1u << i % 8);
	}
	for (size_t i = 0; i < archive.nbytes; i += 1 + i % 5)
		CHECK(check_bytes(archive.data, i, true, NULL) != NC3Z_OK);
	free(archive.data);
}

/* The record that begins at 'offset' gets right CRCs again. */
static void mend_record(uint8_t *record)
{
	size_t nbytes = load_le16(record + 4);

	store_le32(record + 26,
		   crc32_of(record + nbytes, load_le32(record + 22)));
	store_le32(record + nbytes - 4, crc32_of(record, nbytes - 4));
}

/*
 * The only block of this archive was wrong before it was written: its CRCs are
 * right, but not its contents.
 */
static void test_wrong_from_the_start(void)
{
	static uint8_t bytes[32] = { 'C', 'D', 'F', 1 };
	const struct blob file = { .data = bytes, .nbytes = sizeof(bytes) };
	struct nc3z_pack_options options;
	struct archive_trailer trailer;
	struct blob archive = { 0 };
	uint8_t *record = NULL, *index;
	size_t nbytes;

	nc3z_pack_options_init(&options);
	options.level = 0;
	memory_pack(&file, &options, &archive);
	nbytes = archive.nbytes;
	for (size_t i = 0; i + 4 < nbytes && !record; i++)
		if (memcmp(archive.data + i, FORMAT_MARK_BLOCK, 4) == 0)
			record = archive.data + i;
	REQUIRE(record);
	record[load_le16(record + 4)] ^= 1; /* the payload's first byte */
	mend_record(record);
	REQUIRE(trailer_parse(archive.data + nbytes - FORMAT_TRAILER_NBYTES,
			      nbytes - FORMAT_TRAILER_NBYTES, &trailer,
			      NULL) == NC3Z_OK);
	trailer.last_header_crc = load_le32(record + load_le16(record + 4) - 4);
	trailer_write(&trailer, archive.data + nbytes - FORMAT_TRAILER_NBYTES);
	index = archive.data + trailer.index_offset + FORMAT_INDEX_HEAD_NBYTES;
	store_le32(index + 12, trailer.last_header_crc);
	store_le32(index + FORMAT_ENTRY_NBYTES,
		   archive_segment_crc(index, FORMAT_ENTRY_NBYTES,
				       trailer.last_header_crc));
	CHECK(check_bytes(archive.data, nbytes, true, NULL) == NC3Z_OK);
	CHECK(check_bytes(archive.data, nbytes, false, NULL) == NC3Z_EDAMAGED);
	blob_release(&archive);
}

int main(void)
{
	RUN(test_whole);
	RUN(test_every_byte);
	RUN(test_wrong_from_the_start);
	return check_report();
}
