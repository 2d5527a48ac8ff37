/* SPDX-License-Identifier: MIT */
/* One bzip2 stream, by libbz2. */
#include <bzlib.h>
#include <limits.h>

#include "codec/codec.h"
#include "codec/codec_ops.h"

#ifndef NC3Z_READ_ONLY
static int bzip2_encode(void **context, const struct codec_settings *how,
			const struct codec_buffers *b, size_t *nbytes_ret,
			struct nc3z_error *err)
{
	unsigned nbytes = (unsigned)b->out_nbytes;
	int result;

	(void)context;
	*nbytes_ret = 0;
	if (b->in_nbytes > UINT_MAX || b->out_nbytes > UINT_MAX)
		return NC3Z_OK;
	/* libbz2 only reads its input, in spite of its prototype. */
	result = BZ2_bzBuffToBuffCompress((char *)b->out, &nbytes,
					  (char *)(uintptr_t)b->in,
					  (unsigned)b->in_nbytes, how->level, 0,
					  0);
	if (result == BZ_MEM_ERROR)
		return error_set_memory(err);
	if (result == BZ_OK)
		*nbytes_ret = nbytes;
	return NC3Z_OK;
}
#endif

static int bzip2_decode(void **context, const struct codec_buffers *b,
			struct nc3z_error *err)
{
	bz_stream stream = { 0 };
	bool whole;
	int result;

	(void)context;
	if (b->in_nbytes > UINT_MAX || b->out_nbytes > UINT_MAX)
		return error_set(err, NC3Z_EDAMAGED, "invalid bzip2 stream");
	if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK)
		return error_set_memory(err);
	stream.next_in = (char *)(uintptr_t)b->in;
	stream.avail_in = (unsigned)b->in_nbytes;
	stream.next_out = (char *)b->out;
	stream.avail_out = (unsigned)b->out_nbytes;
	result = BZ2_bzDecompress(&stream);
	whole = result == BZ_STREAM_END && stream.avail_in == 0 &&
		stream.avail_out == 0;
	BZ2_bzDecompressEnd(&stream);
	if (result == BZ_MEM_ERROR)
		return error_set_memory(err);
	if (!whole)
		return error_set(err, NC3Z_EDAMAGED, "invalid bzip2 stream");
	return NC3Z_OK;
}

const struct codec_ops codec_bzip2_ops = {
	.name = "bzip2",
#ifndef NC3Z_READ_ONLY
	.version = BZ2_bzlibVersion,
	.levels = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	.encode = bzip2_encode,
#endif
	.decode = bzip2_decode,
};
