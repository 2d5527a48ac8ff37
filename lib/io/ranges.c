/* SPDX-License-Identifier: MIT */
#include "io/ranges.h"

#include <stdlib.h>

#include "base/sizes.h"

static uint64_t end_of(const struct nc3z_range *r)
{
	return r->offset + r->nbytes;
}

static int by_offset(const void *a, const void *b)
{
	const struct range_wanted *p = a, *q = b;

	if (p->range.offset != q->range.offset)
		return p->range.offset < q->range.offset ? -1 : 1;
	return p->order < q->order ? -1 : p->order > q->order;
}

static int by_order(const void *a, const void *b)
{
	const struct range_wanted *p = a, *q = b;

	return p->order < q->order ? -1 : p->order > q->order;
}

/*
 * Whether a range that begins at or after another joins it.  '*waste' is what
 * the other has of bytes that nobody wants.
 */
static bool joins(const struct nc3z_range *a, const struct nc3z_range *b,
		  uint64_t max_gap_nbytes, uint64_t *waste)
{
	uint64_t gap;

	/* No byte is fetched twice. */
	if (b->offset < end_of(a))
		return true;
	gap = b->offset - end_of(a);
	if (gap > max_gap_nbytes || end_of(b) - a->offset > RANGES_NBYTES_MAX ||
	    *waste + gap > a->nbytes - *waste + b->nbytes)
		return false;
	*waste += gap;
	return true;
}

size_t ranges_join(struct range_wanted *wanted, size_t n,
		   uint64_t max_gap_nbytes)
{
	uint64_t waste = 0;
	size_t count = 0;

	if (n == 0)
		return 0;
	qsort(wanted, n, sizeof(*wanted), by_offset);
	for (size_t i = 0; i < n; i++) {
		struct range_wanted *last = &wanted[count - (count > 0)];
		const struct range_wanted w = wanted[i];

		if (count > 0 &&
		    joins(&last->range, &w.range, max_gap_nbytes, &waste)) {
			last->range.nbytes = size_max(end_of(&last->range),
						      end_of(&w.range)) -
					     last->range.offset;
			last->order = size_min(last->order, w.order);
		} else {
			waste = 0;
			wanted[count++] = w;
		}
	}
	qsort(wanted, count, sizeof(*wanted), by_order);
	return count;
}
