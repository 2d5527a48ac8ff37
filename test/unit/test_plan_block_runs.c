/* SPDX-License-Identifier: MIT */
/*
 * Runs of the blocks of random plans, byte for byte by the oracle; merged,
 * they are those bytes of the original, ascending but for panels.
 */
#include "check.h"
#include "oracle.h"
#include "plan/block_runs.h"

/* Where the bytes of a block are in the original. */
static uint64_t *offsets_of(const struct mapped *m, uint32_t stream,
			    uint64_t block)
{
	const struct oracle_stream *s = &m->oracle.streams[stream];

	return s->offsets + s->blocks[block].stream_offset;
}

/* Panels with record after record of one member, then of the next. */
static bool is_panel(const struct plan *plan, uint32_t stream)
{
	const struct plan_stream *s = &plan->streams[stream];

	return s->nmembers > 1 && s->panel_nrecords > 1;
}

static void check_block(const struct mapped *m, uint32_t stream, uint64_t block)
{
	const uint64_t *offsets = offsets_of(m, stream, block);
	struct plan_block_runs runs;
	struct plan_block_run run;
	uint64_t at = 0, end = 0;

	plan_block_runs_begin(&m->map, stream, block, &runs);
	CHECK_EQ_U64(runs.nbytes,
		     m->oracle.streams[stream].blocks[block].nbytes);
	CHECK_EQ_U64(plan_block_offset(&m->map, stream, block), offsets[0]);
	while (plan_block_runs_next(&runs, &run)) {
		CHECK_EQ_U64(run.block_offset, at);
		REQUIRE(run.nbytes > 0 && run.nbytes <= runs.nbytes - at);
		CHECK(run.offset >= end || is_panel(&m->plan, stream));
		for (uint32_t i = 0; i < run.nbytes; i++)
			CHECK(run.offset + i == offsets[at + i]);
		at += run.nbytes;
		end = run.offset + run.nbytes;
	}
	CHECK_EQ_U64(at, runs.nbytes);
}

/* Some blocks, some of them not whole. */
static void check_merge(const struct mapped *m, uint64_t *seed)
{
	uint64_t sum = 0, merged = 0, end = 0;
	bool has_panels = false;
	struct plan_merge merge = { 0 };
	struct plan_block_run run;
	void *owner;

	for (uint32_t s = 0; s < m->plan.nstreams; s++)
		has_panels = has_panels || is_panel(&m->plan, s);
	for (uint32_t s = 0; s < m->plan.nstreams; s++)
		for (uint64_t b = 0; b < m->oracle.streams[s].nblocks; b++) {
			uint64_t *offsets = offsets_of(m, s, b);
			struct plan_block_runs runs;
			uint32_t n;

			if (check_random_below(seed, 3) == 0)
				continue;
			plan_block_runs_begin(&m->map, s, b, &runs);
			n = 1 + (uint32_t)check_random_below(seed, runs.nbytes);
			sum += n;
			REQUIRE(plan_merge_add(&merge, &runs, n, offsets));
		}
	while (plan_merge_next(&merge, &run, &owner)) {
		const uint64_t *offsets = owner;

		CHECK(run.nbytes > 0 && (run.offset >= end || has_panels));
		CHECK(run.offset == offsets[run.block_offset]);
		merged += run.nbytes;
		end = run.offset + run.nbytes;
	}
	CHECK_EQ_U64(merged, sum);
	plan_merge_release(&merge);
}

static void test_random(void)
{
	uint64_t seed = 71;
	unsigned nblocks = 0;

	for (int i = 0; i < 600; i++) {
		struct mapped m;

		if (!mapped_make(&m, i % 2, check_random_below(&seed, 900),
				 &seed))
			return;
		for (uint32_t s = 0; s < m.plan.nstreams; s++)
			for (uint64_t b = 0; b < m.oracle.streams[s].nblocks;
			     b++, nblocks++)
				check_block(&m, s, b);
		check_merge(&m, &seed);
		mapped_release(&m);
	}
	CHECK(nblocks > 5000);
}

/* What is left in a merge is freed with it. */
static void test_release(void)
{
	struct plan_merge merge = { 0 };
	struct plan_block_runs runs;
	struct mapped m;
	uint64_t seed = 72;

	do {
		if (!mapped_make(&m, true, check_random_below(&seed, 900),
				 &seed))
			return;
		if (m.map.extents[0].nblocks > 0)
			break;
		mapped_release(&m);
	} while (true);
	plan_block_runs_begin(&m.map, 0, 0, &runs);
	CHECK(plan_merge_add(&merge, &runs, 1, NULL));
	CHECK(plan_merge_block_nbytes() > sizeof(runs));
	plan_merge_release(&merge);
	CHECK_EQ_U64(merge.count, 0);
	mapped_release(&m);
}

int main(void)
{
	RUN(test_random);
	RUN(test_release);
	return check_report();
}
