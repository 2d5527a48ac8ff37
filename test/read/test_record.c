/* SPDX-License-Identifier: MIT */
/*
 * Block records without their archive: each decodes to the bytes of the
 * original, and one that is damaged, cut off or too long is refused, with
 * nothing written beyond the caller's memory.
 */
#include "base/checksum.h"
#include "check.h"
#include "made.h"
#include "packed.h"
#include "shape.h"

/* Fixed variables of floats, shorts and bytes, and one of records. */
static void make_original(struct blob *out, struct shape *shape)
{
	static const uint32_t types[] = { 5, 3, 1 };
	uint64_t seed = 5;

	*shape = (struct shape){ .version = 2,
				 .numrecs = 300,
				 .ndims = 4,
				 .dims = { 0, 20, 45, 61 },
				 .nvars = 4 };
	for (uint32_t i = 0; i < 3; i++)
		shape->vars[i] = (struct shape_var){ .type = types[i],
						     .rank = 3,
						     .dimids = { 1, 2, 3 } };
	shape->vars[3] =
		(struct shape_var){ .type = 4, .rank = 2, .dimids = { 0, 3 } };
	shape_place(shape, 0);
	shape_file(shape, shape_end(shape), &seed, out);
}

/* Decodes from and into memory of just the right size. */
static int decode(const void *record, size_t nbytes, uint8_t *raw,
		  size_t raw_nbytes, struct nc3z_record *found,
		  struct nc3z_error *err)
{
	uint8_t *exact = copy_exactly(record, nbytes);
	uint8_t *into = copy_exactly(raw, raw_nbytes);
	int status =
		nc3z_decode_record(exact, nbytes, into, raw_nbytes, found, err);

	memcpy(raw, into, raw_nbytes);
	free(into);
	free(exact);
	return status;
}

/* What is said of a record, without and with reading it. */
static void check_same(struct nc3z_file *file, const struct nc3z_record *placed,
		       const struct nc3z_record *found)
{
	struct nc3z_block block;

	CHECK(nc3z_inq_block(file, placed->stream, placed->block, &block,
			     NULL) == NC3Z_OK);
	CHECK_EQ_U64(placed->offset, block.offset);
	CHECK_EQ_U64(placed->record_nbytes, block.record_nbytes);
	CHECK_EQ_U64(placed->raw_nbytes, block.raw_nbytes);
	CHECK_EQ_U64(placed->raw_crc, block.raw_crc);
	CHECK_EQ_U64(found->offset, NC3Z_NO_OFFSET);
	CHECK_EQ_U64(found->stream, placed->stream);
	CHECK_EQ_U64(found->block, placed->block);
	CHECK_EQ_U64(found->record_nbytes, placed->record_nbytes);
	CHECK_EQ_U64(found->raw_nbytes, placed->raw_nbytes);
	CHECK_EQ_U64(found->raw_crc, placed->raw_crc);
}

/* Appends the raw bytes of a block. */
static void take_block(struct nc3z_file *file, const struct blob *archive,
		       uint32_t stream, uint64_t block, struct blob *out)
{
	struct nc3z_record placed, found;
	struct nc3z_error err;
	uint8_t *raw;

	REQUIRE(nc3z_inq_record(file, stream, block, &placed, &err) == NC3Z_OK);
	REQUIRE(placed.offset + placed.record_nbytes <= archive->nbytes);
	raw = blob_extend(out, placed.raw_nbytes);
	memset(raw, 0, placed.raw_nbytes);
	CHECK(decode(archive->data + placed.offset, placed.record_nbytes, raw,
		     placed.raw_nbytes, &found, &err) == NC3Z_OK);
	CHECK_EQ_U64(crc32_of(raw, placed.raw_nbytes), placed.raw_crc);
	check_same(file, &placed, &found);
}

