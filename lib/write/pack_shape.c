/* SPDX-License-Identifier: MIT */
#include "write/pack_shape.h"

#include <stdlib.h>

/* What the block size of internal options stands for. */
static void set_blocks(const struct nc3z_pack_options *options,
		       struct plan_shaping *shaping)
{
	shaping->block_nbytes = options->block_nbytes;
	if (options->block_nbytes >= BLOCK_LENGTH_INTERNAL_MIN) {
		shaping->joining =
			(enum plan_joining)(UINT32_MAX - options->block_nbytes);
		shaping->block_nbytes = shaping->joining == PLAN_JOIN_SMALL ?
						0 :
						PLAN_JOINED_NBYTES;
	} else if (options->block_nbytes == 0 &&
		   options->level == NC3Z_LEVEL_MAX) {
		shaping->block_nbytes = BLOCK_LENGTH_LEVEL_MAX;
	}
}

int pack_shape_init(struct pack_shape *shape,
		    const struct classic_header *header,
		    const struct nc3z_pack_options *options,
		    struct nc3z_error *err)
{
	struct plan_shaping shaping = {
		.chunks = options->nchunks > 0 ? &shape->chunks : NULL,
		.band_nbytes = options->max_memory_nbytes,
	};

	set_blocks(options, &shaping);
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
