/* SPDX-License-Identifier: MIT */
/*
 * A variable whose bytes (those of one window, for a record variable) reach
 * PLAN_SMALL_NBYTES gets a stream.  Smaller ones of the same element width
 * share a group, if together they reach it.  All that is left (header, gaps,
 * text, small numbers) goes into rest streams in the order of the file, where
 * neighbours melt into one member.
 *
 * Where variables are joined, no size gives one a stream, and what they share a
 * group by may be their width, more than that, or nothing.
 *
 * Members of a group or rest stream begin within one window, fixed ones within
 * much less, so that what is read early (the header before all) need not wait
 * long for what is read late: a block is written once it is full, and restoring
 * holds all that was written before the block that it needs.
 */
#include "plan/shape.h"

#include <stdlib.h>

#include "base/sizes.h"

/* Variables that differ more than that are joined with the rest. */
#define KINDS_MAX 64

struct shaper {
	const struct classic_header *header;
	const struct layout *layout;
	const struct layout_extents *extents; /* fixed, or slots */
	bool is_record;
	const struct plan_shaping *shaping;
	uint64_t window_nrecords; /* records in a window; 1 if fixed */
	struct plan *plan;
	struct plan_hint *hints;
	size_t plan_capacity;
	size_t hints_capacity;
	struct nc3z_error *err;
};

/* Bytes of a block of a stream, about. */
static uint32_t wanted_nbytes(const struct shaper *sh,
			      const struct plan_hint *hint)
{
	if (sh->shaping->block_nbytes != 0)
		return sh->shaping->block_nbytes;
	if (hint->is_text)
		return PLAN_TEXT_BLOCK_NBYTES;
	return (uint32_t)size_max(hint->width * PLAN_BLOCK_NELEMS,
				  PLAN_BLOCK_NBYTES_LEAST);
}

/* Bytes of an extent in one window. */
static uint64_t window_nbytes(const struct shaper *sh,
			      const struct layout_extent *extent)
{
	return size_mul_max(extent->nbytes, sh->window_nrecords, UINT64_MAX);
}

static int add_stream(struct shaper *sh, struct plan_hint hint,
		      uint32_t *stream_ret)
{
	uint32_t count = sh->plan->nstreams;

	if (!memory_room(&sh->plan->streams, count, &sh->plan_capacity,
			 sizeof(*sh->plan->streams)))
		return error_set_memory(sh->err);
	if (!memory_room(&sh->hints, count, &sh->hints_capacity, sizeof(hint)))
		return error_set_memory(sh->err);
	sh->hints[count] = hint;
	sh->plan->streams[count] = (struct plan_stream){
		.is_record = sh->is_record,
		.width = hint.width,
	};
	sh->plan->nstreams++;
	*stream_ret = count;
	return NC3Z_OK;
}

/* Appends a member; bytes of no variable melt into those before them. */
static int add_member(struct shaper *sh, uint32_t stream,
		      const struct layout_extent *extent, uint32_t variable)
{
	struct plan_stream *s = &sh->plan->streams[stream];
	struct plan_member *last =
		s->nmembers > 0 ? &s->members[s->nmembers - 1] : NULL;
	size_t capacity = s->nmembers;
	void *grown;

	s->nbytes += extent->nbytes;
	if (last && variable == PLAN_NO_VARIABLE &&
	    last->variable == PLAN_NO_VARIABLE &&
	    last->begin + last->nbytes == extent->begin) {
		last->nbytes += extent->nbytes;
		return NC3Z_OK;
	}
	/* Powers of two are enough of a capacity. */
	if ((capacity & (capacity - 1)) == 0) {
		grown = realloc(s->members, (capacity ? 2 * capacity : 1) *
						    sizeof(*s->members));
		if (!grown)
			return error_set_memory(sh->err);
		s->members = grown;
	}
	s->members[s->nmembers++] = (struct plan_member){
		.variable = variable,
		.begin = extent->begin,
		.nbytes = extent->nbytes,
	};
	return NC3Z_OK;
}

/*
 * Blocks of a span that is larger than one block: equal but for the last, in
 * whole planes or rows where these are smaller than a block.
 */
