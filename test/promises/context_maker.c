/* SPDX-License-Identifier: MIT */
#include "context_maker.h"

#include <zstd.h>

#define SYMBOLS 63
#define SUM 1024
#define LANES 4

static uint64_t below(context_random *random, uint64_t *seed, uint64_t limit)
{
	return random(seed) % limit;
}

static int16_t coefficient(const struct context_wish *wish,
			   context_random *random, uint64_t *seed)
{
	static const int16_t limits[] = { -4096, 4096, -512, 512, 0 };

	if (wish->is_wild)
		return limits[below(random, seed, 5)];
	return (int16_t)((int)below(random, seed, 400) - 180);
}

/* Frequencies of some symbols, or of one that has them all. */
static void make_frequencies(const struct context_wish *wish,
			     context_random *random, uint64_t *seed,
			     uint16_t *frequencies)
{
	unsigned nsymbols = wish->is_wild ? SYMBOLS : 9 + 2;
	unsigned count = 1 + (unsigned)below(random, seed, nsymbols);
	unsigned left = SUM;

	memset(frequencies, 0, SYMBOLS * sizeof(*frequencies));
	while (count-- > 0 && left > 0) {
		unsigned k = (unsigned)below(random, seed, nsymbols);
		unsigned f = 1 + (unsigned)below(random, seed, left);

		/* Those of large differences are rare, unless wild. */
		if (!wish->is_wild && k > 8 && f > 8)
			f = 8;
		frequencies[k] = (uint16_t)(frequencies[k] + f);
		left -= f;
	}
	frequencies[below(random, seed, 7)] += (uint16_t)left;
}

static void make_head(const struct context_wish *wish, context_random *random,
		      uint64_t *seed, struct blob *model)
{
	const unsigned width = wish->shape.width;
	const bool has_planes = wish->plane_rows > 0;
	const unsigned ncoefficients = has_planes ? 14 : 8;

	blob_le(model, random(seed) >> (64 - 8 * width), 8);
	blob_le(model, wish->row, 4);
	blob_le(model, wish->plane_rows, 4);
	blob_le(model, wish->npredictors, 1);
	blob_le(model, wish->ntables, 1);
	blob_le(model, wish->nlevels, 1);
	for (unsigned i = 0; i < (has_planes ? 9 : 6); i++)
		blob_le(model, below(random, seed, wish->is_wild ? 32 : 5), 1);
	for (unsigned i = 0; i < wish->npredictors; i++)
		blob_le(model, random(seed) >> (wish->is_wild ? 32 : 50), 4);
	for (unsigned i = 0; i < ncoefficients * wish->npredictors; i++)
		blob_le(model, (uint16_t)coefficient(wish, random, seed), 2);
}

static size_t count_tiles(const struct context_wish *wish)
{
	size_t nrows = (wish->shape.n + wish->row - 1) / wish->row;
	size_t plane_rows = wish->plane_rows ? wish->plane_rows :
					       (nrows + LANES - 1) / LANES;
	size_t tile_rows = 0;

	for (size_t r = 0; r < nrows; r++)
		tile_rows += r % plane_rows % 8 == 0;
	return tile_rows * ((wish->row + 15) / 16);
}

void context_make_model(const struct context_wish *wish, context_random *random,
			uint64_t *seed, struct blob *model)
{
	uint16_t frequencies[32][SYMBOLS];
	size_t ntiles = wish->npredictors > 1 ? count_tiles(wish) : 0;

	make_head(wish, random, seed, model);
	for (size_t i = 0; i < ntiles; i++)
		blob_le(model, below(random, seed, wish->npredictors), 1);
	for (unsigned i = 0; i < 12u * wish->nlevels; i++)
		blob_le(model, below(random, seed, wish->ntables), 1);
	for (unsigned i = 0; i < wish->ntables; i++)
		make_frequencies(wish, random, seed, frequencies[i]);
	for (unsigned byte = 0; byte < 2; byte++)
		for (unsigned i = 0; i < wish->ntables; i++)
			for (unsigned k = 0; k < SYMBOLS; k++)
				blob_le(model, frequencies[i][k] >> 8 * byte,
					1);
}

/* A symbol that a lane has: how it moves the state on, and its raw bits. */
struct coded {
	uint16_t frequency;
	uint16_t start;
	uint16_t bits;
	uint8_t nbits;
};

