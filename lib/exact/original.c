/* SPDX-License-Identifier: MIT */
/*
 * The original of an exact netCDF-4 file, as a source that is read in order.
 *
 * Variables are put together in stripes, as those of archives are
 * (restore/stripe_reader.h), with the budget of memory and a limit to how often
 * chunks are decoded for it.  The rest lies in its order as it is.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/options.h"
#include "base/sizes.h"
#include "exact/open.h"
#include "io/source_stream.h"
#include "parallel/threads.h"
#include "restore/stripe_reader.h"

/*
 * What is used of memory in any case, and the share of it for stripes that are
 * as long as they are to keep threads busy.
 */
#define MEMORY_NBYTES_MIN (UINT32_C(1) << 20)
#define AHEAD_SHARE 8

/* Chunks that a thread has at once: stored, shuffled, raw. */
#define CHUNKS_PER_THREAD 3

/* All chunks may be decoded so many times, and so many bytes in any case. */
#define DECODINGS_MAX 64
#define DECODED_NBYTES (UINT64_C(1) << 30)

#define ELEMENT_NBYTES_MAX 8

struct original {
	struct nc3z_source *in; /* the caller's */
	struct exact_file exact;
	uint64_t max_nbytes; /* of memory */
	struct stripe_plan stripes;
	struct nc3z_source *joined; /* its bytes, unchecked */
	uint64_t passed;
	atomic_uint_least64_t decoded_nbytes;
	uint64_t decoded_nbytes_max;
	uint8_t *frame; /* of the rest */
	size_t nframes; /* that were read */
	size_t frame_nbytes;
	size_t frame_passed;
	struct sha256 *sha256;
	bool is_checked;
};

static int fetch_chunk(struct original *o, const struct exact_variable *v,
		       uint64_t number, uint8_t *raw, struct nc3z_error *err)
{
	const struct exact_place *place =
		&o->exact.description.places[v->first_place + number];
	struct buffer stored = { 0 };
	int status;

	if (atomic_fetch_add(&o->decoded_nbytes, v->chunk_nbytes) >
	    o->decoded_nbytes_max)
		return error_set(err, NC3Z_ELIMIT,
				 "chunks are needed too often: decoding them "
				 "%d times takes more memory than %" PRIu64
				 " bytes",
				 DECODINGS_MAX, o->max_nbytes);
	status = source_read_growing(o->in, place->address, place->nbytes,
				     &stored, err);
	if (status == NC3Z_OK)
		status = chunk_decode(v, stored.data, place->nbytes, raw, err);
	buffer_release(&stored);
	return status;
}

/* Of the last value there may be a part: the original ends there. */
static int fetch_contiguous(const struct original *o,
			    const struct exact_variable *v,
			    const struct plan_block *block, uint8_t *raw,
			    struct nc3z_error *err)
{
	uint64_t address = v->address + block->stream_offset;
	size_t part = (size_t)(block->nbytes % v->width);
	size_t n = (size_t)block->nbytes - part;
	uint8_t last[ELEMENT_NBYTES_MAX];

	NC3Z_TRY(source_read_exactly(o->in, address, raw, n, err));
	byte_order_reverse(v->width, raw, n / v->width, raw);
	if (part == 0)
		return NC3Z_OK;
	NC3Z_TRY(source_read_exactly(o->in, address + n, last, v->width, err));
	byte_order_reverse(v->width, last, 1, last);
	memcpy(raw + n, last, part);
	return NC3Z_OK;
}

/* In a worker. */
static int fetch(void *context, const struct stripe_block *block, uint8_t *raw,
		 struct nc3z_error *err)
{
	struct original *o = context;
	const struct plan_stream *s =
		&o->exact.cover.plan.streams[block->stream];
	const struct exact_variable *v =
		&o->exact.description.variables[s->members[0].variable];

