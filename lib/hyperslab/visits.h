/* SPDX-License-Identifier: MIT */
/*
 * A request for a hyperslab, worked off block by block: the one way from
 * start, count, stride and imap to blocks, for linear and for chunked streams.
 *
 * A request falls into *visits*, each with the wanted elements that one block
 * holds side by side; and a visit into *runs*, elements at equal distances in
 * the block and in the caller's array.  In a linear stream a visit is a run of
 * the variable, found by its linear indices; in a chunked stream it is a
 * chunk, whose elements are a hyperslab of the request's hyperslab.  A
 * variable that is no member of a stream, or whose chunks have another shape
 * than the header says, is read by runs, which is slower and always right; so
 * is one whose elements an imap may send to the same place, where their order
 * matters.
 *
 * Visits come in ascending order of *positions*, by which a request can be
 * divided among threads that know nothing of each other.  A block is in one
 * visit, if the variable has its stream to itself and the original is not cut
 * off inside the request; otherwise visits of one block follow each other.
 *
 * Arithmetic only; nothing is allocated.  The structs are large: what is not
 * used of them is not touched.
 */
#ifndef NC3Z_HYPERSLAB_VISITS_H
#define NC3Z_HYPERSLAB_VISITS_H

#include "hyperslab/hyperslab.h"
#include "hyperslab/variable.h"

/* May be used by any number of threads once it is made. */
struct hyperslab_visits {
	const struct plan_map *map;
	const struct hyperslab_variable *place;
	uint32_t width; /* bytes of an element */
	struct hyperslab slab;
	const struct plan_grid *grid; /* NULL: by runs */
	struct hyperslab_visits_dim {
		struct hyperslab_extent extent;
		ptrdiff_t out_step; /* in elements */
	} dims[PLAN_RANK_MAX];      /* if there are chunks */
};

/*
 * Makes the request for a variable whose elements have 'width' bytes, and that
 * hyperslab_check() finds nothing wrong with.  'map' and 'place' must outlive
 * it.
 *
 * Returns NC3Z_OK; NC3Z_ELIMIT if linear indices do not fit.
 */
int hyperslab_visits_init(struct hyperslab_visits *request,
			  const struct plan_map *map,
			  const struct hyperslab_variable *place,
			  uint32_t width, const struct hyperslab_request *slab,
			  struct nc3z_error *err);

/*
 * How many blocks the request touches, as if the original had all of them: of
 * chunks as many, of runs about so many.
 */
uint64_t hyperslab_visits_nblocks(const struct hyperslab_visits *request);

struct hyperslab_visit {
	enum hyperslab_visit_kind {
		PLAN_IN_BLOCK,
		PLAN_STRADDLES, /* one element that no block has whole */
		PLAN_BEYOND,    /* the original ends before */
	} kind;
	uint32_t stream;
	/*
	 * Elements are counted from the first one of the chunk, or of the
	 * variable.  The visit has those from 'first' to 'end' - 1 that the
	 * request takes.
	 */
	uint64_t first;
	uint64_t end;
	uint64_t straddler; /* linear index of the element that straddles */
	struct plan_block block;
	uint64_t skip;  /* bytes of the block before element 'first' */
	uint64_t after; /* the position of what follows the block */
};

struct hyperslab_visits_cursor {
	const struct hyperslab_visits *request; /* must outlive the cursor */
	struct hyperslab_cursor elements; /* of the slab, or of the chunk's */
	/* Of the chunk in which the cursor stands: */
	struct hyperslab chunk_slab;
	struct plan_block chunk;
	struct hyperslab_projection {
		uint64_t place; /* number of the first element in the slab */
		uint64_t index; /* and its index */
		uint64_t nelems;
		uint64_t chunk;
	} projections[PLAN_RANK_MAX];
};

/*
 * Sets the cursor on the first wanted element at or after a position; false,
 * and a cursor at the end, if there is none.  0 is the first of all.
 */
bool hyperslab_visits_seek(const struct hyperslab_visits *request,
			   uint64_t position,
			   struct hyperslab_visits_cursor *cursor_ret);

/*
 * The visit in which the cursor stands, which stays there; false if it stands
 * at or after the position 'end', or at the end.
 */
bool hyperslab_visits_next(struct hyperslab_visits_cursor *cursor, uint64_t end,
			   struct hyperslab_visit *visit_ret);

/*
 * The next run of that visit, with elements counted as the visit does; the
 * cursor goes past it.  False if there are no more.
 */
static inline bool hyperslab_visits_run(struct hyperslab_visits_cursor *cursor,
					const struct hyperslab_visit *visit,
					struct hyperslab_run *run_ret)
{
	return hyperslab_next_run(&cursor->elements, visit->end, run_ret);
}

/*
 * Whether the visit is a whole block that is wanted whole and whose elements
 * go to neighbouring places of the array: it is then a single run.
 */
bool hyperslab_visits_takes_block(const struct hyperslab_visits_cursor *cursor,
				  const struct hyperslab_visit *visit);

/* Where some bytes of an element are; zeroed, it is before them all. */
struct hyperslab_element_part {
	uint32_t stream;
	struct plan_block block;
	size_t skip; /* bytes of the block before them */
	size_t done; /* bytes of the element before them */
	size_t nbytes;
};

/*
 * The next bytes of an element that no block has whole, given by its linear
 * index; false if there are no more: all were there, or the original ends.
 */
bool hyperslab_element_next_part(const struct hyperslab_visits *request,
				 uint64_t element,
				 struct hyperslab_element_part *part);

#endif
