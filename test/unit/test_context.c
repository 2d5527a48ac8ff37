/* SPDX-License-Identifier: MIT */
/*
 * lib/context/decode.c.  Oracle: the specification's own definition, element by
 * element, for models and lanes at random; the same verdict and the same
 * elements, also of blocks that are changed or cut anywhere.
 */
#include "check.h"
#include "context/context.h"
#include "promises/context_maker.h"

static struct context_coder coder;
static struct codec_state codecs;

/* A block in its pieces, and what it holds. */
struct block {
	struct context_wish wish;
	uint8_t *holes;
	struct blob model, lanes;
	uint64_t *elems;
};

static uint64_t elem_at(const void *elems, unsigned width, size_t i)
{
	return width == 1 ? ((const uint8_t *)elems)[i] :
	       width == 2 ? ((const uint16_t *)elems)[i] :
	       width == 4 ? ((const uint32_t *)elems)[i] :
			    ((const uint64_t *)elems)[i];
}

static bool is_hole(const struct filter_elems *shape, size_t i)
{
	return shape->holes && shape->holes[i];
}

/*
 * Decodes from memory of just the right size into such; the status.  Elements
 * must be those wanted, where there are any.
 */
static int decode(const struct filter_elems *shape, const struct blob *stored,
		  const uint64_t *wanted)
{
	const size_t nbytes = shape->n * shape->width;
	uint8_t *in = copy_exactly(stored->data, stored->nbytes);
	void *out = malloc(nbytes);
	const struct codec_buffers buffers = {
		.in = in,
		.in_nbytes = stored->nbytes,
		.out = out,
		.out_nbytes = nbytes,
	};
	struct nc3z_error err = { 0 };
	int status = context_decode(&coder, &codecs, shape, &buffers, &err);
	size_t nwrong = 0;

	CHECK(err.status == status);
	CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	for (size_t i = 0; status == NC3Z_OK && wanted && i < shape->n; i++)
		nwrong += !is_hole(shape, i) &&
			  elem_at(out, shape->width, i) != wanted[i];
	CHECK_EQ_U64(nwrong, 0);
	free(out);
	free(in);
	return status;
}

/* No holes, some, or all but one; none in every third block. */
static void make_holes(struct block *b, uint64_t *seed)
{
	struct filter_elems *shape = &b->wish.shape;
	uint64_t kind = check_random_below(seed, 4), last = 0;

	shape->nkept = shape->n;
	if (kind == 0)
		return;
	b->holes = malloc(shape->n);
	for (size_t i = 0; i < shape->n; i++) {
		if (kind == 1 || check_random_below(seed, 9) == 0)
			last = check_random_below(seed, 2);
		b->holes[i] = kind == 3 ? 1 : (uint8_t)last;
	}
	b->holes[check_random_below(seed, shape->n)] = 0;
	for (size_t i = 0; i < shape->n; i++)
		shape->nkept -= b->holes[i];
	shape->holes = b->holes;
}

/* What the wish leaves open is at random. */
static void make_block(struct block *b, uint64_t *seed)
{
	struct context_wish *wish = &b->wish;

	wish->shape.width = (uint8_t)(1u << check_random_below(seed, 4));
	wish->npredictors = (uint8_t)(1 + check_random_below(seed, 16));
	wish->ntables = (uint8_t)(1 + check_random_below(seed, 32));
	wish->nlevels = (uint8_t)(1 + check_random_below(seed, 48));
	wish->is_wild = check_random_below(seed, 2) == 0;
	make_holes(b, seed);
	b->elems = calloc(wish->shape.n, sizeof(*b->elems));
	context_make_model(wish, check_random, seed, &b->model);
	CHECK(context_make_lanes(&b->model, &wish->shape, check_random, seed,
				 &b->lanes, b->elems) == NULL);
}

static void release(struct block *b)
{
	blob_release(&b->model);
	blob_release(&b->lanes);
	free(b->elems);
	free(b->holes);
}

static struct blob store(const struct block *b)
{
	struct blob stored = { 0 };

	context_make_stored(b->model.data, b->model.nbytes, b->lanes.data,
			    b->lanes.nbytes, &stored);
	return stored;
}

static void check_block(size_t n, uint32_t row, uint32_t plane_rows,
			uint64_t seed)
{
	struct block b = {
		.wish = { .shape.n = n, .row = row, .plane_rows = plane_rows }
	};
	uint64_t *again = malloc(n * sizeof(*again));
	struct blob stored;

	make_block(&b, &seed);
	stored = store(&b);
	CHECK(context_define_stored(stored.data, stored.nbytes, &b.wish.shape,
				    again) == NULL);
	CHECK_MEM_EQ(again, b.elems, n * sizeof(*again));
	CHECK(decode(&b.wish.shape, &stored, b.elems) == NC3Z_OK);
	blob_release(&stored);
	free(again);
	release(&b);
}

