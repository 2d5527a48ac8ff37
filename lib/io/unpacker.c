/* SPDX-License-Identifier: MIT */
#include "io/unpacker.h"

#include <bzlib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>
#ifndef NC3Z_FEW_LIBRARIES
#include <lzma.h>
#include <zlib.h>
#endif

#include "base/magic.h"
#include "base/sizes.h"

/* Of both: xz -9 takes 65 MiB, zstd --ultra -22 takes 128 MiB. */
#define MEMORY_MAX_LOG 29
#define XZ_MEMORY_MAX (UINT64_C(1) << MEMORY_MAX_LOG)

static int invalid(struct nc3z_error *err, const char *name)
{
	return error_set(err, NC3Z_EDAMAGED, "invalid %s data", name);
}

static unsigned as_unsigned(size_t nbytes)
{
	return (unsigned)size_min(nbytes, UINT_MAX);
}

static void advance_buffers(struct unpacker_buffers *b, size_t in_used,
			    size_t out_made)
{
	b->in += in_used;
	b->in_nbytes -= in_used;
	b->out += out_made;
	b->out_nbytes -= out_made;
}

#ifndef NC3Z_FEW_LIBRARIES
static void *gzip_open(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	/* 16: with gzip's header and trailer */
	if (z && inflateInit2(z, 15 + 16) != Z_OK) {
		free(z);
		z = NULL;
	}
	return z;
}

static int gzip_step(void *state, struct unpacker_buffers *b, bool *at_end_ret,
		     struct nc3z_error *err)
{
	unsigned in = as_unsigned(b->in_nbytes);
	unsigned out = as_unsigned(b->out_nbytes);
	z_stream *z = state;
	int result;

	z->next_in = (Bytef *)(uintptr_t)b->in;
	z->avail_in = in;
	z->next_out = b->out;
	z->avail_out = out;
	result = inflate(z, Z_NO_FLUSH);
	advance_buffers(b, in - z->avail_in, out - z->avail_out);
	*at_end_ret = result == Z_STREAM_END;
	if (result == Z_MEM_ERROR)
		return error_set_memory(err);
	if (result == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? NC3Z_OK : invalid(err, "gzip");
	return result == Z_OK || result == Z_BUF_ERROR ? NC3Z_OK :
							 invalid(err, "gzip");
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}
#endif

static void *bzip2_open(void)
{
	bz_stream *z = calloc(1, sizeof(*z));

	if (z && BZ2_bzDecompressInit(z, 0, 0) != BZ_OK) {
		free(z);
		z = NULL;
	}
	return z;
}

static int bzip2_step(void *state, struct unpacker_buffers *b, bool *at_end_ret,
		      struct nc3z_error *err)
{
	unsigned in = as_unsigned(b->in_nbytes);
	unsigned out = as_unsigned(b->out_nbytes);
	bz_stream *z = state;
	int result;

	z->next_in = (char *)(uintptr_t)b->in;
	z->avail_in = in;
	z->next_out = (char *)b->out;
	z->avail_out = out;
	result = BZ2_bzDecompress(z);
	advance_buffers(b, in - z->avail_in, out - z->avail_out);
	*at_end_ret = result == BZ_STREAM_END;
	if (result == BZ_STREAM_END) {
		BZ2_bzDecompressEnd(z);
		result = BZ2_bzDecompressInit(z, 0, 0);
	}
	if (result == BZ_MEM_ERROR)
		return error_set_memory(err);
	return result == BZ_OK ? NC3Z_OK : invalid(err, "bzip2");
}

static void bzip2_close(void *state)
{
	BZ2_bzDecompressEnd(state);
	free(state);
}

static void *zstd_open(void)
{
	ZSTD_DStream *z = ZSTD_createDStream();

	if (z && ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
						     MEMORY_MAX_LOG))) {
		ZSTD_freeDStream(z);
		z = NULL;
	}
	return z;
}

static int zstd_fail(size_t result, struct nc3z_error *err)
{
	switch (ZSTD_getErrorCode(result)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		return error_set(err, NC3Z_ELIMIT,
				 "zstd data need more than 512 MiB of memory");
	case ZSTD_error_memory_allocation:
		return error_set_memory(err);
	default:
		return invalid(err, "zstd");
	}
}

static int zstd_step(void *state, struct unpacker_buffers *b, bool *at_end_ret,
		     struct nc3z_error *err)
{
	ZSTD_inBuffer in = { .src = b->in, .size = b->in_nbytes };
	ZSTD_outBuffer out = { .dst = b->out, .size = b->out_nbytes };
	size_t result = ZSTD_decompressStream(state, &out, &in);

	if (ZSTD_isError(result))
		return zstd_fail(result, err);
	advance_buffers(b, in.pos, out.pos);
	*at_end_ret = result == 0;
	return NC3Z_OK;
}

static void zstd_close(void *state)
{
	ZSTD_freeDStream(state);
}

#ifndef NC3Z_FEW_LIBRARIES
static void *xz_open(void)
{
	lzma_stream *z = calloc(1, sizeof(*z));

	if (z && lzma_stream_decoder(z, XZ_MEMORY_MAX, 0) != LZMA_OK) {
		free(z);
		z = NULL;
	}
	return z;
}

static int xz_step(void *state, struct unpacker_buffers *b, bool *at_end_ret,
		   struct nc3z_error *err)
{
	lzma_stream *z = state;
	lzma_ret result;

	z->next_in = b->in;
	z->avail_in = b->in_nbytes;
	z->next_out = b->out;
	z->avail_out = b->out_nbytes;
	result = lzma_code(z, LZMA_RUN);
	advance_buffers(b, b->in_nbytes - z->avail_in,
			b->out_nbytes - z->avail_out);
	*at_end_ret = result == LZMA_STREAM_END;
	if (result == LZMA_STREAM_END)
		result = lzma_stream_decoder(z, XZ_MEMORY_MAX, 0);
	if (result == LZMA_MEM_ERROR)
		return error_set_memory(err);
	if (result == LZMA_MEMLIMIT_ERROR)
		return error_set(err, NC3Z_ELIMIT,
				 "xz data need more than 512 MiB of memory");
	return result == LZMA_OK || result == LZMA_BUF_ERROR ?
		       NC3Z_OK :
		       invalid(err, "xz");
}

static void xz_close(void *state)
{
	lzma_end(state);
	free(state);
}
#endif

static const struct unpacker_ops unpackers[] = {
#ifndef NC3Z_FEW_LIBRARIES
	{ "gzip", gzip_open, gzip_step, gzip_close },
#endif
	{ "bzip2", bzip2_open, bzip2_step, bzip2_close },
	{ "zstd", zstd_open, zstd_step, zstd_close },
#ifndef NC3Z_FEW_LIBRARIES
	{ "xz", xz_open, xz_step, xz_close },
#endif
};

const struct unpacker_ops *unpacker_for(const uint8_t *data, size_t nbytes)
{
	const char *name = magic_compressor(data, nbytes);

	for (size_t i = 0; name && i < sizeof(unpackers) / sizeof(*unpackers);
	     i++)
		if (strcmp(unpackers[i].name, name) == 0)
			return &unpackers[i];
	return NULL;
}
