/* SPDX-License-Identifier: MIT */
/*
 * Prediction across holes against its definition, one element after the other
 * on numbers of 64 bits: every width, patterns of holes, strides.
 */
#include "check.h"
#include "filter/filter.h"
#include "layouts.h"

#define N 700

static const uint8_t widths[] = { 1, 2, 4, 8 };

struct field {
	unsigned width;
	size_t n, nkept;
	uint8_t holes[N];
	uint64_t x[N]; /* of the kept elements */
};

static uint64_t wrap(uint64_t x, unsigned width)
{
	return width == 8 ? x : x % (UINT64_C(1) << 8 * width);
}

/* The value at a place: for holes what the definition gives them. */
static uint64_t at(const struct field *f, size_t place, bool is_first)
{
	size_t kept = 0;

	for (size_t i = 0; i <= place; i++)
		kept += !f->holes[i];
	if (!f->holes[place])
		return f->x[kept - 1];
	if (!is_first)
		return 0;
	return kept > 0 ? f->x[kept - 1] : f->x[0];
}

static void slow_delta(struct field *f, uint32_t stride, bool is_first)
{
	struct field before = *f;
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->holes[i])
			continue;
		if (i >= stride && (kept > 0 || !is_first))
			f->x[kept] =
				wrap(before.x[kept] -
					     at(&before, i - stride, is_first),
				     f->width);
		kept++;
	}
}

static void slow_zigzag(struct field *f)
{
	for (size_t i = 0; i < f->nkept; i++) {
		uint64_t x = f->x[i];

		f->x[i] = x >> (8 * f->width - 1) ?
				  2 * wrap(0 - x, f->width) - 1 :
				  2 * x;
	}
}

static void put(uint64_t x, unsigned width, uint8_t *elems, size_t i)
{
	uint16_t x16 = (uint16_t)x;
	uint32_t x32 = (uint32_t)x;

	if (width == 1)
		elems[i] = (uint8_t)x;
	else if (width == 2)
		memcpy(elems + 2 * i, &x16, 2);
	else if (width == 4)
		memcpy(elems + 4 * i, &x32, 4);
	else
		memcpy(elems + 8 * i, &x, 8);
}

/* Holes by a pattern: none, runs, at random, all but one, only the first. */
static void make_holes(struct field *f, unsigned pattern, uint64_t *seed)
{
	f->nkept = 0;
	for (size_t i = 0; i < f->n; i++) {
		f->holes[i] = pattern == 1 ? i / 13 % 3 == 0 :
			      pattern == 2 ? check_random(seed) % 3 == 0 :
			      pattern == 3 ? i != f->n / 2 :
			      pattern == 4 ? i == 0 :
			      pattern == 5 ? i > 0 :
					     0;
		f->nkept += !f->holes[i];
	}
}

static void check_chain(struct field *f, const struct filter_chain *chain,
			uint64_t *seed)
{
	size_t nbytes = f->n * f->width, kept = 0;
	uint8_t *out = malloc(nbytes), *scratch = malloc(nbytes);
	uint8_t *elems = malloc(nbytes), *again = malloc(nbytes);
	uint8_t *coded = malloc(f->nkept * f->width);
	uint8_t *place = filter_place(chain, out, scratch);
	const struct filter_elems e = { .width = (uint8_t)f->width,
					.n = f->n,
					.holes = f->holes,
					.nkept = f->nkept };
	bool is_first = true;

	for (size_t i = 0; i < f->n; i++) {
		uint64_t x = wrap(check_random(seed), f->width);

		put(x, f->width, elems, i);
		if (!f->holes[i])
			f->x[kept++] = x;
	}
	memcpy(place, elems, nbytes);
	filter_predict(chain, &e, out, scratch);
	filter_lay_out(chain, e.width, e.nkept, out, scratch);
	memcpy(coded, out, f->nkept * f->width);
	for (unsigned i = 0; i < chain->nsteps; i++) {
		if (chain->steps[i].id == NC3Z_FILTER_ZIGZAG)
			slow_zigzag(f);
		if (chain->steps[i].id != NC3Z_FILTER_DELTA)
			continue;
		slow_delta(f, chain->steps[i].stride, is_first);
		is_first = false;
	}
	for (size_t i = 0; i < f->nkept; i++)
		for (unsigned k = 0; k < f->width; k++)
			CHECK(coded[k * f->nkept + i] ==
			      (uint8_t)(f->x[i] >> 8 * k));
	memset(again, 0xcc, nbytes);
	filter_restore(chain, &e, coded, again, scratch);
	for (size_t i = 0; i < f->n; i++)
		if (!f->holes[i])
			CHECK_MEM_EQ(again + i * f->width, elems + i * f->width,
				     f->width);
	free(out);
	free(scratch);
	free(elems);
	free(again);
	free(coded);
}

