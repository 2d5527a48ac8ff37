/* SPDX-License-Identifier: MIT */
/*
 * The original of an exact netCDF-4 file, as a source that is read in order.
 *
 * A window of it is put together at a time.  Several threads decode the chunks
 * that it touches, and copy what each has of it.  Chunks that go on after the
 * window are kept as far as memory allows, or decoded again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/options.h"
#include "base/sizes.h"
#include "exact/open.h"
#include "io/source_stream.h"
#include "parallel/crew.h"
#include "parallel/threads.h"

/* What is used of memory in any case, and the share of it for the window. */
#define MEMORY_NBYTES_MIN (UINT32_C(1) << 20)
#define WINDOW_SHARE 8

/* Chunks that a thread has at once: stored, shuffled, raw. */
#define CHUNKS_PER_THREAD 3

/* All chunks may be decoded so many times, and so many bytes in any case. */
#define DECODINGS_MAX 64
#define DECODED_NBYTES (UINT64_C(1) << 30)

/* What is looked at together in a window. */
#define PIECE_NBYTES (UINT32_C(1) << 20)
#define ELEMENT_NBYTES_MAX 8

/* A chunk that a window touches. */
struct held {
	uint8_t *raw;    /* if it was kept */
	uint64_t window; /* the last one that touches it */
	uint64_t end;    /* in the original, of its last byte */
	uint32_t variable;
	uint64_t number; /* among the variable's chunks */
	bool is_kept;    /* for the next window */
};

struct original {
	struct nc3z_source *in; /* the caller's */
	struct exact_file exact;
	uint64_t max_nbytes; /* of memory */
	struct crew crew;
	struct held *chunks;
	size_t *touched; /* by the window */
	size_t ntouched, next;
	uint64_t kept_nbytes, kept_nbytes_max;
	uint64_t decoded_nbytes, decoded_nbytes_max;
	uint8_t *window;
	uint64_t number; /* of the window, from 1 */
	uint64_t begin;  /* of the window, in the original */
	size_t nbytes, nbytes_max;
	size_t passed;
	uint8_t *elements; /* of a piece */
	uint8_t *frame;
	size_t frame_number; /* SIZE_MAX: none */
	struct sha256 *sha256;
	bool is_checked;
};

/* A run of the window. */
struct touching {
	struct original *o;
	const struct cover_run *run;
	uint64_t first; /* element */
	uint64_t last;
};

static const struct exact_variable *variable_of(const struct original *o,
						uint32_t variable)
{
	return &o->exact.description.variables[variable];
}

static bool touch(void *context, uint64_t number)
{
	const struct touching *t = context;
	struct original *o = t->o;
	const struct exact_variable *v = variable_of(o, t->run->variable);
	size_t i = v->first_place + (size_t)number;
	struct held *h = &o->chunks[i];
	struct chunk_box box;

	if (h->window == o->number)
		return true;
	chunk_box_of(v, number, &box);
	if (box.last < t->first || box.first > t->last)
		return true;
	h->window = o->number;
	h->end = cover_offset(&o->exact.cover, t->run->variable,
			      box.last * v->width) +
		 v->width;
	h->variable = t->run->variable;
	h->number = number;
	o->touched[o->ntouched++] = i;
	return true;
}

/* What a chunk has of bytes of its variable that begin at an offset. */
static void copy_run(const struct original *o, const struct held *h,
		     uint64_t begin, uint64_t at, uint64_t nbytes)
{
	uint64_t from = size_max(begin, o->begin);
	uint64_t to = size_min(begin + nbytes, o->begin + o->nbytes);

	if (from < to)
		chunk_copy(variable_of(o, h->variable), h->number, h->raw,
			   at + from - begin, o->window + (from - o->begin),
			   (size_t)(to - from));
}

/* What a chunk has of the window. */
static void copy_chunk(const struct original *o, const struct held *h)
{
	const struct exact_variable *v = variable_of(o, h->variable);
	uint64_t step = o->exact.description.record_nbytes, last;
	struct chunk_box box;

	if (!(v->flags & EXACT_RECORDS)) {
		copy_run(o, h, v->begin, 0, v->nbytes);
		return;
	}
	chunk_box_of(v, h->number, &box);
	last = box.start[0] + box.count[0] - 1;
	/* It has touched the window, which therefore ends after its begin. */
	last = size_min(last, (o->begin + o->nbytes - 1 - v->begin) / step);
	if (o->begin > v->begin)
		box.start[0] =
			size_max(box.start[0], (o->begin - v->begin) / step);
	for (uint64_t r = box.start[0]; r <= last; r++)
		copy_run(o, h, v->begin + r * step, r * v->nbytes, v->nbytes);
}

/* In a worker. */
static int decode(struct original *o, size_t i, struct buffer *buffer,
		  struct nc3z_error *err)
{
	const struct exact_place *place = &o->exact.description.places[i];
	struct held *h = &o->chunks[i];
	const struct exact_variable *v = variable_of(o, h->variable);

