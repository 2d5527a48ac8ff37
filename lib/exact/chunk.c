/* SPDX-License-Identifier: MIT */
#include "exact/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/sizes.h"
#include "filter/filter.h"

/* Elements of a variable from one index of a dimension to the next. */
static uint64_t step_of(const struct exact_variable *v, size_t k)
{
	uint64_t step = 1;

	while (++k < v->rank)
		step *= v->lengths[k];
	return step;
}

void chunk_box_of(const struct exact_variable *v, uint64_t number,
		  struct chunk_box *box)
{
	uint64_t step = 1;

	box->first = box->last = 0;
	for (size_t k = v->rank; k-- > 0;) {
		uint64_t n = exact_chunks_along(v, k);

		box->start[k] = number % n * v->chunks[k];
		box->count[k] =
			size_min(v->chunks[k], v->lengths[k] - box->start[k]);
		box->first += box->start[k] * step;
		box->last += (box->start[k] + box->count[k] - 1) * step;
		number /= n;
		step *= v->lengths[k];
	}
}

/*
 * Along the first dimension in which both elements differ there may be several
 * chunks, along those before it there is one.
 */
void chunk_visit(const struct exact_variable *v, uint64_t first, uint64_t last,
		 bool (*visit)(void *context, uint64_t number), void *context)
{
	uint64_t low = 0, high = 0, inner = 1;
	size_t k = 0;

	for (; k < v->rank; k++) {
		uint64_t step = step_of(v, k), n = exact_chunks_along(v, k);
		uint64_t a = first / step, b = last / step;

		low = low * n + a / v->chunks[k];
		high = high * n + b / v->chunks[k];
		first %= step;
		last %= step;
		if (a != b)
			break;
	}
	while (++k < v->rank)
		inner *= exact_chunks_along(v, k);
	for (uint64_t i = low * inner; i < (high + 1) * inner; i++)
		if (!visit(context, i))
			return;
}

/* How many of the last dimensions a chunk has whole, at most all but one. */
static size_t count_whole(const struct exact_variable *v)
{
	size_t n = 0;

	while (n + 1 < v->rank &&
	       v->chunks[v->rank - 1 - n] == v->lengths[v->rank - 1 - n])
		n++;
	return n;
}

/* Runs of a chunk that lie together in the variable, and the wanted bytes. */
struct copying {
	const struct exact_variable *v;
	struct chunk_box box;
	size_t nouter;       /* dimensions that are stepped through */
	uint64_t run_nbytes; /* of the others together */
	const uint8_t *raw;
	uint64_t at;
	uint8_t *out;
	size_t nbytes;
};

/* Copies one run, given where it begins in the variable and in the chunk. */
static void copy_run(const struct copying *c, uint64_t begin, uint64_t in_chunk)
{
	uint64_t from = size_max(begin, c->at);
	uint64_t to = size_min(begin + c->run_nbytes, c->at + c->nbytes);

	if (from < to)
		memcpy(c->out + (from - c->at),
		       c->raw + in_chunk + from - begin, (size_t)(to - from));
}

static void copy_runs(const struct copying *c, size_t k, uint64_t element,
		      uint64_t in_chunk)
{
	const struct exact_variable *v = c->v;
	uint64_t step = step_of(v, k), chunk_step = 1, low = 0,
		 high = c->box.count[k];

	if (k == c->nouter) {
		copy_run(c, (element + c->box.start[k] * step) * v->width,
			 in_chunk * v->width);
		return;
	}
	for (size_t j = k + 1; j < v->rank; j++)
		chunk_step *= v->chunks[j];
	if (k == 0) {
		uint64_t first = c->at / v->width / step;
		uint64_t last = (c->at + c->nbytes - 1) / v->width / step;

		low = first - size_min(first, c->box.start[0]);
		high = size_min(high,
				last + 1 - size_min(last + 1, c->box.start[0]));
	}
	for (uint64_t i = low; i < high; i++)
		copy_runs(c, k + 1, element + (c->box.start[k] + i) * step,
			  in_chunk + i * chunk_step);
}

