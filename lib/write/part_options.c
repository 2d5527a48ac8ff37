/* SPDX-License-Identifier: MIT */
#include "write/part_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "block/block.h"

#define VERSIONS_NBYTES 256

/* "nc3z 1.0.0, deflate 1.14, ...": what bytes depend on. */
static void list_versions(char versions[VERSIONS_NBYTES])
{
	size_t used = (size_t)snprintf(versions, VERSIONS_NBYTES, "nc3z %s",
				       NC3Z_VERSION);

	for (uint8_t i = 0; i < CODEC_COUNT && used < VERSIONS_NBYTES; i++) {
		const char *version = codec_library_version(i);

		if (version)
			used += (size_t)snprintf(versions + used,
						 VERSIONS_NBYTES - used,
						 ", %s %s", nc3z_codec_name(i),
						 version);
	}
}

static bool write_text(const char *text, struct buffer *out)
{
	size_t nbytes = strlen(text);

	return buffer_le32(out, (uint32_t)nbytes) &&
	       buffer_append(out, text, nbytes);
}

bool part_options_write(const struct pack_settings *settings,
			struct buffer *out)
{
	const struct nc3z_pack_options *options = &settings->options;
	char versions[VERSIONS_NBYTES];
	bool ok;

	list_versions(versions);
	ok = write_text(versions, out) &&
	     buffer_u8(out, (uint8_t)options->level) &&
	     buffer_u8(out, (uint8_t)options->codec) &&
	     buffer_le32(out, settings->block_nbytes) &&
	     buffer_u8(out, (uint8_t)settings->joining) &&
	     buffer_le64(out, options->max_memory_nbytes) &&
	     buffer_le32(out, (uint32_t)options->nchunks);
	for (size_t i = 0; ok && i < options->nchunks; i++)
		ok = write_text(options->chunks[i], out);
	return ok;
}

static int check_versions(struct cursor *c, struct nc3z_error *err)
{
	char versions[VERSIONS_NBYTES];
	uint32_t nbytes = cursor_le32(c);
	const uint8_t *text = cursor_take(c, nbytes);

	list_versions(versions);
	if (!text || memchr(text, '\0', nbytes))
		return error_set(err, NC3Z_EDAMAGED,
				 "invalid options of a part");
	if (nbytes != strlen(versions) || memcmp(text, versions, nbytes) != 0)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "the part was made by %.*s, this is %s: make "
				 "all parts and join them with one version",
				 nbytes < 80 ? (int)nbytes : 80,
				 (const char *)text, versions);
	return NC3Z_OK;
}

/* The texts follow each other in memory, each ended by a NUL. */
static int read_chunks(struct cursor *c, struct part_options *ret,
		       struct nc3z_error *err)
{
	uint32_t n = cursor_le32(c);
	char *to;

	if (n > cursor_left(c) / 4)
		return error_set(err, NC3Z_EDAMAGED,
				 "invalid options of a part");
	ret->chunks = memory_alloc(n, sizeof(*ret->chunks));
	ret->texts = memory_alloc(cursor_left(c) + 1, 1);
	if (!ret->chunks || !ret->texts)
		return error_set_memory(err);
	to = ret->texts;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t nbytes = cursor_le32(c);
		const uint8_t *text = cursor_take(c, nbytes);

		if (!text || memchr(text, '\0', nbytes))
			return error_set(err, NC3Z_EDAMAGED,
					 "invalid options of a part");
		memcpy(to, text, nbytes);
		ret->chunks[i] = to;
		to += nbytes + 1;
	}
	ret->settings.options.chunks = ret->chunks;
	ret->settings.options.nchunks = n;
	return NC3Z_OK;
}

int part_options_read(const struct buffer *in, struct part_options *ret,
		      struct nc3z_error *err)
{
	struct pack_settings *s = &ret->settings;
	struct nc3z_pack_options o;
	uint32_t block_nbytes;
	uint8_t joining;
	struct cursor c;

	*ret = (struct part_options){ 0 };
	nc3z_pack_options_init(&s->options);
	cursor_init(&c, in->data, in->nbytes);
	NC3Z_TRY(check_versions(&c, err));
	s->options.level = cursor_u8(&c);
	s->options.codec = cursor_u8(&c);
	block_nbytes = cursor_le32(&c);
	joining = cursor_u8(&c);
	s->options.max_memory_nbytes = cursor_le64(&c);
	NC3Z_TRY(read_chunks(&c, ret, err));
	if (!cursor_ok(&c) || cursor_left(&c) > 0 || joining >= PLAN_NJOININGS)
		return error_set(err, NC3Z_EDAMAGED,
				 "invalid options of a part");
	o = s->options;
	o.block_nbytes = block_nbytes;
	NC3Z_TRY(pack_settings_init(s, &o, err));
	s->block_nbytes = block_nbytes;
	s->joining = (enum plan_joining)joining;
	return NC3Z_OK;
}

void part_options_release(struct part_options *options)
{
	free((void *)options->chunks);
	free(options->texts);
	*options = (struct part_options){ 0 };
}
