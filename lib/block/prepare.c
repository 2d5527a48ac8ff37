/* SPDX-License-Identifier: MIT */
/*
 * The splitting steps of a block that is to be encoded.  The elements of the
 * main part keep their places, holes and all, so that filters find neighbours;
 * what lies beside the main part is encoded here.
 */
#include <string.h>

#include "base/sizes.h"
#include "block/internal.h"
#include "filter/decimal.h"
#include "filter/drop.h"
#include "filter/multiple.h"
#include "filter/palette.h"
#include "filter/repeat.h"

/* A value is dropped if one element in so many has it. */
#define DROP_SHARE 50
/* Repeats are left out if one element in so many is one. */
#define REPEAT_SHARE 4
/* Blocks with fewer elements have nothing to gain from parts. */
#define SPLIT_NELEMS_MIN 64

void block_prepared_release(struct block_prepared *prepared)
{
	buffer_release(&prepared->main);
	buffer_release(&prepared->holes);
	buffer_release(&prepared->sides);
	*prepared = (struct block_prepared){ 0 };
}

/*
 * Whether all elements but some bytes at the end are equal.  The end is the
 * rest that is no whole element, and up to three more bytes of padding.
 */
static bool find_constant(const uint8_t *raw, size_t nbytes, size_t width,
			  size_t *end_nbytes_ret)
{
	size_t end = nbytes % width;

	for (; end + width <= nbytes && end <= BLOCK_END_MAX; end += width)
		if (memcmp(raw, raw + width, nbytes - end - width) == 0) {
			*end_nbytes_ret = end;
			return true;
		}
	return false;
}

static struct block_split *add_split(struct block_splitting *w,
				     enum block_split_id id)
{
	struct block_description *d = &w->p->description;
	struct block_split *split = &d->splits[d->nsplits++];

	*split = (struct block_split){ .id = (uint8_t)id };
	return split;
}

/* The start that the descriptions of all splitting steps share. */
static void set_end(struct block_splitting *w, size_t end_nbytes)
{
	struct block_description *d = &w->p->description;

	d->width = w->recipe->width;
	d->end_nbytes = (uint8_t)end_nbytes;
	memcpy(d->end, w->p->raw + w->p->raw_nbytes - end_nbytes, end_nbytes);
}

/* The mask as it is, or xored with the row above. */
static int encode_mask(struct block_splitting *w, const struct block_part *like,
		       uint32_t *stride_ret)
{
	const uint32_t stride = w->recipe->row_nelems;
	const size_t n = w->p->nelems;
	struct buffer *xored = &w->coder->sides[1];
	struct block_side candidates[2] = {
		{ .raw = w->coder->sides[0].data }
	};
	bool repeats = stride > 0 && stride < n;
	unsigned best = 0;

	if (!buffer_reserve(xored, like->nbytes))
		return error_set_memory(w->err);
	if (repeats) {
		drop_pack(w->p->holes.data, n, stride, xored->data);
		candidates[1].raw = xored->data;
	}
	NC3Z_TRY(block_add_side(w, like, candidates, repeats ? 2 : 1, &best));
	*stride_ret = best == 1 ? stride : 0;
	return NC3Z_OK;
}

static int add_mask(struct block_splitting *w, struct block_split *split)
{
	struct block_last_mask *last = &w->coder->last_mask;
	struct block_description *d = &w->p->description;
	struct buffer *mask = &w->coder->sides[0], *sides = &w->p->sides;
	const size_t n = w->p->nelems;
	const struct block_part like = {
		.width = 1,
		.nbytes = (uint32_t)drop_mask_nbytes(n),
	};
	const struct block_part *part = &d->parts[d->nparts];

	if (!buffer_reserve(mask, like.nbytes))
		return error_set_memory(w->err);
	drop_pack(w->p->holes.data, n, 0, mask->data);
	if (block_last_mask_is(last, w->recipe, mask->data, n)) {
		d->parts[d->nparts++] = last->part;
		split->stride = last->stride;
		return buffer_append(sides, last->stored.data,
				     last->stored.nbytes) ?
			       NC3Z_OK :
			       error_set_memory(w->err);
	}
	NC3Z_TRY(encode_mask(w, &like, &split->stride));
	last->stride = split->stride;
	return block_last_mask_set(last, w->recipe, mask->data, n, part,
				   sides->data + sides->nbytes -
					   part->stored_nbytes) ?
		       NC3Z_OK :
		       error_set_memory(w->err);
}

