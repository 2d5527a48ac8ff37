/* SPDX-License-Identifier: MIT */
/*
 * Oracle: the filters once more, slow and simple, on elements kept as 64-bit
 * numbers, with the bytes put together one by one as the specification has it.
 */
#include "check.h"
#include "filter/filter.h"
#include "layouts.h"

#define LARGEST 5003 /* bytes: an odd number of elements and a tail */

static const uint8_t widths[] = { 1, 2, 4, 8 };

/* Elements of an oracle's block. */
struct elems {
	uint64_t x[LARGEST];
	size_t n;
	unsigned width;
};

static uint64_t top_bit(unsigned width)
{
	return UINT64_C(1) << (8 * width - 1);
}

static uint64_t wrap(uint64_t x, unsigned width)
{
	return width == 8 ? x : x % (UINT64_C(1) << 8 * width);
}

static void slow_load(struct elems *e, const uint8_t *raw, size_t nbytes,
		      unsigned width)
{
	e->width = width;
	e->n = nbytes / width;
	for (size_t i = 0; i < e->n; i++) {
		e->x[i] = 0;
		for (unsigned k = 0; k < width; k++)
			e->x[i] = e->x[i] * 256 + raw[i * width + k];
	}
}

static uint64_t slow_order(uint64_t x, unsigned width)
{
	if (x >= top_bit(width))
		return wrap(~x, width); /* negative */
	return x + top_bit(width);
}

/* 0, -1, 1, -2 become 0, 1, 2, 3. */
static uint64_t slow_zigzag(uint64_t x, unsigned width)
{
	if (x >= top_bit(width))
		return 2 * wrap(0 - x, width) - 1;
	return 2 * x;
}

static void slow_delta(struct elems *e, uint64_t stride)
{
	for (size_t i = e->n; i-- > 0;)
		if (i >= stride)
			e->x[i] = wrap(e->x[i] - e->x[i - stride], e->width);
}

static void slow_step(struct elems *e, const struct filter_step *step)
{
	if (step->id == NC3Z_FILTER_DELTA)
		slow_delta(e, step->stride);
	for (size_t i = 0; i < e->n; i++) {
		if (step->id == NC3Z_FILTER_ORDER)
			e->x[i] = slow_order(e->x[i], e->width);
		if (step->id == NC3Z_FILTER_ZIGZAG)
			e->x[i] = slow_zigzag(e->x[i], e->width);
	}
}

/* Where byte k of element i is written. */
static size_t slow_place(const struct elems *e, const struct filter_step *last,
			 size_t i, unsigned k)
{
	size_t at = i * e->width + k, n = e->n;

	if (last->id == NC3Z_FILTER_SHUFFLE)
		return k * n + i;
	return at;
}

/* Bit by bit; elements behind the last eight stay where they are. */
static void slow_bitshuffle(const struct elems *e, uint8_t *out)
{
	size_t n = e->n / 8 * 8;

	memset(out, 0, n * e->width);
	for (size_t i = 0; i < n; i++)
		for (unsigned bit = 0; bit < 8 * e->width; bit++)
			if (e->x[i] >> bit & 1)
				out[bit * (n / 8) + i / 8] |=
					(uint8_t)(1u << i % 8);
}

static void slow_apply(const struct filter_chain *chain, unsigned width,
		       const uint8_t *raw, size_t nbytes, uint8_t *out)
{
	static struct elems e;
	const struct filter_step *last;

	memcpy(out, raw, nbytes);
	if (chain->nsteps == 0)
		return;
	slow_load(&e, raw, nbytes, width);
	for (unsigned i = 0; i < chain->nsteps; i++)
		slow_step(&e, &chain->steps[i]);
	last = &chain->steps[chain->nsteps - 1];
	for (size_t i = 0; i < e.n; i++)
		for (unsigned k = 0; k < width; k++)
			out[slow_place(&e, last, i, k)] =
				(uint8_t)(e.x[i] >> 8 * k);
	if (last->id == NC3Z_FILTER_BITSHUFFLE)
		slow_bitshuffle(&e, out);
}

