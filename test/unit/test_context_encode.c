/* SPDX-License-Identifier: MIT */
/*
 * lib/context/encode.c, and what it chooses by: fields of all kinds come back,
 * by the decoder and by the definition, within their limit; what does not suit
 * leaves no byte.
 */
#include "check.h"
#include "context/context.h"
#include "context/cost.h"
#include "context/fit.h"
#include "context/tables.h"
#include "promises/context_definition.h"
#include "unit/blob.h"

#define NELEMS_MAX 40000
#define NO_LIMIT ((size_t)1 << 30)

static struct context_coder coder;
static struct codec_state codecs;

enum kind {
	SMOOTH,
	NOISY,
	CONSTANT,
	FULL,    /* -32768 to 32767 */
	WRAPPED, /* around the largest number */
	JUMPS,   /* between far values */
	NKINDS
};

struct field {
	struct context_field is;
	uint8_t *elems;
	uint8_t *holes;
};

static int64_t value_of(enum kind kind, const struct context_field *f, size_t i,
			uint64_t *seed)
{
	const size_t row = f->row > 0 ? f->row : 1;
	int64_t x = (int64_t)(i % row), y = (int64_t)(i / row);
	int64_t noise = (int64_t)check_random_below(seed, 9);

	switch (kind) {
	case SMOOTH:
		return x * x / 200 + y * 2 - x * y / 90;
	case NOISY:
		return 3 * x + y + noise * noise / 8;
	case CONSTANT:
		return -5;
	case FULL:
		return i < 2 ? (int64_t)(i * 65535) - 32768 :
			       (int64_t)(check_random(seed) >> 48) - 32768;
	case WRAPPED:
		return noise - 4;
	default:
		return (x / 7 + y) % 2 * 60000 + noise;
	}
}

static void put_elem(struct field *f, size_t i, int64_t value)
{
	const unsigned width = f->is.shape.width;
	uint32_t x32 = (uint32_t)value;
	uint16_t x16 = (uint16_t)value;

	if (width == 1)
		f->elems[i] = (uint8_t)value;
	else if (width == 2)
		memcpy(f->elems + 2 * i, &x16, 2);
	else if (width == 4)
		memcpy(f->elems + 4 * i, &x32, 4);
	else
		memcpy(f->elems + 8 * i, &value, 8);
}

static uint64_t elem_at(const void *elems, unsigned width, size_t i)
{
	return width == 1 ? ((const uint8_t *)elems)[i] :
	       width == 2 ? ((const uint16_t *)elems)[i] :
	       width == 4 ? ((const uint32_t *)elems)[i] :
			    ((const uint64_t *)elems)[i];
}

static void make_holes(struct field *f, unsigned kind, uint64_t *seed)
{
	struct filter_elems *shape = &f->is.shape;

	shape->nkept = shape->n;
	if (kind == 0)
		return;
	f->holes = malloc(shape->n);
	for (size_t i = 0; i < shape->n; i++) {
		uint8_t chance = check_random_below(seed, 3) == 0;

		/* At random; in runs; the beginning; all rows but some. */
		f->holes[i] = kind == 1 ? chance :
			      kind == 2 ? i / 50 % 3 == 0 :
			      kind == 3 ? i < shape->n / 3 :
					  i / f->is.row % 3 != 0;
		shape->nkept -= f->holes[i];
		if (f->holes[i]) /* Anything. */
			put_elem(f, i, (int64_t)check_random(seed));
	}
	shape->holes = f->holes;
}

static void make_field(struct field *f, enum kind kind, unsigned holes)
{
	const size_t nbytes = f->is.shape.n * f->is.shape.width;
	uint64_t seed = kind * 10 + holes;

	f->elems = malloc(nbytes);
	f->holes = NULL;
	for (size_t i = 0; i < f->is.shape.n; i++)
		put_elem(f, i, value_of(kind, &f->is, i, &seed));
	make_holes(f, holes, &seed);
	f->is.elems = f->elems;
}

static void release(struct field *f)
{
	free(f->elems);
	free(f->holes);
}

