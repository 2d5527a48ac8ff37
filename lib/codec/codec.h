/* SPDX-License-Identifier: MIT */
/*
 * Codecs: one buffer in, one buffer out.  What a codec writes is one plain
 * stream of its own format (zlib, bzip2, zstd, LZMA2), nothing of ours inside.
 * Context coding is no such codec: it is a row of the table for its name.
 */
#ifndef NC3Z_CODEC_CODEC_H
#define NC3Z_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "codec/codec_list.h"

/*
 * Whether a number is that of a codec of buffers.  Context coding works on the
 * elements of a block (context/) and is nothing for codec_encode() and
 * codec_decode(), nor for options.
 */
bool codec_has_buffers(uint8_t codec);

/*
 * Contexts that codecs keep between calls, by their number: one state for each
 * thread that encodes or decodes.  Zero-initialised it is empty; contexts are
 * made when they are first needed.
 */
struct codec_state {
	void *contexts[CODEC_COUNT];
};

void codec_state_release(struct codec_state *state);

/* How to encode. */
struct codec_settings {
	uint8_t codec; /* one of buffers */
	int level;     /* the codec's own; not used by store */
	/*
	 * If not 0, the input is made of planes of this many bytes with
	 * statistics of their own, and a codec that can starts afresh at each.
	 */
	size_t plane_nbytes;
};

/*
 * The version of the library that encodes, on which the bytes depend; NULL for
 * a codec that is all ours.  The number is one that nc3z_codec_name() knows.
 */
const char *codec_library_version(uint8_t codec);

/* The codec's own level for our level 1 to 9. */
int codec_level(uint8_t codec, int level);

/* From where to where. */
struct codec_buffers {
	const uint8_t *in;
	size_t in_nbytes;
	uint8_t *out;
	size_t out_nbytes;
};

/*
 * Encodes the input (at least one byte) into at most 'out_nbytes' bytes of
 * output.  '*nbytes_ret' is the number written, 0 if they do not suffice: the
 * caller then stores.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int codec_encode(struct codec_state *state, const struct codec_settings *how,
		 const struct codec_buffers *buffers, size_t *nbytes_ret,
		 struct nc3z_error *err);

/*
 * How many bytes a zstd frame states that it holds; false if it does not, or
 * if there are more than 'max'.  What it states is checked by decoding only.
 */
bool codec_zstd_content(const uint8_t *frame, size_t frame_nbytes, size_t max,
			size_t *nbytes_ret);

/*
 * Decodes the input, which must be exactly one stream of the codec, one of
 * buffers, and give exactly 'out_nbytes' bytes.
 *
 * Returns NC3Z_OK, NC3Z_EDAMAGED, NC3Z_ENOMEM.
 */
int codec_decode(struct codec_state *state, uint8_t codec,
		 const struct codec_buffers *buffers, struct nc3z_error *err);

#endif