	h->raw = malloc((size_t)v->chunk_nbytes);
	if (!h->raw)
		return error_set_memory(err);
	NC3Z_TRY(source_read_growing(o->in, place->address, place->nbytes,
				     buffer, err));
	return chunk_decode(v, buffer->data, place->nbytes, h->raw, err);
}

static int work(void *context, const void *job, struct buffer *buffer,
		struct nc3z_error *err)
{
	struct original *o = context;
	size_t i = *(const size_t *)job;
	struct held *h = &o->chunks[i];

	if (!h->raw)
		NC3Z_TRY(decode(o, i, buffer, err));
	copy_chunk(o, h);
	if (!h->is_kept) {
		free(h->raw);
		h->raw = NULL;
	}
	return NC3Z_OK;
}

/* By the owner: the next chunk, and whether it is kept. */
static bool next_chunk(void *context, void *job)
{
	struct original *o = context;
	struct held *h;
	uint64_t nbytes;
	bool goes_on;

	if (o->next == o->ntouched)
		return false;
	h = &o->chunks[o->touched[o->next]];
	nbytes = variable_of(o, h->variable)->chunk_nbytes;
	goes_on = h->end > o->begin + o->nbytes;
	if (!h->raw)
		o->decoded_nbytes += nbytes;
	if (h->is_kept && !goes_on) {
		h->is_kept = false;
		o->kept_nbytes -= nbytes;
	} else if (!h->is_kept && goes_on &&
		   nbytes <= o->kept_nbytes_max - o->kept_nbytes) {
		h->is_kept = true;
		o->kept_nbytes += nbytes;
	}
	*(size_t *)job = o->touched[o->next++];
	return true;
}

static int copy_contiguous(struct original *o, const struct cover_run *run,
			   uint8_t *out, struct nc3z_error *err)
{
	const struct exact_variable *v = variable_of(o, run->variable);
	uint64_t first = run->at / v->width * v->width;
	uint64_t end = size_div_up(run->at + run->nbytes, v->width) * v->width;

	/* Whole elements: a piece may begin and end within one. */
	NC3Z_TRY(source_read_exactly(o->in, v->address + first, o->elements,
				     (size_t)(end - first), err));
	byte_order_reverse(v->width, o->elements,
			   (size_t)(end - first) / v->width, o->elements);
	memcpy(out, o->elements + (run->at - first), (size_t)run->nbytes);
	return NC3Z_OK;
}

/* Raw bytes of a frame. */
static size_t frame_nbytes(const struct original *o, size_t number)
{
	uint64_t begin = (uint64_t)number * EXACT_FRAME_NBYTES;

	return (size_t)size_min(cover_rest_nbytes(&o->exact.cover) - begin,
				EXACT_FRAME_NBYTES);
}

static int read_frame(struct original *o, size_t number, struct nc3z_error *err)
{
	const struct exact_place *place = &o->exact.description.frames[number];
	struct codec_state codecs = { 0 };
	struct buffer stored = { 0 };
	struct codec_buffers buffers = {
		.in_nbytes = place->nbytes,
		.out = o->frame,
		.out_nbytes = frame_nbytes(o, number),
	};
	int status = source_read_growing(o->in, place->address, place->nbytes,
					 &stored, err);

	buffers.in = stored.data;
	if (status == NC3Z_OK &&
	    crc32_of(stored.data, stored.nbytes) != place->crc)
		status = error_set_at(err, NC3Z_EDAMAGED, place->address,
				      "the rest of the original is damaged");
	if (status == NC3Z_OK && place->nbytes == buffers.out_nbytes)
		memcpy(o->frame, stored.data, stored.nbytes);
	else if (status == NC3Z_OK)
		status = codec_decode(&codecs, NC3Z_CODEC_DEFLATE, &buffers,
				      err);
	codec_state_release(&codecs);
	buffer_release(&stored);
	o->frame_number = status == NC3Z_OK ? number : SIZE_MAX;
	return status;
}

static int copy_rest(struct original *o, const struct cover_run *run,
		     uint8_t *out, struct nc3z_error *err)
{
	uint64_t at = run->at, end = run->at + run->nbytes;

	while (at < end) {
		size_t number = (size_t)(at / EXACT_FRAME_NBYTES);
		size_t in = (size_t)(at % EXACT_FRAME_NBYTES);
		size_t n = (size_t)size_min(end - at, EXACT_FRAME_NBYTES - in);

		if (number != o->frame_number)
			NC3Z_TRY(read_frame(o, number, err));
		memcpy(out, o->frame + in, n);
		out += n;
		at += n;
	}
	return NC3Z_OK;
}

