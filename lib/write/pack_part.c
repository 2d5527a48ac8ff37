/* SPDX-License-Identifier: MIT */
/*
 * Packing a part of a file: the blocks that are completed between two offsets
 * of the original.  In which order blocks are appended follows from offsets
 * alone, so that the parts, one after the other, have the blocks of the archive
 * in their order.
 *
 * What a part needs of the original before it: the bytes of blocks that are
 * open where it begins (sorter_start()), and of each stream the blocks since
 * the last search for a recipe, as far as these leave recipes
 * (block_writer_rehearse()).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "archive/part.h"
#include "base/sizes.h"
#include "parallel/threads.h"
#include "write/block_length.h"
#include "write/part_options.h"
#include "write/refill.h"
#include "write/sorter.h"
#include "nc3z_tools.h"

#define BUFFER_NBYTES ((size_t)1 << 17)

struct part_packer {
	struct nc3z_source *in;
	struct nc3z_sink *out;
	struct pack_settings settings;
	const struct nc3z_part *part;
	struct pack_head head;
	struct archive_writer archive;
	struct block_writer blocks;
	struct sorter sorter;
	struct plan_map map; /* of the original as long as it is */
	struct refill refill;
	struct buffer options_bytes;
	struct archive_part_end end;
	uint8_t *buffer;
	struct nc3z_error *err;
};

/* How many bytes of the original are before the end of a part. */
static uint64_t end_of_part(const struct part_packer *p, unsigned number)
{
	uint64_t size = p->in->size, count = p->part->count;

	return size / count * number + size % count * number / count;
}

static int take_block(void *context, uint32_t stream, uint32_t block,
		      uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct part_packer *p = context;

	return block_writer_put(&p->blocks, stream, block, raw, raw_nbytes,
				err);
}

static int read_bytes(void *context, uint64_t offset, uint8_t *data,
		      size_t nbytes, struct nc3z_error *err)
{
	const struct part_packer *p = context;

	return source_read_again(p->in, offset, data, nbytes, err);
}

/* What comes before the blocks, also of part 0. */
static int write_begin(struct part_packer *p, uint32_t *crc_ret)
{
	const struct archive_part part = {
		.number = p->part->number,
		.count = p->part->count,
		.original_nbytes = p->in->size,
		.mtime_s = p->part->mtime_s,
		.mtime_ns = p->part->mtime_ns,
		.options = p->options_bytes,
		.header = { .data = p->head.bytes.data,
			    .nbytes = (size_t)p->head.header.nbytes },
	};

	return archive_part_begin(&part, p->out, crc_ret, p->err);
}

static int begin_blocks(struct part_packer *p)
{
	const struct plan *plan = &p->head.shape.plan;
	const struct block_writer_setup setup =
		pack_head_setup(&p->head, &p->settings, &p->archive);
	const struct sorter_setup sorting = {
		.plan = plan,
		.max_nbytes = p->settings.options.max_memory_nbytes,
		.take = take_block,
		.read = read_bytes,
		.context = p,
	};

	p->refill = (struct refill){ .read = read_bytes, .context = p };
	NC3Z_TRY(sorter_init(&p->sorter, &sorting, p->err));
	NC3Z_TRY(archive_index_init(&p->archive.index, plan->nstreams, p->err));
	NC3Z_TRY(plan_map_init(&p->map, plan, p->in->size, p->err));
	return block_writer_init(&p->blocks, &setup, p->err);
}

static int rehearse_block(struct part_packer *p, uint32_t stream,
			  uint32_t block)
{
	struct plan_block_runs runs;
	uint8_t *raw;
	int status;

	plan_block_runs_begin(&p->sorter.map, stream, block, &runs);
	raw = malloc(runs.nbytes);
	if (!raw)
		return error_set_memory(p->err);
	status = refill_add(&p->refill, &runs, raw, runs.nbytes, p->err);
	if (status == NC3Z_OK)
		status = refill_run(&p->refill, p->err);
	if (status == NC3Z_OK)
		return block_writer_rehearse(&p->blocks, stream, block, raw,
					     runs.nbytes, p->err);
	free(raw);
	return status;
}

/*
 * Makes the recipes that the part's first blocks of a stream may use.  As for
 * the sorter, a last block that the end of the original makes short is not
 * complete before that end.
 */
static int rehearse_stream(struct part_packer *p, uint32_t stream,
			   uint64_t begin)
{
	uint64_t first = plan_blocks_complete(&p->sorter.map, stream, begin);

	if (first >= p->map.extents[stream].nblocks)
		return NC3Z_OK;
	for (uint64_t block = first / RECIPE_EPOCH * RECIPE_EPOCH;
	     block < first; block++)
		if (makes_cached_recipe(block))
			NC3Z_TRY(rehearse_block(p, stream, (uint32_t)block));
	return NC3Z_OK;
}

