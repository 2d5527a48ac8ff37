/* SPDX-License-Identifier: MIT */
/*
 * Appending records.  Everything goes through append(), which knows the offset
 * of every byte and sees to it that no signature of another format gets where
 * that format's readers look for it.
 */
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/sizes.h"

/*
 * Whether bytes at 'position' would have the foreign signature at an offset
 * where it counts.
 */
static bool collides(uint64_t position, const uint8_t *data, size_t nbytes)
{
	uint64_t end;

	if (nbytes < FORMAT_FOREIGN_SIGNATURE_NBYTES)
		return false;
	end = position + nbytes - FORMAT_FOREIGN_SIGNATURE_NBYTES;
	for (uint64_t at = FORMAT_FOREIGN_FIRST_OFFSET; at <= end; at *= 2)
		if (at >= position &&
		    memcmp(data + (at - position), FORMAT_FOREIGN_SIGNATURE,
			   FORMAT_FOREIGN_SIGNATURE_NBYTES) == 0)
			return true;
	return false;
}

/*
 * The same for a record header and the payload after it, also where one ends
 * and the other begins.  No mark of ours begins with an end of the signature,
 * so that this is all there is to look at.
 */
static bool record_collides(uint64_t position, const struct buffer *header,
			    const uint8_t *payload, size_t payload_nbytes)
{
	const size_t part = FORMAT_FOREIGN_SIGNATURE_NBYTES - 1;
	size_t head = payload_nbytes < part ? payload_nbytes : part;
	uint8_t seam[2 * FORMAT_FOREIGN_SIGNATURE_NBYTES];
	uint64_t seam_position = position + header->nbytes - part;

	memcpy(seam, header->data + header->nbytes - part, part);
	/* A record may have no payload, and then there is no pointer. */
	if (head > 0)
		memcpy(seam + part, payload, head);
	return collides(position, header->data, header->nbytes) ||
	       collides(seam_position, seam, part + head) ||
	       collides(position + header->nbytes, payload, payload_nbytes);
}

static int append_bytes(struct archive_writer *w, const void *data,
			size_t nbytes, struct nc3z_error *err)
{
	if (collides(w->sink->position, data, nbytes))
		return error_set(err, NC3Z_ELIMIT,
				 "archive would look like an HDF5 file");
	return sink_append(w->sink, data, nbytes, err);
}

/* A section that may be appended, stored if its deflated form collides. */
static int make_section(struct archive_writer *w, const char *mark,
			const void *data, size_t data_nbytes,
			struct nc3z_error *err)
{
	struct buffer *out = &w->record;

	out->nbytes = 0;
	NC3Z_TRY(section_write(mark, NC3Z_CODEC_DEFLATE, data, data_nbytes, out,
			       err));
	if (!collides(w->sink->position, out->data, out->nbytes))
		return NC3Z_OK;
	out->nbytes = 0;
	return section_write(mark, NC3Z_CODEC_STORE, data, data_nbytes, out,
			     err);
}

static int append_made(struct archive_writer *w, struct nc3z_error *err)
{
	return append_bytes(w, w->record.data, w->record.nbytes, err);
}

static int append_section(struct archive_writer *w, const char *mark,
			  const void *data, size_t data_nbytes,
			  struct nc3z_error *err)
{
	NC3Z_TRY(make_section(w, mark, data, data_nbytes, err));
	return append_made(w, err);
}

int archive_writer_begin(struct archive_writer *w, struct nc3z_sink *sink,
			 const struct buffer *plan, uint32_t nstreams,
			 struct nc3z_error *err)
{
	uint8_t superblock[FORMAT_SUPERBLOCK_NBYTES];

	*w = (struct archive_writer){ .sink = sink };
	NC3Z_TRY(sink_check_unused(sink, err));
	NC3Z_TRY(archive_index_init(&w->index, nstreams, err));
	superblock_write(superblock);
	NC3Z_TRY(append_bytes(w, superblock, sizeof(superblock), err));
	NC3Z_TRY(make_section(w, FORMAT_MARK_PLAN, plan->data, plan->nbytes,
			      err));
	w->previous_crc = section_head_crc(w->record.data);
	w->plan_nbytes = w->record.nbytes;
	return append_made(w, err);
}

