/* SPDX-License-Identifier: MIT */
/*
 * lib/context/model.c: a model at each limit is read; one field beyond its
 * limit is damage.
 */
#include "check.h"
#include "context/grid.h"
#include "context/model.h"
#include "context_input.h"

#define N 700
#define ROW 20
#define PLANE_ROWS 4

/* Where fields are; weights and what follows depends on planes. */
enum at {
	BASE = 0,
	ROW_AT = 8,
	PLANES_AT = 12,
	NPREDICTORS = 16,
	NTABLES = 17,
	NLEVELS = 18,
	WEIGHTS = 19
};

struct fixture {
	uint8_t width;
	struct blob model;
	size_t coefficients, tiles, map, low, high; /* where they begin */
};

static void make(struct fixture *f, uint32_t plane_rows, uint8_t npredictors)
{
	const unsigned ncoefficients = context_neighbours(plane_rows > 0);
	const struct context_wish wish = {
		N, ROW, plane_rows, npredictors, 5, 7
	};

	*f = (struct fixture){ .width = 2 };
	context_model_make(&wish, &f->model);
	f->coefficients =
		WEIGHTS + context_misses(plane_rows > 0) + 4u * npredictors;
	f->tiles = f->coefficients + 2 * ncoefficients * npredictors;
	f->map = f->tiles;
	if (npredictors > 1)
		f->map += context_count_tiles(N, ROW, plane_rows);
	f->low = f->map + 12 * 7;
	f->high = f->low + 63 * 5;
	CHECK_EQ_U64(f->high + 63 * 5, f->model.nbytes);
	CHECK(f->model.nbytes <= context_model_nbytes_max(N));
}

/* From memory of just that size. */
static bool reads(const struct fixture *f)
{
	uint8_t *exact = copy_exactly(f->model.data, f->model.nbytes);
	struct context_model model;
	struct nc3z_error err = { 0 };
	int status = context_model_read(exact, f->model.nbytes, N, f->width,
					&model, &err);

	CHECK(status == err.status);
	CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	free(exact);
	return status == NC3Z_OK;
}

/* Whether the model is read with another number in it. */
static bool reads_with(struct fixture *f, size_t at, unsigned width,
		       uint64_t value)
{
	uint8_t before[8];
	bool ok;

	memcpy(before, f->model.data + at, width);
	for (unsigned i = 0; i < width; i++)
		f->model.data[at + i] = (uint8_t)(value >> 8 * i);
	ok = reads(f);
	memcpy(f->model.data + at, before, width);
	return ok;
}

static void test_head(void)
{
	struct fixture f;

	/* One predictor: no tiles, so that rows are free. */
	make(&f, PLANE_ROWS, 1);
	CHECK(reads(&f));
	CHECK(reads_with(&f, BASE, 8, 65535));
	CHECK(!reads_with(&f, BASE, 8, 65536));
	CHECK(!reads_with(&f, BASE, 8, UINT64_MAX));
	for (uint8_t width = 1; width <= 8; width *= 2) {
		f.width = width;
		CHECK(reads_with(&f, BASE, 8, UINT64_MAX >> (64 - 8 * width)));
		CHECK(width == 8 ||
		      !reads_with(&f, BASE, 8, UINT64_C(1) << 8 * (width % 8)));
	}
	CHECK(reads_with(&f, ROW_AT, 4, 16));
	CHECK(reads_with(&f, ROW_AT, 4, N));
	CHECK(!reads_with(&f, ROW_AT, 4, 15));
	CHECK(!reads_with(&f, ROW_AT, 4, 0));
	CHECK(!reads_with(&f, ROW_AT, 4, N + 1));
	CHECK(!reads_with(&f, ROW_AT, 4, UINT32_MAX));
	CHECK(reads_with(&f, PLANES_AT, 4, 1));
	CHECK(reads_with(&f, PLANES_AT, 4, UINT32_MAX));
	/* Fewer coefficients and weights are needed. */
	CHECK(!reads_with(&f, PLANES_AT, 4, 0));
	blob_release(&f.model);
}