/* Buffers of just the right size, so that a sanitizer sees an overrun. */
static void check_chain(const struct filter_chain *chain, uint8_t width,
			const uint8_t *raw, size_t nbytes)
{
	uint8_t *expected = malloc(nbytes), *coded = malloc(nbytes);
	uint8_t *restored = malloc(nbytes), *scratch = malloc(nbytes);

	memset(coded, 0xee, nbytes);
	memset(restored, 0xee, nbytes);
	slow_apply(chain, width, raw, nbytes, expected);
	filter_apply(chain, width, raw, nbytes, coded, scratch);
	memset(scratch, 0x77, nbytes);
	filter_invert(chain, width, coded, nbytes, restored, scratch);
	if (!CHECK_MEM_EQ(coded, expected, nbytes) ||
	    !CHECK_MEM_EQ(restored, raw, nbytes))
		printf("  width %u, %zu bytes, %u steps\n", width, nbytes,
		       chain->nsteps);
	free(expected);
	free(coded);
	free(restored);
	free(scratch);
}

static void check_lengths(const struct filter_chain *chain, const uint8_t *raw)
{
	for (size_t w = 0; w < sizeof(widths); w++) {
		for (size_t nbytes = 0; nbytes <= 70; nbytes++)
			check_chain(chain, widths[w], raw, nbytes);
		check_chain(chain, widths[w], raw, 1027);
		check_chain(chain, widths[w], raw, LARGEST);
	}
}

static void fill_random(uint8_t *raw, size_t nbytes, uint64_t seed)
{
	for (size_t i = 0; i < nbytes; i++)
		raw[i] = (uint8_t)check_random(&seed);
}

/* Step number 'which' of those that may stand in the middle of a chain. */
static void add_middle(struct filter_chain *chain, unsigned which)
{
	static const uint32_t strides[] = { 1, 7 };

	if (which < 2)
		filter_chain_add(chain, NC3Z_FILTER_DELTA, strides[which]);
	else
		filter_chain_add(chain, NC3Z_FILTER_ZIGZAG, 0);
}

/* Every chain with up to three steps between order and layout. */
static void test_every_shape(void)
{
	static uint8_t raw[LARGEST];

	fill_random(raw, sizeof(raw), 4);
	for (unsigned ends = 0; ends < 4 * layouts_count(); ends++)
		for (unsigned nmiddle = 0, count = 1; nmiddle <= 3;
		     nmiddle++, count *= 3)
			for (unsigned code = 0; code < count; code++) {
				struct filter_chain chain = { 0 };

				if (ends & 1)
					filter_chain_add(&chain,
							 NC3Z_FILTER_ORDER, 0);
				for (unsigned i = 0, c = code; i < nmiddle;
				     i++, c /= 3)
					add_middle(&chain, c % 3);
				layouts_add(&chain, ends / 4,
					    ends & 2 ? 3 : 100);
				CHECK(filter_chain_valid(&chain));
				check_lengths(&chain, raw);
			}
}

/* As long as chains may be. */
static void test_longest_chains(void)
{
	static uint8_t raw[LARGEST];
	uint64_t seed = 5;

	fill_random(raw, sizeof(raw), 6);
	for (int round = 0; round < 20; round++) {
		struct filter_chain chain = { 0 };

		if (check_random(&seed) & 1)
			filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
		while (chain.nsteps < FILTER_STEPS_MAX - 1)
			add_middle(&chain,
				   (unsigned)check_random_below(&seed, 3));
		if (check_random(&seed) & 1)
			filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
		else
			filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
		CHECK_EQ_U64(chain.nsteps, FILTER_STEPS_MAX);
		CHECK(filter_chain_valid(&chain));
		check_lengths(&chain, raw);
	}
}

static void check_stride(uint32_t stride, const uint8_t *raw, size_t n)
{
	for (size_t w = 0; w < sizeof(widths); w++)
		for (size_t tail = 0; tail < widths[w]; tail++) {
			struct filter_chain chain = { 0 };

			filter_chain_add(&chain, NC3Z_FILTER_DELTA, stride);
			check_chain(&chain, widths[w], raw,
				    n * widths[w] + tail);
			filter_chain_add(&chain, NC3Z_FILTER_DELTA, 2);
			filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
			check_chain(&chain, widths[w], raw,
				    n * widths[w] + tail);
		}
}

static void test_every_stride(void)
{
	static const uint32_t beyond[] = { 100, 0x7fffffff, 0x80000000,
					   UINT32_MAX };
	uint8_t raw[40 * 8];

	fill_random(raw, sizeof(raw), 7);
	for (size_t n = 0; n < 39; n++) {
		for (uint32_t stride = 1; stride <= n + 2; stride++)
			check_stride(stride, raw, n);
		for (size_t i = 0; i < 4; i++)
			check_stride(beyond[i], raw, n);
	}
}

