/* SPDX-License-Identifier: MIT */
/*
 * In three steps: the record section is placed, then the fixed variables, then
 * the gaps between all of them become extents of no variable.
 *
 * Sizes come from the shape, never from vsize.  The extent of a fixed variable
 * includes the padding up to a multiple of 4 that follows it where nothing
 * else claims those bytes; that of a record variable does not, so that its
 * records join without a seam.
 */
#include "classic/layout.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"

/* A variable, as its shape describes it. */
struct placement {
	struct layout_extent extent; /* with padding if fixed */
	uint64_t data_nbytes;        /* without; of one record */
	bool is_record;
	bool fits; /* its size is a number below CLASSIC_OFFSET_END */
};

struct placements {
	struct placement *list;
	size_t count;
};

static struct placement place(const struct classic_header *header,
			      uint32_t variable)
{
	const struct classic_var *var = &header->vars[variable];
	struct placement p = {
		.extent = { .begin = var->begin, .variable = variable },
		.is_record = classic_var_is_record(header, var),
	};
	uint64_t nelems, padded, end;

	p.fits = classic_var_nelems(header, var, &nelems) &&
		 size_mul(nelems, classic_type_nbytes(var->type),
			  &p.data_nbytes) &&
		 size_pad4(p.data_nbytes, &padded) &&
		 size_add(var->begin, padded, &end) &&
		 end <= CLASSIC_OFFSET_END;
	if (p.fits)
		p.extent.nbytes = p.is_record ? p.data_nbytes : padded;
	else
		p.data_nbytes = UINT64_MAX;
	return p;
}

static int by_begin(const void *a, const void *b)
{
	const struct layout_extent *x = &((const struct placement *)a)->extent;
	const struct layout_extent *y = &((const struct placement *)b)->extent;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->variable < y->variable ? -1 : x->variable > y->variable;
}

static int append_extent(struct layout_extents *extents, size_t *capacity,
			 struct layout_extent extent, struct nc3z_error *err)
{
	if (!memory_room(&extents->list, extents->count, capacity,
			 sizeof(extent)))
		return error_set_memory(err);
	extents->list[extents->count++] = extent;
	return NC3Z_OK;
}

bool layout_record_nbytes(const struct classic_header *header,
			  uint64_t *nbytes_ret)
{
	uint64_t sum = 0, alone = 0;
	size_t count = 0;

	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];
		uint64_t padded;

		if (!classic_var_is_record(header, var))
			continue;
		if (!classic_var_nelems(header, var, &alone) ||
		    !size_mul(alone, classic_type_nbytes(var->type), &alone) ||
		    !size_pad4(alone, &padded) || !size_add(sum, padded, &sum))
			return false;
		count++;
	}
	*nbytes_ret = count == 1 ? alone : sum;
	return *nbytes_ret <= CLASSIC_OFFSET_END;
}

/* Whether record 0 of all record variables ends where a file can. */
static bool records_fit(const struct placements *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i].is_record && !all->list[i].fits)
			return false;
	return true;
}

/* Adds 'nbytes' bytes of no variable at 'begin', if there are any. */
static int append_gap(struct layout_extents *extents, size_t *capacity,
		      uint64_t begin, uint64_t end, struct nc3z_error *err)
{
	struct layout_extent gap = {
		.begin = begin,
		.nbytes = end - begin,
		.variable = CLASSIC_NO_VARIABLE,
	};

	if (begin >= end)
		return NC3Z_OK;
	return append_extent(extents, capacity, gap, err);
}

static void note_misplaced(struct layout *layout, uint32_t variable)
{
	if (layout->nmisplaced++ == 0 || variable < layout->first_misplaced)
		layout->first_misplaced = variable;
}

/* The slots of one record, 'all' sorted by begin. */
static int place_slots(const struct placements *all, struct layout *layout,
		       struct nc3z_error *err)
{
	uint64_t at = layout->record_begin;
	uint64_t end = at + layout->record_nbytes;
	size_t capacity = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct placement *p = &all->list[i];

