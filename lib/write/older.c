/* SPDX-License-Identifier: MIT */
#include "write/older.h"

#include <string.h>

/* Where a header has the number of records: in 4 bytes, in CDF-5 in 8. */
#define NUMRECS_OFFSET 4

void older_block_release(struct older_block *block)
{
	buffer_release(&block->fetched.record);
	buffer_release(&block->raw);
}

void older_release(struct older *older)
{
	plan_map_release(&older->map);
	plan_release(&older->plan);
	archive_reader_release(&older->archive);
	*older = (struct older){ 0 };
}

/* Whatever is wrong with it, packing can do without. */
static int refuse_older(int status, struct nc3z_error *err)
{
	if (status == NC3Z_OK || status == NC3Z_ENOMEM)
		return status;
	if (err)
		err->status = NC3Z_EOLDER;
	return NC3Z_EOLDER;
}

static int open_archive(struct older *older, struct nc3z_source *source,
			struct nc3z_error *err)
{
	const struct archive_catalogue *c = &older->archive.catalogue;

	NC3Z_TRY(archive_reader_open(&older->archive, source, err));
	NC3Z_TRY(plan_read(c->plan, c->plan_nbytes, &older->plan, err));
	return plan_map_init(&older->map, &older->plan, c->original_nbytes,
			     err);
}

int older_open(struct older *older, struct nc3z_source *source,
	       struct nc3z_error *err)
{
	*older = (struct older){ 0 };
	if (!source->can_seek)
		return error_set(err, NC3Z_EINVAL,
				 "the older archive cannot be read in any "
				 "order");
	return refuse_older(open_archive(older, source, err), err);
}

/* The length of a block, 0 if there is none of that number. */
static uint64_t block_nbytes(const struct plan_map *map, uint32_t stream,
			     uint64_t block)
{
	return stream < map->plan->nstreams &&
			       block < map->extents[stream].nblocks ?
		       plan_block_numbered(map, stream, block).nbytes :
		       0;
}

static int read_block(struct older *older, uint32_t stream, uint32_t block,
		      struct block_coder *coder, struct older_block *ret,
		      struct nc3z_error *err)
{
	const struct archive_catalogue *c = &older->archive.catalogue;
	const struct archive_block *found = &ret->fetched.block;
	struct block_view view;

	if (stream >= c->nstreams || block >= c->stream_nblocks[stream])
		return error_set(err, NC3Z_EDAMAGED,
				 "catalogue and plan disagree");
	NC3Z_TRY(archive_reader_block(&older->archive, stream, block,
				      &ret->fetched, err));
	if (found->raw_nbytes != block_nbytes(&older->map, stream, block))
		return error_set(err, NC3Z_EDAMAGED,
				 "block has another length than in the plan");
	if (!buffer_reserve(&ret->raw, found->raw_nbytes))
		return error_set_memory(err);
	ret->raw.nbytes = found->raw_nbytes;
	view = (struct block_view){
		.description = found->description,
		.description_nbytes = found->description_nbytes,
		.payload = found->payload,
		.payload_nbytes = found->payload_nbytes,
	};
	return block_decode_checked(coder, &view, ret->raw.data,
				    ret->raw.nbytes, found->raw_crc, err);
}

int older_read(struct older *older, uint32_t stream, uint32_t block,
	       struct block_coder *coder, struct older_block *ret,
	       struct nc3z_error *err)
{
	return refuse_older(read_block(older, stream, block, coder, ret, err),
			    err);
}

static bool is_same_grid(const struct plan_grid *a, const struct plan_grid *b)
{
	if (!a || !b)
		return !a && !b;
	for (uint32_t i = 0; i < a->rank && a->rank == b->rank; i++)
		if (a->dims[i].length != b->dims[i].length ||
		    a->dims[i].chunk != b->dims[i].chunk)
			return false;
	return a->rank == b->rank;
}

/*
 * Whether blocks of the same number begin with the same byte of an original.
 * Few records may be in one block, which then may become longer.
 */
static bool is_same_stream(const struct plan_stream *a, uint64_t nblocks,
			   const struct plan_stream *b)
{
	bool is_cut_so = a->block_nbytes == b->block_nbytes &&
			 a->panel_nrecords == b->panel_nrecords;
	bool is_longer = nblocks == 1 && a->block_nbytes <= b->block_nbytes &&
			 a->panel_nrecords <= b->panel_nrecords;

	if (a->is_record != b->is_record || a->nmembers != b->nmembers ||
	    !is_same_grid(a->grid, b->grid) || !(is_cut_so || is_longer))
		return false;
	for (uint32_t i = 0; i < a->nmembers; i++)
		if (a->members[i].begin != b->members[i].begin ||
		    a->members[i].nbytes != b->members[i].nbytes)
			return false;
	return true;
}

static int lacks(struct nc3z_error *err)
{
	return error_set(err, NC3Z_EOLDER,
			 "the file does not have all that the archive has");
}

