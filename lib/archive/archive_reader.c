/* SPDX-License-Identifier: MIT */
/*
 * Blocks in any order: from the index entry to the record, which is read at one
 * go and compared with the entry.
 *
 * The index is read in segments when they are needed, so that an archive of a
 * million blocks opens as fast as a small one, and kept.  Two threads that
 * need the same segment at once both read it; one of them keeps it.  The head
 * of the index says nothing that the trailer does not say: who reads in one
 * pass compares them, here it would be one read more.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/sizes.h"

/* Bytes of a segment, with its CRC; the last one may be shorter. */
static size_t segment_nbytes(const struct archive_reader *r, size_t segment)
{
	uint64_t first = (uint64_t)segment * FORMAT_SEGMENT_NENTRIES;
	uint64_t nentries =
		size_min(r->trailer.nblocks - first, FORMAT_SEGMENT_NENTRIES);

	return (size_t)nentries * FORMAT_ENTRY_NBYTES + 4;
}

static uint64_t segment_offset(const struct archive_reader *r, size_t segment)
{
	const uint64_t whole =
		FORMAT_SEGMENT_NENTRIES * FORMAT_ENTRY_NBYTES + 4;

	return r->trailer.index_offset + FORMAT_INDEX_HEAD_NBYTES +
	       segment * whole;
}

static int read_segment(const struct archive_reader *r, size_t segment,
			uint8_t *data, struct nc3z_error *err)
{
	size_t nbytes = segment_nbytes(r, segment);
	uint64_t offset = segment_offset(r, segment);

	NC3Z_TRY(source_read_exactly(r->source, offset, data, nbytes, err));
	if (load_le32(data + nbytes - 4) !=
	    archive_segment_crc(data, nbytes - 4, r->trailer.last_header_crc))
		return error_set_at(
			err, NC3Z_EDAMAGED, offset,
			"index is damaged or belongs to another archive: "
			"CRC-32 differs");
	return NC3Z_OK;
}

static int get_segment(struct archive_reader *r, size_t segment,
		       const uint8_t **data_ret, struct nc3z_error *err)
{
	uint8_t *data = atomic_load(&r->segments[segment]);
	uint8_t *others = NULL;
	int status;

	*data_ret = data;
	if (data)
		return NC3Z_OK;
	data = malloc(segment_nbytes(r, segment));
	if (!data)
		return error_set_memory(err);
	status = read_segment(r, segment, data, err);
	if (status != NC3Z_OK ||
	    !atomic_compare_exchange_strong(&r->segments[segment], &others,
					    data)) {
		free(data);
		data = others;
	}
	*data_ret = data;
	return status;
}

int archive_reader_entry(struct archive_reader *r, uint32_t stream,
			 uint32_t block, struct archive_entry *entry_ret,
			 struct nc3z_error *err)
{
	uint64_t number = r->entries_before[stream] + block;
	const uint8_t *data;

	NC3Z_TRY(get_segment(r, (size_t)(number / FORMAT_SEGMENT_NENTRIES),
			     &data, err));
	data += number % FORMAT_SEGMENT_NENTRIES * FORMAT_ENTRY_NBYTES;
	*entry_ret = (struct archive_entry){
		.offset = load_le64(data),
		.nbytes = load_le32(data + 8) & ~FORMAT_ENTRY_DUPLICATE,
		.header_crc = load_le32(data + 12),
		.raw_crc = load_le32(data + 16),
		.is_duplicate = load_le32(data + 8) & FORMAT_ENTRY_DUPLICATE,
	};
	return NC3Z_OK;
}

bool archive_reader_lacks(const struct archive_reader *r, uint32_t stream,
			  uint32_t block, struct nc3z_range *part_ret)
{
	size_t segment = (size_t)((r->entries_before[stream] + block) /
				  FORMAT_SEGMENT_NENTRIES);

	part_ret->offset = segment_offset(r, segment);
	part_ret->nbytes = segment_nbytes(r, segment);
	return !atomic_load(&r->segments[segment]);
}

/* The archive must have room for the record. */
static int check_entry(const struct archive_reader *r,
		       const struct archive_entry *entry,
		       struct nc3z_error *err)
{
	uint64_t end;

	if (!size_add(entry->offset, entry->nbytes, &end) ||
	    entry->offset < r->first_block_offset ||
	    end > r->trailer.index_offset ||
	    entry->nbytes < FORMAT_BLOCK_HEAD_NBYTES + 4 ||
	    entry->nbytes > FORMAT_BLOCK_HEADER_NBYTES_MAX +
				    format_payload_max(NC3Z_BLOCK_NBYTES_MAX))
		return error_set(err, NC3Z_EDAMAGED,
				 "index points out of the archive");
	return NC3Z_OK;
}

int archive_reader_place(struct archive_reader *r, uint32_t stream,
			 uint32_t block, struct nc3z_range *place_ret,
			 struct nc3z_error *err)
{
	struct archive_entry entry;

	NC3Z_TRY(archive_reader_entry(r, stream, block, &entry, err));
	NC3Z_TRY(check_entry(r, &entry, err));
	place_ret->offset = entry.offset;
	place_ret->nbytes = entry.nbytes;
	return NC3Z_OK;
}

