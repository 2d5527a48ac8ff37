/* SPDX-License-Identifier: MIT */
/*
 * Blocks through the block writer into an archive, which is then looked at
 * with picture_read().
 */
#include <openssl/sha.h>

#include "check.h"
#include "codecs.h"
#include "picture.h"
#include "write/block_writer.h"

#define NSTREAMS 3
#define BLOCK_NBYTES 3000
#define SIGNATURE "\x89HDF\r\n\x1a\n"

static const struct plan_hint hints[NSTREAMS] = {
	{ .width = 1, .is_text = true },
	{ .width = 4, .is_float = true, .row_nelems = 50 },
	{ .width = 2 },
};

static const struct plan_stream linear[NSTREAMS];

static const char plan[] = "what a plan would say";

/* Block number i of a stream: smooth, and noise for a while. */
static uint8_t *make_raw(uint32_t stream, uint32_t block, size_t nbytes)
{
	uint64_t seed = (uint64_t)stream << 32 | block;
	uint8_t *raw = malloc(nbytes);
	bool is_noise = block % 29 > 18;

	for (size_t i = 0; i < nbytes; i++)
		raw[i] = is_noise   ? (uint8_t)check_random(&seed) :
			 i % 4 == 0 ? 0x41 :
			 i % 4 == 1 ? (uint8_t)(block + i / 512) :
			 i % 4 == 2 ? (uint8_t)(i / 2) :
				      (uint8_t)check_random_below(&seed, 4);
	return raw;
}

/* The last block of a stream is short. */
static size_t length_of(uint32_t block, uint32_t nblocks)
{
	return block + 1 < nblocks ? BLOCK_NBYTES : 1 + block % BLOCK_NBYTES;
}

/* A block writer on its way into memory. */
struct job {
	struct nc3z_sink *sink;
	struct archive_writer archive;
	struct buffer plan;
	struct block_writer blocks;
};

static bool begin(struct job *j, int level, uint8_t codec, unsigned nthreads,
		  size_t max_nbytes)
{
	struct block_writer_setup setup = {
		.archive = &j->archive,
		.settings = { .effort = level, .codec = codec },
		.hints = hints,
		.streams = linear,
		.plan = &j->plan,
		.nstreams = NSTREAMS,
		.block_nbytes = BLOCK_NBYTES,
		.nthreads = nthreads,
	};

	*j = (struct job){ 0 };
	return CHECK(buffer_append(&j->plan, plan, sizeof(plan))) &&
	       CHECK(nc3z_sink_open_memory(max_nbytes, &j->sink, NULL) ==
		     NC3Z_OK) &&
	       CHECK(archive_writer_begin(&j->archive, j->sink, &j->plan,
					  NSTREAMS, NULL) == NC3Z_OK) &&
	       CHECK(block_writer_init(&j->blocks, &setup, NULL) == NC3Z_OK);
}

static void release(struct job *j)
{
	block_writer_release(&j->blocks);
	archive_writer_release(&j->archive);
	nc3z_sink_close(j->sink);
	buffer_release(&j->plan);
}

/* Puts 'nblocks' blocks of each stream, side by side. */
static int put_all(struct job *j, uint32_t nblocks, struct nc3z_error *err)
{
	for (uint32_t b = 0; b < nblocks; b++)
		for (uint32_t s = 0; s < NSTREAMS; s++) {
			size_t n = length_of(b, nblocks);

			NC3Z_TRY(block_writer_put(&j->blocks, s, b,
						  make_raw(s, b, n), n, err));
		}
	return block_writer_finish(&j->blocks, err);
}

/* Ends the archive, so that it can be read, and takes its bytes. */
static void end_counts(struct job *j, uint32_t counts[NSTREAMS],
		       struct blob *out)
{
	uint64_t nbytes[NSTREAMS] = { 0 };
	struct archive_catalogue c = { .nstreams = NSTREAMS,
				       .stream_nbytes = nbytes,
				       .stream_nblocks = counts,
				       .plan = (const uint8_t *)plan,
				       .plan_nbytes = sizeof(plan) };
	const struct archive_copies none = { 0 };
	const void *data;
	size_t n;

	memcpy(c.identity, j->archive.identity, sizeof(c.identity));
	CHECK(archive_writer_end(&j->archive, &c, &none, NULL) == NC3Z_OK);
	data = nc3z_sink_memory(j->sink, &n);
	*out = (struct blob){ 0 };
	blob_put(out, data, n);
}

