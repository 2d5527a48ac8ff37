/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a chunked stream and where their bytes are in the original:
 * what packing and restoring need beyond plan/map.h.
 */
#ifndef NC3Z_PLAN_CHUNK_ROWS_H
#define NC3Z_PLAN_CHUNK_ROWS_H

#include "plan/map.h"

/*
 * Where the last byte of a chunk is in the original, if that has all of it.
 * 'block' is the number of a chunk that exists.
 */
uint64_t plan_chunk_last_offset(const struct plan_map *map, uint32_t stream,
				uint64_t block);

/* Bytes that follow each other in a chunk, in the variable and the original. */
struct plan_chunk_row {
	uint32_t chunk_offset;
	uint32_t whole_offset; /* in a chunk that is not clipped */
	uint32_t nbytes;
	uint64_t member_offset; /* in the variable's bytes */
	uint64_t offset;        /* in the original */
};

/* Goes through the rows of a chunk in ascending order. */
struct plan_chunk_rows {
	struct plan_chunk chunk;
	uint32_t nbytes; /* of the chunk that the original has */
	/* The rest is its own. */
	uint32_t done;
	uint32_t row_nbytes;
	uint32_t ndims; /* dimensions that are gone through, 0 to ndims - 1 */
	uint32_t at[PLAN_RANK_MAX];
	struct plan_chunk_step {
		uint32_t whole_nbytes;  /* from one index to the next */
		uint64_t member_nbytes; /* likewise */
		uint64_t nbytes;        /* in the original */
	} steps[PLAN_RANK_MAX];
	struct plan_chunk_row row;
};

/* 'block' is a number less than the stream's number of blocks. */
void plan_chunk_rows_begin(const struct plan_map *map, uint32_t stream,
			   uint64_t block, struct plan_chunk_rows *rows_ret);

/* The next row, until the one after it is asked for; NULL: no more. */
const struct plan_chunk_row *plan_chunk_rows_next(struct plan_chunk_rows *rows);

#endif
