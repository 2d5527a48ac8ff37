/* SPDX-License-Identifier: MIT */
/* Oracles: zlib, libbz2's buffer API, libzstd's one-shot API. */
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "check.h"
#include "codec/codec.h"
#include "codecs.h"

#define LARGEST 300001

static struct codec_state state;

/*
 * Kinds of data, from the most to the least compressible.  A ramp is nothing
 * for codecs at levels that only look for repeats.
 */
enum kind {
	ZEROS,
	RUNS,
	RAMP,
	TEXT,
	NOISE,
	NKINDS
};

static uint8_t byte_of(enum kind kind, size_t i, uint64_t *seed)
{
	static const char text[] = "temperature of the sea, degree_Celsius; ";

	switch (kind) {
	case ZEROS:
		return 0;
	case RUNS: /* of 200 and more equal bytes */
		return (uint8_t)(i / (200 + i / 1000));
	case RAMP:
		return (uint8_t)(i / 7 + check_random_below(seed, 3));
	case TEXT:
		return (uint8_t)text[(i + i / 97) % (sizeof(text) - 1)];
	default:
		return (uint8_t)check_random(seed);
	}
}

static uint8_t *make_data(enum kind kind, size_t nbytes)
{
	uint8_t *data = malloc(nbytes);
	uint64_t seed = 9;

	for (size_t i = 0; i < nbytes; i++)
		data[i] = byte_of(kind, i, &seed);
	return data;
}

/* Encodes into a buffer of just 'room' bytes; the number written. */
static size_t encode(const struct codec_settings *how, const uint8_t *data,
		     size_t nbytes, size_t room, uint8_t **out_ret)
{
	uint8_t *out = malloc(room + 1);
	struct codec_buffers b = {
		.in = data,
		.in_nbytes = nbytes,
		.out = out,
		.out_nbytes = room,
	};
	size_t written = 1234567;

	out[room] = 0xa5;
	CHECK(codec_encode(&state, how, &b, &written, NULL) == NC3Z_OK);
	CHECK(written <= room);
	CHECK(out[room] == 0xa5);
	*out_ret = out;
	return written;
}

/* Decodes copies of just the right size. */
static int decode(uint8_t codec, const uint8_t *stored, size_t stored_nbytes,
		  uint8_t *out, size_t nbytes)
{
	uint8_t *in = malloc(stored_nbytes), *to = malloc(nbytes);
	struct codec_buffers b = {
		.in = in,
		.in_nbytes = stored_nbytes,
		.out = to,
		.out_nbytes = nbytes,
	};
	struct nc3z_error err = { .status = -1 };
	int status;

	memcpy(in, stored, stored_nbytes);
	status = codec_decode(&state, codec, &b, &err);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	if (status == NC3Z_OK && out)
		memcpy(out, to, nbytes);
	free(in);
	free(to);
	return status;
}

static bool zstd_decodes(const uint8_t *stored, size_t stored_nbytes,
			 uint8_t *out, size_t nbytes)
{
	return ZSTD_getFrameContentSize(stored, stored_nbytes) == nbytes &&
	       ZSTD_findFrameCompressedSize(stored, stored_nbytes) ==
		       stored_nbytes &&
	       ZSTD_decompress(out, nbytes, stored, stored_nbytes) == nbytes;
}

/* With a dictionary of 8 MiB, which suffices for any stream. */
static bool lzma_decodes(const uint8_t *stored, size_t stored_nbytes,
			 uint8_t *out, size_t nbytes)
{
	lzma_options_lzma options = { .dict_size = 8 << 20 };
	const lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options },
					{ LZMA_VLI_UNKNOWN, NULL } };
	size_t in = 0, got = 0;

	return lzma_raw_buffer_decode(filters, NULL, stored, &in, stored_nbytes,
				      out, &got, nbytes) == LZMA_OK &&
	       in == stored_nbytes && got == nbytes;
}

