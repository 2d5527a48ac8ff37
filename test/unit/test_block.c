/* SPDX-License-Identifier: MIT */
/*
 * Blocks decoded by the codecs' own libraries: the payload of an encoded block
 * must be what the description says, made of the filtered bytes.
 */
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "blob.h"
#include "block/block.h"
#include "check.h"
#include "codecs.h"

static struct block_coder coder;
static struct block_stored stored;

enum kind {
	PADDED, /* all equal but the last byte */
	SMOOTH,
	NOISE,
	NKINDS
};

static uint8_t *make_raw(enum kind kind, size_t nbytes)
{
	uint8_t *raw = malloc(nbytes);
	uint64_t seed = 35;

	for (size_t i = 0; i < nbytes; i++)
		raw[i] = kind == PADDED ? (uint8_t)(i + 1 == nbytes) :
			 kind == SMOOTH ? (uint8_t)(i % 4 == 3 ? i / 4 :
						    i % 4 == 2 ? i / 1024 :
								 65) :
					  (uint8_t)check_random(&seed);
	return raw;
}

/* Chain number 'which' of a few; false if there are no more. */
static bool make_chain(unsigned which, struct filter_chain *chain)
{
	*chain = (struct filter_chain){ 0 };
	switch (which) {
	case 0:
		return true;
	case 1:
		filter_chain_add(chain, NC3Z_FILTER_SHUFFLE, 0);
		return true;
	case 2:
		filter_chain_add(chain, NC3Z_FILTER_DELTA, 1);
		return true;
	case 3:
		filter_chain_add(chain, NC3Z_FILTER_ORDER, 0);
		filter_chain_add(chain, NC3Z_FILTER_DELTA, 1);
		filter_chain_add(chain, NC3Z_FILTER_DELTA, 9);
		filter_chain_add(chain, NC3Z_FILTER_ZIGZAG, 0);
		filter_chain_add(chain, NC3Z_FILTER_SHUFFLE, 0);
		return true;
	case 4:
		filter_chain_add(chain, NC3Z_FILTER_DELTA, 3);
		filter_chain_add(chain, NC3Z_FILTER_ZIGZAG, 0);
		return true;
	case 5:
		filter_chain_add(chain, NC3Z_FILTER_DELTA, UINT32_MAX);
		filter_chain_add(chain, NC3Z_FILTER_SHUFFLE, 0);
		return true;
	case 6:
		filter_chain_add(chain, NC3Z_FILTER_DELTA, 1);
		filter_chain_add(chain, NC3Z_FILTER_BITSHUFFLE, 0);
		return true;
	case 7:
		filter_chain_add(chain, NC3Z_FILTER_SHUFFLE, 0);
		return true;
	case 8:
		for (int i = 0; i < FILTER_STEPS_MAX; i++)
			filter_chain_add(chain, NC3Z_FILTER_DELTA, 1);
		return true;
	default:
		return false;
	}
}

static struct block_view view_of(const struct block_stored *s)
{
	return (struct block_view){
		.description = s->description.data,
		.description_nbytes = s->description.nbytes,
		.payload = s->payload.data,
		.payload_nbytes = s->payload.nbytes,
	};
}

static bool library_decodes(uint8_t codec, const struct buffer *payload,
			    uint8_t *out, size_t nbytes)
{
	uLongf zlib_nbytes = (uLongf)nbytes;
	unsigned bz_nbytes = (unsigned)nbytes;
	lzma_options_lzma options = { .dict_size = 8 << 20 };
	const lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options },
					{ LZMA_VLI_UNKNOWN, NULL } };
	size_t in = 0, got = 0;

	switch (codec) {
	case NC3Z_CODEC_DEFLATE:
		return uncompress(out, &zlib_nbytes, payload->data,
				  (uLong)payload->nbytes) == Z_OK &&
		       zlib_nbytes == nbytes;
	case NC3Z_CODEC_BZIP2:
		return BZ2_bzBuffToBuffDecompress((char *)out, &bz_nbytes,
						  (char *)payload->data,
						  (unsigned)payload->nbytes, 0,
						  0) == BZ_OK &&
		       bz_nbytes == nbytes;
	case NC3Z_CODEC_LZMA:
		return lzma_raw_buffer_decode(filters, NULL, payload->data, &in,
					      payload->nbytes, out, &got,
					      nbytes) == LZMA_OK &&
		       in == payload->nbytes && got == nbytes;
	case NC3Z_CODEC_ZSTD:
		return ZSTD_decompress(out, nbytes, payload->data,
				       payload->nbytes) == nbytes;
	default:
		memcpy(out, payload->data, nbytes);
		return payload->nbytes == nbytes;
	}
}

