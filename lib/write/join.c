/* SPDX-License-Identifier: MIT */
/*
 * Joining parts (archive/part.h) to the archive that packing at once gives.
 * Plan and hints are made as packing makes them, from header and options;
 * records are copied, with headers for their new place, or duplicates take
 * theirs; small streams are decoded, to be copied to the end.  Parts are
 * hostile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/part.h"
#include "base/sizes.h"
#include "block/block.h"
#include "write/disguise.h"
#include "write/equal_blocks.h"
#include "write/pack_settings.h"
#include "write/pack_end.h"
#include "write/part_options.h"
#include "nc3z_tools.h"

/* A part that has been opened. */
struct joined_part {
	struct nc3z_source *source; /* NULL: not there yet */
	size_t input;               /* its number */
	uint64_t offset;            /* of its next record */
	uint32_t chain_crc;
};

struct joiner {
	const struct nc3z_pack_options *options; /* only to be called back */
	struct nc3z_sink *out;
	struct archive_part first; /* of which the others have to be */
	bool has_options;          /* it is more than the SHA-256 */
	struct joined_part *parts; /* by their numbers */
	struct part_options packing;
	struct pack_head head;
	struct plan_map map;
	struct archive_writer archive;
	struct small_streams small;
	struct block_coder coder;
	struct equal_blocks equal;
	struct block_record record;
	struct buffer payload;
	struct buffer raw;
	bool is_decoded; /* 'raw' is that of the record */
	uint64_t raw_nbytes;
	size_t input; /* that is at fault, or their number */
	struct nc3z_error *err;
};

static bool is_same(const struct buffer *a, const struct buffer *b)
{
	return a->nbytes == b->nbytes &&
	       memcmp(a->data, b->data, a->nbytes) == 0;
}

/* Why a part does not go with the first one; NULL if it does. */
static const char *foreign(const struct joiner *j,
			   const struct archive_part *part)
{
	const struct archive_part *first = &j->first;

	if (part->original_nbytes != first->original_nbytes ||
	    part->mtime_s != first->mtime_s ||
	    part->mtime_ns != first->mtime_ns ||
	    !is_same(&part->header, &first->header))
		return "not from the same file as the part before it, or the "
		       "file has changed: size, time of modification or header "
		       "differ";
	if (part->number == 0 || !j->has_options)
		return NULL;
	if (part->count != first->count)
		return "made for another number of parts than the part "
		       "before it";
	if (!is_same(&part->options, &first->options))
		return "made with other options, or by another version, than "
		       "the part before it";
	return NULL;
}

/* The first part, or the first one with blocks, says what the others are. */
static void keep_description(struct joiner *j, struct archive_part *part)
{
	if (j->has_options || (j->first.header.data && part->number == 0))
		return;
	archive_part_release(&j->first);
	j->first = *part;
	j->has_options = part->number > 0;
	*part = (struct archive_part){ 0 };
}

static int open_part(struct joiner *j, struct nc3z_source *source, size_t input)
{
	struct archive_part part;
	struct joined_part own = { .source = source, .input = input };
	uint32_t number;
	const char *why = NULL;
	int status = archive_part_read(source, &part, &own.offset,
				       &own.chain_crc, j->err);

	number = part.number;
	if (status == NC3Z_OK && j->first.header.data)
		why = foreign(j, &part);
	if (status == NC3Z_OK && !why && j->parts[number].source)
		why = "this part was given already";
	if (why)
		status = error_set(j->err, NC3Z_EINVAL, "%s", why);
	if (status == NC3Z_OK) {
		j->parts[number] = own;
		keep_description(j, &part);
	}
	archive_part_release(&part);
	return status;
}

/* Notes which input a failure is about. */
static int note_input(struct joiner *j, int status, size_t input)
{
	if (status != NC3Z_OK)
		j->input = input;
	return status;
}

static int open_parts(struct joiner *j, struct nc3z_source *const *in,
		      size_t nin)
{
	for (size_t i = 0; i < nin; i++)
		NC3Z_TRY(note_input(j, open_part(j, in[i], i), i));
	for (uint32_t i = 1; i <= j->first.count; i++)
		if (!j->parts[i].source)
			return error_set(j->err, NC3Z_EINVAL,
					 "part %" PRIu32 " of %" PRIu32
					 " is missing",
					 i, j->first.count);
	if (!j->has_options)
		return error_set(j->err, NC3Z_EINVAL,
				 "all parts with blocks "
				 "are missing");
	if (!j->parts[0].source)
		return error_set(j->err, NC3Z_EINVAL,
				 "the SHA-256 of the original is missing: make "
				 "it with nc3compress --part=sha256");
	return NC3Z_OK;
}