/* Reads the whole record. */
static int read_record(const struct archive_reader *r,
		       const struct archive_entry *entry, struct buffer *memory,
		       struct nc3z_error *err)
{
	NC3Z_TRY(check_entry(r, entry, err));
	memory->nbytes = 0;
	if (!buffer_reserve(memory, entry->nbytes))
		return error_set_memory(err);
	memory->nbytes = entry->nbytes;
	return source_read_exactly(r->source, entry->offset, memory->data,
				   entry->nbytes, err);
}

static int check_record(const struct archive_reader *r,
			const struct block_record *record,
			const struct archive_entry *entry, uint32_t stream,
			uint32_t block, struct nc3z_error *err)
{
	bool is_own = record->block.stream == stream &&
		      record->block.block == block;
	size_t header_nbytes =
		FORMAT_BLOCK_HEAD_NBYTES + record->block.description_nbytes + 4;

	if (is_own == !entry->is_duplicate &&
	    record->header_crc == entry->header_crc &&
	    record->block.raw_crc == entry->raw_crc &&
	    header_nbytes + record->payload_nbytes == entry->nbytes &&
	    memcmp(record->identity, r->catalogue.identity,
		   FORMAT_IDENTITY_NBYTES) == 0)
		return NC3Z_OK;
	return error_set_at(err, NC3Z_EDAMAGED, entry->offset,
			    "block record differs from its entry in the index");
}

int archive_reader_record_header(struct archive_reader *r, uint32_t stream,
				 uint32_t block, struct block_record *record,
				 struct nc3z_error *err)
{
	struct archive_entry entry;
	uint64_t offset;

	NC3Z_TRY(archive_reader_entry(r, stream, block, &entry, err));
	NC3Z_TRY(check_entry(r, &entry, err));
	offset = entry.offset;
	NC3Z_TRY(block_record_read(r->source, &offset, record, err));
	return check_record(r, record, &entry, stream, block, err);
}

int archive_reader_block(struct archive_reader *r, uint32_t stream,
			 uint32_t block, struct archive_fetched *fetched,
			 struct nc3z_error *err)
{
	const struct archive_entry *entry = &fetched->entry;
	const uint8_t *data;
	struct block_record record;
	size_t header_nbytes;

	NC3Z_TRY(archive_reader_entry(r, stream, block, &fetched->entry, err));
	NC3Z_TRY(read_record(r, entry, &fetched->record, err));
	data = fetched->record.data;
	header_nbytes = block_record_header_nbytes(data);
	if (header_nbytes == 0 || header_nbytes > entry->nbytes)
		return error_set_at(err, NC3Z_EDAMAGED, entry->offset,
				    "a block record is missing here");
	NC3Z_TRY(block_record_parse(data, header_nbytes, entry->offset, &record,
				    err));
	NC3Z_TRY(check_record(r, &record, entry, stream, block, err));
	fetched->block = record.block;
	/* A duplicate's are those of the block whose record it has. */
	fetched->block.stream = stream;
	fetched->block.block = block;
	fetched->block.payload = data + header_nbytes;
	fetched->block.payload_nbytes = record.payload_nbytes;
	return block_record_check(&record, fetched->block.payload,
				  entry->offset + header_nbytes, err);
}

int archive_reader_copies(const struct archive_reader *r,
			  struct archive_copies *copies, struct nc3z_error *err)
{
	const struct archive_trailer *t = &r->trailer;
	uint64_t offset = t->header_copy_offset;

	NC3Z_TRY(archive_copies_read(r->source, &offset, copies, err));
	if (offset == t->catalogue_offset)
		return NC3Z_OK;
	return error_set_at(err, NC3Z_EDAMAGED, offset,
			    "catalogue is not where the trailer says");
}

/* Where the entries of each stream are, and an empty list of segments. */
static int set_up_index(struct archive_reader *r, struct nc3z_error *err)
{
	const struct archive_catalogue *c = &r->catalogue;
	uint64_t nentries = 0;

	r->entries_before = memory_alloc(c->nstreams, sizeof(uint64_t));
	if (!r->entries_before)
		return error_set_memory(err);
	for (uint32_t i = 0; i < c->nstreams; i++) {
		r->entries_before[i] = nentries;
		nentries += c->stream_nblocks[i];
	}
	if (nentries != r->trailer.nblocks)
		return error_set(err, NC3Z_EDAMAGED,
				 "catalogue and trailer disagree");
	r->nsegments = (size_t)size_div_up(nentries, FORMAT_SEGMENT_NENTRIES);
	r->segments = memory_alloc(r->nsegments, sizeof(*r->segments));
	return r->segments ? NC3Z_OK : error_set_memory(err);
}

int archive_reader_open(struct archive_reader *r, struct nc3z_source *source,
			struct nc3z_error *err)
{
	int status;

	*r = (struct archive_reader){
		.source = source,
		.first_block_offset = FORMAT_SUPERBLOCK_NBYTES,
	};
	status = archive_tail_read(source, &r->trailer, &r->catalogue,
				   &r->contents, err);
	if (status == NC3Z_OK)
		status = section_skip(source, FORMAT_MARK_PLAN,
				      &r->first_block_offset, err);
	if (status == NC3Z_OK)
		status = set_up_index(r, err);
	if (status != NC3Z_OK)
		archive_reader_release(r);
	return status;
}

void archive_reader_release(struct archive_reader *r)
{
	for (size_t i = 0; r->segments && i < r->nsegments; i++)
		free(r->segments[i]);
	free(r->segments);
	free(r->entries_before);
	catalogue_release(&r->catalogue);
	buffer_release(&r->contents);
	*r = (struct archive_reader){ 0 };
}
