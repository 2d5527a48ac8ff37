/* SPDX-License-Identifier: MIT */
#include "pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sizes.h"
#include "block/block.h"
#include "fuzz.h"
#include "plan/map.h"

/* Of the superblock: version 8, CRC 12. */
#define SUPERBLOCK_MAJOR 8
#define SUPERBLOCK_CRC 12

/* Of a section's head: stored length 12, payload CRC 16, CRC 20. */
#define SECTION_STORED 12
#define SECTION_PAYLOAD_CRC 16
#define SECTION_CRC 20

/* Bytes of an archive that is being taken apart, as a source too. */
struct reading {
	uint8_t *data;
	size_t nbytes;
	uint64_t offset;
	struct nc3z_source *source;
};

static size_t left(const struct reading *r)
{
	return r->nbytes - (size_t)r->offset;
}

/* Reads the section at the offset, after its checksums have been put right. */
static bool load_section(struct reading *r, const char *mark,
			 struct buffer *contents)
{
	uint8_t *head = r->data + r->offset;
	uint32_t stored;

	if (left(r) < FORMAT_SECTION_HEAD_NBYTES)
		return false;
	stored = load_le32(head + SECTION_STORED);
	if (stored > left(r) - FORMAT_SECTION_HEAD_NBYTES)
		return false;
	memcpy(head, mark, FORMAT_MARK_NBYTES);
	store_le32(head + SECTION_PAYLOAD_CRC,
		   crc32_of(head + FORMAT_SECTION_HEAD_NBYTES, stored));
	store_le32(head + SECTION_CRC, crc32_of(head, SECTION_CRC));
	return section_read(r->source, mark, &r->offset, contents, NULL,
			    NULL) == NC3Z_OK &&
	       contents->nbytes <= FUZZ_NBYTES_MAX;
}

static bool is_at_mark(const struct reading *r, const char *mark)
{
	return left(r) >= FORMAT_MARK_NBYTES &&
	       memcmp(r->data + r->offset, mark, FORMAT_MARK_NBYTES) == 0;
}

/* The same with a block. */
static bool load_block(struct reading *r, struct piece *piece)
{
	uint8_t *header = r->data + r->offset;
	struct block_record record = { 0 };
	size_t header_nbytes;
	bool ok;

	if (left(r) < FORMAT_BLOCK_HEAD_NBYTES + 4)
		return false;
	header_nbytes = load_le16(header + FORMAT_MARK_NBYTES);
	if (header_nbytes < FORMAT_BLOCK_HEAD_NBYTES + 4 ||
	    header_nbytes > left(r))
		return false;
	store_le32(header + header_nbytes - 4,
		   crc32_of(header, header_nbytes - 4));
	ok = block_record_read(r->source, &r->offset, &record, NULL) ==
		     NC3Z_OK &&
	     record.payload_nbytes <= left(r);
	if (ok) {
		piece->block = record.block;
		ok = buffer_append(&piece->description,
				   record.block.description,
				   record.block.description_nbytes) &&
		     buffer_append(&piece->payload, r->data + r->offset,
				   record.payload_nbytes);
		r->offset += record.payload_nbytes;
	}
	buffer_release(&record.header);
	return ok;
}

static bool load_duplicate(struct reading *r, struct piece *piece)
{
	uint8_t *record = r->data + r->offset;

	if (left(r) < FORMAT_DUPLICATE_NBYTES)
		return false;
	*piece = (struct piece){
		.block = { .stream = load_le32(record + 4),
			   .block = load_le32(record + 8),
			   .raw_nbytes = load_le32(record + 20) },
		.is_duplicate = true,
		.of_stream = load_le32(record + 12),
		.of_block = load_le32(record + 16),
	};
	r->offset += FORMAT_DUPLICATE_NBYTES;
	return true;
}

static bool load_record(struct reading *r, struct piece *piece)
{
	if (is_at_mark(r, FORMAT_MARK_DUPLICATE))
		return load_duplicate(r, piece);
	return is_at_mark(r, FORMAT_MARK_BLOCK) && load_block(r, piece);
}

static void skip_index(struct reading *r)
{
	uint64_t nbytes;

	if (left(r) < FORMAT_INDEX_HEAD_NBYTES ||
	    !archive_index_nbytes(
		    load_le64(r->data + r->offset + FORMAT_MARK_NBYTES),
		    &nbytes) ||
	    nbytes > left(r))
		return;
	r->offset += nbytes;
}

