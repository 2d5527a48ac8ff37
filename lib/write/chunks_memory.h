/* SPDX-License-Identifier: MIT */
/* Blocks that are open while bytes come in the order of the file. */
#ifndef NC3Z_WRITE_CHUNKS_MEMORY_H
#define NC3Z_WRITE_CHUNKS_MEMORY_H

#include <stdbool.h>

#include "plan/map.h"

/* A block that is being filled. */
struct open_block {
	uint8_t *raw;    /* NULL: put off, or rehearsed */
	uint64_t nbytes; /* 0: none is open */
	uint64_t block;
	uint64_t stream_offset;
	uint64_t filled_nbytes; /* 0 when rehearsing */
	uint32_t crc;           /* of these, if it is put off */
	bool is_put_off;
};

/* Memory for those of chunked streams. */
struct chunks_memory {
	uint64_t nbytes; /* bands that are open at a time, with their places */
	uint64_t places_nbytes;  /* of all chunked streams */
	uint64_t largest_nbytes; /* a chunk */
};

/* For an original without end. */
struct chunks_memory chunks_measure(const struct plan_map *map);

#endif
