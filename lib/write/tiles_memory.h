/* What tiles take in memory while their bytes come in order. */
#ifndef NC3Z_WRITE_TILES_MEMORY_H
#define NC3Z_WRITE_TILES_MEMORY_H

#include "plan/plan_map.h"

struct tiles_memory {
	uint64_t nbytes; /* bands that are open at a time, with their places */
	uint64_t places_nbytes;  /* of all tiled streams */
	uint64_t largest_nbytes; /* a tile */
};

/* For an original without end. */
struct tiles_memory tiles_measure(const struct plan_map *map);

#endif
