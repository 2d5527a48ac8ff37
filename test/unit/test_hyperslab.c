/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "hyperslab/hyperslab.h"
#include "slab.h"

/* A request, what it takes, and the slab that says so. */
struct made {
	struct slab_request s;
	struct slab_elements elements;
	struct hyperslab slab;
};

static void make(struct made *m)
{
	slab_list_make(&m->elements, &m->s);
	CHECK(hyperslab_check(&m->s.request, NULL) == HYPERSLAB_OK);
	/* What is not set must not be looked at. */
	memset(&m->slab, 0xa5, sizeof(m->slab));
	CHECK(hyperslab_init(&m->slab, &m->s.request, NULL) == NC3Z_OK);
	CHECK_EQ_U64(m->slab.nelems, m->elements.count);
}

/* Number of the first element with a linear index of at least 'linear'. */
static uint64_t find(const struct made *m, uint64_t linear)
{
	uint64_t at = 0;

	while (at < m->elements.count && m->elements.list[at].in < linear)
		at++;
	return at;
}

/* One cursor through all blocks, and one for each block. */
static void check_blocks(const struct made *m, uint64_t block_nelems)
{
	uint64_t end = m->elements.count ? m->slab.in_last + 1 : 7, at = 0;
	struct hyperslab_cursor through, own;
	bool has_any = hyperslab_seek(&m->slab, 0, &through);

	CHECK(has_any == (m->elements.count > 0));
	for (uint64_t begin = 0; begin < end; begin += block_nelems) {
		uint64_t in_end = begin + block_nelems, next;

		next = slab_check_runs(&m->elements, &through, at, in_end);
		has_any = hyperslab_seek(&m->slab, begin, &own);
		CHECK(has_any == (at < m->elements.count));
		CHECK_EQ_U64(slab_check_runs(&m->elements, &own, at, in_end),
			     next);
		at = next;
	}
	CHECK_EQ_U64(at, m->elements.count);
	CHECK(!hyperslab_next_run(&through, UINT64_MAX,
				  &(struct hyperslab_run){ 0 }));
}

/* From every linear index; up to every end from some. */
static void check_seeks(const struct made *m, uint64_t *seed)
{
	uint64_t end = m->elements.count ? m->slab.in_last + 3 : 7;
	struct hyperslab_cursor cursor;

	for (uint64_t linear = 0; linear < end; linear++) {
		uint64_t at = find(m, linear);
		bool found = hyperslab_seek(&m->slab, linear, &cursor);

		CHECK(found == (at < m->elements.count));
		CHECK(cursor.left.nelems > 0 || !found);
		if (found)
			CHECK(slab_is_run(&m->elements, &cursor.left, at));
		slab_check_runs(&m->elements, &cursor, at,
				check_random_below(seed, 2) ?
					UINT64_MAX :
					check_random_below(seed, end + 1));
	}
	for (uint64_t in_end = 0; in_end <= end; in_end++) {
		hyperslab_seek(&m->slab, 0, &cursor);
		slab_check_runs(&m->elements, &cursor, 0, in_end);
		slab_check_runs(&m->elements, &cursor, find(m, in_end),
				UINT64_MAX);
	}
}

static void check_form(const struct made *m)
{
	const struct hyperslab *slab = &m->slab;
	uint64_t nelems = 1, span = 0;

	REQUIRE(slab->ndims > 0 && slab->ndims <= HYPERSLAB_NDIMS_MAX);
	for (size_t d = 0; d < slab->ndims; d++) {
		const struct hyperslab_dim *dim = &slab->dims[d];

		CHECK(dim->count > 1 || slab->ndims == 1);
		CHECK(dim->in_step > span);
		span += (dim->count - 1) * dim->in_step;
		nelems *= dim->count;
		if (d == 0)
			continue;
		CHECK(dim->in_step != dim[-1].count * dim[-1].in_step ||
		      dim->out_step !=
			      (ptrdiff_t)dim[-1].count * dim[-1].out_step);
	}
	CHECK_EQ_U64(nelems, slab->nelems);
	CHECK_EQ_U64(slab->in_first, m->elements.list[0].in);
	CHECK_EQ_U64(slab->in_last, m->elements.list[nelems - 1].in);
	CHECK_EQ_U64(slab->in_first + span, slab->in_last);
}

