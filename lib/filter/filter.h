/* SPDX-License-Identifier: MIT */
/*
 * Filters: reversible steps on the elements of a part that make it easier to
 * compress.  A chain of up to FILTER_STEPS_MAX steps works on n = nbytes /
 * width unsigned integers of 'width' bytes, loaded big-endian (as netCDF
 * stores them) and stored little-endian; the last nbytes % width bytes pass
 * unchanged.  The empty chain leaves every byte as it is.  Format: section
 * "Filters" of the specification.
 *
 * The last step may be a layout, which decides in which order the bytes of the
 * elements are written: shuffle or bitshuffle.
 *
 * Kernels do not allocate.  Buffers given here must not overlap and must come
 * from malloc() (aligned for any integer).
 */
#ifndef NC3Z_FILTER_FILTER_H
#define NC3Z_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nc3z.h"

#define FILTER_STEPS_MAX 8
/* Deltas that extrapolate takes. */
#define FILTER_EXTRAPOLATED_MAX 3u

struct filter_step {
	uint8_t id; /* enum nc3z_filter */
	/* Of delta, in elements; else 0. */
	uint32_t stride;
};

struct filter_chain {
	uint8_t nsteps;
	struct filter_step steps[FILTER_STEPS_MAX];
};

/* The name of a filter, NULL for a number that is none. */
const char *filter_name(uint8_t id);

/* Whether a filter sets the order of bytes, such as shuffle. */
bool filter_is_layout(uint8_t id);

/* How long readers take to undo a chain: instructions for each value. */
unsigned filter_chain_cost(const struct filter_chain *chain);

/* Whether a filter is for floating-point numbers, and so stands first. */
bool filter_is_of_floats(uint8_t id);

/* Whether a filter has a parameter, which then is not 0. */
bool filter_has_stride(uint8_t id);

/* Widths that elements can have: 1, 2, 4, 8. */
bool filter_width_valid(uint8_t width);

/*
 * Whether a chain may stand in an archive: known steps, order only as the
 * first, layouts only as the last, strides where they belong.
 */
bool filter_chain_valid(const struct filter_chain *chain);

/* The least width of elements for a valid chain. */
uint8_t filter_chain_width_min(const struct filter_chain *chain);

/* Adds a step; the chain must have room. */
void filter_chain_add(struct filter_chain *chain, enum nc3z_filter id,
		      uint32_t stride);

/*
 * If the chain's output has planes of bytes with statistics of their own, of
 * a length worth a new start of the codec: their length, otherwise 0.
 */
size_t filter_plane_nbytes(const struct filter_chain *chain, uint8_t width,
			   size_t nbytes);

/*
 * raw -> out, both 'nbytes' long, with 'scratch' of the same size.  The chain
 * is valid.
 */
void filter_apply(const struct filter_chain *chain, uint8_t width,
		  const uint8_t *raw, size_t nbytes, uint8_t *out,
		  uint8_t *scratch);

/* The inverse: coded -> raw, with 'scratch' of 'nbytes' bytes. */
void filter_invert(const struct filter_chain *chain, uint8_t width,
		   const uint8_t *coded, size_t nbytes, uint8_t *raw,
		   uint8_t *scratch);

/*
 * The same in pieces, for elements in memory, some of which may be missing:
 * holes.  Holes are predicted across, as section "Holes" of the specification
 * says, and nothing is left of them.
 */
struct filter_elems {
	uint8_t width;
	size_t n;
	const uint8_t *holes; /* n bytes: 1 for a hole, else 0; or NULL */
	size_t nkept;         /* elements that are no holes, at least 1 */
};

/* Big-endian bytes <-> elements. */
void filter_load(uint8_t width, const uint8_t *bytes, size_t n, void *elems);
void filter_store(uint8_t width, const void *elems, size_t n, uint8_t *bytes);

/* Where n elements must lie for filter_predict(): in 'out' or 'scratch'. */
void *filter_place(const struct filter_chain *chain, uint8_t *out,
		   uint8_t *scratch);

/*
 * Applies all steps but the layout to the elements at filter_place(); what
 * holes hold does not matter.  Returns where in 'out' or 'scratch' the nkept
 * elements are that are left.
 */
void *filter_predict(const struct filter_chain *chain,
		     const struct filter_elems *elems, uint8_t *out,
		     uint8_t *scratch);

/* Where filter_predict() leaves them, and filter_lay_out() wants them. */
void *filter_layout_place(const struct filter_chain *chain, uint8_t *out,
			  uint8_t *scratch);

/* Applies the layout to n elements: 'out' is the result. */
void filter_lay_out(const struct filter_chain *chain, uint8_t width, size_t n,
		    uint8_t *out, uint8_t *scratch);

/*
 * The inverse of both: nkept elements at 'coded' -> n elements at 'elems';
 * what holes hold then is anything.  'scratch' has n elements.
 */
void filter_restore(const struct filter_chain *chain,
		    const struct filter_elems *elems, const uint8_t *coded,
		    void *out, void *scratch);

/* Holes become 0. */
void filter_clear_holes(uint8_t width, void *elems, size_t n,
			const uint8_t *holes);

#endif
