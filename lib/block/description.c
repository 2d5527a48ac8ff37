/* SPDX-License-Identifier: MIT */
/*
 * The description of a block as bytes: number of splitting steps; if there are
 * any, element width, the bytes at the end and the steps; then the parts, as
 * many as the steps make.
 */
#include <string.h>

#include "base/cursor.h"
#include "base/sizes.h"
#include "block/splits.h"

static bool write_part(const struct block_part *part, struct buffer *out)
{
	bool ok = buffer_u8(out, part->codec) && buffer_u8(out, part->width) &&
		  buffer_u8(out, part->chain.nsteps);

	for (unsigned i = 0; ok && i < part->chain.nsteps; i++) {
		const struct filter_step *step = &part->chain.steps[i];

		ok = buffer_u8(out, step->id);
		if (ok && filter_has_stride(step->id))
			ok = buffer_le32(out, step->stride);
	}
	return ok && buffer_le32(out, part->nbytes) &&
	       buffer_le32(out, part->stored_nbytes);
}

static bool write_split(const struct block_split *split, uint8_t width,
			struct buffer *out)
{
	const struct split_ops *ops = split_ops_of(split->id);

	return buffer_u8(out, split->id) &&
	       (!ops->write || ops->write(split, width, out));
}

static bool write_splits(const struct block_description *d, struct buffer *out)
{
	bool ok = buffer_u8(out, d->width) && buffer_u8(out, d->end_nbytes) &&
		  buffer_append(out, d->end, d->end_nbytes);

	for (unsigned i = 0; ok && i < d->nsplits; i++)
		ok = write_split(&d->splits[i], d->width, out);
	return ok;
}

bool block_description_write(const struct block_description *d,
			     struct buffer *out)
{
	bool ok = buffer_u8(out, d->nsplits);

	if (ok && d->nsplits > 0)
		ok = write_splits(d, out);
	for (unsigned i = 0; ok && i < d->nparts; i++)
		ok = write_part(&d->parts[i], out);
	return ok;
}

static int read_chain(struct cursor *c, struct filter_chain *chain,
		      struct nc3z_error *err)
{
	uint8_t nsteps = cursor_u8(c);

	chain->nsteps = 0;
	if (nsteps > FILTER_STEPS_MAX)
		return error_set(err, NC3Z_EDAMAGED,
				 "chain of %u filters, at most %d are allowed",
				 nsteps, FILTER_STEPS_MAX);
	for (unsigned i = 0; i < nsteps && cursor_ok(c); i++) {
		uint8_t id = cursor_u8(c);
		uint32_t stride = 0;

		if (cursor_ok(c) && !filter_name(id))
			return error_set(err, NC3Z_EUNSUPPORTED,
					 "unknown filter %u", id);
		if (filter_has_stride(id)) {
			stride = cursor_le32(c);
			if (cursor_ok(c) && stride == 0)
				return error_set(err, NC3Z_EDAMAGED,
						 "filter with stride 0");
		}
		filter_chain_add(chain, id, stride);
	}
	return NC3Z_OK;
}

static int read_part(struct cursor *c, struct block_part *part,
		     struct nc3z_error *err)
{
	part->codec = cursor_u8(c);
	part->width = cursor_u8(c);
	if (cursor_ok(c) && !nc3z_codec_name(part->codec))
		return error_set(err, NC3Z_EUNSUPPORTED, "unknown codec %u",
				 part->codec);
	if (cursor_ok(c) && !filter_width_valid(part->width))
		return error_set(err, NC3Z_EDAMAGED,
				 "element width %u is not 1, 2, 4 or 8",
				 part->width);
	NC3Z_TRY(read_chain(c, &part->chain, err));
	part->nbytes = cursor_le32(c);
	part->stored_nbytes = cursor_le32(c);
	if (!cursor_ok(c))
		return error_set(err, NC3Z_EDAMAGED,
				 "block description is cut off");
	return NC3Z_OK;
}

/*
 * Context coding is for elements: of the main part, or of a block without
 * splitting steps, and in place of filters.
 */
static int check_part(const struct block_part *part, bool is_main,
		      struct nc3z_error *err)
{
	if (!filter_chain_valid(&part->chain))
		return error_set(err, NC3Z_EDAMAGED, "invalid filter chain");
	if (part->width < filter_chain_width_min(&part->chain))
		return error_set(
			err, NC3Z_EDAMAGED,
			"element width %u is too small for the filters",
			part->width);
	if (part->codec != NC3Z_CODEC_CONTEXT ||
	    (is_main && part->chain.nsteps == 0 &&
	     part->nbytes % part->width == 0))
		return NC3Z_OK;
	return error_set(err, NC3Z_EDAMAGED, "invalid part of codec context");
}