/* Appends a record, which those that follow may look at again. */
static int append_record(struct archive_writer *w, const struct buffer *header,
			 const struct archive_block *block,
			 struct nc3z_error *err)
{
	uint64_t offset = w->sink->position;

	NC3Z_TRY(sink_append(w->sink, header->data, header->nbytes, err));
	NC3Z_TRY(sink_append(w->sink, block->payload, block->payload_nbytes,
			     err));
	if (!w->is_part &&
	    (!look_back_append(&w->back, offset, header->data,
			       header->nbytes) ||
	     !look_back_append(&w->back, offset + header->nbytes,
			       block->payload, block->payload_nbytes)))
		return error_set_memory(err);
	return NC3Z_OK;
}

int archive_writer_block(struct archive_writer *w,
			 const struct archive_block *block, bool *collides_ret,
			 struct nc3z_error *err)
{
	const struct buffer *header = &w->record;
	struct archive_entry entry = {
		.offset = w->sink->position,
		.raw_crc = block->raw_crc,
	};

	NC3Z_TRY(block_record_write(block, w->identity, w->previous_crc,
				    &w->record, err));
	*collides_ret = !w->is_part &&
			record_collides(entry.offset, header, block->payload,
					block->payload_nbytes);
	if (*collides_ret)
		return NC3Z_OK;
	NC3Z_TRY(append_record(w, header, block, err));
	entry.nbytes = (uint32_t)(header->nbytes + block->payload_nbytes);
	entry.header_crc = load_le32(header->data + header->nbytes - 4);
	w->previous_crc = entry.header_crc;
	return archive_index_add(&w->index, block->stream, &entry, err);
}

int archive_writer_look_back(const struct archive_writer *w, uint32_t stream,
			     uint32_t block, struct archive_fetched *fetched,
			     struct nc3z_error *err)
{
	const struct archive_entry *entry =
		&w->index.streams[stream].list[block];
	struct buffer *bytes = &fetched->record;
	struct block_record record;
	size_t header_nbytes;

	fetched->entry = *entry;
	bytes->nbytes = 0;
	if (w->sink->position - entry->offset > FORMAT_DUPLICATE_REACH)
		return NC3Z_OK;
	if (!buffer_reserve(bytes, entry->nbytes))
		return error_set_memory(err);
	if (!look_back_get(&w->back, entry->offset, bytes->data, entry->nbytes))
		return NC3Z_OK;
	bytes->nbytes = entry->nbytes;
	header_nbytes = block_record_header_nbytes(bytes->data);
	NC3Z_TRY(block_record_parse(bytes->data, header_nbytes, entry->offset,
				    &record, err));
	fetched->block = record.block;
	fetched->block.payload = bytes->data + header_nbytes;
	return NC3Z_OK;
}

int archive_writer_duplicate(struct archive_writer *w,
			     const struct archive_duplicate *duplicate,
			     bool *collides_ret, struct nc3z_error *err)
{
	struct archive_entry entry = w->index.streams[duplicate->of_stream]
					     .list[duplicate->of_block];
	struct archive_duplicate d = *duplicate;
	uint8_t bytes[FORMAT_DUPLICATE_NBYTES];
	uint64_t offset = w->sink->position;

	d.previous_crc = w->previous_crc;
	memcpy(d.identity, w->identity, FORMAT_IDENTITY_NBYTES);
	duplicate_write(&d, bytes);
	*collides_ret = collides(offset, bytes, sizeof(bytes));
	if (*collides_ret)
		return NC3Z_OK;
	NC3Z_TRY(sink_append(w->sink, bytes, sizeof(bytes), err));
	if (!look_back_append(&w->back, offset, bytes, sizeof(bytes)))
		return error_set_memory(err);
	w->previous_crc = load_le32(bytes + sizeof(bytes) - 4);
	entry.is_duplicate = true;
	return archive_index_add(&w->index, d.stream, &entry, err);
}

