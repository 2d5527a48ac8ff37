/* SPDX-License-Identifier: MIT */
/*
 * Files made by zlib, libbz2, libzstd and liblzma, decoded as they are read;
 * the tests of unpacker.c and source_stream.c as well.
 */
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "check.h"
#include "io/source.h"
#include "pipes.h"

#define LARGEST 300001

enum format {
	GZIP,
	BZIP2,
	ZSTD,
	XZ,
	NFORMATS
};

static const char *const names[] = { "gzip", "bzip2", "zstd", "xz" };

static uint8_t data[LARGEST];

static void fill_data(void)
{
	uint64_t seed = 53;

	for (size_t i = 0; i < LARGEST; i++)
		data[i] = i % 3 ? (uint8_t)(i >> 8) :
				  (uint8_t)check_random(&seed);
}

static size_t put_gzip(const uint8_t *in, size_t nbytes, uint8_t *out,
		       size_t room)
{
	z_stream z = { 0 };

	CHECK(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) ==
	      Z_OK);
	z.next_in = (Bytef *)(uintptr_t)in;
	z.avail_in = (unsigned)nbytes;
	z.next_out = out;
	z.avail_out = (unsigned)room;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t put_bzip2(const uint8_t *in, size_t nbytes, uint8_t *out,
			size_t room)
{
	unsigned n = (unsigned)room;

	CHECK(BZ2_bzBuffToBuffCompress((char *)out, &n, (char *)(uintptr_t)in,
				       (unsigned)nbytes, 1, 0, 0) == BZ_OK);
	return n;
}

/* With the frame's own check. */
static size_t put_zstd(const uint8_t *in, size_t nbytes, uint8_t *out,
		       size_t room)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	size_t n;

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(ctx, out, room, in, nbytes);
	CHECK(!ZSTD_isError(n));
	ZSTD_freeCCtx(ctx);
	return n;
}

static size_t put_xz(const uint8_t *in, size_t nbytes, uint8_t *out,
		     size_t room)
{
	size_t n = 0;

	CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, in, nbytes,
				      out, &n, room) == LZMA_OK);
	return n;
}

/* Appends a member that holds some of the data. */
static void put_member(struct blob *b, enum format format, size_t begin,
		       size_t nbytes)
{
	size_t room = nbytes + nbytes / 50 + 1000, n = 0;
	uint8_t *out = malloc(room);

	switch (format) {
	case GZIP:
		n = put_gzip(data + begin, nbytes, out, room);
		break;
	case BZIP2:
		n = put_bzip2(data + begin, nbytes, out, room);
		break;
	case ZSTD:
		n = put_zstd(data + begin, nbytes, out, room);
		break;
	default:
		n = put_xz(data + begin, nbytes, out, room);
	}
	blob_put(b, out, n);
	free(out);
}

/* Reads all there is, in pieces of up to 'max_piece' bytes. */
static int read_all(struct nc3z_source *source, size_t max_piece,
		    struct blob *out, struct nc3z_error *err)
{
	uint8_t *piece = malloc(max_piece);
	int status = NC3Z_OK;
	size_t n = max_piece, got = n;
	uint64_t seed = max_piece;

	*out = (struct blob){ 0 };
	while (status == NC3Z_OK && got == n) {
		n = 1 + check_random_below(&seed, max_piece);
		status = source_read_at(source, out->nbytes, piece, n, &got,
					err);
		if (status == NC3Z_OK)
			blob_put(out, piece, got);
	}
	free(piece);
	return status;
}

/* What is inside a file, if anything; the status of reading it. */
static int unpack(const struct blob *b, bool from_pipe, size_t max_piece,
		  const char **format, struct blob *out)
{
	uint8_t *copy = copy_exactly(b->data, b->nbytes);
	struct nc3z_error err = { .status = -1 };
	struct nc3z_source *source;
	struct feeder f;
	int status;

	if (from_pipe) {
		feeder_start(&f, copy, b->nbytes, 1001);
		CHECK(nc3z_source_open_fd(f.read_fd, &source, NULL) == NC3Z_OK);
	} else {
		CHECK(nc3z_source_open_memory(copy, b->nbytes, &source, NULL) ==
		      NC3Z_OK);
	}
	CHECK(nc3z_source_unpack(&source, format, NULL) == NC3Z_OK);
	if (*format)
		CHECK(!source->can_seek && source->size == SOURCE_SIZE_UNKNOWN);
	status = read_all(source, max_piece, out, &err);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	CHECK(source_check_unchanged(source, NULL) == NC3Z_OK);
	nc3z_source_close(source);
	if (from_pipe)
		feeder_stop(&f);
	free(copy);
	return status;
}

static void check_unpacks(const struct blob *b, enum format format,
			  bool from_pipe, size_t max_piece, size_t nbytes)
{
	const char *found = "none";
	struct blob out;

	CHECK(unpack(b, from_pipe, max_piece, &found, &out) == NC3Z_OK);
	CHECK_STR_EQ(found, names[format]);
	if (CHECK_EQ_U64(out.nbytes, nbytes))
		CHECK_MEM_EQ(out.data, data, nbytes);
	blob_release(&out);
}

