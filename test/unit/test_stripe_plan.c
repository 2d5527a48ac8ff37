/* SPDX-License-Identifier: MIT */
/*
 * Stripes beside a list of which bytes of a stream are in which block: they chunk
 * the stream, name exactly the blocks that have their bytes, and stay within
 * the budget.
 */
#include "restore/stripe_plan.h"

#include "base/sizes.h"
#include "check.h"
#include "plan/shape.h"
#include "shape.h"

/* A plan with chunks for a file that was made up. */
struct subject {
	struct blob header_bytes;
	struct classic_header header;
	struct layout layout;
	struct plan_chunks_spec chunks;
	struct plan plan;
	struct plan_hint *hints;
	struct plan_map map;
};

/* Record variables of one, two or three more dimensions, and fixed ones. */
static uint64_t make_shape(struct shape *shape, uint64_t *seed)
{
	*shape = (struct shape){ .version = 2, .ndims = 5, .nvars = 5 };
	for (uint32_t i = 1; i < 5; i++)
		shape->dims[i] = 4 + check_random_below(seed, 14);
	shape->numrecs = 1 + check_random_below(seed, 40);
	for (uint32_t v = 0; v < shape->nvars; v++) {
		struct shape_var *var = &shape->vars[v];
		uint32_t first = (uint32_t)check_random_below(seed, 2);

		var->type = 3 + (uint32_t)check_random_below(seed, 4);
		var->rank = 2 + (uint32_t)check_random_below(seed, 3);
		for (uint32_t k = 0; k < var->rank; k++)
			var->dimids[k] = (first + k) % 5;
	}
	shape_place(shape, 0);
	return shape_end(shape);
}

static bool make(struct subject *s, uint64_t *seed)
{
	const struct plan_shaping shaping = {
		.block_nbytes = 4096,
		.chunks = &s->chunks,
		.band_nbytes = 1 << 20,
	};
	struct shape shape;
	uint64_t end = make_shape(&shape, seed);
	unsigned n[5];
	char text[80];
	bool more;

	for (int i = 0; i < 5; i++)
		n[i] = 1 + (unsigned)check_random_below(seed, i ? 7 : 25);
	snprintf(text, sizeof(text), "d0/%u,d1/%u,d2/%u,d3/%u,d4/%u", n[0],
		 n[1], n[2], n[3], n[4]);
	shape_write(&shape, &s->header_bytes);
	if (check_random_below(seed, 2))
		end -= check_random_below(seed, end - shape.vars[0].begin);
	return classic_header_parse(s->header_bytes.data,
				    s->header_bytes.nbytes, true, &s->header,
				    &more, NULL) == NC3Z_OK &&
	       layout_of_header(&s->header, &s->layout, NULL) == NC3Z_OK &&
	       plan_chunks_parse(&s->chunks, text, NULL) == NC3Z_OK &&
	       plan_shape(&s->header, &s->layout, &shaping, &s->plan, &s->hints,
			  NULL) == NC3Z_OK &&
	       plan_map_init(&s->map, &s->plan, end, NULL) == NC3Z_OK;
}

static void release(struct subject *s)
{
	plan_map_release(&s->map);
	plan_release(&s->plan);
	free(s->hints);
	plan_chunks_release(&s->chunks);
	layout_release(&s->layout);
	classic_header_release(&s->header);
	blob_release(&s->header_bytes);
}

/* The block of a byte of a stream in the order of the original. */
static uint64_t block_of(const struct subject *s, uint32_t stream, uint64_t at)
{
	const struct plan_grid *t = s->plan.streams[stream].grid;
	uint64_t nbytes;

	if (t)
		at = plan_grid_place(t, at, &nbytes);
	return plan_block_at(&s->map, stream, at).block;
}

/* How many blocks have bytes in a stripe; its range names all of these. */
static uint64_t check_blocks(const struct subject *s,
			     const struct stripe_plan *plan, uint32_t stream,
			     const struct stripe_range *stripe)
{
	uint64_t nblocks = s->map.extents[stream].nblocks, n = 0;
	uint8_t *has_bytes = calloc((size_t)nblocks, 1);

	for (uint64_t i = 0; i < stripe->nbytes; i++)
		has_bytes[block_of(s, stream, stripe->begin + i)] = 1;
	for (uint64_t b = 0; b < nblocks; b++) {
		bool is_named = b >= stripe->first_block &&
				b < stripe->end_block;

		if (is_named && s->plan.streams[stream].grid)
			is_named = stripe_has_chunk(plan, stream, stripe, b);
		CHECK(is_named == has_bytes[b]);
		n += has_bytes[b];
	}
	free(has_bytes);
	return n;
}

