/* SPDX-License-Identifier: MIT */
/*
 * Archives converted from each layout to each other: byte for byte what packing
 * the original gives, with as many decodings as were planned.
 */
#include "archive/archive.h"
#include "base/sizes.h"
#include "check.h"
#include "converted.h"
#include "made.h"
#include "shape.h"
#include "chunked.h"

/* Ways that archives of made up files are converted from and to. */
static const struct way ways[] = {
	{ .chunks = { "linear" }, .block_nbytes = 4096 },
	{ .chunks = { "linear" }, .block_nbytes = 20000, .level = 3 },
	{ .chunks = { "balanced" }, .block_nbytes = 4096 },
	{ .chunks = { "series" }, .block_nbytes = 8192, .nthreads = 3 },
	{ .chunks = { "auto" }, .codec = NC3Z_CODEC_DEFLATE },
};
/* magic, numrecs, list of dimensions: d0 and 0, d1 and its length */
#define FORGED_LENGTH_OFFSET 39

#define NWAYS (sizeof(ways) / sizeof(ways[0]))

/* Sanitizers are slow. */
static uint64_t so_many(uint64_t n)
{
	const char *sanitizers = getenv("NC3Z_SANITIZE");

	return sanitizers && sanitizers[0] ? (n + 4) / 5 : n;
}

static bool is_same(const struct blob *a, const struct blob *b)
{
	return CHECK_EQ_U64(a->nbytes, b->nbytes) &&
	       CHECK(memcmp(a->data, b->data, a->nbytes) == 0);
}

/*
 * Converts and compares; says how often blocks were decoded, and that there are
 * none if memory does not do.
 */
static struct nc3z_conversion check_way(const struct blob *archive,
					const struct blob *file,
					const struct way *way)
{
	struct nc3z_conversion planned = { 0 }, done = { 0 };
	struct blob packed, converted;
	int packed_status, status;

	packed = way_pack(file, way, &packed_status);
	converted = way_convert(archive, way, &done, &status);
	CHECK(way_plan(archive, way, &planned) == status);
	/* Packing needs no room for a block that is read. */
	if (status != NC3Z_ELIMIT || !way->max_memory_nbytes)
		CHECK_EQ_U64((uint64_t)status, (uint64_t)packed_status);
	if (status == NC3Z_OK) {
		is_same(&converted, &packed);
		CHECK_EQ_U64(planned.original_nbytes, file->nbytes);
		CHECK_EQ_U64(done.ndecodings, planned.ndecodings);
		CHECK(memcmp(&planned, &done, sizeof(done)) == 0);
		CHECK(done.ndecodings >= done.nblocks);
		CHECK(done.most_decodings * done.nblocks >= done.ndecodings);
	}
	blob_release(&packed);
	blob_release(&converted);
	return done;
}

/* Four or five dimensions, the first one that of the records. */
static void make_shape(struct shape *shape, uint64_t *seed)
{
	*shape = (struct shape){ .version = 2, .ndims = 5, .nvars = 4 };
	for (uint32_t i = 1; i < 5; i++)
		shape->dims[i] = 5 + check_random_below(seed, 15);
	shape->numrecs = 1 + check_random_below(seed, 60);
	for (uint32_t v = 0; v < shape->nvars; v++) {
		struct shape_var *var = &shape->vars[v];
		uint32_t first = (uint32_t)check_random_below(seed, 2);

		var->type = 3 + (uint32_t)check_random_below(seed, 4);
		var->rank = 3 + (uint32_t)check_random_below(seed, 2);
		for (uint32_t k = 0; k < var->rank; k++)
			var->dimids[k] = first + k;
	}
	shape_place(shape, 0);
}

/* Whole, or cut off behind where its variables begin. */
static void make_file(struct blob *file, uint64_t *seed)
{
	struct shape shape;
	uint64_t end;

	make_shape(&shape, seed);
	end = shape_end(&shape);
	if (check_random_below(seed, 3) == 0)
		end -= check_random_below(seed, end - shape.vars[0].begin);
	shape_file(&shape, end, seed, file);
}

/* With what is said to be enough for once each, and with ever less. */
static void check_budgets(const struct blob *archive, const struct blob *file,
			  const struct way *target, uint64_t *nrepeated)
{
	struct nc3z_conversion c = { 0 };
	struct way way = *target;

	REQUIRE(way_plan(archive, &way, &c) == NC3Z_OK);
	CHECK_EQ_U64(c.ndecodings, c.nblocks);
	way.max_memory_nbytes = size_max(c.once_nbytes, 1);
	c = check_way(archive, file, &way);
	CHECK_EQ_U64(c.ndecodings, c.nblocks);
	CHECK(c.memory_nbytes <= way.max_memory_nbytes);
	for (uint64_t n = way.max_memory_nbytes / 3; n > 1000; n /= 3) {
		way.max_memory_nbytes = n;
		c = check_way(archive, file, &way);
		/* Slabs are not made smaller than 4096 bytes each. */
		CHECK(c.memory_nbytes <= n + 4 * 4096);
		*nrepeated += c.ndecodings > c.nblocks;
	}
}

