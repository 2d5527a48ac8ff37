/* SPDX-License-Identifier: MIT */
/*
 * Rows and bands of random chunked streams, byte for byte by the oracle: a chunk's
 * rows are its bytes, a band's chunks have the band's bytes and no others.
 */
#include "check.h"
#include "oracle.h"
#include "plan/chunk_rows.h"

/* Where byte 'k' of a member's joined records is. */
static uint64_t offset_of(const struct plan *plan, const struct plan_stream *s,
			  uint64_t k)
{
	const struct plan_member *m = s->members;

	return s->is_record ? m->begin + k / m->nbytes * plan->record_nbytes +
				      k % m->nbytes :
			      m->begin + k;
}

/* Where a byte of a variable is in a chunk that has its full length. */
static uint64_t whole_offset_of(const struct plan_grid *t, uint64_t k)
{
	uint64_t element = k / t->width, at = 0;

	for (uint32_t i = 0; i < t->rank; i++) {
		at = at * t->dims[i].chunk +
		     element / t->dims[i].weight % t->dims[i].chunk;
		element %= t->dims[i].weight;
	}
	return at * t->width + k % t->width;
}

static void check_row(const struct mapped *m, uint32_t stream,
		      const struct plan_chunk_row *row, uint64_t place)
{
	const struct plan_stream *s = &m->plan.streams[stream];
	const uint64_t *offsets = m->oracle.streams[stream].offsets + place;

	CHECK_EQ_U64(row->whole_offset,
		     whole_offset_of(s->grid, row->member_offset));
	for (uint32_t i = 0; i < row->nbytes; i++) {
		uint64_t expected = offsets[row->chunk_offset + i];

		if (row->offset + i != expected)
			CHECK_EQ_U64(row->offset + i, expected);
		if (offset_of(&m->plan, s, row->member_offset + i) != expected)
			CHECK_EQ_U64(offset_of(&m->plan, s,
					       row->member_offset + i),
				     expected);
	}
}

/* Rows that meet in the original and in the chunk would have been one. */
static void check_chunk(const struct mapped *m, uint32_t stream, uint64_t block)
{
	const struct oracle_block *b = &m->oracle.streams[stream].blocks[block];
	const struct plan_chunk_row *row;
	struct plan_chunk_row last = { 0 };
	struct plan_chunk_rows rows;
	uint64_t at = 0;

	plan_chunk_rows_begin(&m->map, stream, block, &rows);
	CHECK_EQ_U64(rows.nbytes, b->nbytes);
	CHECK_EQ_U64(rows.chunk.number, block);
	while ((row = plan_chunk_rows_next(&rows))) {
		CHECK_EQ_U64(row->chunk_offset, at);
		REQUIRE(row->nbytes > 0 && row->nbytes <= b->nbytes - at);
		check_row(m, stream, row, b->stream_offset);
		at += row->nbytes;
		CHECK(last.nbytes == 0 || last.offset < row->offset);
		last = *row;
	}
	CHECK_EQ_U64(at, b->nbytes);
	CHECK(!plan_chunk_rows_next(&rows));
	/* Where it would end; there it ends if the original reaches so far. */
	at = plan_chunk_last_offset(&m->map, stream, block);
	if (at < m->size)
		CHECK_EQ_U64(last.offset + last.nbytes - 1, at);
	else
		CHECK(last.offset + last.nbytes - 1 < at);
}

static void check_stream(const struct mapped *m, uint32_t stream)
{
	const struct oracle_stream *o = &m->oracle.streams[stream];

	for (uint64_t i = 0; i < o->nblocks; i++)
		check_chunk(m, stream, i);
}

static void test_random(void)
{
	uint64_t seed = 61;
	unsigned nchunked = 0;

	for (int i = 0; i < 1000; i++) {
		struct mapped m;

		if (!mapped_make(&m, true, check_random_below(&seed, 1200),
				 &seed))
			return;
		for (uint32_t k = 0; k < m.plan.nstreams; k++) {
			if (!m.plan.streams[k].grid)
				continue;
			check_stream(&m, k);
			nchunked += m.oracle.streams[k].nblocks > 1;
		}
		mapped_release(&m);
	}
	CHECK(nchunked > 500);
}

/* Rows of one record variable that is alone go on across records. */
static void test_rows_across_records(void)
{
	struct plan_chunk_rows rows;
	const struct plan_chunk_row *row;
	struct plan_member *member;
	struct plan_map map;
	struct plan plan = { .record_nbytes = 12,
			     .nrecords = UINT64_MAX,
			     .nstreams = 1 };
	struct plan_stream *s = plan.streams = calloc(1, sizeof(*s));

	*s = (struct plan_stream){ .is_record = true,
				   .width = 4,
				   .nmembers = 1 };
	s->members = member = calloc(1, sizeof(*s->members));
	member->nbytes = 12;
	oracle_add_grid(s, 2);
	s->grid->dims[0].chunk = 5;
	s->grid->dims[1].length = s->grid->dims[1].chunk = 3;
	REQUIRE(plan_finish(&plan, NULL) == NC3Z_OK);
	REQUIRE(plan_map_init(&map, &plan, 1000, NULL) == NC3Z_OK);
	plan_chunk_rows_begin(&map, 0, 2, &rows);
	row = plan_chunk_rows_next(&rows);
	REQUIRE(row);
	CHECK_EQ_U64(row->offset, 120);
	CHECK_EQ_U64(row->nbytes, 60);
	CHECK(!plan_chunk_rows_next(&rows));
	plan_map_release(&map);
	plan_release(&plan);
}

int main(void)
{
	RUN(test_random);
	RUN(test_rows_across_records);
	return check_report();
}
