/* SPDX-License-Identifier: MIT */
/* Memory for chunks whose bytes come in the order of the file. */
#ifndef NC3Z_WRITE_CHUNKS_MEMORY_H
#define NC3Z_WRITE_CHUNKS_MEMORY_H

#include "plan/map.h"

struct chunks_memory {
	uint64_t nbytes; /* bands that are open at a time, with their places */
	uint64_t places_nbytes;  /* of all chunked streams */
	uint64_t largest_nbytes; /* a chunk */
};

/* For an original without end. */
struct chunks_memory chunks_measure(const struct plan_map *map);

#endif
