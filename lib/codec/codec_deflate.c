/* Deflate in a zlib stream (RFC 1950, RFC 1951), by libdeflate. */
#include <libdeflate.h>

#include "codec/internal.h"

#ifndef NC3Z_READ_ONLY
static int deflate_encode(struct codec_state *state,
			  const struct codec_settings *how,
			  const struct codec_buffers *b, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	if (!state->deflate_encoder || state->deflate_level != how->level) {
		libdeflate_free_compressor(state->deflate_encoder);
		state->deflate_encoder =
			libdeflate_alloc_compressor(how->level);
		state->deflate_level = how->level;
	}
	if (!state->deflate_encoder)
		return error_set_memory(err);
	*nbytes_ret = libdeflate_zlib_compress(state->deflate_encoder, b->in,
					       b->in_nbytes, b->out,
					       b->out_nbytes);
	return NC3Z_OK;
}
#endif

static int deflate_decode(struct codec_state *state,
			  const struct codec_buffers *b, struct nc3z_error *err)
{
	enum libdeflate_result result;
	size_t used = 0;

	if (!state->deflate_decoder)
		state->deflate_decoder = libdeflate_alloc_decompressor();
	if (!state->deflate_decoder)
		return error_set_memory(err);
	result = libdeflate_zlib_decompress_ex(state->deflate_decoder, b->in,
					       b->in_nbytes, b->out,
					       b->out_nbytes, &used, NULL);
	if (result != LIBDEFLATE_SUCCESS || used != b->in_nbytes)
		return error_set(err, NC3Z_EDAMAGED, "invalid deflate stream");
	return NC3Z_OK;
}

static void deflate_release(struct codec_state *state)
{
#ifndef NC3Z_READ_ONLY
	libdeflate_free_compressor(state->deflate_encoder);
#endif
	libdeflate_free_decompressor(state->deflate_decoder);
}

const struct codec_ops codec_deflate_ops = {
	.name = "deflate",
	.levels = { 0, 1, 2, 4, 5, 6, 7, 9, 10, 12 },
#ifndef NC3Z_READ_ONLY
	.encode = deflate_encode,
#endif
	.decode = deflate_decode,
	.release = deflate_release,
};
