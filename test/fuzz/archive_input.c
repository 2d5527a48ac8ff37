/* SPDX-License-Identifier: MIT */
#include "archive_input.h"

#include <stdlib.h>
#include <string.h>

#include "block/block.h"
#include "pieces.h"
#include "codecs.h"

size_t archive_from_classic(const uint8_t *file, size_t file_nbytes,
			    uint64_t seed, struct fuzz_room room)
{
	static const char *const chunks[] = { "series", "balanced" };
	struct nc3z_pack_options options;
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	const void *data;
	size_t nbytes;

	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	options.level = (int)fuzz_random_below(&seed, 4);
	options.codec = nth_codec(fuzz_random(&seed));
	options.block_nbytes = NC3Z_BLOCK_NBYTES_MIN
			       << fuzz_random_below(&seed, 5);
	options.chunks = &chunks[fuzz_random_below(&seed, 2)];
	options.nchunks = fuzz_random_below(&seed, 2);
	FUZZ_CHECK(nc3z_source_open_memory(file, file_nbytes, &source, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(nc3z_sink_open_memory(room.nbytes, &sink, NULL) == NC3Z_OK);
	nbytes = 0;
	if (nc3z_pack(source, sink, &options, NULL, NULL) == NC3Z_OK) {
		data = nc3z_sink_memory(sink, &nbytes);
		memcpy(room.data, data, nbytes);
	}
	nc3z_sink_close(sink);
	nc3z_source_close(source);
	return nbytes;
}

static void change_buffer(struct buffer *b)
{
	size_t room = b->nbytes + 64;

	FUZZ_CHECK(buffer_reserve(b, room));
	b->nbytes = LLVMFuzzerMutate(b->data, b->nbytes, room);
}

/* Raw bytes of a block changed, and encoded again in another way. */
static void change_raw(struct piece *piece, uint64_t *state)
{
	struct block_recipe recipe = {
		.width = (uint8_t)(1u << fuzz_random_below(state, 4)),
		.codec = nth_codec(fuzz_random(state)),
	};
	struct block_coder coder = { 0 };
	struct block_stored stored = { 0 };
	struct buffer raw = { 0 };

	if (pieces_decode(piece, &raw))
		change_buffer(&raw);
	if (raw.nbytes > 0) {
		recipe.level = codec_level(recipe.codec, 1);
		filter_chain_add(&recipe.chain, NC3Z_FILTER_DELTA,
				 1 + (uint32_t)fuzz_random_below(state, 9));
		FUZZ_CHECK(block_encode(&coder, &recipe, raw.data, raw.nbytes,
					&stored, NULL) == NC3Z_OK);
		piece->block.raw_nbytes = (uint32_t)raw.nbytes;
		buffer_release(&piece->description);
		buffer_release(&piece->payload);
		piece->description = stored.description;
		piece->payload = stored.payload;
	}
	block_coder_release(&coder);
	buffer_release(&raw);
}

/* Blocks change places, are lost, or come twice. */
static void change_order(struct pieces *p, uint64_t *state)
{
	size_t at = (size_t)fuzz_random_below(state, p->nblocks);
	struct piece *a = &p->blocks[at], *b = &p->blocks[p->nblocks - 1];
	struct piece last = *b;

	switch (fuzz_random_below(state, 3)) {
	case 0:
		*b = *a;
		*a = last;
		break;
	case 1:
		buffer_release(&a->description);
		buffer_release(&a->payload);
		*a = last;
		*b = (struct piece){ 0 };
		p->nblocks--;
		break;
	default:
		if (p->nblocks == PIECES_BLOCKS_MAX)
			break;
		b[1] = *a;
		b[1].description = b[1].payload = (struct buffer){ 0 };
		FUZZ_CHECK(buffer_append(&b[1].description, a->description.data,
					 a->description.nbytes) &&
			   buffer_append(&b[1].payload, a->payload.data,
					 a->payload.nbytes));
		p->nblocks++;
	}
}

/* A block becomes a duplicate of another, or names another one. */
static void change_other(struct pieces *p, struct piece *piece, uint64_t *state)
{
	const struct piece *of =
		&p->blocks[fuzz_random_below(state, p->nblocks)];

	piece->is_duplicate = piece != &p->blocks[0];
	piece->of_stream = of->block.stream;
	piece->of_block = of->block.block;
	if (fuzz_random_below(state, 4) != 0)
		piece->block.raw_nbytes = of->block.raw_nbytes;
}

static void change_block(struct pieces *p, uint64_t *state)
{
	struct piece *piece = &p->blocks[fuzz_random_below(state, p->nblocks)];

	switch (fuzz_random_below(state, 7)) {
	case 0:
		change_buffer(&piece->description);
		break;
	case 1:
		change_buffer(&piece->payload);
		break;
	case 2:
		piece->block.stream = (uint32_t)fuzz_random_below(state, 20);
		break;
	case 3:
		piece->block.raw_nbytes +=
			(uint32_t)fuzz_random_below(state, 64) - 32;
		break;
	case 4:
		change_raw(piece, state);
		break;
	case 5:
		change_other(p, piece, state);
		break;
	default:
		change_order(p, state);
	}
}

static void change_size(struct pieces *p, uint64_t *state)
{
	uint8_t bytes[8];

	if (fuzz_random_below(state, 2) == 0) {
		p->original_nbytes += fuzz_random_below(state, 64) - 32;
		return;
	}
	memcpy(bytes, &p->original_nbytes, sizeof(bytes));
	LLVMFuzzerMutate(bytes, sizeof(bytes), sizeof(bytes));
	memcpy(&p->original_nbytes, bytes, sizeof(bytes));
}

static void change_piece(struct pieces *p, uint64_t *state)
{
	uint64_t which = fuzz_random_below(state, 8);

	if (which == 0)
		change_size(p, state);
	else if (which <= 2 || p->nblocks == 0)
		change_buffer(&p->plan);
	else
		change_block(p, state);
	if (fuzz_random_below(state, 4) != 0)
		pieces_number_blocks(p);
	if (fuzz_random_below(state, 4) != 0)
		pieces_fix_sha256(p);
	if (fuzz_random_below(state, 16) == 0)
		p->lie = (enum lie)fuzz_random_below(state, LIE_COUNT);
}

size_t archive_mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	struct pieces *pieces = calloc(1, sizeof(*pieces));
	struct buffer archive = { 0 };
	size_t n = 0;

	FUZZ_CHECK(pieces);
	if (fuzz_random_below(&seed, 8) != 0 &&
	    pieces_load(pieces, room.data, nbytes)) {
		if (fuzz_random_below(&seed, 32) == 0)
			pieces->section_codec = NC3Z_CODEC_DEFLATE;
		change_piece(pieces, &seed);
		if (pieces_write(pieces, &archive) &&
		    archive.nbytes <= room.nbytes) {
			n = archive.nbytes;
			memcpy(room.data, archive.data, n);
		}
	}
	buffer_release(&archive);
	pieces_clear(pieces);
	free(pieces);
	return n > 0 ? n : LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
}
