/* SPDX-License-Identifier: MIT */
/*
 * Walking through an archive from its first byte to its last, in one pass, so
 * that it also works on a pipe.  Every check there is gets done on the way;
 * at the end the index must be the one that was seen, and nothing may follow
 * the trailer.
 */
#include <string.h>

#include "archive/archive.h"
#include "base/sizes.h"

int archive_scan_begin(struct archive_scan *scan, struct nc3z_source *source,
		       struct nc3z_error *err)
{
	*scan = (struct archive_scan){ .source = source };
	NC3Z_TRY(superblock_read(source, err));
	scan->offset = FORMAT_SUPERBLOCK_NBYTES;
	return section_read(source, FORMAT_MARK_PLAN, &scan->offset,
			    &scan->plan, &scan->chain_crc, err);
}

int archive_scan_streams(struct archive_scan *scan, uint32_t nstreams,
			 struct nc3z_error *err)
{
	return archive_index_init(&scan->index, nstreams, err);
}

/* What the two kinds of records say of their block. */
struct scanned {
	uint64_t offset;
	uint32_t stream;
	uint32_t block;
	uint32_t previous_crc;
	const uint8_t *identity;
};

/* A block may be the next of its stream only, and of this archive. */
static int check_place(struct archive_scan *scan, const struct scanned *s,
		       struct nc3z_error *err)
{
	if (s->previous_crc != scan->chain_crc)
		return error_set_at(err, NC3Z_EDAMAGED, s->offset,
				    "block record does not follow the one "
				    "before it");
	if (scan->index.nblocks == 0)
		memcpy(scan->identity, s->identity, FORMAT_IDENTITY_NBYTES);
	if (memcmp(scan->identity, s->identity, FORMAT_IDENTITY_NBYTES) != 0)
		return error_set_at(err, NC3Z_EDAMAGED, s->offset,
				    "block record of another archive");
	if (s->stream >= scan->index.nstreams ||
	    s->block != scan->index.streams[s->stream].count)
		return error_set_at(err, NC3Z_EDAMAGED, s->offset,
				    "block record out of order");
	return NC3Z_OK;
}

/* Keeps bytes of a source that cannot give them again. */
static int keep_record(struct archive_scan *scan, uint64_t offset,
		       const struct buffer *bytes, struct nc3z_error *err)
{
	if (scan->source->can_seek ||
	    look_back_append(&scan->back, offset, bytes->data, bytes->nbytes))
		return NC3Z_OK;
	return error_set_memory(err);
}

static int next_block(struct archive_scan *scan, struct nc3z_error *err)
{
	struct block_record *r = &scan->record;
	const struct scanned scanned = {
		.offset = scan->offset,
		.stream = r->block.stream,
		.block = r->block.block,
		.previous_crc = r->previous_crc,
		.identity = r->identity,
	};
	struct archive_entry entry = {
		.offset = scan->offset,
		.header_crc = r->header_crc,
		.raw_crc = r->block.raw_crc,
	};

	NC3Z_TRY(check_place(scan, &scanned, err));
	NC3Z_TRY(keep_record(scan, scan->offset, &r->header, err));
	scan->payload_offset = scan->offset + r->header.nbytes;
	scan->offset = scan->payload_offset + r->payload_nbytes;
	entry.nbytes = (uint32_t)(scan->offset - entry.offset);
	scan->stored_nbytes = entry.nbytes;
	scan->chain_crc = r->header_crc;
	return archive_index_add(&scan->index, r->block.stream, &entry, err);
}

/* The header of a record that was read before. */
static int read_header_again(struct archive_scan *scan,
			     const struct archive_entry *entry,
			     struct nc3z_error *err)
{
	struct buffer *header = &scan->record.header;
	uint8_t start[FORMAT_BLOCK_START_NBYTES];
	uint64_t offset = entry->offset;

	if (scan->source->can_seek)
		return block_record_read(scan->source, &offset, &scan->record,
					 err);
	if (!look_back_get(&scan->back, offset, start, sizeof(start)))
		return error_set_at(err, NC3Z_EDAMAGED, scan->offset,
				    "duplicate of a block too far before it");
	header->nbytes = block_record_header_nbytes(start);
	if (!buffer_reserve(header, header->nbytes))
		return error_set_memory(err);
	look_back_get(&scan->back, offset, header->data, header->nbytes);
	return block_record_parse(header->data, header->nbytes, offset,
				  &scan->record, err);
}

