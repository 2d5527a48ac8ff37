/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a block in context coding:
 *
 *	flags 1, elements 2, length of the model 2, seed 1, model, lanes
 *
 * The model is not compressed, so that changes reach it; the frame is made
 * here.  Flags: 2 bits for the width, HOLES at random by the seed, LANES: for
 * a valid model the lanes are made, too, by the seed.  Verdict and elements are
 * those of the definition; what was decoded is encoded again and comes back.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "context/context.h"
#include "fuzz.h"
#include "promises/context_maker.h"

#define HEAD_NBYTES 6
#define HOLES 4
#define LANES 8
#define NELEMS_MAX 8192
/* Where rows and planes are in a model. */
#define ROW_AT 8

struct input {
	struct filter_elems shape;
	uint8_t *holes;
	struct blob model, lanes;
	uint64_t *elems; /* by the definition, if nothing is wrong */
	const char *wrong;
};

static void make_holes(struct input *in, uint64_t seed)
{
	in->holes = calloc(in->shape.n, 1);
	FUZZ_CHECK(in->holes);
	for (size_t i = 0; i < in->shape.n; i++)
		in->holes[i] = i > 0 && fuzz_random_below(&seed, 4) > 0 ?
				       in->holes[i - 1] :
				       (uint8_t)fuzz_random_below(&seed, 2);
	in->holes[fuzz_random_below(&seed, in->shape.n)] = 0;
	in->shape.nkept = 0;
	for (size_t i = 0; i < in->shape.n; i++)
		in->shape.nkept += !in->holes[i];
	in->shape.holes = in->holes;
}

static bool open_input(const uint8_t *data, size_t nbytes, struct input *in)
{
	size_t model_nbytes, left;
	uint64_t seed;

	if (nbytes < HEAD_NBYTES)
		return false;
	left = nbytes - HEAD_NBYTES;
	model_nbytes = load_le16(data + 3);
	if (model_nbytes > left)
		model_nbytes = left;
	seed = data[5];
	*in = (struct input){ 0 };
	in->shape.width = (uint8_t)(1u << data[0] % 4);
	in->shape.n = 1 + load_le16(data + 1) % NELEMS_MAX;
	in->shape.nkept = in->shape.n;
	if (data[0] & HOLES)
		make_holes(in, seed);
	in->elems = calloc(in->shape.n, sizeof(*in->elems));
	FUZZ_CHECK(in->elems);
	blob_put(&in->model, data + HEAD_NBYTES, model_nbytes);
	if (data[0] & LANES) {
		in->wrong = context_make_lanes(&in->model, &in->shape,
					       fuzz_random, &seed, &in->lanes,
					       in->elems);
		return true;
	}
	blob_put(&in->lanes, data + HEAD_NBYTES + model_nbytes,
		 left - model_nbytes);
	in->wrong = context_define_lanes(in->model.data, in->model.nbytes,
					 in->lanes.data, in->lanes.nbytes,
					 &in->shape, in->elems);
	return true;
}

static void close_input(struct input *in)
{
	free(in->holes);
	free(in->elems);
	blob_release(&in->model);
	blob_release(&in->lanes);
}

static uint64_t elem_at(const uint8_t *elems, unsigned width, size_t i)
{
	uint64_t x = 0;

	memcpy(&x, elems + i * width, width);
	return width == 1 ? elems[i] :
	       width == 2 ? ((const uint16_t *)(const void *)elems)[i] :
	       width == 4 ? ((const uint32_t *)(const void *)elems)[i] :
			    x;
}

/* Decodes from and into memory of exactly the right length. */
static int decode(struct context_coder *coder, struct codec_state *codecs,
		  const struct input *in, const uint8_t *stored, size_t nbytes,
		  uint8_t *elems)
{
	const struct filter_elems *shape = &in->shape;
	uint8_t *exact = fuzz_copy(stored, nbytes);
	const struct codec_buffers buffers = {
		.in = exact,
		.in_nbytes = nbytes,
		.out = elems,
		.out_nbytes = shape->n * shape->width,
	};
	int status = context_decode(coder, codecs, shape, &buffers, NULL);

	free(exact);
	for (size_t i = 0; status == NC3Z_OK && i < shape->n; i++)
		FUZZ_CHECK((in->holes && in->holes[i]) ||
			   elem_at(elems, shape->width, i) == in->elems[i]);
	return status;
}