/* From chunks to other chunks and to none. */
static void test_chunks(void)
{
	uint64_t seed = 171, nrepeated = 0;

	for (uint64_t i = 0; i < so_many(40); i++) {
		char from[80], to[80];
		struct way way = { .block_nbytes = 4096,
				   .nthreads = 1 + (unsigned)(i % 3) };
		struct blob file = { 0 }, archive;
		int status;

		make_file(&file, &seed);
		way.chunks[0] = shape_random_chunks(from, &seed);
		archive = way_pack(&file, &way, &status);
		CHECK(status == NC3Z_OK);
		way.chunks[0] = shape_random_chunks(to, &seed);
		check_way(&archive, &file, &way);
		way.chunks[0] = "linear";
		check_budgets(&archive, &file, &way, &nrepeated);
		blob_release(&file);
		blob_release(&archive);
	}
	CHECK(nrepeated >= so_many(40));
}

/* What a file is converted with that is put off. */
struct put_off {
	uint64_t nconverted;
	uint64_t nrepeated;
	uint64_t nrefused;
};

/* With ever less memory for chunks that are written, until it does not do. */
static void check_written(const struct blob *archive, const struct blob *file,
			  const struct way *target, struct put_off *seen)
{
	struct nc3z_conversion c = { 0 };
	struct way way = *target;
	uint64_t nblocks;

	REQUIRE(way_plan(archive, &way, &c) == NC3Z_OK);
	nblocks = c.nblocks;
	for (uint64_t n = c.once_nbytes; c.nblocks > 0 && n > 500;
	     n = n / 5 * 3) {
		way.max_memory_nbytes = n;
		c = check_way(archive, file, &way);
		if (c.nblocks == 0) {
			seen->nrefused++;
			break;
		}
		CHECK_EQ_U64(c.nblocks, nblocks);
		/* Slabs take up to 4096 bytes each, chunks an eighth besides. */
		CHECK(c.memory_nbytes <= n + size_max(n / 8, 4 * 4096));
		seen->nconverted++;
		seen->nrepeated += c.ndecodings > c.nblocks;
	}
}

/* From each kind of layout to chunks of any lengths. */
static void test_put_off(void)
{
	struct put_off seen = { 0 };
	uint64_t seed = 177, nfiles = so_many(16);

	for (uint64_t i = 0; i < nfiles; i++) {
		char from[80], to[80];
		struct way way = { .block_nbytes = 4096,
				   .nthreads = 1 + (unsigned)(i % 3) };
		struct way source = i % 2 ? way : ways[i / 2 % NWAYS];
		struct blob file = { 0 }, archive;
		int status;

		make_file(&file, &seed);
		if (i % 2)
			source.chunks[0] = shape_random_chunks(from, &seed);
		archive = way_pack(&file, &source, &status);
		CHECK(status == NC3Z_OK);
		way.chunks[0] = shape_random_chunks(to, &seed);
		check_written(&archive, &file, &way, &seen);
		blob_release(&file);
		blob_release(&archive);
	}
	CHECK(seen.nconverted > 2 * nfiles);
	CHECK(seen.nrepeated > nfiles);
	CHECK(seen.nrefused > nfiles / 2);
}

static void check_file(const struct blob *file, uint64_t *seed)
{
	struct blob archive;
	uint32_t nchunked;
	int status;

	for (size_t i = 0; i < NWAYS; i++) {
		archive = way_pack(file, &ways[i], &status);
		CHECK(status == NC3Z_OK);
		check_way(&archive, file,
			  &ways[check_random_below(seed, NWAYS)]);
		blob_release(&archive);
	}
	archive = chunked_make(file, seed, &nchunked);
	check_way(&archive, file, &ways[check_random_below(seed, NWAYS)]);
	blob_release(&archive);
}

/* All kinds of files, with lengths that are chosen. */
static void test_kinds(void)
{
	uint64_t seed = 172;

	for (int kind = 0; kind < MADE_KINDS; kind++) {
		struct blob file = { 0 };

		made_file((enum made_kind)kind, &seed, &file);
		check_file(&file, &seed);
		blob_release(&file);
	}
}

