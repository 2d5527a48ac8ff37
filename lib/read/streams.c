/* SPDX-License-Identifier: MIT */
/*
 * How the blocks of a stream are encoded, from the headers of their records;
 * payloads are not read.
 */
#include <stdlib.h>
#include <string.h>

#include "block/block.h"
#include "read/announce.h"

/* So many ways of encoding are told apart; the others are not counted. */
#define CODINGS_MAX 64

struct counted_coding {
	struct nc3z_coding coding;
	uint64_t nblocks;
};

/* The walk through the blocks of a stream. */
struct stream_walk {
	struct nc3z_file *file;
	uint32_t stream;
	struct nc3z_stream_info *info;
	struct block_record record;
	struct counted_coding codings[CODINGS_MAX];
};

static void count_coding(struct stream_walk *walk,
			 const struct nc3z_coding *coding)
{
	uint32_t i = 0, n = walk->info->ncodings;

	while (i < n &&
	       memcmp(&walk->codings[i].coding, coding, sizeof(*coding)) != 0)
		i++;
	if (i == CODINGS_MAX)
		return;
	if (i == n) {
		walk->codings[i].coding = *coding;
		walk->info->ncodings++;
	}
	walk->codings[i].nblocks++;
}

static int take_block(struct stream_walk *walk, uint32_t block,
		      struct nc3z_error *err)
{
	const struct block_record *record = &walk->record;
	const struct archive_block *stored = &record->block;
	struct nc3z_stream_info *info = walk->info;
	struct block_description description;
	struct nc3z_coding coding;
	struct block_view view;

	NC3Z_TRY(archive_reader_record_header(
		&walk->file->archive, walk->stream, block, &walk->record, err));
	view = (struct block_view){
		.description = stored->description,
		.description_nbytes = stored->description_nbytes,
		.payload_nbytes = record->payload_nbytes,
	};
	NC3Z_TRY(block_description_read(&view, stored->raw_nbytes, &description,
					err));
	block_description_coding(&description, &coding);
	count_coding(walk, &coding);
	info->original_nbytes += stored->raw_nbytes;
	info->stored_nbytes +=
		stored->stream == walk->stream && stored->block == block ?
			record->header.nbytes + record->payload_nbytes :
			FORMAT_DUPLICATE_NBYTES;
	return NC3Z_OK;
}

/*
 * Of a slow source whole records: they come in few ranges, their headers would
 * be one each.
 */
static uint64_t announce_records(struct stream_walk *walk)
{
	uint64_t n = walk->info->nblocks, announcement = 0;
	struct announce_block *blocks;

	if (!source_is_slow(walk->file->source))
		return 0;
	blocks = memory_alloc(n, sizeof(*blocks));
	for (uint64_t i = 0; blocks && i < n; i++)
		blocks[i] = (struct announce_block){ walk->stream, i };
	if (blocks)
		announcement = announce_blocks(walk->file, blocks, (size_t)n);
	free(blocks);
	return announcement;
}

static int take_blocks(struct stream_walk *walk, struct nc3z_error *err)
{
	for (uint32_t i = 0; i < walk->info->nblocks; i++) {
		int status = take_block(walk, i, err);

		if (status != NC3Z_OK)
			return error_add_block(err, status, walk->stream, i);
	}
	return NC3Z_OK;
}

static void choose_coding(struct stream_walk *walk)
{
	const struct counted_coding *most = &walk->codings[0];

	for (uint32_t i = 1; i < walk->info->ncodings; i++)
		if (walk->codings[i].nblocks > most->nblocks)
			most = &walk->codings[i];
	walk->info->coding = most->coding;
}

int nc3z_inq_stream(struct nc3z_file *file, uint32_t stream,
		    struct nc3z_stream_info *info_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && info_ret);

	const struct plan_stream *s;
	struct stream_walk *walk;
	uint64_t announcement;
	int status;

	if (!file->is_archive)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "is a classic file, not an nc3z archive");
	if (stream >= file->plan.nstreams)
		return error_set(err, NC3Z_EINVAL, "no such stream");
	s = &file->plan.streams[stream];
	*info_ret = (struct nc3z_stream_info){
		.varid = NC3Z_GLOBAL,
		.block_nbytes = s->block_nbytes,
		.nblocks = file->map.extents[stream].nblocks,
	};
	if (s->members[0].variable < file->header.nvars) {
		info_ret->varid = (int)s->members[0].variable;
		info_ret->nvars = s->nmembers;
	}
	walk = calloc(1, sizeof(*walk));
	if (!walk)
		return error_set_memory(err);
	walk->file = file;
	walk->stream = stream;
	walk->info = info_ret;
	walk->codings[0].coding.codec = NC3Z_NO_NUMBER;
	announcement = announce_records(walk);
	status = take_blocks(walk, err);
	source_forget(file->source, announcement);
	choose_coding(walk);
	buffer_release(&walk->record.header);
	free(walk);
	return status;
}