static void read_bytes(struct cursor *c, uint8_t *out, size_t nbytes)
{
	const uint8_t *bytes = cursor_take(c, nbytes);

	if (bytes)
		memcpy(out, bytes, nbytes);
}

static int read_split(struct cursor *c, uint8_t width,
		      struct block_split *split, struct nc3z_error *err)
{
	const struct split_ops *ops;

	*split = (struct block_split){ .id = cursor_u8(c) };
	ops = split_ops_of(split->id);
	if (!cursor_ok(c))
		return NC3Z_OK;
	if (!ops)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "unknown splitting step %u", split->id);
	if (ops->read && !ops->read(c, width, split) && cursor_ok(c))
		return error_set(err, NC3Z_EDAMAGED, "invalid parameters of %s",
				 ops->name);
	return NC3Z_OK;
}

/* Steps must follow each other as section 6.3 of the specification says. */
static bool splits_valid(const struct block_description *d)
{
	for (unsigned i = 0; i < d->nsplits; i++) {
		const struct split_ops *ops = split_ops_of(d->splits[i].id);
		bool is_last = i + 1u == d->nsplits;

		if (d->width < ops->width_min ||
		    (ops->stands_alone && d->nsplits > 1) ||
		    (!ops->goes_first && !is_last) ||
		    (ops->goes_first && i > 0))
			return false;
	}
	return true;
}

static unsigned count_parts(const struct block_split *split)
{
	return split_ops_of(split->id)->nparts +
	       (split->has_exceptions ? 2 : 0);
}

static int read_splits(struct cursor *c, size_t raw_nbytes,
		       struct block_description *d, struct nc3z_error *err)
{
	d->width = cursor_u8(c);
	d->end_nbytes = cursor_u8(c);
	if (cursor_ok(c) &&
	    (d->nsplits > BLOCK_SPLITS_MAX || !filter_width_valid(d->width) ||
	     d->end_nbytes > BLOCK_END_MAX || d->end_nbytes >= raw_nbytes))
		return error_set(err, NC3Z_EDAMAGED, "invalid splitting steps");
	if (!cursor_ok(c))
		return NC3Z_OK;
	read_bytes(c, d->end, d->end_nbytes);
	for (unsigned i = 0; i < d->nsplits && cursor_ok(c); i++)
		NC3Z_TRY(read_split(c, d->width, &d->splits[i], err));
	return NC3Z_OK;
}

static int read_parts(struct cursor *c, struct block_description *d,
		      struct nc3z_error *err)
{
	bool has_main = d->nsplits == 0 ||
			!split_ops_of(d->splits[0].id)->stands_alone;
	unsigned nparts = has_main;

	for (unsigned i = 0; i < d->nsplits; i++)
		nparts += count_parts(&d->splits[i]);
	d->nparts = (uint8_t)nparts;
	for (unsigned i = 0; i < d->nparts; i++)
		NC3Z_TRY(read_part(c, &d->parts[i], err));
	return NC3Z_OK;
}

/*
 * The rules that join several fields.  They come after all fields, so that a
 * number that a later version defines is reported as such.
 */
static int check_description(const struct block_description *d,
			     size_t raw_nbytes, uint64_t payload_nbytes,
			     struct nc3z_error *err)
{
	uint64_t nbytes = 0, stored_nbytes = 0;

	if (d->nsplits > 0 &&
	    (!splits_valid(d) || (raw_nbytes - d->end_nbytes) % d->width != 0))
		return error_set(err, NC3Z_EDAMAGED, "invalid splitting steps");
	for (unsigned i = 0; i < d->nparts; i++) {
		NC3Z_TRY(check_part(&d->parts[i], i + 1u == d->nparts, err));
		nbytes += d->parts[i].nbytes;
		stored_nbytes += d->parts[i].stored_nbytes;
	}
	if (stored_nbytes != payload_nbytes ||
	    nbytes > block_payload_max(raw_nbytes))
		return error_set(err, NC3Z_EDAMAGED,
				 "lengths of a block description disagree");
	return NC3Z_OK;
}

int block_description_read(const struct block_view *stored, size_t raw_nbytes,
			   struct block_description *d_ret,
			   struct nc3z_error *err)
{
	struct block_description *d = d_ret;
	struct cursor c;

	cursor_init(&c, stored->description, stored->description_nbytes);
	d->nsplits = cursor_u8(&c);
	d->width = d->end_nbytes = 0;
	if (d->nsplits > 0)
		NC3Z_TRY(read_splits(&c, raw_nbytes, d, err));
	if (!cursor_ok(&c))
		return error_set(err, NC3Z_EDAMAGED,
				 "block description is cut off");
	NC3Z_TRY(read_parts(&c, d, err));
	if (cursor_left(&c) != 0)
		return error_set(err, NC3Z_EDAMAGED,
				 "bytes after a block description");
	return check_description(d, raw_nbytes, stored->payload_nbytes, err);
}
