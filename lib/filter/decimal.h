/* SPDX-License-Identifier: MIT */
/*
 * Decimal and fraction: floating-point elements that are integers divided by a
 * power of ten, or by any other integer, to the bit, become these integers,
 * less their minimum, divided by what they have in common, and as narrow as
 * they can be.  Elements that are none are exceptions, kept beside.  Section
 * 7.4 of the specification says which operations give the numbers back.
 */
#ifndef NC3Z_FILTER_DECIMAL_H
#define NC3Z_FILTER_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_EXPONENT_MAX 12
/* Doubles hold all integers up to this. */
#define DECIMAL_DIVISOR_MAX (UINT64_C(1) << 53)

/* Elements of 4 or 8 bytes; holes as in filter.h, or NULL. */
struct decimal_input {
	uint8_t width;
	const void *elems;
	size_t n;
	const uint8_t *holes;
};

/* Elements are (minimum + integer * factor) / divisor. */
struct decimal {
	uint64_t divisor; /* 1 to DECIMAL_DIVISOR_MAX */
	uint64_t factor;  /* at least 1 */
	int64_t minimum;
	uint8_t width; /* of the integers */
	size_t nexceptions;
};

/* 10^exponent, of an exponent up to DECIMAL_EXPONENT_MAX. */
uint64_t decimal_power(uint8_t exponent);

/* The exponent of which this is the power, -1 if there is none. */
int decimal_exponent(uint64_t divisor);

/* Most exceptions that are worth it. */
size_t decimal_exceptions_max(size_t n);

/*
 * Finds a divisor with which nearly all of a sample of the elements are
 * integers: the smallest power of ten, or a smaller number if there is one.
 * 0 if there is none.
 */
uint64_t decimal_find(const struct decimal_input *in);

/*
 * Converts, with the divisor of 'd', and sets the rest of it: integers of
 * d->width bytes (at most in->width) to 'integers' (in->n * in->width bytes),
 * and the places of exceptions to 'places' (room for
 * decimal_exceptions_max(n)).  Holes and exceptions repeat the integer before.
 * 'scratch' has the size of 'integers'.  False if there are too many exceptions
 * or the integers are too wide.
 */
bool decimal_split(const struct decimal_input *in, struct decimal *d,
		   void *integers, uint32_t *places, void *scratch);

/* The inverse: n integers -> n big-endian elements of 'width' bytes. */
void decimal_join(const struct decimal *d, const void *integers, size_t n,
		  uint8_t width, uint8_t *raw);

#endif
