/* SPDX-License-Identifier: MIT */
#include "read/announce.h"

#include <stdlib.h>

#include "base/sizes.h"
#include "io/ranges.h"
#include "read/block_store.h"

/* Joins and announces; '*ranges_ret' is what was announced, NULL if nothing. */
static size_t announce_wanted(struct nc3z_source *source,
			      struct range_wanted *wanted, size_t n,
			      uint64_t max_gap_nbytes,
			      struct nc3z_range **ranges_ret)
{
	struct nc3z_range *ranges;

	*ranges_ret = NULL;
	n = ranges_join(wanted, n, max_gap_nbytes);
	if (n == 0)
		return 0;
	ranges = memory_alloc(n, sizeof(*ranges));
	if (!ranges)
		return 0;
	for (size_t i = 0; i < n; i++)
		ranges[i] = wanted[i].range;
	source_announce(source, ranges, n);
	*ranges_ret = ranges;
	return n;
}

/* So that the entries below come with one round trip. */
static void announce_segments(struct nc3z_file *file,
			      const struct announce_block *blocks, size_t n)
{
	struct range_wanted *wanted = memory_alloc(n, sizeof(*wanted));
	struct nc3z_range last = { 0 }, *ranges = NULL;
	size_t count = 0;

	for (size_t i = 0; wanted && i < n; i++) {
		struct nc3z_range r = { 0 };

		if (stream_copies_has(&file->copies, blocks[i].stream) ||
		    !archive_reader_lacks(&file->archive, blocks[i].stream,
					  (uint32_t)blocks[i].block, &r) ||
		    (count > 0 && r.offset == last.offset))
			continue;
		last = r;
		wanted[count] = (struct range_wanted){
			.range = r,
			.order = count,
		};
		count++;
	}
	announce_wanted(file->source, wanted, count, RANGES_GAP_NBYTES_MAX,
			&ranges);
	free(ranges);
	free(wanted);
}

/* Where a block is stored; false if that is not known. */
static bool find_stored(struct nc3z_file *file, const struct announce_block *b,
			struct nc3z_range *range_ret)
{
	struct plan_block block;

	if (file->is_archive)
		return !stream_copies_has(&file->copies, b->stream) &&
		       archive_reader_place(&file->archive, b->stream,
					    (uint32_t)b->block, range_ret,
					    NULL) == NC3Z_OK;
	block = plan_block_numbered(&file->map, b->stream, b->block);
	range_ret->offset = block.stream_offset;
	range_ret->nbytes = block.nbytes;
	return true;
}

static void announce(struct nc3z_file *file,
		     const struct announce_block *blocks, size_t nblocks,
		     uint64_t max_gap_nbytes, struct announced *announced)
{
	struct range_wanted *wanted;
	size_t n = 0;

	if (nblocks == 0 || !source_is_slow(file->source))
		return;
	if (file->is_archive)
		announce_segments(file, blocks, nblocks);
	wanted = memory_alloc(nblocks, sizeof(*wanted));
	for (size_t i = 0; wanted && i < nblocks; i++) {
		wanted[n].order = n;
		n += find_stored(file, &blocks[i], &wanted[n].range);
	}
	announced->nranges = announce_wanted(
		file->source, wanted, n, max_gap_nbytes, &announced->ranges);
	free(wanted);
}

void announce_blocks(struct nc3z_file *file,
		     const struct announce_block *blocks, size_t nblocks,
		     struct announced *announced)
{
	announce(file, blocks, nblocks, RANGES_GAP_NBYTES_MAX, announced);
}

void announce_ahead(struct nc3z_file *file, const struct announce_block *blocks,
		    size_t nblocks)
{
	struct announced announced = { 0 };
	struct announce_block *missing;
	size_t n = 0;

	if (nblocks == 0 || !source_is_slow(file->source))
		return;
	missing = memory_alloc(nblocks, sizeof(*missing));
	for (size_t i = 0; missing && i < nblocks; i++)
		if (!fetch_is_cached(file, blocks[i].stream, blocks[i].block))
			missing[n++] = blocks[i];
	announce(file, missing, n, 0, &announced);
	free(announced.ranges);
	free(missing);
}

void announce_request(struct nc3z_file *file, const struct plan_request *wanted,
		      struct announced *announced)
{
	struct touched_blocks touches = { 0 };
	struct announce_block *blocks = NULL;
	size_t n = 0;

	if (!source_is_slow(file->source))
		return;
	if (touched_blocks_add(&touches, wanted, 0, NULL) == NC3Z_OK)
		blocks = memory_alloc(touches.count, sizeof(*blocks));
	for (size_t i = 0; blocks && i < touches.count; i++) {
		const struct block_key *key = &touches.list[i].key;

		if (!fetch_is_cached(file, key->stream, key->block))
			blocks[n++] = (struct announce_block){
				.stream = key->stream,
				.block = key->block,
			};
	}
	announce_blocks(file, blocks, n, announced);
	free(blocks);
	touched_blocks_release(&touches);
}

void announce_original(struct nc3z_file *file, uint64_t offset, uint64_t nbytes,
		       struct announced *announced)
{
	struct announce_block *blocks = NULL, *grown;
	size_t n = 0, capacity = 0;

	if (!source_is_slow(file->source))
		return;
	for (uint64_t end = offset + nbytes; offset < end;) {
		struct plan_block block;
		struct plan_run run =
			plan_run_in_block(&file->map, offset, &block);

		offset += run.nbytes;
		if (fetch_is_cached(file, run.stream, block.block))
			continue;
		grown = n < capacity ? blocks :
				       memory_grow(blocks, n, &capacity,
						   sizeof(*blocks));
		if (!grown)
			break;
		blocks = grown;
		blocks[n++] = (struct announce_block){
			.stream = run.stream,
			.block = block.block,
		};
	}
	announce_blocks(file, blocks, n, announced);
	free(blocks);
}

void announced_forget(struct announced *announced, struct nc3z_file *file)
{
	source_forget(file->source, announced->ranges, announced->nranges);
	free(announced->ranges);
	*announced = (struct announced){ 0 };
}