	return v->flags & EXACT_CHUNKED ?
		       fetch_chunk(o, v, block->block.block, raw, err) :
		       fetch_contiguous(o, v, &block->block, raw, err);
}

/* The next frame of the rest. */
static int read_frame(struct original *o, struct nc3z_error *err)
{
	const struct exact_description *d = &o->exact.description;
	const struct exact_place *place = &d->frames[o->nframes];
	uint64_t begin = (uint64_t)o->nframes * EXACT_FRAME_NBYTES;
	struct buffer stored = { 0 };
	struct codec_buffers buffers = { .out = o->frame };
	int status;

	if (o->nframes == d->nframes)
		return error_set(err, NC3Z_EINVAL, "input cannot seek");
	status = source_read_growing(o->in, place->address, place->nbytes,
				     &stored, err);
	buffers.in = stored.data;
	buffers.in_nbytes = stored.nbytes;
	buffers.out_nbytes = (size_t)size_min(
		cover_rest_nbytes(&o->exact.cover) - begin, EXACT_FRAME_NBYTES);
	if (status == NC3Z_OK &&
	    crc32_of(stored.data, stored.nbytes) != place->crc)
		status = error_set_at(err, NC3Z_EDAMAGED, place->address,
				      "the rest of the original is damaged");
	if (status == NC3Z_OK && stored.nbytes == buffers.out_nbytes)
		memcpy(o->frame, stored.data, stored.nbytes);
	else if (status == NC3Z_OK)
		status = exact_inflate(&buffers, err);
	buffer_release(&stored);
	NC3Z_TRY(status);
	o->nframes++;
	o->frame_nbytes = buffers.out_nbytes;
	o->frame_passed = 0;
	return NC3Z_OK;
}

static int take_rest(void *context, uint8_t *data, size_t nbytes,
		     struct nc3z_error *err)
{
	struct original *o = context;

	while (nbytes > 0) {
		size_t n;

		if (o->frame_passed == o->frame_nbytes)
			NC3Z_TRY(read_frame(o, err));
		n = (size_t)size_min(nbytes, o->frame_nbytes - o->frame_passed);
		memcpy(data, o->frame + o->frame_passed, n);
		o->frame_passed += n;
		data += n;
		nbytes -= n;
	}
	return NC3Z_OK;
}

/* All bytes were those of the original, and the file is as it was. */
static int check_end(struct original *o, struct nc3z_error *err)
{
	uint8_t sha256[SHA256_NBYTES];

	o->is_checked = true;
	NC3Z_TRY(sha256_final(o->sha256, sha256, err));
	if (memcmp(sha256, o->exact.trailer.original_sha256, sizeof(sha256)) !=
	    0)
		return error_set(err, NC3Z_EDAMAGED,
				 "SHA-256 of the original differs");
	return source_check_unchanged(o->in, err);
}

static int original_read(void *self, void *data, size_t nbytes,
			 size_t *nbytes_ret, struct nc3z_error *err)
{
	struct original *o = self;

	NC3Z_TRY(source_read_at(o->joined, o->passed, data, nbytes, nbytes_ret,
				err));
	NC3Z_TRY(sha256_update(o->sha256, data, *nbytes_ret, err));
	o->passed += *nbytes_ret;
	/* Before the last bytes are given. */
	return o->passed == o->joined->size && !o->is_checked ?
		       check_end(o, err) :
		       NC3Z_OK;
}

static int original_check_unchanged(void *self, struct nc3z_error *err)
{
	const struct original *o = self;

	return source_check_unchanged(o->in, err);
}

static void original_close(void *self)
{
	struct original *o = self;

	nc3z_source_close(o->joined);
	stripe_plan_release(&o->stripes);
	free(o->frame);
	sha256_free(o->sha256);
	exact_file_release(&o->exact);
	free(o);
}

static const struct stream_origin original_ops = {
	.read = original_read,
	.check_unchanged = original_check_unchanged,
	.close = original_close,
};

