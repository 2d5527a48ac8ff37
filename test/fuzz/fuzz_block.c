/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as description and payload of a block:
 *
 *	description length 2, raw length 3 (up to FUZZ_NBYTES_MAX),
 *	description, payload
 *
 * What can be decoded is decoded the same every time, and can be encoded again
 * with the filters that it came with.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "block/splits.h"
#include "fuzz.h"
#include "layouts.h"
#include "codecs.h"

#define HEAD_NBYTES 5

/* The last fields of a description of one part. */
#define LENGTHS_NBYTES 8

struct input {
	size_t raw_nbytes;
	struct block_view view;
};

/* False if there is no head. */
static bool split(const uint8_t *data, size_t nbytes, struct input *in)
{
	size_t description_nbytes, left;

	if (nbytes < HEAD_NBYTES)
		return false;
	left = nbytes - HEAD_NBYTES;
	description_nbytes = load_le16(data);
	if (description_nbytes > left)
		description_nbytes = left;
	in->raw_nbytes = (load_le32(data + 1) >> 8) % FUZZ_NBYTES_MAX + 1;
	in->view = (struct block_view){
		.description = data + HEAD_NBYTES,
		.description_nbytes = description_nbytes,
		.payload = data + HEAD_NBYTES + description_nbytes,
		.payload_nbytes = left - description_nbytes,
	};
	return true;
}

static void join(uint8_t *data, size_t description_nbytes, size_t raw_nbytes)
{
	store_le16(data, (uint16_t)description_nbytes);
	data[2] = (uint8_t)(raw_nbytes - 1);
	data[3] = (uint8_t)((raw_nbytes - 1) >> 8);
	data[4] = (uint8_t)((raw_nbytes - 1) >> 16);
}

/* Decodes from memory of exactly the right length into such. */
static int decode(struct block_coder *coder, const struct block_view *view,
		  uint8_t *raw, size_t raw_nbytes)
{
	uint8_t *description =
		fuzz_copy(view->description, view->description_nbytes);
	uint8_t *payload = fuzz_copy(view->payload, view->payload_nbytes);
	struct block_view exact = {
		.description = description,
		.description_nbytes = view->description_nbytes,
		.payload = payload,
		.payload_nbytes = view->payload_nbytes,
	};
	int status = block_decode(coder, &exact, raw, raw_nbytes, NULL);

	free(description);
	free(payload);
	return status;
}

static struct block_view view_of(const struct block_stored *stored)
{
	return (struct block_view){
		.description = stored->description.data,
		.description_nbytes = stored->description.nbytes,
		.payload = stored->payload.data,
		.payload_nbytes = stored->payload.nbytes,
	};
}

static uint8_t wishes_of(const struct block_description *d)
{
	unsigned transforms = 0;

	for (unsigned i = 0; i < d->nsplits; i++)
		transforms |= split_ops_of(d->splits[i].id)->transform;
	return (uint8_t)transforms;
}

/* The recipe of a block that was decoded, with a fast level. */
static struct block_recipe recipe_of(const struct input *in)
{
	struct block_description d;
	const struct block_part *part;
	uint8_t codec;

	FUZZ_CHECK(block_description_read(&in->view, in->raw_nbytes, &d,
					  NULL) == NC3Z_OK);
	if (d.nparts == 0)
		return (struct block_recipe){ .width = d.width };
	part = &d.parts[d.nparts - 1];
	codec = part->codec == NC3Z_CODEC_CONTEXT ? NC3Z_CODEC_ZSTD :
						    part->codec;
	return (struct block_recipe){
		.width = d.nsplits > 0 ? d.width : part->width,
		.is_float = d.nsplits == 0 ||
			    d.splits[d.nsplits - 1].id != BLOCK_MULTIPLE,
		.transforms = wishes_of(&d),
		.codec = codec,
		.level = codec_level(codec, 1),
		.chain = part->chain,
	};
}

static void check_again(struct block_coder *coder, const struct input *in,
			const uint8_t *raw)
{
	struct block_recipe recipe = recipe_of(in);
	struct block_stored stored = { 0 };
	struct block_view view;
	uint8_t *again = fuzz_copy(raw, in->raw_nbytes);

	memset(again, 0x5a, in->raw_nbytes);
	FUZZ_CHECK(decode(coder, &in->view, again, in->raw_nbytes) == NC3Z_OK);
	FUZZ_CHECK(memcmp(raw, again, in->raw_nbytes) == 0);
	FUZZ_CHECK(block_encode(coder, &recipe, raw, in->raw_nbytes, &stored,
				NULL) == NC3Z_OK);
	memset(again, 0xa5, in->raw_nbytes);
	view = view_of(&stored);
	FUZZ_CHECK(decode(coder, &view, again, in->raw_nbytes) == NC3Z_OK);
	FUZZ_CHECK(memcmp(raw, again, in->raw_nbytes) == 0);
	block_stored_release(&stored);
	free(again);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct block_coder coder = { 0 };
	struct input in;
	uint8_t *raw;
	int status;

	if (!split(data, nbytes, &in))
		return;
	raw = malloc(in.raw_nbytes);
	FUZZ_CHECK(raw);
	status = decode(&coder, &in.view, raw, in.raw_nbytes);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_EUNSUPPORTED);
	if (status == NC3Z_OK)
		check_again(&coder, &in, raw);
	block_coder_release(&coder);
	free(raw);
}

