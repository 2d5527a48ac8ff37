/* SPDX-License-Identifier: MIT */
/* Counts of blocks beside a table of them, for random plans of any streams. */
#include "restore/decodings.h"

#include "check.h"
#include "oracle.h"

#define NBYTES_MAX 3000

/* No stream has more blocks than the original has bytes. */
static uint32_t times[200][NBYTES_MAX];

/* As many blocks as the plan has, each with a place of its own. */
static void check_places(const struct decodings *d, const struct mapped *m)
{
	uint64_t nblocks = 0;

	for (uint32_t i = 0; i < m->plan.nstreams; i++) {
		CHECK_EQ_U64(d->first[i], nblocks);
		nblocks += m->oracle.streams[i].nblocks;
	}
	CHECK_EQ_U64(d->nblocks, nblocks);
}

/* Counts some blocks, few of them often. */
static void count_some(struct decodings *d, const struct mapped *m,
		       uint64_t *seed)
{
	uint64_t n = d->nblocks > 0 ? check_random_below(seed, 300) : 0;

	while (n > 0) {
		uint32_t stream =
			(uint32_t)check_random_below(seed, m->plan.nstreams);
		uint64_t nblocks = m->oracle.streams[stream].nblocks, block;

		if (nblocks == 0)
			continue;
		block = check_random_below(
			seed, check_random_below(seed, nblocks) + 1);
		decodings_add(d, stream, block);
		times[stream][block]++;
		n--;
	}
}

static void check_counts(const struct decodings *d, const struct mapped *m)
{
	uint64_t sum = 0, most = 0, found_most = 77;

	for (uint32_t i = 0; i < m->plan.nstreams; i++) {
		for (uint64_t k = 0; k < m->oracle.streams[i].nblocks; k++) {
			CHECK_EQ_U64(d->times[d->first[i] + k], times[i][k]);
			sum += times[i][k];
			if (times[i][k] > most)
				most = times[i][k];
		}
	}
	CHECK_EQ_U64(decodings_sum(d, &found_most), sum);
	CHECK_EQ_U64(found_most, most);
}

static void test_random(void)
{
	struct decodings d;
	struct mapped m;
	uint64_t seed = 91;

	for (int i = 0; i < 400; i++) {
		REQUIRE(mapped_make(&m, i % 2,
				    check_random_below(&seed, NBYTES_MAX),
				    &seed));
		REQUIRE(m.plan.nstreams <= 200);
		memset(times, 0, sizeof(times));
		REQUIRE(decodings_init(&d, &m.map, NULL) == NC3Z_OK);
		check_places(&d, &m);
		check_counts(&d, &m);
		count_some(&d, &m, &seed);
		check_counts(&d, &m);
		decodings_release(&d);
		CHECK(d.nblocks == 0 && !d.first && !d.times);
		mapped_release(&m);
	}
}

/* An original of no bytes has no blocks. */
static void test_empty(void)
{
	uint64_t seed = 92, most = 77;
	struct decodings d;
	struct mapped m;

	REQUIRE(mapped_make(&m, false, 0, &seed));
	REQUIRE(decodings_init(&d, &m.map, NULL) == NC3Z_OK);
	CHECK_EQ_U64(d.nblocks, 0);
	CHECK_EQ_U64(decodings_sum(&d, &most), 0);
	CHECK_EQ_U64(most, 0);
	decodings_release(&d);
	decodings_release(&d);
	mapped_release(&m);
}

int main(void)
{
	RUN(test_random);
	RUN(test_empty);
	return check_report();
}
