/* SPDX-License-Identifier: MIT */
/*
 * A variable of V elements in chunks of E has P = V / E of them.  Each kind of
 * access says how many indices of the first dimension a chunk gets; the rest of
 * E is spread over the other dimensions, which are cut into the same number of
 * pieces each.  Then each length is moved to a good one nearby.
 */
#include "plan/chunks.h"

#include "base/sizes.h"
#include "nc3z.h"

/* Records are taken for so many where their number is not known. */
#define UNKNOWN_NRECORDS 1024

/* Divisors are looked for within this distance of what is wanted. */
#define DIVISOR_DISTANCE_MAX 4096

static uint64_t power_of(uint64_t v, uint32_t n)
{
	uint64_t power = 1;

	while (n-- > 0)
		power = size_mul_max(power, v, UINT64_MAX);
	return power;
}

/* The r whose r^n is nearest to v. */
static uint64_t integer_root(uint64_t v, uint32_t n)
{
	uint64_t low = 0, high = v;

	while (low < high) {
		uint64_t middle = high - (high - low) / 2;

		if (power_of(middle, n) <= v)
			low = middle;
		else
			high = middle - 1;
	}
	return v - power_of(low, n) < power_of(low + 1, n) - v ? low : low + 1;
}

/* 2^a or 3 * 2^a, whichever is nearest to v, which is at least 1. */
static uint64_t smooth_length(uint64_t v)
{
	uint64_t power = 1;

	while (power <= v / 2)
		power *= 2;
	/* The bounds are between 1 and 1.5, and between 1.5 and 2. */
	if (power == 1 || v * 5 < power * 6)
		return power;
	return v * 7 < power * 12 ? power / 2 * 3 : power * 2;
}

/*
 * A good length near 'wanted' for a dimension: a divisor within a quarter of
 * it, or what cuts it into a few equal pieces, or one of small factors.
 */
static uint64_t good_length(uint64_t length, uint64_t wanted)
{
	uint64_t distance = size_min(wanted / 4, DIVISOR_DISTANCE_MAX);
	uint64_t npieces;

	if (wanted >= length)
		return length;
	for (uint64_t d = 0; d <= distance; d++) {
		if (length % (wanted - d) == 0)
			return wanted - d;
		if (length % (wanted + d) == 0)
			return wanted + d;
	}
	npieces = (length + wanted / 2) / wanted;
	if (npieces <= 4)
		return size_div_up(length, size_max(npieces, 2));
	return size_min(smooth_length(wanted), length);
}

/* The variable that is being cut. */
struct cut {
	uint64_t lengths[PLAN_RANK_MAX];
	uint64_t chunks[PLAN_RANK_MAX];
	uint32_t rank;
	uint64_t nelems;      /* of a chunk, about */
	uint64_t first_limit; /* of the first chunk length */
};

static uint64_t product(const uint64_t *lengths, uint32_t first, uint32_t rank)
{
	uint64_t nelems = 1;

	for (uint32_t k = first; k < rank; k++)
		nelems = size_mul_max(nelems, lengths[k], UINT64_MAX);
	return nelems;
}

/*
 * Spreads 'nelems' elements over all dimensions but the first.  Those that are
 * shorter than the number of pieces get one index, and the others what these
 * leave.
 */
static void spread_elements(struct cut *c, uint64_t nelems)
{
	uint64_t npieces = 1, before = 0;

	for (uint32_t k = 1; k < c->rank; k++)
		c->chunks[k] = 0;
	/* The number of pieces grows until no other dimension is too short. */
	while (npieces != before) {
		uint64_t volume = 1;
		uint32_t nlong = 0;

		before = npieces;
		for (uint32_t k = 1; k < c->rank; k++) {
			if (c->lengths[k] <= npieces)
				continue;
			volume =
				size_mul_max(volume, c->lengths[k], UINT64_MAX);
			nlong++;
		}
		if (nlong > 0)
			npieces = size_max(
				before,
				integer_root(volume / size_max(nelems, 1),
					     nlong));
	}
	for (uint32_t k = 1; k < c->rank; k++)
		c->chunks[k] = good_length(
			c->lengths[k],
			size_max(c->lengths[k] / size_max(npieces, 1), 1));
}

