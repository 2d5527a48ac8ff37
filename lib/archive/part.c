/* SPDX-License-Identifier: MIT */
#include "archive/part.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "nc3z_tools.h"

/* Parts of another version are made anew, not read. */
#define PART_VERSION 1

/* magic 8, version 4, CRC 4 */
#define BEGIN_NBYTES 16

#define MARK_DESCRIPTION "N3PD"
#define MARK_OPTIONS "N3PO"
#define MARK_HEADER "N3PH"
#define MARK_END "N3PE"

/* number 4, count 4, size of the original 8, time 8 + 4 */
#define DESCRIPTION_NBYTES 28

/* mark 4, number of blocks 8, SHA-256 32, last record header CRC 4, CRC 4 */
#define END_NBYTES 52

static bool describe_part(const struct archive_part *part, struct buffer *out)
{
	return buffer_le32(out, part->number) &&
	       buffer_le32(out, part->count) &&
	       buffer_le64(out, part->original_nbytes) &&
	       buffer_le64(out, (uint64_t)part->mtime_s) &&
	       buffer_le32(out, part->mtime_ns);
}

static int append_sections(const struct archive_part *part,
			   const struct buffer *description, struct buffer *out,
			   struct nc3z_error *err)
{
	NC3Z_TRY(section_write(MARK_DESCRIPTION, NC3Z_CODEC_STORE,
			       description->data, description->nbytes, out,
			       err));
	NC3Z_TRY(section_write(MARK_OPTIONS, NC3Z_CODEC_DEFLATE,
			       part->options.data, part->options.nbytes, out,
			       err));
	return section_write(MARK_HEADER, NC3Z_CODEC_DEFLATE, part->header.data,
			     part->header.nbytes, out, err);
}

int archive_part_begin(const struct archive_part *part, struct nc3z_sink *sink,
		       uint32_t *crc_ret, struct nc3z_error *err)
{
	uint8_t begin[BEGIN_NBYTES];
	struct buffer description = { 0 }, out = { 0 };
	int status;

	memcpy(begin, FORMAT_PART_MAGIC, FORMAT_MAGIC_NBYTES);
	store_le32(begin + 8, PART_VERSION);
	store_le32(begin + 12, crc32_of(begin, 12));
	status = describe_part(part, &description) ? NC3Z_OK :
						     error_set_memory(err);
	if (status == NC3Z_OK)
		status = append_sections(part, &description, &out, err);
	if (status == NC3Z_OK) {
		*crc_ret = section_head_crc(out.data);
		status = sink_append(sink, begin, sizeof(begin), err);
	}
	if (status == NC3Z_OK)
		status = sink_append(sink, out.data, out.nbytes, err);
	buffer_release(&description);
	buffer_release(&out);
	return status;
}

int archive_part_finish(const struct archive_part_end *end,
			struct nc3z_sink *sink, struct nc3z_error *err)
{
	uint8_t bytes[END_NBYTES];

	memcpy(bytes, MARK_END, FORMAT_MARK_NBYTES);
	store_le64(bytes + 4, end->nblocks);
	memcpy(bytes + 12, end->sha256, SHA256_NBYTES);
	store_le32(bytes + 44, end->last_header_crc);
	store_le32(bytes + 48, crc32_of(bytes, 48));
	return sink_append(sink, bytes, sizeof(bytes), err);
}

static int read_begin(struct nc3z_source *source, struct nc3z_error *err)
{
	uint8_t begin[BEGIN_NBYTES];
	size_t got;

	NC3Z_TRY(source_read_at(source, 0, begin, sizeof(begin), &got, err));
	if (got < FORMAT_MAGIC_NBYTES ||
	    memcmp(begin, FORMAT_PART_MAGIC, FORMAT_MAGIC_NBYTES) != 0)
		return error_set(err, NC3Z_EINVAL, "not a part of an archive");
	if (got < sizeof(begin) || load_le32(begin + 12) != crc32_of(begin, 12))
		return error_set_at(err, NC3Z_EDAMAGED, 0,
				    "the first bytes of the part are damaged");
	if (load_le32(begin + 8) != PART_VERSION)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "the part was made by another version of "
				 "nc3compress: make it again");
	return NC3Z_OK;
}

static int parse_description(const struct buffer *contents,
			     struct archive_part *part, struct nc3z_error *err)
{
	struct cursor c;

	cursor_init(&c, contents->data, contents->nbytes);
	part->number = cursor_le32(&c);
	part->count = cursor_le32(&c);
	part->original_nbytes = cursor_le64(&c);
	part->mtime_s = (int64_t)cursor_le64(&c);
	part->mtime_ns = cursor_le32(&c);
	if (!cursor_ok(&c) || cursor_left(&c) > 0 ||
	    part->count > NC3Z_PARTS_MAX || part->number > part->count)
		return error_set(err, NC3Z_EDAMAGED,
				 "invalid description of a part");
	return NC3Z_OK;
}

int archive_part_read(struct nc3z_source *source, struct archive_part *part,
		      uint64_t *offset_ret, uint32_t *crc_ret,
		      struct nc3z_error *err)
{
	struct buffer description = { 0 };
	int status;

	*part = (struct archive_part){ 0 };
	*offset_ret = BEGIN_NBYTES;
	NC3Z_TRY(source_check_can_seek(source, err));
	NC3Z_TRY(read_begin(source, err));
	status = section_read(source, MARK_DESCRIPTION, offset_ret,
			      &description, crc_ret, err);
	if (status == NC3Z_OK)
		status = parse_description(&description, part, err);
	buffer_release(&description);
	NC3Z_TRY(status);
	NC3Z_TRY(section_read(source, MARK_OPTIONS, offset_ret, &part->options,
			      NULL, err));
	return section_read(source, MARK_HEADER, offset_ret, &part->header,
			    NULL, err);
}

int archive_part_has_block(struct nc3z_source *source, uint64_t offset,
			   bool *has_block_ret, struct nc3z_error *err)
{
	uint8_t mark[FORMAT_MARK_NBYTES];

	NC3Z_TRY(source_read_exactly(source, offset, mark, sizeof(mark), err));
	*has_block_ret = memcmp(mark, MARK_END, sizeof(mark)) != 0;
	return NC3Z_OK;
}

int archive_part_read_end(struct nc3z_source *source, uint64_t offset,
			  struct archive_part_end *end_ret,
			  struct nc3z_error *err)
{
	uint8_t bytes[END_NBYTES], more;
	size_t got;

	NC3Z_TRY(
		source_read_exactly(source, offset, bytes, sizeof(bytes), err));
	if (load_le32(bytes + 48) != crc32_of(bytes, 48))
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "end of the part is damaged: CRC-32 "
				    "differs");
	NC3Z_TRY(source_read_at(source, offset + sizeof(bytes), &more, 1, &got,
				err));
	if (got > 0)
		return error_set_at(err, NC3Z_EDAMAGED, offset + sizeof(bytes),
				    "bytes after the end of the part");
	end_ret->nblocks = load_le64(bytes + 4);
	memcpy(end_ret->sha256, bytes + 12, SHA256_NBYTES);
	end_ret->last_header_crc = load_le32(bytes + 44);
	return NC3Z_OK;
}

void archive_part_release(struct archive_part *part)
{
	buffer_release(&part->options);
	buffer_release(&part->header);
}
