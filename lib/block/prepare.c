/* The splitting steps of a block that is to be encoded. */
#include <string.h>

#include "block/block.h"

void block_prepared_release(struct block_prepared *prepared)
{
	*prepared = (struct block_prepared){ 0 };
}

/*
 * Whether all elements but some bytes at the end are equal.  The end is what
 * is no whole element, and may be up to three bytes of padding besides.
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

static void begin_splits(struct block_prepared *p, uint8_t width,
			 size_t end_nbytes)
{
	struct block_description *d = &p->description;

	d->width = width;
	d->end_nbytes = (uint8_t)end_nbytes;
	memcpy(d->end, p->raw + p->raw_nbytes - end_nbytes, end_nbytes);
}

int block_prepare(struct block_coder *coder, const struct block_recipe *recipe,
		  const uint8_t *raw, size_t raw_nbytes,
		  struct block_prepared *prepared, struct nc3z_error *err)
{
	struct block_description *d = &prepared->description;
	size_t end_nbytes;

	(void)coder;
	(void)err;
	prepared->raw = raw;
	prepared->raw_nbytes = raw_nbytes;
	*d = (struct block_description){ .nparts = 1 };
	if (recipe->codec != NC3Z_CODEC_STORE &&
	    find_constant(raw, raw_nbytes, recipe->width, &end_nbytes)) {
		d->nsplits = 1;
		d->nparts = 0;
		d->splits[0].id = BLOCK_CONSTANT;
		memcpy(d->splits[0].value, raw, recipe->width);
		begin_splits(prepared, recipe->width, end_nbytes);
		return NC3Z_OK;
	}
	d->parts[0].width = recipe->width;
	d->parts[0].nbytes = (uint32_t)raw_nbytes;
	return NC3Z_OK;
}