/* Plan and hints, as packing makes them of the file. */
static int make_plan(struct joiner *j)
{
	const struct buffer *header = &j->first.header;
	struct nc3z_source *source;
	int status;

	NC3Z_TRY(part_options_read(&j->first.options, &j->packing, j->err));
	j->packing.settings.original_nbytes = j->first.original_nbytes;
	NC3Z_TRY(nc3z_source_open_memory(header->data, header->nbytes, &source,
					 j->err));
	status = pack_head_read(&j->head, source, j->err);
	nc3z_source_close(source);
	if (status == NC3Z_OK)
		status = pack_head_plan(&j->head, &j->packing.settings, j->err);
	NC3Z_TRY(status);
	if (j->head.header.nbytes != header->nbytes ||
	    j->first.original_nbytes >= PLAN_OFFSET_END ||
	    j->first.original_nbytes < header->nbytes)
		return error_set(j->err, NC3Z_EDAMAGED,
				 "impossible size of the original");
	return plan_map_init(&j->map, &j->head.shape.plan,
			     j->first.original_nbytes, j->err);
}

static int begin_archive(struct joiner *j)
{
	j->equal.archive = &j->archive;
	NC3Z_TRY(archive_writer_begin(&j->archive, j->out, &j->head.plan,
				      j->head.shape.plan.nstreams, j->err));
	return small_streams_init(&j->small, &j->head.shape.plan,
				  j->first.original_nbytes, j->err);
}

/* The place of a record is the next one of its stream, and in the plan. */
static int check_record(struct joiner *j, const struct joined_part *part)
{
	const struct archive_block *block = &j->record.block;
	uint8_t none[FORMAT_IDENTITY_NBYTES] = { 0 };
	const struct plan_extent *extents = j->map.extents;

	if (j->record.previous_crc != part->chain_crc ||
	    memcmp(j->record.identity, none, sizeof(none)) != 0)
		return error_set(j->err, NC3Z_EDAMAGED,
				 "block record does not follow the one before "
				 "it");
	if (block->stream >= j->archive.index.nstreams ||
	    block->block != j->archive.index.streams[block->stream].count ||
	    block->block >= extents[block->stream].nblocks ||
	    block->raw_nbytes !=
		    plan_block_numbered(&j->map, block->stream, block->block)
			    .nbytes)
		return error_set(j->err, NC3Z_EDAMAGED,
				 "block is not where the plan puts it");
	return NC3Z_OK;
}

/* The next record, its payload included. */
static int read_record(struct joiner *j, struct joined_part *part)
{
	struct block_record *record = &j->record;
	struct block_description description;
	struct block_view view;

	NC3Z_TRY(
		block_record_read(part->source, &part->offset, record, j->err));
	NC3Z_TRY(check_record(j, part));
	NC3Z_TRY(source_read_growing(part->source, part->offset,
				     record->payload_nbytes, &j->payload,
				     j->err));
	NC3Z_TRY(block_record_check(record, j->payload.data, part->offset,
				    j->err));
	part->offset += record->payload_nbytes;
	part->chain_crc = record->header_crc;
	record->block.payload = j->payload.data;
	record->block.payload_nbytes = j->payload.nbytes;
	view = (struct block_view){
		.description = record->block.description,
		.description_nbytes = record->block.description_nbytes,
		.payload_nbytes = j->payload.nbytes,
	};
	j->is_decoded = false;
	return block_description_read(&view, record->block.raw_nbytes,
				      &description, j->err);
}

static int decode_block(struct joiner *j)
{
	const struct archive_block *block = &j->record.block;
	const struct block_view view = {
		.description = block->description,
		.description_nbytes = block->description_nbytes,
		.payload = block->payload,
		.payload_nbytes = block->payload_nbytes,
	};

	if (j->is_decoded)
		return NC3Z_OK;
	j->is_decoded = true;
	if (!buffer_reserve(&j->raw, block->raw_nbytes))
		return error_set_memory(j->err);
	j->raw.nbytes = block->raw_nbytes;
	return block_decode_checked(&j->coder, &view, j->raw.data,
				    j->raw.nbytes, block->raw_crc, j->err);
}

/* What packing would have done with the raw block. */
static int see_raw(struct joiner *j)
{
	const struct archive_block *block = &j->record.block;

	if (j->archive.index.nblocks == 0) {
		NC3Z_TRY(decode_block(j));
		NC3Z_TRY(archive_identity(
			j->head.plan.data, j->head.plan.nbytes, j->raw.data,
			j->raw.nbytes, j->archive.identity, j->err));
	}
	if (small_streams_wants(&j->small, block->stream, block->raw_nbytes))
		NC3Z_TRY(decode_block(j));
	return small_streams_put(&j->small, block->stream, j->raw.data,
				 block->raw_nbytes, j->err);
}