static void check_counts(uint32_t plane_rows)
{
	struct fixture f;

	make(&f, plane_rows, 3);
	CHECK(reads(&f));
	for (unsigned x = 0; x < 256; x++) {
		CHECK(reads_with(&f, NPREDICTORS, 1, x) == (x == 3));
		CHECK(reads_with(&f, NTABLES, 1, x) == (x == 5));
		CHECK(reads_with(&f, NLEVELS, 1, x) == (x == 7));
		CHECK(reads_with(&f, WEIGHTS, 1, x) == (x <= 31));
		CHECK(reads_with(&f, f.tiles, 1, x) == (x < 3));
		CHECK(reads_with(&f, f.map - 1, 1, x) == (x < 3));
		CHECK(reads_with(&f, f.map, 1, x) == (x < 5));
		CHECK(reads_with(&f, f.low - 1, 1, x) == (x < 5));
	}
	blob_release(&f.model);
}

static void test_counts(void)
{
	check_counts(0);
	check_counts(PLANE_ROWS);
	check_counts(1000);
}

static void test_coefficients(void)
{
	struct fixture f;

	make(&f, PLANE_ROWS, 2);
	for (size_t at = f.coefficients; at < f.tiles; at += 2) {
		CHECK(reads_with(&f, at, 2, 4096));
		CHECK(reads_with(&f, at, 2, (uint16_t)-4096));
		CHECK(!reads_with(&f, at, 2, 4097));
		CHECK(!reads_with(&f, at, 2, (uint16_t)-4097));
		CHECK(!reads_with(&f, at, 2, 0x8000));
		CHECK(!reads_with(&f, at, 2, 0x7fff));
	}
	blob_release(&f.model);
}

/* One more or less in one frequency, also where the sum wraps 16 bits. */
static void test_frequencies(void)
{
	struct fixture f;

	make(&f, 0, 1);
	for (size_t at = f.low; at < f.high + 63 * 5; at++) {
		uint8_t x = f.model.data[at];

		CHECK(!reads_with(&f, at, 1, (uint8_t)(x + 1)));
		CHECK(!reads_with(&f, at, 1, (uint8_t)(x - 1)));
		CHECK(!reads_with(&f, at, 1, x ^ 0x80u));
	}
	/* Two of 32768 more: the same modulo 65536. */
	f.model.data[f.high] ^= 0x80;
	f.model.data[f.high + 1] ^= 0x80;
	CHECK(!reads(&f));
	f.model.data[f.high] ^= 0x80;
	f.model.data[f.high + 1] ^= 0x80;
	CHECK(reads(&f));
	blob_release(&f.model);
}

static void test_lengths(void)
{
	struct fixture f;
	size_t nbytes;

	for (uint8_t npredictors = 1; npredictors <= 16; npredictors += 15) {
		make(&f, PLANE_ROWS, npredictors);
		nbytes = f.model.nbytes;
		for (f.model.nbytes = 0; f.model.nbytes < nbytes;
		     f.model.nbytes++)
			CHECK(!reads(&f));
		CHECK(reads(&f));
		blob_fill(&f.model, 0, 1);
		CHECK(!reads(&f));
		blob_release(&f.model);
	}
}

/* Symbols cover all magnitudes of 16 bits once, of either sign. */
static void test_symbols(void)
{
	uint32_t next = 0;

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
		struct context_symbol s = context_symbol(k);

		CHECK(k < 7 || s.nbits == (k - 7) / 4 + 1);
		if (s.is_negative)
			continue;
		CHECK_EQ_U64(s.magnitude, next);
		next = s.magnitude + (1u << s.nbits);
	}
	CHECK_EQ_U64(next, 65536);
}

int main(void)
{
	RUN(test_head);
	RUN(test_counts);
	RUN(test_coefficients);
	RUN(test_frequencies);
	RUN(test_lengths);
	RUN(test_symbols);
	return check_report();
}