static void end(struct job *j, uint32_t nblocks, struct blob *out)
{
	uint32_t counts[NSTREAMS] = { nblocks, nblocks, nblocks };

	end_counts(j, counts, out);
}

static void write_archive(int level, uint8_t codec, unsigned nthreads,
			  uint32_t nblocks, struct blob *out)
{
	struct job j;

	*out = (struct blob){ 0 };
	if (begin(&j, level, codec, nthreads, 1 << 26)) {
		CHECK(put_all(&j, nblocks, NULL) == NC3Z_OK);
		end(&j, nblocks, out);
	}
	release(&j);
}

/* A block of the archive gives the bytes that went in. */
static void check_block(const struct picture_block *b, uint32_t nblocks)
{
	size_t n = length_of(b->block, nblocks);
	uint8_t *raw = make_raw(b->stream, b->block, n), *out = malloc(n);
	struct block_coder coder = { 0 };
	const struct block_view view = {
		.description = b->description,
		.description_nbytes = b->description_nbytes,
		.payload = b->payload,
		.payload_nbytes = b->payload_nbytes,
	};

	CHECK_EQ_U64(b->raw_nbytes, n);
	CHECK_EQ_U64(b->raw_crc, picture_crc32(raw, n));
	CHECK(block_decode(&coder, &view, out, n, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(out, raw, n);
	block_coder_release(&coder);
	free(raw);
	free(out);
}

static void check_identity(const struct picture *p)
{
	size_t n = p->blocks[0].raw_nbytes;
	uint8_t *raw = make_raw(0, 0, n), digest[32];
	struct blob both = { 0 };

	blob_put(&both, plan, sizeof(plan));
	blob_put(&both, raw, n);
	SHA256(both.data, both.nbytes, digest);
	CHECK_MEM_EQ(p->identity, digest, PICTURE_IDENTITY_NBYTES);
	blob_release(&both);
	free(raw);
}

static void check_archive(const struct blob *b, uint32_t nblocks)
{
	struct picture p;

	CHECK_STR_EQ(picture_read(&p, b->data, b->nbytes), NULL);
	CHECK_EQ_U64(p.nblocks, nblocks * NSTREAMS);
	for (size_t i = 0; i < p.nblocks; i++) {
		/* In the order in which they were put. */
		CHECK_EQ_U64(p.blocks[i].stream, i % NSTREAMS);
		CHECK_EQ_U64(p.blocks[i].block, i / NSTREAMS);
		check_block(&p.blocks[i], nblocks);
	}
	if (p.nblocks > 0)
		check_identity(&p);
	picture_release(&p);
}

/* The number of threads must not be seen in the archive. */
static void check_threads(int level, uint8_t codec, uint32_t nblocks)
{
	static const unsigned nthreads[] = { 0, 2, 3, 8 };
	struct blob serial, threaded;

	write_archive(level, codec, 1, nblocks, &serial);
	check_archive(&serial, nblocks);
	for (size_t i = 0; i < 4; i++) {
		write_archive(level, codec, nthreads[i], nblocks, &threaded);
		if (CHECK_EQ_U64(threaded.nbytes, serial.nbytes))
			CHECK_MEM_EQ(threaded.data, serial.data, serial.nbytes);
		blob_release(&threaded);
	}
	blob_release(&serial);
}

static void test_archives(void)
{
	check_threads(5, NC3Z_CODEC_ZSTD, 40);
	check_threads(5, NC3Z_CODEC_ZSTD, 1);
	check_threads(1, NC3Z_CODEC_DEFLATE, 20);
	check_threads(0, NC3Z_CODEC_ZSTD, 20);
}

static void test_every_codec_and_level(void)
{
	for (uint8_t codec = 0; codec < CODEC_COUNT; codec = next_codec(codec))
		for (int level = 0; level <= NC3Z_LEVEL_MAX; level += 3) {
			struct blob b;

			write_archive(level, codec, 2, 5, &b);
			check_archive(&b, 5);
			blob_release(&b);
		}
}

/* A stream may begin with constant blocks: others are searched then. */
static void test_constant_first(void)
{
	const uint32_t nblocks = 4;
	size_t nbytes = 0;
	struct picture p;
	struct blob b;
	struct job j;

	if (!begin(&j, 5, NC3Z_CODEC_ZSTD, 2, 1 << 26))
		return;
	for (uint32_t i = 0; i < nblocks; i++)
		for (uint32_t s = 0; s < NSTREAMS; s++)
			CHECK(block_writer_put(
				      &j.blocks, s, i,
				      i == 0 ? calloc(1, BLOCK_NBYTES) :
					       make_raw(s, i, BLOCK_NBYTES),
				      BLOCK_NBYTES, NULL) == NC3Z_OK);
	CHECK(block_writer_finish(&j.blocks, NULL) == NC3Z_OK);
	end(&j, nblocks, &b);
	release(&j);
	CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL);
	for (size_t i = 0; i < p.nblocks; i++) {
		const struct picture_block *block = &p.blocks[i];

		CHECK(block->block > 0 || block->payload_nbytes == 0);
		if (block->stream == 1)
			nbytes += block->payload_nbytes;
	}
	CHECK(nbytes < (nblocks - 1) * BLOCK_NBYTES / 3);
	picture_release(&p);
	blob_release(&b);
}

/* Filters that suit the first block do not bind the others for ever. */
static void test_changing_data(void)
{
	size_t smooth = 0, nsmooth = 0;
	struct picture p;
	struct blob b;

	write_archive(5, NC3Z_CODEC_ZSTD, 2, 60, &b);
	CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL);
	for (size_t i = 0; i < p.nblocks; i++) {
		const struct picture_block *block = &p.blocks[i];

		/* Noise is never larger than itself. */
		CHECK(block->payload_nbytes <= block->raw_nbytes);
		if (block->stream != 1 || block->block % 29 > 18 ||
		    block->raw_nbytes < BLOCK_NBYTES)
			continue;
		smooth += block->payload_nbytes;
		nsmooth++;
	}
	CHECK(nsmooth > 30);
	CHECK(smooth < nsmooth * BLOCK_NBYTES / 3);
	picture_release(&p);
	blob_release(&b);
}