static int append_block(struct joiner *j)
{
	const struct archive_block *block = &j->record.block;
	bool collides;

	NC3Z_TRY(equal_blocks_append(&j->equal, block,
				     j->is_decoded ? j->raw.data : NULL,
				     &collides, j->err));
	if (!collides)
		return NC3Z_OK;
	NC3Z_TRY(decode_block(j));
	return disguise_append(&j->archive, block, j->raw.data, j->err);
}

static int join_block(struct joiner *j, struct joined_part *part)
{
	NC3Z_TRY(read_record(j, part));
	NC3Z_TRY(see_raw(j));
	j->raw_nbytes += j->record.block.raw_nbytes;
	if (j->options->progress)
		j->options->progress(j->options->context, j->raw_nbytes,
				     j->out->position);
	return append_block(j);
}

static int join_part(struct joiner *j, struct joined_part *part,
		     struct archive_part_end *end)
{
	uint64_t before = j->archive.index.nblocks;
	bool has_block;

	NC3Z_TRY(archive_part_has_block(part->source, part->offset, &has_block,
					j->err));
	while (has_block) {
		NC3Z_TRY(join_block(j, part));
		NC3Z_TRY(archive_part_has_block(part->source, part->offset,
						&has_block, j->err));
	}
	NC3Z_TRY(
		archive_part_read_end(part->source, part->offset, end, j->err));
	if (end->nblocks != j->archive.index.nblocks - before ||
	    end->last_header_crc != part->chain_crc)
		return error_set(j->err, NC3Z_EDAMAGED,
				 "end of the part does not belong to it");
	return source_check_unchanged(part->source, j->err);
}

static int join_parts(struct joiner *j, uint8_t sha256[SHA256_NBYTES])
{
	struct archive_part_end end;

	NC3Z_TRY(note_input(j, join_part(j, &j->parts[0], &end),
			    j->parts[0].input));
	memcpy(sha256, end.sha256, SHA256_NBYTES);
	if (end.nblocks > 0)
		return error_set(j->err, NC3Z_EDAMAGED,
				 "the part with the SHA-256 also has blocks");
	for (uint32_t i = 1; i <= j->first.count; i++)
		NC3Z_TRY(note_input(j, join_part(j, &j->parts[i], &end),
				    j->parts[i].input));
	return NC3Z_OK;
}

/* All bytes of the original are there. */
static int check_streams(struct joiner *j)
{
	uint32_t n = j->archive.index.nstreams;

	for (uint32_t i = 0; i < n; i++)
		if (j->map.extents[i].nblocks !=
		    j->archive.index.streams[i].count)
			return error_set(j->err, NC3Z_EDAMAGED,
					 "the parts do not have all blocks");
	if (j->raw_nbytes != j->first.original_nbytes)
		return error_set(j->err, NC3Z_EDAMAGED,
				 "the parts do not have all bytes of the "
				 "original");
	return NC3Z_OK;
}

static int join_sources(struct joiner *j, struct nc3z_source *const *in,
			size_t nin)
{
	struct pack_end end = {
		.archive = &j->archive,
		.head = &j->head,
		.map = &j->map,
		.small = &j->small,
	};

	NC3Z_TRY(open_parts(j, in, nin));
	NC3Z_TRY(make_plan(j));
	end.settings.effort = j->packing.settings.effort;
	end.settings.codec = (uint8_t)j->packing.settings.options.codec;
	NC3Z_TRY(begin_archive(j));
	NC3Z_TRY(join_parts(j, end.sha256));
	NC3Z_TRY(check_streams(j));
	return pack_end_write(&end, NULL, j->err);
}

static void joiner_release(struct joiner *j)
{
	small_streams_release(&j->small);
	archive_writer_release(&j->archive);
	/* The map looks into the plan, which is in the head. */
	plan_map_release(&j->map);
	pack_head_release(&j->head);
	part_options_release(&j->packing);
	archive_part_release(&j->first);
	block_coder_release(&j->coder);
	equal_blocks_release(&j->equal);
	buffer_release(&j->record.header);
	buffer_release(&j->payload);
	buffer_release(&j->raw);
	free(j->parts);
}

int nc3z_join(struct nc3z_source *const *in, size_t nin, struct nc3z_sink *out,
	      const struct nc3z_pack_options *options, size_t *input_ret,
	      struct nc3z_error *err)
{
	struct pack_settings own;
	struct joiner j = {
		.input = nin,
		.options = &own.options,
		.out = out,
		.parts = memory_alloc(NC3Z_PARTS_MAX + 1, sizeof(*j.parts)),
		.err = err,
	};
	int status = j.parts ? pack_settings_init(&own, options, err) :
			       error_set_memory(err);

	if (status == NC3Z_OK)
		status = join_sources(&j, in, nin);
	joiner_release(&j);
	if (input_ret)
		*input_ret = j.input;
	return status;
}