int older_keep(struct older *older, const struct plan *file_plan,
	       uint64_t file_nbytes, struct nc3z_error *err)
{
	const struct plan *plan = &older->plan;
	const struct plan_extent *extents = older->map.extents;

	/* Bytes after the records would move. */
	if (older->map.original_nbytes > file_nbytes ||
	    older->map.original_nbytes > plan_record_end(plan))
		return lacks(err);
	if (plan->nstreams != file_plan->nstreams)
		return error_set(err, NC3Z_EOLDER,
				 "the archive has other streams");
	for (uint32_t i = 0; i < plan->nstreams; i++)
		/* What follows the records has moved, and has no block. */
		if (extents[i].nblocks > 0 &&
		    !is_same_stream(&plan->streams[i], extents[i].nblocks,
				    &file_plan->streams[i]))
			return error_set(err, NC3Z_EOLDER,
					 "the archive is cut into other "
					 "blocks");
	older->file_plan = file_plan;
	return NC3Z_OK;
}

/* Whether a block has a share of each member that begins with the older one. */
static bool has_shares(const struct older *older,
		       const struct archive_block *wanted, const uint8_t *raw,
		       const struct buffer *was)
{
	const struct plan_stream *from = &older->plan.streams[wanted->stream];
	const struct plan_stream *to =
		&older->file_plan->streams[wanted->stream];

	for (uint32_t i = 0; i < to->nmembers; i++) {
		uint64_t at = plan_cut_share(from, i, was->nbytes);
		uint64_t end =
			i + 1 < to->nmembers ?
				plan_cut_share(from, i + 1, was->nbytes) :
				was->nbytes;

		if (memcmp(raw + plan_cut_share(to, i, wanted->raw_nbytes),
			   was->data + at, end - at) != 0)
			return false;
	}
	return true;
}

/*
 * Whether a block has all that the older one has, which the end of the file may
 * have cut off.
 */
static bool has_all(const struct older *older,
		    const struct archive_block *wanted, const uint8_t *raw,
		    const struct buffer *was)
{
	const struct plan_stream *s =
		&older->file_plan->streams[wanted->stream];
	size_t after = 0;

	if (was->nbytes > wanted->raw_nbytes)
		return false;
	if (s->nmembers > 1 && s->panel_nrecords > 1)
		return has_shares(older, wanted, raw, was);
	/* What follows the number of records of a header. */
	if (s->members[0].begin == 0 && wanted->block == 0) {
		after = raw[3] == 5 ? NUMRECS_OFFSET + 8 : NUMRECS_OFFSET + 4;
		if (was->nbytes < after ||
		    memcmp(raw, was->data, NUMRECS_OFFSET) != 0)
			return false;
	}
	return memcmp(raw + after, was->data + after, was->nbytes - after) == 0;
}

int older_compare(struct older *older, const struct archive_block *wanted,
		  const uint8_t *raw, struct block_coder *coder,
		  struct older_block *block, struct nc3z_error *err)
{
	uint64_t nbytes =
		block_nbytes(&older->map, wanted->stream, wanted->block);

	block->is_same = false;
	if (nbytes == 0 || (nbytes != wanted->raw_nbytes && !older->file_plan))
		return NC3Z_OK;
	NC3Z_TRY(older_read(older, wanted->stream, wanted->block, coder, block,
			    err));
	block->is_same = nbytes == wanted->raw_nbytes &&
			 memcmp(raw, block->raw.data, nbytes) == 0;
	return block->is_same || !older->file_plan ||
			       has_all(older, wanted, raw, &block->raw) ?
		       NC3Z_OK :
		       lacks(err);
}

/* As disguise.c encodes, and nothing else. */
static bool is_disguised(const struct archive_block *block)
{
	const struct block_view view = {
		.description = block->description,
		.description_nbytes = block->description_nbytes,
		.payload_nbytes = block->payload_nbytes,
	};
	struct block_description d;

	return block_description_read(&view, block->raw_nbytes, &d, NULL) !=
		       NC3Z_OK ||
	       (d.nparts == 1 && d.parts[0].codec == NC3Z_CODEC_STORE &&
		d.parts[0].chain.nsteps > 0);
}

bool older_is_plain(const struct older_block *block)
{
	return !block->fetched.entry.is_duplicate &&
	       !is_disguised(&block->fetched.block);
}

int older_check(const struct older_block *block,
		const struct block_stored *stored, struct nc3z_error *err)
{
	const struct archive_block *found = &block->fetched.block;
	const struct buffer *d = &stored->description, *p = &stored->payload;

	if (d->nbytes == found->description_nbytes &&
	    p->nbytes == found->payload_nbytes &&
	    memcmp(d->data, found->description, d->nbytes) == 0 &&
	    (p->nbytes == 0 || memcmp(p->data, found->payload, p->nbytes) == 0))
		return NC3Z_OK;
	return error_set(err, NC3Z_EOLDER,
			 "the archive was made with other options or by "
			 "another version");
}