/* Whole dimensions from the fastest on, as long as there are elements. */
static void fill_from_last(struct cut *c)
{
	uint64_t left = c->nelems;

	for (uint32_t k = c->rank; k-- > 1;) {
		c->chunks[k] = good_length(c->lengths[k], size_max(left, 1));
		left /= c->chunks[k];
	}
}

/* A chunk of one index, or of so many as a block has bytes at least. */
static void cut_records(struct cut *c, uint32_t width)
{
	uint64_t nbytes;

	fill_from_last(c);
	nbytes =
		size_mul_max(product(c->chunks, 1, c->rank), width, UINT64_MAX);
	c->chunks[0] = size_div_up(NC3Z_BLOCK_NBYTES_MIN, nbytes);
	c->chunks[0] = size_min(c->chunks[0], c->lengths[0]);
}

static void cut_series(struct cut *c, uint64_t wanted)
{
	wanted = size_min(size_min(wanted, c->first_limit), c->nelems);
	c->chunks[0] = good_length(c->lengths[0], size_max(wanted, 1));
	c->chunks[0] = size_min(c->chunks[0], c->first_limit);
	spread_elements(c, c->nelems / c->chunks[0]);
}

/* Good lengths may be longer than what was wanted, by not too much. */
static void keep_limits(struct cut *c, uint64_t max_nelems)
{
	c->chunks[0] = size_min(c->chunks[0], c->first_limit);
	while (product(c->chunks, 0, c->rank) > max_nelems) {
		uint32_t longest = c->rank > 1;

		for (uint32_t k = 1; k < c->rank; k++)
			if (c->chunks[k] > c->chunks[longest])
				longest = k;
		if (c->chunks[longest] == 1)
			longest = 0;
		c->chunks[longest] = size_div_up(c->chunks[longest], 2);
	}
}

static bool begin_cut(struct cut *c, const struct plan_chunks_shape *shape)
{
	const struct plan_chunks_limits *limits = &shape->limits;
	uint64_t step = size_max(shape->step_nbytes, 1);

	if (shape->rank < 2 || shape->rank > PLAN_RANK_MAX)
		return false;
	c->rank = shape->rank;
	for (uint32_t k = 0; k < c->rank; k++) {
		c->lengths[k] = shape->lengths[k];
		if (k == 0 && c->lengths[0] == 0)
			c->lengths[0] = UNKNOWN_NRECORDS;
	}
	c->nelems = size_min(limits->target_nbytes, NC3Z_BLOCK_NBYTES_MAX);
	c->nelems = size_max(c->nelems / shape->width, 1);
	c->first_limit = size_max(limits->band_nbytes / step, 1);
	return size_mul_max(product(c->lengths, 0, c->rank), shape->width,
			    UINT64_MAX) >= PLAN_CHUNKS_SMALL_NBYTES;
}

bool plan_chunks_choose(const struct plan_chunks_shape *shape,
			enum plan_chunks_mode mode,
			uint32_t chunks_ret[PLAN_RANK_MAX])
{
	struct cut c;
	uint64_t nchunks, nbands;

	if (mode == PLAN_CHUNKS_LINEAR || !begin_cut(&c, shape))
		return false;
	nchunks = product(c.lengths, 0, c.rank) / c.nelems;
	nbands = size_max(integer_root(nchunks, 2), 1);
	if (mode == PLAN_CHUNKS_AUTO && nchunks < 2)
		return false;
	if (mode == PLAN_CHUNKS_RECORD)
		cut_records(&c, shape->width);
	else if (mode == PLAN_CHUNKS_SERIES)
		cut_series(&c, c.lengths[0]);
	else
		cut_series(&c, (c.lengths[0] + nbands / 2) / nbands);
	keep_limits(&c, size_min(2 * c.nelems,
				 NC3Z_BLOCK_NBYTES_MAX / shape->width));
	for (uint32_t k = 0; k < c.rank; k++)
		chunks_ret[k] = (uint32_t)c.chunks[k];
	return true;
}
