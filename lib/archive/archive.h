/* SPDX-License-Identifier: MIT */
/*
 * The container: numbered blocks of bytes with their checks, and what is
 * needed to find them.  What the blocks mean is not known here.
 *
 *   superblock | plan | block, block, ... | index | header copy |
 *   stream copies | catalogue | trailer
 *
 * One side appends records (struct archive_writer), the other walks from
 * record to record in one pass (struct archive_scan) or reads the tail
 * (archive_tail_read()).
 */
#ifndef NC3Z_ARCHIVE_ARCHIVE_H
#define NC3Z_ARCHIVE_ARCHIVE_H

#include "archive/format.h"
#include "base/checksum.h"
#include "base/look_back.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "io/sink.h"
#include "io/source.h"

/* One block as the archive keeps it. */
struct archive_block {
	uint32_t stream;
	uint32_t block;
	uint32_t raw_nbytes;
	uint32_t raw_crc;
	const uint8_t *description;
	size_t description_nbytes;
	const uint8_t *payload;
	size_t payload_nbytes;
};

/* A block that equals one before it; its CRC stands in the chain of headers. */
struct archive_duplicate {
	uint32_t stream;
	uint32_t block;
	uint32_t of_stream; /* the block that it equals, and that has bytes */
	uint32_t of_block;
	uint32_t raw_nbytes;
	uint32_t raw_crc;
	uint32_t previous_crc;
	uint32_t header_crc;
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
};

/* An entry of the index, for one block. */
struct archive_entry {
	uint64_t offset; /* of the block record */
	uint32_t nbytes; /* of the block record */
	uint32_t header_crc;
	uint32_t raw_crc;
	bool is_duplicate; /* the record is that of another block */
};

/* Entries of the blocks of one stream, in order. */
struct archive_stream_entries {
	struct archive_entry *list;
	size_t count;
	size_t capacity;
};

/* A block that was read.  Zero-initialised it is empty. */
struct archive_fetched {
	struct archive_entry entry; /* where it was read */
	struct archive_block block; /* points into 'record' */
	struct buffer record;       /* used again */
};

struct archive_index {
	struct archive_stream_entries *streams;
	uint32_t nstreams;
	uint64_t nblocks;
};

/* Facts that only the end of an archive has. */
struct archive_catalogue {
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	uint64_t original_nbytes;
	uint8_t sha256[SHA256_NBYTES];
	uint32_t nstreams;
	uint64_t *stream_nbytes;
	uint32_t *stream_nblocks;
	const uint8_t *plan; /* not owned */
	size_t plan_nbytes;
};

struct archive_trailer {
	uint64_t index_offset;
	uint64_t header_copy_offset;
	uint64_t catalogue_offset;
	uint64_t archive_nbytes;
	uint64_t nblocks;
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	uint32_t last_header_crc;
};

/* superblock.c */

/* The identity of an archive: SHA-256 of plan and first raw block, cut. */
int archive_identity(const void *plan, size_t plan_nbytes, const void *raw,
		     size_t raw_nbytes,
		     uint8_t identity[FORMAT_IDENTITY_NBYTES],
		     struct nc3z_error *err);

/* NC3Z_EDAMAGED if plan and first block do not have it; NC3Z_ENOMEM. */
int archive_check_identity(const uint8_t identity[FORMAT_IDENTITY_NBYTES],
			   const void *plan, size_t plan_nbytes,
			   const void *raw, size_t raw_nbytes,
			   struct nc3z_error *err);

void superblock_write(uint8_t out[FORMAT_SUPERBLOCK_NBYTES]);
/* NC3Z_ENOTARCHIVE, and what to do, for a file that begins as parts do. */
int archive_refuse_part(const uint8_t magic[FORMAT_MAGIC_NBYTES],
			struct nc3z_error *err);
/* NC3Z_OK, NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED. */
int superblock_check(const uint8_t in[FORMAT_SUPERBLOCK_NBYTES],
		     struct nc3z_error *err);
/* The same of a source, and its errors. */
int superblock_read(struct nc3z_source *source, struct nc3z_error *err);
/* NC3Z_EDAMAGED for a file that ends as archives do, or the status given. */
int archive_refuse_other(struct nc3z_source *source, int status,
			 struct nc3z_error *err);
/* NC3Z_EUNSUPPORTED for a version that is not known. */
int format_version_check(uint16_t major, uint16_t minor,
			 struct nc3z_error *err);