/* The blocks of a fixed variable, in order, are its bytes in the original. */
static void check_variable(struct nc3z_file *file, const struct blob *original,
			   const struct blob *archive,
			   const struct shape *shape, int varid)
{
	struct nc3z_storage storage;
	struct blob bytes = { 0 };
	uint64_t nbytes;

	CHECK(nc3z_inq_storage(file, varid, &storage, NULL) == NC3Z_OK);
	REQUIRE(storage.stream != NC3Z_NO_NUMBER && !storage.is_shared);
	for (uint64_t i = 0; i < storage.nblocks; i++)
		take_block(file, archive, storage.stream, i, &bytes);
	CHECK(shape_var_nbytes(shape, (uint32_t)varid, &nbytes));
	REQUIRE(bytes.nbytes >= nbytes);
	CHECK(memcmp(bytes.data, original->data + shape->vars[varid].begin,
		     nbytes) == 0);
	blob_release(&bytes);
}

static void test_values(void)
{
	const struct manner manner = { .block_nbytes = 8192 };
	struct shape shape;
	struct blob original = { 0 }, archive;
	struct nc3z_file *file;

	make_original(&original, &shape);
	archive = packed_make(&original, &manner);
	file = packed_open(&archive, &manner);
	REQUIRE(file != NULL);
	for (int i = 0; i < 3; i++)
		check_variable(file, &original, &archive, &shape, i);
	nc3z_close(file);
	blob_release(&archive);
	blob_release(&original);
}

/* All blocks of all streams, of archives with and without chunks. */
static void check_all(const struct blob *archive, const struct manner *manner)
{
	struct nc3z_file *file = packed_open(archive, manner);
	struct nc3z_summary summary;
	struct nc3z_stream_info info;
	struct blob bytes = { 0 };
	uint64_t nblocks = 0;

	REQUIRE(file != NULL);
	CHECK(nc3z_inq_summary(file, &summary, NULL) == NC3Z_OK);
	for (uint32_t s = 0; s < summary.nstreams; s++) {
		CHECK(nc3z_inq_stream(file, s, &info, NULL) == NC3Z_OK);
		for (uint64_t b = 0; b < info.nblocks; b++, nblocks++)
			take_block(file, archive, s, b, &bytes);
	}
	CHECK_EQ_U64(nblocks, summary.nblocks);
	CHECK(nblocks > 3);
	CHECK_EQ_U64(bytes.nbytes, summary.original_nbytes);
	blob_release(&bytes);
	nc3z_close(file);
}

static void test_all(void)
{
	static const struct manner manners[] = {
		{ .block_nbytes = 16384 },
		{ .chunks = "d1/7,d2/11,d3/13" },
		{ .chunks = "series", .codec = NC3Z_CODEC_DEFLATE },
		{ .block_nbytes = 4096, .level = 9 },
	};
	struct shape shape;
	struct blob original = { 0 };

	make_original(&original, &shape);
	for (size_t i = 0; i < sizeof(manners) / sizeof(manners[0]); i++) {
		struct blob archive = packed_make(&original, &manners[i]);

		check_all(&archive, &manners[i]);
		blob_release(&archive);
	}
	blob_release(&original);
}

/* A record that is not as it was is refused and described by its error. */
static void check_refused(const uint8_t *data, size_t nbytes, size_t raw_nbytes)
{
	uint8_t *raw = calloc(1, raw_nbytes);
	struct nc3z_record found = { .offset = 7 };
	struct nc3z_error err = { 0 };
	int status;

	REQUIRE(raw != NULL);
	status = decode(data, nbytes, raw, raw_nbytes, &found, &err);
	CHECK_EQ_U64((uint64_t)status, NC3Z_EDAMAGED);
	CHECK_EQ_U64((uint64_t)err.status, NC3Z_EDAMAGED);
	CHECK(err.offset == NC3Z_NO_OFFSET || err.offset <= nbytes);
	CHECK(err.text[0] != '\0');
	CHECK_EQ_U64(found.offset, 7);
	free(raw);
}

