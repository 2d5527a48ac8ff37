/* SPDX-License-Identifier: MIT */
/* Lengths that suit the access, and what they must keep to. */
#include "check.h"
#include "plan/chunks.h"

#define MIB (UINT64_C(1) << 20)

static const enum plan_chunks_mode modes[] = {
	PLAN_CHUNKS_AUTO,
	PLAN_CHUNKS_RECORD,
	PLAN_CHUNKS_SERIES,
	PLAN_CHUNKS_BALANCED,
};

static struct plan_chunks_shape shape_of(uint32_t rank, const uint64_t *lengths,
					 uint32_t width)
{
	struct plan_chunks_shape shape = {
		.lengths = lengths,
		.rank = rank,
		.width = width,
		.step_nbytes = width,
		.limits = { .target_nbytes = MIB, .band_nbytes = 256 * MIB },
	};

	for (uint32_t k = 1; k < rank; k++)
		shape.step_nbytes *= lengths[k];
	return shape;
}

static void check_lengths(uint32_t rank, const uint64_t *lengths,
			  enum plan_chunks_mode mode, const uint32_t *expected)
{
	struct plan_chunks_shape shape = shape_of(rank, lengths, 4);
	uint32_t chunks[PLAN_RANK_MAX] = { 0 };

	REQUIRE(plan_chunks_choose(&shape, mode, chunks));
	for (uint32_t k = 0; k < rank; k++)
		CHECK_EQ_U64(chunks[k], expected[k]);
}

/* Two of the shapes that access is measured with. */
static void test_known(void)
{
	static const uint64_t three[] = { 2000, 180, 360 };
	static const uint64_t four[] = { 240, 19, 90, 180 };
	static const uint32_t record[] = { 1, 180, 360 };
	static const uint32_t series[] = { 1000, 10, 20 };
	static const uint32_t balanced[] = { 100, 36, 72 };
	static const uint32_t record4[] = { 1, 19, 90, 180 };

	check_lengths(3, three, PLAN_CHUNKS_RECORD, record);
	check_lengths(3, three, PLAN_CHUNKS_SERIES, series);
	check_lengths(3, three, PLAN_CHUNKS_BALANCED, balanced);
	check_lengths(3, three, PLAN_CHUNKS_AUTO, balanced);
	check_lengths(4, four, PLAN_CHUNKS_RECORD, record4);
}

/* A map and a series are about as many chunks. */
static void test_balance(void)
{
	static const uint64_t shapes[][3] = {
		{ 2000, 180, 360 },   { 365, 721, 1440 },  { 10000, 64, 128 },
		{ 3876, 90, 180 },    { 100, 3000, 3000 }, { 7919, 181, 359 },
		{ 100000, 101, 103 },
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const uint64_t *n = shapes[i];
		struct plan_chunks_shape shape = shape_of(3, n, 4);
		uint32_t c[PLAN_RANK_MAX];
		uint64_t series, map;

		shape.limits.band_nbytes = UINT64_MAX;
		REQUIRE(plan_chunks_choose(&shape, PLAN_CHUNKS_BALANCED, c));
		series = (n[0] + c[0] - 1) / c[0];
		map = ((n[1] + c[1] - 1) / c[1]) * ((n[2] + c[2] - 1) / c[2]);
		CHECK(series <= 3 * map && map <= 3 * series);
	}
}

static bool is_smooth(uint32_t v)
{
	while (v % 2 == 0)
		v /= 2;
	return v == 1 || v == 3;
}

/* Shapes of any kind: lengths, chunks and bands are within their limits. */
static void check_random_shape(struct plan_chunks_shape *shape, uint64_t volume,
			       uint64_t *seed)
{
	enum plan_chunks_mode mode = modes[check_random_below(seed, 4)];
	uint64_t nbytes = shape->width;
	uint32_t c[PLAN_RANK_MAX];
	bool is_chunked = plan_chunks_choose(shape, mode, c);

	if (shape->rank < 2)
		CHECK(!is_chunked);
	if (!is_chunked) {
		CHECK(shape->rank < 2 || volume < 65536 ||
		      mode == PLAN_CHUNKS_AUTO);
		return;
	}
	CHECK(volume >= 65536);
	for (uint32_t k = 0; k < shape->rank; k++) {
		CHECK(c[k] >= 1);
		CHECK(c[k] <= shape->lengths[k] || shape->lengths[k] == 0);
		nbytes *= c[k];
	}
	CHECK(nbytes <= UINT64_C(1) << 26);
	/* A chunk of single elements cannot be smaller. */
	CHECK(nbytes <= 2 * shape->limits.target_nbytes ||
	      nbytes <= 2 * shape->width);
	CHECK(c[0] == 1 ||
	      c[0] * shape->step_nbytes <= shape->limits.band_nbytes);
}