/* An output that is full, at any place: an error, and nothing is left. */
static void test_full_output(void)
{
	for (unsigned nthreads = 1; nthreads <= 3; nthreads += 2)
		for (size_t max = 200; max < 40000; max += 5003) {
			struct nc3z_error err = { 0 };
			struct job j;

			if (begin(&j, 5, NC3Z_CODEC_ZSTD, nthreads, max)) {
				CHECK(put_all(&j, 30, &err) == NC3Z_ELIMIT);
				CHECK(err.status == NC3Z_ELIMIT);
			}
			release(&j);
		}
}

/* Given up with blocks on their way. */
static void test_release_early(void)
{
	for (unsigned nthreads = 1; nthreads <= 4; nthreads++)
		for (uint32_t n = 0; n < 20; n += 3) {
			struct job j;

			if (begin(&j, 5, NC3Z_CODEC_ZSTD, nthreads, 1 << 26))
				for (uint32_t b = 0; b < n; b++)
					CHECK(block_writer_put(
						      &j.blocks, 1, b,
						      make_raw(1, b, 100), 100,
						      NULL) == NC3Z_OK);
			release(&j);
		}
}

/* A block full of the signature, which begins 'shift' bytes late. */
static uint8_t *make_signatures(size_t nbytes, unsigned shift)
{
	uint8_t *raw = malloc(nbytes);

	for (size_t i = 0; i < nbytes; i++)
		raw[i] = (uint8_t)SIGNATURE[(i + 8 - shift) % 8];
	return raw;
}