/* What the codec's own library makes of a stream. */
static bool library_decodes(uint8_t codec, const uint8_t *stored,
			    size_t stored_nbytes, uint8_t *out, size_t nbytes)
{
	uLong zlib_in = (uLong)stored_nbytes;
	uLongf zlib_out = (uLongf)nbytes;
	unsigned bz_out = (unsigned)nbytes;

	switch (codec) {
	case NC3Z_CODEC_DEFLATE:
		return uncompress2(out, &zlib_out, stored, &zlib_in) == Z_OK &&
		       zlib_in == stored_nbytes && zlib_out == nbytes;
	case NC3Z_CODEC_BZIP2:
		return BZ2_bzBuffToBuffDecompress((char *)out, &bz_out,
						  (char *)(uintptr_t)stored,
						  (unsigned)stored_nbytes, 0,
						  0) == BZ_OK &&
		       bz_out == nbytes;
	case NC3Z_CODEC_LZMA:
		return lzma_decodes(stored, stored_nbytes, out, nbytes);
	case NC3Z_CODEC_ZSTD:
		return zstd_decodes(stored, stored_nbytes, out, nbytes);
	default:
		memcpy(out, stored, nbytes);
		return stored_nbytes == nbytes;
	}
}

/* Encodes with n - 1 bytes of room, as blocks do; true if that sufficed. */
static bool check_round_trip(const struct codec_settings *how,
			     const uint8_t *data, size_t nbytes)
{
	uint8_t *stored, *out = malloc(nbytes);
	size_t written = encode(how, data, nbytes, nbytes - 1, &stored);

	if (written > 0) {
		memset(out, 0xee, nbytes);
		CHECK(library_decodes(how->codec, stored, written, out,
				      nbytes));
		CHECK_MEM_EQ(out, data, nbytes);
		memset(out, 0xee, nbytes);
		CHECK(decode(how->codec, stored, written, out, nbytes) ==
		      NC3Z_OK);
		CHECK_MEM_EQ(out, data, nbytes);
	}
	free(stored);
	free(out);
	return written > 0;
}

static struct codec_settings settings_of(uint8_t codec, int level)
{
	return (struct codec_settings){ .codec = codec,
					.level = codec_level(codec, level) };
}

/* A level for many short inputs: bzip2 clears memory in proportion to it. */
static struct codec_settings quick_settings(uint8_t codec)
{
	return settings_of(codec, codec == NC3Z_CODEC_BZIP2 ? 1 : 5);
}

static void test_round_trips(void)
{
	static const size_t sizes[] = { 100, 999, 4096, 30001 };

	for (uint8_t codec = 1; codec < CODEC_COUNT; codec = next_codec(codec))
		for (int level = 1; level <= NC3Z_LEVEL_MAX; level++) {
			struct codec_settings how = settings_of(codec, level);

			for (unsigned kind = 0; kind < NKINDS; kind++)
				for (size_t i = 0; i < 4; i++) {
					uint8_t *data =
						make_data(kind, sizes[i]);
					bool fits = check_round_trip(&how, data,
								     sizes[i]);

					if (kind == NOISE)
						CHECK(!fits);
					else if (i >= 2 && kind != RAMP)
						CHECK(fits);
					free(data);
				}
		}
}

static void test_short_lengths(void)
{
	for (uint8_t codec = 1; codec < CODEC_COUNT; codec = next_codec(codec))
		for (unsigned kind = 0; kind < NKINDS; kind++) {
			struct codec_settings how = quick_settings(codec);
			uint8_t *data = make_data(kind, 200);

			for (size_t nbytes = 1; nbytes <= 200; nbytes++)
				check_round_trip(&how, data, nbytes);
			free(data);
		}
}

static void test_large(void)
{
	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct codec_settings how = settings_of(codec, 5);
		uint8_t *data = make_data(RUNS, LARGEST);

		CHECK(check_round_trip(&how, data, LARGEST));
		free(data);
	}
}