/*
 * Memory that is left for stripes, beside as many threads as three quarters of
 * it are enough for, but one.
 */
static int share_memory(struct original *o, unsigned *nthreads,
			uint64_t *share_ret, struct nc3z_error *err)
{
	const struct exact_description *d = &o->exact.description;
	uint64_t largest = 1, all = 0, each, left;

	for (size_t i = 0; i < d->nvariables; i++) {
		const struct exact_variable *v = &d->variables[i];

		if (!(v->flags & EXACT_CHUNKED))
			continue;
		largest = size_max(largest, v->chunk_nbytes);
		all = size_add_max(all,
				   size_mul_max(v->nchunks, v->chunk_nbytes,
						UINT64_MAX),
				   UINT64_MAX);
	}
	each = CHUNKS_PER_THREAD * largest;
	left = o->max_nbytes - o->max_nbytes / AHEAD_SHARE;
	if (each > left)
		return error_set(err, NC3Z_ELIMIT,
				 "chunks need %" PRIu64
				 " bytes of memory, more than %" PRIu64,
				 each + each / (AHEAD_SHARE - 1) + 1,
				 o->max_nbytes);
	*nthreads =
		(unsigned)size_min(size_max(left / 4 * 3 / each, 1), *nthreads);
	*share_ret = o->max_nbytes - *nthreads * each;
	o->decoded_nbytes_max =
		size_add_max(size_mul_max(all, DECODINGS_MAX, UINT64_MAX),
			     DECODED_NBYTES, UINT64_MAX);
	return NC3Z_OK;
}

static int prepare(struct original *o,
		   const struct nc3z_restore_options *options,
		   struct nc3z_error *err)
{
	const struct exact_trailer *t = &o->exact.trailer;
	struct stripe_input input = {
		.plan = &o->stripes,
		.fetch = fetch,
		.chunks_are_whole = true,
		.take = take_rest,
		.context = o,
		.nthreads = threads_wanted(options->nthreads),
		.archive = o->in,
	};
	uint64_t share = 0;

	o->max_nbytes = size_max(options->max_memory_nbytes, MEMORY_NBYTES_MIN);
	NC3Z_TRY(exact_file_open(&o->exact, o->in, err));
	if (options->max_original_nbytes > 0 &&
	    t->original_nbytes > options->max_original_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "original has %" PRIu64
				 " bytes, more than %" PRIu64,
				 t->original_nbytes,
				 options->max_original_nbytes);
	NC3Z_TRY(share_memory(o, &input.nthreads, &share, err));
	NC3Z_TRY(exact_file_check(&o->exact, o->in, err));
	o->frame = malloc(EXACT_FRAME_NBYTES);
	o->sha256 = sha256_new();
	if (!o->frame || !o->sha256)
		return error_set_memory(err);
	NC3Z_TRY(stripe_plan_init(&o->stripes, &o->exact.cover.map, share,
				  size_min(share, o->max_nbytes / AHEAD_SHARE),
				  err));
	input.first_taken = o->exact.cover.first_rest;
	return stripe_reader_open(&input, &o->joined, err);
}

int nc3z_source_open_netcdf4(struct nc3z_source *in,
			     const struct nc3z_restore_options *options,
			     struct nc3z_source **original_ret,
			     struct nc3z_error *err)
{
	struct nc3z_restore_options own;
	struct original *o;
	int status;

	nc3z_restore_options_init(&own);
	NC3Z_TRY(options_copy(&own, sizeof(own), options, err));
	o = calloc(1, sizeof(*o));
	if (!o)
		return error_set_memory(err);
	o->in = in;
	status = prepare(o, &own, err);
	if (status == NC3Z_OK)
		status =
			source_open_stream(&original_ops, o, original_ret, err);
	if (status == NC3Z_OK)
		(*original_ret)->size = o->exact.trailer.original_nbytes;
	else
		original_close(o);
	return status;
}
