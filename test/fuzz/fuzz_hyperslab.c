/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a request for a hyperslab of a small variable: it is refused
 * when it has to be, and its pieces, cut anywhere, are the elements that
 * counting finds.  If the first byte is odd, bytes are numbers of 8 bytes
 * instead, and it is only seen that nothing goes out of bounds.
 *
 *	kind 1, then as in slab_input.h, then lengths of blocks 1 each; or
 *	form 1, rank 1, then for each dimension
 *	length, start, count, stride, imap 8 each
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "slab_input.h"

/* Windows of the blocks of a walk. */
#define BLOCKS_MAX 40

/* Block by block with one cursor, and with one for each block. */
static void check_blocks(const struct slab_input *s,
			 const struct hyperslab *slab, struct fuzz_bytes *in)
{
	struct hyperslab_cursor through, own;
	uint64_t begin = 0, at = 0;

	FUZZ_CHECK(hyperslab_seek(slab, 0, &through) ==
		   (s->elements.count > 0));
	for (unsigned i = 0; i < BLOCKS_MAX; i++) {
		uint64_t end = i + 1 < BLOCKS_MAX ? begin + fuzz_take(in) :
						    UINT64_MAX;

		FUZZ_CHECK(hyperslab_seek(slab, begin, &own) ==
			   (at < s->elements.count));
		slab_check_runs(&s->elements, &own, at, end);
		at = slab_check_runs(&s->elements, &through, at, end);
		begin = end;
	}
	FUZZ_CHECK(at == s->elements.count);
}

static void run_small(struct fuzz_bytes *in)
{
	struct slab_input *s = calloc(1, sizeof(*s));
	struct hyperslab slab;
	bool is_valid;

	FUZZ_CHECK(s);
	slab_input_take(s, in);
	is_valid = hyperslab_check(&s->request) == HYPERSLAB_OK;
	FUZZ_CHECK(is_valid == s->is_valid);
	if (is_valid) {
		FUZZ_CHECK(hyperslab_init(&slab, &s->request, NULL) == NC3Z_OK);
		FUZZ_CHECK(slab.nelems == s->elements.count);
		check_blocks(s, &slab, in);
	}
	free(s);
}

static uint64_t take64(struct fuzz_bytes *in)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = fuzz_take(in);
	return load_le64(bytes);
}

/* Some pieces from here and there ascend, inside of the slab. */
static void walk_large(const struct hyperslab *slab)
{
	uint64_t places[] = {
		0,
		slab->in_first + (slab->in_last - slab->in_first) / 3,
		slab->in_last,
	};
	struct hyperslab_cursor cursor;
	struct hyperslab_run piece;

	FUZZ_CHECK(slab->in_first <= slab->in_last &&
		   slab->in_last < INT64_MAX);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t last = 0;

		FUZZ_CHECK(hyperslab_seek(slab, places[i], &cursor));
		for (int n = 0; n < 20; n++) {
			if (!hyperslab_next_run(&cursor, UINT64_MAX, &piece))
				break;
			FUZZ_CHECK(piece.in_first >= places[i] &&
				   (n == 0 || piece.in_first > last));
			last = piece.in_first +
			       (piece.nelems - 1) * piece.in_step;
			FUZZ_CHECK(last <= slab->in_last);
		}
	}
	FUZZ_CHECK(!hyperslab_seek(slab, slab->in_last + 1, &cursor));
}

static void run_large(struct fuzz_bytes *in)
{
	struct slab_input s = { 0 };
	struct hyperslab slab;
	int status;

	s.request = (struct hyperslab_request){
		.form = (enum hyperslab_form)(fuzz_take(in) % 5),
		.rank = fuzz_take(in) % (SLAB_RANK_MAX + 1),
		.shape = s.shape,
		.start = s.start,
		.count = s.count,
		.stride = s.stride,
		.imap = s.imap,
	};
	for (size_t k = 0; k < s.request.rank; k++) {
		s.shape[k] = take64(in);
		s.start[k] = (size_t)take64(in);
		s.count[k] = (size_t)take64(in);
		s.stride[k] = (ptrdiff_t)take64(in);
		s.imap[k] = (ptrdiff_t)take64(in);
	}
	if (hyperslab_check(&s.request) != HYPERSLAB_OK)
		return;
	status = hyperslab_init(&slab, &s.request, NULL);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ELIMIT);
	if (status == NC3Z_OK && slab.nelems > 0)
		walk_large(&slab);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };

	if (fuzz_take(&in) % 2)
		run_large(&in);
	else
		run_small(&in);
}

/* A large number, most times one that others may be compared with. */
static uint64_t random_large(uint64_t *state, uint64_t limit)
{
	unsigned shift = (unsigned)fuzz_random_below(state, 64);

	if (limit > 0 && fuzz_random_below(state, 4) > 0)
		return fuzz_random(state) % limit;
	return fuzz_random(state) >> shift;
}

/* Numbers that often go together. */
static size_t make_large(uint64_t *state, uint8_t *out)
{
	size_t rank = (size_t)fuzz_random_below(state, SLAB_RANK_MAX + 1);

	out[0] = 1;
	out[1] = (uint8_t)fuzz_random(state);
	out[2] = (uint8_t)rank;
	for (size_t k = 0; k < rank; k++) {
		uint8_t *dim = out + 3 + 40 * k;
		uint64_t length = random_large(state, 0);
		uint64_t start = random_large(state, length);
		uint64_t stride = 1 + fuzz_random(state) %
					      (UINT64_C(1)
					       << fuzz_random_below(state, 32));

		store_le64(dim, length);
		store_le64(dim + 8, start);
		store_le64(dim + 16,
			   random_large(state, (length - start) / stride));
		store_le64(dim + 24, stride);
		store_le64(dim + 32, random_large(state, 0));
	}
	return 3 + 40 * rank;
}

/* Nothing of the file but its length: other files, other requests. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 97 * file_nbytes;
	size_t nbytes = 1 + 3 + 5 * SLAB_RANK_MAX + BLOCKS_MAX;

	(void)file;
	if (room.nbytes < 3 + 40 * SLAB_RANK_MAX)
		return 0;
	if (fuzz_random_below(&state, 4) == 0)
		return make_large(&state, room.data);
	for (size_t i = 0; i < nbytes; i++)
		room.data[i] = (uint8_t)fuzz_random(&state);
	room.data[0] &= 0xfe;
	/* Mostly valid ones. */
	if (fuzz_random_below(&state, 4) > 0)
		room.data[2] |= 32;
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
