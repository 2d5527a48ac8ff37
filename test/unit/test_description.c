/* SPDX-License-Identifier: MIT */
/* Descriptions put together by section 6.2 of the specification. */
#include "blob.h"
#include "block/block.h"
#include "check.h"
#include "codecs.h"

#define RAW_NBYTES 1000
#define PAYLOAD_NBYTES 600

/* Reads a copy of just that size. */
static int read_copy(const struct blob *b, size_t payload_nbytes,
		     struct block_description *d)
{
	struct nc3z_error err = { .status = -1 };
	uint8_t *copy = copy_exactly(b->data, b->nbytes);
	struct block_view view = {
		.description = copy,
		.description_nbytes = b->nbytes,
		.payload_nbytes = payload_nbytes,
	};
	int status = block_description_read(&view, RAW_NBYTES, d, &err);

	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	free(copy);
	return status;
}

static int status_of(const struct blob *b)
{
	struct block_description d;

	return read_copy(b, PAYLOAD_NBYTES, &d);
}

static void put_steps(struct blob *b, const struct filter_chain *chain)
{
	blob_le(b, chain->nsteps, 1);
	for (unsigned i = 0; i < chain->nsteps && i < FILTER_STEPS_MAX; i++) {
		blob_le(b, chain->steps[i].id, 1);
		if (chain->steps[i].id == NC3Z_FILTER_DELTA)
			blob_le(b, chain->steps[i].stride, 4);
	}
}

static void encode(const struct block_part *part, struct blob *b)
{
	b->nbytes = 0;
	blob_le(b, 0, 1);
	blob_le(b, part->codec, 1);
	blob_le(b, part->width, 1);
	put_steps(b, &part->chain);
	blob_le(b, part->nbytes, 4);
	blob_le(b, part->stored_nbytes, 4);
}

static const struct block_part good = {
	.codec = NC3Z_CODEC_DEFLATE,
	.width = 4,
	.chain = { .nsteps = 3,
		   .steps = { { .id = NC3Z_FILTER_ORDER },
			      { .id = NC3Z_FILTER_DELTA, .stride = 0x01020304 },
			      { .id = NC3Z_FILTER_SHUFFLE } } },
	.nbytes = RAW_NBYTES,
	.stored_nbytes = PAYLOAD_NBYTES,
};

static int status_of_part(const struct block_part *part)
{
	struct blob b = { 0 };
	int status;

	encode(part, &b);
	status = status_of(&b);
	blob_release(&b);
	return status;
}

static void random_part(struct block_part *part, uint64_t *seed)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	unsigned nsteps = (unsigned)check_random_below(seed, 8);

	*part = (struct block_part){
		.codec = nth_codec(check_random(seed)),
		.width = widths[check_random_below(seed, 4)],
		.nbytes = RAW_NBYTES,
		.stored_nbytes = PAYLOAD_NBYTES,
	};
	if (check_random(seed) & 1)
		filter_chain_add(&part->chain, NC3Z_FILTER_ORDER, 0);
	while (part->chain.nsteps < nsteps)
		if (check_random(seed) & 1)
			filter_chain_add(&part->chain, NC3Z_FILTER_ZIGZAG, 0);
		else
			filter_chain_add(&part->chain, NC3Z_FILTER_DELTA,
					 (uint32_t)check_random(seed) | 1);
	if (check_random(seed) & 1 && nsteps < 8)
		filter_chain_add(&part->chain, NC3Z_FILTER_SHUFFLE, 0);
}

static void check_same(const struct block_part *a, const struct block_part *b)
{
	CHECK_EQ_U64(a->codec, b->codec);
	CHECK_EQ_U64(a->width, b->width);
	CHECK_EQ_U64(a->nbytes, b->nbytes);
	CHECK_EQ_U64(a->stored_nbytes, b->stored_nbytes);
	CHECK_EQ_U64(a->chain.nsteps, b->chain.nsteps);
	for (unsigned i = 0; i < a->chain.nsteps; i++) {
		CHECK_EQ_U64(a->chain.steps[i].id, b->chain.steps[i].id);
		CHECK_EQ_U64(a->chain.steps[i].stride,
			     b->chain.steps[i].stride);
	}
}

