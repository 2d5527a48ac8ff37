/* SPDX-License-Identifier: MIT */
/* Codecs of buffers, one after the other. */
#ifndef NC3Z_TEST_UNIT_CODECS_H
#define NC3Z_TEST_UNIT_CODECS_H

#include "codec/codec.h"

/* The next one; CODEC_COUNT after the last. */
static inline uint8_t next_codec(uint8_t codec)
{
	do
		codec++;
	while (codec < CODEC_COUNT && !codec_has_buffers(codec));
	return codec;
}

#endif
