/* SPDX-License-Identifier: MIT */
#include "salvage/losses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sizes.h"

/* Entry of 'last' and number of names: bytes of no variable come after. */
static size_t slot_of(const struct classic_header *header, uint32_t variable)
{
	return variable == CLASSIC_NO_VARIABLE ? header->nvars : variable;
}

int salvage_losses_init(struct salvage_losses *losses,
			const struct classic_header *header,
			struct nc3z_error *err)
{
	losses->last = memory_alloc((uint64_t)header->nvars + 1,
				    sizeof(*losses->last));
	losses->names = memory_alloc((uint64_t)header->nvars + 1,
				     sizeof(*losses->names));
	if (!losses->last || !losses->names)
		return error_set_memory(err);
	for (size_t i = 0; i < header->nvars; i++) {
		losses->names[i] = classic_name_copy(&header->vars[i].name);
		if (!losses->names[i])
			return error_set_memory(err);
	}
	return NC3Z_OK;
}

void salvage_losses_release(struct salvage_losses *losses, size_t nvars)
{
	for (size_t i = 0; i < losses->count; i++)
		free(losses->indices[i]);
	for (size_t i = 0; losses->names && i < nvars; i++)
		free(losses->names[i]);
	free(losses->list);
	free(losses->indices);
	free(losses->names);
	free(losses->last);
	*losses = (struct salvage_losses){ 0 };
}

static int grow_losses(struct salvage_losses *losses, struct nc3z_error *err)
{
	if (memory_room(&losses->list, losses->count, &losses->capacity,
			sizeof(*losses->list)) &&
	    memory_room(&losses->indices, losses->count,
			&losses->indices_capacity, sizeof(*losses->indices)))
		return NC3Z_OK;
	return error_set_memory(err);
}

/*
 * A new entry with indices of 'ndims' dimensions, first and last; NULL in
 * '*loss_ret' if the list is full.
 */
static int new_loss(struct salvage_losses *losses, size_t ndims,
		    struct nc3z_loss **loss_ret, struct nc3z_error *err)
{
	uint64_t *indices;

	*loss_ret = NULL;
	if (losses->count == LOSSES_MAX || ndims > LOSS_NDIMS_MAX) {
		losses->nunlisted++;
		return NC3Z_OK;
	}
	NC3Z_TRY(grow_losses(losses, err));
	indices = memory_alloc(2 * (uint64_t)ndims, sizeof(*indices));
	if (!indices)
		return error_set_memory(err);
	losses->indices[losses->count] = indices;
	*loss_ret = &losses->list[losses->count++];
	**loss_ret = (struct nc3z_loss){
		.ndims = (int)ndims,
		.first = indices,
		.last = indices + ndims,
	};
	return NC3Z_OK;
}

/* The indices of the last entry of a variable or of none; NULL without one. */
static struct nc3z_loss *last_of(const struct salvage_losses *losses,
				 size_t slot, uint64_t **last_ret)
{
	size_t i = losses->last[slot];

	if (i == 0)
		return NULL;
	*last_ret = losses->indices[i - 1] + losses->list[i - 1].ndims;
	return &losses->list[i - 1];
}

/* The indices of an element of a variable. */
static void indices_of(const struct classic_header *header,
		       const struct classic_var *var, uint64_t elem,
		       uint64_t *indices)
{
	for (size_t k = var->ndims; k-- > 0;) {
		uint64_t length = header->dims[var->dimids[k]].length;

		/* The records, which are the first dimension, have no end. */
		if (k == 0 || length == 0) {
			indices[k] = elem;
			return;
		}
		indices[k] = elem % length;
		elem /= length;
	}
}

static uint64_t elem_of(const struct classic_header *header,
			const struct classic_var *var, const uint64_t *indices)
{
	uint64_t elem = 0;

	for (size_t k = 0; k < var->ndims; k++)
		elem = (k == 0 ? 0 :
				 elem * header->dims[var->dimids[k]].length) +
		       indices[k];
	return elem;
}

static int add_bytes(struct salvage_losses *losses, size_t slot,
		     uint64_t offset, uint64_t nbytes, struct nc3z_error *err)
{
	uint64_t *indices;
	struct nc3z_loss *loss = last_of(losses, slot, &indices);

	if (loss && loss->offset + loss->nbytes == offset) {
		loss->nbytes += nbytes;
		return NC3Z_OK;
	}
	NC3Z_TRY(new_loss(losses, 0, &loss, err));
	if (!loss)
		return NC3Z_OK;
	loss->varid = NC3Z_GLOBAL;
	loss->name = "";
	loss->offset = offset;
	loss->nbytes = nbytes;
	losses->last[slot] = losses->count;
	return NC3Z_OK;
}

