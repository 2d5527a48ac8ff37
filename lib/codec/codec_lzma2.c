/*
 * Raw LZMA2, as inside of .xz files, by liblzma: chunks that say how they are
 * coded, the last one empty.  A block is no longer than its part, so the window
 * is that of the part.
 */
#include <lzma.h>

#include "codec/internal.h"

/* liblzma's smallest window. */
#define WINDOW_NBYTES_MIN 4096

static uint32_t window_of(size_t nbytes)
{
	return nbytes > WINDOW_NBYTES_MIN ? (uint32_t)nbytes :
					    WINDOW_NBYTES_MIN;
}

/* Bytes of elements do not depend on their place, nor on the one before. */
static void set_up(lzma_options_lzma *options, int level, size_t in_nbytes)
{
	lzma_lzma_preset(options, (uint32_t)level | LZMA_PRESET_EXTREME);
	options->dict_size = window_of(in_nbytes);
	options->pb = 0;
}

static int lzma2_encode(void **context, const struct codec_settings *how,
			const struct codec_buffers *b, size_t *nbytes_ret,
			struct nc3z_error *err)
{
	lzma_options_lzma options;
	lzma_filter filters[2] = { { LZMA_FILTER_LZMA2, &options },
				   { LZMA_VLI_UNKNOWN, NULL } };
	size_t nbytes = 0;
	lzma_ret result;

	(void)context;
	*nbytes_ret = 0;
	set_up(&options, how->level, b->in_nbytes);
	result = lzma_raw_buffer_encode(filters, NULL, b->in, b->in_nbytes,
					b->out, &nbytes, b->out_nbytes);
	if (result == LZMA_OK)
		*nbytes_ret = nbytes;
	return result == LZMA_MEM_ERROR ? error_set_memory(err) : NC3Z_OK;
}

static int lzma2_decode(void **context, const struct codec_buffers *b,
			struct nc3z_error *err)
{
	lzma_options_lzma options = { .dict_size = window_of(b->out_nbytes) };
	lzma_filter filters[2] = { { LZMA_FILTER_LZMA2, &options },
				   { LZMA_VLI_UNKNOWN, NULL } };
	size_t used = 0, nbytes = 0;
	lzma_ret result;

	(void)context;
	result = lzma_raw_buffer_decode(filters, NULL, b->in, &used,
					b->in_nbytes, b->out, &nbytes,
					b->out_nbytes);
	if (result == LZMA_MEM_ERROR)
		return error_set_memory(err);
	if (result != LZMA_OK || used != b->in_nbytes ||
	    nbytes != b->out_nbytes)
		return error_set(err, NC3Z_EDAMAGED, "invalid LZMA2 stream");
	return NC3Z_OK;
}

const struct codec_ops codec_lzma2_ops = {
	.name = "lzma2",
	.levels = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	.encode = lzma2_encode,
	.decode = lzma2_decode,
};
