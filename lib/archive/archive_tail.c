/* SPDX-License-Identifier: MIT */
/*
 * Opening an archive from its end: trailer, then catalogue.  The catalogue of a
 * small archive leaves the plan to the plan section.
 */
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/sizes.h"

/* The plan section follows the superblock. */
static int read_plan(struct nc3z_source *source,
		     struct archive_catalogue *catalogue,
		     struct buffer *contents, struct nc3z_error *err)
{
	uint64_t offset = FORMAT_SUPERBLOCK_NBYTES;

	NC3Z_TRY(section_read(source, FORMAT_MARK_PLAN, &offset, contents, NULL,
			      err));
	catalogue->plan = contents->data;
	catalogue->plan_nbytes = contents->nbytes;
	return NC3Z_OK;
}

static int read_catalogue(struct nc3z_source *source,
			  const struct archive_trailer *trailer,
			  struct archive_catalogue *catalogue_ret,
			  struct buffer *contents, struct nc3z_error *err)
{
	uint64_t offset = trailer->catalogue_offset;

	NC3Z_TRY(section_read(source, FORMAT_MARK_CATALOGUE, &offset, contents,
			      NULL, err));
	NC3Z_TRY(catalogue_read(contents->data, contents->nbytes, catalogue_ret,
				err));
	if (offset + FORMAT_TRAILER_NBYTES == trailer->archive_nbytes &&
	    memcmp(catalogue_ret->identity, trailer->identity,
		   FORMAT_IDENTITY_NBYTES) == 0)
		return NC3Z_OK;
	catalogue_release(catalogue_ret);
	return error_set_at(err, NC3Z_EDAMAGED, trailer->catalogue_offset,
			    "catalogue and trailer disagree");
}

/* From the header copy, which lies before it, to the trailer, at one go. */
static void announce_tail(struct nc3z_source *source,
			  const struct archive_trailer *trailer)
{
	const struct nc3z_range tail = {
		.offset = trailer->header_copy_offset,
		.nbytes = trailer->archive_nbytes - FORMAT_TRAILER_NBYTES -
			  trailer->header_copy_offset,
	};

	source_announce(source, &tail, 1);
}

/* How much is searched for the end of an archive that other bytes follow. */
#define SEARCHED_NBYTES ((size_t)1 << 20)

static bool ends_at(struct nc3z_source *source, uint64_t end)
{
	uint8_t bytes[FORMAT_TRAILER_NBYTES];
	struct archive_trailer trailer;
	uint64_t offset = end - FORMAT_TRAILER_NBYTES;

	return end >= FORMAT_TRAILER_NBYTES && end < source->size &&
	       source_read_exactly(source, offset, bytes, sizeof(bytes),
				   NULL) == NC3Z_OK &&
	       trailer_parse(bytes, offset, &trailer, NULL) == NC3Z_OK;
}

/* Says where an archive ends whose trailer is not the end of the file. */
static int refuse_end(struct nc3z_source *source, int status,
		      const uint8_t trailer[FORMAT_TRAILER_NBYTES],
		      struct nc3z_error *err)
{
	uint64_t from = source->size - size_min(source->size, SEARCHED_NBYTES);
	uint64_t end = source->size - load_le64(trailer + 32);
	struct buffer tail = { 0 };

	/* Another archive may follow, which has a trailer of its own. */
	if (ends_at(source, end))
		return trailer_refuse_rest(end, err);
	if (source_read_growing(source, from, (size_t)(source->size - from),
				&tail, NULL) != NC3Z_OK)
		tail.nbytes = 0;
	for (size_t i = tail.nbytes; i >= FORMAT_TRAILER_NBYTES; i--) {
		size_t at = i - FORMAT_TRAILER_NBYTES;
		struct archive_trailer found;

		if (trailer_parse(tail.data + at, from + at, &found, NULL) !=
		    NC3Z_OK)
			continue;
		status = trailer_refuse_rest(from + i, err);
		break;
	}
	buffer_release(&tail);
	return status;
}

int archive_tail_read(struct nc3z_source *source,
		      struct archive_trailer *trailer_ret,
		      struct archive_catalogue *catalogue_ret,
		      struct buffer *contents, struct nc3z_error *err)
{
	uint8_t trailer[FORMAT_TRAILER_NBYTES];
	uint64_t trailer_offset;
	int status;

	NC3Z_TRY(source_check_can_seek(source, err));
	NC3Z_TRY(superblock_read(source, err));
	if (source->size < FORMAT_SUPERBLOCK_NBYTES + FORMAT_TRAILER_NBYTES)
		return error_set_at(err, NC3Z_EDAMAGED, source->size,
				    "archive is cut off");
	trailer_offset = source->size - FORMAT_TRAILER_NBYTES;
	NC3Z_TRY(source_read_exactly(source, trailer_offset, trailer,
				     sizeof(trailer), err));
	status = trailer_parse(trailer, trailer_offset, trailer_ret, err);
	if (status != NC3Z_OK)
		return refuse_end(source, status, trailer, err);
	announce_tail(source, trailer_ret);
	NC3Z_TRY(read_catalogue(source, trailer_ret, catalogue_ret, contents,
				err));
	if (catalogue_ret->plan_nbytes > 0)
		return NC3Z_OK;
	status = read_plan(source, catalogue_ret, contents, err);
	if (status != NC3Z_OK)
		catalogue_release(catalogue_ret);
	return status;
}

struct nc3z_summary archive_summary(const struct archive_trailer *trailer,
				    const struct archive_catalogue *catalogue)
{
	struct nc3z_summary summary = {
		.original_nbytes = catalogue->original_nbytes,
		.archive_nbytes = trailer->archive_nbytes,
		.nblocks = trailer->nblocks,
		.nstreams = catalogue->nstreams,
		.format_major = FORMAT_MAJOR,
		.format_minor = FORMAT_MINOR,
	};

	memcpy(summary.sha256, catalogue->sha256, SHA256_NBYTES);
	return summary;
}
