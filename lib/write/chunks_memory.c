/* SPDX-License-Identifier: MIT */
#include "write/chunks_memory.h"

#include "base/sizes.h"

/* The places of the blocks of a band. */
static uint64_t places_nbytes(const struct plan_extent *extent)
{
	return size_mul_max(extent->span_nblocks, sizeof(struct open_block),
			    UINT64_MAX);
}

/* Bands of all record variables are open at a time, or of one fixed. */
struct chunks_memory chunks_measure(const struct plan_map *map)
{
	struct chunks_memory memory = { 0 };
	uint64_t of_records = 0, fixed = 0;

	for (uint32_t i = 0; i < map->plan->nstreams; i++) {
		const struct plan_stream *s = &map->plan->streams[i];
		const struct plan_extent *extent = &map->extents[i];
		uint64_t places, nbytes;

		if (!s->grid)
			continue;
		places = places_nbytes(extent);
		nbytes = size_add_max(extent->span_nbytes, places, UINT64_MAX);
		memory.largest_nbytes =
			size_max(memory.largest_nbytes,
				 size_min(s->block_nbytes, extent->nbytes));
		memory.places_nbytes =
			size_add_max(memory.places_nbytes, places, UINT64_MAX);
		if (s->is_record)
			of_records =
				size_add_max(of_records, nbytes, UINT64_MAX);
		else
			fixed = size_max(fixed, nbytes);
	}
	memory.nbytes = size_max(of_records, fixed);
	return memory;
}
