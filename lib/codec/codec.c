/* SPDX-License-Identifier: MIT */
#include "codec/codec.h"

#include <string.h>

#include "codec/codec_ops.h"

/* Works on the elements of a block, not on buffers: it is in context/. */
const struct codec_ops codec_context_ops = { .name = "context" };

#define CODEC_ROW(number, row) [number] = &(row),

static const struct codec_ops *const codecs[] = { CODECS(CODEC_ROW) };

bool codec_has_buffers(uint8_t codec)
{
	return codec < CODEC_COUNT && codecs[codec]->decode;
}

void codec_state_release(struct codec_state *state)
{
	for (unsigned i = 0; i < CODEC_COUNT; i++)
		if (state->contexts[i])
			codecs[i]->release(state->contexts[i]);
	*state = (struct codec_state){ 0 };
}

const char *nc3z_codec_name(int codec)
{
	return codec >= 0 && codec < CODEC_COUNT ? codecs[codec]->name : NULL;
}

int nc3z_codec_by_name(const char *name)
{
	if (!name)
		return -1;
	for (int i = 0; i < CODEC_COUNT; i++)
		if (strcmp(codecs[i]->name, name) == 0)
			return i;
	return -1;
}

int codec_level(uint8_t codec, int level)
{
	return codecs[codec]->levels[level];
}

#ifndef NC3Z_READ_ONLY
const char *codec_library_version(uint8_t codec)
{
	return codecs[codec]->version ? codecs[codec]->version() : NULL;
}

int codec_encode(struct codec_state *state, const struct codec_settings *how,
		 const struct codec_buffers *buffers, size_t *nbytes_ret,
		 struct nc3z_error *err)
{
	return codecs[how->codec]->encode(&state->contexts[how->codec], how,
					  buffers, nbytes_ret, err);
}
#endif

int codec_decode(struct codec_state *state, uint8_t codec,
		 const struct codec_buffers *buffers, struct nc3z_error *err)
{
	return codecs[codec]->decode(&state->contexts[codec], buffers, err);
}
