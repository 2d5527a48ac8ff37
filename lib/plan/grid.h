/* SPDX-License-Identifier: MIT */
/*
 * Chunks: a variable cut into boxes.
 *
 * A grid begins at index 0 of each dimension; boxes at the far edges are
 * clipped.  Chunks are numbered in row-major order of their places in the grid,
 * the elements of a chunk are in row-major order of their indices.
 *
 * A variable may have only its first bytes (its original ends early), and they
 * may end inside an element.  In the row-major order of the variable
 *
 * - the elements of a chunk ascend: what a chunk lacks is missing at its end;
 * - the first elements of the chunks ascend with their numbers, as the indices
 *   of a chunk's first element are its place in the grid, each times a chunk
 *   length, which keeps lexicographic order: chunks without a byte follow those
 *   that have one.
 *
 * So the *place* of a byte is taken from the whole variable: the chunks one
 * after the other, none of them short.  A chunk begins where it would begin,
 * and a byte is where it would be, wherever the variable ends.
 *
 * Of a record variable, the first dimension is the records.
 */
#ifndef NC3Z_PLAN_GRID_H
#define NC3Z_PLAN_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A limit of the format. */
#define PLAN_RANK_MAX 32

struct plan_grid_dim {
	uint64_t length; /* as it is written: 0 for the records */
	uint32_t chunk;
	/* Derived: */
	uint64_t nindices;     /* of the records as many as there can be */
	uint64_t weight;       /* elements from one index to the next */
	uint64_t chunk_weight; /* chunks from one chunk to the next */
};

struct plan_grid {
	uint32_t rank;
	/* Derived: */
	uint32_t width;   /* bytes of an element */
	uint32_t run_dim; /* chunks span all dimensions after this one */
	struct plan_grid_dim dims[];
};

/* A grid with room for 'rank' dimensions, zeroed; NULL if out of memory. */
struct plan_grid *plan_grid_new(uint32_t rank);

/*
 * Derives what is not written down.  'nrecords' is the number of records that
 * there can be, 0 for a fixed variable.  False if a rule is broken: a chunk
 * length of 0 or beyond the dimension, chunks larger than a block may be, a
 * variable whose one record (or which, if it is fixed) does not have
 * 'member_nbytes' bytes.
 */
bool plan_grid_finish(struct plan_grid *t, uint8_t width, uint64_t nrecords,
		      uint64_t member_nbytes);

/* Bytes of a chunk that is not clipped. */
uint32_t plan_grid_chunk_nbytes(const struct plan_grid *t);

/* A chunk: the elements whose index k is in [first[k], first[k] + count[k]). */
struct plan_chunk {
	uint64_t number;
	uint64_t place; /* of its first byte */
	uint64_t first[PLAN_RANK_MAX];
	uint32_t count[PLAN_RANK_MAX];
};

/* The chunk with a number, which exists. */
void plan_grid_chunk(const struct plan_grid *t, uint64_t number,
		     struct plan_chunk *chunk_ret);

/* The number of the chunk that holds a place. */
uint64_t plan_grid_chunk_at(const struct plan_grid *t, uint64_t place);

/* How many bytes of a chunk are among the first 'nbytes' of the variable. */
uint32_t plan_grid_nbytes_of(const struct plan_grid *t,
			     const struct plan_chunk *chunk, uint64_t nbytes);

/* How many chunks have a byte among the first 'nbytes' of the variable. */
uint64_t plan_grid_nchunks_of(const struct plan_grid *t, uint64_t nbytes);

/*
 * The place of byte 'offset' of the variable's bytes in row-major order, and
 * how many bytes from there on follow each other in the variable and in the
 * chunk; '*chunk_ret' is the chunk that holds it.
 */
uint64_t plan_grid_find(const struct plan_grid *t, uint64_t offset,
			uint64_t *nbytes_ret, struct plan_chunk *chunk_ret);

/* The same without the chunk. */
uint64_t plan_grid_place(const struct plan_grid *t, uint64_t offset,
			 uint64_t *nbytes_ret);

#endif
