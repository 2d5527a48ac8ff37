/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are split, decoded by the library and by the words of the
 * specification: every step, with every width, holes, ends and exceptions; and
 * descriptions and parts that were changed.
 */
#include "blob.h"
#include "block/block.h"
#include "check.h"
#include "layouts.h"

#define DROP BLOCK_TRANSFORM_DROP
#define DECIMAL BLOCK_TRANSFORM_DECIMAL
#define PALETTE BLOCK_TRANSFORM_PALETTE

static struct block_coder coder;
static struct block_stored stored;

static struct block_view view_of(const struct block_stored *s)
{
	return (struct block_view){
		.description = s->description.data,
		.description_nbytes = s->description.nbytes,
		.payload = s->payload.data,
		.payload_nbytes = s->payload.nbytes,
	};
}

/* The steps that were taken, as transforms. */
static unsigned steps_of(size_t raw_nbytes)
{
	const struct block_view view = view_of(&stored);
	struct block_description d;
	unsigned steps = 0;

	CHECK(block_description_read(&view, raw_nbytes, &d, NULL) == NC3Z_OK);
	for (unsigned i = 0; i < d.nsplits; i++)
		steps |= d.splits[i].id == BLOCK_DROP     ? DROP :
			 d.splits[i].id == BLOCK_FRACTION ? DECIMAL :
			 d.splits[i].id == BLOCK_MULTIPLE ? DECIMAL :
			 d.splits[i].id == BLOCK_PALETTE  ? PALETTE :
							    8;
	return steps;
}