static uint32_t cut_span(const struct shaper *sh, const struct plan_hint *hint,
			 uint64_t span_nbytes)
{
	uint64_t plane = (uint64_t)hint->plane_nelems * hint->width;
	uint64_t row = (uint64_t)hint->row_nelems * hint->width;
	uint64_t wanted = wanted_nbytes(sh, hint);
	uint64_t unit = hint->width, nblocks, nbytes;

	if (plane > 0 && plane <= wanted)
		unit = plane;
	else if (row > 0 && row <= wanted)
		unit = row;
	nbytes = wanted / unit * unit;
	nblocks = size_div_up(span_nbytes, nbytes);
	nbytes = size_div_up(size_div_up(span_nbytes, nblocks), unit) * unit;
	return (uint32_t)nbytes;
}

/* Panels and blocks of a stream whose members are complete. */
static void cut_stream(const struct shaper *sh, uint32_t stream)
{
	struct plan_stream *s = &sh->plan->streams[stream];
	uint32_t wanted = wanted_nbytes(sh, &sh->hints[stream]);
	uint64_t span_nbytes = s->nbytes;

	if (s->is_record) {
		uint64_t nrecords = wanted / s->nbytes;

		nrecords = size_min(nrecords, sh->window_nrecords);
		nrecords = size_min(nrecords, PLAN_PANEL_NRECORDS_MAX);
		s->panel_nrecords = (uint32_t)size_max(nrecords, 1);
		span_nbytes *= s->panel_nrecords;
	}
	s->block_nbytes = span_nbytes <= wanted ?
				  (uint32_t)span_nbytes :
				  cut_span(sh, &sh->hints[stream], span_nbytes);
}

/* The chunks of a variable, to be freed with free(); NULL: it is linear. */
static int chunk_variable(const struct shaper *sh, uint32_t variable,
			  struct plan_grid **tiling_ret)
{
	const struct classic_var *var = &sh->header->vars[variable];
	const struct plan_hint hint = plan_hint_of_type(var->type);
	const struct plan_chunks_job job = {
		.spec = sh->shaping->chunks,
		.header = sh->header,
		.record_nbytes = sh->layout->record_nbytes,
		.limits = {
			.target_nbytes = wanted_nbytes(sh, &hint),
			.band_nbytes = sh->shaping->band_nbytes,
		},
	};
	uint32_t chunks[PLAN_RANK_MAX];
	struct plan_grid *grid;
	bool is_chunked = false;

	*tiling_ret = NULL;
	if (job.spec)
		NC3Z_TRY(plan_chunks_of(&job, variable, chunks, &is_chunked,
					sh->err));
	if (!is_chunked)
		return NC3Z_OK;
	grid = plan_grid_new((uint32_t)var->ndims);
	if (!grid)
		return error_set_memory(sh->err);
	for (uint32_t i = 0; i < grid->rank; i++) {
		grid->dims[i].length = sh->header->dims[var->dimids[i]].length;
		grid->dims[i].chunk = chunks[i];
	}
	*tiling_ret = grid;
	return NC3Z_OK;
}

static int add_linear_stream(struct shaper *sh,
			     const struct layout_extent *extent)
{
	struct plan_hint hint =
		plan_hint_of_variable(sh->header, extent->variable);
	uint32_t stream;

	NC3Z_TRY(add_stream(sh, hint, &stream));
	NC3Z_TRY(add_member(sh, stream, extent, extent->variable));
	cut_stream(sh, stream);
	return NC3Z_OK;
}

/* The values of a variable in chunks, which the plan then owns. */
static int add_chunked_stream(struct shaper *sh, struct plan_grid *grid,
			      const struct layout_extent *values)
{
	enum classic_type type = sh->header->vars[values->variable].type;
	uint32_t stream;
	int status = add_stream(sh, plan_hint_of_chunks(type, grid), &stream);

	if (status != NC3Z_OK) {
		free(grid);
		return status;
	}
	sh->plan->streams[stream].grid = grid;
	return add_member(sh, stream, values, values->variable);
}

/* A group that takes members, or none. */
struct group {
	bool is_open;
	uint32_t stream;
	uint64_t begin;
	uint64_t nbytes;
};

/* Variables that may share a group. */
struct kind {
	struct plan_hint hint; /* of the first of them */
	uint64_t nbytes;       /* of all, in one window */
	struct group group;
};

/* Kind 0 is the rest. */
struct kinds {
	struct kind list[KINDS_MAX];
	unsigned count;
};

