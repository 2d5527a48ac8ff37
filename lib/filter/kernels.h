/*
 * The kernels of the filters, one set for each width of element, made from
 * the templates in kernels.c.  Arrays do not overlap but where one pointer is
 * both input and output.
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

#endif