static void check_made(struct made *m, uint64_t *seed)
{
	make(m);
	if (m->elements.count > 0)
		check_form(m);
	for (int i = 0; i < 3; i++)
		check_blocks(m, 1 + check_random_below(
					    seed,
					    1 + check_random_below(seed, 300)));
	check_seeks(m, seed);
	slab_list_release(&m->elements);
}

static void test_random(void)
{
	static struct made m;
	uint64_t seed = 41;

	for (int i = 0; i < 4000; i++) {
		size_t rank = (size_t)check_random_below(&seed, 7);
		uint64_t limit = rank < 2 ? 300 : rank < 4 ? 10 : 5;

		for (size_t k = 0; k < rank; k++) {
			m.s.shape[k] = 1 + check_random_below(&seed, limit);
			if (check_random_below(&seed, 40) == 0)
				m.s.shape[k] = 0;
		}
		slab_random(&m.s, rank, &seed);
		check_made(&m, &seed);
	}
}

/* Of so many dimensions, few have more than one index. */
static void test_high_rank(void)
{
	static struct made m;
	uint64_t seed = 42;

	for (int i = 0; i < 40; i++) {
		for (size_t k = 0; k < SLAB_RANK_MAX; k++)
			m.s.shape[k] = 1;
		for (int k = 0; k < 9; k++)
			m.s.shape[check_random_below(&seed, SLAB_RANK_MAX)] =
				2 + check_random_below(&seed, 2);
		slab_random(&m.s, SLAB_RANK_MAX, &seed);
		check_made(&m, &seed);
	}
}

static const size_t zeros[64], ones[64] = { 1, 1, 1, 1 };

/* What melts into what. */
static void test_melting(void)
{
	static const uint64_t shape[] = { 5, 6, 8 };
	struct hyperslab_request r = {
		.form = HYPERSLAB_VARM,
		.rank = 3,
		.shape = shape,
		.start = zeros,
	};
	struct hyperslab slab;

	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 1);
	CHECK_EQ_U64(slab.dims[0].count, 240);
	r.start = ones;
	r.count = (const size_t[]){ 3, 5, 7 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 3);
	CHECK_EQ_U64(slab.in_first, 57);
	CHECK_EQ_U64(slab.in_last, 3 * 48 + 5 * 8 + 7);
	/* Whole planes are one run, whole rows one in each plane. */
	r.start = (const size_t[]){ 1, 0, 0 };
	r.count = (const size_t[]){ 3, 6, 8 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 1);
	CHECK_EQ_U64(slab.dims[0].in_step, 1);
	r.start = (const size_t[]){ 0, 2, 0 };
	r.count = (const size_t[]){ 3, 4, 8 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 2);
	CHECK_EQ_U64(slab.dims[0].count, 32);
	CHECK_EQ_U64(slab.dims[1].in_step, 48);
	/* A series at a point; every second element of all. */
	r.count = (const size_t[]){ 5, 1, 1 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 1);
	CHECK_EQ_U64(slab.dims[0].in_step, 48);
	CHECK(slab.dims[0].out_step == 1);
	r.start = zeros;
	r.count = (const size_t[]){ 5, 6, 4 };
	r.stride = (const ptrdiff_t[]){ 1, 1, 2 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 1);
	CHECK_EQ_U64(slab.dims[0].count, 120);
	CHECK_EQ_U64(slab.dims[0].in_step, 2);
	/* Not if the array goes another way. */
	r.imap = (const ptrdiff_t[]){ 1, 5, 30 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, 3);
}