static void close_group(const struct shaper *sh, struct group *g)
{
	if (g->is_open)
		cut_stream(sh, g->stream);
	*g = (struct group){ 0 };
}

/* Whether a copy of the header may pay: its group ends soon. */
static bool has_early_header(const struct shaper *sh)
{
	return !sh->shaping->header_waits &&
	       sh->shaping->joining != PLAN_JOIN_ALL &&
	       sh->header->nbytes * PLAN_HEADER_OF_ORIGINAL <=
		       sh->layout->data_end;
}

/* Whether an extent belongs into the group that is open. */
static bool group_takes(const struct shaper *sh, const struct group *g,
			const struct layout_extent *extent, bool is_rest)
{
	bool is_far = sh->is_record || sh->shaping->joining != PLAN_JOIN_SMALL;
	uint64_t reach = is_far ? PLAN_WINDOW_NBYTES : PLAN_REACH_NBYTES;

	if (g->begin == 0 && !sh->is_record && has_early_header(sh))
		reach = sh->header->nbytes + PLAN_HEADER_REACH_NBYTES;
	if (!g->is_open || extent->begin - g->begin > reach)
		return false;
	/* One panel of a group is one block. */
	return is_rest || !sh->is_record ||
	       g->nbytes + extent->nbytes <=
		       wanted_nbytes(sh, &sh->hints[g->stream]);
}

static int add_to_group(struct shaper *sh, struct group *g,
			const struct layout_extent *extent,
			struct plan_hint hint, uint32_t variable)
{
	bool is_rest = variable == PLAN_NO_VARIABLE;

	if (!group_takes(sh, g, extent, is_rest)) {
		close_group(sh, g);
		NC3Z_TRY(add_stream(sh, hint, &g->stream));
		g->is_open = true;
		g->begin = extent->begin;
	}
	g->nbytes += extent->nbytes;
	return add_member(sh, g->stream, extent, variable);
}

/* What is known of a variable in a group. */
static struct plan_hint hint_in_group(const struct shaper *sh,
				      const struct layout_extent *extent)
{
	struct plan_hint hint =
		plan_hint_of_variable(sh->header, extent->variable);

	hint.plane_nelems = 0;
	if (sh->shaping->joining != PLAN_JOIN_LIKE)
		hint.row_nelems = 0;
	return hint;
}

static bool is_kind(const struct shaper *sh, const struct kind *kind,
		    const struct plan_hint *hint)
{
	return kind->hint.width == hint->width &&
	       (sh->shaping->joining != PLAN_JOIN_LIKE ||
		(kind->hint.is_float == hint->is_float &&
		 kind->hint.is_text == hint->is_text &&
		 kind->hint.row_nelems == hint->row_nelems));
}

/* The kind of a variable that gets no stream of its own, maybe a new one. */
static struct kind *kind_of(const struct shaper *sh, struct kinds *kinds,
			    const struct layout_extent *extent)
{
	enum plan_joining joining = sh->shaping->joining;
	struct plan_hint hint;

	if (extent->variable == CLASSIC_NO_VARIABLE || joining == PLAN_JOIN_ALL)
		return &kinds->list[0];
	hint = hint_in_group(sh, extent);
	if (hint.width == 1 && joining != PLAN_JOIN_LIKE)
		return &kinds->list[0];
	for (unsigned i = 1; i < kinds->count; i++)
		if (is_kind(sh, &kinds->list[i], &hint))
			return &kinds->list[i];
	if (kinds->count == KINDS_MAX)
		return &kinds->list[0];
	kinds->list[kinds->count].hint = hint;
	return &kinds->list[kinds->count++];
}

/*
 * A variable with a stream of its own; the padding of a chunked one has none.
 */
static int add_variable(struct shaper *sh, struct group *rest,
			const struct layout_extent *extent)
{
	const struct classic_var *var = &sh->header->vars[extent->variable];
	const struct plan_hint bytes = { .width = 1, .is_text = true };
	struct layout_extent values = *extent, padding = *extent;
	struct plan_grid *grid;
	uint64_t nelems = 0;

	NC3Z_TRY(chunk_variable(sh, extent->variable, &grid));
	if (!grid)
		return add_linear_stream(sh, extent);
	classic_var_nelems(sh->header, var, &nelems);
	values.nbytes = nelems * classic_type_nbytes(var->type);
	NC3Z_TRY(add_chunked_stream(sh, grid, &values));
	padding.begin += values.nbytes;
	padding.nbytes -= values.nbytes;
	if (padding.nbytes == 0)
		return NC3Z_OK;
	return add_to_group(sh, rest, &padding, bytes, PLAN_NO_VARIABLE);
}