/* Without chunks and block size a layout stays as it is. */
static void test_kept(void)
{
	uint64_t seed = 173;

	for (int i = 0; i < 8; i++) {
		char text[80];
		struct way way = { .block_nbytes = UINT32_C(4096) << i / 2 };
		struct blob file = { 0 }, archive, packed, converted;
		int status;

		make_file(&file, &seed);
		way.chunks[0] = i % 2 ? shape_random_chunks(text, &seed) : NULL;
		archive = way_pack(&file, &way, &status);
		way.level = 4;
		packed = way_pack(&file, &way, &status);
		converted = way_convert(&archive, &(struct way){ .level = 4 },
					NULL, &status);
		CHECK(status == NC3Z_OK);
		is_same(&converted, &packed);
		blob_release(&file);
		blob_release(&archive);
		blob_release(&packed);
		blob_release(&converted);
	}
}

/* What an archive says of the original, and what it is not. */
enum forged {
	FORGED_SHA256,
	FORGED_HEADER, /* the length of its second dimension, in the copy */
};

/* The same blocks with something else said of the original. */
static struct blob forge(const struct blob *archive, enum forged forged)
{
	struct archive_writer writer = { 0 };
	struct archive_scan scan = { 0 };
	struct archive_catalogue catalogue = { 0 };
	struct archive_trailer trailer;
	struct buffer payload = { 0 };
	struct archive_copies copies = { 0 };
	struct ends {
		struct nc3z_source *source;
		struct nc3z_sink *sink;
	} e = { 0 };
	const struct archive_block *block;
	struct archive_block copy;
	struct nc3z_summary summary;
	struct blob out = { 0 };
	const void *data;
	size_t nbytes;
	bool collides;

	CHECK(nc3z_source_open_memory(archive->data, archive->nbytes, &e.source,
				      NULL) == NC3Z_OK);
	CHECK(nc3z_sink_open_memory(SIZE_MAX, &e.sink, NULL) == NC3Z_OK);
	CHECK(nc3z_summarize(e.source, &summary, NULL) == NC3Z_OK);
	CHECK(archive_scan_begin(&scan, e.source, NULL) == NC3Z_OK);
	CHECK(archive_scan_streams(&scan, summary.nstreams, NULL) == NC3Z_OK);
	CHECK(archive_writer_begin(&writer, e.sink, &scan.plan,
				   summary.nstreams, NULL) == NC3Z_OK);
	memcpy(writer.identity, scan.identity, sizeof(writer.identity));
	while (archive_scan_next(&scan, &block, NULL) == NC3Z_OK && block) {
		memcpy(writer.identity, scan.identity, sizeof(writer.identity));
		copy = *block;
		CHECK(archive_scan_payload(&scan, &payload, NULL) == NC3Z_OK);
		copy.payload = payload.data;
		copy.payload_nbytes = payload.nbytes;
		CHECK(archive_writer_block(&writer, &copy, &collides, NULL) ==
		      NC3Z_OK);
	}
	CHECK(archive_scan_end(&scan, &catalogue, &trailer, &copies, NULL) ==
	      NC3Z_OK);
	if (forged == FORGED_SHA256)
		catalogue.sha256[5] ^= 1;
	else
		copies.header.data[FORGED_LENGTH_OFFSET]--;
	CHECK(archive_writer_end(&writer, &catalogue, &copies, NULL) ==
	      NC3Z_OK);
	data = nc3z_sink_memory(e.sink, &nbytes);
	blob_put(&out, data, nbytes);
	buffer_release(&payload);
	archive_copies_release(&copies);
	catalogue_release(&catalogue);
	archive_scan_release(&scan);
	archive_writer_release(&writer);
	nc3z_source_close(e.source);
	nc3z_sink_close(e.sink);
	return out;
}

static void test_sha256(void)
{
	struct way way = { .chunks = { "d0/7,d1/3" }, .block_nbytes = 4096 };
	struct blob file = { 0 }, archive, forged, out;
	uint64_t seed = 174;
	int status;

	make_file(&file, &seed);
	archive = way_pack(&file, &way, &status);
	forged = forge(&archive, FORGED_SHA256);
	CHECK_EQ_U64(forged.nbytes, archive.nbytes);
	out = way_convert(&forged, &way, NULL, &status);
	CHECK_EQ_U64((uint64_t)status, NC3Z_EDAMAGED);
	blob_release(&file);
	blob_release(&archive);
	blob_release(&forged);
	blob_release(&out);
}

/* About the least memory that does, with which chunks are put off. */
static uint64_t scarce_memory(const struct blob *archive, const struct way *way)
{
	struct way scarce = *way;
	struct nc3z_conversion c = { 0 };
	uint64_t nbytes;

	CHECK(way_plan(archive, way, &c) == NC3Z_OK);
	scarce.max_memory_nbytes = c.memory_nbytes;
	do {
		nbytes = scarce.max_memory_nbytes;
		scarce.max_memory_nbytes -= nbytes / 10;
	} while (way_plan(archive, &scarce, &c) == NC3Z_OK);
	CHECK(c.ndecodings > c.nblocks);
	return nbytes;
}