struct maker {
	struct context_source source;
	context_random *random;
	uint64_t *seed;
	struct blob coded[LANES];
};

/* A symbol as often as its frequency tells. */
static int32_t next(struct context_source *source, unsigned number,
		    const uint16_t *frequencies)
{
	struct maker *m = (struct maker *)source;
	unsigned low = (unsigned)below(m->random, m->seed, SUM), k = 0, nbits;
	struct coded coded = { .start = 0 };
	bool is_negative;
	int32_t magnitude;

	while (low >= coded.start + frequencies[k])
		coded.start = (uint16_t)(coded.start + frequencies[k++]);
	coded.frequency = frequencies[k];
	magnitude = (int32_t)context_define_symbol(k, &nbits, &is_negative);
	coded.nbits = (uint8_t)nbits;
	coded.bits = (uint16_t)below(m->random, m->seed, UINT64_C(1) << nbits);
	blob_put(&m->coded[number], &coded, sizeof(coded));
	magnitude += coded.bits;
	return is_negative ? -magnitude : magnitude;
}

/* From the last symbol to the first; words come in that order, too. */
static uint32_t encode_words(const struct coded *coded, size_t n,
			     struct blob *words)
{
	uint32_t state = 65536;

	for (size_t i = n; i-- > 0;) {
		const uint32_t f = coded[i].frequency;

		if (state >= (uint64_t)f << 22) {
			blob_le(words, state & 0xffff, 2);
			state >>= 16;
		}
		state = state / f * SUM + state % f + coded[i].start;
	}
	return state;
}

static void encode_bits(const struct coded *coded, size_t n, struct blob *bits)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < coded[i].nbits; k++, count++) {
			if (count % 8 == 0)
				blob_fill(bits, 0, 1);
			bits->data[count / 8] |=
				(uint8_t)((coded[i].bits >> k & 1)
					  << count % 8);
		}
}

static void put_lanes(const struct maker *m, struct blob *lanes)
{
	struct blob words[LANES] = { 0 }, bits[LANES] = { 0 };

	for (unsigned i = 0; i < LANES; i++) {
		const struct coded *coded = (const void *)m->coded[i].data;
		size_t n = m->coded[i].nbytes / sizeof(*coded);

		blob_le(lanes, encode_words(coded, n, &words[i]), 4);
		encode_bits(coded, n, &bits[i]);
		blob_le(lanes, words[i].nbytes / 2, 4);
		blob_le(lanes, bits[i].nbytes, 4);
	}
	for (unsigned i = 0; i < LANES; i++)
		for (size_t k = words[i].nbytes; k > 0; k -= 2)
			blob_put(lanes, words[i].data + k - 2, 2);
	for (unsigned i = 0; i < LANES; i++)
		blob_put(lanes, bits[i].data, bits[i].nbytes);
	for (unsigned i = 0; i < LANES; i++) {
		blob_release(&words[i]);
		blob_release(&bits[i]);
	}
}

const char *context_make_lanes(const struct blob *model,
			       const struct filter_elems *shape,
			       context_random *random, uint64_t *seed,
			       struct blob *lanes, uint64_t *elems)
{
	struct maker m = { .source.next = next,
			   .random = random,
			   .seed = seed };
	const char *wrong = context_define(model->data, model->nbytes, shape,
					   &m.source, elems);

	if (!wrong)
		put_lanes(&m, lanes);
	for (unsigned i = 0; i < LANES; i++)
		blob_release(&m.coded[i]);
	return wrong;
}

void context_make_stored(const uint8_t *model, size_t model_nbytes,
			 const uint8_t *lanes, size_t lanes_nbytes,
			 struct blob *stored)
{
	size_t room = ZSTD_compressBound(model_nbytes), nbytes;
	size_t at = stored->nbytes;

	blob_le(stored, 0, 4);
	nbytes = ZSTD_compress(blob_extend(stored, room), room, model,
			       model_nbytes, 1);
	if (ZSTD_isError(nbytes))
		abort();
	stored->nbytes = at + 4 + nbytes;
	for (unsigned i = 0; i < 4; i++)
		stored->data[at + i] = (uint8_t)(nbytes >> 8 * i);
	blob_put(stored, lanes, lanes_nbytes);
}