static void load_tail(struct pieces *p, struct reading *r)
{
	struct archive_catalogue catalogue;
	struct buffer contents = { 0 };

	skip_index(r);
	if (load_section(r, FORMAT_MARK_CATALOGUE, &contents) &&
	    catalogue_read(contents.data, contents.nbytes, &catalogue, NULL) ==
		    NC3Z_OK) {
		p->original_nbytes = catalogue.original_nbytes;
		memcpy(p->sha256, catalogue.sha256, SHA256_NBYTES);
		catalogue_release(&catalogue);
	}
	buffer_release(&contents);
}

bool pieces_load(struct pieces *p, const uint8_t *data, size_t nbytes)
{
	struct reading r = {
		.data = fuzz_copy(data, nbytes),
		.nbytes = nbytes,
		.offset = FORMAT_SUPERBLOCK_NBYTES,
	};
	bool ok;

	*p = (struct pieces){ 0 };
	FUZZ_CHECK(nc3z_source_open_memory(r.data, nbytes, &r.source, NULL) ==
		   NC3Z_OK);
	ok = nbytes > FORMAT_SUPERBLOCK_NBYTES &&
	     load_section(&r, FORMAT_MARK_PLAN, &p->plan);
	while (ok && p->nblocks < PIECES_BLOCKS_MAX &&
	       load_record(&r, &p->blocks[p->nblocks]))
		p->nblocks++;
	if (ok)
		load_tail(p, &r);
	nc3z_source_close(r.source);
	free(r.data);
	return ok;
}

bool pieces_decode(const struct piece *piece, struct buffer *raw)
{
	struct block_coder coder = { 0 };
	struct block_view view = {
		.description = piece->description.data,
		.description_nbytes = piece->description.nbytes,
		.payload = piece->payload.data,
		.payload_nbytes = piece->payload.nbytes,
	};
	bool ok = piece->block.raw_nbytes <= FUZZ_NBYTES_MAX &&
		  buffer_reserve(raw, piece->block.raw_nbytes + 1) &&
		  block_decode(&coder, &view, raw->data,
			       piece->block.raw_nbytes, NULL) == NC3Z_OK;

	raw->nbytes = ok ? piece->block.raw_nbytes : 0;
	block_coder_release(&coder);
	return ok;
}

/* The number of streams of the plan, or as many as the blocks speak of. */
static uint64_t count_streams(const struct pieces *p)
{
	uint64_t n = 0;
	struct plan plan;

	if (plan_read(p->plan.data, p->plan.nbytes, &plan, NULL) == NC3Z_OK) {
		n = plan.nstreams;
		plan_release(&plan);
	}
	for (size_t i = 0; i < p->nblocks; i++)
		n = size_max(n, (uint64_t)p->blocks[i].block.stream + 1);
	return n;
}

/* Stream lengths for the size of the original, where the plan has them. */
static void fill_lengths(const struct pieces *p, struct archive_catalogue *c)
{
	struct plan_map map;
	struct plan plan;

	if (p->original_nbytes > PLAN_OFFSET_END ||
	    plan_read(p->plan.data, p->plan.nbytes, &plan, NULL) != NC3Z_OK)
		return;
	if (plan_map_init(&map, &plan, p->original_nbytes, NULL) == NC3Z_OK) {
		for (uint32_t i = 0; i < plan.nstreams; i++)
			c->stream_nbytes[i] = map.extents[i].nbytes;
		plan_map_release(&map);
	}
	plan_release(&plan);
}

/* An archive that is being put together. */
struct writing {
	const struct pieces *pieces;
	struct buffer *out;
	struct archive_catalogue catalogue;
	struct archive_trailer trailer; /* identity and last CRC so far */
	struct archive_index index;
};

static bool write_section(struct writing *w, const char *mark,
			  const struct buffer *contents)
{
	return section_write(mark, w->pieces->section_codec, contents->data,
			     contents->nbytes, w->out, NULL) == NC3Z_OK;
}

static bool write_block(struct writing *w, const struct archive_block *block,
			enum lie lie)
{
	struct archive_entry entry = {
		.offset = w->out->nbytes,
		.raw_crc = block->raw_crc,
	};
	struct buffer header = { 0 };
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	bool ok;

	memcpy(identity, w->trailer.identity, sizeof(identity));
	identity[0] ^= lie == LIE_IDENTITY;
	ok = block_record_write(block, identity,
				w->trailer.last_header_crc ^ (lie == LIE_CHAIN),
				&header, NULL) == NC3Z_OK;