static int drop(struct block_splitting *w)
{
	struct block_prepared *p = w->p;
	const uint8_t width = w->recipe->width;
	struct block_split *split;
	uint64_t value;
	size_t nholes;

	if (!buffer_reserve(&p->holes, p->nelems))
		return error_set_memory(w->err);
	drop_find(width, p->main.data, p->nelems, &value);
	nholes = drop_mark(width, p->main.data, p->nelems, &value,
			   p->holes.data);
	if (nholes < p->nelems / DROP_SHARE || nholes == p->nelems)
		return NC3Z_OK;
	p->has_holes = true;
	p->nkept = p->nelems - nholes;
	split = add_split(w, BLOCK_DROP);
	filter_store(width, &value, 1, split->value);
	return add_mask(w, split);
}

static int repeat(struct block_splitting *w)
{
	struct block_prepared *p = w->p;
	const struct repeat_input in = {
		.width = w->recipe->width,
		.elems = p->main.data,
		.n = p->nelems,
		.row = w->recipe->row_nelems,
		.plane = w->recipe->plane_nelems,
	};
	struct repeat_distances distances;
	const struct block_part like = { .width = 1,
					 .nbytes = (uint32_t)p->nelems };
	struct buffer *codes = &w->coder->sides[0];
	struct block_side candidate = { 0 };
	unsigned best;
	size_t nholes;

	if (p->has_holes)
		return NC3Z_OK;
	distances = repeat_find(&in);
	if (distances.n == 0)
		return NC3Z_OK;
	if (!buffer_reserve(codes, p->nelems) ||
	    !buffer_reserve(&p->holes, p->nelems))
		return error_set_memory(w->err);
	nholes = repeat_mark(&in, &distances, codes->data);
	if (nholes < p->nelems / REPEAT_SHARE)
		return NC3Z_OK;
	p->has_holes = true;
	p->nkept = p->nelems - nholes;
	for (size_t i = 0; i < p->nelems; i++)
		p->holes.data[i] = codes->data[i] > 0;
	add_split(w, BLOCK_REPEAT)->distances = distances;
	candidate.raw = codes->data;
	return block_add_side(w, &like, &candidate, 1, &best);
}

/* Places and values of exceptions. */
static int add_exceptions(struct block_splitting *w, size_t count)
{
	const uint8_t width = w->recipe->width;
	struct buffer *places = &w->coder->sides[1];
	struct buffer *values = &w->coder->sides[2];
	struct block_part part = { .width = 4 };
	struct block_side candidate = { 0 };
	unsigned best;
	const uint32_t *at = (const void *)places->data;

	if (!buffer_reserve(values, count * 8))
		return error_set_memory(w->err);
	for (size_t i = 0; i < count; i++)
		memcpy(values->data + i * width,
		       w->p->raw + (size_t)at[i] * width, width);
	filter_store(4, places->data, count, places->data);
	part.nbytes = (uint32_t)(count * 4);
	candidate.raw = places->data;
	filter_chain_add(&candidate.chain, NC3Z_FILTER_DELTA, 1);
	filter_chain_add(&candidate.chain, NC3Z_FILTER_SHUFFLE, 0);
	NC3Z_TRY(block_add_side(w, &part, &candidate, 1, &best));
	part.width = width;
	part.nbytes = (uint32_t)(count * width);
	candidate = (struct block_side){ .raw = values->data };
	filter_chain_add(&candidate.chain, NC3Z_FILTER_SHUFFLE, 0);
	return block_add_side(w, &part, &candidate, 1, &best);
}

/* The main part is other elements from now on. */
static void replace_main(struct block_splitting *w, uint8_t width)
{
	struct buffer old = w->p->main;

	w->p->main = w->coder->elems;
	w->coder->elems = old;
	w->main_width = width;
}