/* Elements by the rows and planes of the model, encoded. */
static void check_again(struct context_coder *coder, struct codec_state *codecs,
			const struct input *in, uint8_t *elems)
{
	const size_t nbytes = in->shape.n * in->shape.width;
	uint8_t *copy = fuzz_copy(elems, nbytes);
	const struct context_field field = {
		.shape = in->shape,
		.elems = copy,
		.row = load_le32(in->model.data + ROW_AT),
		.plane_rows = load_le32(in->model.data + ROW_AT + 4),
	};
	struct buffer out = { 0 };

	FUZZ_CHECK(context_encode(coder, codecs, &field, (size_t)1 << 24, &out,
				  NULL) == NC3Z_OK);
	memset(elems, 0x5a, nbytes);
	if (out.nbytes > 0)
		FUZZ_CHECK(decode(coder, codecs, in, out.data, out.nbytes,
				  elems) == NC3Z_OK);
	buffer_release(&out);
	free(copy);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct context_coder coder = { 0 };
	struct codec_state codecs = { { 0 } };
	struct blob stored = { 0 };
	struct input in;
	uint8_t *elems;
	int wanted;

	if (!open_input(data, nbytes, &in))
		return;
	wanted = in.wrong ? NC3Z_EDAMAGED : NC3Z_OK;
	elems = malloc(in.shape.n * in.shape.width);
	FUZZ_CHECK(elems);
	context_make_stored(in.model.data, in.model.nbytes, in.lanes.data,
			    in.lanes.nbytes, &stored);
	for (unsigned i = 0; i < 2; i++) {
		memset(elems, (int)(0xa5 * i), in.shape.n * in.shape.width);
		FUZZ_CHECK(decode(&coder, &codecs, &in, stored.data,
				  stored.nbytes, elems) == wanted);
	}
	if (wanted == NC3Z_OK)
		check_again(&coder, &codecs, &in, elems);
	context_coder_release(&coder);
	codec_state_release(&codecs);
	blob_release(&stored);
	free(elems);
	close_input(&in);
}

/* A model at random; the file plays no part but by its length. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed ^ file_nbytes;
	size_t n = 16 + fuzz_random_below(&state, 2000), nbytes;
	uint8_t flags = (uint8_t)(fuzz_random(&state) % 16);
	struct context_wish wish = {
		.shape = { .width = (uint8_t)(1u << flags % 4), .n = n },
		.row = 16 + (uint32_t)fuzz_random_below(&state,
							n < 80 ? n - 15 : 60),
		.plane_rows = (uint32_t)fuzz_random_below(&state, 9),
		.npredictors = (uint8_t)(1 + fuzz_random_below(&state, 16)),
		.ntables = (uint8_t)(1 + fuzz_random_below(&state, 32)),
		.nlevels = (uint8_t)(1 + fuzz_random_below(&state, 48)),
		.is_wild = fuzz_random_below(&state, 2) == 0,
	};
	struct input in;
	struct blob model = { 0 };

	(void)file;
	context_make_model(&wish, fuzz_random, &state, &model);
	nbytes = HEAD_NBYTES + model.nbytes;
	if (nbytes <= room.nbytes) {
		room.data[0] = flags | LANES;
		store_le16(room.data + 1, (uint16_t)(n - 1));
		store_le16(room.data + 3, (uint16_t)model.nbytes);
		room.data[5] = (uint8_t)seed;
		memcpy(room.data + HEAD_NBYTES, model.data, model.nbytes);
	}
	blob_release(&model);
	if (nbytes > room.nbytes || flags & LANES)
		return nbytes <= room.nbytes ? nbytes : 0;
	/* The lanes that are made become part of the input. */
	FUZZ_CHECK(open_input(room.data, nbytes, &in) && !in.wrong);
	room.data[0] = flags;
	if (in.lanes.nbytes <= room.nbytes - nbytes) {
		memcpy(room.data + nbytes, in.lanes.data, in.lanes.nbytes);
		nbytes += in.lanes.nbytes;
	}
	close_input(&in);
	return nbytes;
}

/* Changes a byte of the model or of the lanes, most times: lengths stay. */
static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	if (seed % 4 == 0 || nbytes <= HEAD_NBYTES)
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	LLVMFuzzerMutate(room.data + HEAD_NBYTES, nbytes - HEAD_NBYTES,
			 nbytes - HEAD_NBYTES);
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
