/* SPDX-License-Identifier: MIT */
/*
 * Templates for numbers of 32 and 64 bits (template.h), included by
 * filter_extrapolate.c with 'number', their type, and EXPONENT, all bits of its
 * exponent.
 */
#include "filter/template.h"

static inline elem NAME(ordered)(elem x)
{
	const elem sign = (elem)1 << (BITS - 1);

	return x & sign ? (elem)~x : (elem)(x | sign);
}

static inline elem NAME(unordered)(elem x)
{
	const elem sign = (elem)1 << (BITS - 1);

	return x & sign ? (elem)(x ^ sign) : (elem)~x;
}

/* The bits of a sum, or those of the nearest number if it is not finite. */
static inline elem NAME(round)(double sum, elem nearest)
{
	number rounded = (number)sum;
	elem bits;

	memcpy(&bits, &rounded, sizeof(bits));
	return (bits & EXPONENT) == EXPONENT ? nearest : bits;
}

/* Where all numbers before are there; 'n' is known to the compiler. */
static inline elem NAME(predict)(const struct terms *t, unsigned n,
				 const elem *x)
{
	double sum = 0;

	for (unsigned k = 0; k < n; k++) {
		number before;

		memcpy(&before, x - (size_t)t->offsets[k], sizeof(before));
		sum += t->signs[k] * (double)before;
	}
	return NAME(round)(sum, *(x - (size_t)t->nearest));
}

/* The same at the beginning, of element i. */
static elem NAME(predict_early)(const struct terms *t, const elem *x, size_t i)
{
	double sum = 0;

	for (unsigned k = 0; k < t->n; k++) {
		number before;

		if (i < t->offsets[k])
			continue;
		memcpy(&before, x + i - (size_t)t->offsets[k], sizeof(before));
		sum += t->signs[k] * (double)before;
	}
	return NAME(round)(sum,
			   i >= t->nearest ? x[i - (size_t)t->nearest] : 0);
}

static inline elem NAME(predict_any)(const struct terms *t, const elem *x,
				     size_t i)
{
	if (i < t->farthest)
		return NAME(predict_early)(t, x, i);
	return t->n == 3 ? NAME(predict)(t, 3, x + i) :
	       t->n == 7 ? NAME(predict)(t, 7, x + i) :
			   NAME(predict)(t, 1, x + i);
}

static void NAME(extrapolate)(const struct terms *t, const elem *x, size_t n,
			      elem *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] = (elem)(NAME(ordered)(x[i]) -
			      NAME(ordered)(NAME(predict_any)(t, x, i)));
}

static inline elem NAME(restored)(const struct terms *t, const elem *x,
				  size_t i)
{
	return NAME(unordered)(
		(elem)(x[i] + NAME(ordered)(NAME(predict_any)(t, x, i))));
}

/* Holes are bridged, as they were. */
static void NAME(restore)(const struct terms *t, elem *x, size_t n,
			  const uint8_t *holes)
{
	size_t i = 0;

	if (!holes) {
		for (; i < n; i++)
			x[i] = NAME(restored)(t, x, i);
		return;
	}
	while (i < n && holes[i])
		i++;
	if (i == n)
		return;
	x[i] = NAME(unordered)(x[i]);
	for (size_t k = 0; k < i; k++)
		x[k] = x[i];
	for (i++; i < n; i++)
		x[i] = holes[i] ? x[i - 1] : NAME(restored)(t, x, i);
}

#undef BITS
#undef number
#undef EXPONENT
