/* SPDX-License-Identifier: MIT */
/*
 * The block that each stream had last.  In an archive the blocks of a stream
 * ascend: one that does not is of another archive, even if that begins the same
 * way.  Memory grows with the number of streams seen, not with their numbers.
 */
#ifndef NC3Z_SALVAGE_ORDER_H
#define NC3Z_SALVAGE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct salvage_height {
	uint32_t stream;
	uint32_t block;
	bool is_used;
};

/* Zero-initialised it is empty. */
struct salvage_order {
	struct salvage_height *table; /* by a hash of the stream */
	size_t nslots;                /* a power of two, or 0 */
	size_t count;
};

/* Whether a block may follow those that were seen. */
bool salvage_order_allows(const struct salvage_order *order, uint32_t stream,
			  uint32_t block);

/* Notes a block; false if out of memory. */
bool salvage_order_note(struct salvage_order *order, uint32_t stream,
			uint32_t block);

/* Forgets all blocks. */
void salvage_order_clear(struct salvage_order *order);

void salvage_order_release(struct salvage_order *order);

#endif