static void test_round_trip(void)
{
	uint64_t seed = 32;

	for (int i = 0; i < 2000; i++) {
		struct block_description d = { .nparts = 1 }, again;
		struct buffer out = { 0 };
		struct blob b = { 0 };

		random_part(&d.parts[0], &seed);
		encode(&d.parts[0], &b);
		REQUIRE(block_description_write(&d, &out));
		CHECK_EQ_U64(out.nbytes, b.nbytes);
		CHECK_MEM_EQ(out.data, b.data, b.nbytes);
		REQUIRE(read_copy(&b, PAYLOAD_NBYTES, &again) == NC3Z_OK);
		CHECK_EQ_U64(again.nparts, 1);
		check_same(&again.parts[0], &d.parts[0]);
		buffer_release(&out);
		blob_release(&b);
	}
}

static void test_every_length(void)
{
	uint64_t seed = 33;

	for (int i = 0; i < 100; i++) {
		struct block_part part;
		struct blob b = { 0 };
		size_t n;

		random_part(&part, &seed);
		encode(&part, &b);
		n = b.nbytes;
		for (b.nbytes = 0; b.nbytes < n; b.nbytes++)
			CHECK(status_of(&b) == NC3Z_EDAMAGED);
		blob_le(&b, 0, 1);
		CHECK(status_of(&b) == NC3Z_EDAMAGED);
		blob_release(&b);
	}
}

/* Bytes of a constant block: steps, width, end, step, value. */
static void encode_constant(struct blob *b, unsigned width, unsigned end)
{
	b->nbytes = 0;
	blob_le(b, 1, 1);
	blob_le(b, width, 1);
	blob_le(b, end, 1);
	blob_fill(b, 0xe0, end);
	blob_le(b, BLOCK_CONSTANT, 1);
	blob_fill(b, 0xaa, width);
}

/* The lengths must leave whole elements, at least one. */
static void test_constants(void)
{
	struct block_description d;
	struct blob b = { 0 };

	for (unsigned width = 0; width < 12; width++)
		for (unsigned end = 0; end < 10; end++) {
			bool right = (width == 1 || width == 2 || width == 4 ||
				      width == 8) &&
				     end <= 7 &&
				     (RAW_NBYTES - end) % width == 0;

			encode_constant(&b, width, end);
			CHECK(read_copy(&b, 0, &d) ==
			      (right ? NC3Z_OK : NC3Z_EDAMAGED));
			CHECK(read_copy(&b, 1, &d) == NC3Z_EDAMAGED);
			if (!right)
				continue;
			CHECK_EQ_U64(d.nparts, 0);
			CHECK_EQ_U64(d.end_nbytes, end);
			CHECK_EQ_U64(d.splits[0].value[width - 1], 0xaa);
		}
	blob_release(&b);
}

static void test_splits(void)
{
	struct block_description d;
	struct blob b = { 0 };

	encode_constant(&b, 4, 0);
	for (unsigned i = 2; i < 256; i++) {
		b.data[0] = (uint8_t)i; /* splitting steps */
		CHECK(read_copy(&b, 0, &d) == NC3Z_EDAMAGED);
	}
	b.data[0] = 1;
	for (unsigned i = 0; i < 256; i++)
		if (!block_split_name((uint8_t)i)) {
			b.data[3] = (uint8_t)i;
			CHECK(read_copy(&b, 0, &d) == NC3Z_EUNSUPPORTED);
		}
	blob_release(&b);
}

static void test_codecs_and_widths(void)
{
	for (unsigned i = 0; i < 256; i++) {
		struct block_part part = good;

		part.codec = (uint8_t)i;
		CHECK(status_of_part(&part) ==
		      (i >= CODEC_COUNT              ? NC3Z_EUNSUPPORTED :
		       codec_has_buffers((uint8_t)i) ? NC3Z_OK :
						       NC3Z_EDAMAGED));
		part.codec = NC3Z_CODEC_ZSTD;
		part.width = (uint8_t)i;
		CHECK(status_of_part(&part) ==
		      (i == 1 || i == 2 || i == 4 || i == 8 ? NC3Z_OK :
							      NC3Z_EDAMAGED));
	}
}

/* The part of a block without splitting steps, without filters. */
static void test_context_alone(void)
{
	struct block_part part = { .codec = NC3Z_CODEC_CONTEXT,
				   .stored_nbytes = PAYLOAD_NBYTES };

	for (unsigned width = 1; width <= 8; width *= 2)
		for (uint32_t n = RAW_NBYTES; n < RAW_NBYTES + 20; n++) {
			part.width = (uint8_t)width;
			part.nbytes = n;
			part.chain.nsteps = 0;
			CHECK(status_of_part(&part) ==
			      (n % width ? NC3Z_EDAMAGED : NC3Z_OK));
			filter_chain_add(&part.chain, NC3Z_FILTER_ZIGZAG, 0);
			CHECK(status_of_part(&part) == NC3Z_EDAMAGED);
		}
}

