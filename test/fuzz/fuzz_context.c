/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a block in context coding, see ../context_input.h: what can be
 * decoded is decoded the same every time, from and into memory of exactly the
 * right length.  Seeds are of the decoder in Python (context_blocks.py).
 */
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "context_input.h"
#include "fuzz.h"

#define HEAD_NBYTES 5

static int decode(struct context_coder *coder, struct codec_state *codecs,
		  const struct context_input *in, const struct blob *stored,
		  uint8_t *elems)
{
	uint8_t *exact = fuzz_copy(stored->data, stored->nbytes);
	const struct codec_buffers buffers = {
		.in = exact,
		.in_nbytes = stored->nbytes,
		.out = elems,
		.out_nbytes = in->shape.n * in->shape.width,
	};
	int status = context_decode(coder, codecs, &in->shape, &buffers, NULL);

	free(exact);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	return status;
}

/* Holes hold anything. */
static bool is_same(const struct context_input *in, const uint8_t *a,
		    const uint8_t *b)
{
	const size_t width = in->shape.width;

	for (size_t i = 0; i < in->shape.n; i++)
		if (!(in->shape.holes && in->shape.holes[i]) &&
		    memcmp(a + i * width, b + i * width, width) != 0)
			return false;
	return true;
}

static void check(const struct context_input *in)
{
	const size_t nbytes = in->shape.n * in->shape.width;
	uint8_t *elems = malloc(nbytes), *again = malloc(nbytes);
	struct blob stored = context_input_store(in);
	struct context_coder coder = { 0 };
	struct codec_state codecs = { { 0 } };
	int status;

	FUZZ_CHECK(elems && again);
	memset(elems, 0, nbytes);
	memset(again, 0xa5, nbytes);
	status = decode(&coder, &codecs, in, &stored, elems);
	FUZZ_CHECK(decode(&coder, &codecs, in, &stored, again) == status);
	FUZZ_CHECK(status != NC3Z_OK || is_same(in, elems, again));
	context_coder_release(&coder);
	codec_state_release(&codecs);
	blob_release(&stored);
	free(elems);
	free(again);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct context_input in;

	if (context_input_open(&in, data, nbytes))
		check(&in);
	context_input_close(&in);
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
	.mutate = mutate,
};
