/* SPDX-License-Identifier: MIT */
/*
 * Decoding: everything that is read here is hostile.  The description has been
 * checked as far as that goes without the parts; what remains is checked where
 * it becomes known: the number of holes, ranks, places of exceptions.
 */
#include <string.h>

#include "base/checksum.h"
#include "base/bytes.h"
#include "block/block.h"
#include "filter/decimal.h"
#include "filter/drop.h"
#include "filter/multiple.h"
#include "filter/palette.h"

/* A block that is being decoded. */
struct work {
	struct block_coder *coder;
	struct block_description d;
	const uint8_t *stored; /* of the next part */
	unsigned part;         /* its number */
	uint8_t *raw;
	size_t n; /* elements */
	const uint8_t *holes;
	size_t nkept;
	struct nc3z_error *err;
};

static int damaged_block(struct work *w, const char *what)
{
	return error_set(w->err, NC3Z_EDAMAGED, "%s", what);
}

/* Undoes the codec of a part. */
static int open_part(struct work *w, const struct block_part *part,
		     uint8_t *out)
{
	struct codec_buffers buffers = {
		.in = w->stored,
		.in_nbytes = part->stored_nbytes,
		.out = out,
		.out_nbytes = part->nbytes,
	};

	w->stored += part->stored_nbytes;
	w->part++;
	return codec_decode(&w->coder->codecs, part->codec, &buffers, w->err);
}

/* A part of 'nbytes' bytes as it was before its filters. */
static int decode_part(struct work *w, const struct block_part *part,
		       size_t nbytes, uint8_t *out)
{
	struct buffer *filtered = &w->coder->filtered;
	struct buffer *scratch = &w->coder->scratch;

	if (part->nbytes != nbytes)
		return damaged_block(w, "length of a part is wrong");
	if (part->chain.nsteps == 0)
		return open_part(w, part, out);
	if (!buffer_reserve(filtered, nbytes) ||
	    !buffer_reserve(scratch, nbytes))
		return error_set_memory(w->err);
	NC3Z_TRY(open_part(w, part, filtered->data));
	filter_invert(&part->chain, part->width, filtered->data, nbytes, out,
		      scratch->data);
	return NC3Z_OK;
}

/*
 * The next part, of a length within the bound of the description, in one of
 * the coder's buffers.
 */
static int decode_side(struct work *w, struct buffer *out)
{
	const struct block_part *part = &w->d.parts[w->part];

	if (part->nbytes == 0)
		return damaged_block(w, "empty part");
	if (!buffer_reserve(out, part->nbytes))
		return error_set_memory(w->err);
	out->nbytes = part->nbytes;
	return decode_part(w, part, part->nbytes, out->data);
}

/* The first element again and again: each copy doubles what is there. */
static void fill_constant(const uint8_t *value, size_t width, uint8_t *raw,
			  size_t nbytes)
{
	size_t done = width;

	memcpy(raw, value, width);
	while (done < nbytes) {
		size_t more = done < nbytes - done ? done : nbytes - done;

		memcpy(raw + done, raw, more);
		done += more;
	}
}

static int find_holes(struct work *w, const struct block_split *split)
{
	struct buffer *mask = &w->coder->sides[0];
	struct buffer *holes = &w->coder->holes;
	size_t nholes;

	NC3Z_TRY(decode_side(w, mask));
	if (mask->nbytes != drop_mask_nbytes(w->n))
		return damaged_block(w, "mask has the wrong length");
	if (!buffer_reserve(holes, w->n))
		return error_set_memory(w->err);
	if (!drop_unpack(mask->data, w->n, split->stride, holes->data,
			 &nholes) ||
	    nholes == w->n)
		return damaged_block(w, "invalid mask");
	w->holes = holes->data;
	w->nkept = w->n - nholes;
	return NC3Z_OK;
}

static int find_repeats(struct work *w, const struct block_split *split)
{
	struct buffer *codes = &w->coder->sides[0];
	struct buffer *holes = &w->coder->holes;
	size_t nholes;

	NC3Z_TRY(decode_side(w, codes));
	if (codes->nbytes != w->n)
		return damaged_block(w,
				     "codes of repeats have the wrong length");
	if (!buffer_reserve(holes, w->n))
		return error_set_memory(w->err);
	if (!repeat_unpack(codes->data, w->n, &split->distances, holes->data,
			   &nholes))
		return damaged_block(w, "invalid code of a repeat");
	w->holes = holes->data;
	w->nkept = w->n - nholes;
	return NC3Z_OK;
}