static void check_damage(const struct blob *record, size_t raw_nbytes)
{
	struct blob bytes = { 0 };

	blob_put(&bytes, record->data, record->nbytes);
	for (size_t i = 0; i < bytes.nbytes; i++) {
		bytes.data[i] ^= (uint8_t)(1u << i % 8);
		check_refused(bytes.data, bytes.nbytes, raw_nbytes);
		bytes.data[i] ^= (uint8_t)(1u << i % 8);
	}
	for (size_t n = 0; n < bytes.nbytes; n++)
		check_refused(bytes.data, n, raw_nbytes);
	blob_fill(&bytes, 0, 1);
	check_refused(bytes.data, bytes.nbytes, raw_nbytes);
	blob_release(&bytes);
}

/* More room than the block needs, which stays as it is, and less. */
static void check_room(const struct blob *record, size_t raw_nbytes)
{
	uint8_t *raw = malloc(raw_nbytes + 100);
	struct nc3z_error err = { 0 };

	REQUIRE(raw != NULL);
	memset(raw, 0xA5, raw_nbytes + 100);
	CHECK(decode(record->data, record->nbytes, raw, raw_nbytes + 100, NULL,
		     NULL) == NC3Z_OK);
	for (size_t i = 0; i < 100; i++)
		CHECK(raw[raw_nbytes + i] == 0xA5);
	memset(raw, 0xA5, raw_nbytes);
	CHECK(decode(record->data, record->nbytes, raw, raw_nbytes - 1, NULL,
		     &err) == NC3Z_ELIMIT);
	CHECK(strstr(err.text, "room") != NULL && err.block == 2);
	for (size_t i = 0; i < raw_nbytes; i++)
		CHECK(raw[i] == 0xA5);
	free(raw);
}

static void test_damage(void)
{
	const struct manner manner = { .block_nbytes = 4096 };
	struct shape shape;
	struct blob original = { 0 }, archive, record = { 0 };
	struct nc3z_record placed;
	struct nc3z_storage storage;
	struct nc3z_file *file;

	make_original(&original, &shape);
	archive = packed_make(&original, &manner);
	file = packed_open(&archive, &manner);
	REQUIRE(file != NULL);
	CHECK(nc3z_inq_storage(file, 1, &storage, NULL) == NC3Z_OK);
	REQUIRE(nc3z_inq_record(file, storage.stream, 2, &placed, NULL) ==
		NC3Z_OK);
	blob_put(&record, archive.data + placed.offset, placed.record_nbytes);
	check_damage(&record, placed.raw_nbytes);
	check_room(&record, placed.raw_nbytes);
	nc3z_close(file);
	blob_release(&record);
	blob_release(&archive);
	blob_release(&original);
}

static void test_refusals(void)
{
	struct shape shape;
	struct blob original = { 0 }, archive;
	struct manner manner = { 0 };
	struct nc3z_record record;
	struct nc3z_error err;
	struct nc3z_file *file;

	make_original(&original, &shape);
	archive = packed_make(&original, &manner);
	file = packed_open(&archive, &manner);
	CHECK(nc3z_inq_record(file, 1000, 0, &record, &err) == NC3Z_EINVAL);
	CHECK(nc3z_inq_record(file, 0, 1000, &record, &err) == NC3Z_EINVAL);
	CHECK(nc3z_inq_record(file, 0, UINT64_MAX, &record, &err) ==
	      NC3Z_EINVAL);
	nc3z_close(file);
	file = packed_open(&original, &manner);
	CHECK(nc3z_inq_record(file, 0, 0, &record, &err) == NC3Z_ENOTARCHIVE);
	nc3z_close(file);
	blob_release(&archive);
	blob_release(&original);
}

int main(void)
{
	RUN(test_values);
	RUN(test_all);
	RUN(test_damage);
	RUN(test_refusals);
	return check_report();
}
