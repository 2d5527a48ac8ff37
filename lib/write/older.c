/* SPDX-License-Identifier: MIT */
#include "write/older.h"

#include <string.h>

/* Where a header has the number of records: in 4 bytes, in CDF-5 in 8. */
#define NUMRECS_OFFSET 4
#define NUMRECS_NBYTES 8

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
static int refuse(int status, struct nc3z_error *err)
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
	return refuse(open_archive(older, source, err), err);
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
	return refuse(read_block(older, stream, block, coder, ret, err), err);
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

/* Whether blocks of the same number have the same bytes of an original. */
static bool is_same_stream(const struct older *older, uint32_t stream)
{
	const struct plan_stream *a = &older->plan.streams[stream];
	const struct plan_stream *b = &older->file_plan->streams[stream];

	if (a->is_record != b->is_record || a->nmembers != b->nmembers ||
	    a->block_nbytes != b->block_nbytes ||
	    a->panel_nrecords != b->panel_nrecords ||
	    !is_same_grid(a->grid, b->grid))
		return false;
	for (uint32_t i = 0; i < a->nmembers; i++)
		if (a->members[i].begin != b->members[i].begin ||
		    a->members[i].nbytes != b->members[i].nbytes)
			return false;
	return true;
}

static bool has_numrecs(const struct older *older, uint32_t stream,
			uint64_t block)
{
	return stream == older->numrecs_stream && block == older->numrecs_block;
}

static int lacks(struct nc3z_error *err)
{
	return error_set(err, NC3Z_EOLDER,
			 "the file does not have all that the archive has");
}

int older_compare(struct older *older, const struct archive_block *wanted,
		  const uint8_t *raw, struct block_coder *coder,
		  struct older_block *block, struct nc3z_error *err)
{
	block->is_same = false;
	if (block_nbytes(&older->map, wanted->stream, wanted->block) !=
	    wanted->raw_nbytes)
		return NC3Z_OK;
	NC3Z_TRY(older_read(older, wanted->stream, wanted->block, coder, block,
			    err));
	block->is_same = memcmp(raw, block->raw.data, wanted->raw_nbytes) == 0;
	return block->is_same || !older->file_plan ||
			       has_numrecs(older, wanted->stream,
					   wanted->block) ||
			       !is_same_stream(older, wanted->stream) ?
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

/* All of it. */

struct keeper {
	struct older *older;
	struct refill refill;
	struct block_coder coder;
	struct older_block block;
	struct buffer raw; /* of the file */
	struct nc3z_error *err;
};

/* The number of records of the block that was read, the first of the header. */
static void put_numrecs(const struct keeper *k, uint8_t *header)
{
	memcpy(header + NUMRECS_OFFSET, k->block.raw.data + NUMRECS_OFFSET,
	       header[3] == 5 ? NUMRECS_NBYTES : NUMRECS_NBYTES / 2);
}

/* Compares a block with the bytes of the file that it has. */
static int keep_block(struct keeper *k, uint32_t stream, uint32_t block)
{
	struct older *older = k->older;
	struct plan_block_runs runs;
	uint8_t *raw;

	plan_block_runs_begin(&older->map, stream, block, &runs);
	if (!buffer_reserve(&k->raw, runs.nbytes))
		return error_set_memory(k->err);
	raw = k->raw.data;
	NC3Z_TRY(refill_add(&k->refill, &runs, raw, runs.nbytes, k->err));
	NC3Z_TRY(refill_run(&k->refill, k->err));
	NC3Z_TRY(
		older_read(older, stream, block, &k->coder, &k->block, k->err));
	if (has_numrecs(older, stream, block))
		put_numrecs(k, raw);
	return memcmp(raw, k->block.raw.data, runs.nbytes) == 0 ? NC3Z_OK :
								  lacks(k->err);
}

/*
 * Small streams may have all records in one block, of whatever number; what
 * follows the records has no block.
 */
static int keep_stream(struct keeper *k, uint32_t stream,
		       const struct plan_map *map)
{
	const struct plan_map *old = &k->older->map;
	uint64_t nblocks = old->extents[stream].nblocks;
	bool is_same = is_same_stream(k->older, stream);

	if (!is_same && nblocks > 1)
		return error_set(k->err, NC3Z_EOLDER,
				 "the archive is cut into other blocks");
	for (uint64_t b = 0; b < nblocks; b++)
		if (!is_same || has_numrecs(k->older, stream, b) ||
		    block_nbytes(map, stream, b) !=
			    block_nbytes(old, stream, b))
			NC3Z_TRY(keep_block(k, stream, (uint32_t)b));
	return NC3Z_OK;
}

/* The first block, as other blocks have nothing of the header's beginning. */
static int find_numrecs(struct keeper *k)
{
	struct older *older = k->older;
	struct plan_block block;
	const struct plan_run run = plan_run_in_block(&older->map, 0, &block);

	if (run.stream_offset != block.stream_offset ||
	    run.nbytes < NUMRECS_OFFSET + NUMRECS_NBYTES)
		return lacks(k->err);
	older->numrecs_stream = run.stream;
	older->numrecs_block = block.block;
	return older_read(older, run.stream, (uint32_t)block.block, &k->coder,
			  &k->block, k->err);
}

static int keep(struct keeper *k, const struct older_file *file)
{
	struct older *older = k->older;
	uint64_t nbytes = older->map.original_nbytes;
	struct plan_map map;
	int status = NC3Z_OK;

	/* Bytes after the records would move. */
	if (nbytes > file->nbytes || nbytes > plan_record_end(&older->plan))
		return lacks(k->err);
	if (older->plan.nstreams != file->plan->nstreams)
		return error_set(k->err, NC3Z_EOLDER,
				 "the archive has other streams");
	older->file_plan = file->plan;
	NC3Z_TRY(find_numrecs(k));
	NC3Z_TRY(plan_map_init(&map, file->plan, file->nbytes, k->err));
	for (uint32_t i = 0; i < older->plan.nstreams && status == NC3Z_OK; i++)
		status = keep_stream(k, i, &map);
	plan_map_release(&map);
	return status;
}

int older_keep(struct older *older, const struct older_file *file,
	       struct nc3z_error *err)
{
	struct keeper k = {
		.older = older,
		.refill = { .read = file->read, .context = file->context },
		.err = err,
	};
	int status = keep(&k, file);

	refill_release(&k.refill);
	block_coder_release(&k.coder);
	older_block_release(&k.block);
	buffer_release(&k.raw);
	return status;
}