/* A codec starts afresh at planes that are worth it. */
static void test_planes(void)
{
	struct filter_chain chain = { 0 };

	CHECK_EQ_U64(filter_plane_nbytes(&chain, 4, 1000), 0);
	filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
	CHECK_EQ_U64(filter_plane_nbytes(&chain, 4, 1003), 250);
	chain.steps[0].id = NC3Z_FILTER_BITSHUFFLE;
	CHECK_EQ_U64(filter_plane_nbytes(&chain, 4, 1 << 20), 0);
}

static void store_be(uint64_t bits, unsigned width, uint8_t *out)
{
	for (unsigned k = width; k-- > 0; bits >>= 8)
		out[k] = (uint8_t)bits;
}

/* IEEE 754 numbers at which something could go wrong. */
static const uint32_t odd_floats[] = {
	0x00000000, 0x80000000, /* zeros */
	0x00000001, 0x80000001, /* the smallest denormals */
	0x007fffff, 0x807fffff, /* the largest denormals */
	0x00800000, 0x80800000, /* the smallest normal numbers */
	0x3f800000, 0xbf800000, /* ones */
	0x7f7fffff, 0xff7fffff, /* the largest numbers */
	0x7f800000, 0xff800000, /* infinities */
	0x7fc00000, 0xffc00000, /* quiet NaNs */
	0x7f800001, 0xff800001, /* signalling NaNs */
	0x7fffffff, 0xffffffff, /* NaNs with all bits set */
	0x7c0b1e55, 0xfff00d42,
};
#define NODD (sizeof(odd_floats) / sizeof(*odd_floats))

/* The same in 64 bits: sign, the top of the exponent, the payload spread. */
static uint64_t widen(uint32_t x)
{
	uint64_t exponent = x >> 23 & 0xff, fraction = x & 0x7fffff;

	exponent = exponent == 0 || exponent == 1 ? exponent :
		   exponent == 255                ? 2047 :
						    exponent + 896;
	fraction = fraction == 0x7fffff ? UINT64_C(0xfffffffffffff) :
		   fraction == 1        ? 1 :
					  fraction << 29;
	return (uint64_t)(x >> 31) << 63 | exponent << 52 | fraction;
}

static void test_odd_floats(void)
{
	uint8_t singles[NODD * NODD * 4], doubles[NODD * NODD * 8];
	struct filter_chain chain = { 0 };

	/* Each one after each other one. */
	for (size_t i = 0; i < NODD; i++)
		for (size_t j = 0; j < NODD; j++) {
			uint32_t x = odd_floats[j % 2 ? i : j];

			store_be(x, 4, singles + 4 * (i * NODD + j));
			store_be(widen(x), 8, doubles + 8 * (i * NODD + j));
		}
	filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	check_chain(&chain, 4, singles, sizeof(singles));
	check_chain(&chain, 8, doubles, sizeof(doubles));
	filter_chain_add(&chain, NC3Z_FILTER_DELTA, 1);
	filter_chain_add(&chain, NC3Z_FILTER_DELTA, 3);
	filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
	check_chain(&chain, 4, singles, sizeof(singles));
	check_chain(&chain, 8, doubles, sizeof(doubles));
}

/* Integers must compare like the floating-point numbers they come from. */
static void test_order_sorts(void)
{
	struct filter_chain chain = { 0 };
	uint8_t raw[NODD * 4], *out = malloc(sizeof(raw));
	uint8_t *scratch = malloc(sizeof(raw));
	uint32_t keys[NODD];
	float values[NODD];

	for (size_t i = 0; i < NODD; i++) {
		store_be(odd_floats[i], 4, raw + 4 * i);
		memcpy(&values[i], &odd_floats[i], 4);
	}
	filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	filter_apply(&chain, 4, raw, sizeof(raw), out, scratch);
	for (size_t i = 0; i < NODD; i++)
		keys[i] = (uint32_t)out[4 * i] | (uint32_t)out[4 * i + 1] << 8 |
			  (uint32_t)out[4 * i + 2] << 16 |
			  (uint32_t)out[4 * i + 3] << 24;
	for (size_t i = 0; i < NODD; i++)
		for (size_t j = 0; j < NODD; j++)
			if (values[i] < values[j])
				CHECK(keys[i] < keys[j]);
	free(out);
	free(scratch);
}