/* A header copy that is another than the header: no chunk is filled wrongly. */
static void test_header_copy(void)
{
	struct shape shape = {
		.version = 2,
		.numrecs = 20,
		.ndims = 3,
		.dims = { 0, 100, 200 },
		.nvars = 1,
		.vars = { { .type = 5, .rank = 3, .dimids = { 0, 1, 2 } } }
	};
	struct way way = { .chunks = { "d0/5,d1/50,d2/50" } };
	struct blob file = { 0 }, archive, forged, good, out;
	uint64_t seed = 178;
	int status;

	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, &file);
	for (size_t i = shape.vars[0].begin; i < file.nbytes; i++)
		file.data[i] = (uint8_t)check_random_below(&seed, 256);
	archive = way_pack(&file, &way, &status);
	CHECK(archive.nbytes > FORMAT_COPIES_FROM_OFFSET);
	forged = forge(&archive, FORGED_HEADER);
	/* Two chunks of 800000 bytes. */
	way.chunks[0] = "d0/20,d1/50,d2/200";
	way.max_memory_nbytes = 900000;
	good = way_convert(&archive, &way, NULL, &status);
	REQUIRE(status == NC3Z_OK);
	out = way_convert(&forged, &way, NULL, &status);
	REQUIRE(status == NC3Z_OK);
	CHECK_EQ_U64(out.nbytes, good.nbytes);
	CHECK_MEM_EQ(out.data, good.data, good.nbytes);
	blob_release(&file);
	blob_release(&archive);
	blob_release(&forged);
	blob_release(&good);
	blob_release(&out);
}

/* A bit is flipped: either that does not matter, or it is found. */
static void test_damage(void)
{
	struct way to = { .chunks = { "d0/9,d2/4" }, .block_nbytes = 8192 };
	struct way way = { .chunks = { "d0/7,d1/3" }, .block_nbytes = 4096 };
	struct blob file = { 0 }, archive, packed, out;
	uint64_t seed = 175, n = so_many(100), ndamaged = 0, scarce;
	int status;

	make_file(&file, &seed);
	archive = way_pack(&file, &way, &status);
	packed = way_pack(&file, &to, &status);
	scarce = scarce_memory(&archive, &to);
	for (uint64_t i = 0; i < n; i++) {
		size_t at = check_random_below(&seed, archive.nbytes);

		archive.data[at] ^= 0x10;
		to.nthreads = 1 + (unsigned)i % 3;
		to.max_memory_nbytes = i % 2 ? scarce : 0;
		out = way_convert(&archive, &to, NULL, &status);
		archive.data[at] ^= 0x10;
		ndamaged += status == NC3Z_EDAMAGED;
		if (status == NC3Z_OK)
			is_same(&out, &packed);
		blob_release(&out);
	}
	CHECK(ndamaged > n / 5 * 4);
	blob_release(&file);
	blob_release(&archive);
	blob_release(&packed);
}

static void test_refused(void)
{
	struct way way = { .chunks = { "d0/7,d1/3" }, .block_nbytes = 4096 };
	struct blob file = { 0 }, archive;
	struct nc3z_conversion c;
	uint64_t seed = 176;
	int status;

	make_file(&file, &seed);
	archive = way_pack(&file, &way, &status);
	CHECK(way_plan(&file, &way, &c) == NC3Z_ENOTARCHIVE);
	way.max_memory_nbytes = 1;
	CHECK(way_plan(&archive, &way, &c) == NC3Z_ELIMIT);
	way.block_nbytes = 5;
	CHECK(way_plan(&archive, &way, &c) == NC3Z_EINVAL);
	way.block_nbytes = 0;
	way.chunks[0] = "nosuch:5";
	CHECK(way_plan(&archive, &way, &c) == NC3Z_EINVAL);
	way.chunks[0] = NULL;
	way.nthreads = NC3Z_THREADS_MAX + 1;
	CHECK(way_plan(&archive, &way, &c) == NC3Z_EINVAL);
	way.nthreads = 0;
	way.level = 10;
	CHECK(way_plan(&archive, &way, &c) == NC3Z_EINVAL);
	blob_release(&file);
	blob_release(&archive);
}

int main(void)
{
	RUN(test_chunks);
	RUN(test_put_off);
	RUN(test_kinds);
	RUN(test_kept);
	RUN(test_sha256);
	RUN(test_header_copy);
	RUN(test_damage);
	RUN(test_refused);
	return check_report();
}
