/* SPDX-License-Identifier: MIT */
/*
 * Templates of the filters' kernels (template.h), included by kernels.c.  All
 * arithmetic is unsigned and wraps, so every kernel has an exact inverse.  The
 * loops are written so that compilers turn them into vector code: no branch,
 * no dependence between iterations but in undelta with a short stride.
 */
#include "filter/template.h"

static void NAME(shuffle)(const void *elems, size_t n, uint8_t *bytes)
{
	const elem *x = elems;

	for (unsigned k = 0; k < BITS / 8; k++, bytes += n)
		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)(x[i] >> (8 * k));
}

static void NAME(unshuffle)(const uint8_t *bytes, size_t n, void *elems)
{
	elem *restrict x = elems;

	for (size_t i = UNSHUFFLE_GROUPS(BITS, bytes, n, x); i < n; i++) {
		elem v = 0;

		for (unsigned k = 0; k < BITS / 8; k++)
			v |= (elem)((elem)bytes[k * n + i] << (8 * k));
		x[i] = v;
	}
}

/* All bits of a negative number, none of others. */
static inline elem NAME(signs)(elem x)
{
	return (elem)(0 - (x >> (BITS - 1)));
}

/* Positive numbers get the sign bit set, negative ones are complemented. */
static void NAME(order)(void *elems, size_t n)
{
	elem *x = elems;
	const elem sign = (elem)1 << (BITS - 1);

	for (size_t i = 0; i < n; i++)
		x[i] ^= (elem)(NAME(signs)(x[i]) | sign);
}

static void NAME(unorder)(void *elems, size_t n)
{
	elem *x = elems;
	const elem sign = (elem)1 << (BITS - 1);

	for (size_t i = 0; i < n; i++)
		x[i] ^= (elem)(~NAME(signs)(x[i]) | sign);
}

static void NAME(zigzag)(void *elems, size_t n)
{
	elem *x = elems;

	for (size_t i = 0; i < n; i++)
		x[i] = (elem)((x[i] << 1) ^ NAME(signs)(x[i]));
}

static void NAME(unzigzag)(void *elems, size_t n)
{
	elem *x = elems;

	for (size_t i = 0; i < n; i++) {
		elem negative = (elem)(0 - (x[i] & 1));

		x[i] = (elem)((x[i] >> 1) ^ negative);
	}
}

static void NAME(delta)(const void *elems, size_t n, size_t stride, void *out)
{
	const elem *x = elems;
	elem *restrict y = out;
	size_t head = stride < n ? stride : n;

	memcpy(y, x, head * sizeof(*y));
	for (size_t i = head; i < n; i++)
		y[i] = (elem)(x[i] - x[i - stride]);
}

static void NAME(add)(elem *restrict x, const elem *restrict before, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (elem)(x[i] + before[i]);
}

static void NAME(sum)(elem *x, size_t n)
{
	size_t i = SUM_GROUPS(BITS, x, n);
	elem sum = i > 0 ? x[i - 1] : 0;

	for (; i < n; i++) {
		sum = (elem)(sum + x[i]);
		x[i] = sum;
	}
}

/* In pieces of one stride, which do not depend on themselves. */
static void NAME(undelta)(void *elems, size_t n, size_t stride)
{
	elem *x = elems;

	if (stride == 1) {
		NAME(sum)(x, n);
		return;
	}
	for (size_t i = stride; i < n; i += stride)
		NAME(add)
	(x + i, x + i - stride, n - i < stride ? n - i : stride);
}

#undef BITS