/* section.c: plan, copies and catalogue, deflated where that helps */

/* Encodes a section into 'out'; 'codec' is store or deflate. */
int section_write(const char *mark, uint8_t codec, const void *data,
		  size_t data_nbytes, struct buffer *out,
		  struct nc3z_error *err);
/*
 * Reads the section at '*offset', moves '*offset' past it and gives its
 * contents and, unless that is NULL, the CRC of its head.
 */
int section_read(struct nc3z_source *source, const char *mark, uint64_t *offset,
		 struct buffer *contents, uint32_t *head_crc_ret,
		 struct nc3z_error *err);
/*
 * The same if the section there has this mark; otherwise 'contents' are empty
 * and '*offset' stays.
 */
int section_read_if(struct nc3z_source *source, const char *mark,
		    uint64_t *offset, struct buffer *contents,
		    struct nc3z_error *err);
/* Moves '*offset' past the section there, of which only the head is read. */
int section_skip(struct nc3z_source *source, const char *mark, uint64_t *offset,
		 struct nc3z_error *err);
/* The CRC of a section's head; that of the plan begins the chain of blocks. */
uint32_t section_head_crc(const uint8_t *section);

/* block_record.c */

/* Record header of a block; its payload follows it in the archive. */
int block_record_write(const struct archive_block *block,
		       const uint8_t identity[FORMAT_IDENTITY_NBYTES],
		       uint32_t previous_crc, struct buffer *out,
		       struct nc3z_error *err);

struct block_record {
	struct archive_block block; /* description points into the header */
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	uint32_t previous_crc;
	uint32_t header_crc;
	uint32_t payload_crc;
	uint32_t payload_nbytes;
	struct buffer header; /* of block_record_read() */
};

/*
 * The length of a record header from its first bytes, 0 if they are not those
 * of one.
 */
size_t
block_record_header_nbytes(const uint8_t start[FORMAT_BLOCK_START_NBYTES]);

/*
 * Checks and takes apart a whole record header, which must outlive 'record'.
 * 'offset' is its place in the archive, for messages.
 */
int block_record_parse(const uint8_t *header, size_t header_nbytes,
		       uint64_t offset, struct block_record *record,
		       struct nc3z_error *err);

/* Reads a record header at '*offset' and moves '*offset' to its payload. */
int block_record_read(struct nc3z_source *source, uint64_t *offset,
		      struct block_record *record, struct nc3z_error *err);

/* NC3Z_EDAMAGED, at 'offset', unless 'payload' is that of the record. */
int block_record_check(const struct block_record *record, const void *payload,
		       uint64_t offset, struct nc3z_error *err);

/* duplicate.c */

/* All of 'd' but its own CRC. */
void duplicate_write(const struct archive_duplicate *d,
		     uint8_t out[FORMAT_DUPLICATE_NBYTES]);

/* Reads and checks a record at '*offset' and moves '*offset' past it. */
int duplicate_read(struct nc3z_source *source, uint64_t *offset,
		   struct archive_duplicate *d, struct nc3z_error *err);

/* index.c */

int archive_index_init(struct archive_index *index, uint32_t nstreams,
		       struct nc3z_error *err);
/* Adds the entry of a stream's next block. */
int archive_index_add(struct archive_index *index, uint32_t stream,
		      const struct archive_entry *entry,
		      struct nc3z_error *err);
/* The CRC of a segment's entries, in an archive whose last record has that. */
uint32_t archive_segment_crc(const uint8_t *entries, size_t entries_nbytes,
			     uint32_t last_header_crc);
int archive_index_write(const struct archive_index *index,
			uint32_t last_header_crc, struct buffer *out,
			struct nc3z_error *err);
/* Whether the index in the archive at '*offset' is this one. */
int archive_index_compare(const struct archive_index *index,
			  uint32_t last_header_crc, struct nc3z_source *source,
			  uint64_t *offset, struct nc3z_error *err);
/* Length of an index with so many entries; false if that does not fit. */
bool archive_index_nbytes(uint64_t nentries, uint64_t *nbytes_ret);
void archive_index_release(struct archive_index *index);

/* catalogue.c */

int catalogue_write(const struct archive_catalogue *catalogue,
		    struct buffer *out, struct nc3z_error *err);
