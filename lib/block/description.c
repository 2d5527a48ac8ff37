/*
 * The description of a block as bytes: number of splitting steps, number of
 * parts, then the parts.  No splitting step exists in this version of the
 * format, so that there is exactly one part.
 */
#include "base/cursor.h"
#include "base/sizes.h"
#include "block/block.h"

static bool write_part(const struct block_part *part, struct buffer *out)
{
	bool ok = buffer_u8(out, part->codec) && buffer_u8(out, part->width) &&
		  buffer_u8(out, part->chain.nsteps);

	for (unsigned i = 0; ok && i < part->chain.nsteps; i++) {
		const struct filter_step *step = &part->chain.steps[i];

		ok = buffer_u8(out, step->id);
		if (ok && step->id == FILTER_DELTA)
			ok = buffer_le32(out, step->stride);
	}
	return ok && buffer_le32(out, part->nbytes) &&
	       buffer_le32(out, part->stored_nbytes);
}

bool block_description_write(const struct block_description *d,
			     struct buffer *out)
{
	bool ok = buffer_u8(out, 0) && buffer_u8(out, d->nparts);

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

		if (cursor_ok(c) && !filter_name(id))
			return error_set(err, NC3Z_EUNSUPPORTED,
					 "unknown filter %u", id);
		filter_chain_add(chain, id,
				 id == FILTER_DELTA ? cursor_le32(c) : 0);
	}
	if (cursor_ok(c) && !filter_chain_valid(chain))
		return error_set(err, NC3Z_EDAMAGED, "invalid filter chain");
	return NC3Z_OK;
}

static int read_part(struct cursor *c, struct block_part *part,
		     struct nc3z_error *err)
{
	part->codec = cursor_u8(c);
	part->width = cursor_u8(c);
	if (cursor_ok(c) && !codec_name(part->codec))
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

int block_description_read(const struct block_view *stored, size_t raw_nbytes,
			   struct block_description *d_ret,
			   struct nc3z_error *err)
{
	uint64_t nbytes = 0, stored_nbytes = 0;
	struct cursor c;
	uint8_t nsplits;

	cursor_init(&c, stored->description, stored->description_nbytes);
	nsplits = cursor_u8(&c);
	d_ret->nparts = cursor_u8(&c);
	if (nsplits != 0)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "unknown splitting step");
	if (d_ret->nparts != 1)
		return error_set(err, NC3Z_EDAMAGED,
				 "%u parts in a block that is not split",
				 d_ret->nparts);
	for (unsigned i = 0; i < d_ret->nparts; i++) {
		NC3Z_TRY(read_part(&c, &d_ret->parts[i], err));
		nbytes += d_ret->parts[i].nbytes;
		stored_nbytes += d_ret->parts[i].stored_nbytes;
	}
	if (cursor_left(&c) != 0 || stored_nbytes != stored->payload_nbytes ||
	    nbytes > block_payload_max(raw_nbytes))
		return error_set(err, NC3Z_EDAMAGED,
				 "lengths of a block description disagree");
	return NC3Z_OK;
}