/* Appends to 'out', which is not empty; the number of bytes. */
static size_t encode(const struct field *f, size_t limit, struct buffer *out)
{
	size_t before = out->nbytes;

	CHECK(context_encode(&coder, &codecs, &f->is, limit, out, NULL) ==
	      NC3Z_OK);
	CHECK(out->nbytes >= before && out->nbytes - before <= limit);
	return out->nbytes - before;
}

static size_t count_wrong(const struct field *f, const void *elems,
			  unsigned width)
{
	const struct filter_elems *shape = &f->is.shape;
	size_t nwrong = 0;

	for (size_t i = 0; i < shape->n; i++)
		nwrong += (!shape->holes || !shape->holes[i]) &&
			  elem_at(elems, width, i) !=
				  elem_at(f->elems, shape->width, i);
	return nwrong;
}

static void check_decoding(const struct field *f, const uint8_t *stored,
			   size_t nbytes)
{
	const struct filter_elems *shape = &f->is.shape;
	uint8_t *in = copy_exactly(stored, nbytes);
	uint8_t *out = malloc(shape->n * shape->width);
	uint64_t *defined = malloc(shape->n * sizeof(*defined));
	const struct codec_buffers buffers = {
		.in = in,
		.in_nbytes = nbytes,
		.out = out,
		.out_nbytes = shape->n * shape->width,
	};

	CHECK(context_decode(&coder, &codecs, shape, &buffers, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(count_wrong(f, out, shape->width), 0);
	CHECK(context_define_stored(in, nbytes, shape, defined) == NULL);
	CHECK_EQ_U64(count_wrong(f, defined, 8), 0);
	free(defined);
	free(out);
	free(in);
}

/* Just the limit is enough, one byte less is not; true if it was encoded. */
static bool check_field(const struct field *f)
{
	struct buffer out = { 0 };
	size_t nbytes;

	CHECK(buffer_append(&out, "before", 6));
	nbytes = encode(f, NO_LIMIT, &out);
	CHECK(out.nbytes == 6 + nbytes && memcmp(out.data, "before", 6) == 0);
	if (nbytes > 0) {
		check_decoding(f, out.data + 6, nbytes);
		out.nbytes = 6;
		CHECK_EQ_U64(encode(f, nbytes - 1, &out), 0);
		CHECK_EQ_U64(encode(f, nbytes / 2, &out), 0);
		CHECK_EQ_U64(encode(f, 0, &out), 0);
		CHECK(memcmp(out.data, "before", 6) == 0);
	}
	buffer_release(&out);
	return nbytes > 0;
}

static void test_round_trips(void)
{
	static const uint32_t planes[] = { 0, 1, 5, 9, 40 };

	for (unsigned width = 1; width <= 4; width *= 2)
		for (unsigned kind = 0; kind < NKINDS; kind++)
			for (unsigned h = 0; h < 5; h++) {
				struct field f = {
					.is = { .shape = { .width = (uint8_t)
								   width,
							   .n = 4000 + 77 * h },
						.row = 16 + 31 * h,
						.plane_rows = planes[h] }
				};

				make_field(&f, kind, (kind + h) % 5);
				CHECK(check_field(&f));
				release(&f);
			}
}

/* Rows of more than one span, blocks of less than a row for each lane. */
static void test_long_rows(void)
{
	static const uint32_t rows[] = { 2048, 2049, 9000, NELEMS_MAX };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned holes = 0; holes < 2; holes++) {
			struct field f = { .is = { .shape = { .width = 2,
							      .n = NELEMS_MAX },
						   .row = rows[i],
						   .plane_rows = i % 3 } };

			make_field(&f, NOISY, holes);
			CHECK(check_field(&f));
			release(&f);
		}
}

static void check_refused(uint8_t width, size_t n, uint32_t row, int64_t most)
{
	struct field f = { .is = { .shape = { .width = width, .n = n },
				   .row = row } };

	make_field(&f, CONSTANT, 0);
	put_elem(&f, n / 2, -5 + most);
	CHECK(!check_field(&f));
	release(&f);
}

static void test_limits(void)
{
	struct field f = { .is = { .shape = { .width = 4, .n = 2000 },
				   .row = 50 } };

	check_refused(4, 2000, 50, 65536);
	check_refused(4, 2000, 50, INT32_MIN);
	check_refused(4, 2000, 15, 0);
	check_refused(4, 2000, 0, 0);
	check_refused(4, 2000, 2001, 0);
	check_refused(4, 2000, UINT32_MAX, 0);
	check_refused(4, 1023, 50, 0);
	check_refused(8, 2000, 50, 0);
	make_field(&f, CONSTANT, 0);
	put_elem(&f, 1000, -5 + 65535);
	CHECK(check_field(&f));
	f.is.plane_rows = UINT32_MAX;
	CHECK(check_field(&f));
	f.is.plane_rows = 0;
	f.is.row = 2000;
	CHECK(check_field(&f));
	release(&f);
}

/* Values of bytes that cross zero are neighbours like any others. */
static void test_signed_bytes(void)
{
	struct field f = { .is = { .shape = { .width = 1, .n = 8000 },
				   .row = 100 } };
	struct buffer out = { 0 };
	size_t around_zero, above_zero;

	make_field(&f, WRAPPED, 0);
	around_zero = encode(&f, NO_LIMIT, &out);
	for (size_t i = 0; i < f.is.shape.n; i++)
		f.elems[i] = (uint8_t)(f.elems[i] + 50);
	above_zero = encode(&f, NO_LIMIT, &out);
	/* But for the base, which is compressed. */
	CHECK(around_zero < above_zero + 16);
	buffer_release(&out);
	release(&f);
}

/* Memory that was used before leaves no trace. */
static void test_fresh_coder(void)
{
	for (unsigned h = 0; h < 5; h++) {
		struct field f = { .is = { .shape = { .width = 2, .n = 7777 },
					   .row = 90,
					   .plane_rows = 4 * h } };
		struct buffer used = { 0 }, fresh = { 0 };

		make_field(&f, NOISY, h);
		CHECK(encode(&f, NO_LIMIT, &used) > 0);
		context_coder_release(&coder);
		codec_state_release(&codecs);
		coder = (struct context_coder){ 0 };
		codecs = (struct codec_state){ { 0 } };
		CHECK_EQ_U64(encode(&f, NO_LIMIT, &fresh), used.nbytes);
		CHECK_MEM_EQ(used.data, fresh.data, used.nbytes);
		buffer_release(&used);
		buffer_release(&fresh);
		release(&f);
	}
}

/* cost.h: exact at powers of two, monotonic, near the truth between. */
static void test_logarithms(void)
{
	struct context_logs logs;
	uint32_t before = 0;

	context_logs_init(&logs);
	for (unsigned i = 0; i < 32; i++)
		CHECK_EQ_U64(context_log2(&logs, UINT32_C(1) << i),
			     i * (uint64_t)CONTEXT_BIT);
	for (uint32_t x = 1; x < 200000; x++) {
		uint32_t log = context_log2(&logs, x), doubled;

		doubled = context_log2(&logs, 2 * x);
		CHECK(log >= before);
		CHECK_EQ_U64(doubled, log + CONTEXT_BIT);
		before = log;
	}
	/* log2(3), log2(10), log2(1000003), in units of 1 / 65536. */
	CHECK(context_log2(&logs, 3) - 103871 + 2 <= 4);
	CHECK(context_log2(&logs, 10) - 217705 + 2 <= 4);
	CHECK(context_log2(&logs, 1000003) - 1306235 + 2 <= 4);
	CHECK_EQ_U64(context_xlog2x(&logs, 0), 0);
	CHECK_EQ_U64(context_xlog2x(&logs, 1), 0);
	CHECK_EQ_U64(context_xlog2x(&logs, 8), UINT64_C(24) * CONTEXT_BIT);
}

/* All symbols that come have frequencies; sums are right. */
static void check_tables(const struct context_counts *counts)
{
	struct context_model *model = calloc(1, sizeof(*model));
	struct context_logs logs;

	context_logs_init(&logs);
	CHECK(context_tables_choose(&logs, counts, model));
	CHECK(model->ntables >= 1 && model->ntables <= CONTEXT_TABLES_MAX);
	CHECK(model->nlevels >= 1 && model->nlevels <= CONTEXT_LEVELS_MAX);
	for (unsigned i = 0; i < model->ntables; i++) {
		unsigned sum = 0;

		for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++)
			sum += model->frequencies[i][k];
		CHECK_EQ_U64(sum, CONTEXT_SUM);
	}
	for (unsigned c = 0; c < CONTEXT_CONTEXTS_MAX; c++) {
		CHECK(model->tables[c] < model->ntables);
		for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++)
			CHECK(counts->of[c][k] == 0 ||
			      (model->frequencies[model->tables[c]][k] > 0 &&
			       c / CONTEXT_LEVEL_CONTEXTS < model->nlevels));
	}
	free(model);
}

