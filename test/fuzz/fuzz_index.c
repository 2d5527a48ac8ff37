/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the entries of an index, behind some bytes of block records: an
 * index is written and found as the library writes it, every entry is read as
 * it is there, and blocks are read only where entries are right.
 *
 *	flags 1 (BROKEN), streams 1, place of a change 3, length of records 2,
 *	the records, then entries of 20 bytes each
 *
 * Checksums of the index are made right, unless it is to be broken.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "fuzz.h"

#define BROKEN 1
#define HEAD_NBYTES 7
#define STREAMS_MAX 5
#define ENTRIES_MAX (FORMAT_SEGMENT_NENTRIES + 50)
#define READ_MAX 40 /* entries that are read one by one */

struct input {
	bool is_broken;
	uint32_t nstreams;
	size_t change_at;
	size_t records_nbytes;
	const uint8_t *entries;
	size_t nentries;
	uint32_t last_crc;   /* of the last record */
	struct buffer bytes; /* records, then the index */
};

/* How many entries a stream has: all the same, the last one the rest. */
static uint32_t count_of(const struct input *in, uint32_t stream)
{
	size_t each = in->nentries / in->nstreams;

	if (stream + 1 == in->nstreams)
		each = in->nentries - each * (in->nstreams - 1);
	return (uint32_t)each;
}

static struct archive_entry entry_at(const struct input *in, size_t i)
{
	const uint8_t *at = in->entries + i * FORMAT_ENTRY_NBYTES;

	return (struct archive_entry){
		.offset = load_le64(at),
		.nbytes = load_le32(at + 8) & ~FORMAT_ENTRY_DUPLICATE,
		.is_duplicate = load_le32(at + 8) & FORMAT_ENTRY_DUPLICATE,
		.header_crc = load_le32(at + 12),
		.raw_crc = load_le32(at + 16),
	};
}

/* The index by the words of the specification. */
static void put_index(struct input *in)
{
	struct buffer *b = &in->bytes;
	size_t begin = b->nbytes;

	FUZZ_CHECK(buffer_append(b, FORMAT_MARK_INDEX, FORMAT_MARK_NBYTES) &&
		   buffer_le64(b, in->nentries) &&
		   buffer_le32(b, crc32_of(b->data + begin, 12)));
	for (size_t i = 0; i < in->nentries; i += FORMAT_SEGMENT_NENTRIES) {
		size_t n = in->nentries - i;

		if (n > FORMAT_SEGMENT_NENTRIES)
			n = FORMAT_SEGMENT_NENTRIES;
		begin = b->nbytes;
		n *= FORMAT_ENTRY_NBYTES;
		FUZZ_CHECK(buffer_append(b,
					 in->entries + i * FORMAT_ENTRY_NBYTES,
					 n) &&
			   buffer_le32(b, in->last_crc));
		/* The CRC goes over that one, in whose place it stands. */
		n = crc32_of(b->data + begin, n + 4);
		b->nbytes -= 4;
		FUZZ_CHECK(buffer_le32(b, (uint32_t)n));
	}
}

static bool take(struct input *in, const uint8_t *data, size_t nbytes)
{
	if (nbytes < HEAD_NBYTES)
		return false;
	*in = (struct input){
		.is_broken = data[0] & BROKEN,
		.nstreams = 1 + data[1] % STREAMS_MAX,
		.change_at = load_le32(data + 1) >> 8,
		.records_nbytes = load_le16(data + 5),
	};
	nbytes -= HEAD_NBYTES;
	if (in->records_nbytes > nbytes)
		in->records_nbytes = nbytes;
	in->entries = data + HEAD_NBYTES + in->records_nbytes;
	in->nentries = (nbytes - in->records_nbytes) / FORMAT_ENTRY_NBYTES;
	if (in->nentries > ENTRIES_MAX)
		in->nentries = ENTRIES_MAX;
	FUZZ_CHECK(buffer_append(&in->bytes, data + HEAD_NBYTES,
				 in->records_nbytes));
	in->last_crc = load_le32(data + 3);
	put_index(in);
	return true;
}

