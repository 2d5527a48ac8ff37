/* SPDX-License-Identifier: MIT */
/* The last bytes of an archive: where everything lies. */
#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/sizes.h"

void trailer_write(const struct archive_trailer *trailer,
		   uint8_t out[FORMAT_TRAILER_NBYTES])
{
	memcpy(out, FORMAT_MARK_TRAILER, FORMAT_MARK_NBYTES);
	store_le16(out + 4, FORMAT_MAJOR);
	store_le16(out + 6, FORMAT_MINOR);
	store_le64(out + 8, trailer->index_offset);
	store_le64(out + 16, trailer->header_copy_offset);
	store_le64(out + 24, trailer->catalogue_offset);
	store_le64(out + 32, trailer->archive_nbytes);
	store_le64(out + 40, trailer->nblocks);
	memcpy(out + 48, trailer->identity, FORMAT_IDENTITY_NBYTES);
	store_le32(out + 56, trailer->last_header_crc);
	store_le32(out + 60, crc32_of(out, 60));
}

/* Records follow each other in order, and the trailer ends the archive. */
static bool places_agree(const struct archive_trailer *t, uint64_t offset)
{
	uint64_t index_nbytes, index_end;

	return t->archive_nbytes == offset + FORMAT_TRAILER_NBYTES &&
	       archive_index_nbytes(t->nblocks, &index_nbytes) &&
	       size_add(t->index_offset, index_nbytes, &index_end) &&
	       t->index_offset >= FORMAT_SUPERBLOCK_NBYTES &&
	       index_end == t->header_copy_offset &&
	       t->header_copy_offset <= t->catalogue_offset &&
	       t->catalogue_offset < offset;
}

int trailer_parse(const uint8_t in[FORMAT_TRAILER_NBYTES], uint64_t offset,
		  struct archive_trailer *trailer_ret, struct nc3z_error *err)
{
	struct archive_trailer *t = trailer_ret;

	if (memcmp(in, FORMAT_MARK_TRAILER, FORMAT_MARK_NBYTES) != 0 ||
	    load_le32(in + 60) != crc32_of(in, 60))
		return error_set_at(
			err, NC3Z_EDAMAGED, offset,
			"the trailer at the end is missing or incomplete: "
			"the archive is cut off or damaged");
	/* The superblock has a version that is known. */
	if (load_le16(in + 4) != FORMAT_MAJOR ||
	    load_le16(in + 6) != FORMAT_MINOR)
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "superblock and trailer have different "
				    "versions");
	t->index_offset = load_le64(in + 8);
	t->header_copy_offset = load_le64(in + 16);
	t->catalogue_offset = load_le64(in + 24);
	t->archive_nbytes = load_le64(in + 32);
	t->nblocks = load_le64(in + 40);
	memcpy(t->identity, in + 48, FORMAT_IDENTITY_NBYTES);
	t->last_header_crc = load_le32(in + 56);
	if (!places_agree(t, offset))
		return error_set_at(
			err, NC3Z_EDAMAGED, offset,
			"offsets in the trailer contradict each other");
	if (t->nblocks == 0)
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "archive without a block");
	return NC3Z_OK;
}

int trailer_refuse_rest(uint64_t end, struct nc3z_error *err)
{
	return error_set_at(err, NC3Z_EDAMAGED, end,
			    "bytes after the end of the archive: \"head -c "
			    "%" PRIu64 "\" gives the archive alone, \"tail -c "
			    "+%" PRIu64 "\" what follows it",
			    end, end + 1);
}
