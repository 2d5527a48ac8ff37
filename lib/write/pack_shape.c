/* SPDX-License-Identifier: MIT */
#include "write/pack_shape.h"

#include <stdlib.h>

#include "base/sizes.h"

/* Less than that is padding, not records. */
#define UNCOUNTED_NBYTES_MIN 4

/* The layout, if the header left the number of records open. */
static int lay_out_open(const struct classic_header *header, uint64_t size,
			struct layout *layout, uint64_t *nuncounted_ret,
			struct nc3z_error *err)
{
	struct classic_header open = *header;
	uint64_t end;

	*nuncounted_ret = 0;
	open.is_indeterminate = true;
	open.numrecs = UINT64_MAX;
	NC3Z_TRY(layout_of_header(&open, layout, err));
	if (layout->record_nbytes > 0 &&
	    size_mul(layout->record_nbytes, header->numrecs, &end) &&
	    size_add(layout->record_begin, end, &end) && end <= size &&
	    size - end >= UNCOUNTED_NBYTES_MIN)
		*nuncounted_ret = (size - end) / layout->record_nbytes;
	return NC3Z_OK;
}

/*
 * Takes the layout with all records that there are instead of that of the
 * header, unless fixed variables lie after the records.
 */
static int take_uncounted(struct pack_shape *shape,
			  const struct classic_header *header, uint64_t size,
			  struct nc3z_error *err)
{
	struct layout open, counted = shape->layout;
	uint64_t nuncounted;

	if (header->is_indeterminate || size <= counted.data_end)
		return NC3Z_OK;
	NC3Z_TRY(lay_out_open(header, size, &open, &nuncounted, err));
	if (nuncounted > 0 && open.nmisplaced == counted.nmisplaced) {
		shape->layout = open;
		open = counted;
		shape->nuncounted = nuncounted;
	}
	layout_release(&open);
	return NC3Z_OK;
}

int pack_uncounted(const struct classic_header *header, uint64_t size,
		   uint64_t *nuncounted_ret, uint64_t *nbytes_ret,
		   struct nc3z_error *err)
{
	struct pack_shape shape = { 0 };
	int status = layout_of_header(header, &shape.layout, err);

	*nbytes_ret = header->is_indeterminate ?
			      0 :
			      size - size_min(size, shape.layout.data_end);
	if (status == NC3Z_OK)
		status = take_uncounted(&shape, header, size, err);
	*nuncounted_ret = shape.nuncounted;
	layout_release(&shape.layout);
	return status;
}

int pack_shape_init(struct pack_shape *shape,
		    const struct classic_header *header,
		    const struct pack_settings *settings,
		    struct nc3z_error *err)
{
	const struct nc3z_pack_options *options = &settings->options;
	struct plan_shaping shaping = {
		.block_nbytes = settings->block_nbytes,
		.joining = settings->joining,
		.chunks = options->nchunks > 0 ? &shape->chunks : NULL,
		.band_nbytes = options->max_memory_nbytes,
		.header_waits = settings->header_waits,
	};
	struct classic_header open = *header;

	*shape = (struct pack_shape){ 0 };
	NC3Z_TRY(layout_of_header(header, &shape->layout, err));
	NC3Z_TRY(take_uncounted(shape, header, settings->original_nbytes, err));
	open.is_indeterminate |= shape->nuncounted > 0;
	for (size_t i = 0; i < options->nchunks; i++)
		NC3Z_TRY(plan_chunks_parse(&shape->chunks, options->chunks[i],
					   err));
	NC3Z_TRY(plan_chunks_check(&shape->chunks, header, err));
	return plan_shape(&open, &shape->layout, &shaping, &shape->plan,
			  &shape->hints, err);
}

void pack_shape_release(struct pack_shape *shape)
{
	free(shape->hints);
	plan_release(&shape->plan);
	plan_chunks_release(&shape->chunks);
	layout_release(&shape->layout);
	*shape = (struct pack_shape){ 0 };
}