/* The plan in it points into 'data'. */
int catalogue_read(const uint8_t *data, size_t data_nbytes,
		   struct archive_catalogue *catalogue_ret,
		   struct nc3z_error *err);
void catalogue_release(struct archive_catalogue *catalogue);

/* trailer.c */

void trailer_write(const struct archive_trailer *trailer,
		   uint8_t out[FORMAT_TRAILER_NBYTES]);
/* The superblock was checked: the trailer states the same version. */
int trailer_parse(const uint8_t in[FORMAT_TRAILER_NBYTES], uint64_t offset,
		  struct archive_trailer *trailer_ret, struct nc3z_error *err);
/* NC3Z_EDAMAGED: bytes follow the archive, which ends at 'end'. */
int trailer_refuse_rest(uint64_t end, struct nc3z_error *err);

/* copies.c: what the end of an archive repeats for those who begin there */

/* A stream as one block, of number 0; pointers go into the contents. */
struct archive_stream_copies {
	struct archive_block *list; /* ascending streams */
	size_t count;
};

/* Binds them to their archive. */
struct archive_copies_owner {
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	uint32_t last_header_crc;
	uint32_t nstreams;
};

/* Appends the contents of the section. */
int archive_stream_copies_write(const struct archive_stream_copies *copies,
				const struct archive_copies_owner *owner,
				struct buffer *out, struct nc3z_error *err);
/*
 * Takes contents apart, which must outlive the copies; no contents are no
 * copies.  NC3Z_EDAMAGED, also for those of another archive; NC3Z_ENOMEM.
 */
int archive_stream_copies_read(const struct buffer *contents,
			       const struct archive_copies_owner *owner,
			       struct archive_stream_copies *copies_ret,
			       struct nc3z_error *err);
void archive_stream_copies_release(struct archive_stream_copies *copies);

/* The contents of both sections of copies; empty where there is none. */
struct archive_copies {
	struct buffer header;
	struct buffer streams;
	bool only_large; /* writing: as 1.0.0, none because it is little */
};

/*
 * Reads them from '*offset', which is moved past them.  If only the stream
 * copies are damaged, the header is there.
 */
int archive_copies_read(struct nc3z_source *source, uint64_t *offset,
			struct archive_copies *copies, struct nc3z_error *err);
void archive_copies_release(struct archive_copies *copies);

/* archive_writer.c */

struct archive_writer {
	struct nc3z_sink *sink;
	/* Records get their place later: nothing can collide yet. */
	bool is_part;
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	uint32_t previous_crc;
	struct archive_index index;
	size_t plan_nbytes; /* of its section */
	struct buffer record;
	struct look_back back; /* records; not of a part */
};

/* Writes superblock and plan. */
int archive_writer_begin(struct archive_writer *w, struct nc3z_sink *sink,
			 const struct buffer *plan, uint32_t nstreams,
			 struct nc3z_error *err);

/*
 * Appends a block.  '*collides_ret' says that nothing was written because the
 * bytes would look like a file of another format: encode the block otherwise.
 */
int archive_writer_block(struct archive_writer *w,
			 const struct archive_block *block, bool *collides_ret,
			 struct nc3z_error *err);

/*
 * Gives a block that was appended, if a duplicate may still name it; if not,
 * fetched->record is empty.  NC3Z_ENOMEM.
 */
int archive_writer_look_back(const struct archive_writer *w, uint32_t stream,
			     uint32_t block, struct archive_fetched *fetched,
			     struct nc3z_error *err);

/* Appends a block that equals such a block, else as archive_writer_block(). */
int archive_writer_duplicate(struct archive_writer *w,
			     const struct archive_duplicate *duplicate,
			     bool *collides_ret, struct nc3z_error *err);

/* What to say of this archive in its stream copies, after the last block. */
struct archive_copies_owner
archive_writer_owner(const struct archive_writer *w);

/*
 * Writes index, copies (where they have to be there), catalogue, trailer.
 * 'copies->streams' may be empty: then no stream is copied.
 */
int archive_writer_end(struct archive_writer *w,
		       const struct archive_catalogue *catalogue,
		       const struct archive_copies *copies,
		       struct nc3z_error *err);

void archive_writer_release(struct archive_writer *w);

/* archive_scan.c */

