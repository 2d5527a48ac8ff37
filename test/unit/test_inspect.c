/* What an archive says of its streams, against its picture. */
#include "check.h"
#include "io/sink.h"
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
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	const void *data;
	size_t nbytes;

	nc3z_pack_options_init(&options);
	options.codec = codec;
	options.block_nbytes = 1 << 13;
	CHECK(nc3z_source_open_memory(original->data, original->nbytes, &source,
				      NULL) == NC3Z_OK);
	CHECK(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	CHECK(nc3z_pack(source, sink, &options, NULL, NULL) == NC3Z_OK);
	data = nc3z_sink_memory(sink, &nbytes);
	*out = (struct blob){ 0 };
	blob_put(out, data, nbytes);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
}

/* The stream with a name, NULL if there is none. */
static const struct nc3z_stream_info *
find(const struct nc3z_stream_info *streams, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(streams[i].name, name) == 0)
			return &streams[i];
	return NULL;
}

static void check_names(const struct nc3z_stream_info *streams, uint32_t n)
{
	const struct nc3z_stream_info *info = find(streams, n, "var_0");

	REQUIRE(info);
	CHECK_STR_EQ(info->type, "float");
	CHECK_STR_EQ(info->shape, "d0, d1 = 12, d2 = 50");
	info = find(streams, n, "var_1");
	REQUIRE(info);
	CHECK_STR_EQ(info->type, "uint64");
	CHECK_STR_EQ(info->shape, "d1 = 12, d2 = 50");
	info = find(streams, n, "(3 variables)");
	REQUIRE(info);
	CHECK_STR_EQ(info->type, "");
	CHECK_STR_EQ(info->shape, "");
	CHECK_EQ_U64(info->original_nbytes, 3 * 1600);
	CHECK(find(streams, n, "(rest)") != NULL);
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
	CHECK((strlen(info->coding) == 0) == (nblocks == 0));
}

static void check_archive(const struct blob *archive, const char *codec)
{
	const struct nc3z_stream_info *streams;
	struct nc3z_inspection *inspection;
	struct nc3z_source *source;
	struct picture p;
	uint32_t n = 0;

	CHECK_STR_EQ(picture_read(&p, archive->data, archive->nbytes), NULL);
	CHECK(nc3z_source_open_memory(archive->data, archive->nbytes, &source,
				      NULL) == NC3Z_OK);
	REQUIRE(nc3z_inspect(source, &inspection, NULL) == NC3Z_OK);
	streams = nc3z_inspection_streams(inspection, &n);
	CHECK_EQ_U64(n, p.nstreams);
	for (uint32_t i = 0; i < n && i < p.nstreams; i++)
		check_stream(&p, i, &streams[i]);
	check_names(streams, n);
	if (find(streams, n, "var_1"))
		CHECK(strstr(find(streams, n, "var_1")->coding, codec) != NULL);
	nc3z_inspection_free(inspection);
	nc3z_inspection_free(NULL);
	nc3z_source_close(source);
	picture_release(&p);
}

static void test_archives(void)
{
	static const char *const codecs[] = { "store", "deflate", "bzip2",
					      "zstd" };
	struct blob original, archive;

	make_file(&original);
	/* Smooth enough for every codec. */
	for (size_t i = original.nbytes / 4; i < original.nbytes; i++)
		original.data[i] = (uint8_t)(i % 8 < 6 ? 0 : i / 64);
	for (int codec = 0; codec < 4; codec++) {
		pack(&original, codec, &archive);
		check_archive(&archive, codecs[codec]);
		blob_release(&archive);
	}
	blob_release(&original);
}

/* Damage outside of the payloads, which are not looked at. */
static void test_damage(void)
{
	struct blob original, archive;

	make_file(&original);
	pack(&original, NC3Z_CODEC_ZSTD, &archive);
	for (size_t at = 0; at < archive.nbytes; at += 13) {
		struct nc3z_inspection *inspection = NULL;
		struct nc3z_source *source;
		int status;

		archive.data[at] ^= 0x20;
		CHECK(nc3z_source_open_memory(archive.data, archive.nbytes,
					      &source, NULL) == NC3Z_OK);
		status = nc3z_inspect(source, &inspection, NULL);
		CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		      status == NC3Z_ENOTARCHIVE ||
		      status == NC3Z_EUNSUPPORTED);
		CHECK((inspection != NULL) == (status == NC3Z_OK));
		nc3z_inspection_free(inspection);
		nc3z_source_close(source);
		archive.data[at] ^= 0x20;
	}
	blob_release(&original);
	blob_release(&archive);
}

int main(void)
{
	RUN(test_archives);
	RUN(test_damage);
	return check_report();
}