		if (!p->is_record || p->data_nbytes == 0)
			continue;
		if (p->extent.begin < at ||
		    p->extent.begin + p->extent.nbytes > end) {
			note_misplaced(layout, p->extent.variable);
			continue;
		}
		NC3Z_TRY(append_gap(&layout->slots, &capacity, at,
				    p->extent.begin, err));
		NC3Z_TRY(append_extent(&layout->slots, &capacity, p->extent,
				       err));
		at = p->extent.begin + p->extent.nbytes;
	}
	return append_gap(&layout->slots, &capacity, at, end, err);
}

/* Where and how long the record section is; 'all' sorted by begin. */
static int place_records(const struct classic_header *header,
			 const struct placements *all, struct layout *layout,
			 struct nc3z_error *err)
{
	uint64_t nbytes;

	if (header->numrecs == 0)
		return NC3Z_OK;
	if (!records_fit(all) || !layout_record_nbytes(header, &nbytes)) {
		for (size_t i = 0; i < all->count; i++)
			if (all->list[i].is_record)
				note_misplaced(layout,
					       all->list[i].extent.variable);
		return NC3Z_OK;
	}
	if (nbytes == 0)
		return NC3Z_OK;
	for (size_t i = 0; i < all->count; i++) {
		const struct placement *p = &all->list[i];

		if (!p->is_record || p->data_nbytes == 0 ||
		    p->extent.begin < header->nbytes)
			continue;
		if (p->extent.begin > CLASSIC_OFFSET_END - nbytes)
			break;
		layout->record_begin = p->extent.begin;
		layout->record_nbytes = nbytes;
		layout->nrecords = header->is_indeterminate ? UINT64_MAX :
							      header->numrecs;
		break;
	}
	return place_slots(all, layout, err);
}

uint64_t layout_record_end(const struct layout *layout)
{
	uint64_t nbytes = size_mul_max(layout->record_nbytes, layout->nrecords,
				       CLASSIC_OFFSET_END);

	return size_add_max(layout->record_begin, nbytes, CLASSIC_OFFSET_END);
}

/* Gaps up to 'end', which go around the record section. */
static int fill_up_to(struct layout *layout, size_t *capacity, uint64_t *at,
		      uint64_t end, struct nc3z_error *err)
{
	uint64_t record_end = layout_record_end(layout);

	if (layout->record_nbytes > 0 && *at <= layout->record_begin &&
	    layout->record_begin < end) {
		NC3Z_TRY(append_gap(&layout->fixed, capacity, *at,
				    layout->record_begin, err));
		*at = record_end;
	}
	NC3Z_TRY(append_gap(&layout->fixed, capacity, *at, end, err));
	*at = size_max(*at, end);
	return NC3Z_OK;
}

/*
 * How many bytes a fixed variable at 'p' can have to itself: with its padding,
 * without it, or 0 if something else lies there.
 */
static uint64_t usable_nbytes(const struct layout *layout,
			      const struct placement *p,
			      const struct placement *next)
{
	uint64_t begin = p->extent.begin, nbytes = p->extent.nbytes;

	if (layout->record_nbytes > 0 && begin < layout_record_end(layout) &&
	    begin + nbytes > layout->record_begin)
		nbytes = p->data_nbytes;
	if (layout->record_nbytes > 0 && begin < layout_record_end(layout) &&
	    begin + nbytes > layout->record_begin)
		return 0;
	if (next && begin + nbytes > next->extent.begin)
		nbytes = p->data_nbytes;
	return nbytes;
}

/* The fixed variables and everything between, 'all' sorted by begin. */
static int place_fixed(const struct classic_header *header,
		       const struct placements *all, struct layout *layout,
		       struct nc3z_error *err)
{
	uint64_t at = 0, taken = header->nbytes;
	size_t capacity = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct layout_extent extent = all->list[i].extent;
		const struct placement *next =
			i + 1 < all->count ? &all->list[i + 1] : NULL;

