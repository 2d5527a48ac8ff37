/*
 * Which bytes a hyperslab needs: one value of each block that it touches is
 * asked for.  Where these are not there yet, the source fails and notes which
 * record, from the index, the library wanted; so all of them are known before
 * the first is fetched.  A block that is missed here costs a further round of
 * fetching, nothing else.
 */
#include <emscripten.h>
#include <stdbool.h>

#include "viewer/reader/src/face.h"

struct touching {
	struct nc3z_file *file;
	int varid;
	int ndims;
	const struct face_slab *slab;
	/* Lengths of a chunk, if the variable has them. */
	size_t chunk[FACE_DIMS_MAX];
};

static void touch_value(const struct touching *t, const size_t *index)
{
	double value;

	nc3z_get_var1(t->file, t->varid, index, NC3Z_NAT, &value, &face_error);
}

/* The index of the variable that is number 'i' of a dimension of the slab. */
static size_t index_at(const struct touching *t, int dim, size_t i)
{
	return t->slab->start[dim] + i * (size_t)t->slab->stride[dim];
}

/* The first number of a dimension, from 'i', that is in another chunk. */
static size_t next_chunk(const struct touching *t, int dim, size_t i)
{
	size_t stride = (size_t)t->slab->stride[dim];
	size_t at = index_at(t, dim, i);
	size_t left = t->chunk[dim] - at % t->chunk[dim];

	return i + (left + stride - 1) / stride;
}

static void touch_chunks(const struct touching *t)
{
	size_t at[FACE_DIMS_MAX] = { 0 }, index[FACE_DIMS_MAX];
	int dim;

	do {
		for (dim = 0; dim < t->ndims; dim++)
			index[dim] = index_at(t, dim, at[dim]);
		touch_value(t, index);
		for (dim = t->ndims - 1; dim >= 0; dim--) {
			at[dim] = next_chunk(t, dim, at[dim]);
			if (at[dim] < t->slab->count[dim])
				break;
			at[dim] = 0;
		}
	} while (dim >= 0);
}

/*
 * In a row of elements that lie one after the other, two that are 'step' apart
 * have no whole block between them: every step and the last one touch all.
 */
static void touch_run(const struct touching *t, const uint64_t *shape,
		      uint64_t first, uint64_t last, uint64_t step)
{
	size_t index[FACE_DIMS_MAX];

	for (uint64_t at = first;; at = last - at < step ? last : at + step) {
		uint64_t rest = at;

		for (int dim = t->ndims - 1; dim >= 0; dim--) {
			index[dim] = (size_t)(rest % shape[dim]);
			rest /= shape[dim];
		}
		touch_value(t, index);
		if (at == last)
			return;
	}
}

/* The element, in row-major order, at a place of the slab. */
static uint64_t element(const struct touching *t, const uint64_t *shape,
			const size_t *at)
{
	uint64_t element = 0;

	for (int dim = 0; dim < t->ndims; dim++)
		element = element * shape[dim] + index_at(t, dim, at[dim]);
	return element;
}

/* Runs are joined where no whole block lies between them. */
static void touch_rows(const struct touching *t, const uint64_t *shape,
		       uint64_t step)
{
	size_t at[FACE_DIMS_MAX] = { 0 };
	uint64_t first = 0, last = 0, begin, end;
	bool has_run = false;
	int dim;

	do {
		at[t->ndims - 1] = 0;
		begin = element(t, shape, at);
		at[t->ndims - 1] = t->slab->count[t->ndims - 1] - 1;
		end = element(t, shape, at);
		if (has_run && begin - last > step) {
			touch_run(t, shape, first, last, step);
			has_run = false;
		}
		if (!has_run)
			first = begin;
		has_run = true;
		last = end;
		for (dim = t->ndims - 2; dim >= 0; dim--) {
			if (++at[dim] < t->slab->count[dim])
				break;
			at[dim] = 0;
		}
	} while (dim >= 0);
	touch_run(t, shape, first, last, step);
}

static bool is_empty(const struct touching *t)
{
	for (int dim = 0; dim < t->ndims; dim++)
		if (t->slab->count[dim] == 0)
			return true;
	return false;
}

/* A plain file is read in pieces of that size. */
#define PLAIN_NBYTES ((uint32_t)1 << 16)

/* How the variable is cut; a plain file is not. */
static bool find_storage(struct touching *t, const struct nc3z_var *var,
			 uint64_t *step_ret)
{
	struct nc3z_storage s = { .block_nbytes = PLAIN_NBYTES };
	int status = nc3z_inq_storage(t->file, t->varid, &s, &face_error);
	bool has_chunks = status == NC3Z_OK &&
			  s.nchunk_dims == (uint32_t)var->ndims;

	for (int dim = 0; dim < var->ndims && has_chunks; dim++)
		t->chunk[dim] = s.chunk_lengths[dim];
	if (status != NC3Z_OK || s.block_nbytes == 0)
		s.block_nbytes = PLAIN_NBYTES;
	*step_ret = s.block_nbytes / nc3z_type_nbytes(var->type);
	return has_chunks;
}

/* The arguments are valid ones of face_get(). */
EMSCRIPTEN_KEEPALIVE void face_touch(struct nc3z_file *file, int varid,
				     const struct face_slab *slab)
{
	struct touching t = { .file = file, .varid = varid, .slab = slab };
	struct nc3z_var var;
	bool has_chunks;
	uint64_t step;

	if (nc3z_inq_var(file, varid, &var, &face_error) != NC3Z_OK ||
	    var.ndims > FACE_DIMS_MAX)
		return;
	t.ndims = var.ndims;
	has_chunks = find_storage(&t, &var, &step);
	if (var.ndims == 0)
		touch_value(&t, NULL);
	else if (is_empty(&t))
		return;
	else if (has_chunks)
		touch_chunks(&t);
	else
		touch_rows(&t, var.shape, step);
}