/* The example of the specification. */
static void test_example(void)
{
	static const uint8_t raw[] = { 0x3f, 0x80, 0, 0, 0x3f, 0xc0, 0, 0 };
	static const uint8_t expected[] = { 0xff, 0,    0xff, 0,
					    0xff, 0x80, 0x80, 0 };
	struct filter_chain chain = { 0 };
	uint8_t *out = malloc(8), *scratch = malloc(8);

	filter_chain_add(&chain, NC3Z_FILTER_ORDER, 0);
	filter_chain_add(&chain, NC3Z_FILTER_DELTA, 1);
	filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
	filter_apply(&chain, 4, raw, 8, out, scratch);
	CHECK_MEM_EQ(out, expected, 8);
	free(out);
	free(scratch);
}

static bool is_known(unsigned id)
{
	return id >= 1 && id <= 6;
}

/* Deltas right after the first step. */
static unsigned count_taken(const struct filter_chain *chain)
{
	unsigned n = 0;

	while (n + 1 < chain->nsteps &&
	       chain->steps[n + 1].id == NC3Z_FILTER_DELTA)
		n++;
	return n;
}

/* The rules of the header, one after the other. */
static bool is_legal(const struct filter_chain *chain)
{
	if (chain->nsteps > 0 &&
	    chain->steps[0].id == NC3Z_FILTER_EXTRAPOLATE &&
	    (count_taken(chain) < 1 || count_taken(chain) > 3))
		return false;
	for (unsigned i = 0; i < chain->nsteps; i++) {
		unsigned id = chain->steps[i].id;
		bool has_stride = chain->steps[i].stride > 0;

		bool wants_stride = id == NC3Z_FILTER_DELTA;

		if (!is_known(id) || wants_stride != has_stride ||
		    ((id == NC3Z_FILTER_ORDER ||
		      id == NC3Z_FILTER_EXTRAPOLATE) &&
		     i > 0) ||
		    (id >= NC3Z_FILTER_SHUFFLE &&
		     id <= NC3Z_FILTER_BITSHUFFLE && i < chain->nsteps - 1u))
			return false;
	}
	return true;
}

/* All chains of up to three steps with numbers 0 to 7 and strides 0 and 1. */
static void test_legality(void)
{
	for (unsigned nsteps = 0, count = 1; nsteps <= 3; nsteps++, count *= 16)
		for (unsigned code = 0; code < count; code++) {
			struct filter_chain chain = { .nsteps =
							      (uint8_t)nsteps };

			for (unsigned i = 0, c = code; i < nsteps;
			     i++, c /= 16) {
				chain.steps[i].id = (uint8_t)(c % 16 / 2);
				chain.steps[i].stride = c % 2;
			}
			CHECK(filter_chain_valid(&chain) == is_legal(&chain));
		}
}

static void test_legal_lengths(void)
{
	struct filter_chain chain = { 0 };

	for (int i = 0; i < FILTER_STEPS_MAX; i++)
		filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	CHECK(filter_chain_valid(&chain));
	chain.nsteps = FILTER_STEPS_MAX + 1;
	CHECK(!filter_chain_valid(&chain));
	chain.nsteps = UINT8_MAX;
	CHECK(!filter_chain_valid(&chain));
}

static void test_names_and_widths(void)
{
	for (unsigned id = 0; id < 256; id++)
		CHECK((filter_name((uint8_t)id) != NULL) == is_known(id));
	CHECK_STR_EQ(filter_name(NC3Z_FILTER_DELTA), "delta");
	CHECK_STR_EQ(filter_name(NC3Z_FILTER_SHUFFLE), "shuffle");
	CHECK_STR_EQ(filter_name(NC3Z_FILTER_BITSHUFFLE), "bitshuffle");
	for (unsigned width = 0; width < 256; width++)
		CHECK(filter_width_valid((uint8_t)width) ==
		      (width == 1 || width == 2 || width == 4 || width == 8));
}

int main(void)
{
	RUN(test_every_shape);
	RUN(test_longest_chains);
	RUN(test_every_stride);
	RUN(test_planes);
	RUN(test_odd_floats);
	RUN(test_order_sorts);
	RUN(test_example);
	RUN(test_legality);
	RUN(test_legal_lengths);
	RUN(test_names_and_widths);
	return check_report();
}
