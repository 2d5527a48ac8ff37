/*
 * Numbers at the limits; small tilings are tested as streams, by the oracle, in
 * test_plan_map.c, test_plan_variable.c and test_plan_tiles.c.
 */
#include "check.h"
#include "oracle.h"
#include "plan/plan_tiling.h"

static struct plan_tiling *make(uint32_t rank, const uint64_t *lengths,
				const uint32_t *chunks)
{
	struct plan_stream s = { 0 };
	struct plan_tiling *t = oracle_add_tiling(&s, rank);

	for (uint32_t k = 0; k < rank; k++) {
		t->dims[k].length = lengths[k];
		t->dims[k].chunk = chunks[k];
	}
	return t;
}

/* Every place is in the tile that it is said to be in, and the tile has it. */
static void check_place(const struct plan_tiling *t, uint64_t offset)
{
	struct plan_tile tile, found;
	uint64_t nbytes, place = plan_tiling_find(t, offset, &nbytes, &found);
	uint64_t number = plan_tiling_tile_at(t, place), more;

	plan_tiling_tile(t, number, &tile);
	CHECK_EQ_U64(tile.number, number);
	CHECK_EQ_U64(found.number, number);
	CHECK_EQ_U64(found.place, tile.place);
	for (uint32_t k = 0; k < t->rank; k++) {
		CHECK_EQ_U64(found.first[k], tile.first[k]);
		CHECK_EQ_U64(found.count[k], tile.count[k]);
	}
	CHECK(nbytes > 0 && nbytes <= plan_tiling_tile_nbytes(t));
	CHECK(place >= tile.place &&
	      place - tile.place < plan_tiling_tile_nbytes(t));
	CHECK_EQ_U64(plan_tiling_place(t, offset + nbytes - 1, &more),
		     place + nbytes - 1);
	CHECK_EQ_U64(more, 1);
	/* If the variable ended here, the tile would have what is before. */
	CHECK_EQ_U64(plan_tiling_nbytes_of(t, &tile, offset),
		     place - tile.place);
	CHECK_EQ_U64(plan_tiling_nbytes_of(t, &tile, offset + nbytes),
		     place - tile.place + nbytes);
	CHECK(plan_tiling_ntiles_of(t, offset + 1) > number);
	CHECK((plan_tiling_ntiles_of(t, offset) > number) ==
	      (place > tile.place));
}

static void check_places(const struct plan_tiling *t, uint64_t nbytes)
{
	uint64_t seed = 62;

	for (int i = 0; i < 3000; i++) {
		check_place(t, check_random_below(&seed, nbytes));
		check_place(t, check_random_below(&seed, 1 + nbytes / 997));
	}
	check_place(t, 0);
	check_place(t, nbytes - 1);
	CHECK_EQ_U64(plan_tiling_ntiles_of(t, 0), 0);
}

/* Nearly 2^63 bytes in three dimensions. */
static void test_large(void)
{
	static const uint64_t lengths[] = { 1 << 20, 1 << 20, (1 << 20) - 1 };
	static const uint32_t chunks[] = { 77, 1000, 100 };
	struct plan_tiling *t = make(3, lengths, chunks);
	uint64_t nbytes = (UINT64_C(1) << 43) * ((1 << 20) - 1);

	REQUIRE(plan_tiling_finish(t, 8, 0, nbytes));
	check_places(t, nbytes);
	CHECK_EQ_U64(plan_tiling_ntiles_of(t, nbytes),
		     UINT64_C(13618) * 1049 * 10486);
	free(t);
}

/* As many dimensions as there can be. */
static void test_high_rank(void)
{
	uint64_t lengths[PLAN_RANK_MAX], nbytes = 2;
	uint32_t chunks[PLAN_RANK_MAX];
	struct plan_tiling *t;

	for (uint32_t k = 0; k < PLAN_RANK_MAX; k++) {
		lengths[k] = k % 3 == 0 ? 3 : 1 + k % 2;
		chunks[k] = k % 2 && lengths[k] > 1 ? 2 : 1;
		nbytes *= lengths[k];
	}
	t = make(PLAN_RANK_MAX, lengths, chunks);
	REQUIRE(plan_tiling_finish(t, 2, 0, nbytes));
	check_places(t, nbytes);
	free(t);
}

/* Records up to the end of all offsets, in tiles that have many of them. */
static void test_records(void)
{
	static const uint64_t lengths[] = { 0, 3, 5 };
	static const uint32_t chunks[] = { 1 << 20, 2, 2 };
	struct plan_tiling *t = make(3, lengths, chunks);
	uint64_t nrecords = INT64_MAX / 60 + 1;

	REQUIRE(plan_tiling_finish(t, 4, nrecords, 60));
	CHECK_EQ_U64(t->dims[0].nindices, nrecords);
	check_places(t, INT64_MAX);
	free(t);
}

/* Bytes that follow each other go on over dimensions that tiles span. */
static void test_runs(void)
{
	static const uint64_t lengths[] = { 6, 5, 4, 3 };
	static const uint32_t chunks[][4] = { { 2, 2, 2, 2 },
					      { 2, 2, 2, 3 },
					      { 2, 2, 4, 3 },
					      { 2, 5, 4, 3 },
					      { 6, 5, 4, 3 } };
	static const uint64_t nbytes[] = { 2, 6, 24, 120, 360 };

	for (int i = 0; i < 5; i++) {
		struct plan_tiling *t = make(4, lengths, chunks[i]);
		uint64_t run;

		REQUIRE(plan_tiling_finish(t, 1, 0, 360));
		CHECK_EQ_U64(plan_tiling_place(t, 0, &run), 0);
		CHECK_EQ_U64(run, nbytes[i]);
		plan_tiling_place(t, 1, &run);
		CHECK_EQ_U64(run, nbytes[i] - 1);
		free(t);
	}
}

int main(void)
{
	RUN(test_large);
	RUN(test_high_rank);
	RUN(test_records);
	RUN(test_runs);
	return check_report();
}
