/* SPDX-License-Identifier: MIT */
#include "io/source_window.h"

#include <stdlib.h>

#include "base/sizes.h"

struct window_source {
	struct nc3z_source base;
	struct nc3z_source *in;
	struct nc3z_range range;
	struct window_owner owner;
	uint64_t announcement; /* of a stream */
};

static int window_read_at(struct nc3z_source *source, uint64_t offset,
			  void *data, size_t nbytes, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct window_source *w = (struct window_source *)source;
	uint64_t start = size_min(offset, source->size);

	nbytes = (size_t)size_min(nbytes, source->size - start);
	return source_read_at(w->in, w->range.offset + start, data, nbytes,
			      nbytes_ret, err);
}

static int window_check_unchanged(struct nc3z_source *source,
				  struct nc3z_error *err)
{
	struct window_source *w = (struct window_source *)source;

	return source_check_unchanged(w->in, err);
}

/* Without memory nothing is announced, and everything works all the same. */
static uint64_t window_announce(struct nc3z_source *source,
				const struct nc3z_range *ranges, size_t nranges)
{
	struct window_source *w = (struct window_source *)source;
	struct nc3z_range *moved = memory_alloc(nranges, sizeof(*moved));
	uint64_t announcement = 0;

	for (size_t i = 0; moved && i < nranges; i++) {
		uint64_t offset = size_min(ranges[i].offset, source->size);

		moved[i].offset = w->range.offset + offset;
		moved[i].nbytes =
			size_min(ranges[i].nbytes, source->size - offset);
	}
	if (moved)
		announcement = source_announce(w->in, moved, nranges);
	free(moved);
	return announcement;
}

static void window_forget(struct nc3z_source *source, uint64_t announcement)
{
	source_forget(((struct window_source *)source)->in, announcement);
}

static void window_close(struct nc3z_source *source)
{
	struct window_source *w = (struct window_source *)source;

	if (w->owner.let_go)
		w->owner.let_go(w->owner.self);
	free(w);
}

static const struct source_ops window_ops = {
	.read_at = window_read_at,
	.check_unchanged = window_check_unchanged,
	.close = window_close,
};

/* In a source that is slow. */
static const struct source_ops announcing_ops = {
	.read_at = window_read_at,
	.check_unchanged = window_check_unchanged,
	.close = window_close,
	.announce = window_announce,
	.forget = window_forget,
};

/* Whoever reads a stream announces all of it once more. */
static uint64_t stream_announce(struct nc3z_source *source,
				const struct nc3z_range *ranges, size_t nranges)
{
	(void)source;
	(void)ranges;
	(void)nranges;
	return 0;
}

static void stream_close(struct nc3z_source *source)
{
	struct window_source *w = (struct window_source *)source;

	source_forget(w->in, w->announcement);
	window_close(source);
}

static const struct source_ops stream_ops = {
	.read_at = window_read_at,
	.check_unchanged = window_check_unchanged,
	.close = stream_close,
	.announce = stream_announce,
};

int source_window_open(struct nc3z_source *in, const struct nc3z_range *range,
		       const struct window_owner *owner,
		       struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct window_source *w = calloc(1, sizeof(*w));

	if (!w)
		return error_set_memory(err);
	w->base = (struct nc3z_source){
		.ops = source_is_slow(in) ? &announcing_ops : &window_ops,
		.size = range->nbytes,
		.can_seek = true,
	};
	w->in = in;
	w->range = *range;
	w->owner = *owner;
	*source_ret = &w->base;
	return NC3Z_OK;
}

int source_window_stream(struct nc3z_source *in, const struct nc3z_range *range,
			 const struct window_owner *owner,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err)
{
	NC3Z_TRY(source_window_open(in, range, owner, source_ret, err));
	if (!source_is_slow(in) || range->nbytes == 0)
		return NC3Z_OK;
	(*source_ret)->ops = &stream_ops;
	((struct window_source *)*source_ret)->announcement =
		source_announce(in, range, 1);
	return NC3Z_OK;
}
