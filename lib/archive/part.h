/* SPDX-License-Identifier: MIT */
/*
 * A part of an archive, as a file of its own: what is left to be known of the
 * blocks that are completed between two offsets of the original.
 *
 *   magic, version | description | options | header | block, block, ... | end
 *
 * Block records are those of archives, but for the identity, which is 0, and
 * for the chain of their headers, which begins with the description: joining
 * gives them those of the archive.  Part 0 has no blocks, but the SHA-256 of
 * the original.  Parts are made to be joined by the version that made them, and
 * are no format to keep anything in.
 */
#ifndef NC3Z_ARCHIVE_PART_H
#define NC3Z_ARCHIVE_PART_H

#include "archive/archive.h"

/* Which part, and of what.  Zero-initialised it is empty. */
struct archive_part {
	uint32_t number; /* from 1; 0: the SHA-256 */
	uint32_t count;  /* of parts with blocks; of part 0: 0 */
	uint64_t original_nbytes;
	int64_t mtime_s;
	uint32_t mtime_ns;
	struct buffer options; /* all that blocks depend on beside the file */
	struct buffer header;  /* of the original */
};

/* What only the end of a part knows. */
struct archive_part_end {
	uint64_t nblocks;
	uint8_t sha256[SHA256_NBYTES]; /* of part 0; else 0 */
	uint32_t last_header_crc;
};

/* Writes what comes before the blocks; '*crc_ret' begins their chain. */
int archive_part_begin(const struct archive_part *part, struct nc3z_sink *sink,
		       uint32_t *crc_ret, struct nc3z_error *err);

int archive_part_finish(const struct archive_part_end *end,
			struct nc3z_sink *sink, struct nc3z_error *err);

/*
 * Reads what comes before the blocks from a source that can seek; '*offset_ret'
 * becomes that of the first block.  'part' is to be released in any case.
 *
 * NC3Z_OK; NC3Z_EINVAL if this is no part; NC3Z_EUNSUPPORTED for one of another
 * version; NC3Z_EDAMAGED, NC3Z_EIO, NC3Z_ENOMEM.
 */
int archive_part_read(struct nc3z_source *source, struct archive_part *part,
		      uint64_t *offset_ret, uint32_t *crc_ret,
		      struct nc3z_error *err);

/* Whether there is a block at 'offset', and not the end. */
int archive_part_has_block(struct nc3z_source *source, uint64_t offset,
			   bool *has_block_ret, struct nc3z_error *err);

/* Reads the end at 'offset', which must be that of the file. */
int archive_part_read_end(struct nc3z_source *source, uint64_t offset,
			  struct archive_part_end *end_ret,
			  struct nc3z_error *err);

void archive_part_release(struct archive_part *part);

#endif
