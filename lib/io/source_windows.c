/* SPDX-License-Identifier: MIT */
/*
 * A slow source whose front and tail are in memory.  Reads that reach over the
 * edge of a window take only the rest from the source.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "io/source.h"

#define NWINDOWS_MAX 2

struct window {
	struct nc3z_range range;
	uint8_t *data;
};

struct windows_source {
	struct nc3z_source base;
	struct nc3z_source *in;
	struct window windows[NWINDOWS_MAX]; /* ascending */
	size_t nwindows;
};

static uint64_t end_of(const struct nc3z_range *r)
{
	return r->offset + r->nbytes;
}

/*
 * What comes first of the bytes from 'offset' on: a piece of a window, which is
 * returned, or one that none has, NULL.  '*nbytes' is cut to its length.
 */
static const struct window *find_piece(const struct windows_source *s,
				       uint64_t offset, uint64_t *nbytes)
{
	for (size_t i = 0; i < s->nwindows; i++) {
		const struct nc3z_range *r = &s->windows[i].range;

		if (offset < r->offset) {
			*nbytes = size_min(*nbytes, r->offset - offset);
			return NULL;
		}
		if (offset < end_of(r)) {
			*nbytes = size_min(*nbytes, end_of(r) - offset);
			return &s->windows[i];
		}
	}
	return NULL;
}

static int windows_read_at(struct nc3z_source *source, uint64_t offset,
			   void *data, size_t nbytes, size_t *nbytes_ret,
			   struct nc3z_error *err)
{
	struct windows_source *s = (struct windows_source *)source;
	size_t done = 0, got = 1;

	while (done < nbytes && got > 0) {
		uint64_t n = nbytes - done, at = offset + done;
		const struct window *w = find_piece(s, at, &n);
		uint8_t *out = (uint8_t *)data + done;

		got = (size_t)n;
		if (w)
			memcpy(out, w->data + (at - w->range.offset), got);
		else
			NC3Z_TRY(source_read_at(s->in, at, out, (size_t)n, &got,
						err));
		done += got;
	}
	*nbytes_ret = done;
	return NC3Z_OK;
}

/* The parts of ranges that no window has; at most so many more than ranges. */
static size_t outside(const struct windows_source *s,
		      const struct nc3z_range *ranges, size_t nranges,
		      struct nc3z_range *out)
{
	size_t count = 0;

	for (size_t i = 0; i < nranges; i++) {
		uint64_t at = ranges[i].offset, end = end_of(&ranges[i]), n;

		for (; at < end; at += n) {
			n = end - at;
			if (!find_piece(s, at, &n))
				out[count++] = (struct nc3z_range){
					.offset = at,
					.nbytes = n,
				};
		}
	}
	return count;
}

/* Without memory nothing is announced, and everything works all the same. */
static uint64_t windows_announce(struct nc3z_source *source,
				 const struct nc3z_range *ranges,
				 size_t nranges)
{
	struct windows_source *s = (struct windows_source *)source;
	struct nc3z_range *left = memory_alloc(
		size_add_max(nranges, nranges, SIZE_MAX), sizeof(*left));
	size_t n = left ? outside(s, ranges, nranges, left) : 0;
	uint64_t announcement = source_announce(s->in, left, n);

	free(left);
	return announcement;
}

static void windows_forget(struct nc3z_source *source, uint64_t announcement)
{
	source_forget(((struct windows_source *)source)->in, announcement);
}

static int windows_check_unchanged(struct nc3z_source *source,
				   struct nc3z_error *err)
{
	struct windows_source *s = (struct windows_source *)source;

	return source_check_unchanged(s->in, err);
}

static void windows_close(struct nc3z_source *source)
{
	struct windows_source *s = (struct windows_source *)source;

	for (size_t i = 0; i < s->nwindows; i++)
		free(s->windows[i].data);
	free(s);
}

static const struct source_ops windows_ops = {
	.read_at = windows_read_at,
	.check_unchanged = windows_check_unchanged,
	.close = windows_close,
	.announce = windows_announce,
	.forget = windows_forget,
};

/* Front and tail, or all if they meet. */
static size_t choose_windows(uint64_t size, const struct source_ends *ends,
			     struct nc3z_range *ranges)
{
	if (size <= (uint64_t)ends->front_nbytes + ends->tail_nbytes) {
		ranges[0] = (struct nc3z_range){ .nbytes = size };
		return size > 0;
	}
	ranges[0] = (struct nc3z_range){ .nbytes = ends->front_nbytes };
	ranges[1] = (struct nc3z_range){
		.offset = size - ends->tail_nbytes,
		.nbytes = ends->tail_nbytes,
	};
	return NWINDOWS_MAX;
}

static int fill_windows(struct windows_source *s,
			const struct source_ends *ends, struct nc3z_error *err)
{
	struct nc3z_range ranges[NWINDOWS_MAX];
	size_t n = choose_windows(s->base.size, ends, ranges);

	source_announce(s->in, ranges, n);
	for (size_t i = 0; i < n; i++) {
		size_t nbytes = (size_t)ranges[i].nbytes;
		uint8_t *data = memory_alloc(nbytes, 1);

		if (!data)
			return error_set_memory(err);
		s->windows[s->nwindows++] = (struct window){
			.range = ranges[i],
			.data = data,
		};
		NC3Z_TRY(source_read_exactly(s->in, ranges[i].offset, data,
					     nbytes, err));
	}
	return NC3Z_OK;
}

int source_windows_open_ends(struct nc3z_source *in,
			     const struct source_ends *ends,
			     struct nc3z_source **out_ret,
			     struct nc3z_error *err)
{
	struct windows_source *s;
	int status;

	*out_ret = in;
	if (!source_is_slow(in))
		return NC3Z_OK;
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set_memory(err);
	s->base = *in;
	s->base.ops = &windows_ops;
	s->in = in;
	status = fill_windows(s, ends, err);
	if (status == NC3Z_OK)
		*out_ret = &s->base;
	else
		windows_close(&s->base);
	return status;
}

int source_windows_open(struct nc3z_source *in, struct nc3z_source **out_ret,
			struct nc3z_error *err)
{
	const struct source_ends ends = {
		.front_nbytes = SOURCE_FRONT_NBYTES,
		.tail_nbytes = SOURCE_TAIL_NBYTES,
	};

	return source_windows_open_ends(in, &ends, out_ret, err);
}

void source_windows_close(struct nc3z_source *in, struct nc3z_source *out)
{
	if (out && out != in)
		nc3z_source_close(out);
}
