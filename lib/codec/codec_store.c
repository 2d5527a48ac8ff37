/* SPDX-License-Identifier: MIT */
/* Store: the bytes as they are. */
#include <string.h>

#include "codec/codec.h"
#include "codec/codec_ops.h"

#ifndef NC3Z_READ_ONLY
static int store_encode(void **context, const struct codec_settings *how,
			const struct codec_buffers *b, size_t *nbytes_ret,
			struct nc3z_error *err)
{
	(void)context;
	(void)how;
	(void)err;
	*nbytes_ret = 0;
	if (b->in_nbytes <= b->out_nbytes) {
		memcpy(b->out, b->in, b->in_nbytes);
		*nbytes_ret = b->in_nbytes;
	}
	return NC3Z_OK;
}
#endif

static int store_decode(void **context, const struct codec_buffers *b,
			struct nc3z_error *err)
{
	(void)context;
	if (b->in_nbytes != b->out_nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "stored bytes have the wrong length");
	memcpy(b->out, b->in, b->in_nbytes);
	return NC3Z_OK;
}

const struct codec_ops codec_store_ops = {
	.name = "store",
#ifndef NC3Z_READ_ONLY
	.encode = store_encode,
#endif
	.decode = store_decode,
};