static void check_decodes(const struct blob *raw)
{
	const struct block_view view = view_of(&stored);
	uint8_t *out = malloc(raw->nbytes);

	memset(out, 0x77, raw->nbytes);
	CHECK(block_decode(&coder, &view, out, raw->nbytes, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(out, raw->data, raw->nbytes);
	free(out);
}

/* Chain number 'which', all to be used with and without steps. */
static struct filter_chain chain_of(unsigned which)
{
	static const uint32_t strides[][2] = {
		{ 0, 0 }, { 1, 0 }, { 10, 0 }, { 1, 10 }, { 10, 50 }, { 1, 1 }
	};
	struct filter_chain chain = { 0 };

	if (which % 2)
		filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	for (unsigned i = 0; i < 2; i++)
		if (strides[which % 6][i])
			filter_chain_add(&chain, NC3Z_FILTER_DELTA,
					 strides[which % 6][i]);
	if (which % 3)
		filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	layouts_add(&chain, which / 6, 5);
	return chain;
}

/* Encodes with all chains; the steps that were taken. */
static unsigned check_block(struct block_recipe recipe, const struct blob *raw)
{
	unsigned steps = 0;

	for (unsigned which = 0; which < 6 * layouts_count(); which++) {
		recipe.chain = chain_of(which);
		recipe.codec = which % 5 ? NC3Z_CODEC_ZSTD : NC3Z_CODEC_DEFLATE;
		recipe.level = 1;
		recipe.row_nelems = which % 4 ? 10 : 0;
		CHECK(block_encode(&coder, &recipe, raw->data, raw->nbytes,
				   &stored, NULL) == NC3Z_OK);
		steps |= steps_of(raw->nbytes);
		check_decodes(raw);
	}
	return steps;
}

/* Holes: none, at random, runs, at the beginning, all but one. */
static bool is_hole(unsigned pattern, size_t i, size_t n, uint64_t *seed)
{
	switch (pattern) {
	case 1:
		return check_random(seed) % 3 == 0;
	case 2:
		return i / 17 % 2 == 0;
	case 3:
		return i < n / 3;
	case 4:
		return i != n / 2;
	default:
		return false;
	}
}

/* Values out of a few hundred, all different in their bytes. */
static uint64_t few_values(size_t i, uint64_t *seed)
{
	return (i / 3 + check_random_below(seed, 3)) % 130 *
	       UINT64_C(0x0102030405060709);
}

/* A palette so long that the parts pass their bound is not made. */
static void test_long_palette(void)
{
	for (unsigned width = 2; width <= 8; width *= 2)
		for (unsigned nvalues = 1000; nvalues < 10000; nvalues += 800) {
			struct block_recipe recipe = {
				.width = (uint8_t)width,
				.transforms = DROP | PALETTE,
				.codec = NC3Z_CODEC_ZSTD,
				.level = 1,
			};
			struct blob raw = { 0 };
			uint64_t seed = width;

			for (unsigned i = 0; i < 20000; i++)
				blob_be(&raw,
					i % 40 ? check_random_below(&seed,
								    nvalues) :
						 0x8000,
					width);
			CHECK(block_encode(&coder, &recipe, raw.data,
					   raw.nbytes, &stored,
					   NULL) == NC3Z_OK);
			check_decodes(&raw);
			blob_release(&raw);
		}
}

static void test_drop_and_palette(void)
{
	for (unsigned width = 1; width <= 8; width *= 2)
		for (unsigned pattern = 0; pattern < 5; pattern++)
			for (unsigned transforms = 0; transforms < 8;
			     transforms++) {
				uint64_t seed = 41 + pattern;
				struct blob raw = { 0 };
				struct block_recipe recipe = {
					.width = (uint8_t)width,
					.transforms = (uint8_t)transforms,
				};
				size_t n = 700 + pattern;
				unsigned steps;

				for (size_t i = 0; i < n; i++)
					blob_be(&raw,
						is_hole(pattern, i, n, &seed) ?
							0xfedcba9876543210 :
							few_values(i, &seed),
						width);
				blob_fill(&raw, 0xe7, width - 1);
				steps = check_block(recipe, &raw);
				CHECK((steps & DROP) ==
				      (pattern > 0 ? transforms & DROP : 0));
				/* Too few are left where nearly all are holes. */
				if (width > 1 && !(pattern == 4))
					CHECK((steps & PALETTE) ==
						      (transforms & PALETTE) ||
					      (steps & DECIMAL));
				/* Some have a factor in common. */
				CHECK((steps & DECIMAL & ~transforms) == 0);
				blob_release(&raw);
			}
}

static uint64_t bits_of(double value, unsigned width)
{
	float narrow = (float)value;
	uint32_t narrow_bits;
	uint64_t bits;

	memcpy(&bits, &value, 8);
	memcpy(&narrow_bits, &narrow, 4);
	return width == 4 ? narrow_bits : bits;
}

static double power_of_ten(unsigned exponent)
{
	double power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

/* Bits that no decimal has. */
static const uint64_t odd_doubles[] = {
	0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff,
	0x0000000000000001, 0x800fffffffffffff, 0x7fefffffffffffff,
};
static const uint64_t odd_floats[] = {
	0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
	0xffffffff, 0x00000001, 0x807fffff, 0x7f7fffff,
};

/* Decimals between two integers, with so many exceptions at odd places. */
static void put_decimals(struct blob *raw, unsigned width, unsigned exponent,
			 int64_t least, uint64_t range, unsigned nexceptions)
{
	uint64_t seed = exponent + range;
	size_t n = 1000;

	raw->nbytes = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = i < 2 ? i * range :
					  check_random_below(&seed, range + 1);
		double k = (double)(int64_t)((uint64_t)least + offset);
		uint64_t bits = bits_of(k / power_of_ten(exponent), width);

		if (i % 100 < nexceptions)
			bits = width == 4 ? odd_floats[i / 100 % 9] :
					    odd_doubles[i / 100 % 9];
		blob_be(raw, bits, width);
	}
	blob_fill(raw, 0x55, width - 1);
}

static void check_decimals(unsigned width, unsigned exponent, int64_t least,
			   uint64_t range, bool is_taken)
{
	for (unsigned nexceptions = 0; nexceptions < 4; nexceptions++)
		for (unsigned transforms = DECIMAL;
		     transforms <= (DECIMAL | DROP); transforms++) {
			struct blob raw = { 0 };
			struct block_recipe recipe = {
				.width = (uint8_t)width,
				.is_float = true,
				.transforms = (uint8_t)transforms,
			};
			unsigned steps;

			put_decimals(&raw, width, exponent, least, range,
				     nexceptions);
			steps = check_block(recipe, &raw);
			if (nexceptions < (is_taken ? 2 : 1) &&
			    !(transforms & DROP) &&
			    !CHECK(((steps & DECIMAL) != 0) == is_taken))
				printf("  width %u, exponent %u, %" PRId64
				       " + %" PRIu64 ", exceptions %u\n",
				       width, exponent, least, range,
				       nexceptions);
			blob_release(&raw);
		}
}

/* Every exponent, at the limits of the integers' widths and of the type. */
static void test_decimals(void)
{
	static const uint64_t ranges[] = { 3,         254,      255,
					   256,       65535,    65536,
					   1 << 20,   16777215, 4294967295u,
					   4294967296 };

	for (unsigned e = 0; e <= 12; e++)
		for (size_t r = 0; r < 10; r++) {
			int64_t least = -(int64_t)(ranges[r] / 2);

			if (ranges[r] <= 16777215)
				check_decimals(4, e, least, ranges[r],
					       e <= 4 || ranges[r] <= 65535);
			check_decimals(8, e, least, ranges[r], true);
		}
}

static void test_large_decimals(void)
{
	const int64_t limit = INT64_C(1) << 51;

	for (unsigned e = 0; e <= 3; e++) {
		check_decimals(8, e, limit - 1001, 1000, true);
		check_decimals(8, e, -limit + 1, 1000, true);
		check_decimals(8, e, limit, 1000, false);
		check_decimals(8, e, -limit + 1, 2 * (uint64_t)limit - 2, true);
	}
	/* Floats of integers that fill 32 bits. */
	check_decimals(4, 0, -2147483647 + 64, 200, true);
	check_decimals(4, 0, 2147483647 - 1000, 100, true);
	/* A float of 2^31. */
	check_decimals(4, 0, INT64_C(1) << 31, 0, false);
}

/* Not decimals: nothing is taken, what was asked for next is. */
static void test_wishes_that_fail(void)
{
	struct block_recipe recipe = { .width = 4, .is_float = true };
	struct blob raw = { 0 };
	uint64_t seed = 4;

	for (size_t i = 0; i < 1000; i++)
		blob_be(&raw, (0x3f800000 + i % 100 * 12345), 4);
	recipe.transforms = DECIMAL;
	CHECK_EQ_U64(check_block(recipe, &raw), 0);
	recipe.transforms = DECIMAL | PALETTE | DROP;
	CHECK_EQ_U64(check_block(recipe, &raw), PALETTE);
	/* Floats of integers, as integers, have a factor in common. */
	raw.nbytes = 0;
	for (size_t i = 0; i < 1000; i++)
		blob_be(&raw, bits_of((double)(i % 200), 4), 4);
	recipe.is_float = false;
	CHECK_EQ_U64(check_block(recipe, &raw), DECIMAL);
	recipe.is_float = true;
	CHECK_EQ_U64(check_block(recipe, &raw), DECIMAL);
	/* Noise stays as it is. */
	raw.nbytes = 0;
	for (size_t i = 0; i < 1000; i++)
		blob_be(&raw, check_random(&seed), 4);
	CHECK_EQ_U64(check_block(recipe, &raw), 0);
	blob_release(&raw);
}

/* 256 values have ranks of 8 bits, 257 of 16; 65536 are the most. */
static void check_nvalues(size_t nvalues, size_t n, unsigned rank_width)
{
	struct block_recipe recipe = {
		.width = 8,
		.transforms = PALETTE,
		.codec = NC3Z_CODEC_ZSTD,
		.level = 1,
	};
	struct block_prepared prepared = { 0 };
	const struct block_description *d = &prepared.description;
	struct blob raw = { 0 };

	for (size_t i = 0; i < n; i++)
		blob_be(&raw, (i * 7919) % nvalues * 0x9e3779b97f4a7c15, 8);
	CHECK(block_prepare(&coder, &recipe, raw.data, raw.nbytes, &prepared,
			    NULL) == NC3Z_OK);
	CHECK_EQ_U64(d->nsplits, rank_width > 0);
	if (d->nsplits > 0) {
		CHECK_EQ_U64(d->parts[1].width, rank_width);
		CHECK_EQ_U64(d->parts[0].nbytes, nvalues * 8);
	}
	CHECK(block_encode(&coder, &recipe, raw.data, raw.nbytes, &stored,
			   NULL) == NC3Z_OK);
	if (n < 10000)
		check_decodes(&raw);
	block_prepared_release(&prepared);
	blob_release(&raw);
}

static void test_palette_limits(void)
{
	check_nvalues(2, 1000, 1);
	check_nvalues(256, 1000, 1);
	check_nvalues(257, 1000, 2);
	check_nvalues(750, 1000, 2);
	check_nvalues(751, 1000, 0);
	check_nvalues(65536, 131072, 2);
	check_nvalues(65537, 200000, 0);
}

/* Few elements, and ends of all lengths. */
static void test_short_blocks(void)
{
	for (unsigned width = 1; width <= 8; width *= 2)
		for (size_t nbytes = 1; nbytes < 700;
		     nbytes += 1 + nbytes / 9) {
			struct block_recipe recipe = {
				.width = (uint8_t)width,
				.is_float = true,
				.transforms = DROP | DECIMAL | PALETTE,
			};
			struct blob raw = { 0 };

			for (size_t i = 0; raw.nbytes < nbytes; i++)
				blob_be(&raw,
					i % 3 ? 0 :
						bits_of((double)(i % 5), width),
					width);
			raw.nbytes = nbytes;
			check_block(recipe, &raw);
			blob_release(&raw);
		}
}

/* Decodes copies of just the right size. */
static void decode_copy(const struct block_view *view, size_t raw_nbytes)
{
	uint8_t *description =
		malloc(view->description_nbytes + !view->description_nbytes);
	uint8_t *payload = malloc(view->payload_nbytes + !view->payload_nbytes);
	uint8_t *out = malloc(raw_nbytes);
	struct block_view copy = *view;
	int status;

	memcpy(description, view->description, view->description_nbytes);
	memcpy(payload, view->payload, view->payload_nbytes);
	copy.description = description;
	copy.payload = payload;
	status = block_decode(&coder, &copy, out, raw_nbytes, NULL);
	CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
	      status == NC3Z_EUNSUPPORTED);
	free(description);
	free(payload);
	free(out);
}

/* Bytes of the description to any value, bits of the payload, lengths. */
static void check_hostile(size_t raw_nbytes)
{
	struct block_view view = view_of(&stored);
	uint8_t *d = stored.description.data, *p = stored.payload.data;

	for (size_t i = 0; i < view.description_nbytes; i++) {
		uint8_t right = d[i];

		for (unsigned v = 0; v < 256; v += i % 3 ? 1 : 17) {
			d[i] = (uint8_t)v;
			decode_copy(&view, raw_nbytes);
		}
		d[i] = right;
	}
	for (size_t bit = 0; bit < 8 * view.payload_nbytes; bit += 3) {
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		decode_copy(&view, raw_nbytes);
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t n = raw_nbytes - 20; n < raw_nbytes + 20; n++)
		decode_copy(&view, n);
}

static void test_hostile(void)
{
	for (unsigned transforms = 1; transforms < 8; transforms++) {
		struct block_recipe recipe = {
			.width = 4,
			.is_float = true,
			.transforms = (uint8_t)transforms,
			.row_nelems = 10,
			.codec = NC3Z_CODEC_ZSTD,
			.level = 1,
			.chain = chain_of(10),
		};
		struct blob raw = { 0 };

		put_decimals(&raw, 4, 1, -50, 100, 1);
		for (size_t i = 0; i < 1000; i += 3)
			memset(raw.data + 4 * i, 0x7c, 4);
		CHECK(block_encode(&coder, &recipe, raw.data, raw.nbytes,
				   &stored, NULL) == NC3Z_OK);
		/* Too many exceptions where nothing else is asked for. */
		CHECK((steps_of(raw.nbytes) == 0) == (transforms == DECIMAL));
		check_hostile(raw.nbytes);
		blob_release(&raw);
	}
}

static void test_release(void)
{
	block_coder_release(&coder);
	block_coder_release(&coder);
	block_stored_release(&stored);
}

int main(void)
{
	RUN(test_drop_and_palette);
	RUN(test_long_palette);
	RUN(test_decimals);
	RUN(test_large_decimals);
	RUN(test_wishes_that_fail);
	RUN(test_palette_limits);
	RUN(test_short_blocks);
	RUN(test_hostile);
	RUN(test_release);
	return check_report();
}