/* Elements of a variable, one after the other. */
struct elem_run {
	uint64_t first;
	uint64_t last;
};

/* Whether the run goes on where the last entry ends, which then has it too. */
static bool extend(struct salvage_losses *losses,
		   const struct classic_header *header,
		   const struct loss_place *place, struct elem_run run)
{
	const struct classic_var *var = &header->vars[place->variable];
	uint64_t *indices, before;
	struct nc3z_loss *loss = last_of(losses, place->variable, &indices);

	if (!loss || loss->is_box)
		return false;
	before = elem_of(header, var, indices);
	if (run.first > before + 1)
		return false;
	if (run.last > before) {
		loss->nbytes += (run.last - before) * place->width;
		indices_of(header, var, run.last, indices);
	}
	return true;
}

static int add_elems(struct salvage_losses *losses,
		     const struct classic_header *header,
		     const struct loss_place *place, struct elem_run run,
		     struct nc3z_error *err)
{
	const struct classic_var *var = &header->vars[place->variable];
	struct nc3z_loss *loss;
	uint64_t *indices;

	if (extend(losses, header, place, run))
		return NC3Z_OK;
	NC3Z_TRY(new_loss(losses, var->ndims, &loss, err));
	if (!loss)
		return NC3Z_OK;
	loss->varid = (int)place->variable;
	loss->name = losses->names[place->variable];
	loss->offset =
		place->begin + (run.first - place->first_elem) * place->width;
	loss->nbytes = (run.last - run.first + 1) * place->width;
	indices = losses->indices[losses->count - 1];
	indices_of(header, var, run.first, indices);
	indices_of(header, var, run.last, indices + var->ndims);
	losses->last[place->variable] = losses->count;
	return NC3Z_OK;
}

int salvage_losses_add(struct salvage_losses *losses,
		       const struct classic_header *header,
		       const struct loss_place *place, uint64_t offset,
		       uint64_t nbytes, struct nc3z_error *err)
{
	struct elem_run run;
	uint64_t end;

	losses->nbytes += nbytes;
	if (place->variable == CLASSIC_NO_VARIABLE)
		return add_bytes(losses, slot_of(header, CLASSIC_NO_VARIABLE),
				 offset, nbytes, err);
	/* Padding goes with its values, and is not worth an entry. */
	if (offset >= place->values_end)
		return NC3Z_OK;
	end = size_min(offset + nbytes, place->values_end) - place->begin;
	run.first = place->first_elem + (offset - place->begin) / place->width;
	run.last = place->first_elem + (end - 1) / place->width;
	return add_elems(losses, header, place, run, err);
}

/* Whether a chunk goes on where the last one ends, along the last dimension. */
static bool goes_on(const struct nc3z_loss *loss, const struct plan_grid *grid,
		    const struct plan_chunk *chunk)
{
	uint32_t last = grid->rank - 1;

	for (uint32_t k = 0; k < last; k++)
		if (loss->first[k] != chunk->first[k] ||
		    loss->last[k] != chunk->first[k] + chunk->count[k] - 1)
			return false;
	return loss->last[last] + 1 == chunk->first[last];
}

int salvage_losses_add_chunk(struct salvage_losses *losses, uint32_t variable,
			     const struct plan_grid *grid,
			     const struct plan_chunk *chunk, uint64_t nbytes,
			     struct nc3z_error *err)
{
	uint64_t *last;
	struct nc3z_loss *loss = last_of(losses, variable, &last);

	losses->nbytes += nbytes;
	if (!loss || !loss->is_box || !goes_on(loss, grid, chunk)) {
		NC3Z_TRY(new_loss(losses, grid->rank, &loss, err));
		if (!loss)
			return NC3Z_OK;
		loss->varid = (int)variable;
		loss->name = losses->names[variable];
		loss->is_box = 1;
		loss->offset = NC3Z_NO_OFFSET;
		losses->last[variable] = losses->count;
		last = losses->indices[losses->count - 1];
		memcpy(last, chunk->first, grid->rank * sizeof(*last));
		last += grid->rank;
	}
	loss->nbytes += nbytes;
	for (uint32_t k = 0; k < grid->rank; k++)
		last[k] = chunk->first[k] + chunk->count[k] - 1;
	return NC3Z_OK;
}