/* Rows and planes of all kinds, with spans of rows that are cut anywhere. */
static void test_shapes(void)
{
	static const uint32_t rows[] = { 16,   17,   31,   33,   100,
					 2047, 2048, 2049, 4097, 6200 };
	static const uint32_t planes[] = { 0, 1, 2, 3, 5, 7, 8, 9, 17, 70000 };

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		for (size_t h = 0; h < sizeof(planes) / sizeof(*planes); h++)
			for (size_t nrows = 1; nrows <= 4096 / rows[r] + 3;
			     nrows = nrows < 11 ? nrows + 1 : nrows * 2) {
				check_block(nrows * rows[r], rows[r], planes[h],
					    nrows + 7 * h);
				if (nrows > 1)
					check_block(nrows * rows[r] -
							    rows[r] / 3,
						    rows[r], planes[h], nrows);
			}
}

static void test_random_blocks(void)
{
	uint64_t seed = 5;

	for (unsigned i = 0; i < 1500; i++) {
		size_t n = 16 + check_random_below(&seed, 1200);
		uint32_t row =
			(uint32_t)(16 + check_random_below(&seed, n - 15));
		uint32_t plane_rows = (uint32_t)check_random_below(&seed, 12);

		if (row > 64 && i % 4 != 0)
			row = 16 + row % 48;
		check_block(n, row <= n ? row : (uint32_t)n, plane_rows,
			    check_random(&seed));
	}
}

/* The verdict on changed bytes is that of the definition. */
static void check_changed(const struct block *b, const struct blob *model,
			  const struct blob *lanes)
{
	const struct filter_elems *shape = &b->wish.shape;
	uint64_t *wanted = calloc(shape->n, sizeof(*wanted));
	const char *wrong = context_define_lanes(model->data, model->nbytes,
						 lanes->data, lanes->nbytes,
						 shape, wanted);
	struct blob stored = { 0 };

	context_make_stored(model->data, model->nbytes, lanes->data,
			    lanes->nbytes, &stored);
	CHECK_EQ_U64((unsigned)decode(shape, &stored, wrong ? NULL : wanted),
		     (unsigned)(wrong ? NC3Z_EDAMAGED : NC3Z_OK));
	blob_release(&stored);
	free(wanted);
}

/* A block that is small, without holes if 'plane_rows' is 0. */
static void make_small(struct block *b, uint32_t plane_rows, uint64_t seed)
{
	*b = (struct block){
		.wish = { .shape.n = 150, .row = 17, .plane_rows = plane_rows }
	};
	do {
		release(b);
		b->model = b->lanes = (struct blob){ 0 };
		b->elems = NULL;
		b->holes = NULL;
		b->wish.shape.holes = NULL;
		make_block(b, &seed);
	} while (b->wish.ntables > 4 || (!plane_rows && b->holes));
}

/* Each byte of a piece changed, and each length that is too short or long. */
static void change_piece(const struct block *b, struct blob *piece)
{
	const size_t nbytes = piece->nbytes;

	for (size_t i = 0; i < nbytes; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			piece->data[i] ^= (uint8_t)(1u << bit);
			check_changed(b, &b->model, &b->lanes);
			piece->data[i] ^= (uint8_t)(1u << bit);
		}
	for (piece->nbytes = 0; piece->nbytes < nbytes; piece->nbytes++)
		check_changed(b, &b->model, &b->lanes);
	blob_fill(piece, 0, 1);
	check_changed(b, &b->model, &b->lanes);
	piece->nbytes = nbytes;
	check_changed(b, &b->model, &b->lanes);
}

static void test_changed_bytes(void)
{
	for (uint32_t plane_rows = 0; plane_rows < 5; plane_rows += 2) {
		struct block b;

		make_small(&b, plane_rows, plane_rows + 3);
		change_piece(&b, &b.model);
		change_piece(&b, &b.lanes);
		release(&b);
	}
}