/* 2^61 elements in as many dimensions as there can be; an imap that wraps. */
static void test_largest(void)
{
	static struct slab_request s;
	static struct hyperslab slab;
	struct hyperslab_cursor cursor;
	uint64_t seed = 43;

	s.request = (struct hyperslab_request){
		.form = HYPERSLAB_VARM,
		.rank = HYPERSLAB_NDIMS_MAX,
		.shape = s.shape,
		.start = s.start,
		.imap = s.imap,
	};
	for (size_t i = 0; i < s.request.rank; i++) {
		s.shape[i] = 2;
		s.imap[i] = (ptrdiff_t)check_random(&seed);
	}
	CHECK(hyperslab_check(&s.request, NULL) == HYPERSLAB_OK);
	REQUIRE(hyperslab_init(&slab, &s.request, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.ndims, HYPERSLAB_NDIMS_MAX);
	CHECK_EQ_U64(slab.nelems, UINT64_C(1) << 62);
	CHECK_EQ_U64(slab.in_last, (UINT64_C(1) << 62) - 1);
	for (int i = 0; i < 2000; i++) {
		uint64_t linear = check_random(&seed) >> 2;
		struct hyperslab_run piece;
		size_t out = 0;

		for (size_t k = 0; k < s.request.rank; k++)
			if (linear >> (s.request.rank - 1 - k) & 1)
				out += (size_t)s.imap[k];
		REQUIRE(hyperslab_seek(&slab, linear, &cursor));
		REQUIRE(hyperslab_next_run(&cursor, linear + 1, &piece));
		CHECK_EQ_U64(piece.in_first, linear);
		CHECK_EQ_U64(piece.nelems, 1);
		CHECK_EQ_U64((size_t)piece.out_first, out);
		CHECK(!hyperslab_next_run(&cursor, linear + 1, &piece));
		CHECK(hyperslab_next_run(&cursor, UINT64_MAX, &piece) ==
		      (linear < slab.in_last));
		CHECK(linear == slab.in_last || piece.in_first == linear + 1);
	}
}

/* Elements whose linear indices do not fit are refused, others are not. */
static void test_overflow(void)
{
	static const uint64_t shape[] = { UINT64_C(1) << 40, UINT64_C(1) << 22,
					  4 };
	struct hyperslab_request r = { .rank = 3, .shape = shape };
	struct nc3z_error err = { 0 };
	struct hyperslab slab;

	CHECK(hyperslab_init(&slab, &r, &err) == NC3Z_ELIMIT);
	CHECK(err.status == NC3Z_ELIMIT && err.text[0]);
	r.form = HYPERSLAB_VAR1;
	r.start = (const size_t[]){ 5, (1 << 22) - 1, 3 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.in_last, (UINT64_C(6) << 24) - 1);
	CHECK_EQ_U64(slab.nelems, 1);
	r.start = (const size_t[]){ (UINT64_C(1) << 39) - 1, (1 << 22) - 1, 2 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.in_last, (uint64_t)INT64_MAX - 1);
	r.start = (const size_t[]){ (UINT64_C(1) << 39) - 1, (1 << 22) - 1, 3 };
	CHECK(hyperslab_init(&slab, &r, NULL) == NC3Z_ELIMIT);
	r.shape = (const uint64_t[]){ 2, UINT64_MAX, UINT64_MAX };
	r.start = (const size_t[]){ 0, 0, 9 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.in_first, 9);
	r.start = (const size_t[]){ 1, 0, 9 };
	CHECK(hyperslab_init(&slab, &r, NULL) == NC3Z_ELIMIT);
	/* Nothing of too much is nothing. */
	r.form = HYPERSLAB_VARA;
	r.count = (const size_t[]){ 1, 0, 9 };
	REQUIRE(hyperslab_init(&slab, &r, NULL) == NC3Z_OK);
	CHECK_EQ_U64(slab.nelems, 0);
}

int main(void)
{
	RUN(test_random);
	RUN(test_high_rank);
	RUN(test_melting);
	RUN(test_largest);
	RUN(test_overflow);
	return check_report();
}