struct archive_scan {
	struct nc3z_source *source;
	uint64_t offset;
	uint32_t chain_crc; /* of the last record header */
	struct buffer plan;
	struct archive_index index; /* of what was seen */
	/* Of the block, or of the one that it equals: */
	struct block_record record;
	uint64_t payload_offset;
	uint32_t stored_nbytes; /* of the block's own record */
	struct look_back back;  /* records, of a source that cannot seek */
	struct buffer contents; /* of the catalogue */
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
};

/* Reads superblock and plan. */
int archive_scan_begin(struct archive_scan *scan, struct nc3z_source *source,
		       struct nc3z_error *err);

/* Says how many streams the plan has; needed before the first block. */
int archive_scan_streams(struct archive_scan *scan, uint32_t nstreams,
			 struct nc3z_error *err);

/*
 * Goes to the next block, past the payload of the last one if that was not
 * read, for which the source must be able to seek.  '*block_ret' is NULL after
 * the last one; its payload has not been read yet.
 */
int archive_scan_next(struct archive_scan *scan,
		      const struct archive_block **block_ret,
		      struct nc3z_error *err);

/*
 * Reads and checks the payload of that block.  Its description stays valid
 * until the next block.
 */
int archive_scan_payload(struct archive_scan *scan, struct buffer *payload,
			 struct nc3z_error *err);

/*
 * After the last block: reads and checks everything up to the end of the
 * archive against what was seen.
 */
int archive_scan_end(struct archive_scan *scan,
		     struct archive_catalogue *catalogue_ret,
		     struct archive_trailer *trailer_ret,
		     struct archive_copies *copies, struct nc3z_error *err);

void archive_scan_release(struct archive_scan *scan);

/* archive_tail.c */

/*
 * Reads trailer and catalogue of an archive whose source can seek, and the plan
 * from its own section if the catalogue does not repeat it.  The catalogue
 * points into 'contents'.
 */
int archive_tail_read(struct nc3z_source *source,
		      struct archive_trailer *trailer_ret,
		      struct archive_catalogue *catalogue_ret,
		      struct buffer *contents, struct nc3z_error *err);

/* The two for those outside. */
struct nc3z_summary archive_summary(const struct archive_trailer *trailer,
				    const struct archive_catalogue *catalogue);

/* archive_reader.c */

/*
 * Reads blocks in any order.  Once it has been opened, any number of threads
 * may use it, if the source can be read by several.
 */
struct archive_reader {
	struct nc3z_source *source; /* not owned */
	struct archive_trailer trailer;
	struct archive_catalogue catalogue;
	struct buffer contents; /* of the catalogue */
	uint64_t first_block_offset;
	uint64_t *entries_before;     /* in the index, of each stream */
	_Atomic(uint8_t *) *segments; /* of the index; NULL: not read yet */
	size_t nsegments;
};

/*
 * Opens an archive from its end.  Lengths and block counts of the catalogue
 * have yet to be compared with the plan.
 */
int archive_reader_open(struct archive_reader *r, struct nc3z_source *source,
			struct nc3z_error *err);

/* What the archive has of them. */
int archive_reader_copies(const struct archive_reader *r,
			  struct archive_copies *copies,
			  struct nc3z_error *err);

/* The entry of a block that the catalogue has. */
int archive_reader_entry(struct archive_reader *r, uint32_t stream,
			 uint32_t block, struct archive_entry *entry_ret,
			 struct nc3z_error *err);

/* Where its record is, within the archive; else as archive_reader_entry(). */
int archive_reader_place(struct archive_reader *r, uint32_t stream,
			 uint32_t block, struct nc3z_range *place_ret,
			 struct nc3z_error *err);

/*
 * Whether the part of the index that has the entry of a block is still to be
 * read, and where it is.
 */
bool archive_reader_lacks(const struct archive_reader *r, uint32_t stream,
			  uint32_t block, struct nc3z_range *part_ret);

/*
 * Reads and checks the header of such a block's record, without its payload.
 * record->header keeps its memory from call to call.
 */
int archive_reader_record_header(struct archive_reader *r, uint32_t stream,
				 uint32_t block, struct block_record *record,
				 struct nc3z_error *err);

/*
 * Reads the record of such a block and checks everything but what decoding
 * shows.
 */
int archive_reader_block(struct archive_reader *r, uint32_t stream,
			 uint32_t block, struct archive_fetched *fetched,
			 struct nc3z_error *err);

void archive_reader_release(struct archive_reader *r);

#endif
