/* SPDX-License-Identifier: MIT */
#include "restore/decodings.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"

int decodings_init(struct decodings *decodings, const struct plan_map *map,
		   struct nc3z_error *err)
{
	uint32_t nstreams = map->plan->nstreams;
	struct decodings *d = decodings;

	*d = (struct decodings){
		.first = memory_alloc(nstreams, sizeof(*d->first)),
	};
	if (!d->first)
		return error_set_memory(err);
	for (uint32_t i = 0; i < nstreams; i++) {
		d->first[i] = d->nblocks;
		d->nblocks += map->extents[i].nblocks;
	}
	d->times = memory_alloc(d->nblocks, sizeof(*d->times));
	return d->times ? NC3Z_OK : error_set_memory(err);
}

uint64_t decodings_sum(const struct decodings *decodings, uint64_t *most_ret)
{
	uint64_t sum = 0;

	*most_ret = 0;
	for (uint64_t i = 0; i < decodings->nblocks; i++) {
		sum += decodings->times[i];
		*most_ret = size_max(*most_ret, decodings->times[i]);
	}
	return sum;
}

void decodings_release(struct decodings *decodings)
{
	free(decodings->first);
	free(decodings->times);
	*decodings = (struct decodings){ 0 };
}
