/* SPDX-License-Identifier: MIT */
/*
 * The original of an exact netCDF-4 file, as a source that is read in order.
 *
 * A window of it is put together at a time.  The chunks that it touches are
 * decoded by several threads and kept until all of their bytes have passed, as
 * far as memory allows; the window ends where it does not.
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

#define WINDOW_NBYTES (UINT32_C(8) << 20)

/* What is looked at together in a window. */
#define PIECE_NBYTES (UINT32_C(1) << 20)
#define ELEMENT_NBYTES_MAX 8

/* A chunk that is decoded, or is about to be. */
struct held {
	uint8_t *raw;
	uint64_t window; /* the last one that touches it */
	uint64_t end;    /* in the original, of its last byte */
	uint32_t variable;
	uint64_t number; /* among the variable's chunks */
};

struct original {
	struct nc3z_source *in; /* the caller's */
	struct exact_file exact;
	uint64_t max_nbytes; /* of chunks together */
	struct crew crew;
	struct held *chunks;
	size_t *touched; /* by the window */
	size_t ntouched, next;
	size_t *kept; /* those that have their bytes */
	size_t nkept;
	uint64_t touched_nbytes, kept_nbytes;
	uint8_t *window;
	uint64_t number; /* of the window, from 1 */
	uint64_t begin;  /* of the window, in the original */
	size_t nbytes;
	size_t passed;
	uint8_t *elements; /* of a piece */
	uint8_t *frame;
	size_t frame_number; /* SIZE_MAX: none */
	struct sha256 *sha256;
	bool is_checked;
};

/* Where it goes on in a window. */
struct touching {
	struct original *o;
	const struct cover_run *run;
	uint64_t first; /* element */
	uint64_t last;
	bool is_full; /* no room for more chunks */
};

static const struct exact_variable *variable_of(const struct original *o,
						uint32_t variable)
{
	return &o->exact.description.variables[variable];
}

/* Where the last byte of a chunk is. */
static uint64_t end_of(const struct original *o, uint32_t variable,
		       const struct chunk_box *box)
{
	const struct exact_variable *v = variable_of(o, variable);

	return cover_offset(&o->exact.cover, variable, box->last * v->width) +
	       v->width;
}

static bool touch(void *context, uint64_t number)
{
	struct touching *t = context;
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
	if (v->chunk_nbytes > o->max_nbytes - o->touched_nbytes) {
		t->is_full = true;
		return false;
	}
	h->window = o->number;
	h->end = end_of(o, t->run->variable, &box);
	h->variable = t->run->variable;
	h->number = number;
	o->touched_nbytes += v->chunk_nbytes;
	o->touched[o->ntouched++] = i;
	return true;
}

/* Notes the chunks of a run; false if there is no room for them. */
static bool touch_run(struct original *o, const struct cover_run *run)
{
	struct touching t = { .o = o, .run = run };
	const struct exact_variable *v;

	if (run->is_rest)
		return true;
	v = variable_of(o, run->variable);
	if (!(v->flags & EXACT_CHUNKED))
		return true;
	t.first = run->at / v->width;
	t.last = (run->at + run->nbytes - 1) / v->width;
	chunk_visit(v, t.first, t.last, touch, &t);
	return !t.is_full;
}

/* The next piece of a window that may have 'left' bytes. */
static struct cover_run next_run(const struct original *o, size_t at,
				 size_t nbytes)
{
	struct cover_run run = cover_at(&o->exact.cover, o->begin + at);

	run.nbytes = size_min(run.nbytes, size_min(nbytes - at, PIECE_NBYTES));
	return run;
}

/* Sets how far the window goes. */
static int touch_all(struct original *o, struct nc3z_error *err)
{
	uint64_t left = o->exact.trailer.original_nbytes - o->begin;
	size_t most = (size_t)size_min(left, WINDOW_NBYTES);

	o->number++;
	o->ntouched = 0;
	o->touched_nbytes = 0;
	o->nbytes = 0;
	while (o->nbytes < most) {
		struct cover_run run = next_run(o, o->nbytes, most);

		if (!touch_run(o, &run))
			break;
		o->nbytes += (size_t)run.nbytes;
	}
	if (o->nbytes > 0)
		return NC3Z_OK;
	return error_set(err, NC3Z_ELIMIT,
			 "chunks need more than %" PRIu64 " bytes of memory",
			 o->max_nbytes);
}

/* Lets go of chunks that have passed, or of all that are not touched. */
static void drop(struct original *o, bool are_all)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nkept; i++) {
		struct held *h = &o->chunks[o->kept[i]];

		if (h->end > o->begin && (!are_all || h->window == o->number)) {
			o->kept[n++] = o->kept[i];
			continue;
		}
		free(h->raw);
		h->raw = NULL;
		o->kept_nbytes -= variable_of(o, h->variable)->chunk_nbytes;
	}
	o->nkept = n;
}

/* In a worker. */
static int decode(void *context, const void *job, struct buffer *buffer,
		  struct nc3z_error *err)
{
	struct original *o = context;
	size_t i = *(const size_t *)job;
	const struct exact_place *place = &o->exact.description.places[i];
	struct held *h = &o->chunks[i];

