/* SPDX-License-Identifier: MIT */
/* Which values of the original a block holds. */
#include <string.h>

#include "base/sizes.h"
#include "read/file.h"

/* Indices, in row-major order, of an element. */
static void set_indices(const struct nc3z_var *var, uint64_t elem,
			uint64_t *indices)
{
	for (int i = var->ndims - 1; i > 0; i--) {
		indices[i] = elem % var->shape[i];
		elem /= var->shape[i];
	}
	if (var->ndims > 0)
		indices[0] = elem;
}

/* Elements of one record, or of all of a fixed variable. */
static uint64_t count_elems(const struct nc3z_var *var)
{
	uint64_t n = 1;

	for (int i = var->is_record ? 1 : 0; i < var->ndims; i++)
		n *= var->shape[i];
	return n;
}

/* The element that has a byte of a stream of one variable, or the last one. */
static uint64_t elem_at(const struct plan_stream *s, const struct nc3z_var *var,
			uint64_t offset)
{
	uint64_t nelems = count_elems(var);
	uint64_t record = s->is_record ? offset / s->members[0].nbytes : 0;
	uint64_t elem = (offset - record * s->members[0].nbytes) / s->width;

	/* Padding may follow the last one. */
	return record * nelems + size_min(elem, nelems - 1);
}

static void set_linear(const struct nc3z_file *file, uint32_t stream,
		       uint64_t block, const struct nc3z_var *var,
		       struct nc3z_block_range *range)
{
	const struct plan_stream *s = &file->plan.streams[stream];
	const struct plan_block b =
		plan_block_numbered(&file->map, stream, block);
	uint64_t end = b.stream_offset + (b.nbytes > 0 ? b.nbytes - 1 : 0);

	set_indices(var, elem_at(s, var, b.stream_offset), range->first);
	set_indices(var, elem_at(s, var, end), range->last);
}

static void set_chunk(const struct plan_grid *grid, uint64_t block,
		      struct nc3z_block_range *range)
{
	struct plan_chunk chunk;

	range->is_box = 1;
	plan_grid_chunk(grid, block, &chunk);
	for (uint32_t i = 0; i < grid->rank; i++) {
		range->first[i] = chunk.first[i];
		range->last[i] = chunk.first[i] + chunk.count[i] - 1;
	}
}

/* Whether indices can be told: a variable with values, alone. */
static bool has_indices(const struct plan_stream *s, const struct nc3z_var *var)
{
	return s->nmembers == 1 && var->ndims > 0 &&
	       var->ndims <= NC3Z_CHUNK_DIMS_MAX && count_elems(var) > 0 &&
	       s->members[0].nbytes > 0;
}

int nc3z_inq_block_range(const struct nc3z_file *file, uint32_t stream,
			 uint64_t block, struct nc3z_block_range *range_ret,
			 struct nc3z_error *err)
{
	NC3Z_NEED(err, file && range_ret);

	const struct plan_stream *s;
	const struct nc3z_var *var;

	if (!file->is_archive)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "is a classic file, not an nc3z archive");
	if (stream >= file->plan.nstreams ||
	    block >= file->map.extents[stream].nblocks)
		return error_set(err, NC3Z_EINVAL, "no such block");
	s = &file->plan.streams[stream];
	*range_ret = (struct nc3z_block_range){ .varid = NC3Z_GLOBAL };
	if (s->members[0].variable >= file->header.nvars)
		return NC3Z_OK;
	range_ret->varid = (int)s->members[0].variable;
	range_ret->nvars = s->nmembers;
	var = &file->vars[range_ret->varid];
	if (!has_indices(s, var))
		return NC3Z_OK;
	range_ret->ndims = var->ndims;
	if (s->grid)
		set_chunk(s->grid, block, range_ret);
	else
		set_linear(file, stream, block, var, range_ret);
	return NC3Z_OK;
}