/* Copies what is not in chunks, and notes the chunks of the others. */
static int copy_run_of(struct original *o, const struct cover_run *run,
		       uint8_t *out, struct nc3z_error *err)
{
	struct touching t = { .o = o, .run = run };
	const struct exact_variable *v;

	if (run->is_rest)
		return copy_rest(o, run, out, err);
	v = variable_of(o, run->variable);
	if (!(v->flags & EXACT_CHUNKED))
		return copy_contiguous(o, run, out, err);
	t.first = run->at / v->width;
	t.last = (run->at + run->nbytes - 1) / v->width;
	chunk_visit(v, t.first, t.last, touch, &t);
	return NC3Z_OK;
}

/* The next window. */
static int fill(struct original *o, struct nc3z_error *err)
{
	o->begin += o->nbytes;
	o->nbytes = (size_t)size_min(
		o->exact.trailer.original_nbytes - o->begin, o->nbytes_max);
	o->number++;
	o->passed = o->ntouched = o->next = 0;
	for (size_t at = 0; at < o->nbytes;) {
		struct cover_run run = cover_at(&o->exact.cover, o->begin + at);

		run.nbytes = size_min(run.nbytes,
				      size_min(o->nbytes - at, PIECE_NBYTES));
		NC3Z_TRY(copy_run_of(o, &run, o->window + at, err));
		at += (size_t)run.nbytes;
	}
	NC3Z_TRY(crew_work(&o->crew, next_chunk, o, err));
	if (o->decoded_nbytes > o->decoded_nbytes_max)
		return error_set(err, NC3Z_ELIMIT,
				 "chunks are needed too often: decoding them "
				 "%d times takes more memory than %" PRIu64
				 " bytes",
				 DECODINGS_MAX, o->max_nbytes);
	return sha256_update(o->sha256, o->window, o->nbytes, err);
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
	uint64_t size = o->exact.trailer.original_nbytes;

	if (o->passed == o->nbytes && o->begin + o->nbytes < size)
		NC3Z_TRY(fill(o, err));
	/* Before the last bytes are given. */
	if (o->begin + o->nbytes == size && !o->is_checked)
		NC3Z_TRY(check_end(o, err));
	*nbytes_ret = (size_t)size_min(nbytes, o->nbytes - o->passed);
	memcpy(data, o->window + o->passed, *nbytes_ret);
	o->passed += *nbytes_ret;
	return NC3Z_OK;
}

static int original_check_unchanged(void *self, struct nc3z_error *err)
{
	const struct original *o = self;

	return source_check_unchanged(o->in, err);
}

static void original_close(void *self)
{
	struct original *o = self;

	crew_release(&o->crew);
	for (size_t i = 0; o->chunks && i < o->exact.description.nplaces; i++)
		free(o->chunks[i].raw);
	free(o->chunks);
	free(o->touched);
	free(o->window);
	free(o->elements);
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
 * Shares memory between the window, threads, and chunks that are kept.  As many
 * threads as three quarters of it are enough for, but one.
 */
static int share_memory(struct original *o, unsigned *nthreads,
			struct nc3z_error *err)
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
	o->nbytes_max = (size_t)size_min(o->max_nbytes / WINDOW_SHARE,
					 o->exact.trailer.original_nbytes);
	each = CHUNKS_PER_THREAD * largest;
	left = o->max_nbytes - o->nbytes_max;
	if (each > left)
		return error_set(err, NC3Z_ELIMIT,
				 "chunks need %" PRIu64
				 " bytes of memory, more than %" PRIu64,
				 each + each / (WINDOW_SHARE - 1) + 1,
				 o->max_nbytes);
	*nthreads =
		(unsigned)size_min(size_max(left / 4 * 3 / each, 1), *nthreads);
	o->kept_nbytes_max = left - *nthreads * each;
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
	unsigned nthreads = threads_wanted(options->nthreads);
	size_t nplaces;

	o->frame_number = SIZE_MAX;
	o->max_nbytes = size_max(options->max_memory_nbytes, MEMORY_NBYTES_MIN);
	NC3Z_TRY(exact_file_open(&o->exact, o->in, err));
	if (options->max_original_nbytes > 0 &&
	    t->original_nbytes > options->max_original_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "original has %" PRIu64
				 " bytes, more than %" PRIu64,
				 t->original_nbytes,
				 options->max_original_nbytes);
	NC3Z_TRY(share_memory(o, &nthreads, err));
	NC3Z_TRY(exact_file_check(&o->exact, o->in, err));
	nplaces = o->exact.description.nplaces;
	o->chunks = memory_alloc(nplaces, sizeof(*o->chunks));
	o->touched = memory_alloc(nplaces, sizeof(*o->touched));
	o->window = malloc(size_max(o->nbytes_max, 1));
	o->elements = malloc(PIECE_NBYTES + 2 * ELEMENT_NBYTES_MAX);
	o->frame = malloc(EXACT_FRAME_NBYTES);
	o->sha256 = sha256_new();
	if (!o->chunks || !o->touched || !o->window || !o->elements ||
	    !o->frame || !o->sha256)
		return error_set_memory(err);
	return crew_init(&o->crew, nthreads, sizeof(size_t), work, o, err);
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
