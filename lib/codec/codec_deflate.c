/* SPDX-License-Identifier: MIT */
/* Deflate in a zlib stream (RFC 1950, RFC 1951), by libdeflate. */
#include <libdeflate.h>
#include <stdlib.h>

#include "codec/codec.h"
#include "codec/codec_ops.h"

struct contexts {
	struct libdeflate_compressor *encoder;
	int level; /* of the encoder */
	struct libdeflate_decompressor *decoder;
};

static struct contexts *contexts_of(void **context)
{
	if (!*context)
		*context = calloc(1, sizeof(struct contexts));
	return *context;
}

#ifndef NC3Z_READ_ONLY
/* NULL if out of memory. */
static struct libdeflate_compressor *encoder_of(void **context, int level)
{
	struct contexts *c = contexts_of(context);

	if (!c)
		return NULL;
	if (!c->encoder || c->level != level) {
		libdeflate_free_compressor(c->encoder);
		c->encoder = libdeflate_alloc_compressor(level);
		c->level = level;
	}
	return c->encoder;
}
#endif

static struct libdeflate_decompressor *decoder_of(void **context)
{
	struct contexts *c = contexts_of(context);

	if (c && !c->decoder)
		c->decoder = libdeflate_alloc_decompressor();
	return c ? c->decoder : NULL;
}

#ifndef NC3Z_READ_ONLY
static int deflate_encode(void **context, const struct codec_settings *how,
			  const struct codec_buffers *b, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct libdeflate_compressor *encoder = encoder_of(context, how->level);

	if (!encoder)
		return error_set_memory(err);
	*nbytes_ret = libdeflate_zlib_compress(encoder, b->in, b->in_nbytes,
					       b->out, b->out_nbytes);
	return NC3Z_OK;
}
#endif

static int deflate_decode(void **context, const struct codec_buffers *b,
			  struct nc3z_error *err)
{
	struct libdeflate_decompressor *decoder = decoder_of(context);
	enum libdeflate_result result;
	size_t used = 0;

	if (!decoder)
		return error_set_memory(err);
	result = libdeflate_zlib_decompress_ex(decoder, b->in, b->in_nbytes,
					       b->out, b->out_nbytes, &used,
					       NULL);
	if (result != LIBDEFLATE_SUCCESS || used != b->in_nbytes)
		return error_set(err, NC3Z_EDAMAGED, "invalid deflate stream");
	return NC3Z_OK;
}

static void deflate_release(void *context)
{
	struct contexts *c = context;

#ifndef NC3Z_READ_ONLY
	libdeflate_free_compressor(c->encoder);
#endif
	libdeflate_free_decompressor(c->decoder);
	free(c);
}

#ifndef NC3Z_READ_ONLY
/* The one it was compiled with: the library cannot be asked. */
static const char *deflate_version(void)
{
	return LIBDEFLATE_VERSION_STRING;
}
#endif

const struct codec_ops codec_deflate_ops = {
	.name = "deflate",
#ifndef NC3Z_READ_ONLY
	.version = deflate_version,
	.levels = { 0, 1, 2, 4, 5, 6, 7, 9, 10, 12 },
	.encode = deflate_encode,
#endif
	.decode = deflate_decode,
	.release = deflate_release,
};
