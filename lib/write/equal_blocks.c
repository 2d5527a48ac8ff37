/* SPDX-License-Identifier: MIT */
#include "write/equal_blocks.h"

#include <stdlib.h>
#include <string.h>

/* A duplicate of a shorter record would not be worth the look elsewhere. */
#define RECORD_NBYTES_MIN 128
#define NSLOTS_MIN 64

/* The last block with this length and CRC that was written whole. */
struct seen_block {
	uint32_t raw_nbytes; /* 0: a free slot */
	uint32_t raw_crc;
	uint32_t stream;
	uint32_t block;
};

/* The slot of a length and CRC, or the free one where it would be. */
static struct seen_block *slot_of(const struct equal_blocks *e,
				  const struct seen_block *wanted)
{
	size_t mask = e->nslots - 1;
	size_t i = (wanted->raw_crc ^ wanted->raw_nbytes) & mask;

	while (e->table[i].raw_nbytes != 0 &&
	       (e->table[i].raw_nbytes != wanted->raw_nbytes ||
		e->table[i].raw_crc != wanted->raw_crc))
		i = (i + 1) & mask;
	return &e->table[i];
}

static bool make_room(struct equal_blocks *e)
{
	struct equal_blocks grown = *e;

	if (e->count < e->nslots / 2)
		return true;
	grown.nslots = e->nslots ? 2 * e->nslots : NSLOTS_MIN;
	grown.table = memory_alloc(grown.nslots, sizeof(*grown.table));
	if (!grown.table)
		return false;
	for (size_t i = 0; i < e->nslots; i++)
		if (e->table[i].raw_nbytes != 0)
			*slot_of(&grown, &e->table[i]) = e->table[i];
	free(e->table);
	*e = grown;
	return true;
}

static int decode_earlier(struct equal_blocks *e,
			  const struct archive_block *block, struct buffer *raw,
			  struct nc3z_error *err)
{
	const struct block_view view = {
		.description = block->description,
		.description_nbytes = block->description_nbytes,
		.payload = block->payload,
		.payload_nbytes = block->payload_nbytes,
	};

	if (!buffer_reserve(raw, block->raw_nbytes))
		return error_set_memory(err);
	raw->nbytes = block->raw_nbytes;
	return block_decode_checked(&e->coder, &view, raw->data, raw->nbytes,
				    block->raw_crc, err);
}

static bool is_stored_alike(const struct archive_block *a,
			    const struct archive_block *b)
{
	return a->description_nbytes == b->description_nbytes &&
	       a->payload_nbytes == b->payload_nbytes &&
	       memcmp(a->description, b->description, a->description_nbytes) ==
		       0 &&
	       (a->payload_nbytes == 0 ||
		memcmp(a->payload, b->payload, a->payload_nbytes) == 0);
}

/* Compares a block with the one in 'e->seen'. */
static int compare_block(struct equal_blocks *e,
			 const struct archive_block *block, const uint8_t *raw,
			 bool *is_equal_ret, struct nc3z_error *err)
{
	const struct archive_block *other = &e->seen.block;

	*is_equal_ret = is_stored_alike(block, other);
	if (*is_equal_ret)
		return NC3Z_OK;
	NC3Z_TRY(decode_earlier(e, other, &e->raw, err));
	if (!raw) {
		NC3Z_TRY(decode_earlier(e, block, &e->own, err));
		raw = e->own.data;
	}
	*is_equal_ret = memcmp(raw, e->raw.data, e->raw.nbytes) == 0;
	return NC3Z_OK;
}

/* Whether a block equals one that was seen and can be named. */
static int is_duplicate(struct equal_blocks *e, const struct seen_block *seen,
			const struct archive_block *block, const uint8_t *raw,
			bool *is_equal_ret, struct nc3z_error *err)
{
	*is_equal_ret = false;
	if (seen->raw_nbytes == 0)
		return NC3Z_OK;
	NC3Z_TRY(archive_writer_look_back(e->archive, seen->stream, seen->block,
					  &e->seen, err));
	if (e->seen.record.nbytes < RECORD_NBYTES_MIN)
		return NC3Z_OK;
	return compare_block(e, block, raw, is_equal_ret, err);
}

static int append_duplicate(struct equal_blocks *e,
			    const struct seen_block *seen,
			    const struct seen_block *own, bool *collides_ret,
			    struct nc3z_error *err)
{
	const struct archive_duplicate duplicate = {
		.stream = own->stream,
		.block = own->block,
		.of_stream = seen->stream,
		.of_block = seen->block,
		.raw_nbytes = own->raw_nbytes,
		.raw_crc = own->raw_crc,
	};

	return archive_writer_duplicate(e->archive, &duplicate, collides_ret,
					err);
}

int equal_blocks_append(struct equal_blocks *e,
			const struct archive_block *block, const uint8_t *raw,
			bool *collides_ret, struct nc3z_error *err)
{
	const struct seen_block own = {
		.raw_nbytes = block->raw_nbytes,
		.raw_crc = block->raw_crc,
		.stream = block->stream,
		.block = block->block,
	};
	struct seen_block *seen;
	bool is_equal, collides = true;

	if (e->archive->is_part)
		return archive_writer_block(e->archive, block, collides_ret,
					    err);
	if (!make_room(e))
		return error_set_memory(err);
	seen = slot_of(e, &own);
	NC3Z_TRY(is_duplicate(e, seen, block, raw, &is_equal, err));
	*collides_ret = false;
	if (is_equal)
		NC3Z_TRY(append_duplicate(e, seen, &own, &collides, err));
	if (!collides)
		return NC3Z_OK;
	NC3Z_TRY(archive_writer_block(e->archive, block, collides_ret, err));
	if (!*collides_ret) {
		e->count += seen->raw_nbytes == 0;
		*seen = own;
	}
	return NC3Z_OK;
}

void equal_blocks_release(struct equal_blocks *e)
{
	free(e->table);
	buffer_release(&e->seen.record);
	buffer_release(&e->raw);
	buffer_release(&e->own);
	block_coder_release(&e->coder);
	*e = (struct equal_blocks){ 0 };
}
