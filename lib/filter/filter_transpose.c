/* SPDX-License-Identifier: MIT */
/*
 * Transpose: bytes of the same place of each row together; those after the
 * last whole row stay.
 */
#include <string.h>

#include "filter/filter.h"
#include "filter/filter_ops.h"

/* Planes below this are not worth a new start of the codec. */
#define PLANE_NBYTES_MIN 4096

static uint64_t row_nbytes_of(const struct filter_laying *l)
{
	return (uint64_t)l->stride * l->width;
}

/* Whole rows of all elements; '*row_nbytes_ret' is 0 if there is none. */
static size_t count_rows(const struct filter_laying *l, size_t *row_nbytes_ret)
{
	uint64_t nrows = l->n * l->width / row_nbytes_of(l);

	*row_nbytes_ret = nrows > 0 ? (size_t)row_nbytes_of(l) : 0;
	return (size_t)nrows;
}

static void lay_out(const struct filter_laying *l, uint8_t *out,
		    uint8_t *scratch)
{
	size_t row_nbytes, nrows = count_rows(l, &row_nbytes);
	size_t whole = nrows * row_nbytes;

	l->kernels->store_le(scratch, l->n, scratch);
	transpose_bytes(scratch, nrows, row_nbytes, out);
	memcpy(out + whole, scratch + whole, l->n * l->width - whole);
}

static void gather(const struct filter_laying *l, const uint8_t *bytes,
		   uint8_t *elems, uint8_t *scratch)
{
	size_t row_nbytes, nrows = count_rows(l, &row_nbytes);
	size_t whole = nrows * row_nbytes;

	(void)scratch;
	transpose_bytes(bytes, row_nbytes, nrows, elems);
	memcpy(elems + whole, bytes + whole, l->n * l->width - whole);
	l->kernels->load_le(elems, l->n, elems);
}

static size_t plane_nbytes(const struct filter_laying *l, size_t nbytes)
{
	uint64_t nrows = nbytes / row_nbytes_of(l);

	return nrows < PLANE_NBYTES_MIN ? 0 : (size_t)nrows;
}

const struct filter_ops filter_transpose = {
	.name = "transpose",
	.has_stride = true,
	.is_layout = true,
	.reads_scratch = true,
	.lay_out = lay_out,
	.gather = gather,
	.plane_nbytes = plane_nbytes,
};