static void check_strides(struct field *f, const uint32_t *strides,
			  bool zigzag_between, uint64_t *seed)
{
	struct filter_chain chain = { 0 };

	for (unsigned i = 0; i < 3 && strides[i] > 0; i++) {
		filter_chain_add(&chain, NC3Z_FILTER_DELTA, strides[i]);
		if (zigzag_between)
			filter_chain_add(&chain, NC3Z_FILTER_ZIGZAG, 0);
	}
	filter_chain_add(&chain, NC3Z_FILTER_SHUFFLE, 0);
	check_chain(f, &chain, seed);
}

static void test_definition(void)
{
	static const uint32_t strides[][3] = {
		{ 0 },          { 1 },         { 7 },
		{ 1, 1 },       { 1, 20 },     { 20, 1 },
		{ 20, 60 },     { 1, 20, 60 }, { 2, UINT32_MAX },
		{ UINT32_MAX }, { 1, 1, 1 },
	};
	static const size_t lengths[] = { 1, 2, 3, 8, 33, 100, 211 };
	static struct field f;
	uint64_t seed = 77;

	for (size_t w = 0; w < 4; w++)
		for (size_t l = 0; l < 7; l++)
			for (unsigned pattern = 0; pattern < 6; pattern++)
				for (size_t s = 0; s < 22; s++) {
					f.width = widths[w];
					f.n = lengths[l];
					make_holes(&f, pattern, &seed);
					if (f.nkept > 0)
						check_strides(&f,
							      strides[s / 2],
							      s % 2, &seed);
				}
}

/* All layouts, for elements that are not a multiple of 8. */
static void test_layouts(void)
{
	uint32_t elems[100], out[100], scratch[100], again[100];
	uint8_t holes[100], *coded = malloc(sizeof(out));
	uint64_t seed = 78;

	for (size_t i = 0; i < 100; i++) {
		elems[i] = (uint32_t)check_random(&seed);
		holes[i] = i % 7 == 3;
	}
	for (unsigned l = 0; l < layouts_count(); l++) {
		const struct filter_elems e = { 4, 100, holes, 86 };
		struct filter_chain chain = { 0 };

		filter_chain_add(&chain, NC3Z_FILTER_DELTA, 10);
		layouts_add(&chain, l, 5);
		memcpy(filter_place(&chain, (uint8_t *)out, (uint8_t *)scratch),
		       elems, sizeof(elems));
		CHECK(filter_predict(&chain, &e, (uint8_t *)out,
				     (uint8_t *)scratch) ==
		      filter_layout_place(&chain, (uint8_t *)out,
					  (uint8_t *)scratch));
		filter_lay_out(&chain, 4, 86, (uint8_t *)out,
			       (uint8_t *)scratch);
		memcpy(coded, out, 86 * 4);
		filter_restore(&chain, &e, coded, again, scratch);
		for (size_t i = 0; i < 100; i++)
			if (!holes[i])
				CHECK_EQ_U64(again[i], elems[i]);
	}
	free(coded);
}

int main(void)
{
	RUN(test_definition);
	RUN(test_layouts);
	return check_report();
}
