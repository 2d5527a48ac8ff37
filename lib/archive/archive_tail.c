/* SPDX-License-Identifier: MIT */
/*
 * Opening an archive from its end: trailer, then catalogue.  The catalogue of a
 * small archive leaves the plan to the plan section.
 */
#include <string.h>

#include "archive/archive.h"

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

int archive_tail_read(struct nc3z_source *source,
		      struct archive_trailer *trailer_ret,
		      struct archive_catalogue *catalogue_ret,
		      struct buffer *contents, struct nc3z_error *err)
{
	uint8_t trailer[FORMAT_TRAILER_NBYTES];
	uint64_t trailer_offset;
	int status;

	if (!source->can_seek)
		return error_set(err, NC3Z_EINVAL, "input cannot seek");
	NC3Z_TRY(superblock_read(source, err));
	if (source->size < FORMAT_SUPERBLOCK_NBYTES + FORMAT_TRAILER_NBYTES)
		return error_set_at(err, NC3Z_EDAMAGED, source->size,
				    "archive is cut off");
	trailer_offset = source->size - FORMAT_TRAILER_NBYTES;
	NC3Z_TRY(source_read_exactly(source, trailer_offset, trailer,
				     sizeof(trailer), err));
	NC3Z_TRY(trailer_parse(trailer, trailer_offset, trailer_ret, err));
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
