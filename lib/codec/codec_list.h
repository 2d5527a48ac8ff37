/* SPDX-License-Identifier: MIT */
/* The codecs of the format. */
#ifndef NC3Z_CODEC_CODEC_LIST_H
#define NC3Z_CODEC_CODEC_LIST_H

#include "nc3z.h"

/* All of them: the number in the format, and the row (codec_ops.h). */
#define CODECS(CODEC) \
	CODEC(NC3Z_CODEC_STORE, codec_store_ops) \
	CODEC(NC3Z_CODEC_DEFLATE, codec_deflate_ops) \
	CODEC(NC3Z_CODEC_BZIP2, codec_bzip2_ops) \
	CODEC(NC3Z_CODEC_ZSTD, codec_zstd_ops) \
	CODEC(NC3Z_CODEC_CONTEXT, codec_context_ops) \
	CODEC(NC3Z_CODEC_LZMA, codec_lzma_ops)

/* One more than the highest number: they have no gaps. */
#define CODEC_ONE(number, row) +1
#define CODEC_COUNT (0 CODECS(CODEC_ONE))

#endif
