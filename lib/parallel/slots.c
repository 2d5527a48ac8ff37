/* SPDX-License-Identifier: MIT */
/*
 * An arena is a few huge pages cut into slots of one size.  There are few
 * arenas, as each holds much: they are in a list.
 */
#include "parallel/slots.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "parallel/pages.h"

#define PAGES_MAX 8
#define SLOT_ALIGNMENT ((size_t)64)

struct arena {
	struct arena *next;
	uint8_t *memory;
	size_t slot_nbytes;
	unsigned nslots;
	unsigned nused;
	uint64_t used; /* a bit for each slot */
};

/* How many huge pages an arena should have: an eighth may be left over. */
static size_t slab_nbytes(size_t nbytes)
{
	size_t best = 0, least = SIZE_MAX;

	for (size_t i = 1; i <= PAGES_MAX && least > PAGES_NBYTES / 8; i++) {
		size_t rest = i * PAGES_NBYTES % nbytes;

		if (i * PAGES_NBYTES >= nbytes && rest / i < least) {
			least = rest / i;
			best = i;
		}
	}
	return best * PAGES_NBYTES;
}

static struct arena *new_arena(size_t nbytes)
{
	struct arena *arena = calloc(1, sizeof(*arena));
	size_t all = slab_nbytes(nbytes);

	if (!arena)
		return NULL;
	arena->nslots = (unsigned)(all / nbytes);
	arena->slot_nbytes = all / arena->nslots & ~(SLOT_ALIGNMENT - 1);
	arena->memory = pages_take(all);
	if (!arena->memory) {
		free(arena);
		return NULL;
	}
	return arena;
}

static bool suits_arena(const struct arena *arena, size_t nbytes)
{
	return arena->nused < arena->nslots && arena->slot_nbytes >= nbytes &&
	       arena->slot_nbytes - nbytes <= arena->slot_nbytes / 4;
}

void *slots_take(struct slots *slots, size_t nbytes, size_t *capacity_ret)
{
	struct arena *arena = slots->arenas;
	unsigned i = 0;

	/* Slots begin on the boundaries of vectors. */
	nbytes = (nbytes + SLOT_ALIGNMENT - 1) & ~(SLOT_ALIGNMENT - 1);
	while (arena && !suits_arena(arena, nbytes))
		arena = arena->next;
	if (!arena) {
		arena = new_arena(nbytes);
		if (!arena)
			return NULL;
		arena->next = slots->arenas;
		slots->arenas = arena;
	}
	while (arena->used >> i & 1)
		i++;
	arena->used |= UINT64_C(1) << i;
	arena->nused++;
	*capacity_ret = arena->slot_nbytes;
	return arena->memory + i * arena->slot_nbytes;
}

void slots_give(struct slots *slots, void *memory)
{
	struct arena **at = &slots->arenas, *arena;
	size_t offset;

	/* Which one it is, is told by the distance alone. */
	while ((offset = (size_t)((uintptr_t)memory -
				  (uintptr_t)(*at)->memory)) >=
	       (*at)->nslots * (*at)->slot_nbytes)
		at = &(*at)->next;
	arena = *at;
	arena->used &= ~(UINT64_C(1) << offset / arena->slot_nbytes);
	if (--arena->nused > 0)
		return;
	*at = arena->next;
	pages_give(arena->memory);
	free(arena);
}