/* The description against the recipe; the part's codec and chain. */
static void check_description(const struct block_recipe *recipe,
			      size_t raw_nbytes, struct block_part *part_ret)
{
	struct block_description d = { 0 };
	struct block_view view = view_of(&stored);

	CHECK(block_description_read(&view, raw_nbytes, &d, NULL) == NC3Z_OK);
	*part_ret = d.parts[0];
	if (d.nsplits > 0)
		return;
	CHECK_EQ_U64(d.parts[0].nbytes, raw_nbytes);
	CHECK_EQ_U64(d.parts[0].stored_nbytes, stored.payload.nbytes);
	if (d.parts[0].codec == recipe->codec) {
		CHECK_EQ_U64(d.parts[0].width, recipe->width);
		CHECK_EQ_U64(d.parts[0].chain.nsteps, recipe->chain.nsteps);
		return;
	}
	/* It did not get smaller: stored as it is. */
	CHECK_EQ_U64(d.parts[0].codec, NC3Z_CODEC_STORE);
	CHECK_EQ_U64(d.parts[0].chain.nsteps, 0);
	CHECK_EQ_U64(stored.payload.nbytes, raw_nbytes);
}

static void check_decodes(const uint8_t *raw, size_t raw_nbytes)
{
	struct block_view view = view_of(&stored);
	uint8_t *out = malloc(raw_nbytes);

	memset(out, 0xee, raw_nbytes);
	CHECK(block_decode(&coder, &view, out, raw_nbytes, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(out, raw, raw_nbytes);
	free(out);
}

static void check_block(const struct block_recipe *recipe, const uint8_t *raw,
			size_t raw_nbytes)
{
	uint8_t *filtered = malloc(raw_nbytes), *scratch = malloc(raw_nbytes);
	uint8_t *decoded = malloc(raw_nbytes);
	struct block_part part;

	CHECK(block_encode(&coder, recipe, raw, raw_nbytes, &stored, NULL) ==
	      NC3Z_OK);
	check_description(recipe, raw_nbytes, &part);
	check_decodes(raw, raw_nbytes);
	if (stored.description.data[0] > 0)
		goto out;
	if (part.codec != NC3Z_CODEC_STORE)
		CHECK(stored.payload.nbytes < raw_nbytes);
	filter_apply(&part.chain, part.width, raw, raw_nbytes, filtered,
		     scratch);
	CHECK(library_decodes(part.codec, &stored.payload, decoded,
			      raw_nbytes));
	CHECK_MEM_EQ(decoded, filtered, raw_nbytes);
out:
	free(filtered);
	free(scratch);
	free(decoded);
}

static void check_recipes(enum kind kind, size_t raw_nbytes)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	uint8_t *raw = make_raw(kind, raw_nbytes);

	for (uint8_t codec = 0; codec < CODEC_COUNT; codec = next_codec(codec))
		for (size_t w = 0; w < 4; w++) {
			struct block_recipe recipe = {
				.codec = codec,
				.level = codec ? codec_level(codec, 1) : 0,
				.width = widths[w],
			};

			for (unsigned i = 0; make_chain(i, &recipe.chain); i++)
				check_block(&recipe, raw, raw_nbytes);
		}
	free(raw);
}

static void test_recipes(void)
{
	static const size_t sizes[] = { 1, 2,  3,  4,  5,   7,    8,
					9, 15, 16, 17, 100, 1003, 20001 };

	for (unsigned kind = 0; kind < NKINDS; kind++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			check_recipes(kind, sizes[i]);
}

/* Incompressible bytes are kept as they are, whatever was asked for. */
static void test_noise_is_stored(void)
{
	uint8_t *raw = make_raw(NOISE, 5000);

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct block_recipe recipe = {
			.codec = codec,
			.level = codec_level(codec, 5),
			.width = 4,
		};

		make_chain(3, &recipe.chain);
		CHECK(block_encode(&coder, &recipe, raw, 5000, &stored, NULL) ==
		      NC3Z_OK);
		CHECK_EQ_U64(stored.payload.nbytes, 5000);
		CHECK_MEM_EQ(stored.payload.data, raw, 5000);
	}
	free(raw);
}

/* With store as the codec the filters are applied all the same. */
static void test_store_filters(void)
{
	static const uint8_t raw[] = { 1, 3, 6, 10, 15 };
	static const uint8_t expected[] = { 1, 2, 3, 4, 5 };
	struct block_recipe recipe = { .codec = NC3Z_CODEC_STORE, .width = 1 };

	filter_chain_add(&recipe.chain, NC3Z_FILTER_DELTA, 1);
	CHECK(block_encode(&coder, &recipe, raw, 5, &stored, NULL) == NC3Z_OK);
	CHECK_EQ_U64(stored.payload.nbytes, 5);
	CHECK_MEM_EQ(stored.payload.data, expected, 5);
	check_decodes(raw, 5);
}

/* Equal elements, ends of all lengths: no payload, whatever the recipe. */
static void test_constants(void)
{
	for (unsigned w = 0; w < 4; w++)
		for (size_t nbytes = (size_t)1 << w; nbytes < 100; nbytes++)
			for (size_t end = nbytes % (1u << w);
			     end <= 7 && end + (1u << w) <= nbytes;
			     end += (size_t)1 << w) {
				struct block_recipe recipe = {
					.width = (uint8_t)(1u << w),
					.codec = NC3Z_CODEC_ZSTD,
					.level = 1,
				};
				uint8_t raw[100];

				for (size_t i = 0; i < nbytes; i++)
					raw[i] = i < nbytes - end ?
							 (uint8_t)(i %
								   (1u << w)) :
							 (uint8_t)(i | 0x80);
				CHECK(block_encode(&coder, &recipe, raw, nbytes,
						   &stored, NULL) == NC3Z_OK);
				CHECK_EQ_U64(stored.payload.nbytes, 0);
				CHECK(stored.description.nbytes <=
				      4 + (1u << w) + end);
				check_decodes(raw, nbytes);
			}
}

/* A block that has to look otherwise is not taken for constant. */
static void test_store_is_store(void)
{
	static const uint8_t raw[16];
	struct block_recipe recipe = { .codec = NC3Z_CODEC_STORE, .width = 4 };

	CHECK(block_encode(&coder, &recipe, raw, 16, &stored, NULL) == NC3Z_OK);
	CHECK_EQ_U64(stored.payload.nbytes, 16);
	check_decodes(raw, 16);
}

/* Decodes copies of just the right size. */
static int decode_copy(const struct block_view *view, size_t raw_nbytes)
{
	uint8_t *description =
		copy_exactly(view->description, view->description_nbytes);
	uint8_t *payload = copy_exactly(view->payload, view->payload_nbytes);
	uint8_t *out = malloc(raw_nbytes);
	struct block_view copy = *view;
	struct nc3z_error err = { .status = -1 };
	int status;

	copy.description = description;
	copy.payload = payload;
	status = block_decode(&coder, &copy, out, raw_nbytes, &err);
	CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
	      status == NC3Z_EUNSUPPORTED);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	free(description);
	free(payload);
	free(out);
	return status;
}

