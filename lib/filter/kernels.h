/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the filters, for each width of element, made from templates.
 * Their files are compiled once for the least processor of the architecture
 * and, for x86-64, once more for those that have AVX2; which are used is found
 * out at run time (kernel_sets.c).  Both give the same bytes.  Arrays do not
 * overlap but where one pointer is both input and output.
 */
#ifndef NC3Z_FILTER_KERNELS_H
#define NC3Z_FILTER_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_SETS_MAX 2

/* Which of the sets a file of kernels is compiled for. */
#ifdef NC3Z_KERNELS_AVX2
#define KERNEL_SET(name) name##_avx2
#else
#define KERNEL_SET(name) name##_plain
#endif

struct filter_kernels {
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
	 * (With a stride of 1, bridging is what undelta() does.)
	 */
	void (*undelta_bridged)(void *elems, size_t n, size_t stride,
				const uint8_t *holes);
	void (*undelta_cleared)(void *elems, size_t n, size_t stride,
				const uint8_t *holes);
	/* Moves the first kept element from one array to the other. */
	void (*copy_first)(const void *from, size_t n, const uint8_t *holes,
			   void *to);
	/* Sets holes[i] where an element is the value; counts them. */
	size_t (*mark)(const void *elems, size_t n, const void *value,
		       uint8_t *holes);
	/* Holes take the value; both as the bytes of a block. */
	void (*fill)(const uint8_t *value, const uint8_t *holes, size_t n,
		     uint8_t *raw);
};

/* Bits, the lowest of a byte first, and bytes of 0 or 1. */
struct mask_kernels {
	/* n bits -> n bytes. */
	void (*unpack)(const uint8_t *mask, size_t n, uint8_t *holes);
	/* holes[i] ^= holes[i - stride], one after the other. */
	void (*unxor)(uint8_t *holes, size_t n, size_t stride);
	/* How many of n bytes are 1. */
	size_t (*count)(const uint8_t *holes, size_t n);
};

/*
 * Decimals and fractions.  Integers are 'width' bytes wide at most, those that
 * are joined less their minimum and divided by the factor.
 */
struct decimal_scale {
	double power; /* the divisor */
	uint64_t factor;
	int64_t minimum;
	int64_t maximum; /* of what is divided, or above it */
};

struct decimal_kernels {
	/*
	 * x * power, rounded, of each element of 4 or 8 bytes, and in 'good'
	 * whether it gives the element back.
	 */
	void (*scale)(uint8_t width, const void *elems, size_t n, double power,
		      void *integers, uint8_t *good);
	/* The range of n integers, at least one. */
	void (*span)(uint8_t width, const void *integers, size_t n,
		     int64_t *least_ret, int64_t *most_ret);
	/*
	 * Integers of 'from' bytes less the minimum, in 'to' bytes; those
	 * outside of the range are clamped.
	 */
	void (*narrow)(uint8_t from, uint8_t to, const void *integers, size_t n,
		       const struct decimal_scale *scale, void *out);
	/* Integers of 'from' bytes -> big-endian elements of 'to' bytes. */
	void (*join)(uint8_t from, uint8_t to, const void *integers, size_t n,
		     const struct decimal_scale *scale, uint8_t *raw);
};

/*
 * nplanes planes of n bytes, n being a multiple of 8, <-> planes of bits: bit
 * i % 8 of byte i / 8 of plane 8 * p + b is bit b of byte i of plane p.
 */
struct plane_kernels {
	void (*split)(const uint8_t *in, size_t nplanes, size_t n,
		      uint8_t *out);
	void (*join)(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out);
};

struct kernel_set {
	const char *name;
	const struct filter_kernels *filter; /* by log2 of the width */
	const struct hole_kernels *hole;     /* the same */
	const struct mask_kernels *mask;
	const struct decimal_kernels *decimal;
	const struct plane_kernels *plane;
};

#define DECLARE_KERNELS(set) \
	extern const struct filter_kernels filter_kernels_##set[4]; \
	extern const struct hole_kernels hole_kernels_##set[4]; \
	extern const struct mask_kernels mask_kernels_##set; \
	extern const struct decimal_kernels decimal_kernels_##set; \
	extern const struct plane_kernels plane_kernels_##set;

DECLARE_KERNELS(plain)
DECLARE_KERNELS(avx2)

/*
 * The sets that were compiled and that this processor can run, the best one
 * first; returns their number.
 */
size_t kernel_sets(const struct kernel_set *sets_ret[KERNEL_SETS_MAX]);

/* The kernels of the best set; for widths 1, 2, 4 and 8. */
const struct filter_kernels *filter_kernels(uint8_t width);
const struct hole_kernels *hole_kernels(uint8_t width);
const struct mask_kernels *mask_kernels(void);
const struct decimal_kernels *decimal_kernels(void);
const struct plane_kernels *plane_kernels(void);

#endif
