/* SPDX-License-Identifier: MIT */
/* The filters that set the order of bytes, whichever there are. */
#ifndef NC3Z_TEST_LAYOUTS_H
#define NC3Z_TEST_LAYOUTS_H

#include "filter/filter.h"

/* How many there are, and none as one of them. */
static inline unsigned layouts_count(void)
{
	unsigned n = 1;

	for (uint8_t id = 1; filter_name(id); id++)
		n += filter_is_layout(id);
	return n;
}

/* Adds the one of a number, 0 being none, with a stride if it has one. */
static inline void layouts_add(struct filter_chain *chain, unsigned number,
			       uint32_t stride)
{
	uint8_t id = 0;

	while (number > 0)
		number -= filter_is_layout(++id);
	if (id > 0)
		filter_chain_add(chain, id, filter_has_stride(id) ? stride : 0);
}

#endif