	if (ok) {
		entry.nbytes =
			(uint32_t)(header.nbytes + block->payload_nbytes);
		entry.header_crc = load_le32(header.data + header.nbytes - 4);
		w->trailer.last_header_crc = entry.header_crc;
		ok = buffer_append(w->out, header.data, header.nbytes) &&
		     buffer_append(w->out, block->payload,
				   block->payload_nbytes) &&
		     archive_index_add(&w->index, block->stream, &entry,
				       NULL) == NC3Z_OK;
		w->catalogue.stream_nblocks[block->stream]++;
	}
	buffer_release(&header);
	return ok;
}

/* One that names no block before it has an entry of zeros. */
static bool write_duplicate(struct writing *w, const struct piece *piece,
			    enum lie lie)
{
	const struct archive_stream_entries *of =
		piece->of_stream < w->index.nstreams ?
			&w->index.streams[piece->of_stream] :
			NULL;
	struct archive_entry entry = { 0 };
	uint8_t bytes[FORMAT_DUPLICATE_NBYTES];
	struct archive_duplicate d = {
		.stream = piece->block.stream,
		.block = piece->block.block,
		.of_stream = piece->of_stream,
		.of_block = piece->of_block,
		.raw_nbytes = piece->block.raw_nbytes,
		.previous_crc = w->trailer.last_header_crc ^ (lie == LIE_CHAIN),
	};

	if (of && d.of_block < of->count)
		entry = of->list[d.of_block];
	entry.is_duplicate = true;
	d.raw_crc = entry.raw_crc ^ (lie == LIE_RAW_CRC);
	memcpy(d.identity, w->trailer.identity, FORMAT_IDENTITY_NBYTES);
	d.identity[0] ^= lie == LIE_IDENTITY;
	duplicate_write(&d, bytes);
	w->trailer.last_header_crc = load_le32(bytes + sizeof(bytes) - 4);
	w->catalogue.stream_nblocks[d.stream]++;
	return buffer_append(w->out, bytes, sizeof(bytes)) &&
	       archive_index_add(&w->index, d.stream, &entry, NULL) == NC3Z_OK;
}

static bool write_blocks(struct writing *w)
{
	const struct pieces *p = w->pieces;
	struct buffer raw = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < p->nblocks; i++) {
		struct archive_block block = p->blocks[i].block;
		enum lie lie = i + 1 == p->nblocks ? p->lie : LIE_NONE;

		if (p->blocks[i].is_duplicate) {
			ok = write_duplicate(w, &p->blocks[i], lie);
			continue;
		}
		block.description = p->blocks[i].description.data;
		block.description_nbytes = p->blocks[i].description.nbytes;
		block.payload = p->blocks[i].payload.data;
		block.payload_nbytes = p->blocks[i].payload.nbytes;
		if (pieces_decode(&p->blocks[i], &raw))
			block.raw_crc = crc32_of(raw.data, raw.nbytes) ^
					(lie == LIE_RAW_CRC);
		if (i == 0)
			ok = archive_identity(p->plan.data, p->plan.nbytes,
					      raw.data, raw.nbytes,
					      w->trailer.identity,
					      NULL) == NC3Z_OK;
		ok = ok && write_block(w, &block, lie);
	}
	buffer_release(&raw);
	return ok;
}

static bool write_tail(struct writing *w)
{
	uint8_t trailer[FORMAT_TRAILER_NBYTES];
	struct buffer contents = { 0 };
	bool ok;

	w->trailer.index_offset = w->out->nbytes;
	if (w->pieces->lie == LIE_INDEX && w->index.streams[0].count > 0)
		w->index.streams[0].list[0].offset++;
	ok = archive_index_write(&w->index, w->trailer.last_header_crc, w->out,
				 NULL) == NC3Z_OK;
	/* Too small for copies. */
	w->trailer.header_copy_offset = w->out->nbytes;
	w->trailer.catalogue_offset = w->out->nbytes;
	memcpy(w->catalogue.identity, w->trailer.identity,
	       FORMAT_IDENTITY_NBYTES);
	w->catalogue.identity[0] ^= w->pieces->lie == LIE_CATALOGUE;
	ok = ok && catalogue_write(&w->catalogue, &contents, NULL) == NC3Z_OK &&
	     write_section(w, FORMAT_MARK_CATALOGUE, &contents);
	buffer_release(&contents);
	w->trailer.nblocks = w->index.nblocks;
	w->trailer.last_header_crc ^= w->pieces->lie == LIE_TRAILER;
	w->trailer.archive_nbytes = w->out->nbytes + FORMAT_TRAILER_NBYTES;
	trailer_write(&w->trailer, trailer);
	return ok && buffer_append(w->out, trailer, sizeof(trailer)) &&
	       (w->pieces->lie != LIE_END || buffer_u8(w->out, 0));
}

