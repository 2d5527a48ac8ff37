/* SPDX-License-Identifier: MIT */
/* Templates of the kernels for holes (template.h), included by holes.c. */
#include "filter/template.h"

/* All bits for an element that is kept, none for a hole. */
static inline elem NAME(kept)(uint8_t is_hole)
{
	return (elem)((elem)is_hole - 1u);
}

static inline void NAME(fill)(elem *x, size_t n, elem value)
{
	for (size_t i = 0; i < n; i++)
		x[i] = value;
}

/* The last value before the next element. */
static inline elem NAME(bridge_some)(elem *x, size_t n, const uint8_t *holes,
				     elem last)
{
	for (size_t i = 0; i < n; i++) {
		last = holes[i] ? last : x[i];
		x[i] = last;
	}
	return last;
}

static void NAME(bridge)(void *elems, size_t n, const uint8_t *holes)
{
	elem *x = elems, last;
	size_t i = 0;

	if (n == 0)
		return;
	last = x[first_kept(holes, n)];
	for (; n - i >= 8; i += 8) {
		uint64_t group = load_le64(holes + i);

		if (group == NO_HOLES)
			last = x[i + 7];
		else if (group == ALL_HOLES)
			NAME(fill)(x + i, 8, last);
		else
			last = NAME(bridge_some)(x + i, 8, holes + i, last);
	}
	NAME(bridge_some)(x + i, n - i, holes + i, last);
}

static void NAME(clear)(void *elems, size_t n, const uint8_t *holes)
{
	elem *x = elems;

	for (size_t i = 0; i < n; i++)
		x[i] &= NAME(kept)(holes[i]);
}

/* How many of them are kept. */
static inline size_t NAME(compact_some)(elem *to, const elem *from, size_t n,
					const uint8_t *holes)
{
	size_t nkept = 0;

	for (size_t i = 0; i < n; i++) {
		to[nkept] = from[i];
		nkept += 1u - holes[i];
	}
	return nkept;
}

static void NAME(compact)(void *elems, size_t n, const uint8_t *holes)
{
	elem *x = elems;
	size_t nkept = 0, i = 0;

	for (; n - i >= 8; i += 8) {
		uint64_t group = load_le64(holes + i);

		if (group == NO_HOLES) {
			memmove(x + nkept, x + i, 8 * sizeof(*x));
			nkept += 8;
		} else if (group != ALL_HOLES) {
			nkept += NAME(compact_some)(x + nkept, x + i, 8,
						    holes + i);
		}
	}
	NAME(compact_some)(x + nkept, x + i, n - i, holes + i);
}

/* From the end: no element is written before it is read. */
static void NAME(expand)(void *elems, size_t nkept, size_t n,
			 const uint8_t *holes)
{
	elem *x = elems;
	size_t i = n;

	for (; i % 8 != 0; i--) {
		nkept -= 1u - holes[i - 1];
		x[i - 1] = (elem)(x[nkept] & NAME(kept)(holes[i - 1]));
	}
	for (; i > 0; i -= 8) {
		uint64_t group = load_le64(holes + i - 8);

		nkept -= count_kept(group);
		NAME(expand_group)(x + i - 8, x + nkept, group);
	}
}

static inline void NAME(add_group)(elem *restrict x,
				   const elem *restrict before)
{
	for (size_t i = 0; i < 8; i++)
		x[i] = (elem)(x[i] + before[i]);
}

/* Elements up to the one after the stride, which have none before them. */
static size_t NAME(start_bridged)(elem *x, size_t n, size_t stride,
				  const uint8_t *holes)
{
	size_t first = first_kept(holes, n), i;
	elem last = x[first];

	NAME(fill)(x, first, last);
	for (i = first + 1; i < n && i < stride; i++) {
		last = holes[i] ? last : x[i];
		x[i] = last;
	}
	return i;
}

static void NAME(undelta_bridged)(void *elems, size_t n, size_t stride,
				  const uint8_t *holes)
{
	elem *x = elems, last;
	size_t i = n > 0 ? NAME(start_bridged)(x, n, stride, holes) : 0;

	for (last = i > 0 ? x[i - 1] : 0; i < n;) {
		uint64_t group = stride < 8 || n - i < 8 ? SOME_HOLES :
							   load_le64(holes + i);

		if (group == NO_HOLES) {
			NAME(add_group)(x + i, x + i - stride);
			i += 8;
			last = x[i - 1];
		} else if (group == ALL_HOLES) {
			NAME(fill)(x + i, 8, last);
			i += 8;
		} else {
			elem here = (elem)(x[i] + x[i - stride]);

			last = holes[i] ? last : here;
			x[i++] = last;
		}
	}
}

static void NAME(add_cleared)(elem *restrict x, const elem *restrict before,
			      size_t n, const uint8_t *holes)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (elem)((x[i] + before[i]) & NAME(kept)(holes[i]));
}

static void NAME(undelta_cleared)(void *elems, size_t n, size_t stride,
				  const uint8_t *holes)
{
	elem *x = elems;

	for (size_t i = stride; i < n; i += stride)
		NAME(add_cleared)
	(x + i, x + i - stride, n - i < stride ? n - i : stride, holes + i);
}

static void NAME(copy_first)(const void *from, size_t n, const uint8_t *holes,
			     void *to)
{
	const elem *x = from;
	elem *y = to;
	size_t first = first_kept(holes, n);

	if (n > 0)
		y[first] = x[first];
}

static size_t NAME(mark)(const void *elems, size_t n, const void *value,
			 uint8_t *restrict holes)
{
	const elem *x = elems;
	size_t nholes = 0;
	elem v;

	memcpy(&v, value, sizeof(v));
	for (size_t i = 0; i < n; i++)
		holes[i] = x[i] == v;
	for (size_t i = 0; i < n; i++)
		nholes += holes[i];
	return nholes;
}

static void NAME(put)(const uint8_t *value, const uint8_t *restrict holes,
		      size_t n, uint8_t *restrict raw)
{
	elem v, x;

	memcpy(&v, value, sizeof(v));
	for (size_t i = 0; i < n; i++) {
		memcpy(&x, raw + i * sizeof(x), sizeof(x));
		x = holes[i] ? v : x;
		memcpy(raw + i * sizeof(x), &x, sizeof(x));
	}
}

#undef BITS