/* The block that one equals: it was seen, near enough, and has bytes. */
static int find_other(struct archive_scan *scan,
		      const struct archive_duplicate *d,
		      struct archive_entry *entry_ret, struct nc3z_error *err)
{
	const struct archive_block *other = &scan->record.block;

	if (d->of_stream >= scan->index.nstreams ||
	    d->of_block >= scan->index.streams[d->of_stream].count)
		return error_set_at(err, NC3Z_EDAMAGED, scan->offset,
				    "duplicate of a block that does not exist");
	*entry_ret = scan->index.streams[d->of_stream].list[d->of_block];
	if (scan->offset - entry_ret->offset > FORMAT_DUPLICATE_REACH)
		return error_set_at(err, NC3Z_EDAMAGED, scan->offset,
				    "duplicate of a block too far before it");
	NC3Z_TRY(read_header_again(scan, entry_ret, err));
	if (other->stream != d->of_stream || other->block != d->of_block ||
	    other->raw_nbytes != d->raw_nbytes || other->raw_crc != d->raw_crc)
		return error_set_at(err, NC3Z_EDAMAGED, scan->offset,
				    "duplicate of another block");
	return NC3Z_OK;
}

static int next_duplicate(struct archive_scan *scan, struct nc3z_error *err)
{
	uint8_t bytes[FORMAT_DUPLICATE_NBYTES];
	const struct buffer whole = { .data = bytes, .nbytes = sizeof(bytes) };
	uint64_t end = scan->offset;
	struct archive_duplicate d;
	struct archive_entry entry;
	struct scanned scanned = { .offset = scan->offset };

	NC3Z_TRY(duplicate_read(scan->source, &end, &d, err));
	scanned.stream = d.stream;
	scanned.block = d.block;
	scanned.previous_crc = d.previous_crc;
	scanned.identity = d.identity;
	NC3Z_TRY(check_place(scan, &scanned, err));
	NC3Z_TRY(find_other(scan, &d, &entry, err));
	duplicate_write(&d, bytes);
	NC3Z_TRY(keep_record(scan, scan->offset, &whole, err));
	scan->record.block.stream = d.stream;
	scan->record.block.block = d.block;
	scan->payload_offset = entry.offset + scan->record.header.nbytes;
	scan->offset = end;
	scan->stored_nbytes = FORMAT_DUPLICATE_NBYTES;
	scan->chain_crc = d.header_crc;
	entry.is_duplicate = true;
	return archive_index_add(&scan->index, d.stream, &entry, err);
}

int archive_scan_next(struct archive_scan *scan,
		      const struct archive_block **block_ret,
		      struct nc3z_error *err)
{
	uint8_t mark[FORMAT_MARK_NBYTES];
	uint64_t offset = scan->offset;

	NC3Z_TRY(source_read_exactly(scan->source, offset, mark, sizeof(mark),
				     err));
	*block_ret = NULL;
	if (memcmp(mark, FORMAT_MARK_INDEX, sizeof(mark)) == 0)
		return NC3Z_OK;
	if (memcmp(mark, FORMAT_MARK_DUPLICATE, sizeof(mark)) == 0) {
		NC3Z_TRY(next_duplicate(scan, err));
	} else {
		NC3Z_TRY(block_record_read(scan->source, &offset, &scan->record,
					   err));
		NC3Z_TRY(next_block(scan, err));
	}
	*block_ret = &scan->record.block;
	return NC3Z_OK;
}

int archive_scan_payload(struct archive_scan *scan, struct buffer *payload,
			 struct nc3z_error *err)
{
	const struct block_record *r = &scan->record;
	bool is_again = scan->payload_offset + r->payload_nbytes !=
			scan->offset;

	if (is_again && !scan->source->can_seek) {
		if (!buffer_reserve(payload, r->payload_nbytes))
			return error_set_memory(err);
		payload->nbytes = r->payload_nbytes;
		look_back_get(&scan->back, scan->payload_offset, payload->data,
			      payload->nbytes);
	} else {
		NC3Z_TRY(source_read_growing(scan->source, scan->payload_offset,
					     r->payload_nbytes, payload, err));
	}
	NC3Z_TRY(block_record_check(r, payload->data, scan->payload_offset,
				    err));
	return is_again ? NC3Z_OK :
			  keep_record(scan, scan->payload_offset, payload, err);
}

