/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "choose/candidates.h"

static bool same_chain(const struct filter_chain *a,
		       const struct filter_chain *b)
{
	bool same = a->nsteps == b->nsteps;

	for (unsigned i = 0; same && i < a->nsteps; i++)
		same = a->steps[i].id == b->steps[i].id &&
		       a->steps[i].stride == b->steps[i].stride;
	return same;
}

/* All of them may stand in an archive, and no two are the same. */
static void check_list(const struct candidates_input *in,
		       const struct recipe_candidates *c)
{
	CHECK(c->count > 0 && c->count <= CANDIDATES_MAX);
	CHECK_EQ_U64(c->list[0].chain.nsteps, in->width > 1);
	for (unsigned i = 0; i < c->count; i++) {
		const struct filter_chain *chain = &c->list[i].chain;

		CHECK(filter_chain_valid(chain));
		for (unsigned k = 0; k < chain->nsteps; k++)
			CHECK(chain->steps[k].id != NC3Z_FILTER_DELTA ||
			      chain->steps[k].stride < in->nelems);
		for (unsigned k = 0; k < i; k++)
			CHECK(!same_chain(chain, &c->list[k].chain));
	}
}

static bool has_step(const struct recipe_candidates *c, enum nc3z_filter id,
		     uint32_t stride)
{
	for (unsigned i = 0; i < c->count; i++)
		for (unsigned k = 0; k < c->list[i].chain.nsteps; k++)
			if (c->list[i].chain.steps[k].id == id &&
			    c->list[i].chain.steps[k].stride == stride)
				return true;
	return false;
}

/* Rows, planes, and how many elements there are decide on what is tried. */
static void test_predictions(void)
{
	struct candidates_input in = { .width = 4,
				       .is_float = true,
				       .nelems = 1000 };
	struct recipe_candidates c = { 0 }, few = { 0 };

	candidates_add_predictions(&in, false, &c);
	check_list(&in, &c);
	CHECK(has_step(&c, NC3Z_FILTER_ORDER, 0));
	CHECK(has_step(&c, NC3Z_FILTER_BITSHUFFLE, 0));
	in.row_nelems = 10;
	in.plane_nelems = 200;
	c.count = 0;
	candidates_add_predictions(&in, false, &c);
	check_list(&in, &c);
	CHECK(has_step(&c, NC3Z_FILTER_DELTA, 10));
	CHECK(has_step(&c, NC3Z_FILTER_DELTA, 200));
	candidates_add_predictions(&in, true, &few);
	check_list(&in, &few);
	CHECK(few.count < c.count);
	in.nelems = 150;
	in.is_float = false;
	c.count = 0;
	candidates_add_predictions(&in, false, &c);
	check_list(&in, &c);
	CHECK(!has_step(&c, NC3Z_FILTER_DELTA, 200));
	CHECK(!has_step(&c, NC3Z_FILTER_ORDER, 0));
}

/* Bytes have no planes, an empty part has nothing. */
static void test_small(void)
{
	struct candidates_input in = { .width = 1, .nelems = 100 };
	struct recipe_candidates c = { 0 };

	candidates_add_predictions(&in, false, &c);
	check_list(&in, &c);
	CHECK(!has_step(&c, NC3Z_FILTER_SHUFFLE, 0));
	in.nelems = 0;
	c.count = 0;
	candidates_add_predictions(&in, false, &c);
	CHECK_EQ_U64(c.count, 1);
	CHECK_EQ_U64(c.list[0].chain.nsteps, 0);
}

/* The other layouts of a prediction keep it. */
static void test_layouts(void)
{
	struct candidates_input in = { .width = 8,
				       .nelems = 1000,
				       .row_nelems = 10 };
	struct filter_chain chain = { 0 };
	struct recipe_candidates c = { 0 };

	candidates_add_layouts(&in, &chain, &c);
	CHECK_EQ_U64(c.count, 0); /* predictions have those of none */
	filter_chain_add(&chain, NC3Z_FILTER_DELTA, 7);
	filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
	candidates_add_layouts(&in, &chain, &c);
	CHECK_EQ_U64(c.count, 2);
	for (unsigned i = 0; i < c.count; i++) {
		CHECK(filter_chain_valid(&c.list[i].chain));
		CHECK_EQ_U64(c.list[i].chain.steps[0].stride, 7);
	}
	CHECK(!has_step(&c, NC3Z_FILTER_SHUFFLE, 0));
}

static void test_text(void)
{
	struct recipe_candidates c = { 0 };

	candidates_add_text(&c);
	candidates_add_text(&c);
	CHECK_EQ_U64(c.count, 1);
	CHECK_EQ_U64(c.list[0].chain.nsteps, 0);
}

int main(void)
{
	RUN(test_predictions);
	RUN(test_small);
	RUN(test_layouts);
	RUN(test_text);
	return check_report();
}
