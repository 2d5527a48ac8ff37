/* SPDX-License-Identifier: MIT */
/*
 * Small streams are in an archive twice: in their blocks, and at its end.  What
 * is lost of the ones is taken from the others, if the copies are of this
 * archive and agree with every block that is left.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "salvage/salvage.h"

static bool is_harmless(int status)
{
	return status == NC3Z_OK || status == NC3Z_EDAMAGED ||
	       status == NC3Z_EUNSUPPORTED || status == NC3Z_ELIMIT;
}

/* Whether the records of the archive end with this one. */
static bool is_last_record(const struct salvage *s, uint32_t header_crc)
{
	for (size_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];

		if (s->joined[i] &&
		    (f->last_crc == header_crc ||
		     (f->has_trailer &&
		      f->trailer.last_header_crc == header_crc)))
			return true;
	}
	return false;
}

/* Reads and takes apart a section, if it is of this archive. */
static int read_copies(struct salvage *s, const struct salvage_fragment *f)
{
	struct salvage_copies *c = &s->copies;
	struct archive_copies_owner owner = { .nstreams = s->plan.nstreams };
	uint64_t offset = f->stream_copies;
	struct nc3z_error err = { 0 };
	int status = section_read(s->sources[f->source],
				  FORMAT_MARK_STREAM_COPIES, &offset,
				  &c->contents, NULL, &err);

	if (status == NC3Z_OK &&
	    c->contents.nbytes >= FORMAT_STREAM_COPIES_HEAD_NBYTES) {
		memcpy(owner.identity, s->identity, FORMAT_IDENTITY_NBYTES);
		owner.last_header_crc =
			load_le32(c->contents.data + FORMAT_IDENTITY_NBYTES);
		if (is_last_record(s, owner.last_header_crc))
			status = archive_stream_copies_read(
				&c->contents, &owner, &c->list, &err);
	}
	if (is_harmless(status))
		return NC3Z_OK;
	if (s->err)
		*s->err = err;
	return status;
}

/* Whether a copy has the length of its stream, and its good blocks' bytes. */
static bool agrees(const struct salvage *s, const struct archive_block *copy,
		   const uint8_t *raw)
{
	uint32_t stream = copy->stream;

	if (crc32_of(raw, copy->raw_nbytes) != copy->raw_crc)
		return false;
	for (uint64_t i = 0; i < s->map.extents[stream].nblocks; i++) {
		const struct salvage_found_block *p =
			salvage_good(s, stream, i);
		struct plan_block b = plan_block_numbered(&s->map, stream, i);

		if (p && crc32_of(raw + b.stream_offset, (size_t)b.nbytes) !=
				 p->raw_crc)
			return false;
	}
	return true;
}

/* Decodes a copy; '*raw_ret' stays NULL if it is no use. */
static int decode_copy(struct salvage *s, const struct archive_block *copy,
		       uint8_t **raw_ret)
{
	const struct block_view view = {
		.description = copy->description,
		.description_nbytes = copy->description_nbytes,
		.payload = copy->payload,
		.payload_nbytes = copy->payload_nbytes,
	};
	uint8_t *raw;
	int status;

	if (s->plan.streams[copy->stream].grid ||
	    s->map.extents[copy->stream].nbytes != copy->raw_nbytes)
		return NC3Z_OK;
	raw = malloc(copy->raw_nbytes);
	if (!raw)
		return error_set_memory(s->err);
	status = block_decode(&s->coder, &view, raw, copy->raw_nbytes, s->err);
	if (status == NC3Z_OK && agrees(s, copy, raw))
		*raw_ret = raw;
	else
		free(raw);
	return is_harmless(status) ? NC3Z_OK : status;
}

int salvage_find_copies(struct salvage *s)
{
	struct salvage_copies *c = &s->copies;

	for (size_t i = 0; c->list.count == 0 && i < s->finds.nfragments; i++)
		if (s->joined[i] &&
		    s->finds.fragments[i].stream_copies != NOWHERE) {
			archive_stream_copies_release(&c->list);
			NC3Z_TRY(read_copies(s, &s->finds.fragments[i]));
		}
	c->raw = memory_alloc(c->list.count, sizeof(*c->raw));
	if (!c->raw)
		return error_set_memory(s->err);
	for (size_t i = 0; i < c->list.count; i++)
		NC3Z_TRY(decode_copy(s, &c->list.list[i], &c->raw[i]));
	return NC3Z_OK;
}

const uint8_t *salvage_copied(const struct salvage *s, uint32_t stream)
{
	const struct salvage_copies *c = &s->copies;

	size_t low = 0, high = c->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->list.list[middle].stream < stream)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->list.count && c->list.list[low].stream == stream ?
		       c->raw[low] :
		       NULL;
}

/* Whether the blocks that were written have the bytes of a copy. */
static bool is_written(const struct salvage *s,
		       const struct archive_writer *archive,
		       const struct archive_block *copy, const uint8_t *raw)
{
	const struct archive_stream_entries *entries =
		&archive->index.streams[copy->stream];

	for (size_t i = 0; i < entries->count; i++) {
		struct plan_block b =
			plan_block_numbered(&s->map, copy->stream, i);

		if (crc32_of(raw + b.stream_offset, (size_t)b.nbytes) !=
		    entries->list[i].raw_crc)
			return false;
	}
	return true;
}

int salvage_write_copies(const struct salvage *s,
			 const struct archive_writer *archive,
			 struct buffer *out)
{
	const struct archive_copies_owner owner = archive_writer_owner(archive);
	const struct salvage_copies *c = &s->copies;
	struct archive_stream_copies kept = {
		.list = memory_alloc(c->list.count, sizeof(*kept.list)),
	};
	int status;

	if (!kept.list)
		return error_set_memory(s->err);
	for (size_t i = 0; i < c->list.count; i++)
		if (c->raw[i] &&
		    is_written(s, archive, &c->list.list[i], c->raw[i]))
			kept.list[kept.count++] = c->list.list[i];
	status = archive_stream_copies_write(&kept, &owner, out, s->err);
	free(kept.list);
	return status;
}

void salvage_release_copies(struct salvage *s)
{
	struct salvage_copies *c = &s->copies;

	for (size_t i = 0; c->raw && i < c->list.count; i++)
		free(c->raw[i]);
	free(c->raw);
	archive_stream_copies_release(&c->list);
	buffer_release(&c->contents);
	*c = (struct salvage_copies){ 0 };
}