static int append_index(struct archive_writer *w, struct nc3z_error *err)
{
	w->record.nbytes = 0;
	NC3Z_TRY(archive_index_write(&w->index, w->previous_crc, &w->record,
				     err));
	return append_made(w, err);
}

static int append_catalogue(struct archive_writer *w,
			    const struct archive_catalogue *catalogue,
			    struct nc3z_error *err)
{
	struct buffer contents = { 0 };
	int status = catalogue_write(catalogue, &contents, err);

	if (status == NC3Z_OK)
		status = append_section(w, FORMAT_MARK_CATALOGUE, contents.data,
					contents.nbytes, err);
	buffer_release(&contents);
	return status;
}

struct archive_copies_owner archive_writer_owner(const struct archive_writer *w)
{
	struct archive_copies_owner owner = {
		.last_header_crc = w->previous_crc,
		.nstreams = w->index.nstreams,
	};

	memcpy(owner.identity, w->identity, FORMAT_IDENTITY_NBYTES);
	return owner;
}

/* Appends the header copy, if it is to be there; says whether it is little. */
static int append_header_copy(struct archive_writer *w,
			      const struct archive_copies *copies,
			      uint64_t index_offset, bool *is_little_ret,
			      struct nc3z_error *err)
{
	const struct buffer *header = &copies->header;

	*is_little_ret = false;
	if (header->nbytes == 0)
		return NC3Z_OK;
	NC3Z_TRY(make_section(w, FORMAT_MARK_HEADER_COPY, header->data,
			      header->nbytes, err));
	*is_little_ret =
		!copies->only_large &&
		format_copies_are_little(w->record.nbytes + w->plan_nbytes,
					 index_offset);
	return format_has_header_copy(header->nbytes, index_offset,
				      *is_little_ret) ?
		       append_made(w, err) :
		       NC3Z_OK;
}

static int append_stream_copies(struct archive_writer *w,
				const struct buffer *copies,
				uint64_t index_offset, struct nc3z_error *err)
{
	if (!format_has_stream_copies(index_offset) || copies->nbytes == 0)
		return NC3Z_OK;
	return append_section(w, FORMAT_MARK_STREAM_COPIES, copies->data,
			      copies->nbytes, err);
}

int archive_writer_end(struct archive_writer *w,
		       const struct archive_catalogue *catalogue,
		       const struct archive_copies *copies,
		       struct nc3z_error *err)
{
	uint8_t bytes[FORMAT_TRAILER_NBYTES];
	struct archive_catalogue own = *catalogue;
	struct archive_trailer trailer = {
		.nblocks = w->index.nblocks,
		.last_header_crc = w->previous_crc,
		.index_offset = w->sink->position,
	};
	bool is_little;

	memcpy(trailer.identity, w->identity, FORMAT_IDENTITY_NBYTES);
	NC3Z_TRY(append_index(w, err));
	trailer.header_copy_offset = w->sink->position;
	NC3Z_TRY(append_header_copy(w, copies, trailer.index_offset, &is_little,
				    err));
	NC3Z_TRY(append_stream_copies(w, &copies->streams, trailer.index_offset,
				      err));
	trailer.catalogue_offset = w->sink->position;
	if (!format_has_plan_copy(trailer.index_offset, is_little))
		own.plan_nbytes = 0;
	NC3Z_TRY(append_catalogue(w, &own, err));
	trailer.archive_nbytes = w->sink->position + FORMAT_TRAILER_NBYTES;
	trailer_write(&trailer, bytes);
	return append_bytes(w, bytes, sizeof(bytes), err);
}

void archive_writer_release(struct archive_writer *w)
{
	archive_index_release(&w->index);
	buffer_release(&w->record);
	look_back_release(&w->back);
}
