/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic on sizes that may come from a file: every function says whether
 * the result fits.  No product or sum of such numbers is formed any other way.
 */
#ifndef NC3Z_BASE_SIZES_H
#define NC3Z_BASE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

static inline bool size_add(uint64_t a, uint64_t b, uint64_t *sum_ret)
{
	return !__builtin_add_overflow(a, b, sum_ret);
}

static inline bool size_mul(uint64_t a, uint64_t b, uint64_t *product_ret)
{
	return !__builtin_mul_overflow(a, b, product_ret);
}

/* The sum, or 'max' where that is less (also when the sum does not fit). */
static inline uint64_t size_add_max(uint64_t a, uint64_t b, uint64_t max)
{
	uint64_t sum;

	return size_add(a, b, &sum) && sum < max ? sum : max;
}

/* The product, or 'max' where that is less. */
static inline uint64_t size_mul_max(uint64_t a, uint64_t b, uint64_t max)
{
	uint64_t product;

	return size_mul(a, b, &product) && product < max ? product : max;
}

/* a / b, rounded up; b is not 0. */
static inline uint64_t size_div_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* The next multiple of 4; false if there is none. */
static inline bool size_pad4(uint64_t n, uint64_t *padded_ret)
{
	if (!size_add(n, 3, padded_ret))
		return false;
	*padded_ret &= ~UINT64_C(3);
	return true;
}

static inline uint64_t size_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t size_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The greatest that both are multiples of. */
static inline uint64_t size_divisor(uint64_t a, uint64_t b)
{
	while (b > 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
