/* SPDX-License-Identifier: MIT */
#include "salvage/losses.h"

#include <string.h>

#include "base/byte_order.h"
#include "base/sizes.h"

/* The extent that has an offset; there is one, as they chunk. */
static const struct layout_extent *find_extent(const struct layout_extents *e,
					       uint64_t offset)
{
	size_t low = 0, high = e->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (e->list[middle].begin <= offset)
			low = middle;
		else
			high = middle;
	}
	return &e->list[low];
}

static void describe_loss(const struct classic_header *header,
			  struct loss_place *p, uint64_t record)
{
	const struct classic_var *var = &header->vars[p->variable];
	uint64_t nelems = 0, nbytes;

	p->width = classic_type_nbytes(var->type);
	if (!classic_var_nelems(header, var, &nelems) ||
	    !size_mul(nelems, p->width, &nbytes) || nbytes > p->end - p->begin)
		nbytes = p->end - p->begin;
	p->values_end = p->begin + nbytes;
	p->first_elem = record * nelems;
}

void salvage_place_at(const struct classic_header *header,
		      const struct layout *layout, uint64_t offset,
		      struct loss_place *place_ret)
{
	const struct layout_extent *extent;
	uint64_t record = 0, shift = 0;

	if (layout->record_nbytes > 0 && offset >= layout->record_begin &&
	    offset < layout_record_end(layout)) {
		record =
			(offset - layout->record_begin) / layout->record_nbytes;
		shift = record * layout->record_nbytes;
		extent = find_extent(&layout->slots, offset - shift);
	} else {
		extent = find_extent(&layout->fixed, offset);
	}
	*place_ret = (struct loss_place){
		.variable = extent->variable,
		.begin = extent->begin + shift,
		.end = extent->begin + shift + extent->nbytes,
		.width = 1,
	};
	place_ret->values_end = place_ret->begin;
	if (extent->variable != CLASSIC_NO_VARIABLE)
		describe_loss(header, place_ret, record);
}

/* netCDF's own fill value, external. */
static void default_fill(enum classic_type type, uint8_t fill[8])
{
	memcpy(fill, classic_type_fill(type), classic_type_nbytes(type));
	byte_order_big(classic_type_nbytes(type), fill, 1, fill);
}

static void fill_of(const struct classic_var *var, uint8_t fill[8])
{
	static const char name[] = "_FillValue";

	default_fill(var->type, fill);
	for (size_t i = 0; i < var->atts.count; i++) {
		const struct classic_att *att = &var->atts.list[i];

		if (att->type == var->type && att->nelems > 0 &&
		    att->name.nbytes == strlen(name) &&
		    memcmp(att->name.bytes, name, strlen(name)) == 0) {
			memcpy(fill, att->values,
			       classic_type_nbytes(var->type));
			return;
		}
	}
}

void salvage_fill(const struct classic_header *header,
		  const struct loss_place *place, uint64_t offset,
		  uint8_t *data, size_t nbytes)
{
	uint8_t fill[8];
	size_t nvalues = 0, phase;

	if (place->variable != CLASSIC_NO_VARIABLE &&
	    offset < place->values_end) {
		nvalues = (size_t)size_min(nbytes, place->values_end - offset);
		phase = (size_t)((offset - place->begin) % place->width);
		fill_of(&header->vars[place->variable], fill);
		for (size_t i = 0; i < nvalues; i++) {
			data[i] = fill[phase];
			phase = phase + 1 == place->width ? 0 : phase + 1;
		}
	}
	memset(data + nvalues, 0, nbytes - nvalues);
}