/* The elements of the next part, which is coded by contexts. */
static int decode_context(struct work *w, const struct filter_elems *shape,
			  void *elems)
{
	const struct block_part *part = &w->d.parts[w->part++];
	const struct codec_buffers buffers = {
		.in = w->stored,
		.in_nbytes = part->stored_nbytes,
		.out = elems,
		.out_nbytes = shape->n * shape->width,
	};

	w->stored += part->stored_nbytes;
	return context_decode(&w->coder->context, &w->coder->codecs, shape,
			      &buffers, w->err);
}

/* The elements of the main part, holes included, in coder->elems. */
static int decode_main(struct work *w)
{
	const struct block_part *part = &w->d.parts[w->part];
	const struct filter_elems elems = {
		.width = part->width,
		.n = w->n,
		.holes = w->holes,
		.nkept = w->nkept,
	};
	struct block_coder *c = w->coder;

	if (part->width > w->d.width || part->nbytes != w->nkept * part->width)
		return damaged_block(w, "main part has the wrong length");
	if (!buffer_reserve(&c->elems, w->n * part->width))
		return error_set_memory(w->err);
	if (part->codec == NC3Z_CODEC_CONTEXT)
		return decode_context(w, &elems, c->elems.data);
	if (!buffer_reserve(&c->filtered, part->nbytes) ||
	    !buffer_reserve(&c->scratch, w->n * part->width))
		return error_set_memory(w->err);
	NC3Z_TRY(open_part(w, part, c->filtered.data));
	filter_restore(&part->chain, &elems, c->filtered.data, c->elems.data,
		       c->scratch.data);
	return NC3Z_OK;
}

/* Puts the values of exceptions to their places, which ascend. */
static int put_exceptions(struct work *w)
{
	const struct buffer *places = &w->coder->sides[1];
	const struct buffer *values = &w->coder->sides[2];
	const size_t width = w->d.width;
	uint64_t next = 0;

	if (places->nbytes % 4 != 0 ||
	    values->nbytes != places->nbytes / 4 * width)
		return damaged_block(w, "exceptions have the wrong length");
	for (size_t i = 0; i < places->nbytes / 4; i++) {
		uint32_t place = load_be32(places->data + 4 * i);

		if (place < next || place >= w->n)
			return damaged_block(w,
					     "invalid place of an exception");
		memcpy(w->raw + place * width, values->data + i * width, width);
		next = (uint64_t)place + 1;
	}
	return NC3Z_OK;
}

static int join_fraction(struct work *w, const struct block_split *split)
{
	struct decimal d = {
		.divisor = split->divisor,
		.factor = split->factor,
		.minimum = split->minimum,
	};

	if (split->has_exceptions) {
		NC3Z_TRY(decode_side(w, &w->coder->sides[1]));
		NC3Z_TRY(decode_side(w, &w->coder->sides[2]));
	}
	d.width = w->d.parts[w->part].width;
	NC3Z_TRY(decode_main(w));
	decimal_join(&d, w->coder->elems.data, w->n, w->d.width, w->raw);
	return NC3Z_OK;
}

static int join_multiple(struct work *w, const struct block_split *split)
{
	const struct multiple m = {
		.minimum = (uint64_t)split->minimum,
		.factor = split->factor,
		.width = w->d.parts[w->part].width,
	};

	NC3Z_TRY(decode_main(w));
	multiple_join(&m, w->coder->elems.data, w->n, w->d.width, w->raw);
	return NC3Z_OK;
}

static int join_palette(struct work *w, const struct block_split *split)
{
	const uint8_t width = w->d.width;
	struct buffer *table = &w->coder->sides[1];
	struct palette palette;

	(void)split;
	NC3Z_TRY(decode_side(w, table));
	palette.nvalues = table->nbytes / width;
	palette.width = w->d.parts[w->part].width;
	if (table->nbytes % width != 0 || palette.width > 2 ||
	    palette.nvalues > PALETTE_VALUES_MAX)
		return damaged_block(w, "invalid palette");
	NC3Z_TRY(decode_main(w));
	if (w->holes)
		filter_clear_holes(palette.width, w->coder->elems.data, w->n,
				   w->holes);
	if (!palette_join(&palette, table->data, w->coder->elems.data, w->n,
			  width, w->raw))
		return damaged_block(w, "rank is outside of the palette");
	return NC3Z_OK;
}

