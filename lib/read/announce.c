/* SPDX-License-Identifier: MIT */
#include "read/announce.h"

#include <stdlib.h>

#include "base/sizes.h"
#include "io/ranges.h"
#include "read/block_store.h"

/* Joins and announces. */
static uint64_t announce_wanted(struct nc3z_source *source,
				struct range_wanted *wanted, size_t n,
				uint64_t max_gap_nbytes)
{
	struct nc3z_range *ranges;
	uint64_t announcement;

	n = ranges_join(wanted, n, max_gap_nbytes);
	ranges = memory_alloc(n, sizeof(*ranges));
	if (!ranges)
		return 0;
	for (size_t i = 0; i < n; i++)
		ranges[i] = wanted[i].range;
	announcement = source_announce(source, ranges, n);
	free(ranges);
	return announcement;
}

/* So that the entries below come with one round trip. */
static void announce_segments(struct nc3z_file *file,
			      const struct announce_block *blocks, size_t n)
{
	struct range_wanted *wanted = memory_alloc(n, sizeof(*wanted));
	struct nc3z_range last = { 0 };
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
	announce_wanted(file->source, wanted, count, RANGES_GAP_NBYTES_MAX);
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

static uint64_t announce_ranges(struct nc3z_file *file,
				const struct announce_block *blocks,
				size_t nblocks, uint64_t max_gap_nbytes)
{
	struct range_wanted *wanted;
	uint64_t announcement;
	size_t n = 0;

	if (nblocks == 0 || !source_is_slow(file->source))
		return 0;
	if (file->is_archive)
		announce_segments(file, blocks, nblocks);
	wanted = memory_alloc(nblocks, sizeof(*wanted));
	for (size_t i = 0; wanted && i < nblocks; i++) {
		wanted[n].order = n;
		n += find_stored(file, &blocks[i], &wanted[n].range);
	}
	announcement = announce_wanted(file->source, wanted, n, max_gap_nbytes);
	free(wanted);
	return announcement;
}

uint64_t announce_blocks(struct nc3z_file *file,
			 const struct announce_block *blocks, size_t nblocks)
{
	return announce_ranges(file, blocks, nblocks, RANGES_GAP_NBYTES_MAX);
}

void announce_ahead(struct nc3z_file *file, const struct announce_block *blocks,
		    size_t nblocks)
{
	struct announce_block *missing;
	size_t n = 0;

	if (nblocks == 0 || !source_is_slow(file->source))
		return;
	missing = memory_alloc(nblocks, sizeof(*missing));
	for (size_t i = 0; missing && i < nblocks; i++)
		if (!fetch_is_cached(file, blocks[i].stream, blocks[i].block))
			missing[n++] = blocks[i];
	announce_ranges(file, missing, n, 0);
	free(missing);
}

uint64_t announce_request(struct nc3z_file *file,
			  const struct hyperslab_visits *wanted)
{
	struct touched_blocks touches = { 0 };
	struct announce_block *blocks = NULL;
	uint64_t announcement;
	size_t n = 0;

	if (!source_is_slow(file->source))
		return 0;
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
	announcement = announce_blocks(file, blocks, n);
	free(blocks);
	touched_blocks_release(&touches);
	return announcement;
}

uint64_t announce_original(struct nc3z_file *file, uint64_t offset,
			   uint64_t nbytes)
{
	struct announce_block *blocks = NULL;
	size_t n = 0, capacity = 0;
	uint64_t announcement;

	if (!source_is_slow(file->source))
		return 0;
	for (uint64_t end = offset + nbytes; offset < end;) {
		struct plan_block block;
		struct plan_run run =
			plan_run_in_block(&file->map, offset, &block);

		offset += run.nbytes;
		if (fetch_is_cached(file, run.stream, block.block))
			continue;
		if (!memory_room(&blocks, n, &capacity, sizeof(*blocks)))
			break;
		blocks[n++] = (struct announce_block){
			.stream = run.stream,
			.block = block.block,
		};
	}
	announcement = announce_blocks(file, blocks, n);
	free(blocks);
	return announcement;
}
