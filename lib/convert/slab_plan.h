/*
 * How the original of an archive is read from its first byte to its last
 * within a budget of memory: arithmetic.
 *
 * Each stream is seen as its bytes in the order of the original (a tiled one as
 * those of its variable, row-major), and is read in *slabs*: runs of these
 * bytes that are in memory whole.  A slab is put together from all blocks that
 * have a byte in it, each decoded once.
 *
 *	linear	a slab is some blocks; each is in one slab
 *	tiled	a slab is a band, if the budget has room for the bands of all
 *		variables that are read side by side; otherwise a part of one:
 *		some indices of the first dimension or, if one is too many,
 *		of the next.  A tile is decoded for each slab that it touches.
 *
 * The budget is for tiles alone.  A linear stream has one block open, as when
 * it was packed, or a few where threads shall have something to do.
 */
#ifndef NC3Z_CONVERT_SLAB_PLAN_H
#define NC3Z_CONVERT_SLAB_PLAN_H

#include "convert/decodings.h"

/* Of one stream. */
struct slab_shape {
	uint64_t nbytes;
	uint64_t frame_nbytes; /* slabs begin anew at its multiples */
};

struct slab_plan {
	const struct plan_map *map;
	struct slab_shape *shapes; /* of each stream */
	uint64_t nbytes;           /* of slabs that are open at a time */
	uint64_t bands_nbytes;     /* the same if no tile were decoded twice */
};

/*
 * A plan for an archive whose map is 'map', with up to 'max_nbytes' bytes for
 * slabs of tiles (little more where that is absurdly little), and up to
 * 'ahead_nbytes' for linear slabs of more than one block.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM; NC3Z_EDAMAGED if the linear blocks that are
 * open at a time are larger than in a well-made archive.
 */
int slab_plan_init(struct slab_plan *plan, const struct plan_map *map,
		   uint64_t max_nbytes, uint64_t ahead_nbytes,
		   struct nc3z_error *err);

void slab_plan_release(struct slab_plan *plan);

/* A run of a stream's bytes, and the blocks that have some of them. */
struct slab_range {
	uint64_t begin;
	uint64_t nbytes;
	uint64_t first_block;
	uint64_t end_block; /* one past the last */
};

/* The slab that holds a byte of a stream. */
struct slab_range slab_plan_at(const struct slab_plan *plan, uint32_t stream,
			       uint64_t at);

/* Which bytes of a tile are in such a slab; false if there are none. */
bool slab_has_tile(const struct slab_plan *plan, uint32_t stream,
		   const struct slab_range *slab, uint64_t block);

/* Adds how often blocks are decoded; 'decodings' is that of the map. */
void slab_plan_count(const struct slab_plan *plan, struct decodings *decodings);

#endif