/* Every bit flipped and every length, of description and payload. */
static void check_hostile(struct block_view view, size_t raw_nbytes)
{
	uint8_t *description = stored.description.data;
	uint8_t *payload = stored.payload.data;
	struct block_view cut = view;

	CHECK(decode_copy(&view, raw_nbytes) == NC3Z_OK);
	for (size_t bit = 0; bit < 8 * view.description_nbytes; bit++) {
		description[bit / 8] ^= (uint8_t)(1u << bit % 8);
		decode_copy(&view, raw_nbytes);
		description[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * view.payload_nbytes; bit++) {
		payload[bit / 8] ^= (uint8_t)(1u << bit % 8);
		decode_copy(&view, raw_nbytes);
		payload[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t n = 0; n < view.description_nbytes; n++) {
		cut.description_nbytes = n;
		CHECK(decode_copy(&cut, raw_nbytes) == NC3Z_EDAMAGED);
	}
	cut = view;
	for (size_t n = 0; n < view.payload_nbytes; n++) {
		cut.payload_nbytes = n;
		CHECK(decode_copy(&cut, raw_nbytes) == NC3Z_EDAMAGED);
	}
	for (size_t n = 1; n < raw_nbytes + 10; n++)
		if (n != raw_nbytes)
			CHECK(decode_copy(&view, n) == NC3Z_EDAMAGED);
}

static void test_hostile(void)
{
	uint8_t *raw = make_raw(SMOOTH, 301);

	for (uint8_t codec = 0; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct block_recipe recipe = {
			.codec = codec,
			.level = codec ? codec_level(codec, 1) : 0,
			.width = 4,
		};

		make_chain(3, &recipe.chain);
		CHECK(block_encode(&coder, &recipe, raw, 301, &stored, NULL) ==
		      NC3Z_OK);
		check_hostile(view_of(&stored), 301);
	}
	free(raw);
}

/*
 * A zlib stream and a zstd frame that give more or less than the description
 * says, with the lengths of the description adjusted.
 */
static void test_lengths_that_lie(void)
{
	uint8_t *raw = make_raw(SMOOTH, 301);
	struct block_recipe recipe = { .width = 1 };

	for (uint8_t codec = 1; codec < CODEC_COUNT;
	     codec = next_codec(codec)) {
		struct block_view view;
		uint8_t *lengths;

		recipe.codec = codec;
		recipe.level = codec_level(codec, 5);
		CHECK(block_encode(&coder, &recipe, raw, 301, &stored, NULL) ==
		      NC3Z_OK);
		view = view_of(&stored);
		lengths =
			stored.description.data + stored.description.nbytes - 8;
		for (uint32_t n = 1; n < 600; n++) {
			lengths[0] = (uint8_t)n;
			lengths[1] = (uint8_t)(n >> 8);
			CHECK(decode_copy(&view, n) ==
			      (n == 301 ? NC3Z_OK : NC3Z_EDAMAGED));
			if (n != 301)
				CHECK(decode_copy(&view, 301) == NC3Z_EDAMAGED);
		}
	}
	free(raw);
}

/* Words of a small language, of which the first 'nnoise' bytes are noise. */
static void make_words(uint8_t *raw, size_t nbytes, size_t nnoise)
{
	uint64_t seed = 77, word;

	for (size_t i = 0; i < nbytes;) {
		word = check_random_below(&seed, 3000);
		for (size_t k = 0; k < 5 + word % 5 && i < nbytes; k++) {
			raw[i] = (uint8_t)(i < nnoise ? check_random(&seed) :
							'a' + (word * 7 +
							       k * k) % 23);
			i++;
			word += word / 3;
		}
	}
}

/*
 * Payload of a block with a codec of level 9, and others beside it, where it is
 * dropped if it takes 'too_many' bytes (0: never).
 */
static size_t payload_with(const uint8_t *raw, size_t nbytes, uint8_t codec,
			   uint8_t others, size_t too_many)
{
	const struct block_recipe recipe = {
		.width = 1,
		.codec = codec,
		.level = codec_level(codec, 9),
		.others = others,
		.others_level = 9,
		.too_many_nbytes = too_many,
	};

	CHECK(block_encode(&coder, &recipe, raw, nbytes, &stored, NULL) ==
	      NC3Z_OK);
	return stored.payload.nbytes;
}

/* LZMA is taken from 2 % on, whatever else it would gain. */
static void test_slow_codec(void)
{
	enum {
		NBYTES = 50000
	};
	uint8_t *raw = malloc(NBYTES);
	unsigned ntaken = 0, nleft = 0;

	REQUIRE(raw);
	for (size_t share = 0; share < 40; share++) {
		size_t zstd, lzma, both;
		bool gains;

		make_words(raw, NBYTES, NBYTES * share / 40);
		zstd = payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD, 0, 0);
		lzma = payload_with(raw, NBYTES, NC3Z_CODEC_LZMA, 0, 0);
		both = payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD,
				    1u << NC3Z_CODEC_LZMA, 0);
		gains = lzma < zstd - zstd / 50;
		CHECK_EQ_U64(both, gains ? lzma : zstd);
		ntaken += gains;
		nleft += !gains && lzma < zstd;
	}
	CHECK(ntaken > 0);
	CHECK(nleft > 0);
	free(raw);
}

