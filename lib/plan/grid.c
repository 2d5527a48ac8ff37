/* SPDX-License-Identifier: MIT */
/*
 * With indices x, chunk lengths c and dimensions k = 0, 1, ..., the chunk of
 * an element has the place x / c in the grid.  Let h be the lengths of that
 * chunk's box, clipped at the edges.  What comes before the chunk is, for each
 * k, the chunks that are equal to it in the grid before k and less at k:
 * together a box of lengths h before k, of the chunk's first index at k, and
 * of all indices after k.  The sum of these volumes is where the chunk
 * begins; taken the other way round, one division for each k finds the chunk
 * of a place.
 */
#include "plan/grid.h"

#include "base/memory.h"
#include "base/sizes.h"
#include "nc3z.h"

struct plan_grid *plan_grid_new(uint32_t rank)
{
	struct plan_grid *t =
		memory_alloc(1, sizeof(*t) + (size_t)rank * sizeof(t->dims[0]));

	if (t)
		t->rank = rank;
	return t;
}

/* Indices, and the distance of indices; false if they break a rule. */
static bool finish_dims(struct plan_grid *t, uint64_t nrecords,
			uint64_t *nelems_ret)
{
	uint64_t weight = 1, chunk_nelems = 1;

	for (uint32_t k = t->rank; k-- > 0;) {
		struct plan_grid_dim *d = &t->dims[k];
		bool is_records = k == 0 && nrecords > 0;

		d->nindices = is_records ? nrecords : d->length;
		d->weight = weight;
		if (d->chunk == 0 || (is_records && d->length != 0) ||
		    (!is_records && d->chunk > d->length) ||
		    !size_mul(chunk_nelems, d->chunk, &chunk_nelems) ||
		    chunk_nelems > NC3Z_BLOCK_NBYTES_MAX / t->width ||
		    (!is_records && !size_mul(weight, d->length, &weight)))
			return false;
	}
	*nelems_ret = weight;
	return true;
}

bool plan_grid_finish(struct plan_grid *t, uint8_t width, uint64_t nrecords,
		      uint64_t member_nbytes)
{
	uint64_t chunk_weight = 1, nbytes;

	t->width = width;
	t->run_dim = 0;
	if (t->rank < 1 || t->rank > PLAN_RANK_MAX ||
	    !finish_dims(t, nrecords, &nbytes) ||
	    !size_mul(nbytes, width, &nbytes) || nbytes != member_nbytes)
		return false;
	/* There are no more chunks than elements, and no more than bytes. */
	for (uint32_t k = t->rank; k-- > 0;) {
		struct plan_grid_dim *d = &t->dims[k];

		d->chunk_weight = chunk_weight;
		chunk_weight *= size_div_up(d->nindices, d->chunk);
		if (t->run_dim == 0 && d->chunk < d->nindices)
			t->run_dim = k;
	}
	return true;
}

uint32_t plan_grid_chunk_nbytes(const struct plan_grid *t)
{
	uint32_t nbytes = t->width;

	for (uint32_t k = 0; k < t->rank; k++)
		nbytes *= t->dims[k].chunk;
	return nbytes;
}

/* How many indices a chunk has that begins at 'first'. */
static uint32_t clip(const struct plan_grid_dim *d, uint64_t first)
{
	return (uint32_t)size_min(d->chunk, d->nindices - first);
}

void plan_grid_chunk(const struct plan_grid *t, uint64_t number,
		     struct plan_chunk *chunk_ret)
{
	uint64_t volume = t->width; /* of the box before dimension k */

	chunk_ret->number = number;
	chunk_ret->place = 0;
	for (uint32_t k = 0; k < t->rank; k++) {
		const struct plan_grid_dim *d = &t->dims[k];
		uint64_t first = number / d->chunk_weight * d->chunk;

		number %= d->chunk_weight;
		chunk_ret->first[k] = first;
		chunk_ret->count[k] = clip(d, first);
		chunk_ret->place += volume * first * d->weight;
		volume *= chunk_ret->count[k];
	}
}

uint64_t plan_grid_chunk_at(const struct plan_grid *t, uint64_t place)
{
	uint64_t volume = t->width, number = 0;

	for (uint32_t k = 0; k < t->rank; k++) {
		const struct plan_grid_dim *d = &t->dims[k];
		uint64_t before = volume * d->chunk * d->weight;
		uint64_t chunk = place / before;

		place -= chunk * before;
		number += chunk * d->chunk_weight;
		volume *= clip(d, chunk * d->chunk);
	}
	return number;
}

uint32_t plan_grid_nbytes_of(const struct plan_grid *t,
			     const struct plan_chunk *chunk, uint64_t nbytes)
{
	uint64_t volume = t->width, before = 0, left = nbytes / t->width;
	uint64_t last = 0;     /* the number of the chunk's last element */
	bool is_inside = true; /* the element with the first missing byte */

	for (uint32_t k = 0; k < t->rank; k++) {
		volume *= chunk->count[k];
		last += (chunk->first[k] + chunk->count[k] - 1) *
			t->dims[k].weight;
	}
	if (last < left)
		return (uint32_t)volume;
	for (uint32_t k = 0; k < t->rank && is_inside; k++) {
		uint64_t index = left / t->dims[k].weight;
		uint64_t end = chunk->first[k] + chunk->count[k];

		left %= t->dims[k].weight;
		is_inside = index >= chunk->first[k] && index < end;
		volume /= chunk->count[k];
		index = size_min(size_max(index, chunk->first[k]), end);
		before += (index - chunk->first[k]) * volume;
	}
	return (uint32_t)(before + (is_inside ? nbytes % t->width : 0));
}

uint64_t plan_grid_nchunks_of(const struct plan_grid *t, uint64_t nbytes)
{
	uint64_t nchunks = 0, left;

	if (nbytes == 0)
		return 0;
	left = (nbytes - 1) / t->width;
	for (uint32_t k = 0; k < t->rank; k++) {
		const struct plan_grid_dim *d = &t->dims[k];
		uint64_t index = left / d->weight;

		left %= d->weight;
		nchunks += index / d->chunk * d->chunk_weight;
		/* Past the first index, all its chunks have begun. */
		if (index % d->chunk != 0)
			return nchunks + d->chunk_weight;
	}
	return nchunks + 1;
}

uint64_t plan_grid_find(const struct plan_grid *t, uint64_t offset,
			uint64_t *nbytes_ret, struct plan_chunk *chunk_ret)
{
	uint64_t volume = 1, left = offset / t->width;
	uint64_t before = 0, inside = 0, run = 1, number = 0;

	for (uint32_t k = 0; k < t->rank; k++) {
		const struct plan_grid_dim *d = &t->dims[k];
		uint64_t index = left / d->weight;
		uint64_t chunk = index / d->chunk;
		uint64_t first = chunk * d->chunk;
		uint32_t count = clip(d, first);

		left -= index * d->weight;
		index -= first;
		before += volume * first * d->weight;
		inside = inside * count + index;
		volume *= count;
		number += chunk * d->chunk_weight;
		chunk_ret->first[k] = first;
		chunk_ret->count[k] = count;
		if (k == t->run_dim)
			run = (count - index) * d->weight - left;
	}
	chunk_ret->number = number;
	chunk_ret->place = before * t->width;
	*nbytes_ret = run * t->width - offset % t->width;
	return (before + inside) * t->width + offset % t->width;
}

uint64_t plan_grid_place(const struct plan_grid *t, uint64_t offset,
			 uint64_t *nbytes_ret)
{
	struct plan_chunk chunk;

	return plan_grid_find(t, offset, nbytes_ret, &chunk);
}