	NC3Z_TRY(source_read_growing(o->in, place->address, place->nbytes,
				     buffer, err));
	return chunk_decode(variable_of(o, h->variable), buffer->data,
			    place->nbytes, h->raw, err);
}

/* By the owner: the next chunk that has no bytes yet. */
static bool next_chunk(void *context, void *job)
{
	struct original *o = context;

	while (o->next < o->ntouched) {
		size_t i = o->touched[o->next++];
		struct held *h = &o->chunks[i];
		uint64_t nbytes = variable_of(o, h->variable)->chunk_nbytes;

		if (h->raw)
			continue;
		h->raw = malloc((size_t)nbytes);
		/* Copying will find that it has none. */
		if (!h->raw)
			return false;
		o->kept[o->nkept++] = i;
		o->kept_nbytes += nbytes;
		*(size_t *)job = i;
		return true;
	}
	return false;
}

struct copy {
	struct original *o;
	const struct cover_run *run;
	uint8_t *out;
	bool has_all;
};

static bool copy_chunk(void *context, uint64_t number)
{
	struct copy *c = context;
	const struct exact_variable *v = variable_of(c->o, c->run->variable);
	const struct held *h = &c->o->chunks[v->first_place + (size_t)number];

	/* One that only seemed to be touched. */
	if (h->window != c->o->number)
		return true;
	c->has_all = h->raw != NULL;
	if (c->has_all)
		chunk_copy(v, number, h->raw, c->run->at, c->out,
			   (size_t)c->run->nbytes);
	return c->has_all;
}

static int copy_values(struct original *o, const struct cover_run *run,
		       uint8_t *out, struct nc3z_error *err)
{
	const struct exact_variable *v = variable_of(o, run->variable);
	struct copy c = { o, run, out, true };
	uint64_t first = run->at / v->width * v->width;
	uint64_t end = size_div_up(run->at + run->nbytes, v->width) * v->width;

	if (v->flags & EXACT_CHUNKED) {
		chunk_visit(v, run->at / v->width,
			    (run->at + run->nbytes - 1) / v->width, copy_chunk,
			    &c);
		return c.has_all ? NC3Z_OK : error_set_memory(err);
	}
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

static int copy_all(struct original *o, struct nc3z_error *err)
{
	for (size_t at = 0; at < o->nbytes;) {
		struct cover_run run = next_run(o, at, o->nbytes);

		NC3Z_TRY(run.is_rest ?
				 copy_rest(o, &run, o->window + at, err) :
				 copy_values(o, &run, o->window + at, err));
		at += (size_t)run.nbytes;
	}
	return NC3Z_OK;
}

/* The next window. */
static int fill(struct original *o, struct nc3z_error *err)
{
	o->begin += o->nbytes;
	o->nbytes = o->passed = 0;
	drop(o, false);
	NC3Z_TRY(touch_all(o, err));
	if (o->kept_nbytes + o->touched_nbytes > o->max_nbytes)
		drop(o, true);
	o->next = 0;
	NC3Z_TRY(crew_work(&o->crew, next_chunk, o, err));
	NC3Z_TRY(copy_all(o, err));
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
	for (size_t i = 0; o->chunks && o->kept && i < o->nkept; i++)
		free(o->chunks[o->kept[i]].raw);
	free(o->chunks);
	free(o->touched);
	free(o->kept);
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

static int prepare(struct original *o,
		   const struct nc3z_restore_options *options,
		   struct nc3z_error *err)
{
	const struct exact_trailer *t = &o->exact.trailer;
	size_t nplaces;

	o->frame_number = SIZE_MAX;
	o->max_nbytes = options->max_memory_nbytes;
	NC3Z_TRY(exact_file_open(&o->exact, o->in, err));
	if (options->max_original_nbytes > 0 &&
	    t->original_nbytes > options->max_original_nbytes)
		return error_set(err, NC3Z_ELIMIT,
				 "original has %" PRIu64
				 " bytes, more than %" PRIu64,
				 t->original_nbytes,
				 options->max_original_nbytes);
	NC3Z_TRY(exact_file_check(&o->exact, o->in, err));
	nplaces = o->exact.description.nplaces;
	o->chunks = memory_alloc(nplaces, sizeof(*o->chunks));
	o->touched = memory_alloc(nplaces, sizeof(*o->touched));
	o->kept = memory_alloc(nplaces, sizeof(*o->kept));
	o->window = malloc(WINDOW_NBYTES);
	o->elements = malloc(PIECE_NBYTES + 2 * ELEMENT_NBYTES_MAX);
	o->frame = malloc(EXACT_FRAME_NBYTES);
	o->sha256 = sha256_new();
	if (!o->chunks || !o->touched || !o->kept || !o->window ||
	    !o->elements || !o->frame || !o->sha256)
		return error_set_memory(err);
	return crew_init(&o->crew, threads_wanted(options->nthreads),
			 sizeof(size_t), decode, o, err);
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
	if (status != NC3Z_OK)
		original_close(o);
	return status;
}