static int decimal(struct block_splitting *w)
{
	struct block_prepared *p = w->p;
	const struct decimal_input in = {
		.width = w->recipe->width,
		.elems = p->main.data,
		.n = p->nelems,
		.holes = p->has_holes ? p->holes.data : NULL,
	};
	size_t nbytes = in.n * in.width;
	struct buffer *places = &w->coder->sides[1];
	struct block_split *split;
	struct decimal d;

	d.divisor = decimal_find(&in);
	if (d.divisor == 0)
		return NC3Z_OK;
	if (!buffer_reserve(places, 4 * decimal_exceptions_max(in.n) + 4) ||
	    !buffer_reserve(&w->coder->elems, nbytes) ||
	    !buffer_reserve(&w->coder->scratch, nbytes))
		return error_set_memory(w->err);
	if (!decimal_split(&in, &d, w->coder->elems.data, (void *)places->data,
			   w->coder->scratch.data))
		return NC3Z_OK;
	split = add_split(w, BLOCK_FRACTION);
	split->divisor = d.divisor;
	split->factor = d.factor;
	split->minimum = d.minimum;
	split->has_exceptions = d.nexceptions > 0;
	replace_main(w, d.width);
	return d.nexceptions > 0 ? add_exceptions(w, d.nexceptions) : NC3Z_OK;
}

static int multiple(struct block_splitting *w)
{
	struct block_prepared *p = w->p;
	const struct multiple_input in = {
		.width = w->recipe->width,
		.elems = p->main.data,
		.n = p->nelems,
		.holes = p->has_holes ? p->holes.data : NULL,
	};
	struct block_split *split;
	struct multiple m;

	if (!buffer_reserve(&w->coder->elems, in.n * in.width))
		return error_set_memory(w->err);
	if (!multiple_split(&in, &m, w->coder->elems.data))
		return NC3Z_OK;
	split = add_split(w, BLOCK_MULTIPLE);
	split->factor = m.factor;
	split->minimum = (int64_t)m.minimum;
	replace_main(w, m.width);
	return NC3Z_OK;
}

/* Sorted values: differences, also twice where they are evenly spaced. */
static int add_table(struct block_splitting *w, const struct palette *palette,
		     const uint8_t *table)
{
	const uint8_t width = w->recipe->width;
	struct block_side candidates[3] = { { 0 } };
	struct block_part part = { .width = width };
	unsigned best;

	part.nbytes = (uint32_t)(palette->nvalues * width);
	for (unsigned i = 0; i < 3; i++) {
		struct filter_chain *chain = &candidates[i].chain;

		candidates[i].raw = table;
		if (i > 0 && w->recipe->is_float)
			filter_chain_add(chain, NC3Z_FILTER_ORDER, 0);
		if (i > 0)
			filter_chain_add(chain, NC3Z_FILTER_DELTA, 1);
		if (i > 1) {
			filter_chain_add(chain, NC3Z_FILTER_DELTA, 1);
			filter_chain_add(chain, NC3Z_FILTER_ZIGZAG, 0);
		}
		filter_chain_add(chain, NC3Z_FILTER_SHUFFLE, 0);
	}
	return block_add_side(w, &part, candidates, 3, &best);
}

/* Whether parts together stay within their bound with so many more bytes. */
static bool parts_fit(const struct block_splitting *w, size_t more_nbytes)
{
	const struct block_description *d = &w->p->description;
	size_t nbytes = more_nbytes;

	for (unsigned i = 0; i < d->nparts; i++)
		nbytes += d->parts[i].nbytes;
	return nbytes <= block_payload_max(w->p->raw_nbytes);
}