static bool write_all(struct writing *w)
{
	uint8_t superblock[FORMAT_SUPERBLOCK_NBYTES];

	superblock_write(superblock);
	if (w->pieces->lie == LIE_VERSION) {
		superblock[SUPERBLOCK_MAJOR]++;
		store_le32(superblock + SUPERBLOCK_CRC,
			   crc32_of(superblock, SUPERBLOCK_CRC));
	}
	if (!buffer_append(w->out, superblock, sizeof(superblock)) ||
	    !write_section(w, FORMAT_MARK_PLAN, &w->pieces->plan))
		return false;
	w->trailer.last_header_crc =
		section_head_crc(w->out->data + sizeof(superblock));
	return write_blocks(w) && write_tail(w);
}

bool pieces_write(const struct pieces *p, struct buffer *out)
{
	uint64_t nstreams = count_streams(p);
	struct writing w = {
		.pieces = p,
		.out = out,
		.catalogue = {
			.original_nbytes = p->original_nbytes,
			.plan = p->plan.data,
			.plan_nbytes = p->plan.nbytes,
		},
	};
	struct archive_catalogue *c = &w.catalogue;
	bool ok;

	if (nstreams > PIECES_STREAMS_MAX)
		return false;
	c->nstreams = (uint32_t)nstreams;
	c->stream_nbytes = memory_alloc(nstreams, sizeof(*c->stream_nbytes));
	c->stream_nblocks = memory_alloc(nstreams, sizeof(*c->stream_nblocks));
	FUZZ_CHECK(c->stream_nbytes && c->stream_nblocks);
	FUZZ_CHECK(archive_index_init(&w.index, c->nstreams, NULL) == NC3Z_OK);
	memcpy(c->sha256, p->sha256, SHA256_NBYTES);
	fill_lengths(p, c);
	ok = write_all(&w);
	archive_index_release(&w.index);
	catalogue_release(c);
	return ok;
}

void pieces_number_blocks(struct pieces *p)
{
	for (size_t i = 0; i < p->nblocks; i++) {
		p->blocks[i].block.block = 0;
		for (size_t j = 0; j < i; j++)
			p->blocks[i].block.block += p->blocks[j].block.stream ==
						    p->blocks[i].block.stream;
	}
}

/* Where restored bytes go: into a SHA-256 only. */
struct hash_sink {
	struct nc3z_sink base;
	struct sha256 *sha256;
};

static int hash(struct nc3z_sink *sink, const void *data, size_t nbytes,
		struct nc3z_error *err)
{
	if (sink->position + nbytes > FUZZ_NBYTES_MAX)
		return error_set(err, NC3Z_ELIMIT, "output is too large");
	return sha256_update(((struct hash_sink *)sink)->sha256, data, nbytes,
			     err);
}

static const struct sink_ops hash_ops = { .append = hash };

void pieces_fix_sha256(struct pieces *p)
{
	struct hash_sink sink = {
		.base = { .ops = &hash_ops },
		.sha256 = sha256_new(),
	};
	struct nc3z_restore_options options;
	struct buffer archive = { 0 };
	struct nc3z_source *source;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	FUZZ_CHECK(sink.sha256);
	if (pieces_write(p, &archive)) {
		FUZZ_CHECK(nc3z_source_open_memory(archive.data, archive.nbytes,
						   &source, NULL) == NC3Z_OK);
		nc3z_restore(source, &sink.base, &options, NULL, NULL);
		nc3z_source_close(source);
		FUZZ_CHECK(sha256_final(sink.sha256, p->sha256, NULL) ==
			   NC3Z_OK);
	}
	buffer_release(&archive);
	sha256_free(sink.sha256);
}

void pieces_clear(struct pieces *p)
{
	for (size_t i = 0; i < PIECES_BLOCKS_MAX; i++) {
		buffer_release(&p->blocks[i].description);
		buffer_release(&p->blocks[i].payload);
	}
	buffer_release(&p->plan);
}