static void test_tables(void)
{
	struct context_counts *counts = calloc(1, sizeof(*counts));
	uint64_t seed = 7;

	counts->of[0][0] = 1;
	check_tables(counts);
	counts->of[CONTEXT_CONTEXTS_MAX - 1][62] = 1u << 26;
	check_tables(counts);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned c = 0; c < CONTEXT_CONTEXTS_MAX; c++)
			for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
				unsigned shift =
					(unsigned)check_random_below(&seed, 64);

				counts->of[c][k] =
					shift < 50 - round ?
						0 :
						(uint32_t)(check_random(
								   &seed) >>
							   shift) %
							1000;
			}
		check_tables(counts);
	}
	free(counts);
}

/* fit.c finds the factors that equations were made by. */
static void test_fit(void)
{
	for (unsigned n = 1; n <= CONTEXT_FIT_MAX; n++) {
		struct context_fit fit = { .count = n };
		double terms[CONTEXT_FIT_MAX + 1], factors[CONTEXT_FIT_MAX];
		uint64_t seed = n;

		for (unsigned e = 0; e < 20 * n; e++) {
			terms[n] = 0;
			for (unsigned i = 0; i < n; i++) {
				terms[i] =
					(double)check_random_below(&seed, 1000);
				terms[n] += terms[i] * ((int)i - 3.5);
			}
			context_fit_add(&fit, terms, 1.0 / (1 + e));
		}
		CHECK(context_fit_solve(&fit, factors));
		for (unsigned i = 0; i < n; i++) {
			double error = factors[i] - ((int)i - 3.5);

			CHECK(error < 1e-3 && error > -1e-3);
		}
	}
}