static void check_signatures(unsigned shift, uint8_t codec, unsigned nthreads)
{
	struct block_coder coder = { 0 };
	uint8_t *raw = make_signatures(5000, shift), *out = malloc(5000);
	struct picture p = { 0 };
	struct blob b = { 0 };
	struct job j;

	if (begin(&j, 0, codec, nthreads, 1 << 26)) {
		for (uint32_t i = 0; i < 20; i++)
			CHECK(block_writer_put(&j.blocks, 0, i,
					       make_signatures(5000, shift),
					       5000, NULL) == NC3Z_OK);
		CHECK(block_writer_finish(&j.blocks, NULL) == NC3Z_OK);
		end(&j, 20, &b);
		/* picture_read() looks for the signature. */
		picture_read(&p, b.data, b.nbytes);
		for (size_t at = 512; at + 8 <= b.nbytes; at *= 2)
			CHECK(memcmp(b.data + at, SIGNATURE, 8) != 0);
	}
	CHECK_EQ_U64(p.nblocks, 20);
	for (size_t i = 0; i < p.nblocks; i++) {
		const struct block_view view = {
			.description = p.blocks[i].description,
			.description_nbytes = p.blocks[i].description_nbytes,
			.payload = p.blocks[i].payload,
			.payload_nbytes = p.blocks[i].payload_nbytes,
		};

		CHECK(block_decode(&coder, &view, out, 5000, NULL) == NC3Z_OK);
		CHECK_MEM_EQ(out, raw, 5000);
	}
	block_coder_release(&coder);
	picture_release(&p);
	blob_release(&b);
	release(&j);
	free(raw);
	free(out);
}

static void test_foreign_signature(void)
{
	for (unsigned shift = 0; shift < 8; shift++)
		for (unsigned nthreads = 1; nthreads <= 2; nthreads++) {
			check_signatures(shift, NC3Z_CODEC_STORE, nthreads);
			check_signatures(shift, NC3Z_CODEC_ZSTD, nthreads);
		}
}

/* 64 x 130 numbers in chunks of 16 x 50: each row is the one above it and so. */
#define EDGE_NCHUNKS 12

static uint8_t *make_chunk(const struct plan_chunk *chunk, size_t *nbytes_ret)
{
	struct blob b = { 0 };

	for (uint32_t y = 0; y < chunk->count[0]; y++)
		for (uint32_t x = 0; x < chunk->count[1]; x++) {
			uint64_t seed = chunk->first[1] + x;

			blob_be32(&b, (uint32_t)check_random(&seed) +
					      (uint32_t)(chunk->first[0] + y) *
						      UINT32_C(0x01234567));
		}
	*nbytes_ret = b.nbytes;
	return b.data;
}

static int put_chunks(struct job *j, const struct plan_grid *t)
{
	for (uint32_t i = 0; i < EDGE_NCHUNKS; i++) {
		struct plan_chunk chunk;
		uint8_t *raw;
		size_t n;

		plan_grid_chunk(t, i, &chunk);
		raw = make_chunk(&chunk, &n);
		NC3Z_TRY(block_writer_put(&j->blocks, 0, i, raw, n, NULL));
	}
	return block_writer_finish(&j->blocks, NULL);
}

/* Clipped chunks are predicted with their own rows, also from recipe_cache. */
static void test_edges(void)
{
	struct plan_grid *t = plan_grid_new(2);
	struct plan_stream stream = { .grid = t };
	uint32_t counts[NSTREAMS] = { EDGE_NCHUNKS };
	const struct plan_hint hint = { .width = 4, .row_nelems = 50 };
	struct picture p;
	struct blob b;
	struct job j;

	t->dims[0].length = 64;
	t->dims[0].chunk = 16;
	t->dims[1].length = 130;
	t->dims[1].chunk = 50;
	REQUIRE(plan_grid_finish(t, 4, 0, 64 * 130 * 4));
	CHECK_EQ_U64(plan_hint_of_block(&stream, &hint, 0).row_nelems, 50);
	CHECK_EQ_U64(plan_hint_of_block(&stream, &hint, 2).row_nelems, 30);
	if (begin(&j, 5, NC3Z_CODEC_ZSTD, 2, 1 << 26)) {
		j.blocks.streams = &stream;
		j.blocks.hints = &hint;
		CHECK(put_chunks(&j, t) == NC3Z_OK);
		end_counts(&j, counts, &b);
		CHECK_STR_EQ(picture_read(&p, b.data, b.nbytes), NULL);
		CHECK_EQ_U64(p.nblocks, EDGE_NCHUNKS);
		for (uint64_t i = 0; i < p.nblocks; i++)
			CHECK(p.blocks[i].payload_nbytes <
			      p.blocks[i].raw_nbytes / 6);
		picture_release(&p);
		blob_release(&b);
	}
	release(&j);
	free(t);
}

int main(void)
{
	RUN(test_archives);
	RUN(test_every_codec_and_level);
	RUN(test_constant_first);
	RUN(test_changing_data);
	RUN(test_full_output);
	RUN(test_release_early);
	RUN(test_foreign_signature);
	RUN(test_edges);
	return check_report();
}