static int palette(struct block_splitting *w)
{
	struct block_prepared *p = w->p;
	const struct palette_input in = {
		.width = w->recipe->width,
		.is_float = w->recipe->is_float,
		.elems = p->main.data,
		.n = p->nelems,
		/* The table takes most of what ranks save beyond that. */
		.nvalues_max = size_min(p->nkept * 3 / 4, PALETTE_VALUES_MAX),
		.holes = p->has_holes ? p->holes.data : NULL,
	};
	struct buffer *memory = &w->coder->palette;
	struct buffer *table = &w->coder->sides[1];
	struct palette made;

	if (block_has_integers(p))
		return NC3Z_OK;
	if (!buffer_reserve(memory, sizeof(struct palette_memory)) ||
	    !buffer_reserve(table, (size_t)8 * PALETTE_VALUES_MAX) ||
	    !buffer_reserve(&w->coder->elems, in.n * in.width))
		return error_set_memory(w->err);
	if (!palette_split(&in, &made, table->data, w->coder->elems.data,
			   (void *)memory->data))
		return NC3Z_OK;
	/* A long table, and ranks that are hardly shorter than values. */
	if (!parts_fit(w, made.nvalues * in.width + p->nkept * made.width))
		return NC3Z_OK;
	add_split(w, BLOCK_PALETTE);
	replace_main(w, made.width);
	return add_table(w, &made, table->data);
}

/* Ways to split, in the order in which they are tried; joins[] undoes them. */
static const struct {
	uint8_t transform; /* that asks for it */
	bool of_floats, of_integers;
	uint8_t width_min;
	/* Adds splits and parts if that is worth it. */
	int (*split)(struct block_splitting *w);
} ways[] = {
	{ BLOCK_TRANSFORM_DROP, true, true, 1, drop },
	{ BLOCK_TRANSFORM_REPEAT, true, true, 4, repeat },
	{ BLOCK_TRANSFORM_DECIMAL, true, false, 4, decimal },
	{ BLOCK_TRANSFORM_DECIMAL, false, true, 1, multiple },
	{ BLOCK_TRANSFORM_PALETTE, true, true, 2, palette },
};

static bool suits_recipe(const struct block_recipe *recipe, size_t way)
{
	return (recipe->transforms & ways[way].transform) &&
	       (recipe->is_float ? ways[way].of_floats :
				   ways[way].of_integers) &&
	       recipe->width >= ways[way].width_min;
}

static int split_block(struct block_splitting *w)
{
	const struct block_recipe *recipe = w->recipe;
	struct block_prepared *p = w->p;

	p->nelems = p->nkept = p->raw_nbytes / recipe->width;
	if (p->nelems < SPLIT_NELEMS_MIN)
		return NC3Z_OK;
	if (!buffer_reserve(&p->main, p->nelems * recipe->width))
		return error_set_memory(w->err);
	filter_load(recipe->width, p->raw, p->nelems, p->main.data);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (suits_recipe(recipe, i))
			NC3Z_TRY(ways[i].split(w));
	if (p->description.nsplits > 0)
		set_end(w, p->raw_nbytes % recipe->width);
	return NC3Z_OK;
}

static void set_main_part(struct block_splitting *w)
{
	struct block_prepared *p = w->p;
	struct block_description *d = &p->description;
	struct block_part *part = &d->parts[d->nparts++];

	*part = (struct block_part){ .width = w->main_width };
	part->nbytes = (uint32_t)(d->nsplits > 0 ? p->nkept * w->main_width :
						   p->raw_nbytes);
}

int block_prepare(struct block_coder *coder, const struct block_recipe *recipe,
		  const uint8_t *raw, size_t raw_nbytes,
		  struct block_prepared *prepared, struct nc3z_error *err)
{
	struct block_splitting w = {
		.coder = coder,
		.recipe = recipe,
		.p = prepared,
		.err = err,
		.main_width = recipe->width,
	};
	bool stores = recipe->codec == NC3Z_CODEC_STORE;
	struct block_description *d = &prepared->description;
	size_t end_nbytes;

	prepared->raw = raw;
	prepared->raw_nbytes = raw_nbytes;
	prepared->has_holes = false;
	prepared->sides.nbytes = 0;
	*d = (struct block_description){ 0 };
	if (!stores &&
	    find_constant(raw, raw_nbytes, recipe->width, &end_nbytes)) {
		memcpy(add_split(&w, BLOCK_CONSTANT)->value, raw,
		       recipe->width);
		set_end(&w, end_nbytes);
		return NC3Z_OK;
	}
	if (!stores && recipe->transforms != 0)
		NC3Z_TRY(split_block(&w));
	set_main_part(&w);
	return NC3Z_OK;
}
