/*
 * Filters: reversible steps on the elements of a block that make it easier to
 * compress.  A chain of up to FILTER_STEPS_MAX steps works on n = nbytes /
 * width unsigned integers of 'width' bytes, loaded big-endian (as netCDF
 * stores them) and stored little-endian; the last nbytes % width bytes pass
 * unchanged.  The empty chain leaves every byte as it is.  Format: section
 * "Filters" of the specification.
 *
 * Kernels do not allocate.  Buffers given here must not overlap and must come
 * from malloc() (aligned for any integer).
 */
#ifndef NC3Z_FILTER_FILTER_H
#define NC3Z_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_STEPS_MAX 8

/* Numbers of the format. */
enum filter_id {
	FILTER_ORDER = 1,
	FILTER_DELTA = 2,
	FILTER_ZIGZAG = 3,
	FILTER_SHUFFLE = 4,
};

struct filter_step {
	uint8_t id;
	uint32_t stride; /* of FILTER_DELTA, in elements; otherwise 0 */
};

struct filter_chain {
	uint8_t nsteps;
	struct filter_step steps[FILTER_STEPS_MAX];
};

/* The name of a filter, NULL for a number that is none. */
const char *filter_name(uint8_t id);

/* Widths that elements can have: 1, 2, 4, 8. */
bool filter_width_valid(uint8_t width);

/*
 * Whether a chain may stand in an archive: known steps, order only as the
 * first, shuffle only as the last, strides of delta not 0 and of others 0.
 */
bool filter_chain_valid(const struct filter_chain *chain);

/* Adds a step; the chain must have room. */
void filter_chain_add(struct filter_chain *chain, enum filter_id id,
		      uint32_t stride);

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

#endif
