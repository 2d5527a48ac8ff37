/* SPDX-License-Identifier: MIT */
/*
 * Sections: a head of fixed size with its own CRC, then contents that are
 * stored or deflated, under a CRC as well.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "base/sizes.h"

uint32_t section_head_crc(const uint8_t *section)
{
	return load_le32(section + FORMAT_SECTION_HEAD_NBYTES - 4);
}

#ifndef NC3Z_READ_ONLY
#define SECTION_LEVEL 9

/* Appends the contents as they are stored; '*codec' becomes the codec used. */
static int append_contents(uint8_t *codec, const void *data, size_t data_nbytes,
			   struct buffer *out, struct nc3z_error *err)
{
	struct codec_settings how = {
		.codec = *codec,
		.level = codec_level(*codec, SECTION_LEVEL),
	};
	struct codec_buffers buffers = { .in = data, .in_nbytes = data_nbytes };
	struct codec_state state = { 0 };
	size_t nbytes = 0;
	int status;

	if (!buffer_reserve(out, out->nbytes + data_nbytes + 1))
		return error_set_memory(err);
	buffers.out = out->data + out->nbytes;
	buffers.out_nbytes = data_nbytes;
	if (*codec != NC3Z_CODEC_STORE && data_nbytes > 0) {
		status = codec_encode(&state, &how, &buffers, &nbytes, err);
		codec_state_release(&state);
		NC3Z_TRY(status);
	}
	if (nbytes == 0) {
		*codec = NC3Z_CODEC_STORE;
		if (!buffer_append(out, data, data_nbytes))
			return error_set_memory(err);
	}
	out->nbytes += nbytes;
	return NC3Z_OK;
}

int section_write(const char *mark, uint8_t codec, const void *data,
		  size_t data_nbytes, struct buffer *out,
		  struct nc3z_error *err)
{
	uint8_t head[FORMAT_SECTION_HEAD_NBYTES] = { 0 };
	size_t begin = out->nbytes, contents = begin + sizeof(head);

	if (data_nbytes > FORMAT_SECTION_NBYTES_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "plan of the archive is too large");
	if (!buffer_append(out, head, sizeof(head)))
		return error_set_memory(err);
	NC3Z_TRY(append_contents(&codec, data, data_nbytes, out, err));
	memcpy(head, mark, FORMAT_MARK_NBYTES);
	head[4] = codec;
	store_le32(head + 8, (uint32_t)data_nbytes);
	store_le32(head + 12, (uint32_t)(out->nbytes - contents));
	store_le32(head + 16,
		   crc32_of(out->data + contents, out->nbytes - contents));
	store_le32(head + 20, crc32_of(head, 20));
	memcpy(out->data + begin, head, sizeof(head));
	return NC3Z_OK;
}
#endif

struct section_head {
	uint8_t codec;
	uint32_t nbytes;
	uint32_t stored_nbytes;
	uint32_t stored_crc;
};

static int parse_head(const uint8_t *head, const char *mark, uint64_t offset,
		      struct section_head *h, struct nc3z_error *err)
{
	h->codec = head[4];
	h->nbytes = load_le32(head + 8);
	h->stored_nbytes = load_le32(head + 12);
	h->stored_crc = load_le32(head + 16);
	if (memcmp(head, mark, FORMAT_MARK_NBYTES) != 0 ||
	    section_head_crc(head) != crc32_of(head, 20))
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "head of section %s is damaged", mark);
	if (h->codec > NC3Z_CODEC_DEFLATE)
		return error_set_at(err, NC3Z_EUNSUPPORTED, offset,
				    "unknown codec %u of section %s", h->codec,
				    mark);
	if (head[5] || head[6] || head[7] ||
	    h->nbytes > FORMAT_SECTION_NBYTES_MAX ||
	    h->stored_nbytes > h->nbytes ||
	    (h->nbytes == 0 && h->codec != NC3Z_CODEC_STORE))
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "invalid head of section %s", mark);
	return NC3Z_OK;
}

/* No deflate stream gets larger than this many times its length. */
#define DEFLATE_RATIO_MAX 1040

static int decode_contents(const struct section_head *h,
			   const struct buffer *stored, struct buffer *contents,
			   struct nc3z_error *err)
{
	struct codec_state state = { 0 };
	struct codec_buffers buffers = {
		.in = stored->data,
		.in_nbytes = stored->nbytes,
		.out_nbytes = h->nbytes,
	};
	int status;

	if (h->nbytes / DEFLATE_RATIO_MAX > h->stored_nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "impossible length of a section");
	contents->nbytes = 0;
	if (!buffer_reserve(contents, (size_t)h->nbytes + 1))
		return error_set_memory(err);
	buffers.out = contents->data;
	contents->nbytes = h->nbytes;
	if (h->nbytes == 0)
		return NC3Z_OK;
	status = codec_decode(&state, h->codec, &buffers, err);
	codec_state_release(&state);
	return status;
}

int section_skip(struct nc3z_source *source, const char *mark, uint64_t *offset,
		 struct nc3z_error *err)
{
	uint8_t head[FORMAT_SECTION_HEAD_NBYTES];
	struct section_head h;

	NC3Z_TRY(source_read_exactly(source, *offset, head, sizeof(head), err));
	NC3Z_TRY(parse_head(head, mark, *offset, &h, err));
	*offset += sizeof(head) + h.stored_nbytes;
	return NC3Z_OK;
}

int section_read_if(struct nc3z_source *source, const char *mark,
		    uint64_t *offset, struct buffer *contents,
		    struct nc3z_error *err)
{
	uint8_t found[FORMAT_MARK_NBYTES];

	NC3Z_TRY(source_read_exactly(source, *offset, found, sizeof(found),
				     err));
	contents->nbytes = 0;
	if (memcmp(found, mark, sizeof(found)) != 0)
		return NC3Z_OK;
	return section_read(source, mark, offset, contents, NULL, err);
}

int section_read(struct nc3z_source *source, const char *mark, uint64_t *offset,
		 struct buffer *contents, uint32_t *head_crc_ret,
		 struct nc3z_error *err)
{
	uint8_t head[FORMAT_SECTION_HEAD_NBYTES];
	struct buffer stored = { 0 };
	struct section_head h;
	int status;

	NC3Z_TRY(source_read_exactly(source, *offset, head, sizeof(head), err));
	NC3Z_TRY(parse_head(head, mark, *offset, &h, err));
	if (head_crc_ret)
		*head_crc_ret = section_head_crc(head);
	status = source_read_growing(source, *offset + sizeof(head),
				     h.stored_nbytes, &stored, err);
	if (status == NC3Z_OK &&
	    crc32_of(stored.data, stored.nbytes) != h.stored_crc)
		status = error_set_at(err, NC3Z_EDAMAGED, *offset,
				      "section %s is damaged: CRC-32 differs",
				      mark);
	if (status == NC3Z_OK)
		status = decode_contents(&h, &stored, contents, err);
	*offset += sizeof(head) + h.stored_nbytes;
	buffer_release(&stored);
	return status;
}
