/* What the files of this folder share. */
#ifndef NC3Z_BLOCK_INTERNAL_H
#define NC3Z_BLOCK_INTERNAL_H

#include "block/block.h"

/*
 * encode.c: appends to the payload what the codec makes of 'in';
 * '*nbytes_ret' is 0 if that is not smaller.
 */
int block_encode_smaller(struct block_coder *coder,
			 const struct codec_settings *how, const uint8_t *in,
			 size_t in_nbytes, struct buffer *payload,
			 size_t *nbytes_ret, struct nc3z_error *err);

#endif