		if (all->list[i].is_record || all->list[i].data_nbytes == 0)
			continue;
		if (all->list[i].fits)
			extent.nbytes =
				usable_nbytes(layout, &all->list[i], next);
		if (extent.begin < taken || extent.nbytes == 0) {
			note_misplaced(layout, extent.variable);
			continue;
		}
		NC3Z_TRY(fill_up_to(layout, &capacity, &at, extent.begin, err));
		NC3Z_TRY(append_extent(&layout->fixed, &capacity, extent, err));
		at = taken = extent.begin + extent.nbytes;
	}
	return fill_up_to(layout, &capacity, &at, CLASSIC_OFFSET_END, err);
}

/* Where the last value of the last record ends; 0 without records. */
static uint64_t last_record_end(const struct layout *layout)
{
	uint64_t end = 0;

	if (layout->record_nbytes == 0 || layout->nrecords == UINT64_MAX)
		return 0;
	for (size_t i = 0; i < layout->slots.count; i++)
		if (layout->slots.list[i].variable != CLASSIC_NO_VARIABLE)
			end = layout->slots.list[i].begin +
			      layout->slots.list[i].nbytes;
	return size_add_max(end,
			    size_mul_max(layout->nrecords - 1,
					 layout->record_nbytes,
					 CLASSIC_OFFSET_END),
			    CLASSIC_OFFSET_END);
}

/* Where the last value ends that the header speaks of. */
static uint64_t data_end(const struct classic_header *header,
			 const struct placements *all,
			 const struct layout *layout)
{
	uint64_t end = size_max(header->nbytes, last_record_end(layout));

	for (size_t i = 0; i < all->count; i++) {
		const struct placement *p = &all->list[i];

		if (!p->is_record && p->data_nbytes > 0)
			end = size_max(end, size_add_max(p->extent.begin,
							 p->data_nbytes,
							 CLASSIC_OFFSET_END));
	}
	return end;
}

int layout_of_header(const struct classic_header *header,
		     struct layout *layout_ret, struct nc3z_error *err)
{
	struct placements all = { .count = header->nvars };
	int status = NC3Z_OK;

	*layout_ret = (struct layout){ 0 };
	if (header->nvars >= CLASSIC_NO_VARIABLE)
		return error_set(err, NC3Z_ELIMIT, "too many variables");
	all.list = memory_alloc(all.count, sizeof(*all.list));
	if (!all.list)
		return error_set_memory(err);
	for (uint32_t i = 0; i < header->nvars; i++)
		all.list[i] = place(header, i);
	qsort(all.list, all.count, sizeof(*all.list), by_begin);
	status = place_records(header, &all, layout_ret, err);
	if (status == NC3Z_OK)
		status = place_fixed(header, &all, layout_ret, err);
	layout_ret->data_end = data_end(header, &all, layout_ret);
	free(all.list);
	if (status != NC3Z_OK)
		layout_release(layout_ret);
	return status;
}

bool layout_is_gapless(const struct layout *layout)
{
	uint64_t at = layout->record_begin;

	for (size_t i = 0; i < layout->slots.count; i++) {
		if (layout->slots.list[i].begin != at ||
		    layout->slots.list[i].nbytes == 0)
			return false;
		at += layout->slots.list[i].nbytes;
	}
	if (at != layout->record_begin + layout->record_nbytes)
		return false;
	at = 0;
	for (size_t i = 0; i < layout->fixed.count; i++) {
		if (layout->record_nbytes > 0 && at == layout->record_begin)
			at = layout_record_end(layout);
		if (layout->fixed.list[i].begin != at ||
		    layout->fixed.list[i].nbytes == 0)
			return false;
		at += layout->fixed.list[i].nbytes;
	}
	if (layout->record_nbytes > 0 && at == layout->record_begin)
		at = layout_record_end(layout);
	return at == CLASSIC_OFFSET_END;
}

void layout_release(struct layout *layout)
{
	free(layout->fixed.list);
	free(layout->slots.list);
	*layout = (struct layout){ 0 };
}
