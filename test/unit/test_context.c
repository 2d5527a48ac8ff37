/* SPDX-License-Identifier: MIT */
/*
 * lib/context/decode.c.  Oracle: the independent decoder in Python, which made
 * the blocks of CONTEXT_VECTORS and says what they hold; and what is damaged is
 * refused, or decodes to something.
 *
 *	test_context VECTORS
 */
#include "base/bytes.h"
#include "check.h"
#include "context/context.h"
#include "context_input.h"
#include "pipes.h"

static struct context_coder coder;
static struct codec_state codecs;
static struct blob vectors;

static uint64_t elem_at(const void *elems, unsigned width, size_t i)
{
	return width == 1 ? ((const uint8_t *)elems)[i] :
	       width == 2 ? ((const uint16_t *)elems)[i] :
	       width == 4 ? ((const uint32_t *)elems)[i] :
			    ((const uint64_t *)elems)[i];
}

/*
 * Decodes from memory of just the right size into such; the status.  Elements
 * must be those wanted, little-endian numbers of 8 bytes, where there are any.
 */
static int decode(const struct filter_elems *shape, const struct blob *stored,
		  const uint8_t *wanted)
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
		nwrong += !(shape->holes && shape->holes[i]) &&
			  elem_at(out, shape->width, i) !=
				  load_le64(wanted + 8 * i);
	CHECK_EQ_U64(nwrong, 0);
	free(out);
	free(in);
	return status;
}

/* Opens the vector at '*at' and moves past it; NULL at the end. */
static const uint8_t *next_vector(size_t *at, struct context_input *in)
{
	const uint8_t *p = vectors.data + *at;
	size_t nbytes;

	if (*at == vectors.nbytes)
		return NULL;
	nbytes = load_le32(p);
	CHECK(context_input_open(in, p + 4, nbytes));
	*at += 4 + nbytes + 8 * in->shape.n;
	return p + 4 + nbytes;
}

static void test_vectors(void)
{
	struct context_input in;
	const uint8_t *elems;
	size_t at = 0, count = 0;

	for (; (elems = next_vector(&at, &in)); count++) {
		struct blob stored = context_input_store(&in);

		CHECK(decode(&in.shape, &stored, elems) == NC3Z_OK);
		blob_release(&stored);
		context_input_close(&in);
	}
	CHECK(count > 150);
}

static int decode_input(const struct context_input *in)
{
	struct blob stored = context_input_store(in);
	int status = decode(&in->shape, &stored, NULL);

	blob_release(&stored);
	return status;
}

/* Each byte of a piece changed, and each length that is too short or long. */
static void change_piece(const struct context_input *in, struct blob *piece)
{
	const size_t nbytes = piece->nbytes;

	for (size_t i = 0; i < nbytes; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			piece->data[i] ^= (uint8_t)(1u << bit);
			decode_input(in);
			piece->data[i] ^= (uint8_t)(1u << bit);
		}
	for (piece->nbytes = 0; piece->nbytes < nbytes; piece->nbytes++)
		CHECK(decode_input(in) == NC3Z_EDAMAGED);
	blob_fill(piece, 0, 1);
	CHECK(decode_input(in) == NC3Z_EDAMAGED);
	piece->nbytes = nbytes;
}

/* What is stored, cut anywhere, and fields of lanes at their limits. */
static void change_lanes(struct context_input *in)
{
	static const uint32_t values[] = { 0,          1,         65535,
					   65536,      65537,     0x7fffffff,
					   0x80000000, 0xffffffff };
	struct blob stored = context_input_store(in);
	const size_t nbytes = stored.nbytes;

	for (size_t at = 0; at < 48; at += 4) {
		uint32_t before = load_le32(in->lanes.data + at);

		for (unsigned i = 0; i < 8; i++) {
			store_le32(in->lanes.data + at, values[i]);
			CHECK(decode_input(in) == NC3Z_EDAMAGED ||
			      values[i] == before || at % 12 == 0);
		}
		store_le32(in->lanes.data + at, before);
	}
	for (stored.nbytes = 0; stored.nbytes < nbytes; stored.nbytes++)
		CHECK(decode(&in->shape, &stored, NULL) == NC3Z_EDAMAGED);
	blob_release(&stored);
}

static void test_changed(void)
{
	struct context_input in;
	size_t at = 0, count = 0;

	while (next_vector(&at, &in)) {
		if (in.shape.n <= 150 && in.model.nbytes < 500 && count < 8) {
			change_piece(&in, &in.model);
			change_piece(&in, &in.lanes);
			change_lanes(&in);
			count++;
		}
		context_input_close(&in);
	}
	CHECK_EQ_U64(count, 8);
}

/* By hand: all elements are the base. */
static void make_flat(struct context_input *in, size_t n, uint32_t row,
		      uint32_t plane_rows)
{
	const struct context_wish wish = { n, row, plane_rows, 2, 1, 1 };

	*in = (struct context_input){
		.shape = { .width = 2, .n = n, .nkept = n }
	};
	context_model_make(&wish, &in->model);
	context_lanes_make(&in->lanes);
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
	struct context_input in;
	struct blob stored = { 0 };

	make_flat(&in, 150, 17, 0);
	CHECK(decode_input(&in) == NC3Z_OK);
	blob_le(&stored, sizeof(unsized), 4);
	blob_put(&stored, unsized, sizeof(unsized));
	blob_put(&stored, in.lanes.data, in.lanes.nbytes);
	CHECK(decode(&in.shape, &stored, NULL) == NC3Z_EDAMAGED);
	stored.nbytes = 0;
	blob_le(&stored, sizeof(huge), 4);
	blob_put(&stored, huge, sizeof(huge));
	blob_put(&stored, in.lanes.data, in.lanes.nbytes);
	CHECK(decode(&in.shape, &stored, NULL) == NC3Z_EDAMAGED);
	/* Not even one row. */
	in.shape.n = in.shape.nkept = 15;
	CHECK(decode_input(&in) == NC3Z_EDAMAGED);
	in.shape.n = in.shape.nkept = 0;
	CHECK(decode_input(&in) == NC3Z_EDAMAGED);
	blob_release(&stored);
	context_input_close(&in);
}

/* Working memory grows with the elements, whatever rows there are. */
static void test_memory(void)
{
	static const uint32_t planes[] = { 0, 1, 3, 1u << 31 };
	const size_t n = 1 << 19;
	struct blob wanted = { 0 };

	for (size_t i = 0; i < n; i++)
		blob_le(&wanted, CONTEXT_MODEL_BASE, 8);
	for (unsigned r = 0; r < 4; r++)
		for (unsigned h = 0; h < 4; h++) {
			const uint32_t rows[] = { 16, 17, n / 2 + 1, n };
			struct context_input in;
			struct blob stored;

			context_coder_release(&coder);
			coder = (struct context_coder){ 0 };
			make_flat(&in, n, rows[r], planes[h]);
			stored = context_input_store(&in);
			CHECK(decode(&in.shape, &stored, wanted.data) ==
			      NC3Z_OK);
			CHECK(context_coder_nbytes(&coder) < 16 * n + 1000000);
			blob_release(&stored);
			context_input_close(&in);
		}
	blob_release(&wanted);
}

int main(int argc, char **argv)
{
	if (!CHECK(argc == 2 && file_read(argv[1], &vectors)))
		return check_report();
	RUN(test_vectors);
	RUN(test_changed);
	RUN(test_frames);
	RUN(test_memory);
	context_coder_release(&coder);
	codec_state_release(&codecs);
	blob_release(&vectors);
	return check_report();
}