/* Terms that say nothing, or the same; and numbers that are none. */
static void test_fit_of_little(void)
{
	static const double same[] = { 2, 2, 8 }, none[] = { 0, 0, 0 };
	const double zero = 0.0, nan[] = { zero / zero, 1, 1 };
	struct context_fit fit = { .count = 2 };
	double factors[CONTEXT_FIT_MAX], sum;

	context_fit_add(&fit, none, 1);
	CHECK(context_fit_solve(&fit, factors));
	CHECK(!(factors[0] != 0) && !(factors[1] != 0));
	fit = (struct context_fit){ .count = 2 };
	context_fit_add(&fit, same, 1);
	if (context_fit_solve(&fit, factors)) {
		sum = factors[0] + factors[1];
		CHECK(sum > 3.99 && sum < 4.01);
	}
	fit = (struct context_fit){ .count = 2 };
	context_fit_add(&fit, nan, 1);
	CHECK(!context_fit_solve(&fit, factors));
}

static void test_round(void)
{
	const double zero = 0.0;
	int x = 77;

	CHECK(context_fit_round(2.5, 3, &x) && x == 3);
	CHECK(context_fit_round(-2.5, 3, &x) && x == -3);
	CHECK(context_fit_round(-0.4, 3, &x) && x == 0);
	x = 77;
	CHECK(!context_fit_round(3.001, 3, &x));
	CHECK(!context_fit_round(-1e300, 3, &x));
	CHECK(!context_fit_round(1 / zero, 3, &x));
	CHECK(!context_fit_round(zero / zero, 3, &x));
	CHECK(x == 77);
}

int main(void)
{
	RUN(test_round_trips);
	RUN(test_long_rows);
	RUN(test_limits);
	RUN(test_signed_bytes);
	RUN(test_fresh_coder);
	RUN(test_logarithms);
	RUN(test_tables);
	RUN(test_fit);
	RUN(test_fit_of_little);
	RUN(test_round);
	context_coder_release(&coder);
	codec_state_release(&codecs);
	return check_report();
}