static void test_one_member(void)
{
	static const size_t sizes[] = { 0, 1, 1000, LARGEST };
	static const size_t pieces[] = { 100, 40000, 300000 };

	for (unsigned f = 0; f < NFORMATS; f++)
		for (size_t i = 0; i < 4; i++) {
			struct blob b = { 0 };

			put_member(&b, f, 0, sizes[i]);
			for (size_t k = 0; k < 6; k++)
				check_unpacks(&b, f, k & 1, pieces[k / 2],
					      sizes[i]);
			blob_release(&b);
		}
}

/* Members one after the other, empty ones too, and zeros at the end. */
static void test_several_members(void)
{
	for (unsigned f = 0; f < NFORMATS; f++)
		for (size_t nzeros = 0; nzeros < 70000; nzeros += 9 + nzeros) {
			struct blob b = { 0 };

			put_member(&b, f, 0, 100000);
			put_member(&b, f, 0, 0);
			put_member(&b, f, 100000, 1);
			put_member(&b, f, 100001, 99);
			blob_fill(&b, 0, nzeros);
			check_unpacks(&b, f, nzeros & 1, 5000, 100100);
			blob_release(&b);
		}
}

static void check_damaged(const struct blob *b)
{
	const char *format;
	struct blob out;

	CHECK(unpack(b, false, 3000, &format, &out) == NC3Z_EDAMAGED);
	blob_release(&out);
}

/* Frames without data, which some makers of zstd files add. */
static void test_skippable_frames(void)
{
	static const uint8_t frame[] = { 0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0,
					 0,    1,    2,    3,    4, 5 };
	struct blob b = { 0 };

	put_member(&b, ZSTD, 0, 1000);
	blob_put(&b, frame, sizeof(frame));
	check_unpacks(&b, ZSTD, false, 500, 1000);
	blob_put(&b, frame, sizeof(frame));
	put_member(&b, ZSTD, 1000, 500);
	blob_put(&b, frame, sizeof(frame));
	check_unpacks(&b, ZSTD, true, 500, 1500);
	b.nbytes -= 3;
	check_damaged(&b);
	blob_release(&b);
}

static void test_every_length(void)
{
	for (unsigned f = 0; f < NFORMATS; f++) {
		struct blob b = { 0 };
		size_t first, n;

		put_member(&b, f, 0, 400);
		first = b.nbytes;
		put_member(&b, f, 400, 300);
		n = b.nbytes;
		for (b.nbytes = 6; b.nbytes < n; b.nbytes++)
			if (b.nbytes != first)
				check_damaged(&b);
		blob_release(&b);
	}
}

/* Behind the last member there may be zeros, but nothing else. */
static void test_bytes_behind(void)
{
	static const char *const tails[] = { "x", "\0\0x", "CDF\1",
					     "some text, long enough" };
	static const size_t lengths[] = { 1, 3, 4, 22 };

	for (unsigned f = 0; f < NFORMATS; f++)
		for (size_t i = 0; i < 4; i++) {
			struct blob b = { 0 };

			put_member(&b, f, 0, 5000);
			blob_put(&b, tails[i], lengths[i]);
			check_damaged(&b);
			b.nbytes -= lengths[i];
			put_member(&b, (f + 1) % NFORMATS, 0, 100);
			check_damaged(&b);
			blob_release(&b);
		}
}

/* The formats' own checks are verified: wrong bytes are not taken. */
static void test_changed_bytes(void)
{
	for (unsigned f = 0; f < NFORMATS; f++) {
		struct blob b = { 0 };

		put_member(&b, f, 0, 700);
		for (size_t at = 0; at < b.nbytes; at++) {
			const char *format;
			struct blob out;
			int status;

			b.data[at] ^= 0x11;
			status = unpack(&b, false, 3000, &format, &out);
			if (status == NC3Z_OK && format) {
				/* A field that says nothing of the data. */
				CHECK_EQ_U64(out.nbytes, 700);
				CHECK_MEM_EQ(out.data, data, 700);
			} else if (format) {
				CHECK(status == NC3Z_EDAMAGED ||
				      status == NC3Z_ELIMIT);
			}
			blob_release(&out);
			b.data[at] ^= 0x11;
		}
		blob_release(&b);
	}
}

/* Anything else stays as it is, from its first byte on. */
static void test_other_files(void)
{
	static const size_t sizes[] = { 0, 1, 2, 5, 6, 7, 100000 };
	uint8_t first = data[0];

	for (size_t i = 0; i < 7; i++)
		for (unsigned from_pipe = 0; from_pipe < 2; from_pipe++) {
			const char *format = "none";
			struct blob b = { 0 }, out;

			data[0] = 'C';
			blob_put(&b, data, sizes[i]);
			CHECK(unpack(&b, from_pipe, 5000, &format, &out) ==
			      NC3Z_OK);
			CHECK(format == NULL);
			if (CHECK_EQ_U64(out.nbytes, sizes[i]))
				CHECK_MEM_EQ(out.data, data, sizes[i]);
			blob_release(&out);
			blob_release(&b);
		}
	data[0] = first;
}

int main(void)
{
	fill_data();
	RUN(test_one_member);
	RUN(test_several_members);
	RUN(test_skippable_frames);
	RUN(test_every_length);
	RUN(test_bytes_behind);
	RUN(test_changed_bytes);
	RUN(test_other_files);
	return check_report();
}
