/*
 * Decimal: floating-point elements that are integers divided by a power of
 * ten, to the bit, become these integers, less their minimum and as narrow as
 * they can be.  Elements that are none are exceptions, kept beside.  Section
 * "Decimal" of the specification says which operations give the numbers back.
 */
#ifndef NC3Z_FILTER_DECIMAL_H
#define NC3Z_FILTER_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_EXPONENT_MAX 12

/* Elements of 4 or 8 bytes; holes as in filter.h, or NULL. */
struct decimal_input {
	uint8_t width;
	const void *elems;
	size_t n;
	const uint8_t *holes;
};

struct decimal {
	uint8_t exponent;
	uint8_t width; /* of the integers */
	int64_t minimum;
	size_t nexceptions;
};

/* Most exceptions that are worth it. */
size_t decimal_exceptions_max(size_t n);

/*
 * Finds the smallest exponent with which nearly all of a sample of the
 * elements are decimals; false if there is none.
 */
bool decimal_find(const struct decimal_input *in, uint8_t *exponent_ret);

/*
 * Converts, with the exponent of 'd': integers of d->width bytes (at most
 * in->width) to 'integers' (in->n * in->width bytes), and the places of
 * exceptions to 'places' (room for decimal_exceptions_max(n)).  Holes and
 * exceptions repeat the integer before.  'scratch' has the size of 'integers'.
 * False if there are too many exceptions or the integers are too wide.
 */
bool decimal_split(const struct decimal_input *in, struct decimal *d,
		   void *integers, uint32_t *places, void *scratch);

/* The inverse: n integers -> n big-endian elements of 'width' bytes. */
void decimal_join(const struct decimal *d, const void *integers, size_t n,
		  uint8_t width, uint8_t *raw);

#endif
