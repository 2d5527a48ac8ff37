/*
 * Tiles: a variable cut into boxes.
 *
 * A grid begins at index 0 of each dimension; boxes at the far edges are
 * clipped.  Tiles are numbered in row-major order of their places in the grid,
 * the elements of a tile are in row-major order of their indices.
 *
 * A variable may have only its first bytes (its original ends early), and they
 * may end inside an element.  In the row-major order of the variable
 *
 * - the elements of a tile ascend: what a tile lacks is missing at its end;
 * - the first elements of the tiles ascend with their numbers, as the indices
 *   of a tile's first element are its place in the grid, each times a chunk
 *   length, which keeps lexicographic order: tiles without a byte follow those
 *   that have one.
 *
 * So the *place* of a byte is taken from the whole variable: the tiles one
 * after the other, none of them short.  A tile begins where it would begin, and
 * a byte is where it would be, wherever the variable ends.
 *
 * Of a record variable, the first dimension is the records.
 */
#ifndef NC3Z_PLAN_PLAN_TILING_H
#define NC3Z_PLAN_PLAN_TILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A limit of the format. */
#define PLAN_RANK_MAX 32

struct plan_tiling_dim {
	uint64_t length; /* as it is written: 0 for the records */
	uint32_t chunk;
	/* Derived: */
	uint64_t nindices;    /* of the records as many as there can be */
	uint64_t weight;      /* elements from one index to the next */
	uint64_t tile_weight; /* tiles from one chunk to the next */
};

struct plan_tiling {
	uint32_t rank;
	/* Derived: */
	uint32_t width;   /* bytes of an element */
	uint32_t run_dim; /* tiles span all dimensions behind this one */
	struct plan_tiling_dim dims[];
};

/* A tiling with room for 'rank' dimensions, zeroed; NULL if out of memory. */
struct plan_tiling *plan_tiling_new(uint32_t rank);

/*
 * Derives what is not written down.  'nrecords' is the number of records that
 * there can be, 0 for a fixed variable.  False if a rule is broken: a chunk
 * length of 0 or beyond the dimension, tiles larger than a block may be, a
 * variable whose one record (or which, if it is fixed) does not have
 * 'member_nbytes' bytes.
 */
bool plan_tiling_finish(struct plan_tiling *t, uint8_t width, uint64_t nrecords,
			uint64_t member_nbytes);

/* Bytes of a tile that is not clipped. */
uint32_t plan_tiling_tile_nbytes(const struct plan_tiling *t);

/* A tile: the elements whose index k is in [first[k], first[k] + count[k]). */
struct plan_tile {
	uint64_t number;
	uint64_t place; /* of its first byte */
	uint64_t first[PLAN_RANK_MAX];
	uint32_t count[PLAN_RANK_MAX];
};

/* The tile with a number, which exists. */
void plan_tiling_tile(const struct plan_tiling *t, uint64_t number,
		      struct plan_tile *tile_ret);

/* The number of the tile that holds a place. */
uint64_t plan_tiling_tile_at(const struct plan_tiling *t, uint64_t place);

/* How many bytes of a tile are among the first 'nbytes' of the variable. */
uint32_t plan_tiling_nbytes_of(const struct plan_tiling *t,
			       const struct plan_tile *tile, uint64_t nbytes);

/* How many tiles have a byte among the first 'nbytes' of the variable. */
uint64_t plan_tiling_ntiles_of(const struct plan_tiling *t, uint64_t nbytes);

/*
 * The place of byte 'offset' of the variable's bytes in row-major order, and
 * how many bytes from there on follow each other in the variable and in the
 * tile; '*tile_ret' is the tile that holds it.
 */
uint64_t plan_tiling_find(const struct plan_tiling *t, uint64_t offset,
			  uint64_t *nbytes_ret, struct plan_tile *tile_ret);

/* The same without the tile. */
uint64_t plan_tiling_place(const struct plan_tiling *t, uint64_t offset,
			   uint64_t *nbytes_ret);

#endif