/* A higher level must be worth something. */
static void test_levels_differ(void)
{
	uint8_t *data = make_data(RAMP, 60001), *out;

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct codec_settings fast = settings_of(codec, 1);
		struct codec_settings best = settings_of(codec, 9);
		size_t fast_nbytes, best_nbytes;

		fast_nbytes = encode(&fast, data, 60001, 60000, &out);
		free(out);
		best_nbytes = encode(&best, data, 60001, 60000, &out);
		free(out);
		CHECK(best_nbytes > 0 && best_nbytes <= fast_nbytes);
	}
	free(data);
}

static void test_store(void)
{
	struct codec_settings how = { .codec = NC3Z_CODEC_STORE };
	uint8_t *data = make_data(NOISE, 100), *out, back[100];

	CHECK_EQ_U64(encode(&how, data, 100, 99, &out), 0);
	free(out);
	CHECK_EQ_U64(encode(&how, data, 100, 100, &out), 100);
	CHECK_MEM_EQ(out, data, 100);
	CHECK(decode(NC3Z_CODEC_STORE, out, 100, back, 100) == NC3Z_OK);
	CHECK_MEM_EQ(back, data, 100);
	CHECK(decode(NC3Z_CODEC_STORE, out, 99, NULL, 100) == NC3Z_EDAMAGED);
	CHECK(decode(NC3Z_CODEC_STORE, out, 100, NULL, 99) == NC3Z_EDAMAGED);
	CHECK(decode(NC3Z_CODEC_STORE, out, 0, NULL, 99) == NC3Z_EDAMAGED);
	free(out);
	free(data);
}

/* Whatever the room is, the result fits and is right, or there is none. */
static void test_every_room(void)
{
	uint8_t *data = make_data(TEXT, 700), back[700];

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct codec_settings how = quick_settings(codec);
		uint8_t *out;
		size_t whole = encode(&how, data, 700, 2000, &out);

		free(out);
		REQUIRE(whole > 0 && whole < 700);
		for (size_t room = 0; room < whole + 20; room++) {
			size_t n = encode(&how, data, 700, room, &out);

			if (n > 0) {
				CHECK(library_decodes(codec, out, n, back,
						      700));
				CHECK_MEM_EQ(back, data, 700);
			}
			if (room < whole - 8)
				CHECK_EQ_U64(n, 0);
			free(out);
		}
	}
	free(data);
}

/* The number of blocks in a zstd frame, by RFC 8878 section 3.1.1. */
static size_t count_zstd_blocks(const uint8_t *frame, size_t nbytes)
{
	unsigned descriptor = frame[4], fcs = descriptor >> 6;
	bool single = descriptor >> 5 & 1;
	size_t at = 5 + !single, count = 0;

	at += fcs == 0 ? (size_t)single : (size_t)1 << fcs;
	for (bool last = false; !last && at + 3 <= nbytes; count++) {
		uint32_t head = (uint32_t)frame[at] |
				(uint32_t)frame[at + 1] << 8 |
				(uint32_t)frame[at + 2] << 16;

		last = head & 1;
		at += 3 + ((head >> 1 & 3) == 1 ? 1 : head >> 3);
	}
	return at == nbytes ? count : 0;
}

static void test_zstd_planes(void)
{
	static const size_t planes[] = { 1000, 2500,  4999, 5000,
					 9999, 10000, 20000 };
	uint8_t *data = make_data(RAMP, 10007), back[10007], *out;

	for (int level = 1; level <= NC3Z_LEVEL_MAX; level += 4)
		for (size_t i = 0; i < 7; i++) {
			struct codec_settings how =
				settings_of(NC3Z_CODEC_ZSTD, level);
			size_t n, nplanes = 10007 / planes[i];

			how.plane_nbytes = planes[i];
			n = encode(&how, data, 10007, 10006, &out);
			CHECK(n > 0 && zstd_decodes(out, n, back, 10007));
			CHECK_MEM_EQ(back, data, 10007);
			CHECK(decode(NC3Z_CODEC_ZSTD, out, n, back, 10007) ==
			      NC3Z_OK);
			CHECK(count_zstd_blocks(out, n) >= nplanes);
			free(out);
		}
	free(data);
}

