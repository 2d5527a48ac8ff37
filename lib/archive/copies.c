/* SPDX-License-Identifier: MIT */
/*
 * Copies at the end of an archive: the header, so that names are at hand, and
 * small streams, so that the values are that programs read when they open a
 * file.  In one pass these come in blocks that lie everywhere in the archive.
 *
 * A stream is copied as one block.  Nothing else in a section says whose it is:
 * identity and last record header bind the stream copies to their archive, the
 * CRC-32 of the raw bytes of each block binds them to the blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/cursor.h"

static bool append_le16(struct buffer *out, size_t v)
{
	return buffer_u8(out, (uint8_t)v) && buffer_u8(out, (uint8_t)(v >> 8));
}

static bool append_copy(const struct archive_block *copy, struct buffer *out)
{
	return buffer_le32(out, copy->stream) &&
	       buffer_le32(out, copy->raw_nbytes) &&
	       buffer_le32(out, copy->raw_crc) &&
	       buffer_le32(out, (uint32_t)copy->payload_nbytes) &&
	       append_le16(out, copy->description_nbytes) &&
	       buffer_append(out, copy->description,
			     copy->description_nbytes) &&
	       buffer_append(out, copy->payload, copy->payload_nbytes);
}

int archive_stream_copies_write(const struct archive_stream_copies *copies,
				const struct archive_copies_owner *owner,
				struct buffer *out, struct nc3z_error *err)
{
	bool ok = buffer_append(out, owner->identity, FORMAT_IDENTITY_NBYTES) &&
		  buffer_le32(out, owner->last_header_crc) &&
		  buffer_le32(out, (uint32_t)copies->count);

	for (size_t i = 0; ok && i < copies->count; i++)
		ok = append_copy(&copies->list[i], out);
	return ok ? NC3Z_OK : error_set_memory(err);
}

static int damaged_copies(const char *what, struct nc3z_error *err)
{
	return error_set(err, NC3Z_EDAMAGED, "stream copies: %s", what);
}

/* One more, which follows those before it. */
static int read_copy(struct cursor *c, uint32_t nstreams,
		     struct archive_stream_copies *copies,
		     uint64_t *left_nbytes, struct nc3z_error *err)
{
	struct archive_block *copy = &copies->list[copies->count];

	copy->stream = cursor_le32(c);
	copy->raw_nbytes = cursor_le32(c);
	copy->raw_crc = cursor_le32(c);
	copy->payload_nbytes = cursor_le32(c);
	copy->description_nbytes = cursor_le16(c);
	copy->description = cursor_take(c, copy->description_nbytes);
	copy->payload = cursor_take(c, copy->payload_nbytes);
	if (!cursor_ok(c))
		return damaged_copies("cut off", err);
	if (copy->stream >= nstreams ||
	    (copies->count > 0 && copy->stream <= copy[-1].stream))
		return damaged_copies("wrong stream", err);
	if (copy->raw_nbytes == 0 ||
	    copy->raw_nbytes > FORMAT_STREAM_COPY_NBYTES_MAX ||
	    copy->raw_nbytes > *left_nbytes ||
	    copy->payload_nbytes > format_payload_max(copy->raw_nbytes))
		return damaged_copies("invalid length", err);
	*left_nbytes -= copy->raw_nbytes;
	copies->count++;
	return NC3Z_OK;
}

static int read_all(struct cursor *c, const struct archive_copies_owner *owner,
		    struct archive_stream_copies *copies,
		    struct nc3z_error *err)
{
	const uint8_t *identity = cursor_take(c, FORMAT_IDENTITY_NBYTES);
	uint32_t last_header_crc = cursor_le32(c);
	uint32_t count = cursor_le32(c);
	uint64_t left_nbytes = FORMAT_STREAM_COPIES_NBYTES_MAX;

	if (!cursor_ok(c) ||
	    count > cursor_left(c) / FORMAT_STREAM_COPY_HEAD_NBYTES)
		return damaged_copies("cut off", err);
	if (memcmp(identity, owner->identity, FORMAT_IDENTITY_NBYTES) != 0 ||
	    last_header_crc != owner->last_header_crc)
		return damaged_copies("they belong to another archive", err);
	copies->list = memory_alloc(count, sizeof(*copies->list));
	if (!copies->list)
		return error_set_memory(err);
	while (copies->count < count)
		NC3Z_TRY(read_copy(c, owner->nstreams, copies, &left_nbytes,
				   err));
	return cursor_left(c) == 0 ?
		       NC3Z_OK :
		       damaged_copies("bytes after the last", err);
}

int archive_stream_copies_read(const struct buffer *contents,
			       const struct archive_copies_owner *owner,
			       struct archive_stream_copies *copies_ret,
			       struct nc3z_error *err)
{
	struct cursor c;
	int status;

	*copies_ret = (struct archive_stream_copies){ 0 };
	if (contents->nbytes == 0)
		return NC3Z_OK;
	cursor_init(&c, contents->data, contents->nbytes);
	status = read_all(&c, owner, copies_ret, err);
	if (status != NC3Z_OK)
		archive_stream_copies_release(copies_ret);
	return status;
}

void archive_stream_copies_release(struct archive_stream_copies *copies)
{
	free(copies->list);
	*copies = (struct archive_stream_copies){ 0 };
}

int archive_copies_read(struct nc3z_source *source, uint64_t *offset,
			struct archive_copies *copies, struct nc3z_error *err)
{
	uint64_t begin = *offset;
	int status;

	copies->header.nbytes = copies->streams.nbytes = 0;
	status = section_read_if(source, FORMAT_MARK_HEADER_COPY, offset,
				 &copies->header, err);
	if (status == NC3Z_OK && *offset > begin && copies->header.nbytes == 0)
		status = error_set_at(err, NC3Z_EDAMAGED, begin,
				      "header copy is empty");
	if (status != NC3Z_OK)
		copies->header.nbytes = 0;
	NC3Z_TRY(status);
	begin = *offset;
	NC3Z_TRY(section_read_if(source, FORMAT_MARK_STREAM_COPIES, offset,
				 &copies->streams, err));
	/* Even those of no stream say whose they are. */
	if (*offset > begin && copies->streams.nbytes == 0)
		return error_set_at(err, NC3Z_EDAMAGED, begin,
				    "stream copies are empty");
	return NC3Z_OK;
}

void archive_copies_release(struct archive_copies *copies)
{
	buffer_release(&copies->header);
	buffer_release(&copies->streams);
}