static int read_trailer(struct archive_scan *scan,
			struct archive_trailer *trailer_ret,
			struct nc3z_error *err)
{
	uint8_t bytes[FORMAT_TRAILER_NBYTES + 1];
	size_t got;

	NC3Z_TRY(source_read_at(scan->source, scan->offset, bytes,
				sizeof(bytes), &got, err));
	if (got < FORMAT_TRAILER_NBYTES)
		return error_set_at(err, NC3Z_EDAMAGED, scan->offset + got,
				    "archive is cut off");
	NC3Z_TRY(trailer_parse(bytes, scan->offset, trailer_ret, err));
	if (got > FORMAT_TRAILER_NBYTES)
		return trailer_refuse_rest(scan->offset + FORMAT_TRAILER_NBYTES,
					   err);
	return NC3Z_OK;
}

/* The plan in the catalogue, if it is there, is that of the archive. */
static bool is_plan_copy(const struct archive_scan *scan,
			 const struct archive_catalogue *catalogue)
{
	return catalogue->plan_nbytes == 0 ||
	       (catalogue->plan_nbytes == scan->plan.nbytes &&
		memcmp(catalogue->plan, scan->plan.data, scan->plan.nbytes) ==
			0);
}

/* Facts that trailer and catalogue repeat must agree with the scan. */
static int compare_tail(const struct archive_scan *scan,
			const struct archive_catalogue *catalogue,
			const struct archive_trailer *trailer,
			const struct archive_trailer *found,
			struct nc3z_error *err)
{
	bool agrees = trailer->index_offset == found->index_offset &&
		      trailer->header_copy_offset ==
			      found->header_copy_offset &&
		      trailer->catalogue_offset == found->catalogue_offset &&
		      trailer->nblocks == scan->index.nblocks &&
		      trailer->last_header_crc == scan->chain_crc &&
		      memcmp(trailer->identity, scan->identity,
			     FORMAT_IDENTITY_NBYTES) == 0 &&
		      memcmp(catalogue->identity, scan->identity,
			     FORMAT_IDENTITY_NBYTES) == 0 &&
		      catalogue->nstreams == scan->index.nstreams &&
		      is_plan_copy(scan, catalogue);

	for (uint32_t i = 0; agrees && i < catalogue->nstreams; i++)
		agrees = catalogue->stream_nblocks[i] ==
			 scan->index.streams[i].count;
	if (!agrees)
		return error_set(err, NC3Z_EDAMAGED,
				 "catalogue or trailer does not agree with "
				 "the archive");
	return NC3Z_OK;
}

int archive_scan_end(struct archive_scan *scan,
		     struct archive_catalogue *catalogue_ret,
		     struct archive_trailer *trailer_ret,
		     struct archive_copies *copies, struct nc3z_error *err)
{
	struct archive_trailer found = { .index_offset = scan->offset };
	int status;

	if (scan->index.nblocks == 0)
		return error_set_at(err, NC3Z_EDAMAGED, scan->offset,
				    "archive without a block");
	NC3Z_TRY(archive_index_compare(&scan->index, scan->chain_crc,
				       scan->source, &scan->offset, err));
	found.header_copy_offset = scan->offset;
	NC3Z_TRY(archive_copies_read(scan->source, &scan->offset, copies, err));
	found.catalogue_offset = scan->offset;
	NC3Z_TRY(section_read(scan->source, FORMAT_MARK_CATALOGUE,
			      &scan->offset, &scan->contents, NULL, err));
	NC3Z_TRY(catalogue_read(scan->contents.data, scan->contents.nbytes,
				catalogue_ret, err));
	status = read_trailer(scan, trailer_ret, err);
	if (status == NC3Z_OK)
		status = compare_tail(scan, catalogue_ret, trailer_ret, &found,
				      err);
	if (status != NC3Z_OK)
		catalogue_release(catalogue_ret);
	return status;
}

void archive_scan_release(struct archive_scan *scan)
{
	archive_index_release(&scan->index);
	buffer_release(&scan->plan);
	buffer_release(&scan->record.header);
	buffer_release(&scan->contents);
	look_back_release(&scan->back);
}