void chunk_copy(const struct exact_variable *v, uint64_t number,
		const uint8_t *raw, uint64_t at, uint8_t *out, size_t nbytes)
{
	struct copying c = {
		.v = v,
		.raw = raw,
		.at = at,
		.out = out,
		.nbytes = nbytes,
	};

	chunk_box_of(v, number, &c.box);
	c.nouter = v->rank - 1 - count_whole(v);
	c.run_nbytes = c.box.count[c.nouter] * step_of(v, c.nouter) * v->width;
	copy_runs(&c, 0, 0, 0);
}

static const struct filter_chain shuffle = {
	.nsteps = 1,
	.steps = { { .id = NC3Z_FILTER_SHUFFLE } }
};

/* What deflate gets. */
static int arrange(const struct exact_variable *v, const uint8_t *raw,
		   uint8_t *out, struct nc3z_error *err)
{
	size_t nbytes = (size_t)v->chunk_nbytes;
	uint8_t *scratch;

	if (!(v->flags & EXACT_SHUFFLED)) {
		byte_order_reverse(v->width, raw, nbytes / v->width, out);
		return NC3Z_OK;
	}
	scratch = malloc(nbytes);
	if (!scratch)
		return error_set_memory(err);
	filter_apply(&shuffle, v->width, raw, nbytes, out, scratch);
	free(scratch);
	return NC3Z_OK;
}

int chunk_encode(const struct exact_variable *v, struct chunk_encoder *encoder,
		 const uint8_t *raw, uint8_t *out, size_t *nbytes_ret,
		 struct nc3z_error *err)
{
	const struct codec_settings how = { .codec = NC3Z_CODEC_DEFLATE,
					    .level = encoder->level };
	struct codec_buffers buffers = {
		.in_nbytes = (size_t)v->chunk_nbytes,
		.out = out,
		.out_nbytes = (size_t)exact_stored_nbytes_max(v),
	};
	uint8_t *arranged;
	int status;

	if (!(v->flags & EXACT_DEFLATED)) {
		*nbytes_ret = buffers.in_nbytes;
		return arrange(v, raw, out, err);
	}
	arranged = malloc(buffers.in_nbytes);
	if (!arranged)
		return error_set_memory(err);
	buffers.in = arranged;
	status = arrange(v, raw, arranged, err);
	if (status == NC3Z_OK)
		status = codec_encode(&encoder->codecs, &how, &buffers,
				      nbytes_ret, err);
	free(arranged);
	return status;
}

int chunk_decode(const struct exact_variable *v, const uint8_t *stored,
		 size_t stored_nbytes, uint8_t *raw, struct nc3z_error *err)
{
	size_t nbytes = (size_t)v->chunk_nbytes, n = nbytes / v->width;
	const bool is_shuffled = (v->flags & EXACT_SHUFFLED) != 0;
	const struct filter_elems elems = { .width = v->width,
					    .n = n,
					    .nkept = n };
	uint8_t *coded = is_shuffled ? malloc(nbytes) : raw;
	const struct codec_buffers buffers = { stored, stored_nbytes, coded,
					       nbytes };
	struct codec_state codecs = { 0 };
	int status = NC3Z_OK;

	if (!coded)
		return error_set_memory(err);
	if (v->flags & EXACT_DEFLATED)
		status = codec_decode(&codecs, NC3Z_CODEC_DEFLATE, &buffers,
				      err);
	else
		memcpy(coded, stored, nbytes);
	/* Shuffle alone needs no room of its own. */
	if (status == NC3Z_OK && is_shuffled) {
		filter_restore(&shuffle, &elems, coded, raw, NULL);
		byte_order_big(v->width, raw, n, raw);
	} else if (status == NC3Z_OK) {
		byte_order_reverse(v->width, raw, n, raw);
	}
	codec_state_release(&codecs);
	if (is_shuffled)
		free(coded);
	return status;
}
