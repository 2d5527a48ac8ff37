/* SPDX-License-Identifier: MIT */
/* How streams are stored, against a picture of the archive. */
#include "check.h"
#include "io/sink.h"
#include "in_memory.h"
#include "picture.h"
#include "shape.h"

/* A float and two groups' worth of small numbers. */
static void make_file(struct blob *out)
{
	struct shape shape = { .version = 5,
			       .numrecs = 20,
			       .ndims = 4,
			       .dims = { 0, 12, 50, 400 },
			       .nvars = 6 };
	static const struct shape_var vars[] = {
		{ .type = 5, .rank = 3, .dimids = { 0, 1, 2 } },
		{ .type = 11, .rank = 2, .dimids = { 1, 2 } },
		{ .type = 4, .rank = 1, .dimids = { 3 } },
		{ .type = 9, .rank = 1, .dimids = { 3 } },
		{ .type = 5, .rank = 1, .dimids = { 3 } },
		{ .type = 2, .rank = 0 },
	};
	uint64_t seed = 55;

	memcpy(shape.vars, vars, sizeof(vars));
	shape_place(&shape, 0);
	*out = (struct blob){ 0 };
	shape_file(&shape, shape_end(&shape), &seed, out);
}

static void pack(const struct blob *original, int codec, struct blob *out)
{
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.codec = codec;
	options.block_nbytes = 1 << 13;
	*out = (struct blob){ 0 };
	memory_pack(original, &options, out);
}

static struct nc3z_file *open_archive(const struct blob *archive)
{
	struct nc3z_source *source =
		memory_source(archive->data, archive->nbytes);
	struct nc3z_file *file = NULL;

	if (nc3z_open_source(source, NULL, &file, NULL) != NC3Z_OK)
		nc3z_source_close(source);
	return file;
}

/* Counts and lengths of a stream, from all of its block records. */
static void check_stream(const struct picture *p, uint32_t stream,
			 const struct nc3z_stream_info *info)
{
	uint64_t nblocks = 0, raw_nbytes = 0, stored_nbytes = 0;

	for (size_t i = 0; i < p->nblocks; i++) {
		const struct picture_block *b = &p->blocks[i];

		if (b->stream != stream)
			continue;
		nblocks++;
		raw_nbytes += b->raw_nbytes;
		stored_nbytes += b->header_nbytes + b->payload_nbytes;
	}
	CHECK_EQ_U64(info->nblocks, nblocks);
	CHECK_EQ_U64(info->original_nbytes, raw_nbytes);
	CHECK_EQ_U64(info->original_nbytes, picture_stream_nbytes(p, stream));
	CHECK_EQ_U64(info->stored_nbytes, stored_nbytes);
	CHECK(info->ncodings <= nblocks);
	CHECK((info->ncodings == 0) == (nblocks == 0));
	if (nblocks == 0)
		CHECK(info->coding.codec == NC3Z_NO_NUMBER &&
		      info->coding.nsteps == 0);
}

/* Each variable is in the stream that says so, and one stream is the rest. */
static void check_variables(struct nc3z_file *file, uint32_t nstreams)
{
	struct nc3z_stream_info info;
	struct nc3z_storage storage;
	uint32_t nrests = 0, nvars = 0, ngroups = 0;

	for (uint32_t i = 0; i < nstreams; i++) {
		REQUIRE(nc3z_inq_stream(file, i, &info, NULL) == NC3Z_OK);
		nvars += info.nvars;
		nrests += info.nvars == 0;
		CHECK((info.nvars == 0) == (info.varid == NC3Z_GLOBAL));
		if (info.nvars == 0)
			continue;
		ngroups += info.nvars == 3;
		CHECK(nc3z_inq_storage(file, info.varid, &storage, NULL) ==
		      NC3Z_OK);
		CHECK(storage.stream == i);
		CHECK(storage.is_shared == (info.nvars > 1));
		CHECK(storage.block_nbytes == info.block_nbytes);
		CHECK_EQ_U64(storage.nblocks, info.nblocks);
	}
	CHECK(nrests == 2 && ngroups == 1 && nvars == 5);
	CHECK(nc3z_inq_stream(file, nstreams, &info, NULL) == NC3Z_EINVAL);
}

