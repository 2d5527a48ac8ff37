/*
 * The kernels of the filters, one set for each width of element, made from
 * the templates in kernels.c and holes.c.  Arrays do not overlap but where one
 * pointer is both input and output.
 */
#ifndef NC3Z_FILTER_KERNELS_H
#define NC3Z_FILTER_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct filter_kernels {
	/* Big-endian bytes <-> elements. */
	void (*load_be)(const uint8_t *bytes, size_t n, void *elems);
	void (*store_be)(const void *elems, size_t n, uint8_t *bytes);
	/* Little-endian bytes <-> elements. */
	void (*load_le)(const uint8_t *bytes, size_t n, void *elems);
	void (*store_le)(const void *elems, size_t n, uint8_t *bytes);
	/* Byte k of element i <-> byte k * n + i. */
	void (*shuffle)(const void *elems, size_t n, uint8_t *bytes);
	void (*unshuffle)(const uint8_t *bytes, size_t n, void *elems);
	/* IEEE 754 bits <-> integers in the order of the numbers. */
	void (*order)(void *elems, size_t n);
	void (*unorder)(void *elems, size_t n);
	/* Signed to unsigned with small magnitudes first, and back. */
	void (*zigzag)(void *elems, size_t n);
	void (*unzigzag)(void *elems, size_t n);
	/* x[i] - x[i - stride] where i >= stride, and back. */
	void (*delta)(const void *elems, size_t n, size_t stride, void *out);
	void (*undelta)(void *elems, size_t n, size_t stride);
};

/* For widths 1, 2, 4 and 8. */
const struct filter_kernels *filter_kernels(uint8_t width);

/* Kernels for elements of which some are holes: holes[i] is 1, otherwise 0. */
struct hole_kernels {
	/*
	 * Holes take the value of their left neighbour; before the first kept
	 * element, that of this one.
	 */
	void (*bridge)(void *elems, size_t n, const uint8_t *holes);
	/* Holes become 0. */
	void (*clear)(void *elems, size_t n, const uint8_t *holes);
	/* Kept elements move together, in place. */
	void (*compact)(void *elems, size_t n, const uint8_t *holes);
	/* The inverse, in place; holes become 0. */
	void (*expand)(void *elems, size_t nkept, size_t n,
		       const uint8_t *holes);
	/*
	 * undelta() where holes are bridged, or hold 0.  Holes are 0 on entry.
	 */
	void (*undelta_bridged)(void *elems, size_t n, size_t stride,
				const uint8_t *holes);
	void (*undelta_cleared)(void *elems, size_t n, size_t stride,
				const uint8_t *holes);
	/* Moves the first kept element from one array to the other. */
	void (*copy_first)(const void *from, size_t n, const uint8_t *holes,
			   void *to);
};

const struct hole_kernels *hole_kernels(uint8_t width);

/*
 * Bytes of nrows rows of row_nbytes: byte b of row r <-> byte b * nrows + r.
 */
void transpose_bytes(const uint8_t *in, size_t nrows, size_t row_nbytes,
		     uint8_t *out);

/*
 * nplanes planes of n bytes, n being a multiple of 8, <-> planes of bits: bit
 * i % 8 of byte i / 8 of plane 8 * p + b is bit b of byte i of plane p.
 */
void split_bits(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out);
void join_bits(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out);

/* The same in plain C, on all processors. */
void split_bits_plain(const uint8_t *in, size_t nplanes, size_t n,
		      uint8_t *out);
void join_bits_plain(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out);

#endif