static int join_constant(struct work *w, const struct block_split *split)
{
	fill_constant(split->value, w->d.width, w->raw, w->n * w->d.width);
	return NC3Z_OK;
}

static int join_plain(struct work *w, const struct block_split *split)
{
	(void)split;
	if (w->d.parts[w->part].width != w->d.width)
		return damaged_block(w, "main part has another width");
	NC3Z_TRY(decode_main(w));
	filter_store(w->d.width, w->coder->elems.data, w->n, w->raw);
	return NC3Z_OK;
}

/* Makes elements of the main part, by the last step. */
static int (*const joins[])(struct work *w, const struct block_split *split) = {
	[BLOCK_CONSTANT] = join_constant, [BLOCK_DROP] = join_plain,
	[BLOCK_FRACTION] = join_fraction, [BLOCK_PALETTE] = join_palette,
	[BLOCK_MULTIPLE] = join_multiple, [BLOCK_REPEAT] = join_plain,
};

static int decode_split(struct work *w)
{
	const struct block_split *first = &w->d.splits[0];
	const struct block_split *last = &w->d.splits[w->d.nsplits - 1];

	if (first->id == BLOCK_DROP)
		NC3Z_TRY(find_holes(w, first));
	else if (first->id == BLOCK_REPEAT)
		NC3Z_TRY(find_repeats(w, first));
	NC3Z_TRY(joins[last->id](w, last));
	if (first->id == BLOCK_DROP)
		drop_fill(w->d.width, first->value, w->holes, w->n, w->raw);
	if (last->has_exceptions)
		NC3Z_TRY(put_exceptions(w));
	/* They may repeat exceptions. */
	if (first->id == BLOCK_REPEAT)
		repeat_fill(w->d.width, w->coder->sides[0].data, w->n,
			    &first->distances, w->raw);
	return NC3Z_OK;
}

/* Without splitting steps the one part is the block. */
static int decode_whole(struct work *w, size_t raw_nbytes)
{
	const struct block_part *part = &w->d.parts[0];
	const struct filter_elems shape = {
		.width = part->width,
		.n = raw_nbytes / part->width,
		.nkept = raw_nbytes / part->width,
	};
	struct buffer *elems = &w->coder->elems;

	if (part->codec != NC3Z_CODEC_CONTEXT)
		return decode_part(w, part, raw_nbytes, w->raw);
	if (part->nbytes != raw_nbytes)
		return damaged_block(w, "length of a part is wrong");
	if (!buffer_reserve(elems, raw_nbytes))
		return error_set_memory(w->err);
	NC3Z_TRY(decode_context(w, &shape, elems->data));
	filter_store(part->width, elems->data, shape.n, w->raw);
	return NC3Z_OK;
}

int block_decode(struct block_coder *coder, const struct block_view *stored,
		 uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct work w = {
		.coder = coder,
		/* Where there is no payload, parts of no bytes follow each
		 * other all the same. */
		.stored = stored->payload ? stored->payload :
					    (const uint8_t *)"",
		.raw = raw,
		.err = err,
	};

	NC3Z_TRY(block_description_read(stored, raw_nbytes, &w.d, err));
	if (w.d.nsplits == 0)
		return decode_whole(&w, raw_nbytes);
	w.n = w.nkept = (raw_nbytes - w.d.end_nbytes) / w.d.width;
	memcpy(raw + w.n * w.d.width, w.d.end, w.d.end_nbytes);
	return decode_split(&w);
}

int block_decode_checked(struct block_coder *coder,
			 const struct block_view *stored, uint8_t *raw,
			 size_t raw_nbytes, uint32_t raw_crc,
			 struct nc3z_error *err)
{
	NC3Z_TRY(block_decode(coder, stored, raw, raw_nbytes, err));
	if (crc32_of(raw, raw_nbytes) != raw_crc)
		return error_set(err, NC3Z_EDAMAGED,
				 "decoded bytes are damaged: CRC-32 differs");
	return NC3Z_OK;
}
