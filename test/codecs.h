/* SPDX-License-Identifier: MIT */
/* Codecs of buffers, one after the other. */
#ifndef NC3Z_TEST_CODECS_H
#define NC3Z_TEST_CODECS_H

#include "codec/codec.h"

/* The next one; CODEC_COUNT after the last. */
static inline uint8_t next_codec(uint8_t codec)
{
	do
		codec++;
	while (codec < CODEC_COUNT && !codec_has_buffers(codec));
	return codec;
}

/* The one of a place among them, which goes round. */
static inline uint8_t nth_codec(uint64_t place)
{
	uint8_t codec = NC3Z_CODEC_STORE;

	for (place %= CODEC_COUNT; place > 0; place--)
		codec = next_codec(codec) < CODEC_COUNT ? next_codec(codec) :
							  NC3Z_CODEC_STORE;
	return codec;
}

#endif
