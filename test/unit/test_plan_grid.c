/* SPDX-License-Identifier: MIT */
/*
 * Numbers at the limits; small tilings are tested as streams, by the oracle, in
 * test_plan_map.c, test_hyperslab_variable.c and test_plan_chunk_rows.c.
 */
#include "check.h"
#include "oracle.h"
#include "plan/grid.h"

static struct plan_grid *make(uint32_t rank, const uint64_t *lengths,
			      const uint32_t *chunks)
{
	struct plan_stream s = { 0 };
	struct plan_grid *t = oracle_add_grid(&s, rank);

	for (uint32_t k = 0; k < rank; k++) {
		t->dims[k].length = lengths[k];
		t->dims[k].chunk = chunks[k];
	}
	return t;
}

/* Every place is in the chunk that it is said to be in, and the chunk has it. */
static void check_place(const struct plan_grid *t, uint64_t offset)
{
	struct plan_chunk chunk, found;
	uint64_t nbytes, place = plan_grid_find(t, offset, &nbytes, &found);
	uint64_t number = plan_grid_chunk_at(t, place), more;

	plan_grid_chunk(t, number, &chunk);
	CHECK_EQ_U64(chunk.number, number);
	CHECK_EQ_U64(found.number, number);
	CHECK_EQ_U64(found.place, chunk.place);
	for (uint32_t k = 0; k < t->rank; k++) {
		CHECK_EQ_U64(found.first[k], chunk.first[k]);
		CHECK_EQ_U64(found.count[k], chunk.count[k]);
	}
	CHECK(nbytes > 0 && nbytes <= plan_grid_chunk_nbytes(t));
	CHECK(place >= chunk.place &&
	      place - chunk.place < plan_grid_chunk_nbytes(t));
	CHECK_EQ_U64(plan_grid_place(t, offset + nbytes - 1, &more),
		     place + nbytes - 1);
	CHECK_EQ_U64(more, 1);
	/* If the variable ended here, the chunk would have what is before. */
	CHECK_EQ_U64(plan_grid_nbytes_of(t, &chunk, offset),
		     place - chunk.place);
	CHECK_EQ_U64(plan_grid_nbytes_of(t, &chunk, offset + nbytes),
		     place - chunk.place + nbytes);
	CHECK(plan_grid_nchunks_of(t, offset + 1) > number);
	CHECK((plan_grid_nchunks_of(t, offset) > number) ==
	      (place > chunk.place));
}

static void check_places(const struct plan_grid *t, uint64_t nbytes)
{
	uint64_t seed = 62;

	for (int i = 0; i < 3000; i++) {
		check_place(t, check_random_below(&seed, nbytes));
		check_place(t, check_random_below(&seed, 1 + nbytes / 997));
	}
	check_place(t, 0);
	check_place(t, nbytes - 1);
	CHECK_EQ_U64(plan_grid_nchunks_of(t, 0), 0);
}

/* Nearly 2^63 bytes in three dimensions. */
static void test_large(void)
{
	static const uint64_t lengths[] = { 1 << 20, 1 << 20, (1 << 20) - 1 };
	static const uint32_t chunks[] = { 77, 1000, 100 };
	struct plan_grid *t = make(3, lengths, chunks);
	uint64_t nbytes = (UINT64_C(1) << 43) * ((1 << 20) - 1);

	REQUIRE(plan_grid_finish(t, 8, 0, nbytes));
	check_places(t, nbytes);
	CHECK_EQ_U64(plan_grid_nchunks_of(t, nbytes),
		     UINT64_C(13618) * 1049 * 10486);
	free(t);
}

/* As many dimensions as there can be. */
static void test_high_rank(void)
{
	uint64_t lengths[PLAN_RANK_MAX], nbytes = 2;
	uint32_t chunks[PLAN_RANK_MAX];
	struct plan_grid *t;

	for (uint32_t k = 0; k < PLAN_RANK_MAX; k++) {
		lengths[k] = k % 3 == 0 ? 3 : 1 + k % 2;
		chunks[k] = k % 2 && lengths[k] > 1 ? 2 : 1;
		nbytes *= lengths[k];
	}
	t = make(PLAN_RANK_MAX, lengths, chunks);
	REQUIRE(plan_grid_finish(t, 2, 0, nbytes));
	check_places(t, nbytes);
	free(t);
}

/* Records up to the end of all offsets, in chunks that have many of them. */
static void test_records(void)
{
	static const uint64_t lengths[] = { 0, 3, 5 };
	static const uint32_t chunks[] = { 1 << 20, 2, 2 };
	struct plan_grid *t = make(3, lengths, chunks);
	uint64_t nrecords = INT64_MAX / 60 + 1;

	REQUIRE(plan_grid_finish(t, 4, nrecords, 60));
	CHECK_EQ_U64(t->dims[0].nindices, nrecords);
	check_places(t, INT64_MAX);
	free(t);
}

/* Bytes that follow each other go on over dimensions that chunks span. */
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
		struct plan_grid *t = make(4, lengths, chunks[i]);
		uint64_t run;

		REQUIRE(plan_grid_finish(t, 1, 0, 360));
		CHECK_EQ_U64(plan_grid_place(t, 0, &run), 0);
		CHECK_EQ_U64(run, nbytes[i]);
		plan_grid_place(t, 1, &run);
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
