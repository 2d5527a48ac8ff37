/* SPDX-License-Identifier: MIT */
/*
 * A hyperslab cut into boxes that are handed out in row-major order, and the
 * boxes taken together into *stages* that are read at one go.
 *
 * Along each dimension, a slab is cut into intervals, and 'group' neighbouring
 * intervals are one of a stage.  Stages hold consecutive boxes: along some
 * dimension a stage has several boxes, along all after it all of them, along
 * all before it one.
 *
 * Why stages: a box of time series wants a little of each block, and so does
 * the next box.  Whatever memory holds as values of later boxes when a block is
 * decoded need not be decoded again for them.
 *
 * Arithmetic only.
 */
#ifndef NC3Z_HYPERSLAB_BOXES_H
#define NC3Z_HYPERSLAB_BOXES_H

#include "hyperslab/hyperslab.h"
#include "hyperslab/variable.h"

struct hyperslab_boxes_dim {
	struct hyperslab_extent extent; /* of the slab; count is not 0 */
	/*
	 * Length of an interval: in indices of the variable, which are cut at
	 * its multiples, or in elements of the slab, which are cut from the
	 * first one on.
	 */
	uint64_t length;
	bool is_by_index;
	/* Derived: */
	uint64_t nboxes;
	uint64_t group;
};

struct hyperslab_boxes {
	size_t rank; /* at most PLAN_RANK_MAX */
	struct hyperslab_boxes_dim dims[PLAN_RANK_MAX];
};

/* Some neighbouring elements of a slab along a dimension. */
struct hyperslab_interval {
	uint64_t place; /* number of the first element in the slab */
	uint64_t nelems;
};

/*
 * Derives 'nboxes'; a group is one box.  An interval of indices is at least a
 * stride long.
 */
void hyperslab_boxes_dim_finish(struct hyperslab_boxes_dim *dim);

/* The elements in 'n' boxes from number 'first' on, as far as there are. */
struct hyperslab_interval
hyperslab_boxes_interval(const struct hyperslab_boxes_dim *dim, uint64_t first,
			 uint64_t n);

/* No 'n' neighbouring boxes have more elements along the dimension. */
uint64_t hyperslab_boxes_longest(const struct hyperslab_boxes_dim *dim,
				 uint64_t n);

/* Elements of the largest box; UINT64_MAX if that is too small a number. */
uint64_t hyperslab_boxes_box_nelems(const struct hyperslab_boxes *boxes);

/* And of the largest stage. */
uint64_t hyperslab_boxes_stage_nelems(const struct hyperslab_boxes *boxes);

/*
 * Whether the values of each box lie side by side in a row-major array of its
 * stage.
 */
bool hyperslab_boxes_are_runs(const struct hyperslab_boxes *boxes);

/* How many boxes there are; UINT64_MAX if that is too small a number. */
uint64_t hyperslab_boxes_count(const struct hyperslab_boxes *boxes);

/* hyperslab/boxes_choose.c */

/* How the variables lie, as far as it matters for boxes of them. */
struct hyperslab_grain {
	/* Of a block along each dimension, about; none is 0. */
	uint64_t lengths[PLAN_RANK_MAX];
	uint64_t block_nbytes;
	bool is_ragged; /* blocks begin inside of rows, planes and so on */
};

/* Of a variable whose elements have 'width' bytes. */
void hyperslab_grain_of(const struct plan_map *map,
			const struct hyperslab_variable *place, uint32_t width,
			size_t rank, const uint64_t *shape,
			struct hyperslab_grain *grain_ret);

/* The purpose that boxes are chosen for. */
struct hyperslab_boxes_aim {
	const struct hyperslab_grain *grains; /* one for each variable */
	size_t nvars;
	uint64_t element_nbytes; /* in memory, of all variables together */
	uint64_t budget_nbytes;
};

/*
 * Chooses intervals and groups, for extents that are given: boxes of whole
 * blocks if the budget allows it, as large as it allows.
 */
void hyperslab_boxes_choose(struct hyperslab_boxes *boxes,
			    const struct hyperslab_boxes_aim *aim);

/*
 * Chooses groups, for intervals that are given: those with which the fewest
 * blocks have to be decoded, as far as the grains tell.  A box fits the budget.
 */
void hyperslab_boxes_group(struct hyperslab_boxes *boxes,
			   const struct hyperslab_boxes_aim *aim);

#endif
