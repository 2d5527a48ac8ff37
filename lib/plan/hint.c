/* SPDX-License-Identifier: MIT */
#include "plan/hint.h"

#include "base/sizes.h"

static bool is_float_type(enum classic_type type)
{
	return type == CLASSIC_FLOAT || type == CLASSIC_DOUBLE;
}

struct plan_hint plan_hint_of_type(enum classic_type type)
{
	return (struct plan_hint){
		.width = classic_type_nbytes(type),
		.is_float = is_float_type(type),
		.is_text = type == CLASSIC_CHAR,
	};
}

/*
 * Rows are runs along the last dimension, planes along the last two.  Takes
 * the dimensions in this order, without the first: nothing repeats beyond it.
 */
static void add_dim_to_hint(struct plan_hint *hint, uint64_t *stride,
			    uint64_t length)
{
	*stride = size_mul_max(*stride, length, UINT32_MAX);
	if (length <= 1 || *stride >= UINT32_MAX)
		return;
	if (!hint->row_nelems)
		hint->row_nelems = (uint32_t)*stride;
	else if (!hint->plane_nelems)
		hint->plane_nelems = (uint32_t)*stride;
}

struct plan_hint plan_hint_of_variable(const struct classic_header *header,
				       uint32_t variable)
{
	const struct classic_var *var = &header->vars[variable];
	struct plan_hint hint = plan_hint_of_type(var->type);
	uint64_t stride = 1;

	for (size_t i = var->ndims; i-- > 1;)
		add_dim_to_hint(&hint, &stride,
				header->dims[var->dimids[i]].length);
	return hint;
}

struct plan_hint plan_hint_of_chunks(enum classic_type type,
				     const struct plan_grid *grid)
{
	struct plan_hint hint = plan_hint_of_type(type);
	uint64_t stride = 1;

	for (uint32_t i = grid->rank; i-- > 1;)
		add_dim_to_hint(&hint, &stride, grid->dims[i].chunk);
	return hint;
}

struct plan_hint plan_hint_of_block(const struct plan_stream *s,
				    const struct plan_hint *hint,
				    uint64_t block)
{
	struct plan_hint own = *hint;
	struct plan_chunk chunk;
	uint64_t stride = 1;

	if (!s->grid)
		return own;
	plan_grid_chunk(s->grid, block, &chunk);
	own.row_nelems = own.plane_nelems = 0;
	for (uint32_t i = s->grid->rank; i-- > 1;)
		add_dim_to_hint(&own, &stride, chunk.count[i]);
	return own;
}