/* Of a block that will be dropped, slow codecs make no less. */
static void test_too_many(void)
{
	enum {
		NBYTES = 50000
	};
	const uint8_t others = 1u << NC3Z_CODEC_LZMA;
	uint8_t *raw = malloc(NBYTES);
	size_t zstd, lzma;

	REQUIRE(raw);
	make_words(raw, NBYTES, NBYTES / 10);
	zstd = payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD, 0, 0);
	lzma = payload_with(raw, NBYTES, NC3Z_CODEC_LZMA, 0, 0);
	REQUIRE(lzma < zstd - zstd / 50);
	CHECK_EQ_U64(payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD, others,
				  lzma + 1),
		     lzma);
	CHECK_EQ_U64(payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD, others, lzma),
		     zstd);
	CHECK_EQ_U64(payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD, others, 1),
		     zstd);
	/* What is quick does not look at it. */
	CHECK_EQ_U64(payload_with(raw, NBYTES, NC3Z_CODEC_ZSTD, 0, 1), zstd);
	free(raw);
}

static void test_release(void)
{
	block_coder_release(&coder);
	block_coder_release(&coder);
	block_stored_release(&stored);
	block_stored_release(&stored);
	test_store_filters();
	block_coder_release(&coder);
	block_stored_release(&stored);
}

/* Threads are as many as there is memory for, one in any case. */
static void test_decoding_threads(void)
{
	CHECK_EQ_U64(block_decoding_threads(8, 0), 8);
	CHECK_EQ_U64(block_decoding_threads(256, 512 << 10), 256);
	CHECK_EQ_U64(block_decoding_threads(256, 1 << 20), 128);
	CHECK_EQ_U64(block_decoding_threads(8, 4 << 20), 8);
	CHECK_EQ_U64(block_decoding_threads(8, BLOCK_NBYTES_MAX), 2);
	CHECK_EQ_U64(block_decoding_threads(1, BLOCK_NBYTES_MAX), 1);
	CHECK_EQ_U64(block_decoding_threads(8, UINT64_MAX), 1);
}

int main(void)
{
	RUN(test_recipes);
	RUN(test_noise_is_stored);
	RUN(test_store_filters);
	RUN(test_constants);
	RUN(test_store_is_store);
	RUN(test_hostile);
	RUN(test_lengths_that_lie);
	RUN(test_slow_codec);
	RUN(test_too_many);
	RUN(test_release);
	RUN(test_decoding_threads);
	return check_report();
}
