/* SPDX-License-Identifier: MIT */
#include "write/pack_end.h"

#include <string.h>

static int fill_catalogue(const struct pack_end *end,
			  struct archive_catalogue *c, struct nc3z_error *err)
{
	uint32_t n = end->head->shape.plan.nstreams;

	memcpy(c->identity, end->archive->identity, FORMAT_IDENTITY_NBYTES);
	memcpy(c->sha256, end->sha256, SHA256_NBYTES);
	c->original_nbytes = end->map->original_nbytes;
	c->plan = end->head->plan.data;
	c->plan_nbytes = end->head->plan.nbytes;
	c->stream_nbytes = memory_alloc(n, sizeof(*c->stream_nbytes));
	c->stream_nblocks = memory_alloc(n, sizeof(*c->stream_nblocks));
	if (!c->stream_nbytes || !c->stream_nblocks)
		return error_set_memory(err);
	c->nstreams = n;
	for (uint32_t i = 0; i < n; i++) {
		c->stream_nbytes[i] = end->map->extents[i].nbytes;
		c->stream_nblocks[i] = (uint32_t)end->map->extents[i].nblocks;
	}
	return NC3Z_OK;
}

static int write_all(const struct pack_end *end,
		     const struct archive_catalogue *catalogue,
		     struct nc3z_error *err)
{
	const struct small_streams_setup setup = {
		.settings = end->settings,
		.hints = end->head->shape.hints,
		.owner = archive_writer_owner(end->archive),
		.original_nbytes = end->map->original_nbytes,
		.index_offset = end->archive->sink->position,
	};
	struct archive_copies copies = {
		.header = { .data = end->head->bytes.data,
			    .nbytes = (size_t)end->head->header.nbytes },
	};
	int status = NC3Z_OK;

	if (format_has_stream_copies(setup.index_offset))
		status = small_streams_copy(end->small, &setup, &copies.streams,
					    err);
	if (status == NC3Z_OK)
		status = archive_writer_end(end->archive, catalogue, &copies,
					    err);
	buffer_release(&copies.streams);
	return status;
}

int pack_end_write(const struct pack_end *end, struct nc3z_summary *summary_ret,
		   struct nc3z_error *err)
{
	struct archive_catalogue catalogue = { 0 };
	int status = fill_catalogue(end, &catalogue, err);

	if (status == NC3Z_OK)
		status = write_all(end, &catalogue, err);
	catalogue_release(&catalogue);
	NC3Z_TRY(status);
	if (!summary_ret)
		return NC3Z_OK;
	*summary_ret = (struct nc3z_summary){
		.original_nbytes = end->map->original_nbytes,
		.archive_nbytes = end->archive->sink->position,
		.nblocks = end->archive->index.nblocks,
		.nstreams = end->head->shape.plan.nstreams,
		.format_major = FORMAT_MAJOR,
		.format_minor = FORMAT_MINOR,
	};
	memcpy(summary_ret->sha256, end->sha256, SHA256_NBYTES);
	return NC3Z_OK;
}