/* Planes that are tiny or larger than the input. */
static void test_odd_planes(void)
{
	uint8_t *data = make_data(ZEROS, 64);
	struct codec_settings how = settings_of(NC3Z_CODEC_ZSTD, 5);

	for (size_t nbytes = 1; nbytes <= 64; nbytes++)
		for (size_t plane = 0; plane <= nbytes + 1; plane++) {
			how.plane_nbytes = plane;
			check_round_trip(&how, data, nbytes);
		}
	free(data);
}

/* A hint that the other codecs make nothing of. */
static void test_planes_of_other_codecs(void)
{
	uint8_t *data = make_data(RUNS, 1000), *plain, *hinted;

	for (uint8_t codec = 1; codec < NC3Z_CODEC_ZSTD; codec++) {
		struct codec_settings how = settings_of(codec, 5);
		size_t n = encode(&how, data, 1000, 999, &plain);

		how.plane_nbytes = 250;
		CHECK_EQ_U64(encode(&how, data, 1000, 999, &hinted), n);
		CHECK_MEM_EQ(plain, hinted, n);
		free(plain);
		free(hinted);
	}
	free(data);
}

/* A stream of 'data' by each codec, for the tests of decoding. */
static size_t make_stream(uint8_t codec, const uint8_t *data, size_t nbytes,
			  uint8_t **out_ret)
{
	struct codec_settings how = quick_settings(codec);

	return encode(&how, data, nbytes, 2 * nbytes + 1000, out_ret);
}

static void test_decode_refuses_wrong_lengths(void)
{
	uint8_t *data = make_data(TEXT, 500), *stream;

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		size_t n = make_stream(codec, data, 500, &stream);

		REQUIRE(n > 0);
		CHECK(decode(codec, stream, n, NULL, 500) == NC3Z_OK);
		for (size_t cut = 0; cut < n; cut++)
			CHECK(decode(codec, stream, cut, NULL, 500) ==
			      NC3Z_EDAMAGED);
		for (size_t length = 1; length < 600; length++)
			if (length != 500)
				CHECK(decode(codec, stream, n, NULL, length) ==
				      NC3Z_EDAMAGED);
		free(stream);
	}
	free(data);
}

/* Bytes behind a stream, of any value, and a second stream. */
static void test_decode_refuses_trailing_bytes(void)
{
	uint8_t *data = make_data(TEXT, 500), *stream, twice[3000];

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		size_t n = make_stream(codec, data, 500, &stream);

		memcpy(twice, stream, n);
		for (unsigned value = 0; value < 256; value++) {
			twice[n] = (uint8_t)value;
			CHECK(decode(codec, twice, n + 1, NULL, 500) ==
			      NC3Z_EDAMAGED);
		}
		memcpy(twice + n, stream, n);
		CHECK(decode(codec, twice, 2 * n, NULL, 500) == NC3Z_EDAMAGED);
		CHECK(decode(codec, twice, 2 * n, NULL, 1000) == NC3Z_EDAMAGED);
		memcpy(twice + 1, stream, n); /* behind one byte */
		CHECK(decode(codec, twice, n + 1, NULL, 500) == NC3Z_EDAMAGED);
		free(stream);
	}
	free(data);
}

static void test_decode_refuses_garbage(void)
{
	uint64_t seed = 10;

	for (uint8_t codec = 1; codec < CODEC_COUNT; codec = next_codec(codec))
		for (int round = 0; round < 500; round++) {
			uint8_t garbage[200];
			size_t n = 1 + check_random_below(&seed, 200);

			for (size_t i = 0; i < n; i++)
				garbage[i] = (uint8_t)check_random(&seed);
			CHECK(decode(codec, garbage, n, NULL, 1000) ==
			      NC3Z_EDAMAGED);
		}
}

/*
 * One bit flipped at a time.  The checks inside zlib and bzip2 streams find
 * what changes the data; zstd frames have none.
 */