/* Decodings that the stripes of a stream make. */
static uint64_t check_stream(const struct subject *s,
			     const struct stripe_plan *plan, uint32_t stream)
{
	uint64_t end = s->map.extents[stream].nbytes, ndecodings = 0;
	struct stripe_range stripe, again;

	for (uint64_t at = 0; at < end; at += stripe.nbytes) {
		stripe = stripe_plan_at(plan, stream, at);
		CHECK_EQ_U64(stripe.begin, at);
		if (!CHECK(stripe.nbytes > 0 && stripe.nbytes <= end - at))
			return 0;
		again = stripe_plan_at(plan, stream, at + stripe.nbytes / 2);
		if (s->plan.streams[stream].grid) {
			CHECK_EQ_U64(again.begin, at);
			CHECK_EQ_U64(again.nbytes, stripe.nbytes);
		} else {
			/* Linear ones begin with any block. */
			CHECK(again.begin >= at &&
			      again.begin <= at + stripe.nbytes / 2);
		}
		ndecodings += check_blocks(s, plan, stream, &stripe);
	}
	return ndecodings;
}

/* Whether blocks are decoded more than once. */
static bool check_budget(const struct subject *s, uint64_t max_nbytes)
{
	struct stripe_plan plan;
	struct decodings decodings;
	uint64_t ndecodings = 0, most;

	if (!CHECK(stripe_plan_init(&plan, &s->map, max_nbytes, 10000, NULL) ==
		   NC3Z_OK))
		return false;
	for (uint32_t i = 0; i < s->plan.nstreams; i++)
		ndecodings += check_stream(s, &plan, i);
	if (!CHECK(decodings_init(&decodings, &s->map, NULL) == NC3Z_OK))
		return false;
	stripe_plan_count(&plan, &decodings);
	CHECK_EQ_U64(decodings_sum(&decodings, &most), ndecodings);
	CHECK(most * decodings.nblocks >= ndecodings);
	CHECK((most > 1) == (ndecodings > decodings.nblocks));
	/* Each stripe of the five variables may have 4096 bytes all the same. */
	CHECK(plan.nbytes <= max_nbytes + 5 * 4096);
	if (max_nbytes >= plan.bands_nbytes) {
		CHECK_EQ_U64(ndecodings, decodings.nblocks);
		CHECK_EQ_U64(plan.nbytes, plan.bands_nbytes);
	}
	decodings_release(&decodings);
	stripe_plan_release(&plan);
	return most > 1;
}

static void test_brute_force(void)
{
	uint64_t seed = 51, nrepeated = 0;

	for (int i = 0; i < 12; i++) {
		struct subject s = { 0 };

		if (CHECK(make(&s, &seed)))
			for (uint64_t n = UINT64_C(1) << 21; n > 100; n /= 6)
				nrepeated += check_budget(&s, n);
		release(&s);
	}
	CHECK(nrepeated > 12);
}

/* Linear blocks that would be open at a time, without end. */
static void test_too_large(void)
{
	struct plan_stream streams[20] = { 0 };
	struct plan_extent extents[20] = { 0 };
	struct plan plan = { .streams = streams, .nstreams = 20 };
	struct plan_map map = { .plan = &plan, .extents = extents };
	struct stripe_plan stripes;

	for (int i = 0; i < 20; i++) {
		streams[i] = (struct plan_stream){
			.is_record = true,
			.block_nbytes = NC3Z_BLOCK_NBYTES_MAX,
			.nbytes = 1000,
		};
		extents[i].nbytes = UINT64_C(1) << 40;
	}
	CHECK(stripe_plan_init(&stripes, &map, 1 << 20, 0, NULL) ==
	      NC3Z_EDAMAGED);
	plan.nstreams = 5;
	CHECK(stripe_plan_init(&stripes, &map, 1 << 20, 0, NULL) == NC3Z_OK);
	stripe_plan_release(&stripes);
}

int main(void)
{
	RUN(test_brute_force);
	RUN(test_too_large);
	return check_report();
}