static struct filter_chain random_chain(uint64_t *state)
{
	struct filter_chain chain = { 0 };

	if (fuzz_random_below(state, 3) == 0)
		filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	while (fuzz_random_below(state, 2) == 0 && chain.nsteps < 4)
		filter_chain_add(&chain, NC3Z_FILTER_DELTA,
				 1 + (uint32_t)fuzz_random_below(state, 50));
	if (fuzz_random_below(state, 2) == 0)
		filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	layouts_add(&chain, (unsigned)fuzz_random_below(state, layouts_count()),
		    1 + (uint32_t)fuzz_random_below(state, 99));
	return chain;
}

/*
 * The same block with all parts stored, so that a change of its payload is a
 * change of a mask, a table, a rank.
 */
static void store_parts(struct block_coder *coder, struct block_stored *stored,
			size_t raw_nbytes)
{
	const struct block_view view = view_of(stored);
	const uint8_t *in = view.payload;
	struct block_stored plain = { 0 };
	struct block_description d;

	FUZZ_CHECK(block_description_read(&view, raw_nbytes, &d, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(
		buffer_reserve(&plain.payload, block_payload_max(raw_nbytes)));
	for (unsigned i = 0; i < d.nparts; i++) {
		struct block_part *part = &d.parts[i];
		const struct codec_buffers buffers = {
			.in = in,
			.in_nbytes = part->stored_nbytes,
			.out = plain.payload.data + plain.payload.nbytes,
			.out_nbytes = part->nbytes,
		};

		FUZZ_CHECK(codec_decode(&coder->codecs, part->codec, &buffers,
					NULL) == NC3Z_OK);
		in += part->stored_nbytes;
		plain.payload.nbytes += part->nbytes;
		part->codec = NC3Z_CODEC_STORE;
		part->stored_nbytes = part->nbytes;
	}
	FUZZ_CHECK(block_description_write(&d, &plain.description));
	block_stored_release(stored);
	*stored = plain;
}

/* A part of the file, encoded somehow. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed;
	size_t raw_nbytes =
		1 + (size_t)fuzz_random_below(&state, file_nbytes % 65536 + 1);
	struct block_recipe recipe = {
		.width = (uint8_t)(1u << fuzz_random_below(&state, 4)),
		.codec = nth_codec(fuzz_random(&state)),
		.is_float = fuzz_random_below(&state, 2) == 0,
		.transforms = (uint8_t)fuzz_random_below(&state, 16),
		.row_nelems = (uint32_t)fuzz_random_below(&state, 50),
		.chain = random_chain(&state),
	};
	struct block_coder coder = { 0 };
	struct block_stored stored = { 0 };
	size_t description_nbytes, nbytes;

	if (raw_nbytes > file_nbytes)
		raw_nbytes = file_nbytes;
	recipe.level = codec_level(recipe.codec, 1);
	FUZZ_CHECK(block_encode(&coder, &recipe, file, raw_nbytes, &stored,
				NULL) == NC3Z_OK);
	if (fuzz_random_below(&state, 2) == 0)
		store_parts(&coder, &stored, raw_nbytes);
	description_nbytes = stored.description.nbytes;
	nbytes = HEAD_NBYTES + description_nbytes + stored.payload.nbytes;
	if (nbytes <= room.nbytes) {
		join(room.data, description_nbytes, raw_nbytes);
		memcpy(room.data + HEAD_NBYTES, stored.description.data,
		       description_nbytes);
		memcpy(room.data + HEAD_NBYTES + description_nbytes,
		       stored.payload.data, stored.payload.nbytes);
	}
	block_stored_release(&stored);
	block_coder_release(&coder);
	return nbytes <= room.nbytes ? nbytes : 0;
}

/*
 * Changes the payload only, or all, and most times lets the description have
 * the right lengths afterwards.
 */
static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	struct input in;
	size_t payload_at, description_nbytes;
	uint8_t *lengths;

	if (seed % 4 == 0 || !split(room.data, nbytes, &in))
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	description_nbytes = in.view.description_nbytes;
	payload_at = HEAD_NBYTES + description_nbytes;
	if (seed % 4 == 1)
		LLVMFuzzerMutate(room.data + HEAD_NBYTES, description_nbytes,
				 description_nbytes);
	else if (room.data[HEAD_NBYTES] > 0 && nbytes > payload_at)
		LLVMFuzzerMutate(room.data + payload_at, nbytes - payload_at,
				 nbytes - payload_at);
	else
		nbytes =
			payload_at + LLVMFuzzerMutate(room.data + payload_at,
						      nbytes - payload_at,
						      room.nbytes - payload_at);
	/* Lengths of several parts are left as they are. */
	if (description_nbytes < LENGTHS_NBYTES || seed % 64 < 4 ||
	    room.data[HEAD_NBYTES] > 0)
		return nbytes;
	lengths = room.data + payload_at - LENGTHS_NBYTES;
	store_le32(lengths, (uint32_t)in.raw_nbytes);
	store_le32(lengths + 4, (uint32_t)(nbytes - payload_at));
	/* Stored bytes have the length of the block. */
	if (seed % 8 == 3 && nbytes > payload_at &&
	    nbytes - payload_at <= FUZZ_NBYTES_MAX) {
		join(room.data, description_nbytes, nbytes - payload_at);
		store_le32(lengths, (uint32_t)(nbytes - payload_at));
	}
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