static void test_decode_of_flipped_bits(void)
{
	uint8_t *data = make_data(TEXT, 500), *stream, out[500];

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		size_t n = make_stream(codec, data, 500, &stream);

		for (size_t bit = 0; bit < 8 * n; bit++) {
			int status;

			stream[bit / 8] ^= (uint8_t)(1u << bit % 8);
			memset(out, 0, sizeof(out));
			status = decode(codec, stream, n, out, 500);
			CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
			if (status == NC3Z_OK && codec != NC3Z_CODEC_ZSTD &&
			    codec != NC3Z_CODEC_LZMA)
				CHECK_MEM_EQ(out, data, 500);
			stream[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		free(stream);
	}
	free(data);
}

/* Streams of other makers are streams too. */
static void test_decode_of_other_makers(void)
{
	uint8_t *data = make_data(RAMP, 5000), stream[6000], out[5000];
	uLongf zlib_nbytes = sizeof(stream);
	unsigned bz_nbytes = sizeof(stream);
	size_t zstd_nbytes;

	REQUIRE(compress2(stream, &zlib_nbytes, data, 5000, 9) == Z_OK);
	CHECK(decode(NC3Z_CODEC_DEFLATE, stream, zlib_nbytes, out, 5000) ==
	      NC3Z_OK);
	CHECK_MEM_EQ(out, data, 5000);
	REQUIRE(BZ2_bzBuffToBuffCompress((char *)stream, &bz_nbytes,
					 (char *)data, 5000, 9, 0, 0) == BZ_OK);
	CHECK(decode(NC3Z_CODEC_BZIP2, stream, bz_nbytes, out, 5000) ==
	      NC3Z_OK);
	CHECK_MEM_EQ(out, data, 5000);
	zstd_nbytes = ZSTD_compress(stream, sizeof(stream), data, 5000, 19);
	REQUIRE(!ZSTD_isError(zstd_nbytes));
	CHECK(decode(NC3Z_CODEC_ZSTD, stream, zstd_nbytes, out, 5000) ==
	      NC3Z_OK);
	CHECK_MEM_EQ(out, data, 5000);
	free(data);
}

/* The same deflate data in the other two wrappings. */
static size_t deflate_wrapped(int window_bits, const uint8_t *data,
			      size_t nbytes, uint8_t *out, size_t room)
{
	z_stream z = { 0 };

	if (deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (unsigned)nbytes;
	z.next_out = out;
	z.avail_out = (unsigned)room;
	deflate(&z, Z_FINISH);
	deflateEnd(&z);
	return z.total_out;
}

static void test_deflate_is_zlib_only(void)
{
	uint8_t *data = make_data(TEXT, 500), stream[1000];
	size_t n;

	n = deflate_wrapped(15, data, 500, stream, sizeof(stream));
	CHECK(decode(NC3Z_CODEC_DEFLATE, stream, n, NULL, 500) == NC3Z_OK);
	n = deflate_wrapped(31, data, 500, stream, sizeof(stream));
	CHECK(decode(NC3Z_CODEC_DEFLATE, stream, n, NULL, 500) ==
	      NC3Z_EDAMAGED);
	n = deflate_wrapped(-15, data, 500, stream, sizeof(stream));
	CHECK(decode(NC3Z_CODEC_DEFLATE, stream, n, NULL, 500) ==
	      NC3Z_EDAMAGED);
	free(data);
}

/* Skippable frames before, behind and alone. */
static void test_zstd_skippable_frames(void)
{
	static const uint8_t skippable[] = { 0x50, 0x2a, 0x4d, 0x18, 4, 0,
					     0,    0,    1,    2,    3, 4 };
	uint8_t *data = make_data(TEXT, 500), *stream, both[1000];
	size_t n = make_stream(NC3Z_CODEC_ZSTD, data, 500, &stream);

	memcpy(both, skippable, sizeof(skippable));
	memcpy(both + sizeof(skippable), stream, n);
	CHECK(decode(NC3Z_CODEC_ZSTD, both, sizeof(skippable) + n, NULL, 500) ==
	      NC3Z_EDAMAGED);
	memcpy(both, stream, n);
	memcpy(both + n, skippable, sizeof(skippable));
	CHECK(decode(NC3Z_CODEC_ZSTD, both, sizeof(skippable) + n, NULL, 500) ==
	      NC3Z_EDAMAGED);
	CHECK(decode(NC3Z_CODEC_ZSTD, skippable, sizeof(skippable), NULL, 4) ==
	      NC3Z_EDAMAGED);
	CHECK(decode(NC3Z_CODEC_ZSTD, skippable, sizeof(skippable), NULL,
		     500) == NC3Z_EDAMAGED);
	free(stream);
	free(data);
}

/* A frame must say how long its contents are. */
static void test_zstd_without_content_size(void)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	uint8_t *data = make_data(TEXT, 500), stream[1000], out[500];
	size_t n;

	REQUIRE(ctx);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
	n = ZSTD_compress2(ctx, stream, sizeof(stream), data, 500);
	REQUIRE(!ZSTD_isError(n));
	CHECK(decode(NC3Z_CODEC_ZSTD, stream, n, NULL, 500) == NC3Z_EDAMAGED);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 1);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(ctx, stream, sizeof(stream), data, 500);
	CHECK(decode(NC3Z_CODEC_ZSTD, stream, n, out, 500) == NC3Z_OK);
	CHECK_MEM_EQ(out, data, 500);
	ZSTD_freeCCtx(ctx);
	free(data);
}