static void test_random(void)
{
	uint64_t seed = 81;

	for (int i = 0; i < 20000; i++) {
		uint64_t lengths[PLAN_RANK_MAX], volume;
		uint32_t rank = 1 + (uint32_t)check_random_below(&seed, 6);
		uint64_t nbits = 60 / rank;
		struct plan_chunks_shape shape;

		for (uint32_t k = 0; k < rank; k++)
			lengths[k] =
				1 +
				(check_random(&seed) >>
				 (64 - check_random_below(&seed, nbits) - 1));
		shape = shape_of(rank, lengths,
				 1u << check_random_below(&seed, 4));
		volume = shape.step_nbytes;
		if (lengths[0] < UINT64_MAX / volume)
			volume *= lengths[0];
		if (check_random_below(&seed, 9) == 0) {
			volume = shape.step_nbytes * 1024;
			lengths[0] = 0;
		}
		shape.limits.target_nbytes = UINT64_C(1)
					     << check_random_below(&seed, 30);
		shape.limits.band_nbytes = check_random(&seed) >>
					   check_random_below(&seed, 63);
		check_random_shape(&shape, volume, &seed);
	}
}

/* A divisor that is near is taken, else few equal pieces or small factors. */
static void test_good_lengths(void)
{
	unsigned ndivisors = 0;

	for (uint64_t n = 300; n < 2000; n++) {
		uint64_t lengths[] = { n, 1000, 1000 };
		struct plan_chunks_shape shape = shape_of(3, lengths, 4);
		uint32_t c[PLAN_RANK_MAX];

		REQUIRE(plan_chunks_choose(&shape, PLAN_CHUNKS_BALANCED, c));
		CHECK(n % c[0] == 0 || is_smooth(c[0]) ||
		      (n + c[0] - 1) / c[0] <= 4);
		ndivisors += n % c[0] == 0;
	}
	CHECK(ndivisors > 500);
}

static void test_linear(void)
{
	static const uint64_t lengths[] = { 2000, 180, 360 };
	static const uint64_t some[] = { 4, 180, 360 };
	static const uint64_t few[] = { 10, 10, 10 };
	struct plan_chunks_shape shape = shape_of(3, lengths, 4);
	uint32_t c[PLAN_RANK_MAX];

	CHECK(!plan_chunks_choose(&shape, PLAN_CHUNKS_LINEAR, c));
	shape = shape_of(3, some, 4);
	CHECK(!plan_chunks_choose(&shape, PLAN_CHUNKS_AUTO, c));
	CHECK(plan_chunks_choose(&shape, PLAN_CHUNKS_SERIES, c));
	shape = shape_of(3, few, 4);
	CHECK(!plan_chunks_choose(&shape, PLAN_CHUNKS_SERIES, c));
}

/* Fewer records where others lie between them. */
static void test_band(void)
{
	static const uint64_t lengths[] = { 2000, 180, 360 };
	struct plan_chunks_shape shape = shape_of(3, lengths, 4);
	uint32_t c[PLAN_RANK_MAX];

	shape.step_nbytes = 10 * MIB;
	REQUIRE(plan_chunks_choose(&shape, PLAN_CHUNKS_SERIES, c));
	CHECK_EQ_U64(c[0], 25);
	CHECK(c[1] * c[2] > 8000);
}

int main(void)
{
	RUN(test_known);
	RUN(test_balance);
	RUN(test_random);
	RUN(test_good_lengths);
	RUN(test_linear);
	RUN(test_band);
	return check_report();
}
