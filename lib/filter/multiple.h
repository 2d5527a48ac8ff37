/* SPDX-License-Identifier: MIT */
/*
 * Multiple: integers that have a factor in common, once their minimum is taken
 * off, are divided by it, and become as narrow as they can be.
 */
#ifndef NC3Z_FILTER_MULTIPLE_H
#define NC3Z_FILTER_MULTIPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The greatest common divisor; of 0 and x it is x. */
static inline uint64_t multiple_factor(uint64_t a, uint64_t b)
{
	/* Mostly a divides b. */
	while (a > 0) {
		uint64_t rest = b % a;

		b = a;
		a = rest;
	}
	return b;
}

/* Bytes that hold integers from 0 to 'most': 1, 2, 4 or 8. */
static inline uint8_t multiple_width(uint64_t most)
{
	return most <= UINT8_MAX  ? 1 :
	       most <= UINT16_MAX ? 2 :
	       most <= UINT32_MAX ? 4 :
				    8;
}

/* Elements are minimum + integer * factor, modulo 256^(their width). */
struct multiple {
	uint64_t minimum; /* as a signed integer of 64 bits */
	uint64_t factor;  /* at least 1 */
	uint8_t width;    /* of the integers */
};

/* Elements, taken for signed integers; holes as in filter.h, or NULL. */
struct multiple_input {
	uint8_t width;
	const void *elems;
	size_t n;
	const uint8_t *holes;
};

/*
 * Writes integers of m_ret->width bytes (at most in->width) to 'integers';
 * holes repeat the integer before.  False if the factor is 1, or all are equal.
 */
bool multiple_split(const struct multiple_input *in, struct multiple *m_ret,
		    void *integers);

/*
 * The inverse: n integers of m->width bytes, at most 'width' -> n big-endian
 * elements.
 */
void multiple_join(const struct multiple *m, const void *integers, size_t n,
		   uint8_t width, uint8_t *raw);

#endif