static void check_archive(const struct blob *archive, int codec)
{
	struct nc3z_file *file = open_archive(archive);
	struct nc3z_stream_info info;
	struct nc3z_storage storage;
	struct picture p;

	REQUIRE(file != NULL);
	CHECK_STR_EQ(picture_read(&p, archive->data, archive->nbytes), NULL);
	for (uint32_t i = 0; i < p.nstreams; i++) {
		CHECK(nc3z_inq_stream(file, i, &info, NULL) == NC3Z_OK);
		check_stream(&p, i, &info);
	}
	check_variables(file, p.nstreams);
	CHECK(nc3z_inq_storage(file, 1, &storage, NULL) == NC3Z_OK);
	CHECK(nc3z_inq_stream(file, storage.stream, &info, NULL) == NC3Z_OK);
	CHECK_EQ_U64(info.coding.codec, (uint64_t)codec);
	nc3z_close(file);
	picture_release(&p);
}

static void test_archives(void)
{
	struct blob original, archive;

	make_file(&original);
	/* Smooth enough for every codec. */
	for (size_t i = original.nbytes / 4; i < original.nbytes; i++)
		original.data[i] = (uint8_t)(i % 8 < 6 ? 0 : i / 64);
	for (int codec = 0; codec < 4; codec++) {
		pack(&original, codec, &archive);
		check_archive(&archive, codec);
		blob_release(&archive);
	}
	blob_release(&original);
}

/* A flipped bit in any header of a record is found, in a payload it is not. */
static void test_damage(void)
{
	struct blob original, archive;
	struct nc3z_stream_info info;
	struct nc3z_file *file;
	struct nc3z_error err;
	struct picture p;

	make_file(&original);
	pack(&original, NC3Z_CODEC_ZSTD, &archive);
	file = open_archive(&archive);
	REQUIRE(file != NULL);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	for (size_t i = 0; i < p.nblocks; i++) {
		const struct picture_block *b = &p.blocks[i];
		uint8_t *header = archive.data + b->offset;

		header[i % b->header_nbytes] ^= 0x20;
		if (b->payload_nbytes > 0)
			header[b->header_nbytes] ^= 0x20;
		CHECK(nc3z_inq_stream(file, b->stream, &info, &err) ==
		      NC3Z_EDAMAGED);
		CHECK(err.stream == b->stream && err.block == b->block);
		header[i % b->header_nbytes] ^= 0x20;
		CHECK(nc3z_inq_stream(file, b->stream, &info, &err) == NC3Z_OK);
		if (b->payload_nbytes > 0)
			header[b->header_nbytes] ^= 0x20;
	}
	blob_release(&original);
	blob_release(&archive);
	picture_release(&p);
	nc3z_close(file);
}

/* Texts of codings, cut off wherever their memory ends. */
static void test_text(void)
{
	const struct nc3z_coding coding = {
		.codec = NC3Z_CODEC_ZSTD,
		.nsteps = 4,
		.filters = { NC3Z_FILTER_DROP, NC3Z_FILTER_FRACTION,
			     NC3Z_FILTER_DELTA, NC3Z_FILTER_SHUFFLE },
		.parameters = { 0, 100, 12 },
	};
	const struct nc3z_coding constant = {
		.codec = NC3Z_NO_NUMBER,
		.nsteps = 1,
		.filters = { NC3Z_FILTER_CONSTANT },
	};
	const struct nc3z_coding nothing = { .codec = NC3Z_NO_NUMBER };
	static const char whole[] = "drop fraction(100) delta(12) shuffle zstd";
	char text[sizeof(whole) + 1];

	for (size_t n = 0; n <= sizeof(text); n++) {
		memset(text, '#', sizeof(text));
		CHECK_EQ_U64(nc3z_coding_text(&coding, text, n), strlen(whole));
		if (n == 0) {
			CHECK(text[0] == '#');
			continue;
		}
		CHECK(strncmp(text, whole, n - 1) == 0);
		CHECK(strlen(text) ==
		      (n < sizeof(whole) ? n - 1 : strlen(whole)));
	}
	nc3z_coding_text(&constant, text, sizeof(text));
	CHECK_STR_EQ(text, "constant");
	nc3z_coding_text(&nothing, text, sizeof(text));
	CHECK_STR_EQ(text, "");
}

int main(void)
{
	RUN(test_archives);
	RUN(test_damage);
	RUN(test_text);
	return check_report();
}