/* What is stored, changed and cut anywhere, the frame of the model included. */
static void test_changed_stored(void)
{
	struct block b;
	struct blob stored;
	uint64_t *elems;
	size_t nbytes;

	make_small(&b, 3, 11);
	stored = store(&b);
	nbytes = stored.nbytes;
	elems = calloc(b.wish.shape.n, sizeof(*elems));
	for (size_t i = 0; i < nbytes; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			const char *wrong;

			stored.data[i] ^= (uint8_t)(1u << bit);
			wrong = context_define_stored(stored.data, nbytes,
						      &b.wish.shape, elems);
			/* Frames of earlier versions of zstd are none here. */
			if (decode(&b.wish.shape, &stored, elems) == NC3Z_OK)
				CHECK(wrong == NULL);
			stored.data[i] ^= (uint8_t)(1u << bit);
		}
	for (stored.nbytes = 0; stored.nbytes < nbytes; stored.nbytes++)
		CHECK(decode(&b.wish.shape, &stored, NULL) == NC3Z_EDAMAGED);
	blob_fill(&stored, 0, 1);
	CHECK(decode(&b.wish.shape, &stored, NULL) == NC3Z_EDAMAGED);
	stored.nbytes = nbytes;
	CHECK(decode(&b.wish.shape, &stored, b.elems) == NC3Z_OK);
	blob_release(&stored);
	free(elems);
	release(&b);
}

/* A number of 32 bits in the head of a lane, for another one. */
static void check_lane_field(const struct block *b, unsigned lane,
			     unsigned field, uint32_t value)
{
	uint8_t *at = b->lanes.data + 12 * lane + 4 * field, before[4];

	memcpy(before, at, 4);
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
	check_changed(b, &b->model, &b->lanes);
	memcpy(at, before, 4);
}

static void test_lane_fields(void)
{
	static const uint32_t values[] = { 0,          1,         65535,
					   65536,      65537,     0x7fffffff,
					   0x80000000, 0xffffffff };
	struct block b;

	make_small(&b, 0, 23);
	for (unsigned lane = 0; lane < 4; lane++)
		for (unsigned field = 0; field < 3; field++)
			for (unsigned i = 0; i < 8; i++)
				check_lane_field(&b, lane, field, values[i]);
	release(&b);
}

/* A frame that does not state its length, or states too large a one. */
static void test_frames(void)
{
	/* A frame of 4 bytes that has no content size, and one of 2^32. */
	static const uint8_t unsized[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00,
					   0x58, 0x21, 0x00, 0x00, 1,
					   2,    3,    4 };
	static const uint8_t huge[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0,
					0,    0,    0,    1,    0,    0,
					0,    0x01, 0,    0 };
	struct block b;
	struct blob stored = { 0 };

	make_small(&b, 0, 29);
	blob_le(&stored, sizeof(unsized), 4);
	blob_put(&stored, unsized, sizeof(unsized));
	blob_put(&stored, b.lanes.data, b.lanes.nbytes);
	CHECK(decode(&b.wish.shape, &stored, NULL) == NC3Z_EDAMAGED);
	stored.nbytes = 0;
	blob_le(&stored, sizeof(huge), 4);
	blob_put(&stored, huge, sizeof(huge));
	blob_put(&stored, b.lanes.data, b.lanes.nbytes);
	CHECK(decode(&b.wish.shape, &stored, NULL) == NC3Z_EDAMAGED);
	/* Not even one row. */
	stored.nbytes = 0;
	context_make_stored(b.model.data, b.model.nbytes, b.lanes.data,
			    b.lanes.nbytes, &stored);
	b.wish.shape.n = b.wish.shape.nkept = 15;
	CHECK(decode(&b.wish.shape, &stored, NULL) == NC3Z_EDAMAGED);
	b.wish.shape.n = b.wish.shape.nkept = 0;
	CHECK(decode(&b.wish.shape, &stored, NULL) == NC3Z_EDAMAGED);
	blob_release(&stored);
	release(&b);
}

/* Working memory grows with the elements, whatever rows there are. */
static void test_memory(void)
{
	static const uint32_t planes[] = { 0, 1, 3, 1u << 31 };
	const size_t n = 1 << 19;

	for (unsigned r = 0; r < 4; r++)
		for (unsigned h = 0; h < 4; h++) {
			const uint32_t rows[] = { 16, 17, n / 2 + 1, n };

			context_coder_release(&coder);
			coder = (struct context_coder){ 0 };
			check_block(n, rows[r], planes[h], r + 4 * h);
			CHECK(context_coder_nbytes(&coder) < 16 * n + 1000000);
		}
}

int main(void)
{
	RUN(test_shapes);
	RUN(test_random_blocks);
	RUN(test_changed_bytes);
	RUN(test_changed_stored);
	RUN(test_lane_fields);
	RUN(test_frames);
	RUN(test_memory);
	context_coder_release(&coder);
	codec_state_release(&codecs);
	return check_report();
}