static bool has_own_stream(const struct shaper *sh,
			   const struct layout_extent *extent)
{
	return sh->shaping->joining == PLAN_JOIN_SMALL &&
	       extent->variable != CLASSIC_NO_VARIABLE &&
	       window_nbytes(sh, extent) >= PLAN_SMALL_NBYTES;
}

/* How many bytes the variables of each kind have in one window. */
static void measure_kinds(const struct shaper *sh, struct kinds *kinds)
{
	for (size_t i = 0; i < sh->extents->count; i++) {
		const struct layout_extent *extent = &sh->extents->list[i];

		if (!has_own_stream(sh, extent))
			kind_of(sh, kinds, extent)->nbytes +=
				window_nbytes(sh, extent);
	}
}

static int add_small(struct shaper *sh, struct kinds *kinds,
		     const struct layout_extent *extent)
{
	const struct plan_hint bytes = { .width = 1, .is_text = true };
	struct kind *kind = kind_of(sh, kinds, extent);
	struct kind *rest = &kinds->list[0];

	if (kind == rest || kind->nbytes < PLAN_SMALL_NBYTES)
		return add_to_group(sh, &rest->group, extent, bytes,
				    PLAN_NO_VARIABLE);
	return add_to_group(sh, &kind->group, extent, hint_in_group(sh, extent),
			    extent->variable);
}

/* Whether these are the bytes after the data, of which there may be none. */
static bool is_tail(const struct shaper *sh, const struct layout_extent *extent)
{
	return !sh->is_record && extent->variable == CLASSIC_NO_VARIABLE &&
	       extent->begin + extent->nbytes == PLAN_OFFSET_END;
}

static int add_extent(struct shaper *sh, struct kinds *kinds,
		      const struct layout_extent *extent)
{
	struct group *rest = &kinds->list[0].group;

	/*
	 * If these were in the header's stream, its block would be complete at
	 * the end of the original only, and lost where an archive is cut off.
	 */
	if (is_tail(sh, extent))
		close_group(sh, rest);
	return has_own_stream(sh, extent) ? add_variable(sh, rest, extent) :
					    add_small(sh, kinds, extent);
}

/* Streams for all fixed extents, or for all slots of a record. */
static int shape_extents(struct shaper *sh)
{
	struct kinds kinds = { .count = 1 };
	int status = NC3Z_OK;

	measure_kinds(sh, &kinds);
	for (size_t i = 0; i < sh->extents->count && status == NC3Z_OK; i++)
		status = add_extent(sh, &kinds, &sh->extents->list[i]);
	for (unsigned i = 0; i < kinds.count; i++)
		close_group(sh, &kinds.list[i].group);
	return status;
}

static int shape_all(struct shaper *sh)
{
	const struct layout *layout = sh->layout;

	NC3Z_TRY(shape_extents(sh));
	if (layout->record_nbytes == 0)
		return NC3Z_OK;
	sh->extents = &layout->slots;
	sh->is_record = true;
	sh->window_nrecords = size_max(
		1, size_min(layout->nrecords,
			    PLAN_WINDOW_NBYTES / layout->record_nbytes));
	return shape_extents(sh);
}

int plan_shape(const struct classic_header *header, const struct layout *layout,
	       const struct plan_shaping *shaping, struct plan *plan_ret,
	       struct plan_hint **hints_ret, struct nc3z_error *err)
{
	struct shaper sh = {
		.header = header,
		.layout = layout,
		.extents = &layout->fixed,
		.window_nrecords = 1,
		.shaping = shaping,
		.plan = plan_ret,
		.err = err,
	};
	int status;

	*plan_ret = (struct plan){
		.header_nbytes = header->nbytes,
		.record_begin = layout->record_begin,
		.record_nbytes = layout->record_nbytes,
		.nrecords = layout->nrecords,
	};
	status = shape_all(&sh);
	if (status == NC3Z_OK)
		status = plan_finish(plan_ret, err);
	*hints_ret = sh.hints;
	if (status != NC3Z_OK) {
		plan_release(plan_ret);
		free(sh.hints);
		*hints_ret = NULL;
	}
	return status;
}
