/* SPDX-License-Identifier: MIT */
#include "write/pack_shape.h"

#include <stdlib.h>

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
	};

	*shape = (struct pack_shape){ 0 };
	NC3Z_TRY(layout_of_header(header, &shape->layout, err));
	for (size_t i = 0; i < options->nchunks; i++)
		NC3Z_TRY(plan_chunks_parse(&shape->chunks, options->chunks[i],
					   err));
	NC3Z_TRY(plan_chunks_check(&shape->chunks, header, err));
	return plan_shape(header, &shape->layout, &shaping, &shape->plan,
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
