/*
 * Decoding: everything that is read here is hostile, but the description has
 * been checked as far as that goes without the parts.
 */
#include <string.h>

#include "block/block.h"

static int decode_part(struct block_coder *coder, const struct block_part *part,
		       const uint8_t *stored, uint8_t *out,
		       struct nc3z_error *err)
{
	struct codec_buffers buffers = {
		.in = stored,
		.in_nbytes = part->stored_nbytes,
		.out = out,
		.out_nbytes = part->nbytes,
	};

	if (part->chain.nsteps == 0)
		return codec_decode(&coder->codecs, part->codec, &buffers, err);
	if (!buffer_reserve(&coder->filtered, part->nbytes) ||
	    !buffer_reserve(&coder->scratch, part->nbytes))
		return error_set_memory(err);
	buffers.out = coder->filtered.data;
	NC3Z_TRY(codec_decode(&coder->codecs, part->codec, &buffers, err));
	filter_invert(&part->chain, part->width, coder->filtered.data,
		      part->nbytes, out, coder->scratch.data);
	return NC3Z_OK;
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

int block_decode(struct block_coder *coder, const struct block_view *stored,
		 uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct block_description d;

	NC3Z_TRY(block_description_read(stored, raw_nbytes, &d, err));
	if (d.nsplits > 0) {
		fill_constant(d.splits[0].value, d.width, raw,
			      raw_nbytes - d.end_nbytes);
		memcpy(raw + raw_nbytes - d.end_nbytes, d.end, d.end_nbytes);
		return NC3Z_OK;
	}
	/* Without splitting steps the one part is the block. */
	if (d.parts[0].nbytes != raw_nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "part of %lu bytes in a block of %lu",
				 (unsigned long)d.parts[0].nbytes,
				 (unsigned long)raw_nbytes);
	return decode_part(coder, &d.parts[0], stored->payload, raw, err);
}
