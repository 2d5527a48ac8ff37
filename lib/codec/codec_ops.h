/* SPDX-License-Identifier: MIT */
/* One codec, as a row of the table in codec.c, listed in codec_list.h. */
#ifndef NC3Z_CODEC_CODEC_OPS_H
#define NC3Z_CODEC_CODEC_OPS_H

#include <stddef.h>

#include "codec/codec_list.h"

struct codec_buffers;
struct codec_settings;
struct nc3z_error;

/*
 * '*context' is what the codec keeps for one thread, NULL at first; a codec
 * that keeps nothing has no release().
 */
struct codec_ops {
	const char *name;
	const char *(*version)(void); /* of its library; NULL: ours */
	int levels[10];               /* the codec's level for ours */
	int (*encode)(void **context, const struct codec_settings *how,
		      const struct codec_buffers *b, size_t *nbytes_ret,
		      struct nc3z_error *err);
	int (*decode)(void **context, const struct codec_buffers *b,
		      struct nc3z_error *err);
	void (*release)(void *context);
};

#define CODEC_DECLARED(number, row) extern const struct codec_ops row;
CODECS(CODEC_DECLARED)

#endif
