/* SPDX-License-Identifier: MIT */
#include "salvage/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NSLOTS_MIN 64

/* The slot of a stream, or the free one where it would be. */
static struct salvage_height *slot_of(const struct salvage_order *order,
				      uint32_t stream)
{
	size_t mask = order->nslots - 1;
	size_t i = (size_t)(stream * UINT32_C(2654435761)) & mask;

	while (order->table[i].is_used && order->table[i].stream != stream)
		i = (i + 1) & mask;
	return &order->table[i];
}

static bool grow_order(struct salvage_order *order)
{
	struct salvage_order grown = {
		.nslots = order->nslots ? 2 * order->nslots : NSLOTS_MIN,
		.count = order->count,
	};

	grown.table = memory_alloc(grown.nslots, sizeof(*grown.table));
	if (!grown.table)
		return false;
	for (size_t i = 0; i < order->nslots; i++)
		if (order->table[i].is_used)
			*slot_of(&grown, order->table[i].stream) =
				order->table[i];
	free(order->table);
	*order = grown;
	return true;
}

bool salvage_order_allows(const struct salvage_order *order, uint32_t stream,
			  uint32_t block)
{
	const struct salvage_height *slot;

	if (order->count == 0)
		return true;
	slot = slot_of(order, stream);
	return !slot->is_used || slot->block < block;
}

bool salvage_order_note(struct salvage_order *order, uint32_t stream,
			uint32_t block)
{
	struct salvage_height *slot;

	if (order->count >= order->nslots / 2 && !grow_order(order))
		return false;
	slot = slot_of(order, stream);
	order->count += !slot->is_used;
	*slot = (struct salvage_height){ stream, block, true };
	return true;
}

void salvage_order_clear(struct salvage_order *order)
{
	/* Not all of a large table for each of many small archives. */
	if (order->nslots > NSLOTS_MIN && order->count < order->nslots / 8)
		salvage_order_release(order);
	else if (order->count > 0)
		memset(order->table, 0, order->nslots * sizeof(*order->table));
	order->count = 0;
}

void salvage_order_release(struct salvage_order *order)
{
	free(order->table);
	*order = (struct salvage_order){ 0 };
}