static int put_bytes(struct part_packer *p, uint64_t end)
{
	const struct nc3z_pack_options *options = &p->settings.options;

	while (p->sorter.position < end) {
		size_t n = (size_t)size_min(BUFFER_NBYTES,
					    end - p->sorter.position);

		NC3Z_TRY(read_bytes(p, p->sorter.position, p->buffer, n,
				    p->err));
		NC3Z_TRY(sorter_put(&p->sorter, p->buffer, n, p->err));
		if (options->progress)
			options->progress(options->context, p->sorter.position,
					  p->out->position);
	}
	return NC3Z_OK;
}

static int write_blocks(struct part_packer *p)
{
	uint64_t begin = end_of_part(p, p->part->number - 1);

	NC3Z_TRY(begin_blocks(p));
	for (uint32_t i = 0; i < p->head.shape.plan.nstreams; i++)
		NC3Z_TRY(rehearse_stream(p, i, begin));
	NC3Z_TRY(sorter_start(&p->sorter, begin, p->err));
	NC3Z_TRY(put_bytes(p, end_of_part(p, p->part->number)));
	if (p->part->number == p->part->count)
		NC3Z_TRY(sorter_end(&p->sorter, &p->map, p->err));
	return block_writer_finish(&p->blocks, p->err);
}

static int pack(struct part_packer *p)
{
	p->settings.original_nbytes = p->in->size;
	NC3Z_TRY(pack_head_read(&p->head, p->in, p->err));
	/* For the SHA-256 any plan will do. */
	if (p->part->number > 0)
		NC3Z_TRY(block_length_choose(p->in, &p->head, &p->settings,
					     p->err));
	NC3Z_TRY(pack_head_plan(&p->head, &p->settings, p->err));
	pack_warn_of_size(&p->head, &p->settings.options, p->in, p->in->size);
	if (!part_options_write(&p->settings, &p->options_bytes))
		return error_set_memory(p->err);
	p->archive.sink = p->out;
	p->archive.is_part = true;
	NC3Z_TRY(write_begin(p, &p->archive.previous_crc));
	if (p->part->number == 0)
		NC3Z_TRY(nc3z_source_sha256(p->in, p->end.sha256, p->err));
	else
		NC3Z_TRY(write_blocks(p));
	NC3Z_TRY(source_check_unchanged(p->in, p->err));
	p->end.nblocks = p->archive.index.nblocks;
	p->end.last_header_crc = p->archive.previous_crc;
	return archive_part_finish(&p->end, p->out, p->err);
}

static void part_packer_release(struct part_packer *p)
{
	sorter_release(&p->sorter);
	block_writer_release(&p->blocks);
	archive_writer_release(&p->archive);
	refill_release(&p->refill);
	plan_map_release(&p->map);
	buffer_release(&p->options_bytes);
	pack_head_release(&p->head);
	free(p->buffer);
}

static int check_part(const struct nc3z_source *in,
		      const struct nc3z_part *part, struct nc3z_error *err)
{
	bool is_hash = part->number == 0 && part->count == 0;

	if (!is_hash && (part->number == 0 || part->number > part->count ||
			 part->count > NC3Z_PARTS_MAX))
		return error_set(err, NC3Z_EINVAL,
				 "there is no part %u of %u: parts are 1 to N "
				 "of N, and N is %u at most",
				 part->number, part->count, NC3Z_PARTS_MAX);
	if (!in->can_seek || in->size == SOURCE_SIZE_UNKNOWN)
		return error_set(
			err, NC3Z_EINVAL,
			"only files can be packed in parts, not streams");
	if (in->size >= PLAN_OFFSET_END)
		return error_set(err, NC3Z_ELIMIT, "file is too large");
	return NC3Z_OK;
}

int nc3z_pack_part(struct nc3z_source *in, struct nc3z_sink *out,
		   const struct nc3z_pack_options *options,
		   const struct nc3z_part *part,
		   struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct part_packer p = {
		.in = in,
		.out = out,
		.part = part,
		.buffer = malloc(BUFFER_NBYTES),
		.err = err,
	};
	int status = p.buffer ? pack_settings_init(&p.settings, options, err) :
				error_set_memory(err);

	if (status == NC3Z_OK)
		status = check_part(in, part, err);
	if (status == NC3Z_OK)
		status = pack(&p);
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = (struct nc3z_summary){
			.original_nbytes = in->size,
			.archive_nbytes = out->position,
			.nblocks = p.end.nblocks,
			.nstreams = p.head.shape.plan.nstreams,
			.format_major = FORMAT_MAJOR,
			.format_minor = FORMAT_MINOR,
		};
	part_packer_release(&p);
	return status;
}
