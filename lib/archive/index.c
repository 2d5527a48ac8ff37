/* SPDX-License-Identifier: MIT */
/*
 * The index: one entry of fixed size for each block, stream after stream, in
 * segments of FORMAT_SEGMENT_NENTRIES entries under a CRC each.  Entry i is
 * found by arithmetic: entries before it, segments before it.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/sizes.h"

int archive_index_init(struct archive_index *index, uint32_t nstreams,
		       struct nc3z_error *err)
{
	*index = (struct archive_index){ .nstreams = nstreams };
	index->streams = memory_alloc(nstreams, sizeof(*index->streams));
	return index->streams ? NC3Z_OK : error_set_memory(err);
}

void archive_index_release(struct archive_index *index)
{
	for (uint32_t i = 0; i < index->nstreams && index->streams; i++)
		free(index->streams[i].list);
	free(index->streams);
	*index = (struct archive_index){ 0 };
}

int archive_index_add(struct archive_index *index, uint32_t stream,
		      const struct archive_entry *entry, struct nc3z_error *err)
{
	struct archive_stream_entries *s = &index->streams[stream];
	if (!memory_room(&s->list, s->count, &s->capacity, sizeof(*entry)))
		return error_set_memory(err);
	s->list[s->count++] = *entry;
	index->nblocks++;
	return NC3Z_OK;
}

static void store_entry(const struct archive_entry *entry,
			uint8_t out[FORMAT_ENTRY_NBYTES])
{
	store_le64(out, entry->offset);
	store_le32(out + 8,
		   entry->nbytes |
			   (entry->is_duplicate ? FORMAT_ENTRY_DUPLICATE : 0));
	store_le32(out + 12, entry->header_crc);
	store_le32(out + 16, entry->raw_crc);
}

/* Goes through all entries in the order of the format. */
struct entry_walk {
	const struct archive_index *index;
	uint32_t stream;
	size_t block;
};

static const struct archive_entry *next_entry(struct entry_walk *walk)
{
	const struct archive_index *index = walk->index;

	while (walk->block == index->streams[walk->stream].count) {
		walk->stream++;
		walk->block = 0;
	}
	return &index->streams[walk->stream].list[walk->block++];
}

uint32_t archive_segment_crc(const uint8_t *entries, size_t entries_nbytes,
			     uint32_t last_header_crc)
{
	uint8_t last[4];

	store_le32(last, last_header_crc);
	return crc32_update(crc32_of(entries, entries_nbytes), last,
			    sizeof(last));
}

/* The next segment as bytes, with its CRC. */
static bool encode_segment(struct entry_walk *walk, uint64_t nentries,
			   uint32_t last_header_crc, struct buffer *out)
{
	uint8_t entry[FORMAT_ENTRY_NBYTES];
	size_t begin = out->nbytes;

	for (uint64_t i = 0; i < nentries; i++) {
		store_entry(next_entry(walk), entry);
		if (!buffer_append(out, entry, sizeof(entry)))
			return false;
	}
	return buffer_le32(out, archive_segment_crc(out->data + begin,
						    out->nbytes - begin,
						    last_header_crc));
}

static bool encode_head(uint64_t nentries, struct buffer *out)
{
	size_t begin = out->nbytes;

	return buffer_append(out, FORMAT_MARK_INDEX, FORMAT_MARK_NBYTES) &&
	       buffer_le64(out, nentries) &&
	       buffer_le32(out, crc32_of(out->data + begin, 12));
}

int archive_index_write(const struct archive_index *index,
			uint32_t last_header_crc, struct buffer *out,
			struct nc3z_error *err)
{
	struct entry_walk walk = { .index = index };
	uint64_t left = index->nblocks;
	bool ok = encode_head(left, out);

	while (ok && left > 0) {
		uint64_t n = size_min(left, FORMAT_SEGMENT_NENTRIES);

		ok = encode_segment(&walk, n, last_header_crc, out);
		left -= n;
	}
	return ok ? NC3Z_OK : error_set_memory(err);
}

/* Compares 'expected' with the bytes at '*offset' and moves past them. */
static int compare_bytes(const struct buffer *expected, struct buffer *found,
			 struct nc3z_source *source, uint64_t *offset,
			 struct nc3z_error *err)
{
	NC3Z_TRY(source_read_growing(source, *offset, expected->nbytes, found,
				     err));
	if (memcmp(expected->data, found->data, expected->nbytes) != 0)
		return error_set_at(err, NC3Z_EDAMAGED, *offset,
				    "index does not agree with the blocks");
	*offset += expected->nbytes;
	return NC3Z_OK;
}

int archive_index_compare(const struct archive_index *index,
			  uint32_t last_header_crc, struct nc3z_source *source,
			  uint64_t *offset, struct nc3z_error *err)
{
	struct entry_walk walk = { .index = index };
	struct buffer expected = { 0 }, found = { 0 };
	uint64_t left = index->nblocks;
	int status = NC3Z_OK;

	if (!encode_head(left, &expected))
		status = error_set_memory(err);
	while (status == NC3Z_OK) {
		uint64_t n = size_min(left, FORMAT_SEGMENT_NENTRIES);

		status = compare_bytes(&expected, &found, source, offset, err);
		if (status != NC3Z_OK || left == 0)
			break;
		expected.nbytes = 0;
		if (!encode_segment(&walk, n, last_header_crc, &expected))
			status = error_set_memory(err);
		left -= n;
	}
	buffer_release(&expected);
	buffer_release(&found);
	return status;
}

bool archive_index_nbytes(uint64_t nentries, uint64_t *nbytes_ret)
{
	uint64_t nsegments = size_div_up(nentries, FORMAT_SEGMENT_NENTRIES);

	return size_mul(nentries, FORMAT_ENTRY_NBYTES, nbytes_ret) &&
	       size_add(*nbytes_ret, nsegments * 4 + FORMAT_INDEX_HEAD_NBYTES,
			nbytes_ret);
}