/* Of the parts of a split block the main one alone, the last. */
static void test_context_in_split(void)
{
	struct block_description d = {
		.nsplits = 2,
		.width = 4,
		.splits = { { .id = BLOCK_DROP }, { .id = BLOCK_PALETTE } },
		.nparts = 3,
	};

	for (unsigned i = 0; i < d.nparts; i++)
		d.parts[i] = (struct block_part){ .width = 1, .nbytes = 8 };
	d.parts[0].stored_nbytes = PAYLOAD_NBYTES;
	for (unsigned i = 0; i < d.nparts; i++) {
		struct buffer bytes = { 0 };
		struct blob b = { 0 };

		d.parts[i].codec = NC3Z_CODEC_CONTEXT;
		CHECK(block_description_write(&d, &bytes));
		blob_put(&b, bytes.data, bytes.nbytes);
		CHECK(status_of(&b) == (i == 2 ? NC3Z_OK : NC3Z_EDAMAGED));
		d.parts[i].codec = NC3Z_CODEC_STORE;
		blob_release(&b);
		buffer_release(&bytes);
	}
}

static void test_filters(void)
{
	struct block_part part = good;

	for (unsigned i = 0; i < 256; i++) {
		part.chain.steps[1].id = (uint8_t)i;
		if (i == NC3Z_FILTER_DELTA || i == NC3Z_FILTER_ZIGZAG)
			CHECK(status_of_part(&part) == NC3Z_OK);
		else if (filter_name((uint8_t)i))
			CHECK(status_of_part(&part) == NC3Z_EDAMAGED);
		else
			CHECK(status_of_part(&part) == NC3Z_EUNSUPPORTED);
	}
	part = good;
	part.chain.steps[1].stride = 0;
	CHECK(status_of_part(&part) == NC3Z_EDAMAGED);
	for (unsigned i = 9; i < 256; i++) {
		part.chain.nsteps = (uint8_t)i;
		CHECK(status_of_part(&part) == NC3Z_EDAMAGED);
	}
}

/* Lengths must add up to the payload and stay below the bound. */
static void test_lengths(void)
{
	const size_t bound = RAW_NBYTES + RAW_NBYTES / 8 + 4096;
	struct block_description d;
	struct blob b = { 0 };

	for (size_t payload = 0; payload < 1300; payload++) {
		encode(&good, &b);
		CHECK(read_copy(&b, payload, &d) ==
		      (payload == PAYLOAD_NBYTES ? NC3Z_OK : NC3Z_EDAMAGED));
	}
	for (size_t length = bound - 2; length < bound + 3; length++) {
		struct block_part part = good;

		part.nbytes = (uint32_t)length;
		CHECK(status_of_part(&part) ==
		      (length <= bound ? NC3Z_OK : NC3Z_EDAMAGED));
		part.nbytes = UINT32_MAX;
		CHECK(status_of_part(&part) == NC3Z_EDAMAGED);
	}
	blob_release(&b);
}

/* Random bytes: never a crash, and what is taken keeps the rules. */
static void test_garbage(void)
{
	uint64_t seed = 34;

	for (int i = 0; i < 20000; i++) {
		struct block_description d;
		struct block_part part;
		struct blob b = { 0 };

		random_part(&part, &seed);
		encode(&part, &b);
		for (int k = 0; k < 2; k++)
			b.data[check_random_below(&seed, b.nbytes)] =
				(uint8_t)check_random(&seed);
		if (read_copy(&b, PAYLOAD_NBYTES, &d) == NC3Z_OK) {
			CHECK(d.nparts == 1);
			CHECK(filter_chain_valid(&d.parts[0].chain));
			CHECK(filter_width_valid(d.parts[0].width));
			CHECK(nc3z_codec_name(d.parts[0].codec) != NULL);
			CHECK_EQ_U64(d.parts[0].stored_nbytes, PAYLOAD_NBYTES);
		}
		blob_release(&b);
	}
}

int main(void)
{
	RUN(test_round_trip);
	RUN(test_every_length);
	RUN(test_constants);
	RUN(test_splits);
	RUN(test_codecs_and_widths);
	RUN(test_context_alone);
	RUN(test_context_in_split);
	RUN(test_filters);
	RUN(test_lengths);
	RUN(test_garbage);
	return check_report();
}