/* A frame of zstd 0.7, which libzstd may know: five raw bytes. */
static void test_zstd_of_old(void)
{
	static const uint8_t frame[] = { 0x27, 0xb5, 0x2f, 0xfd, 0x20, 5,
					 0x40, 0,    5,    'h',  'e',  'l',
					 'l',  'o',  0xc0, 0,    0 };
	uint8_t out[5];

	CHECK(decode(NC3Z_CODEC_ZSTD, frame, sizeof(frame), out, 5) ==
	      NC3Z_EDAMAGED);
}

static void test_names(void)
{
	static const char *const names[] = { "store", "deflate", "bzip2",
					     "zstd",  "context", "lzma" };

	for (unsigned i = 0; i < 256; i++) {
		if (i < CODEC_COUNT)
			CHECK_STR_EQ(nc3z_codec_name((uint8_t)i), names[i]);
		else
			CHECK(nc3z_codec_name((uint8_t)i) == NULL);
	}
	for (int i = 0; i < CODEC_COUNT; i++)
		CHECK(nc3z_codec_by_name(names[i]) == i);
	CHECK(nc3z_codec_by_name("") == -1);
	CHECK(nc3z_codec_by_name("zstandard") == -1);
	CHECK(nc3z_codec_by_name("zst") == -1);
}

/* A state that was released, or never used, can be released again. */
static void test_release(void)
{
	struct codec_state empty = { 0 };

	codec_state_release(&empty);
	codec_state_release(&state);
	test_large();
	codec_state_release(&state);
}

int main(void)
{
	RUN(test_round_trips);
	RUN(test_short_lengths);
	RUN(test_large);
	RUN(test_levels_differ);
	RUN(test_store);
	RUN(test_every_room);
	RUN(test_zstd_planes);
	RUN(test_odd_planes);
	RUN(test_planes_of_other_codecs);
	RUN(test_decode_refuses_wrong_lengths);
	RUN(test_decode_refuses_trailing_bytes);
	RUN(test_decode_refuses_garbage);
	RUN(test_decode_of_flipped_bits);
	RUN(test_decode_of_other_makers);
	RUN(test_deflate_is_zlib_only);
	RUN(test_zstd_skippable_frames);
	RUN(test_zstd_without_content_size);
	RUN(test_zstd_of_old);
	RUN(test_names);
	RUN(test_release);
	return check_report();
}
