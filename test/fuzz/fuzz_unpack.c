/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a gzip, bzip2, zstd or xz file: what comes out is the same
 * however it is read, and ends.
 */
#include <stdlib.h>
#include <string.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "fuzz.h"
#include "io/source.h"

/* Opens the bytes, and unpacks them if they look so. */
static struct nc3z_source *open_unpacked(const uint8_t *data, size_t nbytes,
					 const char **format)
{
	struct nc3z_source *source;

	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(nc3z_source_unpack(&source, format, NULL) == NC3Z_OK);
	return source;
}

/* Reads in steps of 'step' bytes up to the end, an error or the limit. */
static int read_all(struct nc3z_source *source, size_t step, struct buffer *out)
{
	struct nc3z_error err = { 0 };
	size_t got = step;
	int status = NC3Z_OK;

	while (status == NC3Z_OK && got == step &&
	       out->nbytes < FUZZ_NBYTES_MAX) {
		FUZZ_CHECK(buffer_reserve(out, out->nbytes + step));
		status = source_read_at(source, out->nbytes,
					out->data + out->nbytes, step, &got,
					&err);
		if (status == NC3Z_OK)
			out->nbytes += got;
	}
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_ELIMIT);
	FUZZ_CHECK(err.status == status);
	return status;
}

/* Damage can be found earlier or later, but never be missed. */
static void compare(const struct buffer *a, int a_status,
		    const struct buffer *b, int b_status)
{
	size_t n = a->nbytes < b->nbytes ? a->nbytes : b->nbytes;

	FUZZ_CHECK(n == 0 || memcmp(a->data, b->data, n) == 0);
	if (a->nbytes >= FUZZ_NBYTES_MAX || b->nbytes >= FUZZ_NBYTES_MAX)
		return;
	FUZZ_CHECK(a_status == b_status);
	FUZZ_CHECK(a_status != NC3Z_OK || a->nbytes == b->nbytes);
}

static void run(const uint8_t *data, size_t nbytes)
{
	static const size_t steps[] = { 1000, 40000, 300000 };
	struct buffer first = { 0 }, other = { 0 };
	const char *format;
	struct nc3z_source *source = open_unpacked(data, nbytes, &format);
	int status = read_all(source, steps[0], &first);

	nc3z_source_close(source);
	if (!format)
		FUZZ_CHECK(status == NC3Z_OK && first.nbytes <= nbytes &&
			   memcmp(first.data, data, first.nbytes) == 0);
	for (size_t i = 1; i < sizeof(steps) / sizeof(*steps); i++) {
		source = open_unpacked(data, nbytes, &format);
		other.nbytes = 0;
		compare(&first, status, &other,
			read_all(source, steps[i], &other));
		nc3z_source_close(source);
	}
	buffer_release(&first);
	buffer_release(&other);
}

static size_t pack_gzip(const uint8_t *file, size_t n, struct fuzz_room room)
{
	z_stream z = { 0 };
	size_t made = 0;

	FUZZ_CHECK(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8,
				Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = (Bytef *)(uintptr_t)file;
	z.avail_in = (uInt)n;
	z.next_out = room.data;
	z.avail_out = (uInt)room.nbytes;
	if (deflate(&z, Z_FINISH) == Z_STREAM_END)
		made = room.nbytes - z.avail_out;
	deflateEnd(&z);
	return made;
}

static size_t pack_bzip2(const uint8_t *file, size_t n, struct fuzz_room room)
{
	unsigned made = (unsigned)room.nbytes;

	return BZ2_bzBuffToBuffCompress((char *)room.data, &made,
					(char *)(uintptr_t)file, (unsigned)n, 1,
					0, 0) == BZ_OK ?
		       made :
		       0;
}

static size_t pack_zstd(const uint8_t *file, size_t n, struct fuzz_room room)
{
	size_t made = ZSTD_compress(room.data, room.nbytes, file, n, 1);

	return ZSTD_isError(made) ? 0 : made;
}

static size_t pack_xz(const uint8_t *file, size_t n, struct fuzz_room room)
{
	size_t made = 0;

	return lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, file, n,
				       room.data, &made,
				       room.nbytes) == LZMA_OK ?
		       made :
		       0;
}

/* One or two members of one format, at times with zeros behind them. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	static size_t (*const packers[])(const uint8_t *, size_t,
					 struct fuzz_room) = {
		pack_gzip,
		pack_bzip2,
		pack_zstd,
		pack_xz,
	};
	uint64_t state = seed;
	size_t which = (size_t)fuzz_random_below(&state, 4);
	size_t n = packers[which](file, file_nbytes, room);

	if (n == 0 || room.nbytes < 2 * n + 16)
		return n;
	if (fuzz_random_below(&state, 4) == 0) {
		memcpy(room.data + n, room.data, n);
		n *= 2;
	}
	if (fuzz_random_below(&state, 4) == 0) {
		memset(room.data + n, 0, 8);
		n += 8;
	}
	return n;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 30,
	.run = run,
	.from_classic = from_classic,
};