/* The library writes the same, and finds it, unless a byte is another one. */
static void check_code(struct input *in, struct nc3z_source *source)
{
	struct archive_index index;
	struct buffer again = { 0 };
	uint64_t offset = in->records_nbytes, nbytes;
	size_t number = 0, index_nbytes = in->bytes.nbytes - in->records_nbytes;
	uint8_t *changed = in->bytes.data + in->records_nbytes +
			   in->change_at % index_nbytes;

	FUZZ_CHECK(archive_index_init(&index, in->nstreams, NULL) == NC3Z_OK);
	for (uint32_t i = 0; i < in->nstreams; i++)
		for (uint32_t k = count_of(in, i); k > 0; k--) {
			struct archive_entry entry = entry_at(in, number++);

			FUZZ_CHECK(archive_index_add(&index, i, &entry, NULL) ==
				   NC3Z_OK);
		}
	FUZZ_CHECK(archive_index_write(&index, in->last_crc, &again, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(archive_index_nbytes(in->nentries, &nbytes) &&
		   nbytes == again.nbytes && nbytes == index_nbytes);
	FUZZ_CHECK(memcmp(again.data, in->bytes.data + in->records_nbytes,
			  again.nbytes) == 0);
	FUZZ_CHECK(archive_index_compare(&index, in->last_crc, source, &offset,
					 NULL) == NC3Z_OK);
	FUZZ_CHECK(offset == in->bytes.nbytes);
	*changed ^= 0x10;
	offset = in->records_nbytes;
	FUZZ_CHECK(archive_index_compare(&index, in->last_crc, source, &offset,
					 NULL) == NC3Z_EDAMAGED);
	if (!in->is_broken)
		*changed ^= 0x10;
	archive_index_release(&index);
	buffer_release(&again);
}

/* A reader of an archive that has been opened so far. */
static void open_reader(const struct input *in, struct nc3z_source *source,
			struct archive_reader *r)
{
	uint64_t before = 0;

	*r = (struct archive_reader){
		.source = source,
		.trailer.nblocks = in->nentries,
		.trailer.index_offset = in->records_nbytes,
		.catalogue.nstreams = in->nstreams,
		.entries_before = calloc(in->nstreams, sizeof(uint64_t)),
		.nsegments = in->nentries / FORMAT_SEGMENT_NENTRIES + 1,
	};
	r->segments = calloc(r->nsegments, sizeof(*r->segments));
	FUZZ_CHECK(r->segments && r->entries_before);
	for (uint32_t i = 0; i < in->nstreams; i++) {
		r->entries_before[i] = before;
		before += count_of(in, i);
	}
	r->trailer.last_header_crc = in->last_crc;
}

static void check_block(const struct input *in, struct archive_reader *r,
			uint32_t stream, uint32_t block)
{
	struct archive_fetched f = { 0 };
	const struct archive_block *b = &f.block;
	int status = archive_reader_block(r, stream, block, &f, NULL);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(b->stream == stream && b->block == block);
		FUZZ_CHECK(f.entry.offset <= in->records_nbytes &&
			   f.entry.nbytes <=
				   in->records_nbytes - f.entry.offset);
		FUZZ_CHECK(FORMAT_BLOCK_HEAD_NBYTES + b->description_nbytes +
				   4 + b->payload_nbytes ==
			   f.entry.nbytes);
		FUZZ_CHECK(memcmp(f.record.data,
				  in->bytes.data + f.entry.offset,
				  f.entry.nbytes) == 0);
	}
	buffer_release(&f.record);
}

static void check_reader(const struct input *in, struct nc3z_source *source)
{
	struct archive_reader r;
	size_t number = 0, nread = 0;

	open_reader(in, source, &r);
	for (uint32_t i = 0; i < in->nstreams; i++)
		for (uint32_t k = 0; k < count_of(in, i); k++, number++) {
			struct archive_entry entry, expected;
			int status;

			/* Some of all segments. */
			if (nread >= READ_MAX && number % 1000 != 0)
				continue;
			nread++;
			status = archive_reader_entry(&r, i, k, &entry, NULL);
			FUZZ_CHECK(status == NC3Z_OK ||
				   status == NC3Z_EDAMAGED);
			FUZZ_CHECK(in->is_broken || status == NC3Z_OK);
			if (status != NC3Z_OK)
				continue;
			expected = entry_at(in, number);
			FUZZ_CHECK(entry.offset == expected.offset &&
				   entry.nbytes == expected.nbytes &&
				   entry.is_duplicate ==
					   expected.is_duplicate &&
				   entry.header_crc == expected.header_crc &&
				   entry.raw_crc == expected.raw_crc);
			check_block(in, &r, i, k);
		}
	archive_reader_release(&r);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct nc3z_source *source;
	struct input in;

	if (!take(&in, data, nbytes))
		return;
	FUZZ_CHECK(nc3z_source_open_memory(in.bytes.data, in.bytes.nbytes,
					   &source, NULL) == NC3Z_OK);
	check_code(&in, source);
	check_reader(&in, source);
	nc3z_source_close(source);
	buffer_release(&in.bytes);
}

/* Entries, most of them those of records in front of them. */
static void put_entries(struct buffer *out, size_t nentries,
			const struct archive_entry *entry, uint64_t *state)
{
	for (size_t i = 0; i < nentries; i++) {
		struct archive_entry e = *entry;

		if (fuzz_random_below(state, 4) == 0)
			e.offset = fuzz_random(state) >>
				   fuzz_random_below(state, 64);
		if (fuzz_random_below(state, 4) == 0)
			e.nbytes = (uint32_t)fuzz_random(state) >>
				   fuzz_random_below(state, 32);
		FUZZ_CHECK(buffer_le64(out, e.offset) &&
			   buffer_le32(out, e.nbytes) &&
			   buffer_le32(out, e.header_crc) &&
			   buffer_le32(out, e.raw_crc));
	}
}

/* One record with the start of the file as its payload, and some entries. */
static size_t make(const uint8_t *file, size_t file_nbytes, uint64_t *state,
		   struct buffer *out)
{
	static const uint8_t identity[FORMAT_IDENTITY_NBYTES];
	size_t n = 1 + (size_t)fuzz_random_below(state, 200);
	struct archive_block block = { .raw_crc = 7, .description = identity };
	struct archive_entry entry = { .raw_crc = 7 };
	struct buffer header = { 0 };
	uint8_t head[HEAD_NBYTES] = { 0 };
	size_t nentries = 1 + (size_t)fuzz_random_below(state, 12);

	if (fuzz_random_below(state, 200) == 0)
		nentries += FORMAT_SEGMENT_NENTRIES;
	if (n > file_nbytes)
		n = file_nbytes;
	block.raw_nbytes = (uint32_t)(n > 0 ? n : 1);
	block.payload = file;
	block.payload_nbytes = n;
	block.description_nbytes = sizeof(identity);
	FUZZ_CHECK(block_record_write(&block, identity, 0, &header, NULL) ==
		   NC3Z_OK);
	entry.nbytes = (uint32_t)(header.nbytes + n);
	entry.header_crc = load_le32(header.data + header.nbytes - 4);
	head[0] = fuzz_random_below(state, 5) == 0;
	for (size_t i = 1; i < 5; i++)
		head[i] = (uint8_t)fuzz_random(state);
	store_le16(head + 5, (uint16_t)entry.nbytes);
	FUZZ_CHECK(buffer_append(out, head, sizeof(head)) &&
		   buffer_append(out, header.data, header.nbytes) &&
		   buffer_append(out, file, n));
	put_entries(out, nentries, &entry, state);
	buffer_release(&header);
	return out->nbytes;
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 67 * file_nbytes;
	struct buffer out = { 0 };
	size_t nbytes = make(file, file_nbytes, &state, &out);

	if (nbytes <= room.nbytes)
		memcpy(room.data, out.data, nbytes);
	buffer_release(&out);
	return nbytes <= room.nbytes ? nbytes : 0;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
